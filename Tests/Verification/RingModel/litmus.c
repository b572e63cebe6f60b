/* The model against classic litmus tests, whose verdicts under RC11 are known: Lahav et
 * al., "Repairing Sequential Consistency in C/C++11", PLDI 2017, and Alglave et al.,
 * "Herding Cats", TOPLAS 2014, whose names they have here. */
#include "programs.h"

#include <stdio.h>
#include <string.h>

enum { REGISTERS = 4, OUTCOMES = 1 << 2 * (REGISTERS + 2) };

static const char x, y;                 /* locations have addresses only */
static _Alignas(CELL_BYTES) char plain[CELL_BYTES];
static memory_order writes, reads, fences;
static unsigned registers[REGISTERS];
static bool seen[OUTCOMES];

#define RELAXED memory_order_relaxed
#define LOAD(r, at, order) registers[r] = (unsigned)model_load(&at, order, __func__)
#define STORE(at, value, order) model_store(&at, value, order, __func__)
#define FENCE() model_fence(fences, __func__)
#define BODY(name) static void name(void)

BODY(mp_0) { STORE(x, 1, RELAXED); FENCE(); STORE(y, 1, writes); }
BODY(mp_1) { LOAD(0, y, reads); FENCE(); LOAD(1, x, RELAXED); }
BODY(sb_0) { STORE(x, 1, writes); FENCE(); LOAD(0, y, reads); }
BODY(sb_1) { STORE(y, 1, writes); FENCE(); LOAD(1, x, reads); }
BODY(write_x_1) { STORE(x, 1, writes); }
BODY(write_x_2) { STORE(x, 2, writes); }
BODY(write_y_1) { STORE(y, 1, writes); }
BODY(corr_1) { LOAD(0, x, reads); LOAD(1, x, reads); }
BODY(corr_2) { LOAD(2, x, reads); LOAD(3, x, reads); }
BODY(iriw_2) { LOAD(0, x, reads); FENCE(); LOAD(1, y, reads); }
BODY(iriw_3) { LOAD(2, y, reads); FENCE(); LOAD(3, x, reads); }
BODY(rmw_0) { registers[0] = (unsigned)model_exchange(&x, 1, RELAXED, __func__); }
BODY(rmw_1) { registers[1] = (unsigned)model_exchange(&x, 1, RELAXED, __func__); }
BODY(cas_finds_1) {
    uint64_t old = 0;
    registers[0] = model_compare_exchange(&x, &old, 2, RELAXED, __func__);
    registers[1] = (unsigned)old;
}
BODY(sequence_1) { registers[2] = (unsigned)model_exchange(&y, 2, RELAXED, __func__); }
BODY(sequence_stores) { STORE(x, 1, RELAXED); STORE(y, 1, writes); STORE(y, 2, RELAXED); }
BODY(plain_0) { char event[CELL_BYTES] = {1}; model_copy(plain, event, CELL_BYTES); FENCE(); STORE(y, 1, writes); }
BODY(plain_1) {
    LOAD(0, y, reads);
    FENCE();
    if (registers[0] == 1) model_reads(plain, CELL_BYTES);
}
BODY(plain_sb_0) { char event[CELL_BYTES] = {1}; model_copy(plain, event, CELL_BYTES); FENCE(); LOAD(0, y, reads); }
BODY(plain_sb_1) { STORE(y, 1, writes); FENCE(); model_reads(plain, CELL_BYTES); }
BODY(rings) { STORE(x, 1, RELAXED); FENCE(); LOAD(0, y, RELAXED); if (registers[0]) model_signal(0); }
BODY(sleeps) { STORE(y, 1, RELAXED); FENCE(); LOAD(1, x, RELAXED); if (!registers[1]) model_wait(0); }

static void start(void) {
    model_init(&x, 0);
    model_init(&y, 0);
    memset(registers, 0, sizeof registers);
}

/* Four registers, then what x and y end with, two bits each. */
static void end(void) {
    unsigned outcome = (unsigned)model_last(&x) << 8 | (unsigned)model_last(&y) << 10;
    for (unsigned i = 0; i < REGISTERS; i++) outcome |= registers[i] << 2 * i;
    seen[outcome] = true;
}

/* A pattern of registers and last values: a digit each, or a dot for any. */
static bool was_seen(const char *pattern) {
    for (unsigned outcome = 0; outcome < OUTCOMES; outcome++) {
        bool matches = seen[outcome];
        for (unsigned i = 0; pattern[i]; i++) {
            matches &= pattern[i] == '.' || (unsigned)(pattern[i] - '0') == (outcome >> 2 * i & 3);
        }
        if (matches) return true;
    }
    return false;
}

