/* A core's policies, and the policy of each scene. */
#include "core_internal.h"

bool settle_has_policy(const settle_core *core, uint32_t number) {
    return number < core->policies_count && core->policies[number].extras != 0;
}

int settle_core_add_policy(settle_core *core, const settle_policy *policy, uint32_t *number) {
    settle_policy read;
    if (!number || !settle_read_policy(policy, &read)) return SETTLE_INVALID;
    if (read.pause_delay_ns != SETTLE_NEVER && !core->previews) return SETTLE_INVALID;
    if (read.live_share_percent != SETTLE_NEVER && !core->lives) return SETTLE_INVALID;
    uint32_t free_row = 1;
    while (settle_has_policy(core, free_row)) free_row++;
    if (free_row == core->policies_max) return SETTLE_FULL;
    if (free_row == core->policies_count) core->policies_count++;
    core->policies[free_row] = settle_policy_row(&read);
    *number = free_row;
    return SETTLE_OK;
}

/* Searches all scenes, rather than counting users at each connect: policies are seldom removed. */
int settle_core_remove_policy(settle_core *core, uint32_t number) {
    if (number == 0 || !settle_has_policy(core, number)) return SETTLE_INVALID;
    for (uint32_t slot = 0; slot < core->slots_used; slot++) {
        if (slot_connected(core, slot) && core->hot[slot].policy == number) return SETTLE_BUSY;
    }
    core->policies[number].extras = 0;
    return SETTLE_OK;
}

int settle_core_set_policy(settle_core *core, settle_scene scene, uint32_t number) {
    uint32_t slot;
    if (!find_scene(core, scene, &slot)) return SETTLE_STALE;
    if (!settle_has_policy(core, number)) return SETTLE_INVALID;
    scene_hot *hot = &core->hot[slot];
    bool is_interacting = has(hot, STATE_INTERACTING);
    /* Without maximumWait the time of the first change is not kept: the wait begins now. */
    if (!is_interacting && row_of(core, hot)->maximum_wait_ns == SETTLE_NEVER) {
        core->cold[slot].pending_since_ns = core->now_ns;
    }
    settle_leave_steady(core, slot);
    if (!is_interacting) settle_quiet_forget(core, slot);
    settle_feedback_forget(hot);
    hot->policy = number;
    /* Rule 11: without interactionTimeout there is no watchdog. */
    if (is_interacting && row_of(core, hot)->interaction_timeout_ns == SETTLE_NEVER) clear(hot, STATE_ARMED);
    settle_preview_new_policy(core, slot);
    settle_live_new_policy(core, slot);
    return SETTLE_OK;
}
