/* The explorer's operations for the memory. */
#ifndef EXPLORE_H
#define EXPLORE_H

#include "model.h"

/* What a thread is about to do, as far as its order among other steps matters. */
typedef enum step_kind { STEP_WRITE, STEP_EXCHANGE, STEP_SIGNAL, STEP_FENCE, STEP_READ, STEP_WAIT, STEP_DONE } step_kind;

typedef struct step {
    step_kind kind;
    unsigned object;            /* a location, or a signal's number */
} step;

/* The number of the running thread. */
unsigned explore_thread(void);
/* Lets the others run first, where that matters. */
void explore_step(step next);
/* One of 0..<options; over the executions, each. */
unsigned explore_choose(unsigned options);
_Noreturn void explore_fail(const char *problem);
void explore_tell(const char *format, ...) __attribute__((format(printf, 1, 2)));

void memory_reset(void);
bool memory_signalled(unsigned number);

#endif
