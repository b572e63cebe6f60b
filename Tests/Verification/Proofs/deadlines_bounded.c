/* deadlines.c on every short history: two scenes, and every sequence of a number of steps,
 * each one a call that submit.c makes. After each step the queue is compared with a search
 * through all armed deadlines, as abstract_deadlines.h promises to the proof of the rules.
 *
 *     deadlines_bounded STEPS     prints the histories explored; 1 at the first fault */
#include "rebuild_deadline.h"

#include <stdio.h>
#include <stdlib.h>

enum { SCENES = 2, STEPS_MAX = 8, WORKSPACE_BYTES = 1 << 16 };

static _Alignas(64) unsigned char workspace[WORKSPACE_BYTES], snapshots[STEPS_MAX + 1][WORKSPACE_BYTES];
static size_t workspace_bytes;
static settle_core *core;
static long histories;

/* Within a bucket, into the next one, and into higher levels, up to the last. */
static const uint64_t delays_ns[] = {0, 1, (uint64_t)1 << 18, ((uint64_t)1 << 28) + 5, (uint64_t)1 << 46};
enum { DELAYS = sizeof delays_ns / sizeof *delays_ns };

enum {
    ARM = 0,
    LOCK = ARM + SCENES * DELAYS,
    DISARM = LOCK + SCENES * DELAYS,
    UNLOCK = DISARM + SCENES,
    REMOVE = UNLOCK + SCENES,
    FIRE = REMOVE + SCENES,
    BOUND,
    WAIT,
    /* Only in histories of up to EXTRA_STEPS: a preview's and a live deadline are more like the lock's. */
    PREVIEW,
    HIDE = PREVIEW + SCENES * DELAYS,
    LIVE = HIDE + SCENES,
    DROP = LIVE + SCENES * DELAYS,
    OPERATIONS = DROP + SCENES,
    EXTRA_STEPS = 4
};

static void lock(uint32_t slot, uint64_t deadline_ns) {
    set(&core->hot[slot], STATE_LOCK_ARMED);
    core->cold[slot].lock_deadline_ns = deadline_ns;
    core->cold[slot].lock_order = (uint32_t)++core->order;
    settle_deadlines_link(core, slot);
}

/* As rule 17's pause does. */
static void preview(uint32_t slot, uint64_t deadline_ns) {
    scene_preview *scene = &core->previews[slot];
    settle_deadlines_arm_extra(core, slot);
    bool link_is_early_enough = scene->deadline_ns != SETTLE_NEVER && deadline_ns >= scene->deadline_ns;
    scene->deadline_ns = deadline_ns;
    scene->order = ++core->order;
    if (!link_is_early_enough) settle_deadlines_link(core, slot);
}

static void live(uint32_t slot, uint64_t deadline_ns) {
    settle_deadlines_arm_extra(core, slot);
    core->lives[slot].deadline_ns = deadline_ns;
    core->lives[slot].order = (uint32_t)++core->order;
    settle_deadlines_link(core, slot);
}

/* The first of all by (deadline, order), the long way. */
static uint32_t search(deadline_key *first) {
    uint32_t at = NO_SLOT;
    for (uint32_t slot = 0; slot < SCENES; slot++) {
        const scene_hot *hot = &core->hot[slot];
        const scene_cold *cold = &core->cold[slot];
        const scene_preview *scene = &core->previews[slot];
        const scene_live *live = &core->lives[slot];
        const struct {
            enum scene_state armed;
            deadline_key key;
        } all[] = {
            {STATE_ARMED, {hot->deadline_ns, hot->order, DEADLINE_OF_STATE}},
            {STATE_EXTRA_ARMED, {scene->deadline_ns, scene->order, DEADLINE_OF_PREVIEW}},
            {STATE_EXTRA_ARMED, {live->deadline_ns, live->order, DEADLINE_OF_LIVE}},
            {STATE_LOCK_ARMED, {cold->lock_deadline_ns, cold->lock_order, DEADLINE_OF_LOCK}},
        };
        for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
            if (!has(hot, all[i].armed) || all[i].key.deadline_ns == SETTLE_NEVER) continue;
            deadline_key key = all[i].key;
            bool is_before = at == NO_SLOT || key.deadline_ns < first->deadline_ns ||
                             (key.deadline_ns == first->deadline_ns && key.order < first->order);
            if (!is_before) continue;
            *first = key;
            at = slot;
        }
    }
    return at;
}

