/* The report's page without its data: a report is head, data, tail. scripts/build-wasm writes
 * page.c from Sources/SettleReport/Page; docs/guide/reports.md describes the data. */
#ifndef REPORT_PAGE_H
#define REPORT_PAGE_H

#include <stddef.h>

/* UTF-8, with a NUL after the last byte that is not counted. */
extern const char report_page_head[];
extern const size_t report_page_head_bytes;
extern const char report_page_tail[];
extern const size_t report_page_tail_bytes;

#endif
