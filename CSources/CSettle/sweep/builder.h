/* The builder of one scene, played in virtual time. */
#ifndef SETTLE_BUILDER_H
#define SETTLE_BUILDER_H

#include "sweep_internal.h"

#if defined(__GNUC__)
#pragma GCC visibility push(hidden)
#endif

/* Half a second, in slots of 5 ms. */
enum { BUSY_SLOTS = 100 };

/* What is built, or will be. */
typedef struct settle_work {
    double width, height;
    uint32_t generation; /* of its rebuild or preview; 0: there is no such work */
    uint32_t is_preparation;
} settle_work;

typedef struct settle_builder {
    uint64_t ends_ns; /* of the work that runs, SETTLE_NEVER for none */
    uint64_t begun_ns, cost_ns;
    settle_work runs;
    settle_work waits;     /* a rebuild's, which is next */
    settle_work announced; /* a preview's, which is begun when nothing else is left */
    /* Done for a preview, and not shown. */
    settle_work kept;
    uint64_t kept_cost_ns;
    double shown_width, shown_height; /* what was built last, 0 for nothing */
    /* Wrong time is counted until then, from this change on. */
    uint64_t counted_ns, until_ns, end_ns;
    const settle_event *events;
    const uint32_t *change, *changes_end; /* indices of events that change the size */
    const uint32_t *ended, *ended_end;    /* and of those from which it should be right */
    const uint32_t *upcoming;             /* the first change that is not played yet */
    uint64_t late_ns;                     /* so long it was wrong since the event *ended */
    uint64_t builds, given_up, work_ns, wrong_ns;
    /* The slots of the half second that ends with `slot`, their sum, and the largest so far. */
    uint64_t slot;
    uint32_t half_ns, busiest_ns;
    uint32_t busy_ns[BUSY_SLOTS];
    uint32_t place; /* the caller's: in its heap of ends */
    settle_sweep_counts *counts;
} settle_builder;

/* A builder without a build, for a connection of a log, which adds what it counts to `counts`. */
void settle_builder_start(settle_builder *builder, const settle_sweep_log *log, uint32_t number,
                          settle_sweep_counts *counts);
/* A size is to be shown from now on. `is_prepared`: the work for it is done, under way, or announced. */
void settle_builder_rebuild(settle_builder *builder, const settle_build_cost *cost, uint64_t now_ns, double width,
                            double height, uint32_t generation, bool is_prepared);
/* Work for a size can begin. */
void settle_builder_preview(settle_builder *builder, const settle_build_cost *cost, uint64_t now_ns, double width,
                            double height, uint32_t generation);
/* Whether there is work for a preview that a change of size ends. */
static inline bool settle_builder_prepares(const settle_builder *builder) {
    return builder->announced.generation > 0 || builder->runs.is_preparation;
}
/* Gives it up; returns the preview's generation, and what the work has cost. */
uint32_t settle_builder_give_up(settle_builder *builder, uint64_t now_ns, uint64_t *cost_ns);
/* The work that runs ends at ends_ns; what waits begins. */
void settle_builder_ended(settle_builder *builder, const settle_build_cost *cost);
/* Counts until the connection's end. */
void settle_builder_finish(settle_builder *builder);

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#endif
