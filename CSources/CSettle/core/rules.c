/* The contract's rules for what is rare: transitions, deadlines, requests, buttons. Rule
 * numbers are those of docs/reference/contract.md. The rules for every event are in submit.c, rule 6 is
 * in rebuild_deadline.h. */
#include "rebuild_deadline.h"

static bool size_is_built(const scene_hot *hot) { return same_size(hot->size, hot->built); }

/* No rebuild is pending any more; the watchdog is disarmed as well. */
static void clear_pending(settle_core *core, uint32_t slot) {
    if (has(&core->hot[slot], STATE_CADENCED)) settle_quiet_keep(core, slot);
    clear(&core->hot[slot], STATE_PENDING_ALL);
}

static unsigned rebuild_reason(const scene_hot *hot) {
    if (has(hot, STATE_CAPPED)) return SETTLE_REBUILD_MAXIMUM_WAIT;
    if (has(hot, STATE_FIRST)) return SETTLE_REBUILD_FIRST;
    switch (hot->state & STATE_AFTER) {
    case STATE_AFTER_TIMEOUT: return SETTLE_REBUILD_TIMEOUT;
    case 0: return has(hot, STATE_REPORTS) ? SETTLE_REBUILD_DISCRETE : SETTLE_REBUILD_QUIET;
    default: return SETTLE_REBUILD_INTERACTION_ENDED;
    }
}

/* Rules 7 and 17: a decision about the known size. */
static settle_decision *decide_size(settle_core *core, uint32_t slot, unsigned kind, unsigned reason) {
    const scene_hot *hot = &core->hot[slot];
    settle_decision *decision = settle_decision_append(core, slot, kind, reason);
    lengths_of(hot->size, &decision->width, &decision->height);
    lengths_of(hot->built, &decision->previous_width, &decision->previous_height);
    return decision;
}

/* Rule 7. */
static void rebuild(settle_core *core, uint32_t slot, unsigned reason) {
    scene_hot *hot = &core->hot[slot];
    scene_cold *cold = &core->cold[slot];
    settle_decision *decision = decide_size(core, slot, SETTLE_REBUILD, reason);
    decision->generation = ++cold->rebuilds;
    decision->coalesced = hot->coalesced;
    if (has(hot, STATE_AFTER)) {
        decision->follows_interaction = 1;
        decision->interaction_ns = cold->interaction_ns;
    }
    hot->built = hot->size;
    hot->coalesced = 0;
    clear_pending(core, slot);
    clear(hot, STATE_EXTRA_ARMED);
    if (core->lives) settle_live_rebuilt(core, slot);
}

/* Rule 18. Within an interaction the watchdog stays armed. */
static void rebuild_live(settle_core *core, uint32_t slot) {
    scene_hot *hot = &core->hot[slot];
    const unsigned watchdog = has(hot, STATE_INTERACTING) ? hot->state & STATE_ARMED : 0;
    rebuild(core, slot, SETTLE_REBUILD_LIVE);
    set(hot, watchdog);
}

/* Rule 17. */
static void preview(settle_core *core, uint32_t slot) {
    scene_hot *hot = &core->hot[slot];
    decide_size(core, slot, SETTLE_PREVIEW, SETTLE_REASON_NONE);
    core->previews[slot].previewed = hot->size;
    settle_deadlines_disarm_preview(core, slot);
}

/* Rule 17. */
static void pause(settle_core *core, uint32_t slot) {
    scene_hot *hot = &core->hot[slot];
    scene_preview *scene = &core->previews[slot];
    if (size_is_built(hot) || same_size(hot->size, scene->previewed)) {
        settle_deadlines_disarm_preview(core, slot);
        return;
    }
    settle_deadlines_arm_extra(core, slot);
    uint64_t deadline_ns = after(core->now_ns, row_of(core, hot)->pause_delay_ns), before_ns = scene->deadline_ns;
    scene->deadline_ns = deadline_ns;
    scene->order = ++core->order;
    bool link_is_early_enough = before_ns != SETTLE_NEVER && deadline_ns >= before_ns;
    if (!link_is_early_enough) settle_deadlines_link(core, slot);
}

void settle_apply_extras(settle_core *core, uint32_t slot) {
    const scene_hot *hot = &core->hot[slot];
    if (has(hot, STATE_INTERACTING) && (row_of(core, hot)->extras & EXTRA_PREVIEW)) pause(core, slot);
    settle_live_consider(core, slot);
}

