/* The report's page without its data: a report is head, data, tail. docs/guide/reports.md describes
 * the data. */
#ifndef REPORT_PAGE_H
#define REPORT_PAGE_H

#include <stddef.h>

/* UTF-8, without a NUL at its end. */
typedef struct {
    const char *text;
    size_t bytes;
} report_page_part;

report_page_part report_page_head(void);
report_page_part report_page_tail(void);

#endif
