/* The step of an induction: after any state that the core's invariant allows and one call,
 * the invariant and the promises hold again. core_base.c proves the base.
 *
 * The code is a copy of the sources of the core (core_sources.h) that scripts/checks/proofs
 * changes (scale_core; docs/internals/proofs.md lists the changes). The queue is its contract
 * (abstract_deadlines.h). settle_core_submit is a loop over STEP_POSTPONE, STEP_RUN and
 * STEP_GEOMETRY or STEP_REQUEST, for the other kinds; the tests check that loop.
 *
 * STEP chooses the step, SCENES and DECISIONS the bounds. */
#include "prover.h"

#if defined(STEP_RUN1)
#define RUN_EVENTS 1
#elif defined(STEP_RUN2)
#define RUN_EVENTS 2
#else
#define RUN_EVENTS 0
#endif

#if defined(STEP_GEOMETRY) || defined(STEP_REQUEST)
#define STEP_EVENT
#endif

#include "settle.h"

/* What event_tail is on a little-endian machine, whose bits the prover assumes. */
static inline uint64_t whole_tail(const settle_event *event) {
    return (uint64_t)event->flags << 48 | (uint64_t)event->kind << 32 | event->scene;
}

/* How long work pays for itself: any time, by which pay.c's arithmetic is spared here. */
static uint64_t any_pay_ns(uint64_t cost_ns, uint64_t times, uint64_t percent);

struct settle_core;
static int due_first(struct settle_core *core, uint64_t to_ns);
static bool next_pass(void);
static uint64_t end_of_pass(struct settle_core *core, uint64_t to_ns);

#include "core_sources.h"

#include "core_invariant.h"

static struct settle_core the_core;
static scenes_before before;

static scene_hot hot_0, hot_1;
static scene_cold cold_0, cold_1;
static scene_preview preview_0, preview_1;
static scene_live live_0, live_1;
static policy_row policy_0, policy_1;
static settle_decision decision_0, decision_1;

static uint32_t button_0, button_1;
static uint64_t pressed_0, pressed_1;

_Static_assert(SETTLE_BUTTONS_MAX == 2 && SCENES <= 2 && DECISIONS <= 2 && POLICIES <= 2,
               "as many objects as there are");

#define OBJECTS(type, at, first, second, count, what)                                                                  \
    static inline type *at(uint32_t index) {                                                                           \
        prove(index < (count), what "'s index is in its bounds");                                                      \
        return (count) == 1 || index == 0 ? &(first) : &(second);                                                      \
    }
OBJECTS(scene_hot, at_hot, hot_0, hot_1, SCENES, "a scene")
OBJECTS(scene_cold, at_cold, cold_0, cold_1, SCENES, "a scene")
OBJECTS(scene_preview, at_previews, preview_0, preview_1, SCENES, "a scene")
OBJECTS(scene_live, at_lives, live_0, live_1, SCENES, "a scene")
OBJECTS(policy_row, at_policies, policy_0, policy_1, POLICIES, "a policy")
OBJECTS(settle_decision, at_decisions, decision_0, decision_1, DECISIONS, "a decision")
OBJECTS(uint32_t, at_buttons, button_0, button_1, SETTLE_BUTTONS_MAX, "a button")
OBJECTS(uint64_t, at_pressed_ns, pressed_0, pressed_1, SETTLE_BUTTONS_MAX, "a button")

struct settle_core nondet_core(void);
scene_hot nondet_hot(void);
scene_cold nondet_cold(void);
scene_preview nondet_preview(void);
scene_live nondet_live(void);
ghost_scene nondet_ghost(void);
settle_policy nondet_policy(void);
ghost_link nondet_link(void);

/* Any state at all; the invariant is assumed of it afterwards. The choice keeps the
 * prover from carrying the whole state along as one expression. */
#define ANY(object, value)                                                                                             \
    do {                                                                                                               \
        if (any_bool()) (object) = (value);                                                                            \
    } while (0)

/* Times and delays from a window of WINDOW_NS, where the solver needs seconds and not
 * hours; the rules only add, compare and cap them. Sizes and handles from a few, as they
 * are only compared. Macros, as every branch here would double the prover's paths. */
