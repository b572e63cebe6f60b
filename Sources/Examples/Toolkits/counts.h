/* What the programs of this folder share: a line for each build and one at the end, which SIGTERM asks for. */
#ifndef COUNTS_H
#define COUNTS_H

#include "settle_x11.h"

#include <signal.h>
#include <stdio.h>

static uint64_t counts_start_ns;
static int counts_sizes, counts_builds;
static volatile sig_atomic_t counts_ended;

static void counts_end(int number) { counts_ended = number; }

/* For a toolkit that does nothing about SIGTERM itself: sets counts_ended. */
static inline void counts_catch_end(void) { signal(SIGTERM, counts_end); }

static inline void counts_begin(void) {
    setvbuf(stdout, NULL, _IOLBF, 0);
    counts_start_ns = settle_x11_now_ns();
}

static inline void counts_size(void) { counts_sizes++; }

static inline void counts_build(int width, int height) {
    counts_builds++;
    printf("build %dx%d at %.0f ms\n", width, height, (double)(settle_x11_now_ns() - counts_start_ns) / 1e6);
}

static inline int counts_print(void) { return printf("%d sizes, %d builds\n", counts_sizes, counts_builds) < 0; }

#endif
