/* Rule 17: a size that is owed and stands still is announced before its rebuild, so that work for it can begin, as
 * often as a share of the time pays for. */
#include "rebuild_deadline.h"

/* Whether the size that is known now may be announced. */
static bool is_announceable(const settle_core *core, uint32_t slot) {
    const scene_hot *hot = &core->hot[slot];
    if (!is_known(hot->built) || same_size(hot->size, hot->built) || has(hot, STATE_CANCELLED)) return false;
    return has(hot, STATE_INTERACTING | STATE_ARMED) && !same_size(hot->size, core->previews[slot].previewed);
}

static void arm_preview(settle_core *core, uint32_t slot, uint64_t deadline_ns, uint64_t order) {
    scene_preview *scene = &core->previews[slot];
    settle_deadlines_arm_extra(core, slot);
    uint64_t before_ns = scene->deadline_ns;
    scene->deadline_ns = deadline_ns;
    scene->order = order;
    bool link_is_early_enough = before_ns != SETTLE_NEVER && deadline_ns >= before_ns;
    if (!link_is_early_enough) settle_deadlines_link(core, slot);
}

void settle_preview_connect(settle_core *core, uint32_t slot) {
    if (core->previews) core->previews[slot] = (scene_preview){.deadline_ns = SETTLE_NEVER};
}

void settle_preview_changed(settle_core *core, uint32_t slot) {
    const policy_row *row = row_of(core, &core->hot[slot]);
    if (!(row->extras & EXTRA_PREVIEW)) return;
    scene_preview *scene = &core->previews[slot];
    scene->change_ns = core->now_ns;
    if (scene->in_flight || !is_announceable(core, slot)) {
        settle_deadlines_disarm_preview(core, slot);
        return;
    }
    arm_preview(core, slot, later(after(core->now_ns, row->pause_delay_ns), scene->paid_ns), ++core->order);
}

void settle_preview_decide(settle_core *core, uint32_t slot) {
    scene_preview *scene = &core->previews[slot];
    settle_decide_size(core, slot, SETTLE_PREVIEW, SETTLE_REASON_NONE)->generation = ++scene->previews;
    scene->previewed = core->hot[slot].size;
    scene->in_flight = row_of(core, &core->hot[slot])->pause_share_percent != SETTLE_NEVER;
    settle_deadlines_disarm_preview(core, slot);
}

void settle_preview_released(settle_core *core, uint32_t slot) {
    if (!core->previews) return;
    const policy_row *row = row_of(core, &core->hot[slot]);
    const scene_preview *scene = &core->previews[slot];
    if (!(row->extras & EXTRA_PREVIEW) || row->pause_share_percent == SETTLE_NEVER) return;
    if (scene->in_flight || !is_announceable(core, slot)) return;
    arm_preview(core, slot, later(core->now_ns, scene->paid_ns), ++core->release_order);
}

bool settle_preview_is_remembered(const settle_core *core, uint32_t slot) {
    const scene_hot *hot = &core->hot[slot];
    if (!core->previews || row_of(core, hot)->pause_share_percent == SETTLE_NEVER) return false;
    return is_known(hot->size) && same_size(hot->size, core->previews[slot].previewed);
}

void settle_preview_forget(settle_core *core, uint32_t slot) {
    if (core->previews) core->previews[slot].previewed = (size_bits){0, 0};
}

void settle_preview_rebuilt(settle_core *core, uint32_t slot) {
    if (!core->previews) return;
    core->previews[slot].in_flight = 0;
    settle_preview_forget(core, slot);
}

void settle_preview_new_policy(settle_core *core, uint32_t slot) {
    if (!core->previews) return;
    settle_preview_rebuilt(core, slot);
    core->previews[slot].paid_ns = 0;
    core->previews[slot].change_ns = core->now_ns;
    if (!(row_of(core, &core->hot[slot])->extras & EXTRA_PREVIEW)) settle_deadlines_disarm_preview(core, slot);
}

void settle_apply_previewed(settle_core *core, uint32_t slot, const settle_event *event) {
    if (!core->previews) return;
    scene_preview *scene = &core->previews[slot];
    if (!scene->in_flight || event->generation != scene->previews) return;
    const policy_row *row = row_of(core, &core->hot[slot]);
    scene->in_flight = 0;
    scene->paid_ns = after(core->now_ns, settle_pay_ns(event->cost_ns, 1, row->pause_share_percent));
    uint64_t deadline_ns = later(scene->paid_ns, after(scene->change_ns, row->pause_delay_ns));
    if (event->flags & SETTLE_GIVEN_UP) {
        settle_preview_forget(core, slot);
        deadline_ns = later(deadline_ns, after(core->now_ns, row->pause_delay_ns));
    }
    if (is_announceable(core, slot)) arm_preview(core, slot, deadline_ns, ++core->order);
}
