/* What a careful author writes by hand on libuv: an event stores the deadline, a
 * timer is armed only when none is, and its expiry looks at the deadline again. It
 * checks what the core checks, and keeps what events touch apart from the timers. */
#include <float.h>
#include <stdlib.h>
#include <uv.h>

#include "peers.h"

typedef struct stream {
    double width, height;
    double built_width, built_height;
    uint64_t deadline_ns;
    uv_timer_t *timer;
    bool resizing, owed, armed;
    char line_end[13];
} stream;
_Static_assert(sizeof(stream) == 64, "an event touches one cache line");

static uv_loop_t loop;
static stream *streams;
static uv_timer_t *timers;
static uint32_t streams_count;

static void *open_streams(uint32_t count, int variant) {
    (void)variant;
    uv_loop_init(&loop);
    streams = peers_allocate(count, sizeof *streams);
    timers = peers_allocate(count, sizeof *timers);
    streams_count = count;
    for (uint32_t i = 0; i < count; i++) {
        uv_timer_init(&loop, &timers[i]);
        timers[i].data = &streams[i];
        streams[i].timer = &timers[i];
    }
    return streams;
}

static uint64_t whole_ms(uint64_t ns) { return (ns + 999999) / 1000000; }

static void expired(uv_timer_t *timer) {
    stream *s = timer->data;
    uint64_t now_ns = uv_hrtime();
    s->armed = false;
    if (!s->owed || s->resizing) return;
    if (s->deadline_ns > now_ns) {
        s->armed = true;
        uv_timer_start(timer, expired, whole_ms(s->deadline_ns - now_ns), 0);
        return;
    }
    s->owed = false;
    if (s->width == s->built_width && s->height == s->built_height) return;
    s->built_width = s->width;
    s->built_height = s->height;
    peers_settle((uint32_t)(s - streams), s->width, s->height);
}

static bool valid_length(double length) { return length >= 0 && length <= DBL_MAX; }

static void apply(const settle_event *event) {
    if (event->kind != SETTLE_GEOMETRY || peers_stream(event) >= streams_count) return;
    if (!valid_length(event->width) || !valid_length(event->height)) return;
    stream *s = &streams[peers_stream(event)];

    bool changed = false;
    if (event->width != 0 && event->height != 0 &&
        (event->width != s->width || event->height != s->height)) {
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
    uv_timer_start(s->timer, expired, DELAY_MS, 0);
}

/* So many streams stay in the second-level cache, where asking ahead gains nothing and
 * costs a tenth with one stream; those of more are asked for some events ahead. */
enum { STREAMS_CACHED = 16384, PREFETCH_EVENTS = 24 };

static void prefetch(const settle_event *event) { __builtin_prefetch(&streams[peers_stream(event)], 1); }

static void feed_ahead(const settle_event *events, size_t count) {
    for (size_t i = 0; i < PREFETCH_EVENTS && i < count; i++) prefetch(&events[i]);
    for (size_t i = 0; i < count; i++) {
        if (i + PREFETCH_EVENTS < count) prefetch(&events[i + PREFETCH_EVENTS]);
        apply(&events[i]);
    }
}

static void feed(void *state, const settle_event *events, size_t count) {
    (void)state;
    uv_update_time(&loop);
    if (streams_count > STREAMS_CACHED) {
        feed_ahead(events, count);
        return;
    }
    for (size_t i = 0; i < count; i++) apply(&events[i]);
}

static void run_due(void *state) {
    (void)state;
    uv_run(&loop, UV_RUN_NOWAIT);
}

static void close_streams(void *state) {
    (void)state;
    for (uint32_t i = 0; i < streams_count; i++) uv_close((uv_handle_t *)&timers[i], NULL);
    uv_run(&loop, UV_RUN_DEFAULT);
    uv_loop_close(&loop);
    free(timers);
    free(streams);
}

const peer peer_lazy_libuv = {
    "hand-written lazy re-arm on libuv", true, 0, open_streams, feed, run_due, close_streams};
