/* usage: window [SIZES]
 *
 * settle_window beside a timer check as a program writes it by hand: ns per size, of which each is followed
 * by a question whether to build. Both also with the clock that a program reads for each size. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "settle_window.h"

enum { RUNS = 7 };
static long sizes = 4000000;

typedef struct hand {
    double width, height, built_width, built_height;
    uint64_t deadline_ns;
} hand;

static uint64_t clock_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* Out of line, as a library's functions are. */
__attribute__((noinline)) static void hand_resize(hand *window, uint64_t now_ns, double width, double height) {
    if (width == window->width && height == window->height) return;
    window->width = width;
    window->height = height;
    window->deadline_ns = now_ns + 200000000;
}

__attribute__((noinline)) static int hand_poll(hand *window, uint64_t now_ns) {
    if (now_ns < window->deadline_ns) return 0;
    window->deadline_ns = UINT64_MAX;
    if (window->width == window->built_width && window->height == window->built_height) return 0;
    window->built_width = window->width;
    window->built_height = window->height;
    return 1;
}

/* ns per size, of a settle_window or else by hand. */
static double measured(int is_settle, int reads_clock, uint64_t *work) {
    settle_window window;
    settle_window_init(&window, NULL);
    settle_window_size size;
    hand own = {0, 0, 0, 0, UINT64_MAX};
    volatile uint64_t read;
    uint64_t now_ns = 0, builds = 0, start_ns = clock_ns();
    for (long i = 0; i < sizes; i++) {
        if (reads_clock) read = clock_ns();
        now_ns += 1000000;
        double width = 500 + (double)(i % 300);
        if (is_settle) {
            settle_window_resize(&window, now_ns, width, 300, SETTLE_DRAG_UNKNOWN);
            builds += settle_window_poll(&window, now_ns, &size) == SETTLE_WINDOW_REBUILD;
        } else {
            hand_resize(&own, now_ns, width, 300);
            builds += (uint64_t)hand_poll(&own, now_ns);
        }
        /* The hand rests. */
        if (i % 1000 != 999) continue;
        now_ns += 1000000000;
        if (is_settle) builds += settle_window_poll(&window, now_ns, &size) == SETTLE_WINDOW_REBUILD;
        else builds += (uint64_t)hand_poll(&own, now_ns);
    }
    (void)read;
    *work += builds;
    return (double)(clock_ns() - start_ns) / (double)sizes;
}

static double median(int is_settle, int reads_clock, uint64_t *work) {
    double runs[RUNS];
    for (int i = 0; i < RUNS; i++) {
        double now = measured(is_settle, reads_clock, work);
        int at = i;
        for (; at > 0 && runs[at - 1] > now; at--) runs[at] = runs[at - 1];
        runs[at] = now;
    }
    return runs[RUNS / 2];
}

int main(int count, char **arguments) {
    if (count > 1) sizes = strtol(arguments[1], NULL, 10);
    if (count > 2 || sizes < 1) {
        fputs("usage: window [SIZES]\n", stderr);
        return 2;
    }
    for (int reads_clock = 0; reads_clock <= 1; reads_clock++) {
        uint64_t builds = 0, builds_by_hand = 0;
        double settle = median(1, reads_clock, &builds), by_hand = median(0, reads_clock, &builds_by_hand);
        printf("%s: settle_window %.1f ns, by hand %.1f ns, %.2f times; %llu and %llu builds\n",
               reads_clock ? "with the clock" : "without the clock", settle, by_hand, settle / by_hand,
               (unsigned long long)builds, (unsigned long long)builds_by_hand);
    }
    return 0;
}
