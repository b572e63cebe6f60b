/* Events in, deadlines fired in order. Numbers in comments are those of
 * docs/contract.md; rule 6 is in owing.h, what is rare in rules.c. */
#include "owing.h"

/* So many scenes' lines stay in the second-level cache, and asking for them costs more
 * than it gains. Those of more are asked for some events ahead, so that they come in time. */
enum { SCENES_CACHED = 16384, PREFETCH_EVENTS = 24, EVENTS_AHEAD_BYTES = 768 };

/* Whether settle_apply_interaction has anything to do: the flag is news for the scene, or
 * a button is held. */
static inline bool touches_interaction(const settle_core *core, unsigned state, unsigned flags) {
    if (!(flags & SETTLE_RESIZING_KNOWN)) return core->buttons_held > 0;
    bool resizing = (flags & SETTLE_RESIZING) != 0;
    return !(state & STATE_REPORTS) || resizing != ((state & STATE_INTERACTING) != 0);
}

/* Rules 2 to 6, 9 and 11 for one geometry event of a valid size. It reads the
 * scene's state once and stores it once. `touches` is touches_interaction's answer. */
INLINE void apply_geometry(settle_core *core, scene_hot *hot, uint32_t slot, const settle_event *event,
                           uint64_t now_ns, bool touches) {
    size_bits size = bits_of(event->width, event->height);
    unsigned state = hot->state, flags = event->flags;
    hot->coalesced++;

    bool changed = !same_size(size, hot->size) && !zero_length(size.width) && !zero_length(size.height);
    if (changed) {
        hot->size = size;
        state &= ~(unsigned)STATE_FORGOTTEN;
    }
    bool just_ended = false;
    if (touches) {
        hot->state = (uint16_t)state;
        settle_apply_interaction(core, slot, flags, changed);
        just_ended = (state & STATE_INTERACTING) && !has(hot, STATE_INTERACTING);
        state = hot->state;
    }
    if (state & STATE_INTERACTING) {
        hot->state = (uint16_t)state;
        uint64_t timeout_ns = policy_of(core, hot)->interaction_timeout_ns;
        if ((state & STATE_REPORTS) && timeout_ns != SETTLE_NEVER) {
            arm(core, hot, slot, state, after(now_ns, timeout_ns));
        }
    } else if ((!FAULT(CHANGE_OWES_NOTHING) && changed) || (!FAULT(END_OWES_NOTHING) && just_ended)) {
        owe(core, hot, slot, state, now_ns);
    }
    if (flags & SETTLE_LOCKED_KNOWN) settle_apply_lock(core, slot, (flags & SETTLE_LOCKED) != 0);
}

/* Rule 1: what is due up to now_ns, in order; then time is now_ns. */
static COLD int run_due(settle_core *core, uint64_t now_ns) {
    if (core->releasing && settle_finish_release(core) != SETTLE_OK) return SETTLE_FULL;
    while (core->next_due_ns <= now_ns) {
        deadline_key key;
        uint32_t slot = settle_deadlines_first(core, &key);
        settle_deadlines_update_bound(core);
        if (slot == NO_SLOT || (!FAULT(DEADLINE_UNCHECKED) && key.deadline_ns > now_ns)) break;
        if (decisions_full(core)) return SETTLE_FULL;
        settle_fire(core, slot, key);
        settle_deadlines_place(core, slot);
        settle_deadlines_update_bound(core);
    }
    core->now_ns = later(core->now_ns, now_ns);
    return SETTLE_OK;
}

/* What submit does with one event. */
typedef enum submit_outcome { APPLIED, REJECTED, NO_ROOM } submit_outcome;

static submit_outcome reject(uint64_t *counter) {
    ++*counter;
    return REJECTED;
}

static bool one_button_too_many(const settle_core *core, const settle_event *event) {
    return !FAULT(BUTTONS_UNBOUNDED) && (event->flags & SETTLE_PRESSED) && core->buttons_held == SETTLE_BUTTONS_MAX &&
           settle_button_index(core, event->scene) == core->buttons_held;
}

/* Any event: rules 2 and 10 refuse it before it can move time, rule 1 brings time to
 * it, then its own rules apply. */
