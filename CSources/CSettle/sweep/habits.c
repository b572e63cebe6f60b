/* What programs without an engine build, for comparison: they see a scene's sizes and nothing else. */
#include "builder.h"

/* A scene's program: a timer, and a builder. */
typedef struct program {
    settle_builder builder;
    const settle_build_cost *cost; /* null: nothing is played */
    settle_sweep_counts *counts;
    unsigned habit;
    uint64_t changed_ns;
    uint64_t timer_ns; /* SETTLE_NEVER: it does not run */
    uint64_t built_ns; /* when it decided last, SETTLE_NEVER for never */
    bool is_slow;      /* SETTLE_HABIT_LIVE: a build took too long */
    double width, height;
    double decided_width, decided_height; /* what it decided to build last */
} program;

static void build(program *self, uint64_t now_ns) {
    /* What a throttle's timer finds built again is no work; a debounce does not look. */
    bool is_built = self->width == self->decided_width && self->height == self->decided_height;
    if (self->habit == SETTLE_HABIT_THROTTLE && is_built) {
        self->timer_ns = SETTLE_NEVER;
        return;
    }
    self->decided_width = self->width;
    self->decided_height = self->height;
    self->counts->lag[settle_lag_bucket(now_ns - self->changed_ns)]++;
    self->counts->wasted += self->built_ns != SETTLE_NEVER && now_ns - self->built_ns <= SETTLE_WASTED_NS;
    self->built_ns = now_ns;
    self->timer_ns = SETTLE_NEVER;
    if (!self->cost) self->counts->builds++;
    else settle_builder_rebuild(&self->builder, self->cost, now_ns, self->width, self->height, 1, false);
}

/* Timers and ends of builds until a time; an end comes before a timer of the same time. */
static void run_until(program *self, uint64_t now_ns) {
    for (;;) {
        uint64_t ends_ns = self->builder.ends_ns;
        if (ends_ns <= self->timer_ns && ends_ns <= now_ns && ends_ns != SETTLE_NEVER) {
            self->is_slow |= self->builder.cost_ns > SETTLE_HABIT_LIMIT_NS;
            settle_builder_ended(&self->builder, self->cost);
        } else if (self->timer_ns <= now_ns && self->timer_ns != SETTLE_NEVER) {
            build(self, self->timer_ns);
        } else {
            return;
        }
    }
}

static void change(program *self, uint64_t now_ns) {
    self->changed_ns = now_ns;
    switch (self->habit) {
    case SETTLE_HABIT_THROTTLE:
        if (self->built_ns == SETTLE_NEVER || now_ns - self->built_ns >= SETTLE_THROTTLE_NS) build(self, now_ns);
        else if (self->timer_ns == SETTLE_NEVER) self->timer_ns = self->built_ns + SETTLE_THROTTLE_NS;
        break;
    case SETTLE_HABIT_DEBOUNCE: self->timer_ns = now_ns + SETTLE_DEBOUNCE_NS; break;
    case SETTLE_HABIT_LIVE:
        if (self->is_slow) self->timer_ns = now_ns + SETTLE_DEBOUNCE_NS;
        else build(self, now_ns);
        break;
    default: build(self, now_ns); break;
    }
}

void settle_sweep_habit(const settle_sweep_log *log, const settle_build_cost *cost, unsigned habit,
                        settle_sweep_counts *counts) {
    for (uint32_t number = 0; number < log->connections; number++) {
        const settle_sweep_scene *scene = &log->scenes[number];
        program self = {
            .cost = cost, .counts = counts, .habit = habit, .timer_ns = SETTLE_NEVER, .built_ns = SETTLE_NEVER};
        settle_builder_start(&self.builder, log, number, counts);
        uint64_t now_ns = 0;
        for (uint32_t i = 0; i < scene->changes; i++) {
            const settle_event *event = &log->events[log->changes[scene->first + i]];
            if (event->at_ns > now_ns) now_ns = event->at_ns;
            run_until(&self, now_ns);
            self.width = event->width;
            self.height = event->height;
            change(&self, now_ns);
        }
        /* A disconnect cancels the timer; the end of a log does not. */
        if (scene->disconnects) run_until(&self, scene->ends_ns), self.timer_ns = SETTLE_NEVER;
        run_until(&self, INT64_MAX);
        if (cost) settle_builder_finish(&self.builder);
    }
}
