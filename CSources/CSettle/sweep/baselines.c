/* What programs without an engine do, counted on the same events. */
#include "settle_sweep.h"

#include <float.h>

void settle_baselines_start(settle_baseline_scene *scenes, size_t names) {
    for (size_t name = 0; name < names; name++) {
        scenes[name] = (settle_baseline_scene){0, 0, SETTLE_NEVER, SETTLE_NEVER, SETTLE_NEVER};
    }
}

static uint64_t wasted(uint64_t last_ns, uint64_t at_ns) {
    return last_ns != SETTLE_NEVER && at_ns >= last_ns && at_ns - last_ns <= SETTLE_WASTED_NS;
}

/* As settle_size_valid, and larger than zero: the event says that the length is this one. */
static inline bool is_stated(double length) { return length > 0 && length <= DBL_MAX; }

static inline unsigned step(settle_baseline_scene *scene, const settle_log_event *event, settle_baselines *counts) {
    unsigned result = 0;
    if (scene->fires_ns <= event->at_ns) {
        counts->debounce++;
        counts->debounce_wasted += wasted(scene->fired_ns, scene->fires_ns);
        scene->fired_ns = scene->fires_ns;
        scene->fires_ns = SETTLE_NEVER;
        result = SETTLE_BASELINE_FIRED;
    }
    if (event->kind != SETTLE_GEOMETRY) {
        if (event->kind == SETTLE_DISCONNECT) settle_baselines_start(scene, 1);
        return result;
    }
    bool is_new = event->width != scene->width || event->height != scene->height;
    if (!is_new || !is_stated(event->width) || !is_stated(event->height)) return result;
    counts->every_change++;
    counts->every_change_wasted += wasted(scene->changed_ns, event->at_ns);
    scene->changed_ns = event->at_ns;
    scene->width = event->width;
    scene->height = event->height;
    scene->fires_ns = event->at_ns + SETTLE_DEBOUNCE_NS;
    return result | SETTLE_BASELINE_CHANGED;
}

unsigned settle_baseline_step(settle_baseline_scene *scene, const settle_log_event *event) {
    settle_baselines counts = {0, 0, 0, 0};
    return step(scene, event, &counts);
}

void settle_baselines_add(settle_baseline_scene *scenes, const settle_log_event *events, size_t count,
                          settle_baselines *counts) {
    settle_baselines sums = *counts; /* in registers */
    for (size_t i = 0; i < count; i++) {
        if (events[i].kind != SETTLE_POINTER) step(&scenes[events[i].name], &events[i], &sums);
    }
    *counts = sums;
}

void settle_baselines_finish(const settle_baseline_scene *scenes, size_t names, settle_baselines *counts) {
    for (size_t name = 0; name < names; name++) {
        if (scenes[name].fires_ns == SETTLE_NEVER) continue;
        counts->debounce++;
        counts->debounce_wasted += wasted(scenes[name].fired_ns, scenes[name].fires_ns);
    }
}
