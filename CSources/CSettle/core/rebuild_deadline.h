/* Rule 6: which rebuild is pending, and until when. In a header, so that the path of every
 * event inlines it. */
#ifndef SETTLE_REBUILD_DEADLINE_H
#define SETTLE_REBUILD_DEADLINE_H

#include "core_internal.h"

static inline uint64_t earlier(uint64_t a, uint64_t b) { return a < b ? a : b; }
static inline uint64_t later(uint64_t a, uint64_t b) { return a > b ? a : b; }

/* A deadline is a time like any other: at most INT64_MAX. */
static inline uint64_t after(uint64_t start_ns, uint64_t delay_ns) { return earlier(start_ns + delay_ns, INT64_MAX); }

/* STATE_QUIET or 0: quietDelay applies when the scene does not report and the rebuild follows
 * no interaction. Not a bool: gcc 12 stores that as a byte and loads it as a word, which
 * stalls for ten cycles. */
static inline unsigned quiet_state(unsigned state) {
    return (state & (STATE_REPORTS | STATE_AFTER_INTERACTION | STATE_AFTER_TIMEOUT)) ? 0u : (unsigned)STATE_QUIET;
}

/* Arms the scene's deadline and stores its state. Rule 1: every arming gets the next order
 * number. The link changes only if there is none or its key might be later than the new
 * deadline. `state` is the scene's new state, not stored before: one store per event. */
INLINE void arm(settle_core *core, scene_hot *hot, uint32_t slot, unsigned state, uint64_t deadline_ns) {
    bool link_is_early_enough = (state & STATE_LINKED) && deadline_ns >= hot->deadline_ns;
    hot->state = (uint16_t)(state | STATE_ARMED);
    hot->deadline_ns = deadline_ns;
    hot->order = ++core->order;
    if (FAULT(LATER_LINK_KEPT)) link_is_early_enough = (state & STATE_LINKED) != 0;
    if (!FAULT(LINK_MISSING) && !link_is_early_enough) settle_deadlines_link(core, slot);
}

/* Arms the rebuild's deadline, or clears what is pending when the size is built or the scene
 * cancelled; stores the scene's state. For a scene that is not interacting, and whose size
 * changed or whose interaction just ended. */
INLINE void schedule_rebuild(settle_core *core, scene_hot *hot, uint32_t slot, unsigned state, uint64_t now_ns) {
    if (!is_known(hot->size) || same_size(hot->size, hot->built) || (state & STATE_CANCELLED)) {
        hot->state = (uint16_t)(state & ~(unsigned)STATE_PENDING_ALL);
        return;
    }
    const settle_policy *policy = policy_of(core, hot);
    unsigned quiet = quiet_state(state);
    uint64_t deadline_ns = after(now_ns, quiet ? policy->quiet_delay_ns : policy->settle_delay_ns);
    unsigned pending = (state & ~(unsigned)(STATE_CAPPED | STATE_QUIET)) | STATE_PENDING | quiet;
    if (policy->maximum_wait_ns != SETTLE_NEVER) {
        /* maximumWait counts from the first change that is not built. */
        uint64_t *since_ns = &core->cold[slot].pending_since_ns;
        if (FAULT(DEBT_TIME_MOVED) || !(state & STATE_PENDING)) *since_ns = now_ns;
        uint64_t cap_ns = after(*since_ns, policy->maximum_wait_ns);
        if (cap_ns < deadline_ns) pending |= STATE_CAPPED;
        deadline_ns = earlier(deadline_ns, cap_ns);
    }
    arm(core, hot, slot, pending, deadline_ns);
}

#endif