#define IN_WINDOW(value) ((value) < WINDOW_NS)
#define IN_WINDOW_OR_NEVER(value) ((value) < WINDOW_NS || (value) == SETTLE_NEVER)
/* A time of the window and a delay of it. */
#define IN_DEADLINES(value) ((value) < 2 * WINDOW_NS || (value) == SETTLE_NEVER)
/* Arming orders around 2^32, of which a lock's has the low bits. */
#define IN_ORDERS(order) ((order) - (((uint64_t)1 << 32) - WINDOW_NS / 2) < WINDOW_NS)
#define FEW_SIZES(size) ((size).width < 4 && (size).height < 4)
#define FEW_HANDLES(scene) ((scene) < 16)

/* Of the share, the only number that is no time, one that divides and one that leaves nothing to pay for. */
#define FEW_SHARES(share) ((share) == 30 || (share) == 100)
#define FIELD_IN_WINDOW(member, name, standard, uikit, least, most, none, ...)                                         \
    assume(((least) ? FEW_SHARES(policy->member) : IN_WINDOW(policy->member)) ||                                       \
           ((none) && policy->member == SETTLE_NEVER));
static void assume_scope_of_policy(const settle_policy *policy) { SETTLE_POLICY_FIELDS(FIELD_IN_WINDOW) }

static void assume_scope(const settle_core *core) {
    assume(IN_WINDOW(core->now_ns) && IN_ORDERS(core->order) && IN_ORDERS(core->release_order));
    assume(IN_WINDOW(core->next_due_ns) || core->next_due_ns == NOTHING_DUE_NS);
    for (uint32_t i = 0; i < SCENES; i++) {
        const scene_hot *hot = at_hot(i);
        const scene_cold *cold = at_cold(i);
        const scene_preview *scene = at_previews(i);
        const scene_live *live = at_lives(i);
        const ghost_link *link = at_link(i);
        assume(FEW_SIZES(hot->size) && FEW_SIZES(hot->built) && FEW_SIZES(scene->previewed) &&
               FEW_HANDLES(hot->handle));
        assume(IN_DEADLINES(hot->deadline_ns) && IN_ORDERS(hot->order));
        assume(IN_DEADLINES(cold->lock_deadline_ns) && IN_ORDERS(order_of(core, cold->lock_order)));
        assume(IN_DEADLINES(scene->deadline_ns) && IN_ORDERS(scene->order));
        assume(IN_DEADLINES(live->deadline_ns) && IN_ORDERS(order_of(core, live->order)));
        assume(IN_DEADLINES(live->paid_ns) && IN_DEADLINES(live->paid_once_ns) && IN_WINDOW(live->rebuilt_ns) &&
               cold->rebuilds < 4 && scene->previews < 4 && IN_DEADLINES(scene->paid_ns));
        assume(IN_WINDOW(cold->interaction_ns));
        assume(IN_DEADLINES(link->deadline_ns) && IN_ORDERS(link->order));
    }
}

static settle_core *any_core(void) {
    settle_core *core = &the_core;
    ANY(the_core, nondet_core());
    assume(core->scenes_max == SCENES && core->slot_bits == 1 && core->slot_mask == 1);
    assume(core->decisions_max == DECISIONS && core->policies_max == POLICIES);
    for (uint32_t i = 0; i < POLICIES; i++) {
        ANY(*at_given(i), nondet_policy());
        *at_policies(i) = settle_policy_row(at_given(i));
        assume_scope_of_policy(at_given(i));
    }
    ANY(button_0, any_u32());
    ANY(button_1, any_u32());
    ANY(pressed_0, any_u64());
    ANY(pressed_1, any_u64());
    for (uint32_t i = 0; i < SCENES; i++) {
        ANY(*at_hot(i), nondet_hot());
        ANY(*at_cold(i), nondet_cold());
        ANY(*at_link(i), nondet_link());
        ANY(*at_previews(i), nondet_preview());
        ANY(*at_lives(i), nondet_live());
        ANY(*at_ghost(i), nondet_ghost());
    }
    assume_scope(core);
    return core;
}

/* What is due before an event, and what a release ends after one, are steps of their
 * own (STEP_ADVANCE): so in the other steps nothing is due. Where something is, a call
 * is an advance and then this step. */
