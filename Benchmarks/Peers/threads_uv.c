/* The plain way across threads: a ring, uv_async_send after every batch, and on the
 * loop the least that a debounce can do per event. Prints a row like the others'. */
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <uv.h>

#include "settle_ring.h"

enum { BATCH_EVENTS = 256, RING_EVENTS = 1 << 12, RUNS_MAX = 16, DELAY_NS_PLAIN = 50000000 };

typedef struct stream {
    double width, height;
    uint64_t deadline_ns;
} stream;

static settle_ring *ring;
static uv_loop_t loop;
static uv_async_t async;
static stream *streams;
static uint64_t events_total, taken;

static void *produce(void *argument) {
    uint32_t count = *(const uint32_t *)argument;
    /* Ready events; only their time is written as they are sent. */
    uint32_t ready_count = 1u << 15;
    settle_event *ready = calloc(ready_count, sizeof *ready);
    if (!ready) exit(1);
    for (uint32_t i = 0; i < ready_count; i++) {
        settle_event event = {0, 400 + (double)(i / count % 97), 300, i % count, SETTLE_GEOMETRY, SETTLE_SIZE_KNOWN};
        ready[i] = event;
    }
    for (uint64_t sent = 0; sent < events_total; sent += BATCH_EVENTS) {
        settle_event *batch = ready + sent % ready_count;
        uint64_t now_ns = uv_hrtime();
        for (int i = 0; i < BATCH_EVENTS; i++) batch[i].at_ns = now_ns;
        for (size_t done = 0; done < BATCH_EVENTS;) {
            size_t pushed = settle_ring_push(ring, batch + done, BATCH_EVENTS - done);
            done += pushed;
            if (pushed > 0) uv_async_send(&async);
            else sched_yield();
        }
    }
    free(ready);
    return NULL;
}

static void wake(uv_async_t *handle) {
    const settle_event *events;
    size_t count;
    while ((count = settle_ring_peek(ring, &events)) > 0) {
        for (size_t i = 0; i < count; i++) {
            stream *s = &streams[events[i].scene];
            if (events[i].width == s->width && events[i].height == s->height) continue;
            s->width = events[i].width;
            s->height = events[i].height;
            s->deadline_ns = events[i].at_ns + DELAY_NS_PLAIN;
        }
        settle_ring_pop(ring, count);
        taken += count;
    }
    if (taken >= events_total) uv_close((uv_handle_t *)handle, NULL);
}

static double run(uint32_t count) {
    streams = calloc(count, sizeof *streams);
    void *memory = aligned_alloc(64, settle_ring_size(RING_EVENTS));
    if (!streams || settle_ring_init(memory, RING_EVENTS, &ring) != SETTLE_OK) exit(1);
    taken = 0;
    uv_loop_init(&loop);
    uv_async_init(&loop, &async, wake);
    pthread_t producer;
    uint64_t start = uv_hrtime();
    pthread_create(&producer, NULL, produce, &count);
    uv_run(&loop, UV_RUN_DEFAULT);
    double ns = (double)(uv_hrtime() - start) / (double)taken;
    pthread_join(producer, NULL);
    uv_loop_close(&loop);
    free(streams);
    free(memory);
    return ns;
}

static int by_value(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void measure(const char *name, uint32_t count, int runs) {
    double ns[RUNS_MAX];
    for (int i = 0; i < runs; i++) ns[i] = run(count);
    printf("{\"kind\":\"threads\",\"language\":\"C\",\"case\":\"%s\",\"streams\":%u,\"events\":%llu,"
           "\"peer\":\"SPSC ring + uv_async\",\"runs\":[", name, count, (unsigned long long)taken);
    for (int i = 0; i < runs; i++) printf("%s%.3f", i ? "," : "", ns[i]);
    qsort(ns, (size_t)runs, sizeof *ns, by_value);
    printf("],\"ns\":%.3f}\n", ns[runs / 2]);
}

int main(int argc, char **argv) {
    bool is_tiny = argc > 1 && strcmp(argv[1], "tiny") == 0;
    bool is_quick = argc > 1 && strcmp(argv[1], "quick") == 0;
    int runs = is_tiny ? 1 : is_quick ? 3 : 7;
    events_total = is_tiny ? 1u << 15 : is_quick ? 1u << 22 : 20u << 20;
    measure("hot", 1, runs);
    measure("many", 10000, runs);
    return 0;
}
