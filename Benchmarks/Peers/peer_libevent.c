/* evtimer_add at every change, which moves an event that is already pending. With
 * a common timeout libevent keeps a queue instead of a heap. */
#include <event2/event.h>
#include <event2/event_struct.h>
#include <stdlib.h>

#include "peers.h"

enum { PLAIN, COMMON_TIMEOUT };

typedef struct stream {
    double width, height;
    struct event timer;
} stream;

typedef struct user {
    struct event_base *base;
    struct timeval delay;
    stream *streams;
    uint32_t count;
} user;

/* Of the user whose loop turns. */
static stream *turning;

static void expired(evutil_socket_t descriptor, short what, void *argument) {
    (void)descriptor, (void)what;
    stream *s = argument;
    peers_settle((uint32_t)(s - turning), s->width, s->height);
}

static void *open_streams(uint32_t count, int variant) {
    user *u = peers_allocate(1, sizeof *u);
    u->base = event_base_new();
    u->delay.tv_usec = DELAY_MS * 1000;
    if (variant == COMMON_TIMEOUT) u->delay = *event_base_init_common_timeout(u->base, &u->delay);
    u->streams = peers_allocate(count, sizeof *u->streams);
    u->count = count;
    for (uint32_t i = 0; i < count; i++) {
        evtimer_assign(&u->streams[i].timer, u->base, expired, &u->streams[i]);
    }
    return u;
}

static void feed(void *state, const settle_event *events, size_t count) {
    user *u = state;
    for (size_t i = 0; i < count; i++) {
        const settle_event *event = &events[i];
        stream *s = &u->streams[peers_stream(event)];
        if (event->width == s->width && event->height == s->height) continue;
        s->width = event->width;
        s->height = event->height;
        evtimer_add(&s->timer, &u->delay);
    }
}

static void run_due(void *state) {
    user *u = state;
    turning = u->streams;
    event_base_loop(u->base, EVLOOP_NONBLOCK);
}

static void close_streams(void *state) {
    user *u = state;
    for (uint32_t i = 0; i < u->count; i++) evtimer_del(&u->streams[i].timer);
    event_base_free(u->base);
    free(u->streams);
    free(u);
}

const peer peer_libevent = {"libevent evtimer_add", true, PLAIN, open_streams, feed, run_due, close_streams};
const peer peer_libevent_common = {
    "libevent evtimer_add, common timeout", true, COMMON_TIMEOUT, open_streams, feed, run_due, close_streams};
