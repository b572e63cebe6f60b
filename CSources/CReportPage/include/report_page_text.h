/* The same for Swift, which does not import arrays of unknown length. */
#ifndef REPORT_PAGE_TEXT_H
#define REPORT_PAGE_TEXT_H

#include "report_page.h"

static inline const char *report_page_head_text(void) { return report_page_head; }
static inline const char *report_page_tail_text(void) { return report_page_tail; }

#endif
