/* usage: sweep_gates SCENARIO ROUNDS
 *
 * The sweep of policies, with the same work in every round, as in core_gates.c:
 *   drag       a log of drags under POLICIES policies
 *   sessions   logs of 500 events, each bound and decided under POLICIES policies
 *   live       the log of `drag` under as many live policies, with a builder whose builds take 2 to 9 ms
 *   core       the events of `drag`, bound, submitted to a core of its own at once, and nothing counted:
 *              what the sweep's instructions are compared with
 * An event of a log counts once for each policy. Prints the number of rebuilds, as a proof of work. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "settle_sweep.h"

enum { SCENES = 3, DRAG_EVENTS = 170, DRAG_LOG = 108 * DRAG_EVENTS, SESSION_LOG = 500, SESSIONS = 4, POLICIES = 100 };

static settle_log_event made[DRAG_LOG], events[DRAG_LOG];
static settle_policy policies[POLICIES];
static settle_sweep_counts counts[POLICIES];

static void *allocated(size_t bytes) {
    void *memory = aligned_alloc(64, (bytes + 63) / 64 * 64);
    if (!memory) exit(1);
    return memory;
}

static void require(bool fine, const char *what) {
    if (fine) return;
    fprintf(stderr, "sweep_gates: %s failed\n", what);
    exit(1);
}

/* Windows that are dragged in turn by a mouse of 1,000 Hz. The last event of a drag reports its end. */
static void make_events(void) {
    uint64_t now_ns = 0;
    for (uint32_t i = 0; i < DRAG_LOG; i++) {
        bool is_last = i % DRAG_EVENTS == DRAG_EVENTS - 1;
        now_ns += i % DRAG_EVENTS == 0 ? 2000000000 : 1000000 + i % 7 * 1000;
        made[i] = (settle_log_event){.at_ns = now_ns, .width = 400 + i % 397, .height = 300 + i % 211};
        made[i].name = i / DRAG_EVENTS % SCENES;
        made[i].flags = SETTLE_SIZE_KNOWN | SETTLE_RESIZING_KNOWN | (is_last ? 0 : SETTLE_RESIZING);
    }
}

typedef struct bound_log {
    void *memory, *workspace;
    size_t memory_bytes, workspace_bytes;
    settle_sweep_log log;
} bound_log;

/* Memory for a log of so many events. */
static void bind_events(bound_log *bound, size_t first, size_t count) {
    bool scratch[SCENES];
    memcpy(events + first, made + first, count * sizeof *events);
    size_t connections = settle_sweep_connections(events + first, count, SCENES, scratch);
    size_t bytes = settle_sweep_log_size(count, SCENES, connections);
    if (!bound->memory) {
        bound->memory_bytes = settle_sweep_log_size(count, SCENES, SCENES);
        bound->memory = allocated(bound->memory_bytes);
    }
    require(bytes <= bound->memory_bytes, "sizing");
    require(settle_sweep_bind(events + first, count, SCENES, connections, bound->memory, bytes, &bound->log) ==
                SETTLE_OK,
            "binding");
    bytes = settle_sweep_play_size(&bound->log);
    if (!bound->workspace) bound->workspace = allocated(bound->workspace_bytes = 2 * bytes);
    require(bytes <= bound->workspace_bytes, "sizing");
}

static void run(bound_log *bound) {
    require(settle_sweep_run(bound->workspace, bound->workspace_bytes, &bound->log, policies, POLICIES, counts) ==
                SETTLE_OK,
            "running");
}

static void play(bound_log *bound) {
    for (uint32_t i = 0; i < POLICIES; i++) {
        const settle_build_cost cost = {2e6 + i % 8 * 1e6, 0, 0};
        require(settle_sweep_play(bound->workspace, bound->workspace_bytes, &bound->log, &cost, &policies[i], 1,
                                  &counts[i]) == SETTLE_OK,
                "playing");
    }
}

static uint64_t run_core(const settle_sweep_log *log, settle_core **core, void *workspace, size_t bytes,
                         uint32_t policy) {
    settle_config config = settle_config_default();
    config.scenes_max = log->connections;
    config.decisions_max = 4096;
    config.features = SETTLE_PREVIEWS | SETTLE_LIVE_REBUILDS;
    config.policy = policies[policy];
    require(settle_core_size(&config) <= bytes && settle_core_init(workspace, bytes, &config, core) == SETTLE_OK,
            "init");
    for (uint32_t i = 0; i < log->connections; i++) {
        settle_scene scene;
        require(settle_core_connect(*core, 0, &scene) == SETTLE_OK, "connecting");
    }
    size_t accepted;
    require(settle_core_submit(*core, log->events, log->count, &accepted) == SETTLE_OK, "submitting");
    require(settle_core_finish(*core) == SETTLE_OK, "finishing");
    return settle_core_stats(*core).decisions;
}

int main(int argc, char **argv) {
    unsigned rounds = argc == 3 ? (unsigned)strtoul(argv[2], NULL, 10) : 0;
    const char *scenario = rounds > 0 ? argv[1] : "";
    bool is_drag = strcmp(scenario, "drag") == 0, is_core = strcmp(scenario, "core") == 0,
         is_live = strcmp(scenario, "live") == 0;
    if (!is_drag && !is_core && !is_live && strcmp(scenario, "sessions") != 0) {
        fputs("usage: sweep_gates SCENARIO ROUNDS, with drag | sessions | live | core\n", stderr);
        return 2;
    }
    make_events();
    settle_policy base = settle_policy_default();
    for (uint32_t i = 0; i < POLICIES; i++) require(settle_grid_policy(&base, i * 31, &policies[i]), "the grid");
    for (uint32_t i = 0; is_live && i < POLICIES; i++) policies[i].live_share_percent = 5 + i % 96;
    static bound_log bound;
    const bool is_long = is_drag || is_core || is_live;
    bind_events(&bound, 0, is_long ? DRAG_LOG : SESSION_LOG);
    settle_core *core;
    size_t core_bytes = 1 << 20;
    void *core_workspace = allocated(core_bytes);
    uint64_t sum = 0, log_events = is_long ? DRAG_LOG : SESSION_LOG * SESSIONS;
    for (unsigned round = 0; round < rounds; round++) {
        if (is_drag) run(&bound);
        if (is_live) play(&bound);
        for (uint32_t i = 0; is_core && i < POLICIES; i++)
            sum += run_core(&bound.log, &core, core_workspace, core_bytes, i);
        for (size_t i = 0; !is_long && i < SESSIONS; i++) {
            bind_events(&bound, i * SESSION_LOG, SESSION_LOG);
            run(&bound);
        }
    }
    for (uint32_t i = 0; i < POLICIES; i++) {
        for (uint32_t reason = 0; reason < SETTLE_SWEEP_REASONS; reason++) sum += counts[i].rebuilds[reason];
    }
    require(sum > 0, "deciding");
    printf("events %" PRIu64 " sum %" PRIu64 "\n", log_events * POLICIES, sum);
    return 0;
}
