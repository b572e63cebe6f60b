/* Feedback: builds that change their own scene's size, so that each asks for the next. It decides nothing: a rebuild is
 * marked. What a rebuild needs of the one before has its place in what only interactions use, so no event costs more. */
#include "rebuild_deadline.h"

/* A row of 5 s: what a rebuild adds is in ms, and as much as the state has bits for. */
enum { ROW_MS = 5000, STILL_MS = ROW_MS / 20, STILL_NS = 2 * SETTLE_FEEDBACK_FRAME_NS, NS_PER_MS = 1000000 };

#define NO_ROW UINT32_MAX

_Static_assert((uint64_t)(ROW_MS + STILL_MS) << FEEDBACK_SHIFT <= UINT32_MAX, "a row fits the state's highest bits");

static void set_row(scene_hot *hot, uint32_t row_ms) {
    settle_feedback_forget(hot);
    hot->state |= STATE_FOLLOWED | (row_ms < ROW_MS ? row_ms : ROW_MS) << FEEDBACK_SHIFT;
}

/* When the size last changed, of an armed rebuild that no interaction came before. */
static uint64_t last_change_ns(const settle_core *core, uint32_t slot) {
    const scene_hot *hot = &core->hot[slot];
    const policy_row *row = row_of(core, hot);
    const bool is_quiet = !has(hot, STATE_DELAY_BITS);
    if (is_quiet && !row->quiet_is_fixed && !has(hot, STATE_CONSULTED)) return core->cold[slot].change_ns;
    if (has(hot, STATE_CAPPED)) return core->cold[slot].pending_since_ns;
    return hot->deadline_ns - delay_of(row, hot->state);
}

/* What a rebuild adds to its row; NO_ROW if it ends it. */
static uint32_t step_ms(const settle_core *core, uint32_t slot, unsigned reason) {
    const scene_hot *hot = &core->hot[slot];
    if ((hot->state & (STATE_FOLLOWED | STATE_ARMED | STATE_FIRST)) != (STATE_FOLLOWED | STATE_ARMED)) return NO_ROW;
    /* A deadline that is clamped, or maximumWait's after several events, does not say when the last one came. */
    if (hot->deadline_ns == INT64_MAX || (has(hot, STATE_CAPPED) && hot->coalesced != 1)) return NO_ROW;
    const uint64_t built_ns = core->cold[slot].interaction_ns, changed_ns = last_change_ns(core, slot);
    if (changed_ns > built_ns + SETTLE_FEEDBACK_FRAME_NS) return NO_ROW;
    const bool is_still = core->now_ns >= changed_ns + STILL_NS;
    if (is_still && reason != SETTLE_REBUILD_LIVE) return STILL_MS;
    const uint64_t since_ms = (later(core->now_ns, built_ns) - built_ns) / NS_PER_MS;
    if (!is_still && hot->coalesced != 1) return NO_ROW;
    return since_ms < STILL_MS ? (uint32_t)since_ms : STILL_MS;
}

bool settle_feedback_rebuilt(settle_core *core, uint32_t slot, unsigned reason) {
    scene_hot *hot = &core->hot[slot];
    if (has(hot, STATE_INTERACTING)) return false;
    const uint32_t step = step_ms(core, slot, reason);
    set_row(hot, step == NO_ROW ? 0 : (hot->state >> FEEDBACK_SHIFT) + step);
    core->cold[slot].interaction_ns = core->now_ns;
    if (hot->state >> FEEDBACK_SHIFT < ROW_MS) return false;
    core->stats.feedback++;
    return true;
}

void settle_feedback_finished(settle_core *core, uint32_t slot, uint64_t at_ns) {
    uint64_t *built_ns = &core->cold[slot].interaction_ns;
    if (has(&core->hot[slot], STATE_FOLLOWED)) *built_ns = later(*built_ns, at_ns);
}
