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
    bool measures;              /* before a push the producer asks how many events wait */
} plan;

typedef struct ring_program {
    const char *name;
    plan plan;
    const model_program *other;     /* a program that is not over a plan; null: it is */
} ring_program;

extern const ring_program ring_programs[];
extern const size_t ring_programs_count;

/* Runs the litmus tests, and prints wrong verdicts to standard error. Their number. */
unsigned litmus_run(unsigned *wrong);

/* Sources that list themselves, a loop that forgets them; a token that goes back and forth. */
extern const model_program list_one_source, list_two_sources, list_node_reused, token_passes;

model_result ring_program_run(const ring_program *program);
/* Prints the steps of the execution that failed last. */
void ring_program_tell(const ring_program *program);

#endif
