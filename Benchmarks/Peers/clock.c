/* A virtual clock. libuv, libev and libevent call clock_gettime as a function of
 * another library, so this definition in the program comes first. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <time.h>

#include "peers.h"

static uint64_t virtual_ns;

/* The wall clock runs beside the virtual one, or libev would see it jump. */
enum { WALL_AHEAD_S = 1700000000 };

static int real_clock(clockid_t id, struct timespec *time) {
    static int (*real)(clockid_t, struct timespec *);
    if (!real) {
        /* ISO C has no cast between a data and a function pointer. */
        union { void *data; int (*function)(clockid_t, struct timespec *); } found;
        found.data = dlsym(RTLD_NEXT, "clock_gettime");
        real = found.function;
    }
    return real(id, time);
}

int clock_gettime(clockid_t id, struct timespec *time) {
    if (virtual_ns == 0) return real_clock(id, time);
    time->tv_sec = (time_t)(virtual_ns / 1000000000) + (id == CLOCK_REALTIME ? WALL_AHEAD_S : 0);
    time->tv_nsec = (long)(virtual_ns % 1000000000);
    return 0;
}

void peers_clock_set(uint64_t now_ns) { virtual_ns = now_ns; }
uint64_t peers_clock_ns(void) { return virtual_ns; }

uint64_t peers_real_ns(void) {
    struct timespec now;
    real_clock(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}
