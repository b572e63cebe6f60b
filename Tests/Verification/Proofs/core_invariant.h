/* The invariant of the core between two calls, and the promises of its decisions. */
#ifndef SETTLE_CORE_INVARIANT_H
#define SETTLE_CORE_INVARIANT_H

#include "abstract_deadlines.h"
#include "rebuild_deadline.h"

/* Rule 13: built was returned while nothing was armed, and nothing changed since. */
static bool returned_0, returned_1;

static bool *at_returned(uint32_t slot) { return SCENES == 1 || slot == 0 ? &returned_0 : &returned_1; }

static bool is_size_or_none(size_bits size) {
    if (size.width == 0) return size.height == 0;
    return size.height != 0 && size.width < INFINITE_LENGTH && size.height < INFINITE_LENGTH;
}

static bool has_nothing_pending(const scene_hot *hot, uint32_t slot) {
    return !is_known(hot->size) || same_size(hot->size, hot->built) ||
           has(hot, STATE_INTERACTING | STATE_CANCELLED) || *at_returned(slot);
}

/* A policy row has the values computed from its policy. */
static bool valid_row(const policy_row *row) {
    policy_row expected = policy_row_of(&row->policy);
    return is_policy_in_range(&row->policy) && row->postponing_ns[0] == expected.postponing_ns[0] &&
           row->postponing_ns[1] == expected.postponing_ns[1];
}

/* The phases a scene can be in. */
static bool valid_state(const settle_core *core, const scene_hot *hot) {
    bool is_interacting = has(hot, STATE_INTERACTING), is_pending = has(hot, STATE_PENDING);
    const settle_policy *policy = policy_of(core, hot);
    if (is_pending != (has(hot, STATE_ARMED) && !is_interacting)) return false;
    if (!is_pending && has(hot, STATE_AFTER_INTERACTION | STATE_AFTER_TIMEOUT | STATE_CAPPED | STATE_QUIET)) return false;
    if (is_pending && (has(hot, STATE_CANCELLED) || !is_known(hot->size))) return false;
    if (has(hot, STATE_BY_POINTER) != (is_interacting && !has(hot, STATE_REPORTS))) return false;
    if (is_interacting && has(hot, STATE_ARMED) && policy->interaction_timeout_ns == SETTLE_NEVER) return false;
    if (has(hot, STATE_IN_HEAP) && !has(hot, STATE_LINKED)) return false;
    return has(hot, STATE_LOCK_ARMED) == (has(hot, STATE_LOCK_RAW) != has(hot, STATE_LOCK_DELIVERED));
}

/* An armed deadline is a valid time that is not past. */
static bool valid_deadlines(const settle_core *core, uint32_t slot) {
    const scene_hot *hot = at_hot(slot);
    const scene_cold *cold = at_cold(slot);
    const settle_policy *policy = policy_of(core, hot);
    if (has(hot, STATE_ARMED)) {
        if (hot->deadline_ns < core->now_ns || hot->deadline_ns > INT64_MAX) return false;
        if (hot->order > core->order) return false;
    }
    if (has(hot, STATE_LOCK_ARMED)) {
        uint64_t at_ns = cold->lock_deadline_ns;
        if (at_ns < core->now_ns || at_ns > INT64_MAX) return false;
        if (cold->lock_order > core->order) return false;
        if (has(hot, STATE_ARMED) && hot->order == cold->lock_order) return false;
    }
    if (has(hot, STATE_INTERACTING) && cold->interaction_ns > core->now_ns) return false;
    if (has(hot, STATE_PENDING) && policy->maximum_wait_ns != SETTLE_NEVER) {
        if (cold->pending_since_ns > core->now_ns) return false;
        if (hot->deadline_ns > after(cold->pending_since_ns, policy->maximum_wait_ns)) return false;
    }
    if (!has(hot, STATE_LINKED)) return true;
    return at_link(slot)->deadline_ns >= core->next_due_ns && at_link(slot)->order <= core->order;
}

