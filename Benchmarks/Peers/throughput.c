/* Times the peers in turn, round after round, and checks what each settled. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "peers.h"

enum { RUNS_MAX = 64, NS_PER_MS = 1000000 };

/* The settle core comes first; the table's ratios refer to it. */
static const peer *const peers[] = {
    &peer_settle, &peer_settle_exact,
#ifdef HAVE_LIBUV
    &peer_lazy_libuv, &peer_libuv,
#endif
#ifdef HAVE_LIBEV
    &peer_libev,
#endif
#ifdef HAVE_LIBEVENT
    &peer_libevent, &peer_libevent_common,
#endif
    &peer_memcpy,
};
enum { PEERS = sizeof peers / sizeof *peers };

typedef struct result {
    double feed_ns[RUNS_MAX], expiry_ns[RUNS_MAX];
    uint64_t fired, hash, allocations;
    void *state;
} result;

/* The events of one round, and the sizes that they settle on. */
typedef struct round {
    settle_event *arming, *events;
    settled_size *expected;
    uint64_t hash, end_ns;
} round;

static void fail(const peer *who, const peers_case *what, const char *fault) {
    fprintf(stderr, "peers: %s, %s: %s\n", who->name, what->name, fault);
    exit(1);
}

static void feed_all(const peer *who, void *state, const settle_event *events, size_t count) {
    uint64_t ms = peers_clock_ns() / NS_PER_MS;
    for (size_t i = 0; i < count; i += BATCH) {
        size_t n = count - i < BATCH ? count - i : BATCH;
        uint64_t now_ns = events[i + n - 1].at_ns;
        peers_clock_set(now_ns);
        who->feed(state, &events[i], n);
        /* The loop turns once a millisecond, the resolution of libuv's timers. */
        if (now_ns / NS_PER_MS == ms) continue;
        ms = now_ns / NS_PER_MS;
        who->run_due(state);
    }
}

static void one_round(const peer *who, const peers_case *what, const round *round, result *result, int run) {
    void *state = result->state;
    memset(peers_settled, 0, what->streams * sizeof *peers_settled);
    peers_fired = 0;
    feed_all(who, state, round->arming, what->streams);
    if (peers_fired != 0) fail(who, what, "it settled before its time");

    uint64_t allocations = peers_allocations();
    uint64_t start_ns = peers_real_ns();
    feed_all(who, state, round->events, what->events);
    uint64_t fed_ns = peers_real_ns();
    if (who->settles && peers_fired != 0) fail(who, what, "it settled in the middle of the events");

    /* Far enough that every deadline has passed in whichever unit a peer counts. */
    peers_clock_set(round->end_ns);
    for (int turn = 0; turn < 8 && peers_fired < what->streams; turn++) who->run_due(state);
    uint64_t done_ns = peers_real_ns();
    result->allocations += peers_allocations() - allocations;

    result->fired = peers_fired;
    result->hash = peers_hash(peers_settled, what->streams);
    if (who->settles && (result->fired != what->streams || result->hash != round->hash)) {
        fail(who, what, "it settled on something else than the last sizes");
    }
    if (run < 0) return;
    result->feed_ns[run] = (double)(fed_ns - start_ns) / (double)what->events;
    result->expiry_ns[run] = (double)(done_ns - fed_ns) / (double)what->streams;
}

static int by_value(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void print_row(const char *kind, const peer *who, const peers_case *what, const double *ns,
                      int runs, const result *result) {
    double sorted[RUNS_MAX];
    memcpy(sorted, ns, (size_t)runs * sizeof *ns);
    qsort(sorted, (size_t)runs, sizeof *sorted, by_value);
    double median = (sorted[(runs - 1) / 2] + sorted[runs / 2]) / 2;
    printf("{\"kind\":\"%s\",\"language\":\"C\",\"case\":\"%s\",\"streams\":%" PRIu32
           ",\"peer\":\"%s\",\"events\":%zu,\"ns\":%.3f,\"runs\":[",
           kind, what->name, what->streams, who->name, what->events, median);
    for (int i = 0; i < runs; i++) printf("%s%.3f", i ? "," : "", ns[i]);
    printf("]");
    if (who->settles) printf(",\"fired\":%" PRIu64 ",\"hash\":\"%016" PRIx64 "\"", result->fired, result->hash);
    if (who == &peer_settle || who == &peer_settle_exact) printf(",\"allocations\":%" PRIu64, result->allocations);
    printf("}\n");
}

static void measure(const peers_case *what, int runs) {
    result *results = peers_allocate(PEERS, sizeof *results);
    round round = {
        .arming = peers_allocate(what->streams, sizeof *round.arming),
        .events = peers_allocate(what->events, sizeof *round.events),
        .expected = peers_allocate(what->streams, sizeof *round.expected),
    };
    peers_settled = peers_allocate(what->streams, sizeof *peers_settled);
    peers_stream_mask = 1;
    while (peers_stream_mask < what->streams - 1) peers_stream_mask = peers_stream_mask * 2 + 1;

    uint64_t now_ns = 1000u * 1000000000u, number = 0;
    peers_clock_set(now_ns);
    for (int i = 0; i < PEERS; i++) results[i].state = peers[i]->open(what->streams, peers[i]->variant);
    /* The first round only warms up. */
    for (int run = -1; run < runs; run++) {
        peers_fill_each(round.arming, what->streams, number, now_ns);
        peers_fill(round.events, what->events, what, number + what->streams, now_ns);
        peers_expect(round.expected, round.arming, what->streams);
        peers_expect(round.expected, round.events, what->events);
        round.hash = peers_hash(round.expected, what->streams);
        number += what->streams + what->events;
        round.end_ns = now_ns + what->events * what->spacing_ns + 4 * DELAY_NS;
        for (int i = 0; i < PEERS; i++) one_round(peers[i], what, &round, &results[i], run);
        now_ns = round.end_ns + DELAY_NS;
    }
    for (int i = 0; i < PEERS; i++) peers[i]->close(results[i].state);
    peers_clock_set(0);

    for (int i = 0; i < PEERS; i++) print_row("feed", peers[i], what, results[i].feed_ns, runs, &results[i]);
    for (int i = 0; i < PEERS && what->shuffled; i++) {
        if (peers[i]->settles) print_row("expiry", peers[i], what, results[i].expiry_ns, runs, &results[i]);
    }
    fflush(stdout);
    free(results), free(round.arming), free(round.events), free(round.expected), free(peers_settled);
}

void peers_measure(const peers_case *cases, size_t count, int runs) {
    if (runs > RUNS_MAX) runs = RUNS_MAX;
    for (size_t i = 0; i < count; i++) measure(&cases[i], runs);
}
