/* The invariant of the core between two calls, and the promises of its decisions. */
#ifndef SETTLE_CORE_INVARIANT_H
#define SETTLE_CORE_INVARIANT_H

#include "abstract_deadlines.h"
#include "rebuild_deadline.h"

/* What the promises need to know of a scene, and the core does not keep. */
typedef struct ghost_scene {
    uint64_t alive_ns;  /* its last new size, or the begin of its last interaction */
    uint64_t change_ns; /* its last new size, or the end of its last interaction */
    uint64_t still_ns;  /* its last new size, or policy */
    /* The policy changed since, so the armed deadlines are those of the one before. */
    bool has_old_waits, has_old_watchdog;
    bool returned;      /* rule 13: built was returned while nothing was armed, and nothing changed since */
    bool returned_live; /* rule 18: built was returned, and the size did not change since */
    bool released;      /* rule 17: the pointer was released, and the size did not change since */
} ghost_scene;

static ghost_scene ghost_0, ghost_1;

static ghost_scene *at_ghost(uint32_t slot) { return SCENES == 1 || slot == 0 ? &ghost_0 : &ghost_1; }

/* The policies that the core was given. */
static settle_policy given_0, given_1;

static settle_policy *at_given(uint32_t number) { return POLICIES == 1 || number == 0 ? &given_0 : &given_1; }
static const settle_policy *policy_of(const settle_core *core, const scene_hot *hot) { return at_given(hot->policy); }

static bool is_pending(const scene_hot *hot) { return has(hot, STATE_ARMED) && !has(hot, STATE_INTERACTING); }
static bool is_by_pointer(const scene_hot *hot) { return has(hot, STATE_INTERACTING) && !has(hot, STATE_REPORTS); }
static bool is_connected(uint32_t slot) { return (at_hot(slot)->handle & 1) == slot; }

/* Whether rule 16 chose the deadline. */
static bool is_quiet(const scene_hot *hot) {
    return is_pending(hot) && !has(hot, STATE_DISCRETE | STATE_AFTER | STATE_FIRST | STATE_CAPPED);
}

static bool is_size_or_none(size_bits size) {
    if (size.width == 0) return size.height == 0;
    return size.height != 0 && size.width < INFINITE_LENGTH && size.height < INFINITE_LENGTH;
}

static bool has_nothing_pending(const scene_hot *hot, uint32_t slot) {
    return !is_known(hot->size) || same_size(hot->size, hot->built) ||
           has(hot, STATE_INTERACTING | STATE_CANCELLED) || at_ghost(slot)->returned;
}

static bool valid_policy(const settle_core *core, const settle_policy *policy) {
    return is_policy_in_range(policy) && (policy->pause_delay_ns == SETTLE_NEVER || core->previews) &&
           (policy->live_share_percent == SETTLE_NEVER || core->lives);
}

/* The phases a scene can be in. */
static bool valid_state(const settle_core *core, uint32_t slot) {
    const scene_hot *hot = at_hot(slot);
    bool is_interacting = has(hot, STATE_INTERACTING);
    const settle_policy *policy = policy_of(core, hot);
    if (!is_pending(hot) && has(hot, STATE_AFTER | STATE_CAPPED | STATE_FIRST | STATE_CONSULTED)) return false;
    if (is_pending(hot) && (has(hot, STATE_CANCELLED) || !is_known(hot->size))) return false;
    if (is_interacting && has(hot, STATE_ARMED) && policy->interaction_timeout_ns == SETTLE_NEVER) return false;
    if (has(hot, STATE_EXTRA_ARMED) != (preview_armed(core, slot) || live_armed(core, slot))) return false;
    if (has(hot, STATE_IN_HEAP) && !has(hot, STATE_LINKED)) return false;
    return has(hot, STATE_LOCK_ARMED) == (has(hot, STATE_LOCK_RAW) != has(hot, STATE_LOCK_DELIVERED));
}

/* Rules 3 and 4: a scene that reports or that the pointer drags is discrete, and what is stuck is a flag. */
static bool valid_flags(const scene_hot *hot) {
    if (has(hot, STATE_STUCK) && (has(hot, STATE_INTERACTING) || !has(hot, STATE_REPORTS))) return false;
    return has(hot, STATE_DISCRETE) || !(has(hot, STATE_REPORTS) || is_by_pointer(hot));
}

