/* What programs without an engine do, counted on the same events. */
#include "settle_sweep.h"
#include "../settle_faults.h"

void settle_baselines_start(settle_baseline_scene *scenes, size_t names) {
    for (size_t name = 0; name < names; name++) {
        scenes[name] = (settle_baseline_scene){0, 0, SETTLE_NEVER, SETTLE_NEVER, SETTLE_NEVER};
    }
}

static uint64_t wasted(uint64_t last_ns, uint64_t at_ns) {
    return last_ns != SETTLE_NEVER && at_ns >= last_ns && at_ns - last_ns <= SETTLE_WASTED_NS;
}

static inline unsigned step(settle_baseline_scene *scene, const settle_log_event *event, settle_baselines *counts) {
    unsigned result = 0;
    if (event->at_ns > INT64_MAX) return result;
    if (scene->fires_ns <= event->at_ns) {
        counts->debounce++;
        counts->debounce_wasted += wasted(scene->fired_ns, scene->fires_ns);
        scene->fired_ns = scene->fires_ns;
        scene->fires_ns = SETTLE_NEVER;
        result = SETTLE_BASELINE_FIRED;
    }
    if (event->kind == SETTLE_DISCONNECT) {
        if (!FAULT(DEBOUNCE_NOT_CANCELLED)) settle_baselines_start(scene, 1);
        return result;
    }
    bool is_new = event->width != scene->width || event->height != scene->height;
    if (event->kind != SETTLE_GEOMETRY || !is_new || !(event->width > 0) || !(event->height > 0) ||
        !settle_size_valid(event->width, event->height)) {
        return result;
    }
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
    for (size_t i = 0; i < count; i++) {
        if (events[i].kind != SETTLE_POINTER) step(&scenes[events[i].name], &events[i], counts);
    }
}

void settle_baselines_finish(const settle_baseline_scene *scenes, size_t names, settle_baselines *counts) {
    for (size_t name = 0; name < names; name++) {
        if (scenes[name].fires_ns == SETTLE_NEVER) continue;
        counts->debounce++;
        counts->debounce_wasted += wasted(scenes[name].fired_ns, scenes[name].fires_ns);
    }
}
