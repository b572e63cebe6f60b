/* A bounded ring of events from one producer thread to one consumer thread, and the
 * doorbell by which a producer wakes a consumer that sleeps. No locks, no system
 * calls, no allocation: the caller owns the memory and whatever it sleeps on.
 *
 *     producer                                consumer
 *     settle_ring_push(ring, events, n);      while (settle_ring_peek(...)) { ...; settle_ring_pop(...); }
 *     if (settle_doorbell_ring(bell))         settle_doorbell_prepare(bell);
 *         write(eventfd);                     if everything is still empty: sleep on the eventfd
 *                                             settle_doorbell_awake(bell);
 */
#ifndef SETTLE_RING_H
#define SETTLE_RING_H

#include "settle.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Opaque: Swift cannot import atomics. */
typedef struct settle_ring settle_ring;
typedef struct settle_doorbell settle_doorbell;

enum { SETTLE_RING_CAPACITY_MAX = 1 << 24, SETTLE_DOORBELL_BYTES = 64 };

/* Bytes for a ring of `capacity` events, a power of two up to
 * SETTLE_RING_CAPACITY_MAX; 0 when it is not. */
size_t settle_ring_size(uint32_t capacity);

/* Makes a ring in `memory`, aligned to 64 bytes and of settle_ring_size bytes.
 * SETTLE_INVALID: null, misaligned, or a capacity out of range. */
int settle_ring_init(void *memory, uint32_t capacity, settle_ring **ring);

/* Producer: copies as many events as there is room for and publishes them at once;
 * says how many. */
size_t settle_ring_push(settle_ring *ring, const settle_event *events, size_t count);

/* Consumer: the published events that lie in one piece, without taking them; 0 when
 * the ring is empty. They stay valid until popped. */
size_t settle_ring_peek(settle_ring *ring, const settle_event **events);
/* Consumer: gives the room of the first `count` peeked events back. */
void settle_ring_pop(settle_ring *ring, size_t count);

/* Makes a doorbell in SETTLE_DOORBELL_BYTES aligned to 64 bytes. */
settle_doorbell *settle_doorbell_init(void *memory);
/* Sleeper: says that it is about to sleep. It must look once more for work after
 * this and before it sleeps. */
void settle_doorbell_prepare(settle_doorbell *bell);
/* Sleeper: says that it is awake, whatever woke it. */
void settle_doorbell_awake(settle_doorbell *bell);
/* Any thread, after it published work: true for exactly one caller per sleep, who
 * must then wake the sleeper. */
bool settle_doorbell_ring(settle_doorbell *bell);

#ifdef __cplusplus
}
#endif
#endif
