/* Taking decisions and asking questions: nothing here changes a scene. */
#include "core_internal.h"

uint64_t settle_core_now_ns(const settle_core *core) { return core->now_ns; }

int settle_core_take_decisions(settle_core *core, settle_decision *decisions, size_t capacity, size_t *taken) {
    SETTLE_ASSERT(core && taken && (decisions || capacity == 0));
    size_t count = core->decisions_waiting < capacity ? core->decisions_waiting : capacity;
    for (size_t i = 0; i < count; i++) {
        decisions[i] = core->decisions[core->decisions_first];
        if (++core->decisions_first == core->decisions_max) core->decisions_first = 0;
    }
    if (!FAULT(DECISIONS_REPEATED)) core->decisions_waiting -= (uint32_t)count;
    *taken = count;
    return SETTLE_OK;
}

bool settle_core_pending(const settle_core *core, settle_scene scene) {
    uint32_t slot;
    if (!find_scene(core, scene, &slot)) return false;
    const scene_hot *hot = &core->hot[slot];
    return has(hot, STATE_ARMED) && !has(hot, STATE_INTERACTING);
}

bool settle_core_interacting(const settle_core *core, settle_scene scene) {
    uint32_t slot;
    return find_scene(core, scene, &slot) && has(&core->hot[slot], STATE_INTERACTING);
}

bool settle_core_known_size(const settle_core *core, settle_scene scene, double *width, double *height) {
    uint32_t slot;
    if (!find_scene(core, scene, &slot) || !is_known(core->hot[slot].size)) return false;
    lengths_of(core->hot[slot].size, width, height);
    return true;
}

bool settle_event_valid(const settle_event *event) { return known_event(event) && valid_size(event); }

settle_stats settle_core_stats(const settle_core *core) {
    settle_stats stats = core->stats;
    stats.decisions_waiting = core->decisions_waiting;
    return stats;
}
