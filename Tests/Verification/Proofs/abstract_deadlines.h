/* The contract of deadlines.c, which replaces the file in the proof of the rules: exactly
 * what submit.c and rules.c may rely on. A link remembers the key that the scene had when it
 * was linked. The contract does not say which outdated links are examined, nor how far the
 * bound is before the first deadline, so the proof holds for every such queue.
 * deadlines_bounded.c checks deadlines.c against the same contract. */
#ifndef SETTLE_ABSTRACT_DEADLINES_H
#define SETTLE_ABSTRACT_DEADLINES_H

#include "prover.h"

/* A scene's own deadlines are those of deadlines.c. */
#include "deadline_keys.h"

/* The key of each scene's link; valid while STATE_LINKED. */
typedef struct ghost_link {
    uint64_t deadline_ns, order;
} ghost_link;

static ghost_link link_0, link_1;

static ghost_link *at_link(uint32_t slot) { return SCENES == 1 || slot == 0 ? &link_0 : &link_1; }

static bool key_before(deadline_key a, deadline_key b) {
    return a.deadline_ns < b.deadline_ns || (a.deadline_ns == b.deadline_ns && a.order < b.order);
}

/* The queue's demand on its callers: a scene with an armed deadline has a link, whose key is
 * not later; a deadline that is not armed is not earlier than the link. */
static bool is_linked_well(const settle_core *core, uint32_t slot) {
    const scene_hot *hot = at_hot(slot);
    deadline_key key = settle_deadlines_key(core, slot);
    if (!(hot->state & STATE_LINKED)) return key.deadline_ns == SETTLE_NEVER;
    deadline_key link = {at_link(slot)->deadline_ns, at_link(slot)->order, DEADLINE_OF_STATE};
    return !key_before(key, link) && hot->deadline_ns >= link.deadline_ns;
}

void settle_deadlines_remove(settle_core *core, uint32_t slot) {
    at_hot(slot)->state &= ~(unsigned)(STATE_LINKED | STATE_IN_HEAP);
}

void settle_deadlines_link(settle_core *core, uint32_t slot) {
    scene_hot *hot = at_hot(slot);
    settle_deadlines_remove(core, slot);
    if (!(hot->state & STATE_ARMED)) hot->deadline_ns = SETTLE_NEVER;
    deadline_key key = settle_deadlines_key(core, slot);
    if (key.deadline_ns == SETTLE_NEVER) return;
    hot->state |= STATE_LINKED | (any_bool() ? STATE_IN_HEAP : 0);
    *at_link(slot) = (ghost_link){key.deadline_ns, key.order};
    if (key.deadline_ns < core->next_due_ns) core->next_due_ns = key.deadline_ns;
}

uint32_t settle_deadlines_first(settle_core *core, deadline_key *first) {
    uint32_t at = NO_SLOT;
    deadline_key least = {SETTLE_NEVER, 0, DEADLINE_OF_STATE};
    for (uint32_t slot = 0; slot < SCENES; slot++) {
        if (slot >= core->slots_used) break;
        prove(is_linked_well(core, slot), "the queue's contract: what is armed is linked in time");
        deadline_key key = settle_deadlines_key(core, slot);
        if (key_before(key, least)) {
            least = key;
            at = slot;
        }
    }
    /* The first link was examined, and renewed if it was outdated. */
    for (uint32_t slot = 0; slot < SCENES; slot++) {
        if (slot >= core->slots_used) break;
        bool is_renewed = at == NO_SLOT || any_bool();
        if ((at_hot(slot)->state & STATE_LINKED) && is_renewed) settle_deadlines_link(core, slot);
    }
    if (at != NO_SLOT) *first = least;
    return at;
}

void settle_deadlines_update_bound(settle_core *core) {
    uint64_t bound_ns = NOTHING_DUE_NS;
    for (uint32_t slot = 0; slot < SCENES; slot++) {
        if (slot >= core->slots_used || !(at_hot(slot)->state & STATE_LINKED)) continue;
        if (at_link(slot)->deadline_ns < bound_ns) bound_ns = at_link(slot)->deadline_ns;
    }
    if (bound_ns != NOTHING_DUE_NS) {
        uint64_t lower_ns = any_u64();
        assume(lower_ns <= bound_ns);
        bound_ns = lower_ns;
    }
    core->next_due_ns = bound_ns;
}

void settle_deadlines_init(settle_core *core) { (void)core; }

#endif
