/* Events in. Rule numbers are those of docs/reference/contract.md; rule 6 is in rebuild_deadline.h, what
 * is rare is in rules.c.
 *
 * Three paths apply an event, and every event has the same outcome on each that accepts it:
 *   - try_postpone, for a new size of a steady scene: the deadline moves by its delay;
 *   - apply_plain and apply_run, for one or many geometry events without any decision;
 *   - submit_any, for everything.
 * docs/internals/design.md says what each is worth. */
#include "interaction_flags.h"
#include "rebuild_deadline.h"

/* The cache lines of up to SCENES_CACHED scenes stay in the second-level cache, and
 * prefetching them costs more than it gains. With more scenes, submit prefetches the line of
 * the event that is PREFETCH_EVENTS ahead. */
enum { SCENES_CACHED = 16384, PREFETCH_EVENTS = 64, EVENTS_AHEAD_BYTES = 4096 };

/* Rules 2 to 6, 9, 11 and 16 to 18 for one geometry event of a valid size. Loads the scene's state
 * once and stores it once. `affects` is the result of affects_interaction. */
INLINE void apply_geometry(settle_core *core, scene_hot *hot, uint32_t slot, const settle_event *event, uint64_t now_ns,
                           bool affects) {
    size_bits size = stated_size(event), before = hot->size;
    unsigned state = hot->state, flags = event->flags;
    hot->coalesced++;

    bool changed = !same_size(size, before) && !zero_length(size.width) && !zero_length(size.height);
    if (changed) {
        hot->size = size;
        state &= ~(unsigned)STATE_CANCELLED;
    }
    const unsigned was_interacting = state & STATE_INTERACTING;
    if (affects) {
        hot->state = state;
        settle_apply_interaction(core, slot, flags, changed);
        state = hot->state;
    }
    const policy_row *row = row_of(core, hot);
    if (state & STATE_INTERACTING) {
        hot->state = state;
        /* Rule 11: events that repeat the size do not restart the watchdog. */
        if ((changed || !was_interacting) && row->interaction_timeout_ns != SETTLE_NEVER) {
            uint64_t deadline_ns = after(now_ns, row->interaction_timeout_ns);
            bool is_steady = !(row->extras & EXTRA_AT_CHANGES) && !(state & STATE_CANCELLED);
            state = (state & ~(unsigned)STATE_STEADY) | (is_steady ? steady_state(deadline_ns) : 0u);
            if (!(state & (STATE_STEADY | STATE_REPORTS))) core->cold[slot].change_ns = now_ns;
            arm(core, hot, slot, state, deadline_ns);
        }
    } else if (changed || was_interacting) {
        uint64_t quiet_ns = row->quiet_delay_ns;
        bool is_quiet = !(state & STATE_DELAY_BITS) && is_known(hot->built);
        if (is_quiet && !row->quiet_is_fixed) {
            quiet_ns = settle_quiet_wait(core, slot, state, before);
        }
        schedule_rebuild(core, hot, slot, state, now_ns, quiet_ns);
    }
    if (changed && (row->extras & EXTRA_AT_CHANGES)) settle_apply_extras(core, slot);
    if (flags & SETTLE_LOCKED_KNOWN) settle_apply_lock(core, slot, (flags & SETTLE_LOCKED) != 0);
}

/* DECISIONS_FULL: the event was not consumed. */
typedef enum submit_outcome { APPLIED, REJECTED, DECISIONS_FULL } submit_outcome;

static submit_outcome reject(uint64_t *counter) {
    ++*counter;
    return REJECTED;
}

/* Applies any event: rules 2 and 10 reject it before it moves time, rule 1 moves time, then
 * the rules for its kind apply. */