static bool is_due(const settle_core *core, uint64_t to_ns) {
    for (uint32_t i = 0; i < SCENES; i++) {
        if (i < core->slots_used && settle_deadlines_key(core, i).deadline_ns <= to_ns) return true;
    }
    return false;
}

static int due_first(settle_core *core, uint64_t to_ns) {
#if RUN_EVENTS > 0
    /* What is not plain is for STEP_GEOMETRY and STEP_REQUEST. */
    return SETTLE_FULL;
#endif
    if (core->releasing || is_due(core, to_ns)) return SETTLE_FULL;
    core->now_ns = later(core->now_ns, to_ns);
    return SETTLE_OK;
}

/* A length of the few, minus zero, infinite, not a number, or negative. */
static uint64_t any_event_length(void) {
    static const uint64_t odd[4] = {(uint64_t)1 << 63, INFINITE_LENGTH, INFINITE_LENGTH | 1, (uint64_t)1 << 63 | 1};
    uint8_t choice = any_u8();
    return choice < 4 ? choice : odd[choice & 3];
}

/* What is due fires one by one: a pass of settle_run_due's loop is a step, and where another
 * one would follow, time stays where it is. */
static unsigned passes;

static bool next_pass(void) { return passes++ == 0; }

static uint64_t end_of_pass(settle_core *core, uint64_t to_ns) {
    return passes > 1 ? core->now_ns : later(core->now_ns, to_ns);
}

static settle_event any_event(void) {
    settle_event event;
    event.at_ns = any_u64();
    event.width = any_event_length();
    event.height = any_event_length();
    event.scene = any_u32();
    event.kind = any_u16();
    event.flags = any_u16();
    assume(IN_WINDOW_OR_NEVER(event.at_ns) && FEW_HANDLES(event.scene));
    return event;
}

static uint64_t any_pay_ns(uint64_t cost_ns, uint64_t times, uint64_t percent) {
    uint64_t pay_ns = any_u64();
    assume(IN_WINDOW(pay_ns));
    return pay_ns;
}

static void size_changed(uint32_t slot, uint64_t at_ns) {
    ghost_changed(slot, at_ns);
    at_ghost(slot)->alive_ns = at_ghost(slot)->still_ns = at_ns;
    at_ghost(slot)->has_old_watchdog = at_ghost(slot)->returned_live = at_ghost(slot)->released = false;
}

/* A geometry event of a scene was applied; if the size changed or an interaction began, at change_ns. */
static inline void applied_geometry(uint32_t slot, uint64_t change_ns) {
    const scene_hot *hot = at_hot(slot);
    bool is_changed = !same_size(hot->size, before.hot[slot].size);
    if (is_changed || (has(hot, STATE_INTERACTING) && !has(&before.hot[slot], STATE_INTERACTING))) {
        at_ghost(slot)->alive_ns = change_ns;
        at_ghost(slot)->has_old_watchdog = false;
    }
    prove(is_changed || !has(&before.hot[slot], STATE_STUCK) || !has(hot, STATE_INTERACTING),
          "a stuck flag begins no interaction at the same size");
    if (is_changed) size_changed(slot, change_ns);
}

/* Rule 18: the report of the last rebuild's build, or of another one. */
static inline void applied_report(const settle_core *core, uint32_t slot, const settle_event *event) {
    const scene_hot *hot = at_hot(slot);
    scene_live *expected = &before.live[slot];
    bool is_last = core->lives && expected->in_flight && event->generation == at_cold(slot)->rebuilds;
    prove(is_same_but_extras(hot, &before.hot[slot]), "a report changes nothing built or pending");
    prove(preview_armed(core, slot) == before.has_preview[slot], "a report arms and disarms no preview");
    prove(is_last || live_armed(core, slot) == before.has_live[slot], "another rebuild's report changes nothing");
    if (!is_last) return;
    expected->in_flight = 0;
    if (policy_of(core, hot)->live_share_percent == SETTLE_NEVER) return;
    prove(at_lives(slot)->paid_ns >= core->now_ns, "a build is paid for after its report");
    expected->paid_ns = at_lives(slot)->paid_ns;
}

