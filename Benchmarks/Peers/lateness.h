/* How late after its deadline a debounced event is handled, on the real clock.
 *
 * Whoever else measures this prints the same row and does the same: a second
 * thread stamps an event, makes the loop's thread take it (here through a pipe),
 * and the handler compares the clock with stamp + delay. */
#ifndef LATENESS_H
#define LATENESS_H

#include <stdint.h>

enum { LATENESS_DELAY_MS = 20, LATENESS_STREAMS = 16 };

typedef struct lateness_peer {
    const char *name;
    /* Reads stream numbers, one byte each, from the descriptor and debounces each
     * stream; returns when lateness_fired() says so. */
    void (*run)(int descriptor);
} lateness_peer;

extern const lateness_peer lateness_libuv, lateness_libev, lateness_libevent;

/* Called by the handler when a stream's deadline fires; true after the last. */
int lateness_fired(unsigned stream);

void lateness_measure(int deadlines);

#endif
