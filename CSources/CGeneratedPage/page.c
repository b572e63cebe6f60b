/* The page is two files, which scripts/build-wasm writes; the compiler puts them into the program. */
#pragma clang diagnostic ignored "-Wc23-extensions"
#include "report_page.h"

static const char head[] = {
#embed "head.html"
};
static const char tail[] = {
#embed "tail.html"
};

report_page_part report_page_head(void) { return (report_page_part){head, sizeof head}; }
report_page_part report_page_tail(void) { return (report_page_part){tail, sizeof tail}; }
