/* Included before each source of the ring, which is compiled as it stands: its atomics, fences and copies
 * become the model's. */
#ifndef INTERPOSE_H
#define INTERPOSE_H

#include "model.h"

#include <string.h>

#undef atomic_init
#undef atomic_load_explicit
#undef atomic_store_explicit
#undef atomic_exchange_explicit
#undef atomic_compare_exchange_strong_explicit
#undef atomic_thread_fence
#define MODELLED(address) ((const volatile void *)(address))
#define atomic_init(at, value) model_init(MODELLED(at), value)
#define atomic_load_explicit(from, order) model_load(MODELLED(from), order, __func__)
#define atomic_store_explicit(to, value, order) model_store(MODELLED(to), value, order, __func__)
#define atomic_exchange_explicit(at, value, order) model_exchange(MODELLED(at), value, order, __func__)
#define atomic_compare_exchange_strong_explicit(at, expected, value, order, otherwise) \
    model_compare_exchange(MODELLED(at), expected, value, order, __func__)
#define atomic_thread_fence(order) model_fence(order, __func__)
#define memcpy(to, from, bytes) model_copy(to, from, bytes)

#endif
