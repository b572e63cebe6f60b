/* What the sources of the ring share. */
#ifndef SETTLE_RING_INTERNAL_H
#define SETTLE_RING_INTERNAL_H

#include "settle_ring.h"

#include <stdatomic.h>
#include <string.h>

/* A mutant for scripts/check-wakeup: without the fences a wake-up can be lost. */
#if defined(SETTLE_MUTANT_NO_FENCE)
#define FULL_FENCE() ((void)0)
#else
#define FULL_FENCE() atomic_thread_fence(memory_order_seq_cst)
#endif

/* A mutant for scripts/check-races: with a relaxed store the consumer may read what is not
 * written yet. */
#if defined(SETTLE_MUTANT_RELAXED)
#define PUBLISH memory_order_relaxed
#else
#define PUBLISH memory_order_release
#endif

struct settle_doorbell {
    _Alignas(64) _Atomic uint32_t sleeping;
};

/* Whether the caller must wake the sleeper. Call it after a full fence. */
static inline bool must_wake(settle_doorbell *bell) {
    if (atomic_load_explicit(&bell->sleeping, memory_order_relaxed) == 0) return false;
    return atomic_exchange_explicit(&bell->sleeping, 0, memory_order_relaxed) != 0;
}

#endif