/* The paths of a flood only move the deadline of a steady scene: by the same delay, from the time
 * of its last change. */
static bool valid_steady(const settle_core *core, uint32_t slot) {
    const scene_hot *hot = at_hot(slot);
    const policy_row *row = at_policies(hot->policy);
    const settle_policy *policy = policy_of(core, hot);
    if (has(hot, STATE_CONSULTED) && (!has(hot, STATE_STEADY) || has(hot, STATE_DELAY_BITS) || row->quiet_is_fixed)) return false;
    if (!has(hot, STATE_STEADY)) return true;
    if (!has(hot, STATE_ARMED) || has(hot, STATE_FIRST | STATE_CANCELLED) || hot->deadline_ns >= INT64_MAX) return false;
    uint64_t delay_ns = delay_of(row, hot->state);
    if (hot->deadline_ns < delay_ns || hot->deadline_ns - delay_ns > core->now_ns) return false;
    if (policy->pause_delay_ns != SETTLE_NEVER) return false;
    bool is_live = policy->live_share_percent != SETTLE_NEVER;
    if (is_live && hot->deadline_ns - delay_ns != at_ghost(slot)->still_ns) return false;
    if (has(hot, STATE_INTERACTING)) return !is_live || settle_live_is_fixed(core, slot);
    bool is_consulted = !has(hot, STATE_DELAY_BITS) && !row->quiet_is_fixed;
    if (is_consulted && !row->quiet_is_steady) return false;
    return !is_live && policy->maximum_wait_ns == SETTLE_NEVER && is_known(hot->built) &&
           has(hot, STATE_CONSULTED) == is_consulted;
}

/* Rules 11, 16 to 18: the times of changes that are kept. */
static bool valid_changes(const settle_core *core, uint32_t slot) {
    const scene_hot *hot = at_hot(slot);
    const settle_policy *policy = policy_of(core, hot);
    uint64_t change_ns = at_cold(slot)->change_ns, still_ns = at_ghost(slot)->still_ns;
    if (still_ns > core->now_ns || at_ghost(slot)->alive_ns > core->now_ns) return false;
    if (policy->pause_delay_ns != SETTLE_NEVER && at_previews(slot)->change_ns != still_ns) return false;
    if (policy->live_share_percent != SETTLE_NEVER && !has(hot, STATE_STEADY) && at_lives(slot)->change_ns != still_ns) return false;
    return change_ns <= core->now_ns || change_ns == NO_CHANGE_NS;
}

/* Rule 6: a pending rebuild waits as long as its reason says, unless maximumWait caps it. */
static bool is_wait_of_rule_6(const settle_core *core, uint32_t slot) {
    const scene_hot *hot = at_hot(slot);
    const settle_policy *policy = policy_of(core, hot);
    if (!is_pending(hot) || is_quiet(hot) || has(hot, STATE_CAPPED) || at_ghost(slot)->has_old_waits) return true;
    uint64_t delay_ns = policy->discrete_delay_ns, change_ns = at_ghost(slot)->change_ns;
    if (has(hot, STATE_AFTER)) delay_ns = policy->reported_end_delay_ns;
    /* What is prepared waits as after a reported end; it may be given up, or prepared, since. */
    bool may_be_prepared = policy->pause_delay_ns != SETTLE_NEVER && policy->pause_share_percent != SETTLE_NEVER;
    if ((hot->state & STATE_AFTER) == STATE_AFTER_RELEASED &&
        (!may_be_prepared || hot->deadline_ns != after(change_ns, delay_ns))) delay_ns = policy->released_end_delay_ns;
    if (has(hot, STATE_FIRST)) delay_ns = policy->first_delay_ns;
    return hot->deadline_ns == after(change_ns, delay_ns);
}

/* Rule 16: a quiet wait is jumpDelay or quietDelay. */
static bool is_wait_of_rule_16(const settle_core *core, uint32_t slot) {
    const scene_hot *hot = at_hot(slot);
    const settle_policy *policy = policy_of(core, hot);
    if (!is_quiet(hot) || at_ghost(slot)->has_old_waits) return true;
    uint64_t change_ns = at_ghost(slot)->change_ns;
    if (policy->jump_delay_ns != SETTLE_NEVER && hot->deadline_ns == after(change_ns, policy->jump_delay_ns)) return true;
    return hot->deadline_ns == after(change_ns, policy->quiet_delay_ns);
}

