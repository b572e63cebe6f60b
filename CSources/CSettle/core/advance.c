/* Time: deadlines fire in order, and the next one is known. */
#include "rebuild_deadline.h"

COLD int settle_run_due(settle_core *core, uint64_t now_ns) {
    if (core->releasing && settle_end_pointer_interactions(core) != SETTLE_OK) return SETTLE_FULL;
    while (core->next_due_ns <= now_ns) {
        deadline_key key;
        uint32_t slot = settle_deadlines_first(core, &key);
        settle_deadlines_update_bound(core);
        if (slot == NO_SLOT || key.deadline_ns > now_ns) break;
        if (decisions_full(core)) return SETTLE_FULL;
        settle_apply_deadline(core, slot, key);
        settle_deadlines_link(core, slot);
        settle_deadlines_update_bound(core);
    }
    core->now_ns = later(core->now_ns, now_ns);
    return SETTLE_OK;
}

int settle_core_advance(settle_core *core, uint64_t now_ns) {
    SETTLE_ASSERT(core);
    if (now_ns > INT64_MAX) return SETTLE_INVALID;
    return settle_run_due(core, now_ns);
}

int settle_core_finish(settle_core *core) {
    SETTLE_ASSERT(core);
    for (;;) {
        uint64_t next_ns = settle_core_next_deadline_ns(core);
        if (next_ns == SETTLE_NEVER) return SETTLE_OK;
        if (settle_run_due(core, next_ns) != SETTLE_OK) return SETTLE_FULL;
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
