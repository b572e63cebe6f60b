/* The core as a part of the Spin model: all of its memory is in the model's state, which
 * Spin stores, compares and restores. The model also has the state of the hand that
 * resizes: the size it sent last, and the sizes of the last rebuild and preview. */
#ifndef SETTLE_DRIVE_H
#define SETTLE_DRIVE_H

#include "settle.h"

#include <assert.h>

enum {
    DRIVE_WORKSPACE_BYTES = 4096,
    JUMP_TICKS = 1,
    PAUSE_TICKS = 1,
    END_TICKS = 1,
    QUIET_TICKS = 2,
    TIMEOUT_TICKS = 2
};

typedef struct drive {
    _Alignas(64) unsigned char workspace[DRIVE_WORKSPACE_BYTES];
    settle_core *core;
    settle_scene scene;
    uint64_t now_ticks;
    double sent, built;
    double previewed;           /* in this interaction last */
    bool is_interacting;        /* by the core's decisions */
    bool was_wrong;             /* a promise about one decision was broken */
} drive;

extern drive driven;

/* Pops the decisions, as a handler that builds at once. */
static void drive_pop(void) {
    settle_decision decision;
    size_t popped;
    while (settle_core_pop_decisions(driven.core, &decision, 1, &popped), popped == 1) {
        if (decision.kind == SETTLE_INTERACTION_BEGAN) {
            driven.is_interacting = true;
            driven.previewed = 0;
        }
        if (decision.kind == SETTLE_INTERACTION_ENDED) driven.is_interacting = false;
        if (decision.kind == SETTLE_PREVIEW) {
            driven.was_wrong |= !driven.is_interacting || decision.width == driven.previewed;
            driven.previewed = decision.width;
        }
        if (decision.kind != SETTLE_REBUILD) continue;
        driven.was_wrong |= driven.is_interacting || decision.width == driven.built;
        driven.built = decision.width;
    }
}

static void drive_start(void) {
    settle_config config = settle_config_default();
    config.scenes_max = config.policies_max = 1;
    config.decisions_max = 2;
    settle_policy *policy = &config.policy;
    policy->first_delay_ns = 0;
    policy->reported_end_delay_ns = policy->released_end_delay_ns = policy->discrete_delay_ns = END_TICKS;
    policy->quiet_delay_ns = policy->quiet_maximum_ns = QUIET_TICKS;
    policy->jump_delay_ns = JUMP_TICKS;
    policy->lock_delay_ns = 1;
    policy->pause_delay_ns = PAUSE_TICKS;
    policy->interaction_timeout_ns = TIMEOUT_TICKS;
    assert(settle_core_size(&config) <= sizeof driven.workspace);
    assert(settle_core_init(driven.workspace, sizeof driven.workspace, &config, &driven.core) == SETTLE_OK);
    assert(settle_core_connect(driven.core, 0, &driven.scene) == SETTLE_OK);
}

static void drive_submit(settle_event event) {
    size_t accepted;
    event.at_ns = driven.now_ticks;
    while (settle_core_submit(driven.core, &event, 1, &accepted) == SETTLE_FULL && accepted == 0) drive_pop();
    drive_pop();
}

/* A size with no flag, with the flag on, or with it off. */
static void drive_size(double width, unsigned flags) {
    settle_event event = settle_event_geometry(driven.scene, 0, width, 1, flags);
    driven.sent = width;
    drive_submit(event);
}

static void drive_button(bool is_pressed) {
    settle_event event = settle_event_pointer(1, is_pressed, 0);
    drive_submit(event);
}

static void drive_flush(void) {
    settle_event event = settle_event_flush(driven.scene, 0);
    drive_submit(event);
}

static void drive_tick(void) {
    driven.now_ticks++;
    while (settle_core_advance(driven.core, driven.now_ticks) == SETTLE_FULL) drive_pop();
    drive_pop();
}

/* Also while the hand holds the window: the watchdog ends its interaction. */
static bool drive_is_unbuilt(void) { return driven.sent != driven.built; }

#endif