/* Rule 6: maximumWait counts from the first change; a rebuild that it caps waits exactly as long. */
static bool is_wait_within_maximum(const settle_core *core, uint32_t slot) {
    const scene_hot *hot = at_hot(slot);
    const settle_policy *policy = policy_of(core, hot);
    if (!is_pending(hot) || policy->maximum_wait_ns == SETTLE_NEVER) return true;
    uint64_t since_ns = at_cold(slot)->pending_since_ns, change_ns = at_ghost(slot)->change_ns;
    if (at_ghost(slot)->has_old_waits) return since_ns <= core->now_ns;
    uint64_t cap_ns = later(after(since_ns, policy->maximum_wait_ns), change_ns);
    return since_ns <= change_ns && (has(hot, STATE_CAPPED) ? hot->deadline_ns == cap_ns : hot->deadline_ns <= cap_ns);
}

/* Rule 11: an interaction with a watchdog ends, so long after its begin or its last change of size. */
static bool is_watched(const settle_core *core, uint32_t slot) {
    const scene_hot *hot = at_hot(slot);
    uint64_t timeout_ns = policy_of(core, hot)->interaction_timeout_ns;
    if (!has(hot, STATE_INTERACTING) || timeout_ns == SETTLE_NEVER || at_ghost(slot)->has_old_watchdog) return true;
    return has(hot, STATE_ARMED) && hot->deadline_ns == after(at_ghost(slot)->alive_ns, timeout_ns);
}

/* Rule 17: a preview is for a size that is owed, stands still and is not remembered, while nothing is in flight. It waits
 * for pauseDelay, but after a release, and until the last one is paid for. */
static bool is_pause_of_rule_17(const settle_core *core, uint32_t slot) {
    const scene_hot *hot = at_hot(slot);
    const scene_preview *scene = at_previews(slot);
    const settle_policy *policy = policy_of(core, hot);
    bool is_paid_for = policy->pause_delay_ns != SETTLE_NEVER && policy->pause_share_percent != SETTLE_NEVER;
    if (core->previews && !is_paid_for && (scene->in_flight || scene->paid_ns > 0)) return false;
    if (core->previews && policy->pause_delay_ns == SETTLE_NEVER && is_known(scene->previewed)) return false;
    if (core->previews && (scene->paid_ns > INT64_MAX || (scene->in_flight && !is_known(hot->size)))) return false;
    if (!preview_armed(core, slot)) return true;
    if (policy->pause_delay_ns == SETTLE_NEVER || scene->in_flight || has(hot, STATE_CANCELLED)) return false;
    if (!is_known(hot->size) || same_size(hot->size, hot->built) || same_size(hot->size, scene->previewed)) return false;
    if (!has(hot, STATE_INTERACTING | STATE_ARMED)) return false;
    if (is_paid_for && scene->deadline_ns < scene->paid_ns) return false;
    if (at_ghost(slot)->has_old_waits) return true;
    uint64_t still_ns = after(at_ghost(slot)->still_ns, policy->pause_delay_ns);
    if (!is_paid_for) return scene->deadline_ns == still_ns;
    return at_ghost(slot)->released || scene->deadline_ns >= still_ns;
}

/* Rule 18: when the build reported last is paid for. */
static uint64_t pay_day_of(const settle_core *core, uint32_t slot) {
    const scene_live *live = at_lives(slot);
    uint64_t pause_ns = policy_of(core, at_hot(slot))->live_pause_ns;
    if (pause_ns == SETTLE_NEVER) return live->paid_ns;
    return earlier(live->paid_ns, later(live->paid_once_ns, after(at_ghost(slot)->still_ns, pause_ns)));
}

/* Rule 18: a live deadline is for a size that is owed, with no build in flight. Under the policy that armed it
 * (one set since forgets the costs) it is the first time from now on at which the last build is paid for and liveInterval
 * after the last rebuild has passed. What may be built live is armed. */
