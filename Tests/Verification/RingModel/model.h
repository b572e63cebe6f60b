/* A model of C11's weak memory that runs small programs through every execution the
 * language allows them: every interleaving, every message a load may read, every place
 * in the modification order a store may take.
 *
 * The semantics are RC11's (Lahav et al., "Repairing Sequential Consistency in C/C++11",
 * PLDI 2017), written as views (Kang et al., "A Promising Semantics for Relaxed-Memory
 * Concurrency", POPL 2017, without promises), with C++20's shorter release sequences:
 * - a location is a list of messages in modification order;
 * - a thread has a view, the message of each location it may not read behind;
 * - a message carries the view that reading it with acquire passes on;
 * - sequentially consistent fences share one view, which orders but does not synchronise;
 * - plain accesses are checked against vector clocks: unordered ones are a data race.
 * What RC11 excludes is not explored: a load cannot read from a store that comes after
 * it in program order and depends on nothing ("load buffering"). */
#ifndef MODEL_H
#define MODEL_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Faults of the model itself, which the litmus tests must find. A build with
 * -DMODEL_FAULT=MODEL_FAULT_NAME has one of them. */
enum model_fault {
    MODEL_FAULT_NONE,
    MODEL_FAULT_FENCES_BLIND,           /* fences see nothing */
    MODEL_FAULT_ACQUIRE_RELAXED,        /* acquire loads acquire nothing */
    MODEL_FAULT_EXCHANGE_TORN,          /* exchanges are not atomic */
    MODEL_FAULT_SEQUENCE_BROKEN,        /* release sequences break */
    MODEL_FAULT_STORES_LAST,            /* stores always come last */
    MODEL_FAULT_READS_UNCHECKED,        /* plain reads are not checked for races */
    MODEL_FAULT_EXCHANGE_INDEPENDENT    /* the reduction ignores exchanges */
};
#ifndef MODEL_FAULT
#define MODEL_FAULT MODEL_FAULT_NONE
#endif
#define PLANTED(name) (MODEL_FAULT == MODEL_FAULT_##name)

enum { THREADS_MAX = 4, LOCATIONS_MAX = 16, MESSAGES_MAX = 32, CELLS_MAX = 16, CELL_BYTES = 32, SIGNALS_MAX = 4 };

/* A place in the source that accesses memory with an order. */
typedef struct model_site {
    const char *function;
    int line;
} model_site;

#define HERE ((model_site){__func__, __LINE__})

/* The operations of threads. Locations are told apart by their addresses. */
uint64_t model_load(const volatile void *from, memory_order order, model_site site);
void model_store(const volatile void *to, uint64_t value, memory_order order, model_site site);
uint64_t model_exchange(const volatile void *at, uint64_t value, memory_order order, model_site site);
/* The strong one. What it finds when it fails is read relaxed. */
bool model_compare_exchange(const volatile void *at, uint64_t *expected, uint64_t value, memory_order order,
                            model_site site);
void model_fence(memory_order order, model_site site);
/* Before the threads start. */
void model_init(const volatile void *at, uint64_t value);

/* Plain accesses, by cells of CELL_BYTES. */
void model_copy(void *to, const void *from, size_t bytes);
void model_reads(const void *from, size_t bytes);

/* An eventfd: waiting takes all signals. Stronger in life than here: the kernel's
 * synchronises as well. */
void model_signal(unsigned number);
void model_wait(unsigned number);

/* The message a location ends with; for checks after the threads. */
uint64_t model_last(const volatile void *at);

/* Fails the execution. */
void model_require(bool holds, const char *otherwise);

typedef struct model_program {
    const char *name;
    unsigned threads;
    void (*bodies[THREADS_MAX])(void);
    void (*start)(void);        /* before each execution; must call model_init for each location */
    void (*end)(void);          /* after each complete execution */
} model_program;

/* Where and how the program deviates from its source: an order weakened, a fence taken
 * away (relaxed), or an exchange torn into a load and a store. */
typedef struct model_mutation {
    model_site site;            /* function null: none */
    memory_order order;
    bool is_torn;
} model_mutation;

typedef struct model_result {
    uint64_t executions;        /* complete ones */
    uint64_t cut;               /* abandoned, as others stand for them */
    const char *problem;        /* of the first execution that failed; null when none did */
} model_result;

/* Runs all executions, or up to the first that fails. `reduces`: leaves executions out
 * that differ from others only in the order of independent steps. */
model_result model_explore(const model_program *program, const model_mutation *mutation, bool reduces);
/* Runs the last execution again, telling each step on standard error. */
void model_tell(const model_program *program, const model_mutation *mutation);

/* The sites met so far, with their orders as the source has them. */
typedef struct model_site_met {
    model_site site;
    const char *kind;
    memory_order order;
} model_site_met;
size_t model_sites(const model_site_met **sites);

#endif
