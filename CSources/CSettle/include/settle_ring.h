/* A bounded ring of events from one producer thread to one consumer thread; the doorbell
 * by which a producer wakes a consumer that sleeps; the list by which a consumer of many
 * rings visits only those that have something; and a token by which a producer and the
 * consumer pass a batch back and forth. No locks, no system calls, no allocation: the
 * caller owns the memory and whatever it sleeps on.
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
typedef struct settle_ready_list settle_ready_list;
typedef struct settle_ready_node settle_ready_node;
typedef struct settle_token settle_token;

enum {
    SETTLE_RING_CAPACITY_MAX = 1 << 24,
    SETTLE_DOORBELL_BYTES = 64,
    SETTLE_READY_LIST_BYTES = 64,
    SETTLE_READY_NODE_BYTES = 64,
    SETTLE_TOKEN_BYTES = 64
};

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
 * the ring is empty. They stay valid until popped, and are the consumer's until then. */
size_t settle_ring_peek(settle_ring *ring, const settle_event **events);
/* Consumer: gives the room of the first `count` peeked events back. */
void settle_ring_pop(settle_ring *ring, size_t count);

/* Consumer: how many published events were not popped yet. Until it is called again, or
 * until peek finds nothing, peek gives these and no newer ones. */
size_t settle_ring_count(settle_ring *ring);

/* Events pushed (producer) and popped (consumer) since the ring was made. */
uint64_t settle_ring_pushed(const settle_ring *ring);
uint64_t settle_ring_popped(const settle_ring *ring);

/* Producer: how many of the events that it pushed were not popped yet. */
size_t settle_ring_waiting(settle_ring *ring);

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

/* Makes an empty list in SETTLE_READY_LIST_BYTES, and a node for one source that is not
 * on it in SETTLE_READY_NODE_BYTES; both aligned to 64 bytes. A node lives until the
 * consumer has it for the last time and never forgets it. */
settle_ready_list *settle_ready_list_init(void *memory);
settle_ready_node *settle_ready_node_init(void *memory, void *owner);

/* The source's producer, after it published work: puts the node on the list unless it is
 * there or with the consumer, and rings the bell. Returns what settle_doorbell_ring does. */
bool settle_ready_announce(settle_ready_list *list, settle_ready_node *node, settle_doorbell *bell);

/* Consumer: whether a node is on the list. */
bool settle_ready_any(const settle_ready_list *list);
/* Consumer: takes all nodes off the list, the last to come first; null for none. They
 * stay with the consumer, and off the list, until it forgets them. */
settle_ready_node *settle_ready_take(settle_ready_list *list);
/* Consumer: the node behind one that was just taken; to be asked before the node is
 * forgotten. */
settle_ready_node *settle_ready_next(const settle_ready_node *node);
void *settle_ready_owner(const settle_ready_node *node);
/* Consumer: lets a node go whose source has nothing. It must look at the source once
 * more after this, and if there is something, reclaim the node: true when the consumer
 * has it again, false when the producer has put it on the list. */
void settle_ready_forget(settle_ready_node *node);
bool settle_ready_reclaim(settle_ready_node *node);

/* Makes a token that is not offered in SETTLE_TOKEN_BYTES aligned to 64 bytes. */
settle_token *settle_token_init(void *memory);
/* Whoever has the token, on the producer's side: lets either side take it. */
void settle_token_offer(settle_token *token);
/* Either side: takes the token if it is offered. Never waits. */
bool settle_token_take(settle_token *token);
bool settle_token_offered(const settle_token *token);

#ifdef __cplusplus
}
#endif
#endif
