#include <ev.h>
#include <unistd.h>

#include "lateness.h"

static ev_timer timers[LATENESS_STREAMS];

static void expired(struct ev_loop *loop, ev_timer *timer, int events) {
    (void)events;
    ev_timer_stop(loop, timer);
    if (lateness_fired((unsigned)(timer - timers))) ev_break(loop, EVBREAK_ALL);
}

static void readable(struct ev_loop *loop, ev_io *input, int events) {
    (void)events;
    unsigned char stream;
    if (read(input->fd, &stream, 1) == 1) ev_timer_again(loop, &timers[stream]);
}

static void run(int descriptor) {
    struct ev_loop *loop = ev_loop_new(EVFLAG_AUTO);
    for (int i = 0; i < LATENESS_STREAMS; i++) {
        ev_init(&timers[i], expired);
        timers[i].repeat = 1e-3 * (double)LATENESS_DELAY_MS;
    }
    ev_io input;
    ev_io_init(&input, readable, descriptor, EV_READ);
    ev_io_start(loop, &input);
    ev_run(loop, 0);
    ev_io_stop(loop, &input);
    ev_loop_destroy(loop);
}

const lateness_peer lateness_libev = {"libev ev_timer", run};
