/* The cases of the contract's rules, Tests/Cases/rules: read into steps, which any way into the core can play.
 * Tests/Cases/README.md describes the notation. */
#ifndef CASE_RULES_H
#define CASE_RULES_H

#include "settle.h"

#include <stdio.h>

enum {
    CASE_STEPS_MAX = 512,
    CASE_SCENES_MAX = 8,
    CASE_DECISIONS_MAX = 256,
};

/* The rows of a drawing: those that happen, those that are decided, and those that are compared only where drawn. */
enum case_row {
    CASE_BUTTON,
    CASE_SIZE,
    CASE_FLAG,
    CASE_LOCK,
    CASE_CALL,
    CASE_DRAG,
    CASE_REBUILD,
    CASE_PREVIEW,
    CASE_LOCKED,
    CASE_REASON,
    CASE_PENDING,
    CASE_ROWS
};

enum case_step_kind {
    CASE_EVENT,   /* `event`, whose scene is the case's number */
    CASE_ADVANCE, /* to event.at_ns */
    CASE_FINISH,
    CASE_CONNECT, /* the scene event.scene anew, without an event */
    CASE_POLICY,  /* another policy for the scene event.scene */
    CASE_LOOK,    /* `text` states what is expected here; of a drawing it is null: the end of a column */
};

typedef struct case_step {
    int kind;
    int line;
    settle_event event;
    settle_policy policy;
    const char *text;
} case_step;

/* One run of a case, from an empty core on. */
typedef struct case_run {
    const char *name;             /* of the case: its first line */
    int line;                     /* of the run's first line in its file */
    size_t columns;               /* of a drawing, else 0 */
    const char *drawn[CASE_ROWS]; /* null for a row that is not drawn */
    settle_policy policy;
    bool is_without_window; /* settle_window is documented to decide otherwise */
    uint32_t scenes;        /* 1 … scenes */
    size_t count;
    const case_step *steps; /* until the next run is read */
} case_run;

/* What a run decided; the decisions' scenes are the case's numbers. */
typedef struct case_decisions {
    size_t count;
    const settle_decision *decisions; /* until the next run is checked */
} case_decisions;

/* A file's runs, one after the other. */
typedef struct case_reader {
    char *next; /* in the text */
    int line;
    const char *name; /* of the case that the next run belongs to; null before a new case */
} case_reader;

/* None of these functions may be called from two threads at the same time: what they give is in static memory. */

/* The text ends with a zero byte, must stay as long as the runs, and is changed. */
void case_start(case_reader *reader, char *text);
/* Reads the next run. 1 for one, 0 at the end, -1 for a fault, which case_problem() states with its line. */
int case_next(case_reader *reader, case_run *run);

/* Plays a run event by event and compares what it decides with what the case expects. False for a difference, which
 * case_problem() shows. */
bool case_check(const case_run *run, case_decisions *decisions);

/* Plays a run in other ways, and compares what they decide with `expected`: in batches, with room for one decision
 * at a time, and by settle_window where the run has but what that takes. Adds the number of ways to *ways. */
bool case_check_ways(const case_run *run, const case_decisions *expected, unsigned *ways);

/* Writes a run's events, with its policy in the header, and what they decide up to the end of the log. False, and
 * nothing is written, for a run that no log can have. */
bool case_write_log(const case_run *run, FILE *log, FILE *decided);

/* What is wrong, as text for people. */
const char *case_problem(void);

#endif
