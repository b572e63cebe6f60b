/* Settle's core as a loop drives it: submit a batch, pop the decisions, ask for
 * the next deadline. */
#include <stdio.h>
#include <stdlib.h>

#include "peers.h"

/* What is asked after every batch: the bound of a busy loop, or the exact deadline, as
 * a loop asks that goes to sleep. */
enum { ASK_BOUND, ASK_EXACT };

typedef struct driver {
    settle_core *core;
    void *workspace;
    uint64_t next_deadline_ns;
    int ask;
    settle_decision decisions[BATCH];
} driver;

static void check(bool fine, const char *what) {
    if (fine) return;
    fprintf(stderr, "peers: the core failed: %s\n", what);
    exit(1);
}

static void *open_core(uint32_t streams, int variant) {
    settle_config config = settle_config_default();
    config.scenes_max = streams;
    /* One delay everywhere, as the peers have it. */
    config.policy.first_delay_ns = DELAY_NS;
    config.policy.reported_end_delay_ns = DELAY_NS;
    config.policy.released_end_delay_ns = DELAY_NS;
    config.policy.discrete_delay_ns = DELAY_NS;
    config.policy.quiet_delay_ns = DELAY_NS;
    config.policy.jump_delay_ns = SETTLE_NEVER;
    config.policy.interaction_timeout_ns = SETTLE_NEVER;
    size_t size = settle_core_size(&config);
    driver *d = peers_allocate(1, sizeof *d);
    d->ask = variant;
    d->next_deadline_ns = SETTLE_NEVER;
    d->workspace = peers_allocate(1, size);
    check(settle_core_init(d->workspace, size, &config, &d->core) == SETTLE_OK, "init");
    for (uint32_t i = 0; i < streams; i++) {
        settle_scene scene = 0;
        check(settle_core_connect(d->core, 0, &scene) == SETTLE_OK, "connect");
        check(scene == ((peers_stream_mask + 1) | i), "its handles are numbered otherwise than the events");
    }
    return d;
}

static void pop_decisions(driver *d) {
    size_t popped;
    do {
        popped = settle_core_pop_decisions(d->core, d->decisions, BATCH);
        for (size_t i = 0; i < popped; i++) {
            const settle_decision *decision = &d->decisions[i];
            if (decision->kind != SETTLE_REBUILD) continue;
            peers_settle(decision->scene & peers_stream_mask, decision->width, decision->height);
        }
    } while (popped == BATCH);
}

static void ask(driver *d) {
    d->next_deadline_ns =
        d->ask == ASK_BOUND ? settle_core_next_wake_ns(d->core) : settle_core_next_deadline_ns(d->core);
}

static void feed(void *state, const settle_event *events, size_t count) {
    driver *d = state;
    int result;
    do {
        size_t accepted;
        result = settle_core_submit(d->core, events, count, &accepted);
        events += accepted;
        count -= accepted;
        pop_decisions(d);
    } while (count > 0 || result == SETTLE_FULL);
    ask(d);
}

static void run_due(void *state) {
    driver *d = state;
    if (d->next_deadline_ns > peers_clock_ns()) return;
    while (settle_core_advance(d->core, peers_clock_ns()) == SETTLE_FULL) pop_decisions(d);
    pop_decisions(d);
    ask(d);
}

static void close_core(void *state) {
    driver *d = state;
    free(d->workspace);
    free(d);
}

const peer peer_settle = {"settle core", true, ASK_BOUND, open_core, feed, run_due, close_core};
const peer peer_settle_exact = {
    "settle core, exact deadline every batch", true, ASK_EXACT, open_core, feed, run_due, close_core};
