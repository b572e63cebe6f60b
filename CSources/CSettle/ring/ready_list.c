/* The ready list: the sources that have something, for a consumer with many of them. Producers
 * push nodes onto a stack, and the consumer pops all nodes at once, so no node can return
 * while another is being pushed.
 *
 * A node's flag says that the node is on the list or with the consumer. Only its producer sets
 * it, and the consumer when it reclaims the node; only the consumer clears it. Clearing is the
 * sleep handshake again: the consumer writes the flag and then looks at the source, the
 * producer writes to the source and then reads the flag, with a full fence on each side. So
 * either the producer lists the node again, or the consumer sees what was published. A
 * producer publishes a listed node before it reads whether the consumer sleeps, with a full
 * fence in between.
 *
 * `next` is plain memory. The producer writes it after reading the cleared flag (acquire; the
 * consumer's release follows its last read of `next`) and before publishing the node (release;
 * the consumer acquires, and pushes in between continue the release sequence). */
#include "ring_internal.h"

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
    } while (
        !atomic_compare_exchange_strong_explicit(&list->first, &first, (uintptr_t)node, PUBLISH, memory_order_relaxed));
}

bool settle_ready_announce(settle_ready_list *list, settle_ready_node *node, settle_doorbell *bell) {
    FULL_FENCE();
    if (atomic_load_explicit(&node->listed, memory_order_relaxed) == 0 &&
        atomic_exchange_explicit(&node->listed, 1, memory_order_acquire) == 0) {
        push_node(list, node);
        FULL_FENCE();
    }
    return must_wake(bell);
}

bool settle_ready_any(const settle_ready_list *list) {
    return atomic_load_explicit(&list->first, memory_order_relaxed) != 0;
}

settle_ready_node *settle_ready_pop_all(settle_ready_list *list) {
    return (settle_ready_node *)atomic_exchange_explicit(&list->first, 0, memory_order_acquire);
}

settle_ready_node *settle_ready_next(const settle_ready_node *node) { return (settle_ready_node *)node->next; }

void *settle_ready_owner(const settle_ready_node *node) { return node->owner; }

void settle_ready_release(settle_ready_node *node) {
    atomic_store_explicit(&node->listed, 0, memory_order_release);
    FULL_FENCE();
}

bool settle_ready_reclaim(settle_ready_node *node) {
    return atomic_exchange_explicit(&node->listed, 1, memory_order_relaxed) == 0;
}
