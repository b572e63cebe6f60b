/* Settle's core beside what people use today, on the same events in one process. */
#ifndef PEERS_H
#define PEERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "settle.h"

#define DELAY_MS 50
#define DELAY_NS ((uint64_t)DELAY_MS * 1000000)
/* What a source hands over at once. */
#define BATCH 256

/* One way to debounce many streams. Time is virtual: see peers_clock_set. */
typedef struct peer {
    const char *name;
    bool settles;                       /* false: only moves the events */
    int variant;                        /* for open: of the same library, another way */
    void *(*open)(uint32_t streams, int variant);
    void (*feed)(void *state, const settle_event *events, size_t count);
    void (*run_due)(void *state);       /* one turn of its loop */
    void (*close)(void *state);
} peer;

extern const peer peer_memcpy, peer_settle, peer_settle_exact;
extern const peer peer_lazy_libuv, peer_libuv, peer_libev, peer_libevent, peer_libevent_common;

/* Events carry the core's scene handles; the low bits number the stream. */
extern uint32_t peers_stream_mask;
static inline uint32_t peers_stream(const settle_event *event) { return event->scene & peers_stream_mask; }

/* What was settled: every peer's handler writes here. */
typedef struct settled_size {
    double width, height;
} settled_size;
extern settled_size *peers_settled;
extern uint64_t peers_fired;
static inline void peers_settle(uint32_t stream, double width, double height) {
    peers_settled[stream].width = width;
    peers_settled[stream].height = height;
    peers_fired++;
}

/* The clock that every loop library in this process reads: the events' own while
 * it is set, so that all peers postpone and fire the same deadlines however fast
 * they are; the real one after peers_clock_set(0). */
void peers_clock_set(uint64_t now_ns);
uint64_t peers_clock_ns(void);
uint64_t peers_real_ns(void);

/* Calls of an allocator by the objects of this program, the core among them. */
uint64_t peers_allocations(void);
/* Zeroed and aligned to cache lines; ends the program when there is no memory. */
void *peers_allocate(size_t count, size_t size);

/* The streams of one case. */
typedef struct peers_case {
    const char *name;
    uint32_t streams;
    bool shuffled;                      /* random order rather than round robin */
    uint64_t spacing_ns;                /* between two events, whatever their streams */
    size_t events;
} peers_case;

/* Event number i of all that a case ever had makes a size that no other has. */
void peers_fill(settle_event *events, size_t count, const peers_case *what, uint64_t first, uint64_t at_ns);
/* The same without time passing: each stream once, in order. */
void peers_fill_each(settle_event *events, uint32_t streams, uint64_t first, uint64_t at_ns);
uint64_t peers_hash(const settled_size *sizes, uint32_t streams);
/* Writes down what a stream's last event said: what every peer must settle on. */
void peers_expect(settled_size *expected, const settle_event *events, size_t count);

/* Prints rows in JSON Lines. */
void peers_measure(const peers_case *cases, size_t count, int runs);

#endif
