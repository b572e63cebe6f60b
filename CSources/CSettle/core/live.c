/* Rule 18: a size that is owed is built before its end or its quiet, as often as a share of the time pays
 * for. */
#include "rebuild_deadline.h"

/* A build that took longer counts as one of an hour. */
#define COST_MAX_NS 3600000000000u

void settle_live_connect(settle_core *core, uint32_t slot) {
    if (!core->lives) return;
    core->lives[slot] = (scene_live){.deadline_ns = SETTLE_NEVER, .paid_ns = SETTLE_NEVER};
}

void settle_live_consider(settle_core *core, uint32_t slot) {
    scene_hot *hot = &core->hot[slot];
    const policy_row *row = row_of(core, hot);
    if (!(row->extras & EXTRA_LIVE)) return;
    scene_live *live = &core->lives[slot];
    if (same_size(hot->size, hot->built)) {
        settle_deadlines_disarm_live(core, slot);
        return;
    }
    if (!is_known(hot->built) || has(hot, STATE_CANCELLED)) return;
    if (live_armed(core, slot) || live->in_flight || live->paid_ns == SETTLE_NEVER) return;
    uint64_t paid_ns = later(core->now_ns, live->paid_ns);
    settle_deadlines_arm_extra(core, slot);
    live->deadline_ns = later(paid_ns, after(live->rebuilt_ns, row->live_interval_ns));
    live->order = (uint32_t)++core->order;
    settle_deadlines_link(core, slot);
}

void settle_live_rebuilt(settle_core *core, uint32_t slot) {
    core->lives[slot].rebuilt_ns = core->now_ns;
    core->lives[slot].in_flight = 1;
}

void settle_live_returned(settle_core *core, uint32_t slot) {
    if (!core->lives) return;
    core->lives[slot].in_flight = 0;
    if (same_size(core->hot[slot].size, core->hot[slot].built)) settle_deadlines_disarm_live(core, slot);
}

void settle_live_new_policy(settle_core *core, uint32_t slot) {
    if (!core->lives) return;
    core->lives[slot].paid_ns = SETTLE_NEVER;
    if (!(row_of(core, &core->hot[slot])->extras & EXTRA_LIVE)) settle_deadlines_disarm_live(core, slot);
}

void settle_apply_finished(settle_core *core, uint32_t slot, const settle_event *event) {
    if (!core->lives) return;
    scene_live *live = &core->lives[slot];
    if (!live->in_flight || event->generation != core->cold[slot].rebuilds) return;
    live->in_flight = 0;
    const policy_row *row = row_of(core, &core->hot[slot]);
    if (!(row->extras & EXTRA_LIVE)) return;
    uint64_t cost_ns = earlier(event->cost_ns, COST_MAX_NS), percent = row->live_share_percent;
    uint64_t pause_ns = (cost_ns * (100 - percent) + percent - 1) / percent;
    live->paid_ns = cost_ns <= row->live_limit_ns ? after(core->now_ns, pause_ns) : SETTLE_NEVER;
    settle_live_consider(core, slot);
}
