/* The builder of one scene, played in virtual time. */
#ifndef SETTLE_BUILDER_H
#define SETTLE_BUILDER_H

#include "sweep_internal.h"

#if defined(__GNUC__)
#pragma GCC visibility push(hidden)
#endif

/* Half a second, in slots of 5 ms. */
enum { BUSY_SLOTS = 100 };

typedef struct settle_builder {
    uint64_t ends_ns; /* of the build that runs, SETTLE_NEVER for none */
    uint64_t cost_ns;
    double built_width, built_height; /* what it builds */
    uint32_t generation;
    uint32_t waiting; /* the generation of what is built next, 0 for nothing */
    double width, height;
    double shown_width, shown_height; /* what was built last, 0 for nothing */
    /* Wrong time is counted until then, from this change on. */
    uint64_t counted_ns, until_ns, end_ns;
    const settle_event *events;
    const uint32_t *change, *changes_end; /* indices of events that change the size */
    uint64_t builds, work_ns, wrong_ns;
    /* The slots of the half second that ends with `slot`, their sum, and the largest so far. */
    uint64_t slot;
    uint32_t half_ns, busiest_ns;
    uint32_t busy_ns[BUSY_SLOTS];
} settle_builder;

/* A builder without a build, for a connection of a log. */
void settle_builder_start(settle_builder *builder, const settle_sweep_log *log, uint32_t number);
/* A size is to be built from now on. */
void settle_builder_decided(settle_builder *builder, const settle_build_cost *cost, uint64_t now_ns, double width,
                            double height, uint32_t generation);
/* The build that runs ends at ends_ns; what waits begins. */
void settle_builder_ended(settle_builder *builder, const settle_build_cost *cost);
/* Counts wrong time until the connection's end, and adds what was counted. */
void settle_builder_finish(settle_builder *builder, settle_sweep_counts *counts);

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#endif
