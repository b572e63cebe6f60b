/* Questions about a core, its scenes and events. Nothing here changes a core. */
#include "core_internal.h"

uint64_t settle_core_now_ns(const settle_core *core) { return core->now_ns; }

bool settle_core_connected(const settle_core *core, settle_scene scene) {
    uint32_t slot;
    return find_scene(core, scene, &slot);
}

bool settle_core_pending(const settle_core *core, settle_scene scene) {
    uint32_t slot;
    if (!find_scene(core, scene, &slot)) return false;
    const scene_hot *hot = &core->hot[slot];
    return (has(hot, STATE_ARMED) && !has(hot, STATE_INTERACTING)) || live_armed(core, slot);
}

bool settle_core_interacting(const settle_core *core, settle_scene scene) {
    uint32_t slot;
    return find_scene(core, scene, &slot) && has(&core->hot[slot], STATE_INTERACTING);
}

bool settle_core_reports(const settle_core *core, settle_scene scene) {
    uint32_t slot;
    return find_scene(core, scene, &slot) && has(&core->hot[slot], STATE_REPORTS);
}

bool settle_core_known_size(const settle_core *core, settle_scene scene, double *width, double *height) {
    uint32_t slot;
    if (!find_scene(core, scene, &slot) || !is_known(core->hot[slot].size)) return false;
    lengths_of(core->hot[slot].size, width, height);
    return true;
}

uint32_t settle_core_buttons_held(const settle_core *core) { return core->buttons_held; }

bool settle_size_valid(double width, double height) {
    size_bits size = bits_of(width, height);
    return valid_length(size.width) && valid_length(size.height);
}

int settle_event_rejection(const settle_event *event) {
    if (!known_event(event)) return SETTLE_REJECTED_EVENT;
    return valid_size(event) ? SETTLE_NOT_REJECTED : SETTLE_REJECTED_SIZE;
}

bool settle_core_rejects(const settle_core *core, const settle_event *event) {
    uint32_t slot;
    if (settle_event_rejection(event) != SETTLE_NOT_REJECTED) return true;
    if (event->kind == SETTLE_POINTER) return settle_too_many_buttons(core, event);
    return !find_scene(core, event->scene, &slot);
}

settle_rejections settle_core_rejections(const settle_core *core) {
    return (settle_rejections){
        .size = core->stats.rejected_size,
        .scene = core->stats.rejected_scene,
        .event = core->stats.rejected_event,
    };
}
