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

enum { THREADS_MAX = 4, LOCATIONS_MAX = 16, MESSAGES_MAX = 32, CELLS_MAX = 16, CELL_BYTES = 32, SIGNALS_MAX = 4 };

/* The operations of threads. Locations are told apart by their addresses; `by` is the function that
 * calls. */
uint64_t model_load(const volatile void *from, memory_order order, const char *by);
void model_store(const volatile void *to, uint64_t value, memory_order order, const char *by);
uint64_t model_exchange(const volatile void *at, uint64_t value, memory_order order, const char *by);
/* The strong one. What it finds when it fails is read relaxed. */
bool model_compare_exchange(const volatile void *at, uint64_t *expected, uint64_t value, memory_order order, const char *by);
void model_fence(memory_order order, const char *by);
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

typedef struct model_result {
    uint64_t executions;        /* complete ones */
    const char *problem;        /* of the first execution that failed; null when none did */
} model_result;

/* Runs all executions, or up to the first that fails, without those that differ from others only in the
 * order of independent steps. */
model_result model_explore(const model_program *program);
/* Runs the last execution again, and prints each step on standard error. */
void model_tell(const model_program *program);

#endif
