/* The delays that nothing in a log waits for: policies that differ in them alone decide it alike. */
#include "sweep_internal.h"

/* What a log has that a delay of the grids is waited for after: `change` is any of a size. An interaction begins and ends by events and by what
 * the grids leave alone, so that one policy finds what all of them do. */
typedef struct causes {
    bool reported_end, released_end, discrete, quiet, change;
} causes;

enum { DECISIONS = 64 };

static void note_ends(settle_core *core, causes *found) {
    settle_decision decisions[DECISIONS];
    const size_t popped = settle_core_pop_decisions(core, decisions, DECISIONS);
    for (size_t i = 0; i < popped; i++) {
        if (decisions[i].kind != SETTLE_INTERACTION_ENDED) continue;
        if (decisions[i].reason == SETTLE_ENDED_RELEASED) found->released_end = true;
        else if (decisions[i].reason != SETTLE_ENDED_DISCONNECTED) found->reported_end = true;
    }
}

static void submit(settle_core *core, const settle_event *event, causes *found) {
    size_t left = 1, accepted;
    while (settle_core_submit(core, event, left, &accepted) != SETTLE_OK) {
        left -= accepted;
        note_ends(core, found);
    }
}

/* A change of a scene of which something is built; outside of interactions it waits for quiet, or is discrete. */
static void change(settle_core *core, const settle_event *event, uint32_t slot, causes *found) {
    const scene_hot *hot = &core->hot[slot];
    /* What is due before the event may end the interaction; then it is outside. */
    while (settle_core_advance(core, event->at_ns) != SETTLE_OK) note_ends(core, found);
    const size_bits before = hot->size;
    const bool was_interacting = has(hot, STATE_INTERACTING);
    submit(core, event, found);
    if (same_size(hot->size, before) || !is_known(hot->built)) return;
    found->change = true;
    if (was_interacting || has(hot, STATE_INTERACTING)) return;
    if (has(hot, STATE_DISCRETE)) found->discrete = true;
    else found->quiet = true;
}

uint32_t settle_sweep_idle(void *workspace, size_t size, const settle_sweep_log *log, const settle_policy *policy) {
    settle_config config = settle_sweep_config(log->connections ? log->connections : 1);
    settle_core *core;
    causes found = {false, false, false, false, false};
    settle_policy base;
    if (!settle_read_policy(policy, &base) || settle_core_init(workspace, size, &config, &core) != SETTLE_OK) return 0;
    settle_core_restart(core, &base);
    for (uint32_t number = 0; number < log->connections; number++) {
        settle_scene scene;
        settle_core_connect(core, 0, &scene);
    }
    for (size_t i = 0; i < log->count; i++) {
        const settle_event *event = &log->events[i];
        uint32_t slot;
        /* A pointer's scene is a button, and its time is any if it was rejected. */
        if (event->kind == SETTLE_GEOMETRY && find_scene(core, event->scene, &slot)) change(core, event, slot, &found);
        else submit(core, event, &found);
    }
    while (settle_core_finish(core) != SETTLE_OK) note_ends(core, &found);
    note_ends(core, &found);
    /* Rule 6: what is prepared waits no longer after a release than after a reported end. */
    if (found.released_end && base.pause_share_percent != SETTLE_NEVER) found.reported_end = true;
    uint32_t idle = 0;
    if (!found.reported_end) idle |= CHANGE(reported_end_delay_ns);
    if (!found.released_end) idle |= CHANGE(released_end_delay_ns);
    if (!found.discrete) idle |= CHANGE(discrete_delay_ns);
    if (!found.quiet) idle |= CHANGE(quiet_delay_ns) | CHANGE(jump_delay_ns) | CHANGE(calm_delay_ns);
    if (!found.change) {
        idle |= CHANGE(pause_delay_ns) | CHANGE(pause_share_percent) | CHANGE(live_share_percent) |
                CHANGE(live_limit_ns) | CHANGE(live_pause_ns);
    }
    return idle;
}
