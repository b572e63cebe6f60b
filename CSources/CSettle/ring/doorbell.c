/* The doorbell: the sleep handshake. The sleeper writes `sleeping` and then reads the rings; a
 * producer writes its ring and then reads `sleeping`. A full fence between the write and the
 * read on each side guarantees that one of them sees the other. */
#include "ring_internal.h"

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

void settle_doorbell_awake(settle_doorbell *bell) { atomic_store_explicit(&bell->sleeping, 0, memory_order_relaxed); }

bool settle_doorbell_ring(settle_doorbell *bell) {
    FULL_FENCE();
    return must_wake(bell);
}
