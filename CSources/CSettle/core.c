/* The contract's rules. Numbers in comments are those of docs/contract.md. */
#include "core_internal.h"

#include <float.h>
#include <string.h>

enum { PREFETCH_EVENTS = 12 };

static bool has(const scene_hot *hot, unsigned state) { return (hot->state & state) != 0; }
static void set(scene_hot *hot, unsigned state) { hot->state |= (uint16_t)state; }
static void clear(scene_hot *hot, unsigned state) { hot->state &= (uint16_t)~state; }

static bool decisions_full(const settle_core *core) {
    return core->decisions_waiting == core->decisions_max;
}

/* The next free decision, with what all kinds share. Callers know there is room. */
static settle_decision *decide(settle_core *core, uint32_t slot, unsigned kind, unsigned reason) {
    uint64_t at = (uint64_t)core->decisions_first + core->decisions_waiting;
    if (at >= core->decisions_max) at -= core->decisions_max;
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

static bool size_is_built(const scene_hot *hot) {
    return hot->width == hot->built_width && hot->height == hot->built_height;
}

static bool anything_built(const scene_hot *hot) {
    return hot->built_width != 0 && hot->built_height != 0;
}

/* Rule 1's order: every arming takes the next number. A link is touched only if
 * the scene has none or its key might be later than the new deadline. */
static void arm(settle_core *core, uint32_t slot, uint64_t deadline_ns) {
    scene_hot *hot = &core->hot[slot];
    bool link_is_early_enough = has(hot, STATE_LINKED) && deadline_ns >= hot->deadline_ns;
    set(hot, STATE_ARMED);
    hot->deadline_ns = deadline_ns;
    hot->order = ++core->order;
    if (!link_is_early_enough) settle_deadlines_place(core, slot);
}

/* Nothing is owed: the deadline, where it came from and how it was set go together. */
static void forgive(scene_hot *hot) {
    clear(hot, STATE_ARMED | STATE_OWED | STATE_STEM_ENDED | STATE_STEM_TIMEOUT |
               STATE_CAPPED | STATE_QUIET);
}

static uint64_t earlier(uint64_t a, uint64_t b) { return a < b ? a : b; }
static uint64_t later(uint64_t a, uint64_t b) { return a > b ? a : b; }

/* A deadline is a time like any other: at most INT64_MAX. */
static uint64_t after(uint64_t start_ns, uint64_t delay_ns) { return earlier(start_ns + delay_ns, INT64_MAX); }

/* Rule 6, for a scene that is not interacting and changed or whose interaction
 * just ended. */
static void owe(settle_core *core, uint32_t slot) {
    scene_hot *hot = &core->hot[slot];
    if (hot->width == 0 || size_is_built(hot) || has(hot, STATE_FORGOTTEN)) {
        forgive(hot);
        return;
    }
    if (!has(hot, STATE_OWED)) core->cold[slot].debt_since_ns = core->now_ns;

    const settle_policy *policy = &core->policies[hot->policy];
    bool stems = has(hot, STATE_STEM_ENDED | STATE_STEM_TIMEOUT);
    bool quiet = !has(hot, STATE_REPORTS) && !stems;
    uint64_t deadline_ns = after(core->now_ns, quiet ? policy->quiet_delay_ns : policy->settle_delay_ns);
    clear(hot, STATE_CAPPED | STATE_QUIET);
    set(hot, STATE_OWED | (quiet ? STATE_QUIET : 0u));
    if (policy->maximum_wait_ns != SETTLE_NEVER) {
        uint64_t cap_ns = after(core->cold[slot].debt_since_ns, policy->maximum_wait_ns);
        if (cap_ns < deadline_ns) set(hot, STATE_CAPPED);
        deadline_ns = earlier(deadline_ns, cap_ns);
    }
    arm(core, slot, deadline_ns);
}

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
    decision->width = hot->width;
    decision->height = hot->height;
    decision->previous_width = hot->built_width;
    decision->previous_height = hot->built_height;
    decision->generation = ++hot->rebuilds;
    decision->coalesced = hot->coalesced;
    if (has(hot, STATE_STEM_ENDED | STATE_STEM_TIMEOUT)) {
        decision->interaction_ns = core->cold[slot].interaction_ns;
    }
    hot->built_width = hot->width;
    hot->built_height = hot->height;
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
static void apply_lock(settle_core *core, uint32_t slot, bool locked) {
    scene_hot *hot = &core->hot[slot];
    if (has(hot, STATE_LOCK_RAW) == locked) return;
    hot->state ^= STATE_LOCK_RAW;
    if (has(hot, STATE_LOCK_DELIVERED) == locked) {
        clear(hot, STATE_LOCK_ARMED);
        return;
    }
    set(hot, STATE_LOCK_ARMED);
    core->cold[slot].lock_deadline_ns = after(core->now_ns, core->policies[hot->policy].lock_delay_ns);
    core->cold[slot].lock_order = ++core->order;
    settle_deadlines_place(core, slot);
}

/* Rules 2 to 6, 9 and 11 for one geometry event; its size is valid. */
static void apply_geometry(settle_core *core, uint32_t slot, const settle_event *event) {
    scene_hot *hot = &core->hot[slot];
    hot->coalesced++;

    bool changed = false;
    if (event->width != 0 && event->height != 0 &&
        (event->width != hot->width || event->height != hot->height)) {
        hot->width = event->width;
        hot->height = event->height;
        clear(hot, STATE_FORGOTTEN);
        changed = true;
    }

    bool was_interacting = has(hot, STATE_INTERACTING);
    if (event->flags & SETTLE_RESIZING_KNOWN) {
        /* A flag is the better signal: an interaction from the pointer becomes
         * the flag's, and releasing the button no longer ends it. */
        set(hot, STATE_REPORTS);
        pointer_list_remove(core, slot);
        bool resizing = (event->flags & SETTLE_RESIZING) != 0;
        if (resizing && !was_interacting) begin_interaction(core, slot);
        if (!resizing && was_interacting) end_interaction(core, slot, SETTLE_ENDED_REPORTED);
    } else if (changed && core->buttons_held > 0 && !was_interacting &&
               !has(hot, STATE_REPORTS) && anything_built(hot)) {
        begin_interaction(core, slot);
        pointer_list_append(core, slot);
    }

    if (!has(hot, STATE_INTERACTING)) {
        if (changed || was_interacting) owe(core, slot);
    } else if (has(hot, STATE_REPORTS)) {
        uint64_t timeout_ns = core->policies[hot->policy].interaction_timeout_ns;
        if (timeout_ns != SETTLE_NEVER) arm(core, slot, after(core->now_ns, timeout_ns));
    }
    if (event->flags & SETTLE_LOCKED_KNOWN) {
        apply_lock(core, slot, (event->flags & SETTLE_LOCKED) != 0);
    }
}

/* Rule 10. */
static void apply_disconnect(settle_core *core, uint32_t slot) {
    scene_hot *hot = &core->hot[slot];
    if (has(hot, STATE_INTERACTING)) end_interaction(core, slot, SETTLE_ENDED_DISCONNECTED);
    settle_deadlines_remove(core, slot);
    hot->state = 0;
    core->stats.scenes--;
    settle_slot_free(core, slot);
}

/* Rule 12. */
static void apply_flush(settle_core *core, uint32_t slot) {
    const scene_hot *hot = &core->hot[slot];
    if (has(hot, STATE_INTERACTING | STATE_FORGOTTEN)) return;
    if (hot->width == 0 || size_is_built(hot)) return;
    rebuild(core, slot, SETTLE_REBUILD_FLUSH);
}

static void apply_cancel(scene_hot *hot) {
    if (hot->width == 0 || size_is_built(hot)) return;
    if (!has(hot, STATE_INTERACTING)) forgive(hot);
    set(hot, STATE_FORGOTTEN);
}

/* Rule 13. */
static void apply_built(scene_hot *hot, const settle_event *event) {
    bool nothing = event->width == 0 || event->height == 0;
    hot->built_width = nothing ? 0 : event->width;
    hot->built_height = nothing ? 0 : event->height;
}

static uint32_t button_index(const settle_core *core, uint32_t button) {
    uint32_t i = 0;
    while (i < core->buttons_held && core->buttons[i] != button) i++;
    return i;
}

static void apply_pointer(settle_core *core, const settle_event *event) {
    uint32_t i = button_index(core, event->scene);
    if (event->flags & SETTLE_PRESSED) {
        if (i == core->buttons_held) core->buttons[core->buttons_held++] = event->scene;
    } else if (i < core->buttons_held) {
        core->buttons[i] = core->buttons[--core->buttons_held];
        core->releasing = core->buttons_held == 0;
    }
}

/* Rule 5: the last button is up. Any number of scenes may end here, so this goes
 * on where it stopped when the decisions were full. */
static int finish_release(settle_core *core) {
    while (core->pointer_first != NO_SLOT) {
        if (decisions_full(core)) return SETTLE_FULL;
        uint32_t slot = core->pointer_first;
        end_interaction(core, slot, SETTLE_ENDED_RELEASED);
        owe(core, slot);
    }
    core->releasing = false;
    return SETTLE_OK;
}

/* One deadline, at its own time. */
static void fire(settle_core *core, uint32_t slot, deadline_key key) {
    scene_hot *hot = &core->hot[slot];
    core->now_ns = later(core->now_ns, key.deadline_ns);
    if (key.is_lock) {
        clear(hot, STATE_LOCK_ARMED);
        hot->state ^= STATE_LOCK_DELIVERED;
        decide(core, slot, SETTLE_LOCK_CHANGED, SETTLE_REASON_NONE)->locked =
            has(hot, STATE_LOCK_DELIVERED);
    } else if (has(hot, STATE_INTERACTING)) {
        end_interaction(core, slot, SETTLE_ENDED_TIMEOUT);
        owe(core, slot);
    } else if (size_is_built(hot)) {
        forgive(hot);
    } else {
        rebuild(core, slot, debt_reason(hot));
    }
}

/* Rule 1: what is due up to now_ns, in order; then time is now_ns. */
static int run_due(settle_core *core, uint64_t now_ns) {
    if (core->releasing && finish_release(core) != SETTLE_OK) return SETTLE_FULL;
    while (core->next_due_ns <= now_ns) {
        deadline_key key;
        uint32_t slot = settle_deadlines_first(core, &key);
        settle_deadlines_update_bound(core);
        if (slot == NO_SLOT || key.deadline_ns > now_ns) break;
        if (decisions_full(core)) return SETTLE_FULL;
        fire(core, slot, key);
        settle_deadlines_place(core, slot);
        settle_deadlines_update_bound(core);
    }
    core->now_ns = later(core->now_ns, now_ns);
    return SETTLE_OK;
}

static bool find_scene(const settle_core *core, settle_scene scene, uint32_t *slot) {
    *slot = scene & core->slot_mask;
    return *slot < core->slots_used && core->hot[*slot].handle == scene &&
           has(&core->hot[*slot], STATE_CONNECTED);
}

static bool valid_length(double length) { return length >= 0 && length <= DBL_MAX; }

/* Rules 2 and 10: what is refused before it can move time. */
static bool admit(settle_core *core, const settle_event *event, uint32_t *slot) {
    if (event->kind > SETTLE_BUILT || (event->flags & ~SETTLE_FLAGS_ALL) ||
        event->at_ns > INT64_MAX) {
        core->stats.rejected_event++;
        return false;
    }
    if (event->kind == SETTLE_POINTER) {
        if ((event->flags & SETTLE_PRESSED) && core->buttons_held == SETTLE_BUTTONS_MAX &&
            button_index(core, event->scene) == core->buttons_held) {
            core->stats.rejected_event++;
            return false;
        }
        return true;
    }
    if ((event->kind == SETTLE_GEOMETRY || event->kind == SETTLE_BUILT) &&
        !(valid_length(event->width) && valid_length(event->height))) {
        core->stats.rejected_size++;
        return false;
    }
    if (!find_scene(core, event->scene, slot)) {
        core->stats.rejected_scene++;
        return false;
    }
    return true;
}

static void apply(settle_core *core, const settle_event *event, uint32_t slot) {
    switch (event->kind) {
    case SETTLE_GEOMETRY: apply_geometry(core, slot, event); break;
    case SETTLE_DISCONNECT: apply_disconnect(core, slot); break;
    case SETTLE_POINTER: apply_pointer(core, event); break;
    case SETTLE_FLUSH: apply_flush(core, slot); break;
    case SETTLE_CANCEL: apply_cancel(&core->hot[slot]); break;
    case SETTLE_BUILT: apply_built(&core->hot[slot], event); break;
    default: break; /* SETTLE_CONNECT: admit() found the scene connected */
    }
}

static void prefetch(const settle_core *core, const settle_event *event) {
    uint32_t slot = event->scene & core->slot_mask;
    if (slot < core->slots_used) __builtin_prefetch(&core->hot[slot], 1);
}

int settle_core_submit(settle_core *core, const settle_event *events, size_t count, size_t *accepted) {
    size_t i = 0;
    int result = SETTLE_OK;
    for (; i < count; i++) {
        const settle_event *event = &events[i];
        if (i + PREFETCH_EVENTS < count) prefetch(core, event + PREFETCH_EVENTS);
        uint32_t slot = NO_SLOT;
        if (!admit(core, event, &slot)) continue;
        uint64_t at_ns = later(event->at_ns, core->now_ns);
        if (at_ns >= core->next_due_ns || core->releasing) result = run_due(core, at_ns);
        if (result != SETTLE_OK || decisions_full(core)) {
            result = SETTLE_FULL;
            break;
        }
        core->stats.regressions += event->at_ns < core->now_ns;
        core->now_ns = at_ns;
        apply(core, event, slot);
        core->stats.events++;
    }
    *accepted = i;
    return core->releasing ? finish_release(core) : result;
}

int settle_core_advance(settle_core *core, uint64_t now_ns) {
    if (now_ns > INT64_MAX) return SETTLE_INVALID;
    return run_due(core, now_ns);
}

int settle_core_finish(settle_core *core) {
    for (;;) {
        uint64_t next_ns = settle_core_next_deadline_ns(core);
        if (next_ns == SETTLE_NEVER) return SETTLE_OK;
        if (run_due(core, next_ns) != SETTLE_OK) return SETTLE_FULL;
    }
}

uint64_t settle_core_next_deadline_ns(settle_core *core) {
    if (core->releasing) return core->now_ns;
    deadline_key key;
    if (settle_deadlines_first(core, &key) == NO_SLOT) {
        core->next_due_ns = SETTLE_NEVER;
        return SETTLE_NEVER;
    }
    core->next_due_ns = key.deadline_ns;
    return key.deadline_ns;
}

uint64_t settle_core_now_ns(const settle_core *core) { return core->now_ns; }

int settle_core_take_decisions(settle_core *core, settle_decision *decisions, size_t capacity, size_t *taken) {
    size_t count = core->decisions_waiting < capacity ? core->decisions_waiting : capacity;
    for (size_t i = 0; i < count; i++) {
        decisions[i] = core->decisions[core->decisions_first];
        if (++core->decisions_first == core->decisions_max) core->decisions_first = 0;
    }
    core->decisions_waiting -= (uint32_t)count;
    *taken = count;
    return SETTLE_OK;
}

bool settle_core_pending(const settle_core *core, settle_scene scene) {
    uint32_t slot;
    if (!find_scene(core, scene, &slot)) return false;
    const scene_hot *hot = &core->hot[slot];
    return has(hot, STATE_ARMED) && !has(hot, STATE_INTERACTING);
}

bool settle_core_interacting(const settle_core *core, settle_scene scene) {
    uint32_t slot;
    return find_scene(core, scene, &slot) && has(&core->hot[slot], STATE_INTERACTING);
}

settle_stats settle_core_stats(const settle_core *core) {
    settle_stats stats = core->stats;
    stats.decisions_waiting = core->decisions_waiting;
    return stats;
}
