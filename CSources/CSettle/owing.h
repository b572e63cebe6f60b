/* Rule 6: owing a rebuild, and arming its deadline. In a header because it is the
 * better half of the hot path. */
#ifndef SETTLE_OWING_H
#define SETTLE_OWING_H

#include "core_internal.h"

static inline uint64_t earlier(uint64_t a, uint64_t b) { return a < b ? a : b; }
static inline uint64_t later(uint64_t a, uint64_t b) { return a > b ? a : b; }

/* A deadline is a time like any other: at most INT64_MAX. */
static inline uint64_t after(uint64_t start_ns, uint64_t delay_ns) {
    return earlier(start_ns + delay_ns, INT64_MAX);
}

/* STATE_QUIET or nothing. With no report and no interaction behind a debt, only quiet
 * can tell. Not a bool: gcc 12 stores that as a byte and loads it as more, which stalls
 * for ten cycles. */
static inline unsigned quiet_state(unsigned state) {
    return (state & (STATE_REPORTS | STATE_STEM_ENDED | STATE_STEM_TIMEOUT)) ? 0u : (unsigned)STATE_QUIET;
}

/* Rule 1's order: every arming takes the next number. A link is touched only if
 * the scene has none or its key might be later than the new deadline. `state` is
 * the scene's, not stored yet: one store an event. */
INLINE void arm(settle_core *core, scene_hot *hot, uint32_t slot, unsigned state, uint64_t deadline_ns) {
    bool link_is_early_enough = (state & STATE_LINKED) && deadline_ns >= hot->deadline_ns;
    hot->state = (uint16_t)(state | STATE_ARMED);
    hot->deadline_ns = deadline_ns;
    hot->order = ++core->order;
    if (FAULT(LATER_LINK_KEPT)) link_is_early_enough = (state & STATE_LINKED) != 0;
    if (!FAULT(LINK_MISSING) && !link_is_early_enough) settle_deadlines_place(core, slot);
}

/* For a scene that is not interacting and changed or whose interaction just ended;
 * stores its state. */
INLINE void owe(settle_core *core, scene_hot *hot, uint32_t slot, unsigned state, uint64_t now_ns) {
    if (!is_known(hot->size) || same_size(hot->size, hot->built) || (state & STATE_FORGOTTEN)) {
        hot->state = (uint16_t)(state & ~(unsigned)STATE_DEBT);
        return;
    }
    const settle_policy *policy = policy_of(core, hot);
    unsigned quiet = quiet_state(state);
    uint64_t deadline_ns = after(now_ns, quiet ? policy->quiet_delay_ns : policy->settle_delay_ns);
    unsigned owing = (state & ~(unsigned)(STATE_CAPPED | STATE_QUIET)) | STATE_OWED | quiet;
    if (policy->maximum_wait_ns != SETTLE_NEVER) {
        /* The cap counts from when the debt arose. */
        uint64_t *since_ns = &core->cold[slot].debt_since_ns;
        if (FAULT(DEBT_TIME_MOVED) || !(state & STATE_OWED)) *since_ns = now_ns;
        uint64_t cap_ns = after(*since_ns, policy->maximum_wait_ns);
        if (cap_ns < deadline_ns) owing |= STATE_CAPPED;
        deadline_ns = earlier(deadline_ns, cap_ns);
    }
    arm(core, hot, slot, owing, deadline_ns);
}

#endif
