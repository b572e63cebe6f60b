/* What the sources of the ring share. */
#ifndef SETTLE_RING_INTERNAL_H
#define SETTLE_RING_INTERNAL_H

#include "settle_ring.h"

#include <stdatomic.h>
#include <string.h>

/* Without the fences a wake-up can be lost. */
#define FULL_FENCE() atomic_thread_fence(memory_order_seq_cst)

/* With a relaxed store the consumer may read what is not written yet. */
#define PUBLISH memory_order_release

struct settle_doorbell {
    _Alignas(64) _Atomic uint32_t sleeping;
};

/* Whether the caller must wake the sleeper. Call it after a full fence. */
static inline bool must_wake(settle_doorbell *bell) {
    if (atomic_load_explicit(&bell->sleeping, memory_order_relaxed) == 0) return false;
    return atomic_exchange_explicit(&bell->sleeping, 0, memory_order_relaxed) != 0;
}

#endif
