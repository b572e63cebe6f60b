/* Events in. Rule numbers are those of docs/contract.md; rule 6 is in rebuild_deadline.h, what
 * is rare is in rules.c.
 *
 * Three paths apply an event, and every event has the same outcome on each that accepts it:
 *   - try_postpone, for a new size of a scene with a pending rebuild: the deadline moves;
 *   - apply_plain and apply_run, for one or many geometry events without any decision;
 *   - submit_any, for everything.
 * docs/design.md says what each is worth. */
#include "rebuild_deadline.h"

/* The cache lines of up to SCENES_CACHED scenes stay in the second-level cache, and
 * prefetching them costs more than it gains. With more scenes, submit prefetches the line of
 * the event that is PREFETCH_EVENTS ahead. */
enum { SCENES_CACHED = 16384, PREFETCH_EVENTS = 24, EVENTS_AHEAD_BYTES = 768 };

/* Whether settle_apply_interaction has anything to do: the event's flag differs from the
 * scene's, or a button is held. */
static inline bool affects_interaction(const settle_core *core, unsigned state, unsigned flags) {
    if (!(flags & SETTLE_RESIZING_KNOWN)) return core->buttons_held > 0;
    bool resizing = (flags & SETTLE_RESIZING) != 0;
    return !(state & STATE_REPORTS) || resizing != ((state & STATE_INTERACTING) != 0);
}

/* Rules 2 to 6, 9 and 11 for one geometry event of a valid size. Loads the scene's state once
 * and stores it once. `affects` is the result of affects_interaction. */
INLINE void apply_geometry(settle_core *core, scene_hot *hot, uint32_t slot, const settle_event *event, uint64_t now_ns,
                           bool affects) {
    size_bits size = bits_of(event->width, event->height);
    unsigned state = hot->state, flags = event->flags;
    hot->coalesced++;

    bool changed = !same_size(size, hot->size) && !zero_length(size.width) && !zero_length(size.height);
    if (changed) {
        hot->size = size;
        state &= ~(unsigned)STATE_CANCELLED;
    }
    bool just_ended = false;
    if (affects) {
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
        schedule_rebuild(core, hot, slot, state, now_ns);
    }
    if (flags & SETTLE_LOCKED_KNOWN) settle_apply_lock(core, slot, (flags & SETTLE_LOCKED) != 0);
}

/* DECISIONS_FULL: the event was not consumed. */
typedef enum submit_outcome { APPLIED, REJECTED, DECISIONS_FULL } submit_outcome;

static submit_outcome reject(uint64_t *counter) {
    ++*counter;
    return REJECTED;
}

static bool too_many_buttons(const settle_core *core, const settle_event *event) {
    return !FAULT(BUTTONS_UNBOUNDED) && (event->flags & SETTLE_PRESSED) && core->buttons_held == SETTLE_BUTTONS_MAX &&
           settle_button_index(core, event->button) == core->buttons_held;
}

/* Applies any event: rules 2 and 10 reject it before it moves time, rule 1 moves time, then
 * the rules for its kind apply. */
