/* The plain ways across threads: a ring and uv_async_send after every batch; on the
 * loop a debounce with libuv's timers, by uv_timer_again at every change or re-armed
 * lazily by hand. Prints rows like the others', with the hash of what was settled. */
#include <float.h>
#include <inttypes.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <uv.h>

#include "settle_ring.h"

enum { BATCH = 256, RING_EVENTS = 1 << 12, READY = 1 << 15, RUNS_MAX = 16, DELAY_MS = 50 };
#define DELAY_NS ((uint64_t)DELAY_MS * 1000000)

typedef struct stream {
    double width, height;
    double built_width, built_height;
    uint64_t deadline_ns;
    uv_timer_t *timer;
    bool resizing, owed, armed;
    char line_end[13];
} stream;
_Static_assert(sizeof(stream) == 64, "an event touches one cache line");

static settle_ring *ring;
static uv_loop_t loop;
static uv_async_t async;
static stream *streams;
static uv_timer_t *timers;
static uint32_t streams_count;
static uint64_t events_total, popped, end_ns, settled;
static bool is_lazy;

static void *produce(void *argument) {
    (void)argument;
    /* Ready events; only their time is written as they are sent. */
    settle_event *ready = calloc(READY, sizeof *ready);
    if (!ready) exit(1);
    for (uint32_t i = 0; i < READY; i++) {
        double width = 400 + (double)(i / streams_count % 97);
        ready[i] = settle_event_geometry(i % streams_count, 0, width, 300, SETTLE_NOT_RESIZING);
    }
    for (uint64_t sent = 0; sent < events_total; sent += BATCH) {
        settle_event *batch = ready + sent % READY;
        uint64_t now_ns = uv_hrtime();
        for (int i = 0; i < BATCH; i++) batch[i].at_ns = now_ns;
        for (size_t done = 0; done < BATCH;) {
            size_t pushed = settle_ring_push(ring, batch + done, BATCH - done);
            done += pushed;
            if (pushed == 0) {
                sched_yield();
                continue;
            }
            /* Without the fence a wake-up is lost now and then, for good after the last
             * batch: libuv 1.44.2 looks at its flag before the ring's store is seen. */
            atomic_thread_fence(memory_order_seq_cst);
            uv_async_send(&async);
        }
    }
    free(ready);
    return NULL;
}

static void settle(stream *s) {
    s->built_width = s->width;
    s->built_height = s->height;
    settled++;
}

static void expired_again(uv_timer_t *timer) {
    uv_timer_stop(timer);
    settle(timer->data);
}

static void expired_lazy(uv_timer_t *timer) {
    stream *s = timer->data;
    uint64_t now_ns = uv_hrtime();
    s->armed = false;
    if (!s->owed || s->resizing) return;
    if (s->deadline_ns > now_ns) {
        s->armed = true;
        uv_timer_start(timer, expired_lazy, (s->deadline_ns - now_ns + 999999) / 1000000, 0);
        return;
    }
    s->owed = false;
    if (s->width != s->built_width || s->height != s->built_height) settle(s);
}

static void apply_again(const settle_event *event) {
    stream *s = &streams[event->scene];
    if (event->width == s->width && event->height == s->height) return;
    s->width = event->width;
    s->height = event->height;
    uv_timer_again(s->timer);
}

static bool valid_length(double length) { return length >= 0 && length <= DBL_MAX; }

/* What the core checks. */
static void apply_lazy(const settle_event *event) {
    if (event->kind != SETTLE_GEOMETRY || event->scene >= streams_count) return;
    if (!valid_length(event->width) || !valid_length(event->height)) return;
    stream *s = &streams[event->scene];
    bool changed = false;
    if (event->width != 0 && event->height != 0 && (event->width != s->width || event->height != s->height)) {
        s->width = event->width;
        s->height = event->height;
        changed = true;
    }
    if (event->flags & SETTLE_RESIZING_KNOWN) {
        bool resizing = (event->flags & SETTLE_RESIZING) != 0;
        if (s->resizing && !resizing) changed = true;
        s->resizing = resizing;
    }
    if (!changed || s->resizing) return;
    if (s->width == s->built_width && s->height == s->built_height) {
        s->owed = false;
        return;
    }
    s->owed = true;
    s->deadline_ns = event->at_ns + DELAY_NS;
    if (s->armed) return;
    s->armed = true;
    uv_timer_start(s->timer, expired_lazy, DELAY_MS, 0);
}