static COLD submit_outcome submit_any(settle_core *core, const settle_event *event) {
    uint32_t slot = NO_SLOT;
    if (!known_event(event) || (event->kind == SETTLE_POINTER && one_button_too_many(core, event))) {
        return reject(&core->stats.rejected_event);
    }
    if (!valid_size(event)) return reject(&core->stats.rejected_size);
    if (event->kind != SETTLE_POINTER && !find_scene(core, event->scene, &slot)) {
        return reject(&core->stats.rejected_scene);
    }
    if (run_due(core, later(event->at_ns, core->now_ns)) != SETTLE_OK || decisions_full(core)) return NO_ROOM;

    core->stats.regressions += event->at_ns < core->now_ns;
    switch (event->kind) {
    case SETTLE_GEOMETRY:
        apply_geometry(core, &core->hot[slot], slot, event, core->now_ns,
                       touches_interaction(core, core->hot[slot].state, event->flags));
        break;
    case SETTLE_DISCONNECT: settle_apply_disconnect(core, slot); break;
    case SETTLE_POINTER: settle_apply_pointer(core, event); break;
    case SETTLE_FLUSH: settle_apply_flush(core, slot); break;
    case SETTLE_CANCEL: settle_apply_cancel(&core->hot[slot]); break;
    case SETTLE_BUILT: settle_apply_built(&core->hot[slot], event); break;
    default: break; /* SETTLE_CONNECT of a connected scene */
    }
    return APPLIED;
}

/* Where events find their scenes; submit keeps it in registers. */
typedef struct slot_table {
    scene_hot *hot;
    uint32_t mask, used;
} slot_table;

INLINE void prefetch(const slot_table *slots, const settle_event *event) {
    uint32_t slot = event->scene & slots->mask;
    if (slot < slots->used) __builtin_prefetch(&slots->hot[slot], 1);
}

/* Asks for events further ahead than the processor looks by itself; they need not exist. */
INLINE void prefetch_events(const settle_event *event) {
    __builtin_prefetch((const void *)((uintptr_t)event + EVENTS_AHEAD_BYTES));
}

_Static_assert((int)STATE_REPORTS == (int)SETTLE_RESIZING_KNOWN && (int)STATE_INTERACTING == (int)SETTLE_RESIZING,
               "one comparison tells that an event's flag is no news");

/* Whether an event is of the common kind: geometry of a connected scene, in time,
 * before the next deadline, and no news for an interaction. All of it applies
 * without a decision. */
INLINE bool is_plain(const settle_core *core, const slot_table *slots, const settle_event *event, uint64_t now_ns) {
    unsigned flags = event->flags;
    if (event->kind | (flags & ~(unsigned)SETTLE_FLAGS_ALL)) return false;
    size_bits size = bits_of(event->width, event->height);
    if (size.width >= INFINITE_LENGTH || size.height >= INFINITE_LENGTH) return false;
    uint32_t slot = event->scene & slots->mask;
    if (slot >= slots->used) return false;
    const scene_hot *hot = &slots->hot[slot];
    if (hot->handle != event->scene || event->at_ns < now_ns || event->at_ns >= core->next_due_ns) return false;
    /* A scene that reports and an event that does not are no news either, but rare. */
    if ((flags ^ hot->state) & (SETTLE_RESIZING_KNOWN | SETTLE_RESIZING)) return false;
    return (flags & SETTLE_RESIZING_KNOWN) || core->buttons_held == 0;
}

/* An event's last eight bytes, to look at in one load. */
typedef union event_tail {
    struct {
        uint32_t scene;
        uint16_t kind, flags;
    } is;
    uint64_t bits;
} event_tail;

_Static_assert(offsetof(settle_event, scene) + sizeof(event_tail) == sizeof(settle_event) &&
                   offsetof(settle_event, kind) == offsetof(settle_event, scene) + 4 &&
                   offsetof(settle_event, flags) == offsetof(settle_event, scene) + 6,
               "scene, kind and flags are the last 8 bytes");

INLINE event_tail tail_of(const settle_event *event) {
    event_tail tail;
    memcpy(&tail.bits, &event->scene, sizeof tail.bits);
    return tail;
}

/* Whether events repeat each other in all but time and size. */
INLINE bool repeats(const settle_event *event, const settle_event *other) {
    return tail_of(event).bits == tail_of(other).bits;
}

/* A flood of one scene: applies events that repeat events[0], which was plain and just
 * applied, as far as they come to nothing but a new size and a later deadline, and says
 * how many. Only the last change counts then: it is stored once, in the end. What is no
 * news for an interaction the first time is none when repeated.
 *
 * The run stops before anything else could happen: at a size that is built (rule 6
 * ends the debt), at the next deadline, or when one armed within the run would fire. */