static bool valid_slot(const settle_core *core, uint32_t slot) {
    const scene_hot *hot = at_hot(slot);
    if (!has(hot, STATE_CONNECTED)) return hot->state == 0 && (hot->handle & 1) != slot;
    return (hot->handle & 1) == slot && hot->handle >> 1 != 0 && hot->policy < core->policies_count;
}

static bool valid_scene(const settle_core *core, uint32_t slot) {
    const scene_hot *hot = at_hot(slot);
    if (!valid_slot(core, slot)) return false;
    if (!has(hot, STATE_CONNECTED)) return true;
    return is_size_or_none(hot->size) && is_size_or_none(hot->built) && valid_state(core, hot) && valid_deadlines(core, slot);
}

/* The list of pointer interactions has exactly those, and its links agree in both directions. */
static bool valid_pointer_list(const settle_core *core) {
    uint32_t members = 0, listed = 0, previous = NO_SLOT, slot = core->pointer_first;
    for (uint32_t i = 0; i < SCENES; i++) members += i < core->slots_used && has(at_hot(i), STATE_BY_POINTER);
    for (uint32_t i = 0; i < SCENES && slot != NO_SLOT; i++) {
        if (slot >= core->slots_used || !has(at_hot(slot), STATE_BY_POINTER)) return false;
        if (at_cold(slot)->list_prev != previous) return false;
        previous = slot;
        slot = at_cold(slot)->list_next;
        listed++;
    }
    if (members > 0 && core->buttons_held == 0 && !core->releasing) return false;
    return slot == NO_SLOT && listed == members && core->pointer_last == previous;
}

static bool walk_free(const settle_core *core, uint32_t slot, uint32_t *count, uint32_t *last) {
    *last = NO_SLOT;
    for (uint32_t i = 0; i < SCENES && slot != NO_SLOT; i++) {
        if (slot >= core->slots_used || has(at_hot(slot), STATE_CONNECTED)) return false;
        ++*count;
        *last = slot;
        slot = at_cold(slot)->list_next;
    }
    return slot == NO_SLOT;
}

/* Every slot that is not connected is in one of the lists of free slots. */
static bool valid_free_lists(const settle_core *core) {
    uint32_t connected = 0, listed = 0, last, exhausted_last;
    for (uint32_t i = 0; i < SCENES; i++) connected += i < core->slots_used && has(at_hot(i), STATE_CONNECTED);
    if (!walk_free(core, core->free_first, &listed, &last) || last != core->free_last) return false;
    if (!walk_free(core, core->exhausted_first, &listed, &exhausted_last)) return false;
    /* Two lists that share a slot share their end. */
    if (last != NO_SLOT && last == exhausted_last) return false;
    return connected + listed == core->slots_used && core->stats.scenes == connected;
}

static bool valid_buttons(const settle_core *core) {
    if (core->buttons_held > SETTLE_BUTTONS_MAX) return false;
    for (uint32_t i = 0; i < SETTLE_BUTTONS_MAX; i++) {
        for (uint32_t k = 0; k < i; k++) {
            if (i < core->buttons_held && *at_buttons(i) == *at_buttons(k)) return false;
        }
    }
    return true;
}

static bool valid_bounds(const settle_core *core) {
    return core->now_ns <= INT64_MAX && core->next_due_ns <= NOTHING_DUE_NS && core->slots_used <= SCENES &&
           core->decisions_first < DECISIONS && core->decisions_waiting <= DECISIONS &&
           core->policies_count >= 1 && core->policies_count <= POLICIES &&
           /* Ages of arming at a billion a second. */
           core->order < (uint64_t)1 << 62 &&
           (!core->releasing || (core->next_due_ns == 0 && core->buttons_held == 0));
}

static bool invariant(const settle_core *core) {
    if (!valid_bounds(core) || !valid_buttons(core)) return false;
    for (uint32_t i = 0; i < POLICIES; i++) {
        if (i < core->policies_count && !valid_row(at_policies(i))) return false;
    }
    for (uint32_t i = 0; i < SCENES; i++) {
        if (i >= core->slots_used) continue;
        if (!valid_scene(core, i) || !is_linked_well(core, i)) return false;
        if (has(at_hot(i), STATE_CONNECTED) && !has(at_hot(i), STATE_ARMED) && !has_nothing_pending(at_hot(i), i)) return false;
    }
    return valid_pointer_list(core) && valid_free_lists(core);
}

