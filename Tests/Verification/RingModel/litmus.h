#ifndef LITMUS_H
#define LITMUS_H

#include "model.h"

typedef struct litmus_count {
    unsigned cases, wrong;
    uint64_t executions, executions_reduced;
} litmus_count;

/* Runs every test, and prints wrong verdicts to standard error. */
void litmus_run(litmus_count *count);
/* Runs random programs with and without the reduction, and prints those where it loses an
 * outcome. */
void random_programs_run(unsigned programs, litmus_count *count);

#endif
