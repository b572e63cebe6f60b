/* Drives a core over a bound log, once for each policy, and counts what it decides. */
#include "builder.h"
#include "play.h"

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
    size_t core, rows, builders, ends, total;
} run_layout;

static uint32_t scenes_of(const settle_sweep_log *log) { return log->connections ? log->connections : 1; }

static run_layout layout_of(const settle_sweep_log *log, bool has_builders) {
    settle_config config = settle_sweep_config(scenes_of(log));
    run_layout at = {0, 0, 0, 0, 0};
    at.core = settle_sweep_reserve(&at.total, 1, settle_core_size(&config));
    at.rows = settle_sweep_reserve(&at.total, scenes_of(log), sizeof(scene_row));
    at.builders = settle_sweep_reserve(&at.total, has_builders ? scenes_of(log) : 0, sizeof(settle_builder));
    at.ends = settle_sweep_reserve(&at.total, has_builders ? scenes_of(log) : 0, sizeof(uint32_t));
    return at;
}

size_t settle_sweep_size(const settle_sweep_log *log) { return layout_of(log, false).total; }

size_t settle_sweep_play_size(const settle_sweep_log *log) { return layout_of(log, true).total; }

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

/* Counts a decision that a core made; returns the number of its connection. */
static uint32_t count_decision(settle_core *core, const settle_sweep_log *log, const settle_decision *decision,
                               scene_row *rows, settle_sweep_counts *counts) {
    uint32_t number = settle_core_slot(core, decision->scene);
    uint64_t since_ns = settle_sweep_since_ns(log, number, decision, &rows[number].known);
    if (decision->kind == SETTLE_INTERACTION_ENDED) rows[number].released = decision->reason == SETTLE_ENDED_RELEASED;
    if (decision->kind == SETTLE_REBUILD) count_rebuild(decision, since_ns, &rows[number], counts);
    if (decision->kind == SETTLE_PREVIEW) counts->previews++;
    return number;
}

static void count_decisions(settle_core *core, const settle_sweep_log *log, scene_row *rows,
                            settle_sweep_counts *counts) {
    settle_decision decisions[DECISIONS];
    const size_t popped = settle_core_pop_decisions(core, decisions, DECISIONS);
    for (size_t i = 0; i < popped; i++) count_decision(core, log, &decisions[i], rows, counts);
}

static void connect_all(settle_core *core, const settle_sweep_log *log, scene_row *rows) {
    for (uint32_t number = 0; number < log->connections; number++) {
        settle_scene scene;
        settle_core_connect(core, 0, &scene);
        rows[number] = (scene_row){{0, 0}, SETTLE_NEVER, false};
    }
}

