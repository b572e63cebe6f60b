#define _GNU_SOURCE
#include "lateness.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "peers.h"

enum { DEADLINES_MAX = 1024 };

static const lateness_peer *const peers[] = {
#ifdef HAVE_LIBUV
    &lateness_libuv,
#endif
#ifdef HAVE_LIBEV
    &lateness_libev,
#endif
#ifdef HAVE_LIBEVENT
    &lateness_libevent,
#endif
    NULL,
};

static int deadlines, fired;
static double late_us[DEADLINES_MAX];
static _Atomic uint64_t stamped_ns[LATENESS_STREAMS];

static int by_value(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

int lateness_fired(unsigned stream) {
    uint64_t due_ns = stamped_ns[stream] + (uint64_t)LATENESS_DELAY_MS * 1000000;
    if (fired < deadlines) late_us[fired++] = ((double)peers_real_ns() - (double)due_ns) / 1e3;
    return fired == deadlines;
}

/* Irregular gaps of 2 to 10 ms: no deadline keeps step with a millisecond clock,
 * and a stream's turn comes after its deadline. */
static void *produce(void *argument) {
    int descriptor = *(const int *)argument;
    uint32_t random = 1;
    for (int i = 0; i < deadlines; i++) {
        random = random * 1664525 + 1013904223;
        struct timespec gap = {0, 2000000 + (long)(random >> 8) % 8000000};
        nanosleep(&gap, NULL);
        unsigned char stream = (unsigned char)(i % LATENESS_STREAMS);
        stamped_ns[stream] = peers_real_ns();
        if (write(descriptor, &stream, 1) != 1) exit(1);
    }
    return NULL;
}

static double percentile(int percent) { return late_us[(deadlines - 1) * percent / 100]; }

void lateness_measure(int count) {
    deadlines = count;
    for (int i = 0; peers[i]; i++) {
        int ends[2];
        pthread_t producer;
        fired = 0;
        if (pipe(ends) != 0 || pthread_create(&producer, NULL, produce, &ends[1]) != 0) exit(1);
        peers[i]->run(ends[0]);
        pthread_join(producer, NULL);
        close(ends[0]), close(ends[1]);

        qsort(late_us, (size_t)deadlines, sizeof *late_us, by_value);
        int early = 0;
        while (early < deadlines && late_us[early] < 0) early++;
        printf("{\"kind\":\"lateness\",\"peer\":\"%s\",\"deadlines\":%d,\"delay_ms\":%d,\"p50_us\":%.1f,"
               "\"p90_us\":%.1f,\"p99_us\":%.1f,\"max_us\":%.1f,\"early\":%d,\"earliest_us\":%.1f}\n",
               peers[i]->name, deadlines, LATENESS_DELAY_MS, percentile(50), percentile(90), percentile(99),
               late_us[deadlines - 1], early, early ? -late_us[0] : 0.0);
        fflush(stdout);
    }
}