static bool is_live_of_rule_18(const settle_core *core, uint32_t slot) {
    const scene_hot *hot = at_hot(slot);
    const scene_live *live = at_lives(slot);
    const settle_policy *policy = policy_of(core, hot);
    bool is_armed = live_armed(core, slot), is_paid = core->lives && live->paid_ns != SETTLE_NEVER;
    bool is_owed = policy->live_share_percent != SETTLE_NEVER && !same_size(hot->size, hot->built) &&
                   !has(hot, STATE_CANCELLED) && !live->in_flight;
    if ((is_armed || (core->lives && live->in_flight)) && !is_known(hot->size)) return false;
    if (!is_armed) return !is_owed || !is_known(hot->built) || !is_paid || at_ghost(slot)->returned_live;
    uint64_t first_ns = later(pay_day_of(core, slot), after(live->rebuilt_ns, policy->live_interval_ns));
    return is_owed && (!is_paid || live->deadline_ns == later(core->now_ns, first_ns));
}

/* An armed deadline is a valid time that is not past. */
static bool valid_deadlines(const settle_core *core, uint32_t slot) {
    const scene_hot *hot = at_hot(slot);
    const scene_cold *cold = at_cold(slot);
    const scene_preview *scene = at_previews(slot);
    const scene_live *live = at_lives(slot);
    uint64_t lock_order = order_of(core, cold->lock_order), live_order = order_of(core, live->order);
    bool has_preview = preview_armed(core, slot), has_live = live_armed(core, slot);
    const bool is_released = core->releasing && !has(hot, STATE_INTERACTING);
    const uint64_t preview_order = is_released ? later(core->order, core->release_order) : core->order;
    if (at_ghost(slot)->change_ns > core->now_ns) return false;
    if (has(hot, STATE_ARMED)) {
        if (hot->deadline_ns < core->now_ns || hot->deadline_ns > INT64_MAX) return false;
        if (hot->order > core->order) return false;
    }
    if (has_preview) {
        if (scene->deadline_ns < core->now_ns || scene->deadline_ns > INT64_MAX) return false;
        if (scene->order > preview_order) return false;
        if (has(hot, STATE_ARMED) && hot->order == scene->order) return false;
    }
    if (has_live) {
        if (live->deadline_ns < core->now_ns || live->deadline_ns > INT64_MAX) return false;
        if (live_order > core->order) return false;
        if (has(hot, STATE_ARMED) && hot->order == live_order) return false;
        if (has_preview && scene->order == live_order) return false;
    }
    if (has(hot, STATE_LOCK_ARMED)) {
        if (cold->lock_deadline_ns < core->now_ns || cold->lock_deadline_ns > INT64_MAX) return false;
        if (lock_order > core->order) return false;
        if (has(hot, STATE_ARMED) && hot->order == lock_order) return false;
        if (has_preview && scene->order == lock_order) return false;
        if (has_live && live_order == lock_order) return false;
    }
    if (has(hot, STATE_INTERACTING) && cold->interaction_ns > core->now_ns) return false;
    if (!has(hot, STATE_LINKED)) return true;
    return at_link(slot)->deadline_ns >= core->next_due_ns && at_link(slot)->order <= preview_order;
}

/* A free slot has the other one's handle, and no state. */
static bool valid_slot(const settle_core *core, uint32_t slot) {
    const scene_hot *hot = at_hot(slot);
    if (hot->handle >> 1 == 0) return false;
    return is_connected(slot) ? hot->policy < core->policies_count : hot->state == 0;
}

/* What holds of a connected scene. */
#define SCENE_PARTS(PART) \
    PART(is_size_or_none(hot->size) && is_size_or_none(hot->built), "sizes are known or not") \
    PART(valid_state(core, slot), "a scene is in one of its phases") \
    PART(valid_flags(hot), "what reports or is dragged is discrete, and what is stuck reports") \
    PART(!is_pending(hot) || !same_size(hot->size, hot->built), "no built size is pending") \
    PART(valid_deadlines(core, slot), "a deadline is a time, and not past") \
    PART(valid_steady(core, slot), "a steady deadline is the same delay after each change") \
    PART(valid_changes(core, slot), "the times of changes are known") \
    PART(is_wait_of_rule_6(core, slot), "a rebuild waits as long as its reason says") \
    PART(is_wait_of_rule_16(core, slot), "a quiet wait is jumpDelay or quietDelay") \
    PART(is_wait_within_maximum(core, slot), "maximumWait bounds a wait, and cuts none short") \
    PART(is_watched(core, slot), "an interaction with a watchdog ends") \
    PART(is_pause_of_rule_17(core, slot), "a preview is owed, paid for, and nothing is in flight") \
    PART(is_live_of_rule_18(core, slot), "what is built live is owed, paid for, and nothing is in flight") \
    PART(has(hot, STATE_ARMED) || has_nothing_pending(hot, slot), "what is not built is armed")

