/* The contract's rules for what is rare: transitions, deadlines, requests, buttons. Rule
 * numbers are those of docs/reference/contract.md. The rules for every event are in submit.c, rule 6 is
 * in rebuild_deadline.h. */
#include "rebuild_deadline.h"

static bool size_is_built(const scene_hot *hot) { return same_size(hot->size, hot->built); }

/* No rebuild is pending any more; the watchdog is disarmed as well. */
static void clear_pending(settle_core *core, uint32_t slot) {
    if (has(&core->hot[slot], STATE_CONSULTED | STATE_INTERACTING)) settle_leave_steady(core, slot);
    clear(&core->hot[slot], STATE_PENDING_ALL);
}

static unsigned rebuild_reason(const scene_hot *hot) {
    if (has(hot, STATE_CAPPED)) return SETTLE_REBUILD_MAXIMUM_WAIT;
    if (has(hot, STATE_FIRST)) return SETTLE_REBUILD_FIRST;
    switch (hot->state & STATE_AFTER) {
    case STATE_AFTER_TIMEOUT: return SETTLE_REBUILD_TIMEOUT;
    case 0: return has(hot, STATE_DISCRETE) ? SETTLE_REBUILD_DISCRETE : SETTLE_REBUILD_QUIET;
    default: return SETTLE_REBUILD_INTERACTION_ENDED;
    }
}

/* Rule 7. */
static void rebuild(settle_core *core, uint32_t slot, unsigned reason) {
    scene_hot *hot = &core->hot[slot];
    scene_cold *cold = &core->cold[slot];
    settle_decision *decision = settle_decide_size(core, slot, SETTLE_REBUILD, reason);
    decision->generation = ++cold->rebuilds;
    if (core->previews) decision->prepared = settle_preview_is_remembered(core, slot);
    decision->coalesced = hot->coalesced;
    if (has(hot, STATE_AFTER)) {
        decision->follows_interaction = 1;
        decision->interaction_ns = cold->interaction_ns;
    }
    if (settle_feedback_rebuilt(core, slot, reason)) decision->feedback = 1;
    hot->built = hot->size;
    hot->coalesced = 0;
    clear_pending(core, slot);
    clear(hot, STATE_EXTRA_ARMED);
    if (core->previews) settle_preview_rebuilt(core, slot);
    if (core->lives) settle_live_rebuilt(core, slot);
}

/* Rule 18. Within an interaction the watchdog stays armed. */
static void rebuild_live(settle_core *core, uint32_t slot) {
    scene_hot *hot = &core->hot[slot];
    const unsigned watchdog = has(hot, STATE_INTERACTING) ? hot->state & STATE_ARMED : 0;
    rebuild(core, slot, SETTLE_REBUILD_LIVE);
    set(hot, watchdog);
}

void settle_apply_extras(settle_core *core, uint32_t slot) {
    settle_preview_changed(core, slot);
    settle_live_changed(core, slot);
    /* Further changes move nothing but the watchdog. */
    scene_hot *hot = &core->hot[slot];
    if (has(hot, STATE_INTERACTING) && has(hot, STATE_ARMED) && hot->deadline_ns < INT64_MAX &&
        (row_of(core, hot)->extras & EXTRA_AT_CHANGES) == EXTRA_LIVE && settle_live_is_fixed(core, slot)) {
        set(hot, STATE_STEADY);
    }
}