static void apply(int operation) {
    if (operation < LOCK) {
        int i = operation - ARM;
        uint32_t slot = (uint32_t)(i % SCENES);
        scene_hot *hot = &core->hot[slot];
        arm(core, hot, slot, hot->state, core->now_ns + delays_ns[i / SCENES]);
    } else if (operation < DISARM) {
        int i = operation - LOCK;
        lock((uint32_t)(i % SCENES), core->now_ns + delays_ns[i / SCENES]);
    } else if (operation < UNLOCK) {
        clear(&core->hot[operation - DISARM], STATE_ARMED);
    } else if (operation < REMOVE) {
        clear(&core->hot[operation - UNLOCK], STATE_LOCK_ARMED);
    } else if (operation < FIRE) {
        settle_deadlines_remove(core, (uint32_t)(operation - REMOVE));
        core->hot[operation - REMOVE].state = 0;
    } else if (operation == FIRE) {
        deadline_key key;
        uint32_t slot = settle_deadlines_first(core, &key);
        if (slot == NO_SLOT) return;
        core->now_ns = key.deadline_ns;
        if (key.kind == DEADLINE_OF_PREVIEW) settle_deadlines_disarm_preview(core, slot);
        else if (key.kind == DEADLINE_OF_LIVE) settle_deadlines_disarm_live(core, slot);
        else clear(&core->hot[slot], key.kind == DEADLINE_OF_LOCK ? STATE_LOCK_ARMED : STATE_ARMED);
        settle_deadlines_link(core, slot);
        settle_deadlines_update_bound(core);
    } else if (operation == BOUND) {
        settle_deadlines_update_bound(core);
    } else if (operation == WAIT) {
        deadline_key key;
        if (search(&key) != NO_SLOT && key.deadline_ns > core->now_ns) core->now_ns = key.deadline_ns - 1;
    } else if (operation < HIDE) {
        int i = operation - PREVIEW;
        preview((uint32_t)(i % SCENES), core->now_ns + delays_ns[i / SCENES]);
    } else if (operation < LIVE) {
        settle_deadlines_disarm_preview(core, (uint32_t)(operation - HIDE));
    } else if (operation < DROP) {
        int i = operation - LIVE;
        live((uint32_t)(i % SCENES), core->now_ns + delays_ns[i / SCENES]);
    } else {
        settle_deadlines_disarm_live(core, (uint32_t)(operation - DROP));
    }
}

static const char *fault(void) {
    deadline_key expected = {SETTLE_NEVER, 0, DEADLINE_OF_STATE}, first = expected;
    uint32_t slot = search(&expected);
    uint16_t states[SCENES];
    for (uint32_t i = 0; i < SCENES; i++) {
        states[i] = core->hot[i].state & (uint16_t)~(STATE_LINKED | STATE_IN_HEAP);
        bool is_armed = has(&core->hot[i], STATE_ARMED | STATE_EXTRA_ARMED | STATE_LOCK_ARMED);
        if (is_armed && !has(&core->hot[i], STATE_LINKED)) return "an armed scene is not linked";
    }
    if (slot != NO_SLOT && core->next_due_ns > expected.deadline_ns) return "the bound is later than the first deadline";
    if (settle_deadlines_first(core, &first) != slot) return "another scene comes first";
    if (slot == NO_SLOT) return core->linked_count == 0 ? NULL : "a scene without a deadline stays linked";
    if (first.deadline_ns != expected.deadline_ns || first.order != expected.order || first.kind != expected.kind) {
        return "another deadline comes first";
    }
    settle_deadlines_update_bound(core);
    if (core->next_due_ns > expected.deadline_ns) return "the bound is later than the first deadline";
    for (uint32_t i = 0; i < SCENES; i++) {
        if ((core->hot[i].state & (uint16_t)~(STATE_LINKED | STATE_IN_HEAP)) != states[i]) return "a scene's state changed";
    }
    return NULL;
}

static void explore(int depth, int steps) {
    for (int operation = 0; operation < (steps > EXTRA_STEPS ? PREVIEW : OPERATIONS); operation++) {
        memcpy(workspace, snapshots[depth], workspace_bytes);
        apply(operation);
        memcpy(snapshots[depth + 1], workspace, workspace_bytes);
        const char *what = fault();
        if (what) {
            printf("fault: %s, after %d steps\n", what, depth + 1);
            exit(1);
        }
        histories++;
        if (depth + 1 < steps) explore(depth + 1, steps);
    }
}

int main(int argc, char **argv) {
    int steps = argc > 1 ? atoi(argv[1]) : 4;
    settle_config config = settle_config_default();
    config.scenes_max = SCENES;
    config.decisions_max = config.policies_max = 1;
    config.features = SETTLE_PREVIEWS | SETTLE_LIVE_REBUILDS;
    workspace_bytes = settle_core_size(&config);
    if (steps < 1 || steps > STEPS_MAX || workspace_bytes > WORKSPACE_BYTES) return 2;
    if (settle_core_init(workspace, sizeof workspace, &config, &core) != SETTLE_OK) return 2;
    settle_scene scene;
    for (uint32_t i = 0; i < SCENES; i++) settle_core_connect(core, 0, &scene);
    memcpy(snapshots[0], workspace, workspace_bytes);
    explore(0, steps);
    printf("every history of %d steps, %ld in all\n", steps, histories);
    return 0;
}