/* Rules 4 and 5. A pending rebuild is disarmed, and maximumWait starts again. */
static void begin_interaction(settle_core *core, uint32_t slot) {
    scene_hot *hot = &core->hot[slot];
    settle_decision_append(core, slot, SETTLE_INTERACTION_BEGAN, SETTLE_REASON_NONE);
    clear_pending(core, slot);
    set(hot, STATE_INTERACTING);
    core->cold[slot].interaction_ns = core->now_ns;
    if (core->previews) core->previews[slot].previewed = (size_bits){0, 0};
}

static void pointer_list_append(settle_core *core, uint32_t slot) {
    core->cold[slot].list.next = NO_SLOT;
    core->cold[slot].list.prev = core->pointer_last;
    if (core->pointer_last == NO_SLOT) core->pointer_first = slot;
    else core->cold[core->pointer_last].list.next = slot;
    core->pointer_last = slot;
}

/* A scene is in the list while it interacts and does not report. */
static void pointer_list_remove(settle_core *core, uint32_t slot) {
    uint32_t next = core->cold[slot].list.next, prev = core->cold[slot].list.prev;
    if (prev == NO_SLOT) core->pointer_first = next;
    else core->cold[prev].list.next = next;
    if (next == NO_SLOT) core->pointer_last = prev;
    else core->cold[next].list.prev = prev;
}

static unsigned state_after(unsigned reason) {
    switch (reason) {
    case SETTLE_ENDED_RELEASED: return STATE_AFTER_RELEASED;
    case SETTLE_ENDED_TIMEOUT: return STATE_AFTER_TIMEOUT;
    default: return STATE_AFTER_REPORTED;
    }
}

static void end_interaction(settle_core *core, uint32_t slot, unsigned reason) {
    scene_hot *hot = &core->hot[slot];
    scene_cold *cold = &core->cold[slot];
    if (!has(hot, STATE_REPORTS)) pointer_list_remove(core, slot);
    clear_pending(core, slot);
    clear(hot, STATE_INTERACTING);
    settle_deadlines_disarm_preview(core, slot);
    set(hot, state_after(reason));
    cold->interaction_ns = core->now_ns - cold->interaction_ns;
    settle_decision_append(core, slot, SETTLE_INTERACTION_ENDED, reason)->interaction_ns = cold->interaction_ns;
}

/* Rule 9. */
void settle_apply_lock(settle_core *core, uint32_t slot, bool locked) {
    scene_hot *hot = &core->hot[slot];
    if (has(hot, STATE_LOCK_RAW) == locked) return;
    hot->state ^= STATE_LOCK_RAW;
    if (has(hot, STATE_LOCK_DELIVERED) == locked) {
        clear(hot, STATE_LOCK_ARMED);
        return;
    }
    set(hot, STATE_LOCK_ARMED);
    core->cold[slot].lock_deadline_ns = after(core->now_ns, row_of(core, hot)->lock_delay_ns);
    core->cold[slot].lock_order = (uint32_t)++core->order;
    settle_deadlines_link(core, slot);
}

/* Rules 3 to 5: begins or ends the interaction, by an event's flag or by a change while a button
 * is held. */
void settle_apply_interaction(settle_core *core, uint32_t slot, unsigned flags, bool changed) {
    scene_hot *hot = &core->hot[slot];
    bool was_interacting = has(hot, STATE_INTERACTING), is_known_flag = (flags & SETTLE_RESIZING_KNOWN) != 0;
    if (is_known_flag && (flags & SETTLE_RESIZING)) {
        /* The flag takes precedence: the release of the button no longer ends an interaction
         * that the pointer began. */
        if (was_interacting && !has(hot, STATE_REPORTS)) pointer_list_remove(core, slot);
        set(hot, STATE_REPORTS);
        if (!was_interacting) begin_interaction(core, slot);
    } else if (has(hot, STATE_REPORTS)) {
        if (is_known_flag && was_interacting) end_interaction(core, slot, SETTLE_ENDED_REPORTED);
    } else if (changed && !was_interacting && core->buttons_held > 0 && is_known(hot->built)) {
        begin_interaction(core, slot);
        pointer_list_append(core, slot);
    }
}

