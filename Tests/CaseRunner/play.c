/* Plays cases of rules event by event, and compares. */
#include "case_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A core for a run, in memory of its own, and the handles of the run's scenes. */
struct player {
    settle_core *core;
    void *memory;
    settle_scene scenes[CASE_SCENES_MAX + 1];
    settle_decision *decisions; /* CASE_DECISIONS_MAX; more are counted */
    size_t count;
};

void *case_memory(size_t size, void **allocated) {
    /* Not aligned_alloc, which Windows lacks. */
    unsigned char *memory = malloc(size + 63);
    *allocated = memory;
    return memory ? memset(memory + (64 - (uintptr_t)memory % 64) % 64, 0xA5, size) : NULL;
}

/* Whether a scene gets another policy, which may need what the first one does not. */
static bool changes_policy(const case_run *run) {
    for (size_t i = 0; i < run->count; i++) {
        if (run->steps[i].kind == CASE_POLICY) return true;
    }
    return false;
}

/* A core with room for one decision has what its policy needs, and others have all features. */
static bool open_player(struct player *player, const case_run *run, settle_decision *decisions,
                        uint32_t decisions_max) {
    settle_config config = settle_config_default();
    config.policy = run->policy;
    config.scenes_max = CASE_SCENES_MAX + 1;
    config.decisions_max = decisions_max;
    config.features = decisions_max == 1 && !changes_policy(run) ? 0 : SETTLE_PREVIEWS | SETTLE_LIVE_REBUILDS;
    size_t size = settle_core_size(&config);
    *player = (struct player){.decisions = decisions};
    void *workspace = case_memory(size, &player->memory);
    if (!workspace || settle_core_init(workspace, size, &config, &player->core) != SETTLE_OK) return false;
    /* Scene 0 is a bystander, of which nothing happens and nothing is decided. */
    for (uint32_t scene = 0; scene <= run->scenes; scene++) {
        if (settle_core_connect(player->core, 0, &player->scenes[scene]) != SETTLE_OK) return false;
    }
    return true;
}

static void take_decisions(struct player *player) {
    settle_decision decision;
    while (settle_core_pop_decisions(player->core, &decision, 1)) {
        uint32_t scene = 0;
        while (scene <= CASE_SCENES_MAX && player->scenes[scene] != decision.scene) scene++;
        decision.scene = scene;
        if (player->count < CASE_DECISIONS_MAX) player->decisions[player->count] = decision;
        player->count++;
    }
}

static void submit(struct player *player, const settle_event *events, size_t count) {
    int result;
    do {
        size_t accepted = 0;
        result = settle_core_submit(player->core, events, count, &accepted);
        take_decisions(player);
        events += accepted;
        count -= accepted;
    } while (result == SETTLE_FULL);
}

/* The event with its scene's handle. */
static settle_event bound(const struct player *player, const case_step *step) {
    settle_event event = step->event;
    if (event.kind != SETTLE_POINTER) event.scene = player->scenes[event.scene];
    return event;
}

/* Plays a step that is no event and no look. */
static void play(struct player *player, const case_step *step) {
    uint32_t number;
    if (step->kind == CASE_ADVANCE) {
        while (settle_core_advance(player->core, step->event.at_ns) == SETTLE_FULL) take_decisions(player);
    } else if (step->kind == CASE_FINISH) {
        while (settle_core_finish(player->core) == SETTLE_FULL) take_decisions(player);
    } else if (step->kind == CASE_CONNECT) {
        settle_core_connect(player->core, 0, &player->scenes[step->event.scene]);
    } else if (step->kind == CASE_POLICY && settle_core_add_policy(player->core, &step->policy, &number) == SETTLE_OK) {
        settle_core_set_policy(player->core, player->scenes[step->event.scene], number);
    }
    take_decisions(player);
}

bool case_check(const case_run *run, case_decisions *result) {
    static settle_decision decisions[CASE_DECISIONS_MAX];
    char pending[CASE_STEPS_MAX];
    size_t seen = 0, column = 0;
    struct player player;
    case_clear();
    bool is_same = open_player(&player, run, decisions, CASE_DECISIONS_MAX);
    if (!is_same) case_say("there is no core for it");
    for (size_t i = 0; i < run->count && is_same; i++) {
        const case_step *step = &run->steps[i];
        if (step->kind == CASE_EVENT) {
            settle_event event = bound(&player, step);
            submit(&player, &event, 1);
        } else if (step->kind != CASE_LOOK) {
            play(&player, step);
        } else if (run->columns) {
            pending[column++] = settle_core_pending(player.core, player.scenes[1]) ? '*' : '.';
        } else {
            is_same = player.count <= CASE_DECISIONS_MAX &&
                      case_same(run, step->text, player.core, player.scenes, decisions + seen, player.count - seen);
            if (!is_same) case_say("\n(line %d)", step->line);
            seen = player.count;
        }
    }
    if (is_same && player.count > CASE_DECISIONS_MAX)
        is_same = (case_say("more is decided than %d", CASE_DECISIONS_MAX), false);
    if (is_same && run->columns) is_same = case_same_drawing(run, decisions, player.count, pending);
    else if (is_same) is_same = case_same(run, "", player.core, player.scenes, decisions + seen, player.count - seen);
    *result = (case_decisions){.count = player.count, .decisions = decisions};
    free(player.memory);
    return is_same;
}

/* A log ends with its last event: what is armed then fires at its own time. */
void case_play_log(const case_run *run, case_list *list) {
    struct player player;
    if (open_player(&player, run, list->decisions, CASE_DECISIONS_MAX)) {
        for (size_t i = 0; i < run->count; i++) {
            settle_event event = bound(&player, &run->steps[i]);
            if (run->steps[i].kind == CASE_EVENT) submit(&player, &event, 1);
        }
        play(&player, &(case_step){.kind = CASE_FINISH});
    }
    list->count = player.count;
    free(player.memory);
}

/* All events between two steps that are none, as one batch. What only a drawing looks at is left out. */
void case_play_batches(const case_run *run, case_list *list, uint32_t decisions_max) {
    struct player player;
    settle_event events[CASE_STEPS_MAX];
    size_t count = 0;
    if (open_player(&player, run, list->decisions, decisions_max)) {
        for (size_t i = 0; i < run->count; i++) {
            const case_step *step = &run->steps[i];
            if (step->kind == CASE_EVENT) {
                events[count++] = bound(&player, step);
            } else if (step->kind != CASE_LOOK && !(run->columns && i + 2 < run->count)) {
                submit(&player, events, count);
                count = 0;
                play(&player, step);
            }
        }
        submit(&player, events, count);
    }
    list->count = player.count;
    free(player.memory);
}