#define HOLDS(condition, text) (condition) &&
static bool valid_scene(const settle_core *core, uint32_t slot) {
    const scene_hot *hot = at_hot(slot);
    if (!valid_slot(core, slot)) return false;
    return !is_connected(slot) || (SCENE_PARTS(HOLDS) true);
}

/* The list of pointer interactions has exactly those, and its links agree in both directions. */
static bool valid_pointer_list(const settle_core *core) {
    uint32_t members = 0, listed = 0, previous = NO_SLOT, slot = core->pointer_first;
    for (uint32_t i = 0; i < SCENES; i++) members += i < core->slots_used && is_by_pointer(at_hot(i));
    for (uint32_t i = 0; i < SCENES && slot != NO_SLOT; i++) {
        if (slot >= core->slots_used || !is_by_pointer(at_hot(slot))) return false;
        if (at_cold(slot)->list.prev != previous) return false;
        previous = slot;
        slot = at_cold(slot)->list.next;
        listed++;
    }
    if (members > 0 && core->buttons_held == 0 && !core->releasing) return false;
    /* The rebuilds that are still to be armed come before all previews of the release. */
    if (core->releasing && core->previews && core->order + members > core->release_order) return false;
    return slot == NO_SLOT && listed == members && core->pointer_last == previous;
}

static bool walk_free(const settle_core *core, uint32_t slot, uint32_t *count, uint32_t *last) {
    *last = NO_SLOT;
    for (uint32_t i = 0; i < SCENES && slot != NO_SLOT; i++) {
        if (slot >= core->slots_used || is_connected(slot)) return false;
        ++*count;
        *last = slot;
        slot = at_cold(slot)->list.next;
    }
    return slot == NO_SLOT;
}

/* Every slot that is not connected is in one of the lists of free slots. */
static bool valid_free_lists(const settle_core *core) {
    uint32_t connected = 0, listed = 0, last, exhausted_last;
    for (uint32_t i = 0; i < SCENES; i++) connected += i < core->slots_used && is_connected(i);
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
        if (i < core->buttons_held && *at_pressed_ns(i) > core->now_ns) return false;
    }
    return true;
}

static bool valid_bounds(const settle_core *core) {
    return core->now_ns <= INT64_MAX && core->next_due_ns <= NOTHING_DUE_NS && core->slots_used <= SCENES &&
           core->decisions_first < DECISIONS && core->decisions_waiting <= DECISIONS &&
           core->policies_count >= 1 && core->policies_count <= POLICIES &&
           /* Ages of arming at a billion a second. */
           core->order < (uint64_t)1 << 62 && core->release_order < (uint64_t)1 << 62 &&
           (!core->releasing || (core->next_due_ns == 0 && core->buttons_held == 0));
}

static bool invariant(const settle_core *core) {
    if (!valid_bounds(core) || !valid_buttons(core)) return false;
    for (uint32_t i = 0; i < POLICIES; i++) {
        if (i < core->policies_count && !valid_policy(core, at_given(i))) return false;
    }
    for (uint32_t i = 0; i < SCENES; i++) {
        if (i >= core->slots_used) continue;
        if (!valid_scene(core, i) || !is_linked_well(core, i)) return false;
    }
    return valid_pointer_list(core) && valid_free_lists(core);
}

/* The same, with a name for each part. */
static void check_invariant(const settle_core *core) {
    prove(core->now_ns <= INT64_MAX && core->slots_used <= SCENES, "indices stay in their bounds");
    prove(core->decisions_first < DECISIONS && core->decisions_waiting <= DECISIONS, "decisions stay in their bounds");
    for (uint32_t slot = 0; slot < SCENES; slot++) {
        if (slot >= core->slots_used) continue;
        const scene_hot *hot = at_hot(slot);
        prove(is_linked_well(core, slot), "the queue's contract: what is armed is linked in time");
        prove(valid_slot(core, slot), "a slot's handle is its own");
        if (!is_connected(slot)) continue;
#define PROVE(condition, text) prove(condition, text);
        SCENE_PARTS(PROVE)
    }
    prove(valid_pointer_list(core), "the pointer's interactions are those in its list");
    prove(valid_free_lists(core), "every slot is connected or free");
    prove(valid_buttons(core) && core->next_due_ns <= NOTHING_DUE_NS, "buttons and bound are sound");
    prove(!core->releasing || (core->next_due_ns == 0 && core->buttons_held == 0), "a release stops the fast path");
}

