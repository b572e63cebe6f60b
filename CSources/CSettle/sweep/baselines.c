/* What programs without an engine do, counted on the same events. */
#include "sweep_internal.h"

void settle_baselines_start(settle_baseline_scene *scenes, size_t names) {
    for (size_t name = 0; name < names; name++) {
        scenes[name] = (settle_baseline_scene){0, 0, SETTLE_NEVER, SETTLE_NEVER, SETTLE_NEVER};
    }
}

/* An earlier time than the last one's is far behind it, as differences wrap around. */
static inline bool wasted(uint64_t last_ns, uint64_t at_ns) {
    return (at_ns - last_ns <= SETTLE_WASTED_NS) & (last_ns != SETTLE_NEVER);
}

/* Whether an event says that a side has this length: it is finite and above zero. */
static inline bool is_stated(uint64_t length_bits) { return length_bits - 1 < INFINITE_LENGTH - 1; }

static inline unsigned step(settle_baseline_scene *scene, const settle_log_event *event, settle_baselines *counts) {
    unsigned result = 0;
    if (event->at_ns > INT64_MAX) return result;
    if (scene->fires_ns <= event->at_ns) {
        counts->debounce++;
        if (wasted(scene->fired_ns, scene->fires_ns)) counts->debounce_wasted++;
        scene->fired_ns = scene->fires_ns;
        scene->fires_ns = SETTLE_NEVER;
        result = SETTLE_BASELINE_FIRED;
    }
    if (event->kind != SETTLE_GEOMETRY) {
        if (event->kind == SETTLE_DISCONNECT) settle_baselines_start(scene, 1);
        return result;
    }
    size_bits size = bits_of(event->width, event->height);
    if (!is_stated(size.width) || !is_stated(size.height)) return result;
    /* Without a branch: a dragged edge often keeps one of the two lengths, which none predicts. */
    const bool changed = !same_size(size, bits_of(scene->width, scene->height));
    counts->every_change += changed;
    counts->every_change_wasted += changed & wasted(scene->changed_ns, event->at_ns);
    scene->changed_ns = changed ? event->at_ns : scene->changed_ns;
    scene->fires_ns = changed ? event->at_ns + SETTLE_DEBOUNCE_NS : scene->fires_ns;
    scene->width = event->width;
    scene->height = event->height;
    return changed ? result | SETTLE_BASELINE_CHANGED : result;
}

unsigned settle_baseline_step(settle_baseline_scene *scene, const settle_log_event *event) {
    settle_baselines counts = {0, 0, 0, 0};
    return step(scene, event, &counts);
}

void settle_baselines_add(settle_baseline_scene *scenes, const settle_log_event *events, size_t count,
                          settle_baselines *counts) {
    settle_baselines sums = *counts;
    const settle_log_event *event = events, *end = events + count;
    while (event < end) {
        if (event->kind == SETTLE_POINTER) {
            event++;
            continue;
        }
        /* Events come in runs of one scene, which is in registers meanwhile. */
        const uint32_t name = event->name;
        settle_baseline_scene scene = scenes[name];
        do step(&scene, event++, &sums);
        while (event < end && event->name == name && event->kind != SETTLE_POINTER);
        scenes[name] = scene;
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
