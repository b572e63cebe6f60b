/* The queue of decisions: a ring of decisions_max entries. */
#include "core_internal.h"

settle_decision *settle_decision_append(settle_core *core, uint32_t slot, unsigned kind, unsigned reason) {
    uint64_t at = (uint64_t)core->decisions_first + core->decisions_waiting;
    if (at >= core->decisions_max) at -= core->decisions_max;
    core->decisions_waiting++;
    core->stats.decisions++;
    settle_decision *decision = &core->decisions[at];
    memset(decision, 0, sizeof *decision);
    decision->at_ns = core->now_ns;
    decision->scene = core->hot[slot].handle;
    decision->kind = (uint8_t)kind;
    decision->reason = (uint8_t)reason;
    return decision;
}

settle_decision *settle_decide_size(settle_core *core, uint32_t slot, unsigned kind, unsigned reason) {
    const scene_hot *hot = &core->hot[slot];
    settle_decision *decision = settle_decision_append(core, slot, kind, reason);
    lengths_of(hot->size, &decision->width, &decision->height);
    lengths_of(hot->built, &decision->previous_width, &decision->previous_height);
    return decision;
}

size_t settle_core_pop_decisions(settle_core *core, settle_decision *decisions, size_t capacity) {
    SETTLE_ASSERT(core && (decisions || capacity == 0));
    size_t count = core->decisions_waiting < capacity ? core->decisions_waiting : capacity;
    for (size_t i = 0; i < count; i++) {
        decisions[i] = core->decisions[core->decisions_first];
        if (++core->decisions_first == core->decisions_max) core->decisions_first = 0;
    }
    core->decisions_waiting -= (uint32_t)count;
    return count;
}