static void ghost_changed(uint32_t slot, uint64_t at_ns) {
    at_ghost(slot)->change_ns = at_ns;
    at_ghost(slot)->returned = at_ghost(slot)->has_old_waits = false;
}

/* A preview decides nothing about what is built or pending. */
static bool is_same_but_extras(const scene_hot *hot, const scene_hot *before) {
    const unsigned others = STATE_EXTRA_ARMED | STATE_LINKED | STATE_IN_HEAP | STATE_STEADY;
    return same_size(hot->size, before->size) && same_size(hot->built, before->built) &&
           ((hot->state ^ before->state) & ~others) == 0 &&
           (!has(hot, STATE_ARMED) || (hot->deadline_ns == before->deadline_ns && hot->order == before->order));
}

/* The scenes before a step. */
typedef struct scenes_before {
    scene_hot hot[SCENES];
    scene_preview preview[SCENES];
    uint64_t lock_ns[SCENES]; /* their deadlines */
    scene_live live[SCENES]; /* what rule 18 makes of it is written here */
    bool has_live[SCENES], has_preview[SCENES];
    uint64_t now_ns;
    uint32_t used, decisions_waiting;
} scenes_before;

static bool was_connected(const scenes_before *before, uint32_t slot) {
    return slot < before->used && (before->hot[slot].handle & 1) == slot;
}

/* Rule 18: a live rebuild comes at its deadline, only with liveShare and while nothing is in flight, when the last
 * build is paid for. */
static void check_live(const settle_core *core, const scenes_before *before, uint32_t slot, uint64_t at_ns) {
    const scene_live *live = &before->live[slot];
    const settle_policy *policy = policy_of(core, at_hot(slot));
    prove(before->has_live[slot] && at_ns == live->deadline_ns, "a live rebuild comes at its deadline");
    prove(policy->live_share_percent != SETTLE_NEVER, "a live rebuild needs liveShare");
    prove(!live->in_flight, "no live rebuild while a build is in flight");
    if (live->paid_ns == SETTLE_NEVER) return; /* armed under another policy */
    prove(at_ns >= pay_day_of(core, slot), "no live rebuild before the last build is paid for");
    prove(at_ns >= after(live->rebuilt_ns, policy->live_interval_ns), "no live rebuild within liveInterval");
}

/* Rule 18: what is known of builds is what rebuilds, reports, returns and policies make of it. A live deadline is
 * armed for the first time that the rule allows, while a build is paid for, and moved by nothing but a change of size. */
static void check_flight(const settle_core *core, const scenes_before *before, uint32_t slot) {
    const scene_live *live = at_lives(slot), *expected = &before->live[slot];
    prove(!live->in_flight == !expected->in_flight, "a build is in flight until its report");
    prove(live->rebuilt_ns == expected->rebuilt_ns, "the last rebuild's time is known");
    prove(live->paid_ns == expected->paid_ns, "only a report of the last rebuild pays for a build");
    if (!is_connected(slot) || !live_armed(core, slot)) return;
    if (before->has_live[slot] && same_size(at_hot(slot)->size, before->hot[slot].size))
        prove(live->deadline_ns == expected->deadline_ns, "nothing but a change of size moves a live deadline");
    else prove(live->paid_ns != SETTLE_NEVER || (before->has_live[slot] && live->deadline_ns == expected->deadline_ns),
               "a live deadline needs a report");
}

static bool is_paid_for(const settle_core *core, uint32_t slot) {
    const settle_policy *policy = policy_of(core, at_hot(slot));
    return core->previews && policy->pause_share_percent != SETTLE_NEVER;
}

/* The decisions of a step, compared with the scenes before it. `returned` is the slot of a scene whose
 * built size the step returned. */
