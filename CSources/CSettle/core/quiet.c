/* Rule 16: how long a scene without any end signal must be quiet. It depends on the scene's own
 * sizes and times alone. */
#include "core_internal.h"

/* Whether a change is a jump: an eighth of the size before, or more. Doubles, as the rule has it. */
static bool is_jump(size_bits before, size_bits after) {
    double width_before, height_before, width, height;
    lengths_of(before, &width_before, &height_before);
    lengths_of(after, &width, &height);
    double wider = width > width_before ? width - width_before : width_before - width;
    double higher = height > height_before ? height - height_before : height_before - height;
    return 8 * (wider + higher) >= width_before + height_before;
}

/* The change before a scene's deadline. */
static uint64_t steady_change_ns(const settle_core *core, const scene_hot *hot) {
    return hot->deadline_ns - delay_of(row_of(core, hot), hot->state);
}

uint64_t settle_quiet_wait(settle_core *core, uint32_t slot, unsigned state, size_bits before) {
    const scene_hot *hot = &core->hot[slot];
    const policy_row *row = row_of(core, hot);
    uint64_t *change_ns = &core->cold[slot].change_ns;
    uint64_t gap_ns = core->now_ns - (state & STATE_CONSULTED ? steady_change_ns(core, hot) : *change_ns);
    *change_ns = core->now_ns;
    return gap_ns >= row->calm_delay_ns && is_jump(before, hot->size) ? row->jump_delay_ns : row->quiet_delay_ns;
}

void settle_leave_steady(settle_core *core, uint32_t slot) {
    scene_hot *hot = &core->hot[slot];
    if (!has(hot, STATE_STEADY)) return;
    if (has(hot, STATE_CONSULTED | STATE_INTERACTING)) {
        core->cold[slot].change_ns = steady_change_ns(core, hot);
        if (core->lives) core->lives[slot].change_ns = core->cold[slot].change_ns;
    }
    clear(hot, STATE_STEADY | STATE_CONSULTED);
}

void settle_quiet_forget(settle_core *core, uint32_t slot) {
    core->cold[slot].change_ns = NO_CHANGE_NS;
    clear(&core->hot[slot], STATE_CONSULTED);
}
