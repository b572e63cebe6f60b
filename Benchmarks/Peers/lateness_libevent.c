#include <event2/event.h>
#include <unistd.h>

#include "lateness.h"

static struct event *timers[LATENESS_STREAMS];
static struct event_base *base;
static const struct timeval delay = {0, LATENESS_DELAY_MS * 1000};

static void expired(evutil_socket_t descriptor, short what, void *argument) {
    (void)descriptor, (void)what;
    if (lateness_fired((unsigned)((struct event **)argument - timers))) event_base_loopbreak(base);
}

static void readable(evutil_socket_t descriptor, short what, void *argument) {
    (void)what, (void)argument;
    unsigned char stream;
    if (read(descriptor, &stream, 1) == 1) evtimer_add(timers[stream], &delay);
}

static void run(int descriptor) {
    base = event_base_new();
    for (int i = 0; i < LATENESS_STREAMS; i++) timers[i] = evtimer_new(base, expired, &timers[i]);
    struct event *input = event_new(base, descriptor, EV_READ | EV_PERSIST, readable, NULL);
    event_add(input, NULL);
    event_base_dispatch(base);
    event_free(input);
    for (int i = 0; i < LATENESS_STREAMS; i++) event_free(timers[i]);
    event_base_free(base);
}

const lateness_peer lateness_libevent = {"libevent evtimer", run};
