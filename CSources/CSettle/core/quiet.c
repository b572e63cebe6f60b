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

/* The cadence after a gap: the gap itself at first, then its moving average. */
static uint32_t next_cadence_us(uint32_t cadence_us, uint64_t gap_ns) {
    uint64_t gap_us = gap_ns / 1000;
    return (uint32_t)(cadence_us == CADENCE_NONE ? gap_us : (7 * (uint64_t)cadence_us + gap_us) / 8);
}

/* The time of the change consulted last. */
static uint64_t last_change_ns(const settle_core *core, uint32_t slot, unsigned state) {
    const scene_hot *hot = &core->hot[slot];
    if (!(state & STATE_CADENCED)) return core->cold[slot].quiet_ns;
    return hot->deadline_ns - row_of(core, hot)->quiet_delay_ns;
}

uint64_t settle_quiet_wait(settle_core *core, uint32_t slot, unsigned state, size_bits before) {
    scene_hot *hot = &core->hot[slot];
    const policy_row *row = row_of(core, hot);
    uint64_t gap_ns = core->now_ns - last_change_ns(core, slot, state);
    core->cold[slot].quiet_ns = core->now_ns;
    if (gap_ns < row->cadence_limit_ns) {
        hot->cadence_us = next_cadence_us(hot->cadence_us, gap_ns);
    } else if (row->jump_delay_ns != SETTLE_NEVER && is_jump(before, hot->size)) {
        return row->jump_delay_ns;
    }
    uint64_t wait_ns = hot->cadence_us == CADENCE_NONE ? 0 : (uint64_t)hot->cadence_us * 2000;
    if (wait_ns < row->quiet_delay_ns) return row->quiet_delay_ns;
    if (wait_ns > row->quiet_maximum_ns) return row->quiet_maximum_ns;
    return wait_ns;
}

void settle_quiet_keep(settle_core *core, uint32_t slot) {
    core->cold[slot].quiet_ns = last_change_ns(core, slot, STATE_CADENCED);
    clear(&core->hot[slot], STATE_CADENCED | STATE_STEADY);
}

void settle_quiet_forget(settle_core *core, uint32_t slot) {
    core->hot[slot].cadence_us = CADENCE_NONE;
    core->cold[slot].quiet_ns = NO_CHANGE_NS;
    clear(&core->hot[slot], STATE_CADENCED);
}
