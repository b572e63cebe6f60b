#include "report_page.h"

/* Shows the data as text. */
const char report_page_head[] =
    "<!DOCTYPE html>\n"
    "<html lang=\"en\"><head><meta charset=\"utf-8\"><title>settle report</title>\n"
    "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n"
    "<style>script{display:block;white-space:pre-wrap;overflow-wrap:anywhere;font-family:monospace}</style>\n"
    "</head><body><h1>settle report</h1>\n"
    "<script type=\"application/json\" id=\"settle-data\">";
const size_t report_page_head_bytes = sizeof report_page_head - 1;

const char report_page_tail[] = "</script>\n</body></html>\n";
const size_t report_page_tail_bytes = sizeof report_page_tail - 1;