static void decide(settle_core *core, const settle_sweep_log *log, scene_row *rows, settle_sweep_counts *counts) {
    connect_all(core, log, rows);
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
    run_layout at = layout_of(log, false);
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

/* --- The closed loop --- */

typedef struct loop {
    settle_core *core; /* of one decision: it stops at each, before the event that would follow */
    const settle_sweep_log *log;
    const settle_build_cost *cost;
    scene_row *rows;
    settle_builder *builders;
    uint32_t *ends; /* a heap of the connections whose builds run, the first end on top */
    uint32_t running;
    uint32_t giving_up; /* the connection whose work for a preview the last event ends, NO_SLOT for none */
    bool prepares;      /* previews pay for themselves, so that work begins at them */
    size_t next;        /* of the log's events */
    settle_sweep_counts *counts;
    const settle_play_watcher *watcher; /* or null */
} loop;

/* Equal ends come in the order of connections. */
static bool ends_before(const loop *self, uint32_t a, uint32_t b) {
    uint64_t first_ns = self->builders[a].ends_ns, second_ns = self->builders[b].ends_ns;
    return first_ns < second_ns || (first_ns == second_ns && a < b);
}

/* Puts a connection at a place of the heap. */
static void put(loop *self, uint32_t place, uint32_t number) {
    self->ends[place] = number;
    self->builders[number].place = place;
}

/* Moves a connection from a place of the heap to where it belongs. */
static void sift(loop *self, uint32_t place) {
    const uint32_t *ends = self->ends, number = ends[place];
    for (; place > 0 && ends_before(self, number, ends[(place - 1) / 2]); place = (place - 1) / 2) {
        put(self, place, ends[(place - 1) / 2]);
    }
    for (uint32_t child; (child = 2 * place + 1) < self->running; place = child) {
        if (child + 1 < self->running && ends_before(self, ends[child + 1], ends[child])) child++;
        if (!ends_before(self, ends[child], number)) break;
        put(self, place, ends[child]);
    }
    put(self, place, number);
}

/* The end of a connection's work is another than before. */
static void end_changed(loop *self, uint32_t number, uint64_t before_ns) {
    const uint64_t ends_ns = self->builders[number].ends_ns;
    uint32_t place = self->builders[number].place;
    if (ends_ns == before_ns) return;
    if (before_ns == SETTLE_NEVER) {
        place = self->running++;
        put(self, place, number);
    } else if (ends_ns == SETTLE_NEVER) {
        if (place == --self->running) return;
        put(self, place, self->ends[self->running]);
    }
    sift(self, place);
}

/* Takes the decision that waits. False for none. */
static bool take_decision(loop *self) {
    settle_decision decision;
    if (!settle_core_pop_decisions(self->core, &decision, 1)) return false;
    uint32_t number = count_decision(self->core, self->log, &decision, self->rows, self->counts);
    const bool is_rebuild = decision.kind == SETTLE_REBUILD;
    if (!is_rebuild && !(self->prepares && decision.kind == SETTLE_PREVIEW)) return true;
    /* The event that the deadline came before moved the core's time, but is not applied: this build may end before
     * it. */
    self->core->now_ns = decision.at_ns;
    settle_builder *builder = &self->builders[number];
    const uint64_t before_ns = builder->ends_ns, now_ns = decision.at_ns;
    const double width = decision.width, height = decision.height;
    if (is_rebuild)
        settle_builder_rebuild(builder, self->cost, now_ns, width, height, decision.generation, decision.prepared);
    else settle_builder_preview(builder, self->cost, now_ns, width, height, decision.generation);
    end_changed(self, number, before_ns);
    return true;
}

/* A builder's report is an event. */
static void submit_report(loop *self, const settle_event *report) {
    size_t accepted;
    settle_core_submit(self->core, report, 1, &accepted);
    if (self->watcher) self->watcher->ended(self->watcher->context, self->next, report);
}

/* The first work ends. */
static void end_work(loop *self) {
    const uint32_t number = self->ends[0];
    settle_builder *builder = &self->builders[number];
    const settle_scene scene = settle_sweep_handle(scenes_of(self->log), number);
    const uint64_t ends_ns = builder->ends_ns;
    const settle_work *work = &builder->runs;
    const settle_event report = work->is_preparation
                                    ? settle_event_previewed(scene, ends_ns, work->generation, builder->cost_ns, true)
                                    : settle_event_finished(scene, ends_ns, work->generation, builder->cost_ns);
    submit_report(self, &report);
    settle_builder_ended(builder, self->cost);
    end_changed(self, number, ends_ns);
}

/* The last event changed the size that work is for, or disconnected the scene. */
static void give_up(loop *self) {
    const uint32_t number = self->giving_up;
    settle_builder *builder = &self->builders[number];
    const settle_scene scene = settle_sweep_handle(scenes_of(self->log), number);
    const uint64_t before_ns = builder->ends_ns, now_ns = self->core->now_ns;
    self->giving_up = NO_SLOT;
    /* A rebuild without a delay may have cut it off. */
    if (!settle_builder_prepares(builder)) return;
    uint64_t cost_ns;
    const uint32_t generation = settle_builder_give_up(builder, now_ns, &cost_ns);
    const settle_event report = settle_event_previewed(scene, now_ns, generation, cost_ns, false);
    submit_report(self, &report);
    end_changed(self, number, before_ns);
}

/* The connection whose work for a preview the log's event ends; NO_SLOT for none. */
static uint32_t ends_preparation(loop *self, size_t index) {
    const settle_event *event = &self->log->events[index];
    if (!self->prepares || (event->kind != SETTLE_GEOMETRY && event->kind != SETTLE_DISCONNECT)) return NO_SLOT;
    if (event->scene == 0) return NO_SLOT;
    const uint32_t number = settle_core_slot(self->core, event->scene);
    settle_builder *builder = &self->builders[number];
    if (!settle_builder_prepares(builder)) return NO_SLOT;
    while (builder->upcoming != builder->changes_end && *builder->upcoming < index) builder->upcoming++;
    const bool is_change = builder->upcoming != builder->changes_end && *builder->upcoming == index;
    return is_change || event->kind == SETTLE_DISCONNECT ? number : NO_SLOT;
}

/* Feeds events until one decides or ends work for a preview, work ends before the next, or none is left; returns how
 * many. The log's reports are passed over. */
static size_t feed(loop *self, const settle_event *events, size_t count) {
    size_t accepted, before = count;
    uint32_t ending = NO_SLOT;
    if (self->log->reports && count > 0 && settle_event_is_report(events[0].kind)) return 1;
    if (self->running > 0 || self->log->reports) {
        uint64_t end_ns = self->running > 0 ? self->builders[self->ends[0]].ends_ns : SETTLE_NEVER;
        for (before = 0; before < count && ending == NO_SLOT && events[before].at_ns < end_ns; before++) {
            if (settle_event_is_report(events[before].kind)) break;
            ending = ends_preparation(self, self->next + before);
        }
        /* What is rejected moves no time, and keeps no other waiting. */
        if (before == 0 && count > 0 && settle_core_rejects(self->core, events)) before = 1;
    }
    settle_core_submit(self->core, events, before, &accepted);
    if (ending != NO_SLOT && accepted == before) self->giving_up = ending;
    return accepted;
}

static void play(loop *self) {
    const settle_sweep_log *log = self->log;
    for (uint32_t number = 0; number < log->connections; number++) {
        settle_builder_start(&self->builders[number], log, number, self->counts);
    }
    self->running = 0;
    self->giving_up = NO_SLOT;
    self->next = 0;
    for (;;) {
        size_t left = self->giving_up == NO_SLOT ? log->count - self->next : 0;
        size_t fed = feed(self, log->events + self->next, left);
        self->next += fed;
        if (take_decision(self) || fed > 0) continue;
        if (self->giving_up != NO_SLOT) {
            settle_core_advance(self->core, self->core->now_ns);
            if (!take_decision(self)) give_up(self);
        } else if (self->running > 0) {
            settle_core_advance(self->core, self->builders[self->ends[0]].ends_ns);
            if (!take_decision(self)) end_work(self);
        } else if (self->next == log->count) {
            settle_core_finish(self->core);
            if (!take_decision(self)) break;
        }
    }
    for (uint32_t number = 0; number < log->connections; number++) {
        settle_builder_finish(&self->builders[number]);
    }
}

int settle_sweep_play(void *workspace, size_t size, const settle_sweep_log *log, const settle_build_cost *cost,
                      const settle_policy *policies, size_t policies_count, settle_sweep_counts *counts) {
    return settle_sweep_play_watched(workspace, size, log, cost, policies, policies_count, counts, NULL);
}

int settle_sweep_play_watched(void *workspace, size_t size, const settle_sweep_log *log, const settle_build_cost *cost,
                              const settle_policy *policies, size_t policies_count, settle_sweep_counts *counts,
                              const settle_play_watcher *watcher) {
    run_layout at = layout_of(log, true);
    settle_config config = settle_sweep_config(scenes_of(log));
    config.decisions_max = 1;
    unsigned char *bytes = workspace;
    loop self = {.log = log, .cost = cost, .watcher = watcher};
    if (!workspace || size < at.total || settle_core_init(workspace, at.rows, &config, &self.core) != SETTLE_OK)
        return SETTLE_INVALID;
    self.rows = (scene_row *)(void *)(bytes + at.rows);
    self.builders = (settle_builder *)(void *)(bytes + at.builders);
    self.ends = (uint32_t *)(void *)(bytes + at.ends);
    for (size_t i = 0; i < policies_count; i++) {
        if (settle_core_restart(self.core, &policies[i]) != SETTLE_OK) return SETTLE_INVALID;
        connect_all(self.core, log, self.rows);
        self.prepares = self.core->policies[0].pause_share_percent != SETTLE_NEVER;
        self.counts = &counts[i];
        play(&self);
    }
    return SETTLE_OK;
}
