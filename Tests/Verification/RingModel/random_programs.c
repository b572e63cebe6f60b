/* Small random programs, run with and without the reduction: it may leave executions
 * out, and neither an outcome nor a fault. Seeded, so the same each time. */
#include "../splitmix64.h"
#include "litmus.h"

#include <stdio.h>
#include <string.h>

enum { THREADS = 3, STEPS = 3, OUTCOMES_MAX = 1 << 13, LOCATIONS = 2 };

typedef enum action { ACT_LOAD, ACT_STORE, ACT_EXCHANGE, ACT_COMPARE, ACT_FENCE, ACT_SIGNAL, ACT_WAIT } action;

typedef struct random_step {
    action action;
    unsigned where;
    memory_order order;
} random_step;

static random_step steps[THREADS][STEPS];
static const char locations[LOCATIONS];
static uint64_t read_values[THREADS][STEPS];
static uint64_t outcomes[OUTCOMES_MAX], outcomes_count;

static unsigned below(uint64_t *seed, unsigned limit) { return (unsigned)(splitmix64_next(seed) % limit); }

static random_step random_step_from(uint64_t *seed, unsigned thread) {
    static const action actions[] = {ACT_LOAD, ACT_LOAD, ACT_LOAD, ACT_STORE, ACT_STORE, ACT_EXCHANGE, ACT_COMPARE, ACT_FENCE};
    static const memory_order of_loads[] = {memory_order_relaxed, memory_order_acquire};
    static const memory_order of_stores[] = {memory_order_relaxed, memory_order_release};
    random_step made = {actions[below(seed, 8)], below(seed, LOCATIONS), memory_order_relaxed};
    if (below(seed, 12) == 0) made.action = thread == 0 ? ACT_WAIT : ACT_SIGNAL;
    switch (made.action) {
    case ACT_LOAD: made.order = of_loads[below(seed, 2)]; break;
    case ACT_STORE: made.order = of_stores[below(seed, 2)]; break;
    case ACT_COMPARE:
    case ACT_EXCHANGE: made.order = below(seed, 2) ? memory_order_acq_rel : memory_order_relaxed; break;
    case ACT_FENCE: made.order = below(seed, 3) ? memory_order_seq_cst : memory_order_acq_rel; break;
    default: break;
    }
    return made;
}

static void run(unsigned thread) {
    for (unsigned i = 0; i < STEPS; i++) {
        const random_step *step = &steps[thread][i];
        const char *at = &locations[step->where];
        uint64_t value = 1 + thread * STEPS + i;
        switch (step->action) {
        case ACT_LOAD: read_values[thread][i] = model_load(at, step->order, HERE); break;
        case ACT_STORE: model_store(at, value, step->order, HERE); break;
        case ACT_EXCHANGE: read_values[thread][i] = model_exchange(at, value, step->order, HERE); break;
        case ACT_COMPARE: {
            /* What another step may have written, or nobody. */
            uint64_t found = (thread + i) % 2 ? 0 : 1 + (thread + 1) % THREADS * STEPS + i;
            bool is_equal = model_compare_exchange(at, &found, value, step->order, HERE);
            read_values[thread][i] = is_equal ? UINT64_MAX : found;
            break;
        }
        case ACT_FENCE: model_fence(step->order, HERE); break;
        case ACT_SIGNAL: model_signal(0); break;
        case ACT_WAIT: model_wait(0); break;
        }
    }
}

static void run_0(void) { run(0); }
static void run_1(void) { run(1); }
static void run_2(void) { run(2); }

static void start(void) {
    for (unsigned i = 0; i < LOCATIONS; i++) model_init(&locations[i], 0);
    memset(read_values, 0, sizeof read_values);
}

/* Keeps the set of outcomes, in a table by their hashes. */
static void end(void) {
    uint64_t hash = 1;
    for (unsigned i = 0; i < THREADS * STEPS; i++) hash = splitmix64_mix(hash + read_values[i / STEPS][i % STEPS]);
    for (unsigned i = 0; i < LOCATIONS; i++) hash = splitmix64_mix(hash + model_last(&locations[i]));
    uint64_t at = hash % OUTCOMES_MAX;
    while (outcomes[at] && outcomes[at] != hash) at = (at + 1) % OUTCOMES_MAX;
    model_require(outcomes[at] || ++outcomes_count < OUTCOMES_MAX, "more outcomes than there is room for");
    outcomes[at] = hash;
}

/* Explores and sums up the outcomes. */
static model_result explore(bool reduces, uint64_t *number, uint64_t *sum) {
    static const model_program program = {"random", THREADS, {run_0, run_1, run_2}, start, end};
    static const model_mutation none;
    memset(outcomes, 0, sizeof outcomes);
    outcomes_count = 0;
    model_result result = model_explore(&program, &none, reduces);
    *number = outcomes_count;
    *sum = 0;
    for (unsigned i = 0; i < OUTCOMES_MAX; i++) *sum += outcomes[i];
    return result;
}

void random_programs_run(unsigned programs, litmus_count *count) {
    uint64_t seed = 1;
    for (unsigned program = 0; program < programs; program++) {
        for (unsigned i = 0; i < THREADS * STEPS; i++) steps[i / STEPS][i % STEPS] = random_step_from(&seed, i / STEPS);
        uint64_t all_number, all_sum, number, sum;
        model_result all = explore(false, &all_number, &all_sum), reduced = explore(true, &number, &sum);
        bool same = !all.problem == !reduced.problem && (all.problem || (number == all_number && sum == all_sum));
        count->cases++;
        count->executions += all.executions;
        count->executions_reduced += reduced.executions;
        if (same) continue;
        count->wrong++;
        fprintf(stderr, "random program %u: %llu outcomes, %llu with the reduction\n", program,
                (unsigned long long)all_number, (unsigned long long)number);
    }
}
