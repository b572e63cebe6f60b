/* The contract's rules for what is rare: transitions, deadlines, requests, buttons. Rule
 * numbers are those of docs/contract.md. The rules for every event are in submit.c, rule 6 is
 * in rebuild_deadline.h. */
#include "rebuild_deadline.h"

static bool size_is_built(const scene_hot *hot) { return same_size(hot->size, hot->built); }

/* No rebuild is pending any more; the watchdog is disarmed as well. */
static void clear_pending(scene_hot *hot) { clear(hot, STATE_PENDING_ALL); }

static unsigned rebuild_reason(const scene_hot *hot) {
    if (has(hot, STATE_CAPPED)) return SETTLE_REBUILD_MAXIMUM_WAIT;
    if (has(hot, STATE_AFTER_TIMEOUT)) return SETTLE_REBUILD_TIMEOUT;
    if (has(hot, STATE_AFTER_INTERACTION)) return SETTLE_REBUILD_INTERACTION_ENDED;
    return has(hot, STATE_QUIET) ? SETTLE_REBUILD_QUIET : SETTLE_REBUILD_DISCRETE;
}

/* Rule 7. */
static void rebuild(settle_core *core, uint32_t slot, unsigned reason) {
    scene_hot *hot = &core->hot[slot];
    settle_decision *decision = settle_decision_append(core, slot, SETTLE_REBUILD, reason);
    lengths_of(hot->size, &decision->width, &decision->height);
    lengths_of(hot->built, &decision->previous_width, &decision->previous_height);
    decision->generation = ++hot->rebuilds;
    decision->coalesced = hot->coalesced;
    if (has(hot, STATE_AFTER_INTERACTION | STATE_AFTER_TIMEOUT)) {
        decision->interaction_ns = core->cold[slot].interaction_ns;
    }
    hot->built = hot->size;
    hot->coalesced = 0;
    clear_pending(hot);
}

/* Rules 4 and 5. A pending rebuild is disarmed, and maximumWait starts again. */
static void begin_interaction(settle_core *core, uint32_t slot) {
    scene_hot *hot = &core->hot[slot];
    settle_decision_append(core, slot, SETTLE_INTERACTION_BEGAN, SETTLE_REASON_NONE);
    clear_pending(hot);
    set(hot, STATE_INTERACTING);
    core->cold[slot].interaction_ns = core->now_ns;
}

static void pointer_list_append(settle_core *core, uint32_t slot) {
    set(&core->hot[slot], STATE_BY_POINTER);
    core->cold[slot].list_next = NO_SLOT;
    core->cold[slot].list_prev = core->pointer_last;
    if (core->pointer_last == NO_SLOT) core->pointer_first = slot;
    else core->cold[core->pointer_last].list_next = slot;
    core->pointer_last = slot;
}

static void pointer_list_remove(settle_core *core, uint32_t slot) {
    if (!has(&core->hot[slot], STATE_BY_POINTER)) return;
    clear(&core->hot[slot], STATE_BY_POINTER);
    uint32_t next = core->cold[slot].list_next, prev = core->cold[slot].list_prev;
    if (prev == NO_SLOT) core->pointer_first = next;
    else core->cold[prev].list_next = next;
    if (next == NO_SLOT) core->pointer_last = prev;
    else core->cold[next].list_prev = prev;
}

static void end_interaction(settle_core *core, uint32_t slot, unsigned reason) {
    scene_hot *hot = &core->hot[slot];
    scene_cold *cold = &core->cold[slot];
    pointer_list_remove(core, slot);
    clear_pending(hot);
    clear(hot, STATE_INTERACTING);
    set(hot, reason == SETTLE_ENDED_TIMEOUT ? STATE_AFTER_TIMEOUT : STATE_AFTER_INTERACTION);
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
    core->cold[slot].lock_deadline_ns = after(core->now_ns, policy_of(core, hot)->lock_delay_ns);
    core->cold[slot].lock_order = ++core->order;
    settle_deadlines_link(core, slot);
}

/* Rules 4 and 5: begins or ends the interaction, by an event's flag or by a change while a
 * button is held. */
void settle_apply_interaction(settle_core *core, uint32_t slot, unsigned flags, bool changed) {
    scene_hot *hot = &core->hot[slot];
    bool was_interacting = has(hot, STATE_INTERACTING);
    if (flags & SETTLE_RESIZING_KNOWN) {
        /* The flag takes precedence: the release of the button no longer ends an interaction
         * that the pointer began. */
        set(hot, STATE_REPORTS);
        pointer_list_remove(core, slot);
        bool resizing = (flags & SETTLE_RESIZING) != 0;
        if (resizing && !was_interacting) begin_interaction(core, slot);
        if (!resizing && was_interacting) end_interaction(core, slot, SETTLE_ENDED_REPORTED);
    } else if (changed && !was_interacting && !has(hot, STATE_REPORTS) && is_known(hot->built)) {
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
    if (has(hot, FAULT(FLUSH_INTERACTING) ? STATE_CANCELLED : STATE_INTERACTING | STATE_CANCELLED)) return;
    if (!is_known(hot->size) || size_is_built(hot)) return;
    rebuild(core, slot, SETTLE_REBUILD_FLUSH);
}

void settle_apply_cancel(scene_hot *hot) {
    if (!is_known(hot->size) || size_is_built(hot)) return;
    if (!has(hot, STATE_INTERACTING)) clear_pending(hot);
    set(hot, STATE_CANCELLED);
}

/* Rule 13. */
void settle_apply_built(scene_hot *hot, const settle_event *event) {
    size_bits built = bits_of(event->width, event->height);
    bool nothing = zero_length(built.width) || zero_length(built.height);
    hot->built = nothing ? (size_bits){0, 0} : built;
}

uint32_t settle_button_index(const settle_core *core, uint32_t button) {
    uint32_t i = 0;
    while (i < core->buttons_held && core->buttons[i] != button) i++;
    return i;
}

void settle_apply_pointer(settle_core *core, const settle_event *event) {
    uint32_t i = settle_button_index(core, event->button);
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
        schedule_rebuild(core, &core->hot[slot], slot, core->hot[slot].state, core->now_ns);
    }
    core->releasing = false;
    return SETTLE_OK;
}

void settle_apply_deadline(settle_core *core, uint32_t slot, deadline_key key) {
    scene_hot *hot = &core->hot[slot];
    core->now_ns = later(core->now_ns, key.deadline_ns);
    if (key.is_lock) {
        clear(hot, STATE_LOCK_ARMED);
        hot->state ^= STATE_LOCK_DELIVERED;
        settle_decision_append(core, slot, SETTLE_LOCK_CHANGED, SETTLE_REASON_NONE)->locked =
            has(hot, STATE_LOCK_DELIVERED);
    } else if (has(hot, STATE_INTERACTING)) {
        end_interaction(core, slot, SETTLE_ENDED_TIMEOUT);
        schedule_rebuild(core, hot, slot, hot->state, core->now_ns);
    } else if (!FAULT(BUILT_SIZE_REBUILT) && size_is_built(hot)) {
        clear_pending(hot);
    } else {
        rebuild(core, slot, rebuild_reason(hot));
    }
}