/* Rules 4 and 5. A pending rebuild is disarmed, and maximumWait starts again. */
static void begin_interaction(settle_core *core, uint32_t slot) {
    scene_hot *hot = &core->hot[slot];
    settle_decision_append(core, slot, SETTLE_INTERACTION_BEGAN, SETTLE_REASON_NONE);
    clear_pending(core, slot);
    clear(hot, STATE_STUCK);
    settle_feedback_forget(hot);
    set(hot, STATE_INTERACTING);
    core->cold[slot].interaction_ns = core->now_ns;
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

/* Rules 3 to 5, for an event that affects_interaction: begins or ends the interaction, by its flag or by a change while a
 * button is held. */
void settle_apply_interaction(settle_core *core, uint32_t slot, unsigned flags, bool changed) {
    scene_hot *hot = &core->hot[slot];
    const bool was_interacting = has(hot, STATE_INTERACTING);
    if ((flags & SETTLE_RESIZING_KNOWN) && (flags & SETTLE_RESIZING)) {
        /* The flag takes precedence: the release of the button no longer ends an interaction
         * that the pointer began. */
        if (was_interacting) pointer_list_remove(core, slot);
        else if (changed || !has(hot, STATE_STUCK)) begin_interaction(core, slot);
        set(hot, STATE_REPORTS | STATE_DISCRETE);
    } else if (has(hot, STATE_REPORTS)) {
        clear(hot, STATE_STUCK);
        if (was_interacting) end_interaction(core, slot, SETTLE_ENDED_REPORTED);
    } else if (changed && is_known(hot->built)) {
        begin_interaction(core, slot);
        set(hot, STATE_DISCRETE);
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

/* Where the size is built, nothing is owed that it could drop. */
void settle_apply_cancel(settle_core *core, uint32_t slot) {
    scene_hot *hot = &core->hot[slot];
    if (!is_known(hot->size) || size_is_built(hot)) return;
    if (has(hot, STATE_INTERACTING)) settle_leave_steady(core, slot);
    else clear_pending(core, slot);
    clear(hot, STATE_EXTRA_ARMED);
    set(hot, STATE_CANCELLED);
    settle_preview_forget(core, slot);
}

/* Rule 13. The next change chooses its delay anew. */
void settle_apply_really_built(settle_core *core, uint32_t slot, const settle_event *event) {
    scene_hot *hot = &core->hot[slot];
    size_bits built = bits_of(event->width, event->height);
    bool nothing = zero_length(built.width) || zero_length(built.height);
    settle_leave_steady(core, slot);
    hot->built = nothing ? (size_bits){0, 0} : built;
    settle_live_returned(core, slot);
    if (!size_is_built(hot)) return;
    clear(hot, STATE_EXTRA_ARMED);
    if (has(hot, STATE_INTERACTING)) return;
    clear_pending(core, slot);
    settle_preview_forget(core, slot);
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

static void forget_button(settle_core *core, uint32_t i) {
    core->buttons[i] = core->buttons[--core->buttons_held];
    core->pressed_ns[i] = core->pressed_ns[core->buttons_held];
}

/* Rule 11: buttons that were pressed by a time have lost their release. */
static void forget_buttons_until(settle_core *core, uint64_t time_ns) {
    for (uint32_t i = core->buttons_held; i-- > 0;) {
        if (core->pressed_ns[i] <= time_ns) forget_button(core, i);
    }
}

/* Rule 1: within the event all rebuilds are armed before all previews. */
static void begin_releasing(settle_core *core) {
    core->releasing = true;
    core->next_due_ns = 0;
    core->release_order = core->order;
    if (!core->previews) return;
    for (uint32_t slot = core->pointer_first; slot != NO_SLOT; slot = core->cold[slot].list.next) core->release_order++;
}

void settle_apply_pointer(settle_core *core, const settle_event *event) {
    uint32_t i = button_index(core, event->button);
    if (event->flags & SETTLE_PRESSED) {
        if (i == core->buttons_held) core->buttons[core->buttons_held++] = event->button;
        core->pressed_ns[i] = core->now_ns;
    } else if (i < core->buttons_held) {
        forget_button(core, i);
        if (core->buttons_held == 0) begin_releasing(core);
    }
}

int settle_end_pointer_interactions(settle_core *core) {
    while (core->pointer_first != NO_SLOT) {
        if (decisions_full(core)) return SETTLE_FULL;
        uint32_t slot = core->pointer_first;
        end_interaction(core, slot, SETTLE_ENDED_RELEASED);
        schedule_rebuild(core, &core->hot[slot], slot, core->hot[slot].state, core->now_ns, 0);
        settle_preview_released(core, slot);
    }
    core->order = later(core->order, core->release_order);
    core->releasing = false;
    settle_deadlines_update_bound(core);
    return SETTLE_OK;
}

/* Rule 11. */
static void time_out(settle_core *core, uint32_t slot) {
    scene_hot *hot = &core->hot[slot];
    const bool is_reported = has(hot, STATE_REPORTS);
    end_interaction(core, slot, SETTLE_ENDED_TIMEOUT);
    if (is_reported) set(hot, STATE_STUCK);
    else if (core->pointer_first == NO_SLOT) forget_buttons_until(core, core->cold[slot].change_ns);
    schedule_rebuild(core, hot, slot, hot->state, core->now_ns, 0);
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
        settle_preview_decide(core, slot);
    } else if (key.kind == DEADLINE_OF_LIVE) {
        rebuild_live(core, slot);
    } else if (has(hot, STATE_INTERACTING)) {
        time_out(core, slot);
    } else {
        rebuild(core, slot, rebuild_reason(hot));
    }
}
