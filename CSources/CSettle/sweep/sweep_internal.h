/* What the sources of the sweep share. */
#ifndef SETTLE_SWEEP_INTERNAL_H
#define SETTLE_SWEEP_INTERNAL_H

#include "settle_sweep.h"
#include "../core/core_internal.h"

#include <string.h>

#if defined(__GNUC__)
#pragma GCC visibility push(hidden)
#endif

enum { SWEEP_LINE_BYTES = 64 };

/* Reserves the next part of a workspace, in whole cache lines; returns its offset. */
static inline size_t settle_sweep_reserve(size_t *used, size_t count, size_t size) {
    size_t offset = *used;
    *used += (count * size + SWEEP_LINE_BYTES - 1) / SWEEP_LINE_BYTES * SWEEP_LINE_BYTES;
    return offset;
}

/* A field's bit of settle_policy_changes. */
#define CHANGE(name) ((uint32_t)1 << (offsetof(settle_policy, name) / sizeof(uint64_t) - 1))

/* The most that a build costs: an hour. */
#define SETTLE_BUILD_COST_MAX_NS 3600000000000u

/* A core for a number of scenes, under any policy. */
settle_config settle_sweep_config(uint32_t scenes);

/* The handle that a new core gives to the scene that it connects as the `number`th. */
settle_scene settle_sweep_handle(uint32_t connections, uint32_t number);

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#endif
