/* The core on a C program's own epoll loop: no libuv, no thread. A timerfd plays the
 * mouse (ten sizes, one a millisecond, then the release), another wakes the loop for
 * the core's next deadline. */
#define _GNU_SOURCE
#include "settle.h"

#include <stdalign.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

static alignas(64) unsigned char workspace[1 << 20];

static uint64_t now_ns(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

/* A timer that the loop waits for; zero switches it off. */
static void set_timer(int timer, uint64_t at_ns) {
    struct itimerspec setting = {{0, 0}, {(time_t)(at_ns / 1000000000u), (long)(at_ns % 1000000000u)}};
    timerfd_settime(timer, TFD_TIMER_ABSTIME, &setting, NULL);
}

/* Handles what the core decided; true once the textures were rebuilt. */
static bool handle_decisions(settle_core *core) {
    bool rebuilt = false;
    settle_decision decision;
    while (settle_core_pop_decisions(core, &decision, 1)) {
        if (decision.kind != SETTLE_REBUILD) continue;
        printf("rebuild textures for %gx%g, after %u events%s\n", decision.width, decision.height, decision.coalesced,
               now_ns() < decision.at_ns ? ", too early" : "");
        rebuilt = true;
    }
    return rebuilt;
}

int main(void) {
    settle_config config = settle_config_default();
    settle_core *core;
    settle_scene window;
    if (settle_core_init(workspace, sizeof workspace, &config, &core) != SETTLE_OK) return 1;
    if (settle_core_connect(core, 0, &window) != SETTLE_OK) return 1;

    int loop = epoll_create1(EPOLL_CLOEXEC);
    int mouse = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK), deadline = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK);
    struct epoll_event on_mouse = {EPOLLIN, {.fd = mouse}}, on_deadline = {EPOLLIN, {.fd = deadline}};
    epoll_ctl(loop, EPOLL_CTL_ADD, mouse, &on_mouse);
    epoll_ctl(loop, EPOLL_CTL_ADD, deadline, &on_deadline);
    set_timer(mouse, now_ns());

    for (int step = 0;;) {
        struct epoll_event ready;
        if (epoll_wait(loop, &ready, 1, 5000) != 1) return 1;
        uint64_t count;
        if (read(ready.data.fd, &count, sizeof count) != sizeof count) continue;
        if (ready.data.fd == mouse && step <= 10) {
            unsigned flags = step < 10 ? SETTLE_RESIZING_KNOWN | SETTLE_RESIZING : SETTLE_NOT_RESIZING;
            settle_event event = settle_event_geometry(window, now_ns(), 800 + 10 * step, 600, flags);
            size_t accepted;
            if (settle_core_submit(core, &event, 1, &accepted) != SETTLE_OK) return 1;
            if (++step <= 10) set_timer(mouse, now_ns() + 1000000);
        } else if (settle_core_advance(core, now_ns()) != SETTLE_OK) {
            return 1;
        }
        if (handle_decisions(core)) return 0;
        uint64_t next_ns = settle_core_next_deadline_ns(core);
        if (next_ns != SETTLE_NEVER) set_timer(deadline, next_ns);
    }
}
