/* Drives a core over a bound log, once for each policy, and counts what it decides. */
#include "sweep_internal.h"

enum { DECISIONS = 64 };

/* What is needed of a scene's decisions so far. */
typedef struct scene_row {
    settle_sweep_known known;
    uint64_t rebuilt_ns; /* the last rebuild, SETTLE_NEVER for none */
    bool released;       /* how the last interaction ended */
} scene_row;

settle_config settle_sweep_config(uint32_t scenes) {
    settle_config config = settle_config_default();
    config.scenes_max = scenes;
    config.decisions_max = DECISIONS;
    config.policies_max = 1;
    config.features = SETTLE_PREVIEWS | SETTLE_LIVE_REBUILDS;
    return config;
}

settle_scene settle_sweep_handle(uint32_t connections, uint32_t number) {
    unsigned slot_bits = 1;
    while ((uint32_t)1 << slot_bits < connections) slot_bits++;
    return (uint32_t)1 << slot_bits | number;
}

typedef struct run_layout {
    size_t core, rows, total;
} run_layout;

static uint32_t scenes_of(const settle_sweep_log *log) { return log->connections ? log->connections : 1; }

static run_layout layout_of(const settle_sweep_log *log) {
    settle_config config = settle_sweep_config(scenes_of(log));
    run_layout at = {0, 0, 0};
    at.core = settle_sweep_reserve(&at.total, 1, settle_core_size(&config));
    at.rows = settle_sweep_reserve(&at.total, scenes_of(log), sizeof(scene_row));
    return at;
}

size_t settle_sweep_size(const settle_sweep_log *log) { return layout_of(log).total; }

uint64_t settle_sweep_since_ns(const settle_sweep_log *log, uint32_t number, const settle_decision *decision,
                               settle_sweep_known *known) {
    if (decision->kind == SETTLE_INTERACTION_ENDED) known->ended_ns = decision->at_ns;
    if (decision->kind != SETTLE_REBUILD) return decision->at_ns;
    known->applied = known->applied + decision->coalesced;
    uint64_t changed_ns = log->changed_ns[log->scenes[number].first + known->applied - 1];
    return known->ended_ns > changed_ns ? known->ended_ns : changed_ns;
}

static void count_rebuild(const settle_decision *decision, uint64_t since_ns, scene_row *row,
                          settle_sweep_counts *counts) {
    counts->rebuilds[decision->reason - SETTLE_REBUILD_INTERACTION_ENDED]++;
    counts->released += decision->reason == SETTLE_REBUILD_INTERACTION_ENDED && row->released;
    counts->lag[settle_lag_bucket(decision->at_ns - since_ns)]++;
    if (row->rebuilt_ns != SETTLE_NEVER && decision->at_ns - row->rebuilt_ns <= SETTLE_WASTED_NS) counts->wasted++;
    row->rebuilt_ns = decision->at_ns;
}

static void count_decisions(settle_core *core, const settle_sweep_log *log, scene_row *rows,
                            settle_sweep_counts *counts) {
    settle_decision decisions[DECISIONS];
    size_t popped;
    settle_core_pop_decisions(core, decisions, DECISIONS, &popped);
    for (size_t i = 0; i < popped; i++) {
        const settle_decision *decision = &decisions[i];
        uint32_t number = settle_core_slot(core, decision->scene);
        uint64_t since_ns = settle_sweep_since_ns(log, number, decision, &rows[number].known);
        if (decision->kind == SETTLE_INTERACTION_ENDED)
            rows[number].released = decision->reason == SETTLE_ENDED_RELEASED;
        if (decision->kind == SETTLE_REBUILD) count_rebuild(decision, since_ns, &rows[number], counts);
        if (decision->kind == SETTLE_PREVIEW) counts->previews++;
    }
}

static void decide(settle_core *core, const settle_sweep_log *log, scene_row *rows, settle_sweep_counts *counts) {
    for (uint32_t number = 0; number < log->connections; number++) {
        settle_scene scene;
        settle_core_connect(core, 0, &scene);
        rows[number] = (scene_row){{0, 0}, SETTLE_NEVER, false};
    }
    size_t next = 0, accepted;
    while (settle_core_submit(core, log->events + next, log->count - next, &accepted) != SETTLE_OK) {
        next += accepted;
        count_decisions(core, log, rows, counts);
    }
    while (settle_core_finish(core) != SETTLE_OK) count_decisions(core, log, rows, counts);
    count_decisions(core, log, rows, counts);
}

int settle_sweep_run(void *workspace, size_t size, const settle_sweep_log *log, const settle_policy *policies,
                     size_t policies_count, settle_sweep_counts *counts) {
    run_layout at = layout_of(log);
    settle_config config = settle_sweep_config(scenes_of(log));
    settle_core *core;
    if (!workspace || size < at.total || settle_core_init(workspace, at.rows, &config, &core) != SETTLE_OK)
        return SETTLE_INVALID;
    scene_row *rows = (scene_row *)(void *)((unsigned char *)workspace + at.rows);
    for (size_t i = 0; i < policies_count; i++) {
        if (settle_core_restart(core, &policies[i]) != SETTLE_OK) return SETTLE_INVALID;
        decide(core, log, rows, &counts[i]);
    }
    return SETTLE_OK;
}