INLINE size_t apply_run(settle_core *core, scene_hot *hot, uint32_t slot, const settle_event *events, size_t count) {
    unsigned state = hot->state;
    const settle_policy *policy = policy_of(core, hot);
    bool is_interacting = (state & STATE_INTERACTING) != 0;
    if (is_interacting ? policy->interaction_timeout_ns != SETTLE_NEVER : !(state & STATE_OWED)) return 0;

    uint64_t now_ns = core->now_ns, changed_ns = 0, limit_ns = core->next_due_ns;
    uint64_t shortest_ns = earlier(policy->settle_delay_ns, policy->quiet_delay_ns);
    size_bits size = hot->size, built = hot->built;
    size_t i = 1;
    for (; i < count && repeats(&events[i], &events[0]); i++) {
        prefetch_events(&events[i]);
        size_bits next = bits_of(events[i].width, events[i].height);
        uint64_t at_ns = events[i].at_ns;
        /* Less one, zero is beyond infinity too: it keeps the size, elsewhere. */
        if (next.width - 1 >= INFINITE_LENGTH - 1 || next.height - 1 >= INFINITE_LENGTH - 1) break;
        if (at_ns < now_ns || at_ns >= FAULT(RUN_PASSES_DEADLINE) + limit_ns) break;
        if (!same_size(next, size)) {
            if (!is_interacting) {
                if (same_size(next, built)) break;
                if (changed_ns == 0) limit_ns = earlier(limit_ns, after(at_ns, shortest_ns));
            }
            size = next;
            changed_ns = at_ns;
        }
        now_ns = at_ns;
    }
    hot->coalesced += (uint32_t)(i - 1);
    core->now_ns = now_ns;
    if (same_size(size, hot->size) && changed_ns == 0) return i - 1;
    hot->size = size;
    state &= ~(unsigned)STATE_FORGOTTEN;
    hot->state = (uint16_t)state;
    if (!is_interacting) owe(core, hot, slot, state, changed_ns);
    return i - 1;
}

enum {
    POSTPONING_FLAGS = SETTLE_FLAGS_ALL & ~(SETTLE_LOCKED_KNOWN | SETTLE_RESIZING),
    POSTPONED_STATE = STATE_OWED | STATE_ARMED | STATE_LINKED,
    POSTPONING_STATE = POSTPONED_STATE | STATE_REPORTS | STATE_INTERACTING,
    NO_STATE = 1 << 16
};

/* What the loop over events keeps in registers; the events might alias the core. */
typedef struct flood_state {
    slot_table slots;
    const policy_row *policies;
    uint64_t now_ns, next_due_ns, order;
    unsigned state;             /* POSTPONED_STATE, or NO_STATE while a button is held */
} flood_state;

INLINE void flood_load(flood_state *flood, const settle_core *core) {
    flood->now_ns = core->now_ns;
    flood->next_due_ns = core->next_due_ns;
    flood->order = core->order;
    flood->state = core->buttons_held > 0 ? (unsigned)NO_STATE : (unsigned)POSTPONED_STATE;
}

INLINE void flood_store(const flood_state *flood, settle_core *core) {
    core->now_ns = flood->now_ns;
    core->order = flood->order;
}

/* The event that floods are made of: a new size for a scene that owes a rebuild, is
 * linked already and now owes it later. That is all there is of rules 2 to 6 then, in
 * half the instructions. False, and nothing done, for any other event. */
INLINE bool postpones(flood_state *flood, const settle_event *event) {
    const event_tail tail = tail_of(event), others = {{0, UINT16_MAX, (uint16_t)~POSTPONING_FLAGS}};
    if (tail.bits & others.bits) return false;
    uint32_t slot = tail.is.scene & flood->slots.mask;
    if (slot >= flood->slots.used) return false;
    scene_hot *hot = &flood->slots.hot[slot];
    uint64_t at_ns = event->at_ns;
    unsigned state = hot->state;
    if (hot->handle != tail.is.scene || at_ns < flood->now_ns ||
        at_ns >= FAULT(POSTPONE_PASSES_DEADLINE) + flood->next_due_ns) return false;
    if ((state & POSTPONING_STATE) != ((tail.is.flags & SETTLE_RESIZING_KNOWN) | flood->state)) return false;
    size_bits size;
    memcpy(&size, &event->width, sizeof size);
    /* Less one, zero is beyond infinity too. */
    if (size.width - 1 >= INFINITE_LENGTH - 1 || size.height - 1 >= INFINITE_LENGTH - 1) return false;
    if (!FAULT(POSTPONE_BUILT_SIZE) && same_size(size, hot->built)) return false;
    unsigned quiet = quiet_state(state);
    uint64_t deadline_ns = at_ns + flood->policies[hot->policy].postponing_ns[quiet / STATE_QUIET];
    if (deadline_ns > INT64_MAX || (!FAULT(POSTPONE_MOVES_EARLIER) && deadline_ns < hot->deadline_ns)) return false;

    flood->now_ns = at_ns;
    hot->coalesced++;
    if (same_size(size, hot->size)) return true;
    hot->size = size;
    hot->deadline_ns = deadline_ns;
    hot->order = ++flood->order;
    hot->state = (uint16_t)((state & ~(unsigned)(STATE_CAPPED | STATE_QUIET)) | quiet);
    return true;
}

