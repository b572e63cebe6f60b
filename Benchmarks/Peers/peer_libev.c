/* libev's recipe for activity timeouts: ev_timer_again at every change. */
#include <ev.h>
#include <stdlib.h>

#include "peers.h"

typedef struct stream {
    double width, height;
    ev_timer timer;
} stream;

static struct ev_loop *loop;
static stream *streams;

static void expired(struct ev_loop *in, ev_timer *timer, int events) {
    (void)events;
    stream *s = timer->data;
    ev_timer_stop(in, timer);
    peers_settle((uint32_t)(s - streams), s->width, s->height);
}

static void *open_streams(uint32_t count, int variant) {
    (void)variant;
    loop = ev_loop_new(EVFLAG_AUTO);
    streams = peers_allocate(count, sizeof *streams);
    for (uint32_t i = 0; i < count; i++) {
        ev_timer *timer = &streams[i].timer;
        ev_init(timer, expired);
        timer->repeat = DELAY_MS / 1e3;
        timer->data = &streams[i];
    }
    return streams;
}

static void feed(void *state, const settle_event *events, size_t count) {
    (void)state;
    ev_now_update(loop);
    for (size_t i = 0; i < count; i++) {
        const settle_event *event = &events[i];
        stream *s = &streams[peers_stream(event)];
        if (event->width == s->width && event->height == s->height) continue;
        s->width = event->width;
        s->height = event->height;
        ev_timer_again(loop, &s->timer);
    }
}

static void run_due(void *state) {
    (void)state;
    ev_run(loop, EVRUN_NOWAIT);
}

static void close_streams(void *state) {
    (void)state;
    ev_loop_destroy(loop);
    free(streams);
}

const peer peer_libev = {"libev ev_timer_again", true, 0, open_streams, feed, run_due, close_streams};
