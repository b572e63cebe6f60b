/* The cases that are inputs with their answers, as in Tests/Cases/policies. Tests/Cases/README.md describes the
 * notation. */
#ifndef CASE_PAIRS_H
#define CASE_PAIRS_H

#include <stdbool.h>
#include <stddef.h>

typedef struct case_counts {
    unsigned passed, failed, ways;
} case_counts;

/* Writes what the library makes of an input, as an answer's line. */
typedef void case_answer(const char *input, char *answer, size_t size);
void case_policy_answer(const char *input, char *answer, size_t size);
void case_line_answer(const char *input, char *answer, size_t size);
void case_advice_answer(const char *input, char *answer, size_t size);
void case_sums_answer(const char *input, char *answer, size_t size);
void case_window_answer(const char *input, char *answer, size_t size);
void case_format_answer(const char *input, char *answer, size_t size);
void case_binary_answer(const char *input, char *answer, size_t size);
void case_call_answer(const char *input, char *answer, size_t size);
void case_stream_answer(const char *input, char *answer, size_t size);
/* The bytes of a log whose parts follow "log", until the next call; null for another input. A header has the text
 * `metadata`: the cases' own is "{}". */
const unsigned char *case_binary_log(const char *input, const char *metadata, size_t *count);

/* Runs the cases of a text whose first line has `only`. Prints those that fail, with the path. False, with what is
 * wrong in case_problem(), for a text that is no case file. */
bool case_run_pairs(char *text, const char *path, const char *only, case_answer *answer, case_counts *counts);

#endif