/* Rule 10. */
void settle_apply_disconnect(settle_core *core, uint32_t slot) {
    scene_hot *hot = &core->hot[slot];
    if (has(hot, STATE_INTERACTING)) end_interaction(core, slot, SETTLE_ENDED_DISCONNECTED);
    settle_deadlines_remove(core, slot);
    hot->state = 0;
    core->stats.scenes--;
    settle_slot_free(core, slot);
}

/* Rule 12. */
void settle_apply_flush(settle_core *core, uint32_t slot) {
    const scene_hot *hot = &core->hot[slot];
    if (has(hot, STATE_INTERACTING | STATE_CANCELLED)) return;
    if (!is_known(hot->size) || size_is_built(hot)) return;
    rebuild(core, slot, SETTLE_REBUILD_FLUSH);
}

void settle_apply_cancel(settle_core *core, uint32_t slot) {
    scene_hot *hot = &core->hot[slot];
    if (!has(hot, STATE_INTERACTING)) clear_pending(core, slot);
    clear(hot, STATE_STEADY | STATE_EXTRA_ARMED);
    if (is_known(hot->size) && !size_is_built(hot)) set(hot, STATE_CANCELLED);
}

/* Rule 13. The next change chooses its delay anew. */
void settle_apply_really_built(settle_core *core, uint32_t slot, const settle_event *event) {
    size_bits built = bits_of(event->width, event->height);
    bool nothing = zero_length(built.width) || zero_length(built.height);
    if (has(&core->hot[slot], STATE_CADENCED)) settle_quiet_keep(core, slot);
    clear(&core->hot[slot], STATE_STEADY);
    core->hot[slot].built = nothing ? (size_bits){0, 0} : built;
    settle_live_returned(core, slot);
}

/* The index of a held button in core->buttons; buttons_held when it is not held. */
static uint32_t button_index(const settle_core *core, uint32_t button) {
    uint32_t i = 0;
    while (i < core->buttons_held && core->buttons[i] != button) i++;
    return i;
}

bool settle_too_many_buttons(const settle_core *core, const settle_event *event) {
    return (event->flags & SETTLE_PRESSED) && core->buttons_held == SETTLE_BUTTONS_MAX &&
           button_index(core, event->button) == core->buttons_held;
}

void settle_apply_pointer(settle_core *core, const settle_event *event) {
    uint32_t i = button_index(core, event->button);
    if (event->flags & SETTLE_PRESSED) {
        if (i == core->buttons_held) core->buttons[core->buttons_held++] = event->button;
    } else if (i < core->buttons_held) {
        core->buttons[i] = core->buttons[--core->buttons_held];
        core->releasing = core->buttons_held == 0;
        if (core->releasing) core->next_due_ns = 0;
    }
}

int settle_end_pointer_interactions(settle_core *core) {
    while (core->pointer_first != NO_SLOT) {
        if (decisions_full(core)) return SETTLE_FULL;
        uint32_t slot = core->pointer_first;
        end_interaction(core, slot, SETTLE_ENDED_RELEASED);
        schedule_rebuild(core, &core->hot[slot], slot, core->hot[slot].state, core->now_ns, 0);
    }
    core->releasing = false;
    settle_deadlines_update_bound(core);
    return SETTLE_OK;
}

void settle_apply_deadline(settle_core *core, uint32_t slot, deadline_key key) {
    scene_hot *hot = &core->hot[slot];
    core->now_ns = later(core->now_ns, key.deadline_ns);
    if (key.kind == DEADLINE_OF_LOCK) {
        clear(hot, STATE_LOCK_ARMED);
        hot->state ^= STATE_LOCK_DELIVERED;
        settle_decision_append(core, slot, SETTLE_LOCK_CHANGED, SETTLE_REASON_NONE)->locked =
            has(hot, STATE_LOCK_DELIVERED);
    } else if (key.kind == DEADLINE_OF_PREVIEW) {
        preview(core, slot);
    } else if (key.kind == DEADLINE_OF_LIVE) {
        rebuild_live(core, slot);
    } else if (has(hot, STATE_INTERACTING)) {
        end_interaction(core, slot, SETTLE_ENDED_TIMEOUT);
        schedule_rebuild(core, hot, slot, hot->state, core->now_ns, 0);
    } else if (size_is_built(hot)) {
        clear_pending(core, slot);
    } else {
        rebuild(core, slot, rebuild_reason(hot));
    }
}