static void check_decisions(const settle_core *core, scenes_before *before, uint32_t returned) {
    bool is_interacting[SCENES];
    size_bits built[SCENES];
    for (uint32_t i = 0; i < SCENES; i++) {
        is_interacting[i] = i < before->used && has(&before->hot[i], STATE_INTERACTING);
        built[i] = before->hot[i].built;
    }
    uint64_t at_ns = before->now_ns;
    for (uint32_t i = 0; i < DECISIONS; i++) {
        if (i < before->decisions_waiting || i >= core->decisions_waiting) continue;
        uint32_t at = core->decisions_first + i;
        if (at >= DECISIONS) at -= DECISIONS;
        const settle_decision *decision = at_decisions(at);
        uint32_t slot = decision->scene & 1;
        prove(was_connected(before, slot) && decision->scene == before->hot[slot].handle, "only a living scene is decided for");
        prove(decision->at_ns >= at_ns && decision->at_ns <= core->now_ns, "decisions come in the order of time");
        at_ns = decision->at_ns;
        size_bits size = bits_of(decision->width, decision->height);
        switch (decision->kind) {
        case SETTLE_INTERACTION_BEGAN:
            prove(!is_interacting[slot], "an interaction begins once");
            is_interacting[slot] = true;
            break;
        case SETTLE_INTERACTION_ENDED:
            prove(is_interacting[slot], "only an interaction ends");
            prove(decision->interaction_ns <= at_ns, "an interaction took no longer than time");
            is_interacting[slot] = false;
            ghost_changed(slot, at_ns);
            if (decision->reason == SETTLE_ENDED_RELEASED) at_ghost(slot)->released = true;
            if (decision->reason == SETTLE_ENDED_TIMEOUT)
                prove(has(at_hot(slot), STATE_STUCK) == has(at_hot(slot), STATE_REPORTS), "a flag that timed out is stuck");
            break;
        case SETTLE_REBUILD:
            if (decision->reason == SETTLE_REBUILD_LIVE) check_live(core, before, slot, at_ns);
            else prove(!is_interacting[slot], "no rebuild within an interaction");
            prove(is_known(size) && !same_size(size, built[slot]), "no rebuild for the size that is built");
            prove(!has(at_hot(slot), STATE_EXTRA_ARMED), "a rebuild disarms what else would be built or previewed");
            prove(!decision->prepared == !(is_paid_for(core, slot) && same_size(size, before->preview[slot].previewed)),
                  "a rebuild is prepared exactly if its size is remembered");
            prove(!core->previews || (!at_previews(slot)->in_flight && !is_known(at_previews(slot)->previewed)),
                  "a rebuild takes the work over, and forgets the preview");
            built[slot] = size;
            before->live[slot].in_flight = 1;
            before->live[slot].rebuilt_ns = at_ns;
            break;
        case SETTLE_PREVIEW:
            prove(is_interacting[slot] || is_pending(&before->hot[slot]), "a preview comes while a size is owed");
            prove(is_known(size) && !same_size(size, before->preview[slot].previewed), "no size is previewed twice in a row");
            prove(before->has_preview[slot] && at_ns == before->preview[slot].deadline_ns, "a preview comes at its deadline");
            prove(!before->preview[slot].in_flight, "no preview while one is in flight");
            prove(!is_paid_for(core, slot) || at_ns >= before->preview[slot].paid_ns, "no preview before the last is paid for");
            prove(!at_previews(slot)->in_flight == !is_paid_for(core, slot), "a preview that is paid for is in flight");
            prove(is_same_but_extras(at_hot(slot), &before->hot[slot]), "a preview changes nothing built or pending");
            prove(same_size(at_previews(slot)->previewed, size), "what was previewed is remembered");
            break;
        default: prove(decision->kind == SETTLE_LOCK_CHANGED, "a decision is one of five"); break;
        }
    }
    for (uint32_t i = 0; i < SCENES; i++) {
        if (!was_connected(before, i)) continue;
        const scene_hot *hot = at_hot(i);
        prove(is_interacting[i] == has(hot, STATE_INTERACTING), "every begin and end is reported");
        const unsigned kept = before->hot[i].state & (STATE_REPORTS | STATE_DISCRETE);
        prove(!is_connected(i) || (hot->state & kept) == kept, "a scene that reports or was dragged stays one");
        prove(i == returned || same_size(hot->built, built[i]), "only a rebuild changes what is built");
        if (core->lives) check_flight(core, before, i);
    }
}

#endif
