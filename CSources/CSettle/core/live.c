/* Rule 18: a size that is owed is built before its end or its quiet, as often as a share of the time pays
 * for. */
#include "rebuild_deadline.h"

void settle_live_connect(settle_core *core, uint32_t slot) {
    if (!core->lives) return;
    core->lives[slot] = (scene_live){.deadline_ns = SETTLE_NEVER, .paid_ns = SETTLE_NEVER};
}

/* When the build reported last is paid for: as often as it counts, or once if the size stands still before. */
static uint64_t pay_day_ns(const policy_row *row, const scene_live *live) {
    if (row->live_pause_ns == SETTLE_NEVER) return live->paid_ns;
    return earlier(live->paid_ns, later(live->paid_once_ns, after(live->change_ns, row->live_pause_ns)));
}

void settle_live_consider(settle_core *core, uint32_t slot) {
    const scene_hot *hot = &core->hot[slot];
    const policy_row *row = row_of(core, hot);
    scene_live *live = &core->lives[slot];
    if (same_size(hot->size, hot->built) || !is_known(hot->built) || has(hot, STATE_CANCELLED)) {
        settle_deadlines_disarm_live(core, slot);
        return;
    }
    if (live->in_flight || live->paid_ns == SETTLE_NEVER) return;
    uint64_t paid_ns = later(core->now_ns, pay_day_ns(row, live));
    uint64_t deadline_ns = later(paid_ns, after(live->rebuilt_ns, row->live_interval_ns));
    settle_deadlines_arm_extra(core, slot);
    uint64_t before_ns = live->deadline_ns;
    if (deadline_ns == before_ns) return;
    live->deadline_ns = deadline_ns;
    live->order = (uint32_t)++core->order;
    bool link_is_early_enough = before_ns != SETTLE_NEVER && deadline_ns >= before_ns;
    if (!link_is_early_enough) settle_deadlines_link(core, slot);
}

void settle_live_changed(settle_core *core, uint32_t slot) {
    if (!(row_of(core, &core->hot[slot])->extras & EXTRA_LIVE)) return;
    core->lives[slot].change_ns = core->now_ns;
    settle_live_consider(core, slot);
}

bool settle_live_is_fixed(const settle_core *core, uint32_t slot) {
    const scene_live *live = &core->lives[slot];
    if (live->in_flight || live->paid_ns == SETTLE_NEVER) return true;
    bool is_moved =
        row_of(core, &core->hot[slot])->live_pause_ns != SETTLE_NEVER && live->paid_once_ns != live->paid_ns;
    return live_armed(core, slot) && !is_moved;
}

void settle_live_rebuilt(settle_core *core, uint32_t slot) {
    core->lives[slot].rebuilt_ns = core->now_ns;
    core->lives[slot].in_flight = 1;
}

void settle_live_returned(settle_core *core, uint32_t slot) {
    if (core->lives) core->lives[slot].in_flight = 0;
}

void settle_live_new_policy(settle_core *core, uint32_t slot) {
    if (!core->lives) return;
    core->lives[slot].paid_ns = SETTLE_NEVER;
    core->lives[slot].change_ns = core->now_ns;
    if (!(row_of(core, &core->hot[slot])->extras & EXTRA_LIVE)) settle_deadlines_disarm_live(core, slot);
}

uint64_t settle_pay_ns(uint64_t cost_ns, uint64_t times, uint64_t percent) {
    if (cost_ns > HOUR_NS) cost_ns = HOUR_NS;
    /* The product of more would not fit; they pay for more than an hour. */
    if (cost_ns > 0 && times > HOUR_NS / cost_ns + 1) return HOUR_NS;
    return earlier((times * cost_ns * 100 + percent - 1) / percent - cost_ns, HOUR_NS);
}

/* How often a build counts while the hand moves: once for each liveLimit begun. */
static uint64_t times_of(const policy_row *row, uint64_t cost_ns, uint32_t generation) {
    const uint64_t limit_ns = row->live_limit_ns;
    if (cost_ns <= limit_ns || generation == 1) return 1;
    if (cost_ns > HOUR_NS) cost_ns = HOUR_NS;
    /* Without a limit that a build could keep: an hour. */
    return limit_ns == 0 ? UINT64_MAX : (cost_ns - 1) / limit_ns + 1;
}

void settle_apply_finished(settle_core *core, uint32_t slot, const settle_event *event) {
    const uint32_t generation = core->cold[slot].rebuilds;
    if (event->generation == generation) settle_feedback_finished(core, slot, core->now_ns);
    if (!core->lives) return;
    scene_live *live = &core->lives[slot];
    if (!live->in_flight || event->generation != generation) return;
    live->in_flight = 0;
    const policy_row *row = row_of(core, &core->hot[slot]);
    if (!(row->extras & EXTRA_LIVE)) return;
    settle_leave_steady(core, slot);
    const uint64_t times = times_of(row, event->cost_ns, generation), percent = row->live_share_percent;
    live->paid_ns = after(core->now_ns, settle_pay_ns(event->cost_ns, times, percent));
    live->paid_once_ns = after(core->now_ns, settle_pay_ns(event->cost_ns, 1, percent));
    settle_live_consider(core, slot);
}