typedef enum verdict { FORBIDDEN, ALLOWED, CLEAN, RACE, LOST } verdict;

typedef struct litmus {
    const char *name;
    unsigned threads;
    void (*bodies[THREADS_MAX])(void);
    const char *pattern;        /* r0 r1 r2 r3 x y */
    struct {
        memory_order writes, reads, fences;
        verdict verdict;
    } cases[6];
    unsigned count;
} litmus;

#define PLAIN RELAXED, RELAXED, RELAXED
#define PAIRED memory_order_release, memory_order_acquire, RELAXED
#define RELEASE_ONLY memory_order_release, RELAXED, RELAXED
#define ACQUIRE_ONLY RELAXED, memory_order_acquire, RELAXED
#define FENCED RELAXED, RELAXED, memory_order_acq_rel
#define FENCED_SC RELAXED, RELAXED, memory_order_seq_cst

static const litmus tests[] = {
    {"MP", 2, {mp_0, mp_1}, "10",
     {{PLAIN, ALLOWED}, {PAIRED, FORBIDDEN}, {RELEASE_ONLY, ALLOWED}, {ACQUIRE_ONLY, ALLOWED}, {FENCED, FORBIDDEN}, {FENCED_SC, FORBIDDEN}}, 6},
    {"SB", 2, {sb_0, sb_1}, "00", {{PLAIN, ALLOWED}, {PAIRED, ALLOWED}, {FENCED, ALLOWED}, {FENCED_SC, FORBIDDEN}}, 4},
    {"CoRR, two readers", 4, {write_x_1, write_x_2, corr_1, corr_2}, "1221", {{PLAIN, FORBIDDEN}}, 1},
    {"IRIW", 4, {write_x_1, write_y_1, iriw_2, iriw_3}, "1010",
     {{PLAIN, ALLOWED}, {PAIRED, ALLOWED}, {FENCED, ALLOWED}, {FENCED_SC, FORBIDDEN}}, 4},
    {"two exchanges", 2, {rmw_0, rmw_1}, "00", {{PLAIN, FORBIDDEN}}, 1},
    {"a compare-exchange that fails writes nothing", 2, {write_x_1, cas_finds_1}, "0...2", {{PLAIN, FORBIDDEN}}, 1},
    {"release sequence of an exchange", 3, {mp_0, sequence_1, mp_1}, "201", {{PAIRED, FORBIDDEN}, {ACQUIRE_ONLY, ALLOWED}}, 2},
    {"no release sequence of stores", 2, {sequence_stores, mp_1}, "20", {{PAIRED, ALLOWED}}, 1},
    {"plain MP", 2, {plain_0, plain_1}, "",
     {{PLAIN, RACE}, {PAIRED, CLEAN}, {RELEASE_ONLY, RACE}, {ACQUIRE_ONLY, RACE}, {FENCED, CLEAN}}, 5},
    {"plain SB: a fence's order synchronises nobody", 2, {plain_sb_0, plain_sb_1}, "", {{FENCED_SC, RACE}}, 1},
    {"sleep and wake", 2, {rings, sleeps}, "", {{PLAIN, LOST}, {FENCED, LOST}, {FENCED_SC, CLEAN}}, 3},
};

static bool is_right(const litmus *test, verdict expected, const char *problem) {
    switch (expected) {
    case FORBIDDEN: return !problem && !was_seen(test->pattern);
    case ALLOWED: return !problem && was_seen(test->pattern);
    case CLEAN: return !problem;
    case RACE: return problem && strstr(problem, "data race");
    case LOST: return problem && strstr(problem, "sleeps for ever");
    }
    return false;
}

unsigned litmus_run(unsigned *wrong) {
    unsigned cases = 0;
    for (size_t i = 0; i < sizeof tests / sizeof *tests; i++) {
        const litmus *test = &tests[i];
        model_program program = {test->name, test->threads, {0}, start, end};
        memcpy(program.bodies, test->bodies, sizeof program.bodies);
        for (unsigned j = 0; j < test->count; j++, cases++) {
            writes = test->cases[j].writes;
            reads = test->cases[j].reads;
            fences = test->cases[j].fences;
            memset(seen, 0, sizeof seen);
            if (is_right(test, test->cases[j].verdict, model_explore(&program).problem)) continue;
            ++*wrong;
            fprintf(stderr, "litmus %s, case %u: the model's verdict is wrong\n", test->name, j);
        }
    }
    return cases;
}