static COLD submit_outcome submit_any(settle_core *core, const settle_event *event) {
    uint32_t slot = NO_SLOT;
    if (!known_event(event) || (event->kind == SETTLE_POINTER && too_many_buttons(core, event))) {
        return reject(&core->stats.rejected_event);
    }
    if (!valid_size(event)) return reject(&core->stats.rejected_size);
    if (event->kind != SETTLE_POINTER && !find_scene(core, event->scene, &slot)) {
        return reject(&core->stats.rejected_scene);
    }
    if (settle_run_due(core, later(event->at_ns, core->now_ns)) != SETTLE_OK || decisions_full(core))
        return DECISIONS_FULL;

    core->stats.regressions += event->at_ns < core->now_ns;
    switch (event->kind) {
    case SETTLE_GEOMETRY:
        apply_geometry(core, &core->hot[slot], slot, event, core->now_ns,
                       affects_interaction(core, core->hot[slot].state, event->flags));
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

/* Where events find their scenes: a copy for registers. */
typedef struct slot_table {
    scene_hot *hot;
    uint32_t mask, used;
} slot_table;

INLINE void prefetch(const slot_table *slots, const settle_event *event) {
    uint32_t slot = event->scene & slots->mask;
    if (slot < slots->used) __builtin_prefetch(&slots->hot[slot], 1);
}

/* Prefetches events further ahead than the processor does; they need not exist. */
INLINE void prefetch_events(const settle_event *event) {
    __builtin_prefetch((const void *)((uintptr_t)event + EVENTS_AHEAD_BYTES));
}

_Static_assert((int)STATE_REPORTS == (int)SETTLE_RESIZING_KNOWN && (int)STATE_INTERACTING == (int)SETTLE_RESIZING,
               "one comparison shows whether an event's flag differs from the scene's");

/* Whether an event is a geometry event of a connected scene, not earlier than the core's
 * time, before the next deadline, and does not affect an interaction. Such an event causes no
 * decision. */
INLINE bool is_plain(const settle_core *core, const slot_table *slots, const settle_event *event, uint64_t now_ns) {
    unsigned flags = event->flags;
    if (event->kind | (flags & ~(unsigned)SETTLE_FLAGS_ALL)) return false;
    size_bits size = bits_of(event->width, event->height);
    if (size.width >= INFINITE_LENGTH || size.height >= INFINITE_LENGTH) return false;
    uint32_t slot = event->scene & slots->mask;
    if (slot >= slots->used) return false;
    const scene_hot *hot = &slots->hot[slot];
    if (hot->handle != event->scene || event->at_ns < now_ns || event->at_ns >= core->next_due_ns) return false;
    /* An event without the flag does not affect a scene that reports either, but is rare. */
    if ((flags ^ hot->state) & (SETTLE_RESIZING_KNOWN | SETTLE_RESIZING)) return false;
    return (flags & SETTLE_RESIZING_KNOWN) || core->buttons_held == 0;
}

/* An event's last eight bytes, read by one load. */
typedef union event_tail {
    struct {
        uint32_t scene;
        uint16_t kind, flags;
    } fields;
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

/* Whether two events differ in nothing but time and size. */
INLINE bool repeats(const settle_event *event, const settle_event *other) {
    return tail_of(event).bits == tail_of(other).bits;
}

/* Applies the events after events[0], which was plain and has just been applied, for as long
 * as they repeat it and only change the size and postpone the deadline. Returns how many.
 * Only the last change counts, so the scene is stored once, at the end. An event that
 * repeats events[0] does not affect the interaction either.
 *
 * The run ends before an event at which something else could happen: a size that is built
 * (rule 6: no rebuild is pending then), the core's next deadline, or a deadline armed within
 * the run. */
INLINE size_t apply_run(settle_core *core, scene_hot *hot, uint32_t slot, const settle_event *events, size_t count) {
    unsigned state = hot->state;
    const settle_policy *policy = policy_of(core, hot);
    bool is_interacting = (state & STATE_INTERACTING) != 0;
    if (is_interacting ? policy->interaction_timeout_ns != SETTLE_NEVER : !(state & STATE_PENDING)) return 0;

    uint64_t now_ns = core->now_ns, changed_ns = 0, limit_ns = core->next_due_ns;
    uint64_t shortest_ns = earlier(policy->settle_delay_ns, policy->quiet_delay_ns);
    size_bits size = hot->size, built = hot->built;
    size_t i = 1;
    for (; i < count && repeats(&events[i], &events[0]); i++) {
        prefetch_events(&events[i]);
        size_bits next = bits_of(events[i].width, events[i].height);
        uint64_t at_ns = events[i].at_ns;
        /* Minus one, zero is above infinity: the general path handles it. */
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
    state &= ~(unsigned)STATE_CANCELLED;
    hot->state = (uint16_t)state;
    if (!is_interacting) schedule_rebuild(core, hot, slot, state, changed_ns);
    return i - 1;
}

enum {
    POSTPONING_FLAGS = SETTLE_FLAGS_ALL & ~(SETTLE_LOCKED_KNOWN | SETTLE_RESIZING),
    POSTPONED_STATE = STATE_PENDING | STATE_ARMED | STATE_LINKED,
    POSTPONING_STATE = POSTPONED_STATE | STATE_REPORTS | STATE_INTERACTING,
    NO_STATE = 1 << 16
};

/* Copies of the core's fields for registers, as the compiler must assume that a store to a
 * scene changes the core. */
typedef struct flood_state {
    slot_table slots;
    const policy_row *policies;
    uint64_t now_ns, next_due_ns, order;
    /* The state of scenes that can be postponed: POSTPONED_STATE, or NO_STATE while a button is
     * held. */
    unsigned state;
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

/* Applies the most frequent event of a flood: a new size for a scene whose rebuild is pending
 * and linked, with a later deadline. Nothing else of rules 2 to 6 applies then, so this needs
 * half the instructions. False, without an effect, for any other event. */
INLINE bool try_postpone(flood_state *flood, const settle_event *event) {
    const event_tail tail = tail_of(event), others = {{0, UINT16_MAX, (uint16_t)~POSTPONING_FLAGS}};
    if (tail.bits & others.bits) return false;
    uint32_t slot = tail.fields.scene & flood->slots.mask;
    if (slot >= flood->slots.used) return false;
    scene_hot *hot = &flood->slots.hot[slot];
    uint64_t at_ns = event->at_ns;
    unsigned state = hot->state;
    if (hot->handle != tail.fields.scene || at_ns < flood->now_ns ||
        at_ns >= FAULT(POSTPONE_PASSES_DEADLINE) + flood->next_due_ns)
        return false;
    if ((state & POSTPONING_STATE) != ((tail.fields.flags & SETTLE_RESIZING_KNOWN) | flood->state)) return false;
    size_bits size;
    memcpy(&size, &event->width, sizeof size);
    /* Minus one, zero is above infinity. */
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

/* Applies an event that is_plain accepts. */
INLINE void apply_plain(settle_core *core, const slot_table *slots, const settle_event *event) {
    uint32_t slot = event->scene & slots->mask;
    core->now_ns = event->at_ns;
    apply_geometry(core, &core->hot[slot], slot, event, core->now_ns, false);
}

/* Applies the next event, or a run of events; returns how many were consumed. */
static size_t submit_next(settle_core *core, const slot_table *slots, const settle_event *event, size_t count,
                          submit_outcome *outcome) {
    if (!is_plain(core, slots, event, core->now_ns)) {
        *outcome = submit_any(core, event);
        core->stats.events += *outcome == APPLIED;
        return *outcome != DECISIONS_FULL;
    }
    apply_plain(core, slots, event);
    size_t consumed = 1;
    if (count > 1 && repeats(event, event + 1)) {
        uint32_t slot = event->scene & slots->mask;
        consumed += apply_run(core, &core->hot[slot], slot, event, count);
    }
    core->stats.events += consumed;
    *outcome = APPLIED;
    return consumed;
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
        /* Repeated events are faster as a run. */
        bool is_run = event + 1 < end && repeats(event, event + 1);
        if (!is_run && try_postpone(&flood, event)) {
            event++;
            postponed++;
            continue;
        }
        flood_store(&flood, core);
        size_t consumed = submit_next(core, &flood.slots, event, (size_t)(end - event), &last);
        /* Even an event that was not consumed may have fired a deadline. */
        flood_load(&flood, core);
        if (consumed == 0) break;
        event += consumed;
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
    if (core->releasing) return settle_end_pointer_interactions(core);
    return last == DECISIONS_FULL ? SETTLE_FULL : SETTLE_OK;
}
