/* The explorer: threads as coroutines, and a depth-first search over a tape of choices.
 * An execution is run from its beginning for each tape, which keeps no states.
 *
 * Reduction by sleep sets (Godefroid, "Partial-Order Methods for the Verification of
 * Concurrent Systems", 1996): a thread whose step was tried at a choice need not be tried
 * behind its siblings until a step comes that depends on it. */
#include "explore.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

enum { TAPE_MAX = 1024, STACK_BYTES = 64 * 1024 };

typedef struct choice {
    uint8_t options, taken;
} choice;

typedef struct coroutine {
    jmp_buf begin, here;
    bool was_made, begins;
    step next;
    _Alignas(64) char stack[STACK_BYTES];
} coroutine;

static struct explorer {
    const model_program *program;
    bool prints;
    choice tape[TAPE_MAX];
    unsigned tape_length, tape_at;
    coroutine threads[THREADS_MAX];
    unsigned running;
    jmp_buf scheduler, failed;
    const char *problem;
} explorer;

unsigned explore_thread(void) { return explorer.running; }

unsigned explore_choose(unsigned options) {
    if (options == 1) return 0;
    if (explorer.tape_at == explorer.tape_length) {
        if (explorer.tape_length == TAPE_MAX) abort();
        explorer.tape[explorer.tape_length++] = (choice){(uint8_t)options, 0};
    }
    return explorer.tape[explorer.tape_at++].taken;
}

/* Turns the tape to the next execution; false after the last. */
static bool next_tape(void) {
    while (explorer.tape_length > 0) {
        choice *last = &explorer.tape[explorer.tape_length - 1];
        if (++last->taken < last->options) return true;
        explorer.tape_length--;
    }
    return false;
}

/* Called with its own stack; never returns, so that its first frame can be jumped to
 * whenever the thread begins anew. */
static void coroutine_main(void) {
    coroutine *me = &explorer.threads[explorer.running];
    (void)_setjmp(me->begin);
    for (;;) {
        /* Jumps leave locals behind; which thread runs is asked again. */
        explorer.program->bodies[explorer.running]();
        explore_step((step){STEP_DONE, 0});
    }
}

void explore_step(step next) {
    coroutine *me = &explorer.threads[explorer.running];
    me->next = next;
    if (!_setjmp(me->here)) _longjmp(explorer.scheduler, 1);
}

/* Runs a thread up to its next step. */
static void resume(unsigned thread) {
    explorer.running = thread;
    coroutine *to = &explorer.threads[thread];
    if (_setjmp(explorer.scheduler)) return;
    if (!to->was_made) {
        static ucontext_t context;
        to->was_made = true;
        to->begins = false;
        getcontext(&context);
        context.uc_stack.ss_sp = to->stack;
        context.uc_stack.ss_size = sizeof to->stack;
        makecontext(&context, coroutine_main, 0);
        setcontext(&context);
    }
    if (!to->begins) _longjmp(to->here, 1);
    to->begins = false;
    _longjmp(to->begin, 1);
}

_Noreturn void explore_fail(const char *problem) {
    explorer.problem = problem;
    _longjmp(explorer.failed, 1);
}

void model_require(bool holds, const char *otherwise) {
    if (!holds) explore_fail(otherwise);
}

/* Whether a thread that sleeps before `waiting` must be tried again once `taken` was. It
 * need not be when all that `taken` and then `waiting` lead to comes of `waiting` and
 * then `taken` as well, which was tried. That is so
 * - of steps on different objects;
 * - of a load or an exchange before a store: behind it, either may still read what was
 *   there before, and of two stores, either may come first in the modification order;
 * - of a load before an exchange.
 * It is not so the other way round: behind a write, a load or an exchange may read more. */
static bool wakes(step waiting, step taken) {
    if (waiting.object != taken.object) return false;
    switch (waiting.kind) {
    case STEP_WRITE: return false;
    case STEP_EXCHANGE:
    case STEP_READ: return taken.kind == STEP_WRITE || taken.kind == STEP_EXCHANGE;
    case STEP_SIGNAL: return taken.kind == STEP_WAIT;
    case STEP_WAIT: return taken.kind == STEP_WAIT || taken.kind == STEP_SIGNAL;
    case STEP_FENCE: return taken.kind == STEP_FENCE;
    case STEP_DONE: break;
    }
    return false;
}

static bool can_run(const coroutine *thread) {
    return thread->next.kind != STEP_DONE && (thread->next.kind != STEP_WAIT || memory_signalled(thread->next.object));
}

/* Runs the threads to their end; false when another execution stands for this one. */
static bool run_threads(void) {
    unsigned count = explorer.program->threads, sleeping = 0;
    for (;;) {
        unsigned candidates[THREADS_MAX], options = 0, running = 0, done = 0;
        /* In the order of their kinds: what comes first is tried first, and keeps more from being tried again. */
        for (step_kind kind = STEP_WRITE; kind <= STEP_DONE; kind++) {
            for (unsigned i = 0; i < count; i++) {
                if (explorer.threads[i].next.kind != kind) continue;
                done += kind == STEP_DONE;
                if (!can_run(&explorer.threads[i])) continue;
                running++;
                if (!(sleeping >> i & 1)) candidates[options++] = i;
            }
        }
        if (done == count) return true;
        if (running == 0) explore_fail("a thread sleeps for ever");
        if (options == 0) return false;
        unsigned chosen = explore_choose(options);
        step taken = explorer.threads[candidates[chosen]].next;
        for (unsigned i = 0; i < chosen; i++) sleeping |= 1u << candidates[i];
        for (unsigned i = 0; i < count; i++) {
            if (wakes(explorer.threads[i].next, taken)) sleeping &= ~(1u << i);
        }
        resume(candidates[chosen]);
    }
}

/* One execution; false when it was cut short. */
static bool run_once(void) {
    explorer.tape_at = 0;
    memory_reset();
    explorer.program->start();
    for (unsigned i = 0; i < explorer.program->threads; i++) {
        explorer.threads[i].begins = explorer.threads[i].was_made;
        resume(i);
    }
    bool is_complete = run_threads();
    if (is_complete && explorer.program->end) explorer.program->end();
    return is_complete;
}

static void begin(const model_program *program) {
    explorer.program = program;
    explorer.problem = NULL;
}

model_result model_explore(const model_program *program) {
    static model_result result;
    result = (model_result){0};
    begin(program);
    explorer.tape_length = 0;
    if (_setjmp(explorer.failed) == 0) {
        do result.executions += run_once();
        while (next_tape());
    }
    result.problem = explorer.problem;
    return result;
}

void model_tell(const model_program *program) {
    begin(program);
    explorer.prints = true;
    if (_setjmp(explorer.failed) == 0) run_once();
    explorer.prints = false;
}

void explore_tell(const char *format, ...) {
    if (!explorer.prints) return;
    va_list arguments;
    va_start(arguments, format);
    fprintf(stderr, "%*sthread %u: ", (int)explorer.running * 4, "", explorer.running);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
}
