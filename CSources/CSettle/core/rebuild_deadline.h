/* Rule 6: which rebuild is pending, and until when. In a header, so that the path of every
 * event inlines it. */
#ifndef SETTLE_REBUILD_DEADLINE_H
#define SETTLE_REBUILD_DEADLINE_H

#include "core_internal.h"

static inline uint64_t earlier(uint64_t a, uint64_t b) { return a < b ? a : b; }
static inline uint64_t later(uint64_t a, uint64_t b) { return a > b ? a : b; }

/* A deadline is a time like any other: at most INT64_MAX. */
static inline uint64_t after(uint64_t start_ns, uint64_t delay_ns) { return earlier(start_ns + delay_ns, INT64_MAX); }

/* STATE_STEADY for a deadline that is not clamped: only then is it a delay after a change. */
static inline unsigned steady_state(uint64_t deadline_ns) {
    return deadline_ns < INT64_MAX ? (unsigned)STATE_STEADY : 0u;
}

/* Arms the scene's deadline and stores its state. Rule 1: every arming gets the next order
 * number. The link changes only if there is none or its key might be later than the new
 * deadline. `state` is the scene's new state, not stored before: one store per event. */
INLINE void arm(settle_core *core, scene_hot *hot, uint32_t slot, unsigned state, uint64_t deadline_ns) {
    bool link_is_early_enough = (state & STATE_LINKED) && deadline_ns >= hot->deadline_ns;
    hot->state = state | STATE_ARMED;
    hot->deadline_ns = deadline_ns;
    hot->order = ++core->order;
    if (!link_is_early_enough) settle_deadlines_link(core, slot);
}

/* Arms the rebuild's deadline, or clears what is pending when the size is built or the scene
 * cancelled; stores the scene's state. For a scene that is not interacting, and whose size
 * changed or whose interaction just ended. `quiet_ns` is rule 16's wait where it was consulted. */
INLINE void schedule_rebuild(settle_core *core, scene_hot *hot, uint32_t slot, unsigned state, uint64_t now_ns,
                             uint64_t quiet_ns) {
    if (!is_known(hot->size) || same_size(hot->size, hot->built) || (state & STATE_CANCELLED)) {
        hot->state = state & ~(unsigned)STATE_PENDING_ALL;
        settle_preview_forget(core, slot);
        return;
    }
    const policy_row *row = &core->policies[hot->policy];
    bool was_pending = (state & STATE_ARMED) != 0;
    unsigned pending = state & ~(unsigned)(STATE_CAPPED | STATE_FIRST | STATE_STEADY | STATE_CONSULTED);
    uint64_t delay_ns = delay_of(row, state), steady_ns = delay_ns;
    if (!is_known(hot->built)) {
        delay_ns = row->first_delay_ns;
        pending |= STATE_FIRST;
    } else if (!(state & STATE_DELAY_BITS)) {
        delay_ns = quiet_ns;
        if (!row->quiet_is_fixed) pending |= STATE_CONSULTED;
        if (!row->quiet_is_steady) steady_ns = SETTLE_NEVER;
    } else if ((state & STATE_AFTER) == STATE_AFTER_RELEASED && settle_preview_is_remembered(core, slot)) {
        delay_ns = delay_of(row, STATE_AFTER_REPORTED);
    }
    uint64_t deadline_ns = after(now_ns, delay_ns);
    if (row->extras & (EXTRA_MAXIMUM_WAIT | EXTRA_AT_CHANGES)) {
        if (row->extras & EXTRA_MAXIMUM_WAIT) {
            /* maximumWait counts from the first change that is not built. */
            uint64_t *since_ns = &core->cold[slot].pending_since_ns;
            if (!was_pending) *since_ns = now_ns;
            uint64_t cap_ns = later(after(*since_ns, row->maximum_wait_ns), now_ns);
            if (cap_ns < deadline_ns) pending |= STATE_CAPPED;
            deadline_ns = earlier(deadline_ns, cap_ns);
        }
    } else if (delay_ns == steady_ns && !(pending & STATE_FIRST)) {
        pending |= steady_state(deadline_ns);
    }
    if (!(pending & STATE_STEADY)) pending &= ~(unsigned)STATE_CONSULTED;
    arm(core, hot, slot, pending, deadline_ns);
}

#endif
