/* The cases of what a sweep counts, Tests/Cases/counts: logs, each with lines that ask and state.
 * Tests/Cases/README.md describes the notation. */
#ifndef CASE_COUNTS_H
#define CASE_COUNTS_H

#include "case_rules.h"
#include "settle_sweep.h"

enum case_asked_kind { CASE_ASKED_POLICY, CASE_ASKED_HABIT, CASE_ASKED_IDLE, CASE_ASKED_LOG };

/* What is counted of a log itself. */
enum { CASE_LOG_FIGURES = 7 };
extern const char *const case_log_figures[CASE_LOG_FIGURES];

/* What a line of a run asks, and what it states. */
typedef struct case_asked {
    int kind;
    settle_policy policy;
    const char *habit; /* null for none */
    const char *cost;  /* as text; null: nothing is built */
    settle_build_cost build_cost;
    settle_sweep_counts counts;
    uint32_t idle; /* bits of settle_policy_changes */
    uint64_t log[CASE_LOG_FIGURES];
} case_asked;

/* Reads "NAME VALUE; NAME VALUE VALUE*TIMES…" into counts that are zero before. The text is changed. */
bool case_read_counts(char *text, settle_sweep_counts *counts);

/* Reads the `text` of a run's look. What is asked is static until the next one. Null, with what is wrong in
 * case_problem(). */
const case_asked *case_read_asked(const case_run *run, const char *text);

/* Counts a run's log, and compares with what its lines state; and as sums, written and added. False for a difference,
 * which case_problem() shows. Adds the number of ways to *ways. */
bool case_check_counts(const case_run *run, unsigned *ways);

/* Writes a run's events as a log. False for events that no log has. */
bool case_write_events(const case_run *run, bool has_policy, FILE *log);
/* Writes what a run's lines ask and state. */
bool case_write_asked(const case_run *run, FILE *asked);

#endif