static void wake(uv_async_t *handle) {
    const settle_event *events;
    size_t count;
    while ((count = settle_ring_peek(ring, &events)) > 0) {
        if (is_lazy) {
            for (size_t i = 0; i < count; i++) apply_lazy(&events[i]);
        } else {
            for (size_t i = 0; i < count; i++) apply_again(&events[i]);
        }
        settle_ring_pop(ring, count);
        popped += count;
    }
    if (popped < events_total) return;
    end_ns = uv_hrtime();
    /* The loop goes on until the last timer has fired. */
    uv_close((uv_handle_t *)handle, NULL);
}

static void start_timers(void) {
    for (uint32_t i = 0; i < streams_count; i++) {
        uv_timer_init(&loop, &timers[i]);
        timers[i].data = &streams[i];
        streams[i].timer = &timers[i];
        if (is_lazy) continue;
        /* uv_timer_again wants a timer that was started once and repeats. */
        uv_timer_start(&timers[i], expired_again, DELAY_MS, DELAY_MS);
        uv_timer_stop(&timers[i]);
    }
}

/* FNV-1a over (stream, width, height), a number at a time, as in LiveBench. */
static uint64_t settled_hash(void) {
    uint64_t hash = 0xCBF29CE484222325u;
    for (uint32_t i = 0; i < streams_count; i++) {
        hash = (hash ^ i) * 0x100000001B3u;
        hash = (hash ^ (uint64_t)streams[i].built_width) * 0x100000001B3u;
        hash = (hash ^ (uint64_t)streams[i].built_height) * 0x100000001B3u;
    }
    return hash;
}

static double run(uint64_t *hash) {
    streams = aligned_alloc(64, streams_count * sizeof *streams);
    timers = calloc(streams_count, sizeof *timers);
    void *memory = aligned_alloc(64, settle_ring_size(RING_EVENTS));
    if (!streams || !timers || settle_ring_init(memory, RING_EVENTS, &ring) != SETTLE_OK) exit(1);
    memset(streams, 0, streams_count * sizeof *streams);
    popped = settled = 0;
    uv_loop_init(&loop);
    uv_async_init(&loop, &async, wake);
    start_timers();
    pthread_t producer;
    uint64_t start_ns = uv_hrtime();
    pthread_create(&producer, NULL, produce, NULL);
    uv_run(&loop, UV_RUN_DEFAULT);
    pthread_join(producer, NULL);
    for (uint32_t i = 0; i < streams_count; i++) uv_close((uv_handle_t *)&timers[i], NULL);
    uv_run(&loop, UV_RUN_DEFAULT);
    uv_loop_close(&loop);
    *hash = settled_hash();
    free(streams);
    free(timers);
    free(memory);
    return (double)(end_ns - start_ns) / (double)popped;
}

static int by_value(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void measure(const char *name, uint32_t count, bool lazy, int runs) {
    double ns[RUNS_MAX];
    uint64_t hash = 0;
    streams_count = count;
    is_lazy = lazy;
    for (int i = 0; i < runs; i++) ns[i] = run(&hash);
    printf("{\"kind\":\"threads\",\"language\":\"C\",\"case\":\"%s\",\"streams\":%" PRIu32 ",\"events\":%" PRIu64
           ",\"hash\":\"%016" PRIx64 "\",\"peer\":\"SPSC ring + uv_async, %s\",\"runs\":[",
           name, count, popped, hash, lazy ? "hand-written lazy re-arm" : "uv_timer_again");
    for (int i = 0; i < runs; i++) printf("%s%.3f", i ? "," : "", ns[i]);
    qsort(ns, (size_t)runs, sizeof *ns, by_value);
    printf("],\"ns\":%.3f}\n", ns[runs / 2]);
}

int main(int argc, char **argv) {
    bool is_tiny = argc > 1 && strcmp(argv[1], "tiny") == 0;
    bool is_quick = argc > 1 && strcmp(argv[1], "quick") == 0;
    int runs = is_tiny ? 1 : is_quick ? 3 : 7;
    events_total = is_tiny ? 1u << 15 : is_quick ? 1u << 22 : 20u << 20;
    measure("hot", 1, false, runs);
    measure("hot", 1, true, runs);
    measure("many", 10000, false, runs);
    measure("many", 10000, true, runs);
    return 0;
}
