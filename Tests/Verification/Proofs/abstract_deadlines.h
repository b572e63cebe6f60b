/* The contract of deadlines.c, in place of it: what core.c and rules.c may rely on and
 * nothing more. A link remembers the key that the scene had when it was linked; which
 * stale links are looked at, and how far below the first deadline the bound lies, is
 * left open, so that what is proved holds for every such queue. deadlines.c is checked
 * against the same contract by deadlines_bounded.c. */
#ifndef SETTLE_ABSTRACT_DEADLINES_H
#define SETTLE_ABSTRACT_DEADLINES_H

#include "core_internal.h"
#include "prover.h"

/* The key each scene is linked under; holds while STATE_LINKED. */
typedef struct ghost_link {
    uint64_t deadline_ns, order;
} ghost_link;

static ghost_link link_0, link_1;

static ghost_link *at_link(uint32_t slot) { return SCENES == 1 || slot == 0 ? &link_0 : &link_1; }

static bool key_before(deadline_key a, deadline_key b) {
    return a.deadline_ns < b.deadline_ns || (a.deadline_ns == b.deadline_ns && a.order < b.order);
}

/* What the queue asks of its callers: a scene with an armed deadline is linked, and not
 * under a later key; a deadline that is not armed does not look earlier than the link. */
static bool is_linked_well(const settle_core *core, uint32_t slot) {
    const scene_hot *hot = at_hot(slot);
    deadline_key key = settle_deadlines_key(core, slot);
    if (!(hot->state & STATE_LINKED)) return key.deadline_ns == SETTLE_NEVER;
    deadline_key link = {at_link(slot)->deadline_ns, at_link(slot)->order, false};
    return !key_before(key, link) && hot->deadline_ns >= link.deadline_ns;
}

deadline_key settle_deadlines_key(const settle_core *core, uint32_t slot) {
    const scene_hot *hot = at_hot(slot);
    const scene_cold *cold = at_cold(slot);
    deadline_key rebuild = {SETTLE_NEVER, 0, false}, lock = {SETTLE_NEVER, 0, true};
    if (hot->state & STATE_ARMED) rebuild = (deadline_key){hot->deadline_ns, hot->order, false};
    if (hot->state & STATE_LOCK_ARMED) lock = (deadline_key){cold->lock_deadline_ns, cold->lock_order, true};
    return key_before(lock, rebuild) ? lock : rebuild;
}

void settle_deadlines_remove(settle_core *core, uint32_t slot) {
    at_hot(slot)->state &= (uint16_t)~(STATE_LINKED | STATE_IN_HEAP);
}

void settle_deadlines_place(settle_core *core, uint32_t slot) {
    scene_hot *hot = at_hot(slot);
    settle_deadlines_remove(core, slot);
    if (!(hot->state & STATE_ARMED)) hot->deadline_ns = SETTLE_NEVER;
    deadline_key key = settle_deadlines_key(core, slot);
    if (key.deadline_ns == SETTLE_NEVER) return;
    hot->state |= (uint16_t)(STATE_LINKED | (any_bool() ? STATE_IN_HEAP : 0));
    *at_link(slot) = (ghost_link){key.deadline_ns, key.order};
    if (key.deadline_ns < core->next_due_ns) core->next_due_ns = key.deadline_ns;
}

uint32_t settle_deadlines_first(settle_core *core, deadline_key *first) {
    uint32_t at = NO_SLOT;
    deadline_key least = {SETTLE_NEVER, 0, false};
    for (uint32_t slot = 0; slot < SCENES; slot++) {
        if (slot >= core->slots_used) break;
        prove(is_linked_well(core, slot), "the queue's contract: what is armed is linked in time");
        deadline_key key = settle_deadlines_key(core, slot);
        if (key_before(key, least)) {
            least = key;
            at = slot;
        }
    }
    /* A link that came up was looked at, and renewed if it was stale. */
    for (uint32_t slot = 0; slot < SCENES; slot++) {
        if (slot >= core->slots_used) break;
        bool is_renewed = at == NO_SLOT || any_bool();
        if ((at_hot(slot)->state & STATE_LINKED) && is_renewed) settle_deadlines_place(core, slot);
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
