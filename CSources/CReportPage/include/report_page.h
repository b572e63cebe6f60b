/* The page of `settle report`: a report is the head, the logs as JSON text, and the tail. */
#ifndef REPORT_PAGE_H
#define REPORT_PAGE_H

#include <stddef.h>

extern const char report_page_head[];
extern const size_t report_page_head_bytes;
extern const char report_page_tail[];
extern const size_t report_page_tail_bytes;

#endif