static COLD submit_outcome submit_any(settle_core *core, const settle_event *event) {
    uint32_t slot = NO_SLOT;
    if (!known_event(event) || (event->kind == SETTLE_POINTER && settle_too_many_buttons(core, event))) {
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
                       affects_interaction(unaffected_pairs(core), core->hot[slot].state, event->flags));
        break;
    case SETTLE_DISCONNECT: settle_apply_disconnect(core, slot); break;
    case SETTLE_POINTER: settle_apply_pointer(core, event); break;
    case SETTLE_FLUSH: settle_apply_flush(core, slot); break;
    case SETTLE_CANCEL: settle_apply_cancel(core, slot); break;
    case SETTLE_REALLY_BUILT: settle_apply_really_built(core, slot, event); break;
    case SETTLE_FINISHED: settle_apply_finished(core, slot, event); break;
    case SETTLE_PREVIEWED: settle_apply_previewed(core, slot, event); break;
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

/* Whether an event is a geometry event of a connected scene, not earlier than the core's
 * time, before the next deadline, and does not affect an interaction. Such an event causes no
 * decision. */
INLINE bool is_plain(const settle_core *core, const slot_table *slots, const settle_event *event, uint64_t now_ns) {
    unsigned flags = event->flags;
    if (event->kind | (flags & ~(unsigned)SETTLE_FLAGS_ALL)) return false;
    size_bits size = stated_size(event);
    if (size.width >= INFINITE_LENGTH || size.height >= INFINITE_LENGTH) return false;
    uint32_t slot = event->scene & slots->mask;
    if (slot >= slots->used) return false;
    const scene_hot *hot = &slots->hot[slot];
    if (hot->handle != event->scene || event->at_ns < now_ns || event->at_ns >= core->next_due_ns) return false;
    return !affects_interaction(unaffected_pairs(core), hot->state, flags);
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

/* How far a run came: the first event that is not applied, and the latest change. */
typedef struct run_end {
    const settle_event *next, *change;
} run_end;

/* The loop of apply_run. `change` has the scene's known size. */
INLINE run_end run_on(const scene_hot *hot, const settle_event *change, const settle_event *first,
                      const settle_event *end, uint64_t limit_ns, bool is_interacting) {
    const uint64_t tail = tail_of(first).bits;
    const size_bits built = hot->built;
    uint64_t now_ns = first->at_ns, at_ns;
    const settle_event *event = first + 1;
    for (; event < end && tail_of(event).bits == tail; event++, now_ns = at_ns) {
        prefetch_events(event);
        size_bits size = stated_size(event);
        at_ns = event->at_ns;
        /* Minus one, zero is above infinity: the general path handles it. */
        if (size.width - 1 >= INFINITE_LENGTH - 1 || size.height - 1 >= INFINITE_LENGTH - 1) break;
        if (at_ns < now_ns || at_ns >= limit_ns) break;
        if (same_size(size, stated_size(change))) continue;
        if (!is_interacting && same_size(size, built)) break;
        change = event;
    }
    return (run_end){event, change};
}

/* One function for each, so that its loop has the registers to itself. */
static NOINLINE run_end run_interacting(const scene_hot *hot, const settle_event *change, const settle_event *first,
                                        const settle_event *end, uint64_t limit_ns) {
    return run_on(hot, change, first, end, limit_ns, true);
}

static NOINLINE run_end run_delayed(const scene_hot *hot, const settle_event *change, const settle_event *first,
                                    const settle_event *end, uint64_t limit_ns) {
    return run_on(hot, change, first, end, limit_ns, false);
}

/* Applies the events after events[0], which was plain and has just been applied, for as long
 * as they repeat it and only change the size and postpone the deadline. Returns how many.
 * Only the last change counts, so the scene is stored once, at the end. An event that
 * repeats events[0] does not affect the interaction either.
 *
 * The run ends before an event at which something else could happen: a size that is built
 * (rule 6: no rebuild is pending then), or the core's next deadline. */
INLINE size_t apply_run(settle_core *core, scene_hot *hot, uint32_t slot, const settle_event *events, size_t count) {
    unsigned state = hot->state;
    const policy_row *row = row_of(core, hot);
    bool is_interacting = (state & STATE_INTERACTING) != 0, is_steady = (state & STATE_STEADY) != 0;
    bool is_idle = is_interacting && !(state & (STATE_ARMED | STATE_CANCELLED)) &&
                   row->interaction_timeout_ns == SETTLE_NEVER && !(row->extras & EXTRA_AT_CHANGES);
    if (!is_steady && !is_idle) return 0;

    uint64_t delay_ns = delay_of(row, state);
    /* A deadline that would be clamped is for the general path. */
    uint64_t limit_ns = is_steady ? earlier(core->next_due_ns, INT64_MAX - delay_ns) : core->next_due_ns;
    settle_event known;
    lengths_of(hot->size, &known.width, &known.height);
    const settle_event *end = events + count;
    /* The built size disarms a live deadline. */
    run_end run = is_interacting && !(row->extras & EXTRA_LIVE) ? run_interacting(hot, &known, events, end, limit_ns)
                                                                : run_delayed(hot, &known, events, end, limit_ns);

    size_t consumed = (size_t)(run.next - events) - 1;
    if (consumed == 0) return 0;
    hot->coalesced += (uint32_t)consumed;
    core->now_ns = run.next[-1].at_ns;
    if (run.change == &known) return consumed;
    hot->size = stated_size(run.change);
    if (is_steady) arm(core, hot, slot, state, run.change->at_ns + delay_ns);
    return consumed;
}

enum { POSTPONING_FLAGS = SETTLE_FLAGS_ALL & ~SETTLE_LOCKED_KNOWN };

/* Copies of the core's fields for registers, as the compiler must assume that a store to a
 * scene changes the core. */
typedef struct flood_state {
    slot_table slots;
    const policy_row *policies;
    uint64_t now_ns, next_due_ns, order;
    unsigned unaffected; /* unaffected_pairs */
} flood_state;

INLINE void flood_load(flood_state *flood, const settle_core *core) {
    flood->now_ns = core->now_ns;
    flood->next_due_ns = core->next_due_ns;
    flood->order = core->order;
    flood->unaffected = unaffected_pairs(core);
}

INLINE void flood_store(const flood_state *flood, settle_core *core) {
    core->now_ns = flood->now_ns;
    core->order = flood->order;
}

/* Applies the most frequent event of a flood: a new size for a steady scene, whose deadline it
 * moves by the scene's delay: a pending rebuild's, or the watchdog's within an interaction.
 * Nothing else of rules 2 to 6 and 11 applies then, so this needs half the instructions. False,
 * without an effect, for any other event. */
INLINE bool try_postpone(flood_state *flood, const settle_event *event) {
    const event_tail tail = tail_of(event), others = {{0, UINT16_MAX, (uint16_t)~POSTPONING_FLAGS}};
    if (tail.bits & others.bits) return false;
    uint32_t slot = tail.fields.scene & flood->slots.mask;
    if (slot >= flood->slots.used) return false;
    scene_hot *hot = &flood->slots.hot[slot];
    uint64_t at_ns = event->at_ns;
    unsigned state = hot->state;
    if (hot->handle != tail.fields.scene || at_ns < flood->now_ns || at_ns >= flood->next_due_ns) return false;
    if (!(state & STATE_STEADY) || affects_interaction(flood->unaffected, state, tail.fields.flags)) return false;
    size_bits size;
    memcpy(&size, &event->width, sizeof size);
    /* Minus one, zero is above infinity. */
    if (size.width - 1 >= INFINITE_LENGTH - 1 || size.height - 1 >= INFINITE_LENGTH - 1) return false;
    if (same_size(size, hot->built)) return false;
    const policy_row *row = &flood->policies[hot->policy];
    uint64_t deadline_ns = at_ns + delay_of(row, state);
    if (deadline_ns > INT64_MAX) return false;
    if (!same_size(size, hot->size)) {
        hot->size = size;
        hot->deadline_ns = deadline_ns;
        hot->order = ++flood->order;
    }
    flood->now_ns = at_ns;
    hot->coalesced++;
    return true;
}

/* Applies an event that is_plain accepts. */
INLINE void apply_plain(settle_core *core, const slot_table *slots, const settle_event *event) {
    uint32_t slot = event->scene & slots->mask;
    core->now_ns = event->at_ns;
    apply_geometry(core, &core->hot[slot], slot, event, core->now_ns, false);
}

bool settle_submit_plain(settle_core *core, const settle_event *event) {
    flood_state flood = {.slots = {core->hot, core->slot_mask, core->slots_used}, .policies = core->policies};
    flood_load(&flood, core);
    if (try_postpone(&flood, event)) flood_store(&flood, core);
    else if (is_plain(core, &flood.slots, event, core->now_ns)) apply_plain(core, &flood.slots, event);
    else return false;
    core->stats.events++;
    return true;
}

/* Applies the next event, or a run of events; returns how many were consumed. */
static size_t submit_next(settle_core *core, const slot_table *slots, const settle_event *event, size_t count,
                          submit_outcome *outcome) {
    if (IS_SMALL || !is_plain(core, slots, event, core->now_ns)) {
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
        if (!IS_SMALL && !is_run && try_postpone(&flood, event)) {
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
    submit_outcome last = !IS_SMALL && core->slots_used > SCENES_CACHED
                              ? submit_all(core, events, count, true, accepted)
                              : submit_all(core, events, count, false, accepted);
    if (core->releasing) return settle_end_pointer_interactions(core);
    return last == DECISIONS_FULL ? SETTLE_FULL : SETTLE_OK;
}
