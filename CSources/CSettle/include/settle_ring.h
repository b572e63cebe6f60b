/* Four parts for threads that exchange events, without locks, system calls or allocation. The
 * caller owns the memory and what it sleeps on.
 *   - the ring, a bounded queue of events from one producer thread to one consumer thread.
 *   - the doorbell, by which producers wake a consumer that sleeps.
 *   - the ready list, by which a consumer of many rings visits only those with events.
 *   - the token, by which a producer and the consumer pass a batch back and forth.
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

#if defined(__GNUC__)
#pragma GCC visibility push(default)
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

/* Bytes for a ring of `capacity` events: a power of two, 1 … SETTLE_RING_CAPACITY_MAX; 0 for
 * any other number. */
size_t settle_ring_size(uint32_t capacity);

/* Makes a ring in `memory`, which is aligned to 64 bytes and has settle_ring_size bytes.
 * SETTLE_INVALID: null, misaligned, or a capacity out of range. */
int settle_ring_init(void *memory, uint32_t capacity, settle_ring **out);

/* Producer: copies as many events as fit and publishes them at once; returns how many. */
size_t settle_ring_push(settle_ring *ring, const settle_event *events, size_t count);

/* Consumer: finds the published events that are contiguous, and returns how many; 0 when the
 * ring is empty. They stay in the ring until popped, and the consumer may change them. */
size_t settle_ring_peek(settle_ring *ring, const settle_event **events);
/* Consumer: removes the first `count` peeked events. */
void settle_ring_pop(settle_ring *ring, size_t count);

/* Consumer: how many published events are in the ring. Until the next call, or until a peek
 * returns 0, peek finds these events and no newer ones. */
size_t settle_ring_count(settle_ring *ring);

/* Events pushed (producer) and popped (consumer) since init. */
uint64_t settle_ring_pushed(const settle_ring *ring);
uint64_t settle_ring_popped(const settle_ring *ring);

/* Producer: how many pushed events are in the ring. */
size_t settle_ring_waiting(settle_ring *ring);

/* Makes a doorbell in SETTLE_DOORBELL_BYTES, aligned to 64 bytes. */
settle_doorbell *settle_doorbell_init(void *memory);
/* Sleeper: announces that it is about to sleep. It must look for work once more after this
 * and before it sleeps. */
void settle_doorbell_prepare(settle_doorbell *bell);
/* Sleeper: announces that it is awake, whatever woke it. */
void settle_doorbell_awake(settle_doorbell *bell);
/* Any thread, after it published work: true for exactly one caller per sleep, which must then
 * wake the sleeper. */
bool settle_doorbell_ring(settle_doorbell *bell);

/* Make an empty list in SETTLE_READY_LIST_BYTES, and a node for one source, which is not on
 * the list, in SETTLE_READY_NODE_BYTES; both aligned to 64 bytes. A node must exist for as
 * long as it is on the list or with the consumer. */
settle_ready_list *settle_ready_list_init(void *memory);
settle_ready_node *settle_ready_node_init(void *memory, void *owner);

/* The source's producer, after it published work: pushes the node, unless it is on the list or
 * with the consumer, and rings the bell. Returns what settle_doorbell_ring returns. */
bool settle_ready_announce(settle_ready_list *list, settle_ready_node *node, settle_doorbell *bell);

/* Consumer: whether a node is on the list. */
bool settle_ready_any(const settle_ready_list *list);
/* Consumer: pops all nodes, the latest first; null for none. They stay with the consumer, and
 * off the list, until it releases them. */
settle_ready_node *settle_ready_pop_all(settle_ready_list *list);
/* Consumer: the next popped node; call it before the node is released. */
settle_ready_node *settle_ready_next(const settle_ready_node *node);
void *settle_ready_owner(const settle_ready_node *node);
/* Consumer: releases a node whose source is empty. It must look at the source once more after
 * this, and reclaim the node if there is something. Reclaim returns true when the consumer has
 * the node again, false when the producer has pushed it. */
void settle_ready_release(settle_ready_node *node);
bool settle_ready_reclaim(settle_ready_node *node);

/* Makes a token that is not on offer in SETTLE_TOKEN_BYTES, aligned to 64 bytes. The producer
 * has it. */
settle_token *settle_token_init(void *memory);
/* The side that has the token: lets either side acquire it. */
void settle_token_offer(settle_token *token);
/* Either side: acquires the token if it is on offer. Never blocks. */
bool settle_token_acquire(settle_token *token);
bool settle_token_offered(const settle_token *token);

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#ifdef __cplusplus
}
#endif
#endif
