#ifndef PROGRAMS_H
#define PROGRAMS_H

#include "model.h"

#include "settle.h"

/* What the threads of a program do with the ring. */
typedef struct plan {
    uint32_t capacity;
    unsigned events, batch;     /* a producer's events, and how many it pushes at once */
    unsigned tries;             /* pushes and peeks without handshakes; 0: both sides sleep */
    unsigned producers;
    bool is_careless;           /* the sleepers do not look again: must be caught */
} plan;

typedef struct ring_program {
    const char *name;
    plan plan;
} ring_program;

extern const ring_program ring_programs[];
extern const size_t ring_programs_count;
/* Loses wake-ups. */
extern const ring_program careless_program;

/* All executions, or up to the first that fails. */
model_result ring_program_run(const ring_program *program, const model_mutation *mutation);
/* Tells the steps of the execution that failed last. */
void ring_program_tell(const ring_program *program, const model_mutation *mutation);

#endif
