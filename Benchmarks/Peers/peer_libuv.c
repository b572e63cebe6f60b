/* The common way: uv_timer_again at every change. */
#include <stdlib.h>
#include <uv.h>

#include "peers.h"

typedef struct stream {
    double width, height;
    uv_timer_t timer;
} stream;

static uv_loop_t loop;
static stream *streams;
static uint32_t streams_count;

static void expired(uv_timer_t *timer) {
    stream *s = timer->data;
    uv_timer_stop(timer);
    peers_settle((uint32_t)(s - streams), s->width, s->height);
}

static void *open_streams(uint32_t count, int variant) {
    (void)variant;
    uv_loop_init(&loop);
    streams = peers_allocate(count, sizeof *streams);
    streams_count = count;
    for (uint32_t i = 0; i < count; i++) {
        uv_timer_t *timer = &streams[i].timer;
        uv_timer_init(&loop, timer);
        timer->data = &streams[i];
        /* uv_timer_again wants a timer that was started once and repeats. */
        uv_timer_start(timer, expired, DELAY_MS, DELAY_MS);
        uv_timer_stop(timer);
    }
    return streams;
}

static void feed(void *state, const settle_event *events, size_t count) {
    (void)state;
    uv_update_time(&loop);
    for (size_t i = 0; i < count; i++) {
        const settle_event *event = &events[i];
        stream *s = &streams[peers_stream(event)];
        if (event->width == s->width && event->height == s->height) continue;
        s->width = event->width;
        s->height = event->height;
        uv_timer_again(&s->timer);
    }
}

static void run_due(void *state) {
    (void)state;
    uv_run(&loop, UV_RUN_NOWAIT);
}

static void close_streams(void *state) {
    (void)state;
    for (uint32_t i = 0; i < streams_count; i++) uv_close((uv_handle_t *)&streams[i].timer, NULL);
    uv_run(&loop, UV_RUN_DEFAULT);
    uv_loop_close(&loop);
    free(streams);
}

const peer peer_libuv = {"libuv uv_timer_again", true, 0, open_streams, feed, run_due, close_streams};