/* Rule 17: the report of the last preview's work, or of another one. */
static inline void applied_work(const settle_core *core, uint32_t slot, const settle_event *event) {
    if (!core->previews) return;
    const scene_preview *scene = at_previews(slot), *old = &before.preview[slot];
    bool is_last = old->in_flight && event->generation == old->previews;
    bool is_given_up = (event->flags & SETTLE_GIVEN_UP) != 0;
    prove(is_same_but_extras(at_hot(slot), &before.hot[slot]), "a report changes nothing built or pending");
    prove(is_last || (scene->in_flight == old->in_flight && scene->paid_ns == old->paid_ns &&
                      preview_armed(core, slot) == before.has_preview[slot]),
          "another preview's report changes nothing");
    prove(!is_last || (!scene->in_flight && scene->paid_ns >= core->now_ns), "a report ends the flight, and is paid for");
    prove(!is_last || !is_given_up || !is_known(scene->previewed), "what was given up is forgotten");
}

int main(void) {
    settle_core *core = any_core();
    assume(invariant(core));
    before.now_ns = core->now_ns;
    before.decisions_waiting = core->decisions_waiting;
    before.used = core->slots_used;
    for (uint32_t i = 0; i < SCENES; i++) {
        before.hot[i] = *at_hot(i);
        before.preview[i] = *at_previews(i);
        before.lock_ns[i] = at_cold(i)->lock_deadline_ns;
        before.live[i] = *at_lives(i);
        before.has_live[i] = live_armed(core, i);
        before.has_preview[i] = preview_armed(core, i);
    }
    uint32_t returned = NO_SLOT;

#if defined(STEP_EVENT)
    settle_event event = any_event();
#if defined(STEP_GEOMETRY)
    event.kind = SETTLE_GEOMETRY;
#else
    assume(event.kind != SETTLE_GEOMETRY);
#endif
    submit_outcome result = submit_any(core, &event);
    uint32_t slot = event.scene & core->slot_mask;
    if (result == APPLIED && event.kind == SETTLE_GEOMETRY) applied_geometry(slot, core->now_ns);
    if (result == APPLIED && event.kind == SETTLE_REALLY_BUILT) {
        returned = slot;
        /* Rule 13: what is returned while nothing is armed is pending again at the next change. */
        if (!has(at_hot(slot), STATE_ARMED)) at_ghost(slot)->returned = true;
        at_ghost(slot)->returned_live = true;
        before.live[slot].in_flight = 0;
    }
    if (result == APPLIED && event.kind == SETTLE_FINISHED) applied_report(core, slot, &event);
    if (result == APPLIED && event.kind == SETTLE_PREVIEWED) applied_work(core, slot, &event);
#elif defined(STEP_POSTPONE)
    settle_event event = any_event();
    event_tail tail = tail_of(&event);
    prove(tail.fields.scene == event.scene && tail.fields.kind == event.kind && tail.fields.flags == event.flags,
          "the prover reads an event's tail as it is");
    flood_state flood = {.slots = {core->hot, core->slot_mask, core->slots_used}, .policies = core->policies};
    flood_load(&flood, core);
    bool is_postponed = try_postpone(&flood, &event);
    flood_store(&flood, core);
    prove(is_postponed || core->now_ns == before.now_ns, "an event that is not postponed changes nothing");
    prove(core->decisions_waiting == before.decisions_waiting, "postponing decides nothing");
    if (is_postponed) {
        const scene_hot *hot = at_hot(0);
        applied_geometry(0, core->now_ns);
        prove(event.kind == SETTLE_GEOMETRY && event.scene == hot->handle && core->now_ns == event.at_ns,
              "what is postponed is a geometry event of the scene, at its time");
        prove(event.at_ns < before.hot[0].deadline_ns, "what is due is not postponed");
        prove(hot->size.width == event.width && hot->size.height == event.height, "the size is the event's");
        prove(has(hot, STATE_ARMED) && !same_size(hot->size, hot->built), "what is postponed stays pending");
        prove(hot->deadline_ns >= before.hot[0].deadline_ns, "a postponed deadline is no earlier");
    }
#elif RUN_EVENTS > 0
    settle_event events[2] = {any_event(), any_event()};
    slot_table slots = {core->hot, core->slot_mask, core->slots_used};
    submit_outcome last;
    size_t consumed = submit_next(core, &slots, events, RUN_EVENTS, &last);
    prove(consumed <= RUN_EVENTS, "no more events are consumed than there are");
    bool is_whole_run = consumed == 2 && last == APPLIED;
    prove(!is_whole_run || whole_tail(&events[0]) == whole_tail(&events[1]),
          "a run is of events that repeat each other");
    if (last == APPLIED) {
        size_bits first = bits_of(events[0].width, events[0].height);
        if (zero_length(first.width) || zero_length(first.height)) first = before.hot[0].size;
        bool is_second = is_whole_run && !same_size(at_hot(0)->size, first);
        applied_geometry(0, is_second ? events[1].at_ns : events[0].at_ns);
        if (is_second) size_changed(0, events[1].at_ns);
    }
    /* Where no event of the run armed it anew, the deadline of before still holds. */
    bool is_same_arming = is_whole_run && before.hot[0].order == at_hot(0)->order && has(&before.hot[0], STATE_ARMED);
    prove(!is_same_arming || core->now_ns < before.hot[0].deadline_ns, "a run passes no deadline");
    prove(!is_whole_run || core->now_ns == events[1].at_ns, "a run ends at its last event's time");
#elif defined(STEP_ADVANCE)
    uint64_t to_ns = any_u64();
    assume(IN_WINDOW_OR_NEVER(to_ns));
    int result = settle_core_advance(core, to_ns);
    prove(core->now_ns <= later(before.now_ns, to_ns), "nothing is decided early");
    if (result == SETTLE_OK && passes <= 1) {
        prove(core->now_ns >= to_ns, "time moved");
        prove(!is_due(core, to_ns), "nothing that is due is left");
    }
#elif defined(STEP_CONNECT)
    settle_scene scene;
    int result = settle_core_connect(core, any_u32(), &scene);
    if (result == SETTLE_OK) {
        uint32_t slot = scene & 1;
        prove(scene != 0 && !was_connected(&before, slot), "a fresh handle, a free slot");
        *at_ghost(slot) = (ghost_scene){core->now_ns, core->now_ns, 0, false, false, false, false, false};
        prove(!core->lives || (!at_lives(slot)->in_flight && at_lives(slot)->paid_ns == SETTLE_NEVER),
              "no build of a new scene is known");
    }
#elif defined(STEP_SET_POLICY)
    settle_scene scene = any_u32();
    uint32_t number = any_u32();
    assume(FEW_HANDLES(scene));
    if (settle_core_set_policy(core, scene, number) == SETTLE_OK) {
        const scene_hot *hot = at_hot(0);
        at_ghost(0)->has_old_waits = at_ghost(0)->has_old_watchdog = true;
        at_ghost(0)->still_ns = core->now_ns;
        before.live[0].paid_ns = SETTLE_NEVER;
        prove(hot->policy == number && number < POLICIES, "the scene has the policy");
        prove(is_pending(hot) == is_pending(&before.hot[0]), "a change of policy keeps what is pending");
        bool is_moved = (has(hot, STATE_ARMED) && hot->deadline_ns != before.hot[0].deadline_ns) ||
                        (preview_armed(core, 0) && at_previews(0)->deadline_ns != before.preview[0].deadline_ns) ||
                        (has(hot, STATE_LOCK_ARMED) && at_cold(0)->lock_deadline_ns != before.lock_ns[0]);
        prove(!is_moved, "a change of policy moves no deadline");
    }
    prove(core->decisions_waiting == before.decisions_waiting, "a change of policy decides nothing");
#elif defined(STEP_POP)
    settle_decision popped[DECISIONS];
    size_t capacity = any_u32();
    assume(capacity <= DECISIONS);
    size_t count = settle_core_pop_decisions(core, popped, capacity);
    prove(count <= capacity && core->decisions_waiting + count == before.decisions_waiting,
          "each decision is popped once");
    before.decisions_waiting = core->decisions_waiting;
#endif

    check_decisions(core, &before, returned);
    check_invariant(core);
    return 0;
}
