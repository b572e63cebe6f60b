/* Single producer, single consumer: each side owns one index, and keeps a copy of the
 * other's so that it looks across only when the copy says full or empty. */
#include "settle_ring.h"

#include <stdatomic.h>
#include <string.h>

/* Without the fences a wake-up can be lost; the tests build this mutant and see it
 * hang. */
#if defined(SETTLE_MUTANT_NO_FENCE)
#define FULL_FENCE() ((void)0)
#else
#define FULL_FENCE() atomic_thread_fence(memory_order_seq_cst)
#endif

/* Published with less, the consumer may read what was not written yet; another mutant
 * that the tests' race detector must see. */
#if defined(SETTLE_MUTANT_RELAXED)
#define PUBLISH memory_order_relaxed
#else
#define PUBLISH memory_order_release
#endif

struct settle_ring {
    /* The producer's line. */
    _Alignas(64) _Atomic uint64_t tail;     /* events published */
    uint64_t head_seen;
    /* The consumer's line. */
    _Alignas(64) _Atomic uint64_t head;     /* events given back */
    uint64_t tail_seen;
    /* Read by both, written by none. */
    _Alignas(64) uint64_t mask;
    settle_event *events;
};

size_t settle_ring_size(uint32_t capacity) {
    bool is_power = capacity > 0 && (capacity & (capacity - 1)) == 0;
    if (!is_power || capacity > SETTLE_RING_CAPACITY_MAX) return 0;
    return sizeof(settle_ring) + ((size_t)capacity * sizeof(settle_event) + 63) / 64 * 64;
}

int settle_ring_init(void *memory, uint32_t capacity, settle_ring **out) {
    if (!memory || !out || (uintptr_t)memory % 64 || settle_ring_size(capacity) == 0) return SETTLE_INVALID;
    settle_ring *ring = memory;
    atomic_init(&ring->tail, 0);
    atomic_init(&ring->head, 0);
    ring->head_seen = ring->tail_seen = 0;
    ring->mask = capacity - 1;
    ring->events = (settle_event *)(void *)((unsigned char *)memory + sizeof(settle_ring));
    *out = ring;
    return SETTLE_OK;
}

size_t settle_ring_push(settle_ring *ring, const settle_event *events, size_t count) {
    uint64_t tail = atomic_load_explicit(&ring->tail, memory_order_relaxed);
    uint64_t capacity = ring->mask + 1;
    if (capacity - (tail - ring->head_seen) < count) {
        ring->head_seen = atomic_load_explicit(&ring->head, memory_order_acquire);
    }
    uint64_t room = capacity - (tail - ring->head_seen);
    if (count > room) count = (size_t)room;
    if (count == 0) return 0;

    uint64_t at = tail & ring->mask;
    size_t first = count <= capacity - at ? count : (size_t)(capacity - at);
    memcpy(ring->events + at, events, first * sizeof *events);
    memcpy(ring->events, events + first, (count - first) * sizeof *events);
    atomic_store_explicit(&ring->tail, tail + count, PUBLISH);
    return count;
}

size_t settle_ring_peek(settle_ring *ring, const settle_event **events) {
    uint64_t head = atomic_load_explicit(&ring->head, memory_order_relaxed);
    if (ring->tail_seen == head) {
        ring->tail_seen = atomic_load_explicit(&ring->tail, memory_order_acquire);
        if (ring->tail_seen == head) return 0;
    }
    uint64_t at = head & ring->mask;
    uint64_t whole = ring->tail_seen - head, to_end = ring->mask + 1 - at;
    *events = ring->events + at;
    return (size_t)(whole < to_end ? whole : to_end);
}

void settle_ring_pop(settle_ring *ring, size_t count) {
    uint64_t head = atomic_load_explicit(&ring->head, memory_order_relaxed);
    atomic_store_explicit(&ring->head, head + count, memory_order_release);
}

/* The handshake: the sleeper writes `sleeping` and then reads the rings, a producer
 * writes its ring and then reads `sleeping`. Only a full fence between write and
 * read on both sides keeps both from missing each other. */
struct settle_doorbell {
    _Alignas(64) _Atomic uint32_t sleeping;
};

_Static_assert(sizeof(settle_doorbell) == SETTLE_DOORBELL_BYTES, "a doorbell has a line of its own");

settle_doorbell *settle_doorbell_init(void *memory) {
    settle_doorbell *bell = memory;
    atomic_init(&bell->sleeping, 0);
    return bell;
}

void settle_doorbell_prepare(settle_doorbell *bell) {
    atomic_store_explicit(&bell->sleeping, 1, memory_order_relaxed);
    FULL_FENCE();
}

void settle_doorbell_awake(settle_doorbell *bell) {
    atomic_store_explicit(&bell->sleeping, 0, memory_order_relaxed);
}

bool settle_doorbell_ring(settle_doorbell *bell) {
    FULL_FENCE();
    if (atomic_load_explicit(&bell->sleeping, memory_order_relaxed) == 0) return false;
    return atomic_exchange_explicit(&bell->sleeping, 0, memory_order_relaxed) != 0;
}