/* The same, with a name for each part. */
static void check_invariant(const settle_core *core) {
    prove(core->now_ns <= INT64_MAX && core->slots_used <= SCENES, "indices stay in their bounds");
    prove(core->decisions_first < DECISIONS && core->decisions_waiting <= DECISIONS, "decisions stay in their bounds");
    for (uint32_t i = 0; i < SCENES; i++) {
        if (i >= core->slots_used) continue;
        const scene_hot *hot = at_hot(i);
        prove(is_linked_well(core, i), "the queue's contract: what is armed is linked in time");
        prove(valid_slot(core, i), "a slot's handle is its own");
        if (has(hot, STATE_CONNECTED)) {
            prove(is_size_or_none(hot->size) && is_size_or_none(hot->built), "sizes are known or not");
            prove(valid_state(core, hot), "a scene is in one of its phases");
            prove(valid_deadlines(core, i), "a deadline is a time, and not past");
        }
        prove(!has(hot, STATE_CONNECTED) || has(hot, STATE_ARMED) || has_nothing_pending(hot, i), "what is not built is armed");
    }
    prove(valid_pointer_list(core), "the pointer's interactions are those in its list");
    prove(valid_free_lists(core), "every slot is connected or free");
    prove(valid_buttons(core) && core->next_due_ns <= NOTHING_DUE_NS, "buttons and bound are sound");
    prove(!core->releasing || (core->next_due_ns == 0 && core->buttons_held == 0), "a release stops the fast path");
}

/* The decisions of a step, compared with the scenes before it. */
static void check_decisions(const settle_core *core, const scene_hot *before, uint32_t used_before, uint64_t before_ns,
                            uint32_t waiting_before) {
    bool is_interacting[SCENES], has_ended[SCENES];
    for (uint32_t i = 0; i < SCENES; i++) {
        is_interacting[i] = i < used_before && has(&before[i], STATE_INTERACTING);
        has_ended[i] = false;
    }
    uint64_t at_ns = before_ns;
    for (uint32_t i = 0; i < DECISIONS; i++) {
        if (i < waiting_before || i >= core->decisions_waiting) continue;
        uint32_t at = core->decisions_first + i;
        if (at >= DECISIONS) at -= DECISIONS;
        const settle_decision *decision = at_decisions(at);
        uint32_t slot = decision->scene & 1;
        prove(slot < used_before && has(&before[slot], STATE_CONNECTED) && decision->scene == before[slot].handle,
              "only a living scene is decided for");
        prove(decision->at_ns >= at_ns && decision->at_ns <= core->now_ns, "decisions come in the order of time");
        at_ns = decision->at_ns;
        switch (decision->kind) {
        case SETTLE_INTERACTION_BEGAN:
            prove(!is_interacting[slot], "an interaction begins once");
            is_interacting[slot] = true;
            break;
        case SETTLE_INTERACTION_ENDED:
            prove(is_interacting[slot], "only an interaction ends");
            prove(decision->interaction_ns <= at_ns, "an interaction took no longer than time");
            is_interacting[slot] = false;
            has_ended[slot] = true;
            break;
        case SETTLE_REBUILD: {
            size_bits size = bits_of(decision->width, decision->height);
            size_bits previous = bits_of(decision->previous_width, decision->previous_height);
            prove(!is_interacting[slot], "no rebuild within an interaction");
            prove(is_known(size) && !same_size(size, previous), "no rebuild for the size that is built");
            break;
        }
        default: prove(decision->kind == SETTLE_LOCK_CHANGED, "a decision is one of four"); break;
        }
    }
    for (uint32_t i = 0; i < SCENES; i++) {
        if (i >= used_before || !has(&before[i], STATE_CONNECTED)) continue;
        const scene_hot *hot = at_hot(i);
        prove(is_interacting[i] == has(hot, STATE_INTERACTING), "every begin and end is reported");
        if (has_ended[i] || !same_size(hot->size, before[i].size)) *at_returned(i) = false;
    }
}

#endif
