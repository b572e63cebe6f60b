/* The ring: one producer, one consumer. Each side owns one index and keeps a copy of the
 * other's, which it refreshes only when the copy says full or empty.
 *
 * Tests/Verification/RingModel checks every execution of this folder that C11's memory model allows. */
#include "ring_internal.h"

struct settle_ring {
    /* The producer's line. */
    _Alignas(64) _Atomic uint64_t tail; /* events published */
    uint64_t head_seen;
    /* The consumer's line. */
    _Alignas(64) _Atomic uint64_t head; /* events popped */
    uint64_t tail_seen;
    /* Constant. */
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
    uint64_t free = capacity - (tail - ring->head_seen);
    if (count > free) count = (size_t)free;
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

size_t settle_ring_count(settle_ring *ring) {
    ring->tail_seen = atomic_load_explicit(&ring->tail, memory_order_acquire);
    return (size_t)(ring->tail_seen - atomic_load_explicit(&ring->head, memory_order_relaxed));
}

uint64_t settle_ring_pushed(const settle_ring *ring) { return atomic_load_explicit(&ring->tail, memory_order_relaxed); }

uint64_t settle_ring_popped(const settle_ring *ring) { return atomic_load_explicit(&ring->head, memory_order_relaxed); }

size_t settle_ring_waiting(settle_ring *ring) {
    ring->head_seen = atomic_load_explicit(&ring->head, memory_order_acquire);
    return (size_t)(atomic_load_explicit(&ring->tail, memory_order_relaxed) - ring->head_seen);
}

void settle_ring_pop(settle_ring *ring, size_t count) {
    uint64_t head = atomic_load_explicit(&ring->head, memory_order_relaxed);
    atomic_store_explicit(&ring->head, head + count, memory_order_release);
}
