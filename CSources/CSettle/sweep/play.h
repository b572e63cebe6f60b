/* settle_sweep_play, with its reports as they come: for the page, which shows the builds. */
#ifndef SETTLE_PLAY_H
#define SETTLE_PLAY_H

#include "settle_sweep.h"

#if defined(__GNUC__)
#pragma GCC visibility push(hidden)
#endif

typedef struct settle_play_watcher {
    /* Called at each build's end with its report, which comes before the `next`th of the log's events. */
    void (*ended)(void *context, size_t next, const settle_event *report);
    void *context;
} settle_play_watcher;

/* `watcher` may be null. The log's events with the reports in their places, and without the log's own, are decided
 * by a core as they were played. */
int settle_sweep_play_watched(void *workspace, size_t size, const settle_sweep_log *log, const settle_build_cost *cost,
                              const settle_policy *policies, size_t policies_count, settle_sweep_counts *counts,
                              const settle_play_watcher *watcher);

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#endif
