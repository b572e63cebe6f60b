/* The contract's rules for what is rare: transitions, deadlines that fire, requests.
 * Numbers in comments are those of docs/contract.md. The rules for every event are
 * in core.c, rule 6 is in owing.h. */
#include "owing.h"

/* The next free decision, with what all kinds share. Callers know there is room. */
static settle_decision *decide(settle_core *core, uint32_t slot, unsigned kind, unsigned reason) {
    uint64_t at = (uint64_t)core->decisions_first + core->decisions_waiting;
    if (!FAULT(DECISION_INDEX_UNBOUNDED) && at >= core->decisions_max) at -= core->decisions_max;
    core->decisions_waiting++;
    core->stats.decisions++;
    settle_decision *decision = &core->decisions[at];
    memset(decision, 0, sizeof *decision);
    decision->at_ns = core->now_ns;
    decision->scene = core->hot[slot].handle;
    decision->kind = (uint8_t)kind;
    decision->reason = (uint8_t)reason;
    return decision;
}

static bool size_is_built(const scene_hot *hot) { return same_size(hot->size, hot->built); }

/* Nothing is owed: the deadline, where it came from and how it was set go together. */
static void forgive(scene_hot *hot) { clear(hot, STATE_DEBT); }

static unsigned debt_reason(const scene_hot *hot) {
    if (has(hot, STATE_CAPPED)) return SETTLE_REBUILD_MAXIMUM_WAIT;
    if (has(hot, STATE_STEM_TIMEOUT)) return SETTLE_REBUILD_TIMEOUT;
    if (has(hot, STATE_STEM_ENDED)) return SETTLE_REBUILD_INTERACTION_ENDED;
    return has(hot, STATE_QUIET) ? SETTLE_REBUILD_QUIET : SETTLE_REBUILD_DISCRETE;
}

/* Rule 7. */
static void rebuild(settle_core *core, uint32_t slot, unsigned reason) {
    scene_hot *hot = &core->hot[slot];
    settle_decision *decision = decide(core, slot, SETTLE_REBUILD, reason);
    lengths_of(hot->size, &decision->width, &decision->height);
    lengths_of(hot->built, &decision->previous_width, &decision->previous_height);
    decision->generation = ++hot->rebuilds;
    decision->coalesced = hot->coalesced;
    if (has(hot, STATE_STEM_ENDED | STATE_STEM_TIMEOUT)) {
        decision->interaction_ns = core->cold[slot].interaction_ns;
    }
    hot->built = hot->size;
    hot->coalesced = 0;
    forgive(hot);
}

/* Rules 4 and 5. What was owed before is disarmed, and maximumWait counts anew. */
static void begin_interaction(settle_core *core, uint32_t slot) {
    scene_hot *hot = &core->hot[slot];
    decide(core, slot, SETTLE_INTERACTION_BEGAN, SETTLE_REASON_NONE);
    forgive(hot);
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
    forgive(hot);
    clear(hot, STATE_INTERACTING);
    set(hot, reason == SETTLE_ENDED_TIMEOUT ? STATE_STEM_TIMEOUT : STATE_STEM_ENDED);
    cold->interaction_ns = core->now_ns - cold->interaction_ns;
    decide(core, slot, SETTLE_INTERACTION_ENDED, reason)->interaction_ns = cold->interaction_ns;
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
    settle_deadlines_place(core, slot);
}

/* Rules 4 and 5: what an event's flag, or a change under a held button, begins or
 * ends. */
void settle_apply_interaction(settle_core *core, uint32_t slot, unsigned flags, bool changed) {
    scene_hot *hot = &core->hot[slot];
    bool was_interacting = has(hot, STATE_INTERACTING);
    if (flags & SETTLE_RESIZING_KNOWN) {
        /* A flag is the better signal: an interaction from the pointer becomes
         * the flag's, and releasing the button no longer ends it. */
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
    if (has(hot, FAULT(FLUSH_INTERACTING) ? STATE_FORGOTTEN : STATE_INTERACTING | STATE_FORGOTTEN)) return;
    if (!is_known(hot->size) || size_is_built(hot)) return;
    rebuild(core, slot, SETTLE_REBUILD_FLUSH);
}

void settle_apply_cancel(scene_hot *hot) {
    if (!is_known(hot->size) || size_is_built(hot)) return;
    if (!has(hot, STATE_INTERACTING)) forgive(hot);
    set(hot, STATE_FORGOTTEN);
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
    uint32_t i = settle_button_index(core, event->scene);
    if (event->flags & SETTLE_PRESSED) {
        if (i == core->buttons_held) core->buttons[core->buttons_held++] = event->scene;
    } else if (i < core->buttons_held) {
        core->buttons[i] = core->buttons[--core->buttons_held];
        core->releasing = core->buttons_held == 0;
        if (core->releasing) core->next_due_ns = 0;
    }
}

/* Rule 5: the last button is up. Any number of scenes may end here, so this goes
 * on where it stopped when the decisions were full. */
int settle_finish_release(settle_core *core) {
    while (core->pointer_first != NO_SLOT) {
        if (decisions_full(core)) return SETTLE_FULL;
        uint32_t slot = core->pointer_first;
        end_interaction(core, slot, SETTLE_ENDED_RELEASED);
        owe(core, &core->hot[slot], slot, core->hot[slot].state, core->now_ns);
    }
    core->releasing = false;
    return SETTLE_OK;
}

/* One deadline, at its own time. */
void settle_fire(settle_core *core, uint32_t slot, deadline_key key) {
    scene_hot *hot = &core->hot[slot];
    core->now_ns = later(core->now_ns, key.deadline_ns);
    if (key.is_lock) {
        clear(hot, STATE_LOCK_ARMED);
        hot->state ^= STATE_LOCK_DELIVERED;
        decide(core, slot, SETTLE_LOCK_CHANGED, SETTLE_REASON_NONE)->locked =
            has(hot, STATE_LOCK_DELIVERED);
    } else if (has(hot, STATE_INTERACTING)) {
        end_interaction(core, slot, SETTLE_ENDED_TIMEOUT);
        owe(core, hot, slot, hot->state, core->now_ns);
    } else if (!FAULT(BUILT_SIZE_REBUILT) && size_is_built(hot)) {
        forgive(hot);
    } else {
        rebuild(core, slot, debt_reason(hot));
    }
}