/* Any event or run of events; says how many were taken. */
static size_t submit_next(settle_core *core, const slot_table *slots, const settle_event *event, size_t count,
                          submit_outcome *outcome) {
    if (!is_plain(core, slots, event, core->now_ns)) {
        *outcome = submit_any(core, event);
        core->stats.events += *outcome == APPLIED;
        return *outcome != NO_ROOM;
    }
    uint32_t slot = event->scene & slots->mask;
    core->now_ns = event->at_ns;
    apply_geometry(core, &core->hot[slot], slot, event, core->now_ns, false);
    size_t taken = 1;
    if (count > 1 && repeats(event, event + 1)) taken += apply_run(core, &core->hot[slot], slot, event, count);
    core->stats.events += taken;
    *outcome = APPLIED;
    return taken;
}

INLINE submit_outcome submit_all(settle_core *core, const settle_event *events, size_t count, bool is_large,
                          size_t *accepted) {
    flood_state flood = {.slots = {core->hot, core->slot_mask, core->slots_used}, .policies = core->policies};
    flood_load(&flood, core);
    const settle_event *event = events, *end = events + count;
    uint64_t postponed = 0;
    submit_outcome last = APPLIED;
    if (is_large) {
        for (size_t i = 0; i < PREFETCH_EVENTS && i < count; i++) prefetch(&flood.slots, event + i);
    }
    while (event < end) {
        if (is_large && end - event > PREFETCH_EVENTS) prefetch(&flood.slots, event + PREFETCH_EVENTS);
        prefetch_events(event);
        /* A run is better taken as one. */
        bool is_run = event + 1 < end && repeats(event, event + 1);
        if (!is_run && postpones(&flood, event)) {
            event++;
            postponed++;
            continue;
        }
        flood_store(&flood, core);
        size_t taken = submit_next(core, &flood.slots, event, (size_t)(end - event), &last);
        /* Even an event that finds no room may have fired a deadline. */
        flood_load(&flood, core);
        if (taken == 0) break;
        event += taken;
    }
    flood_store(&flood, core);
    core->stats.events += postponed;
    *accepted = (size_t)(event - events);
    return last;
}

int settle_core_submit(settle_core *core, const settle_event *events, size_t count, size_t *accepted) {
    SETTLE_ASSERT(core && accepted && (events || count == 0));
    submit_outcome last = core->slots_used > SCENES_CACHED ? submit_all(core, events, count, true, accepted)
                                                    : submit_all(core, events, count, false, accepted);
    if (core->releasing) return settle_finish_release(core);
    return last == NO_ROOM ? SETTLE_FULL : SETTLE_OK;
}

int settle_core_advance(settle_core *core, uint64_t now_ns) {
    SETTLE_ASSERT(core);
    if (now_ns > INT64_MAX) return SETTLE_INVALID;
    return run_due(core, FAULT(FIRES_EARLY) ? now_ns + 1000 : now_ns);
}

int settle_core_finish(settle_core *core) {
    SETTLE_ASSERT(core);
    for (;;) {
        uint64_t next_ns = settle_core_next_deadline_ns(core);
        if (next_ns == SETTLE_NEVER) return SETTLE_OK;
        if (run_due(core, next_ns) != SETTLE_OK) return SETTLE_FULL;
    }
}

uint64_t settle_core_next_wake_ns(const settle_core *core) {
    if (core->releasing) return core->now_ns;
    return core->next_due_ns == NOTHING_DUE_NS ? SETTLE_NEVER : core->next_due_ns;
}

uint64_t settle_core_next_deadline_ns(settle_core *core) {
    if (core->releasing) return core->now_ns;
    deadline_key key;
    if (settle_deadlines_first(core, &key) == NO_SLOT) {
        core->next_due_ns = NOTHING_DUE_NS;
        return SETTLE_NEVER;
    }
    core->next_due_ns = key.deadline_ns;
    return key.deadline_ns;
}
