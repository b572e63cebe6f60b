/* Single producer, single consumer: each side owns one index, and keeps a copy of the
 * other's so that it looks across only when the copy says full or empty.
 *
 * `Tests/Verification/RingModel` runs all of this through every execution of C11's weak memory. */
#include "settle_ring.h"

#include "faults.h"

#include <stdatomic.h>
#include <string.h>

/* Without the fences a wake-up can be lost. */
#define FULL_FENCE() (FAULT(FENCES_MISSING) ? (void)0 : atomic_thread_fence(memory_order_seq_cst))

/* Published with less, the consumer may read what is not written yet. */
#define PUBLISH (FAULT(PUBLISHED_RELAXED) ? memory_order_relaxed : memory_order_release)

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

/* Behind a full fence. */
static bool must_wake(settle_doorbell *bell) {
    if (atomic_load_explicit(&bell->sleeping, memory_order_relaxed) == 0) return false;
    return atomic_exchange_explicit(&bell->sleeping, 0, memory_order_relaxed) != 0;
}

bool settle_doorbell_ring(settle_doorbell *bell) {
    FULL_FENCE();
    return must_wake(bell);
}

/* Sources that have something, for a consumer with many of them: a stack that producers
 * push onto and the consumer takes whole, so no node can come back while one is pushed.
 *
 * A node's flag says that the node is on the list or with the consumer. Only its own
 * producer sets it, and the consumer when it changes its mind; only the consumer clears
 * it. Clearing is the sleep handshake once more: the consumer writes the flag and then
 * looks at the source, the producer writes to the source and then reads the flag, with a
 * full fence on both sides. So either the producer lists the node again or the consumer
 * sees what was published. A node that is listed anew is published before the producer
 * looks whether the consumer sleeps, behind a full fence as well.
 *
 * `next` is plain memory. The producer writes it between reading the cleared flag
 * (acquire, of the consumer's release: the consumer has read the older `next`) and
 * publishing the node (release, which the consumer acquires; pushes in between continue
 * the release sequence). */
struct settle_ready_node {
    _Alignas(64) uintptr_t next;
    void *owner;
    _Atomic uint32_t listed;
};

struct settle_ready_list {
    _Alignas(64) _Atomic uintptr_t first;
};

_Static_assert(sizeof(settle_ready_node) == SETTLE_READY_NODE_BYTES, "a node has a line of its own");
_Static_assert(sizeof(settle_ready_list) == SETTLE_READY_LIST_BYTES, "a list has a line of its own");

settle_ready_list *settle_ready_list_init(void *memory) {
    settle_ready_list *list = memory;
    atomic_init(&list->first, 0);
    return list;
}

settle_ready_node *settle_ready_node_init(void *memory, void *owner) {
    settle_ready_node *node = memory;
    node->next = 0;
    node->owner = owner;
    atomic_init(&node->listed, 0);
    return node;
}

static void push_node(settle_ready_list *list, settle_ready_node *node) {
    uintptr_t first = atomic_load_explicit(&list->first, memory_order_relaxed);
    do {
        memcpy(&node->next, &first, sizeof first);
    } while (!atomic_compare_exchange_strong_explicit(&list->first, &first, (uintptr_t)node, PUBLISH, memory_order_relaxed));
}

bool settle_ready_announce(settle_ready_list *list, settle_ready_node *node, settle_doorbell *bell) {
    FULL_FENCE();
    if (atomic_load_explicit(&node->listed, memory_order_relaxed) == 0 &&
        atomic_exchange_explicit(&node->listed, 1, memory_order_acquire) == 0) {
        if (!FAULT(READY_SOURCE_UNLISTED)) push_node(list, node);
        FULL_FENCE();
    }
    return must_wake(bell);
}

bool settle_ready_any(const settle_ready_list *list) {
    return atomic_load_explicit(&list->first, memory_order_relaxed) != 0;
}

settle_ready_node *settle_ready_take(settle_ready_list *list) {
    return (settle_ready_node *)atomic_exchange_explicit(&list->first, 0, memory_order_acquire);
}

settle_ready_node *settle_ready_next(const settle_ready_node *node) { return (settle_ready_node *)node->next; }

void *settle_ready_owner(const settle_ready_node *node) { return node->owner; }

void settle_ready_forget(settle_ready_node *node) {
    atomic_store_explicit(&node->listed, 0, memory_order_release);
    FULL_FENCE();
}

bool settle_ready_reclaim(settle_ready_node *node) {
    return atomic_exchange_explicit(&node->listed, 1, memory_order_relaxed) == 0;
}

/* A token that lies on the table or is in somebody's hands. Whoever takes it has what it
 * stands for: release when it is laid down, acquire when it is taken. Taking releases
 * too: a producer that finds its token taken may reuse what the consumer had before. */
struct settle_token {
    _Alignas(64) _Atomic uint32_t offered;
};

_Static_assert(sizeof(settle_token) == SETTLE_TOKEN_BYTES, "a token has a line of its own");

settle_token *settle_token_init(void *memory) {
    settle_token *token = memory;
    atomic_init(&token->offered, 0);
    return token;
}

void settle_token_offer(settle_token *token) { atomic_store_explicit(&token->offered, 1, memory_order_release); }

bool settle_token_offered(const settle_token *token) {
    return atomic_load_explicit(&token->offered, memory_order_relaxed) != 0;
}

bool settle_token_take(settle_token *token) {
    return atomic_exchange_explicit(&token->offered, 0, memory_order_acq_rel) != 0;
}
