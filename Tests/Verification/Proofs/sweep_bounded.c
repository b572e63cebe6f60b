/* The sweep in every short case, with small buckets of the deadline queue:
 *
 *   bind N      every log of N events, of a few kinds and names, in memory for 0 … N connections:
 *               nothing is written outside the memory that settle_sweep_log_size asks for, and what
 *               the bound log points to lies in it
 *   restart N   every history of N steps, then settle_core_finish and settle_core_restart, then every
 *               history of N steps again: a new core decides and answers the same
 *   grid 1      every policy of the grid: each is in range, and no two are equal
 *
 * Prints how many cases there were; 1 at the first fault. */
#include "sweep_internal.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

enum { STEPS_MAX = 6, GUARD_BYTES = 128, MEMORY_BYTES = 1 << 16, NAMES = 2, GUARD = 0xA5 };

static long cases;

static void require(bool fine, const char *what) {
    if (fine) return;
    printf("fault: %s, in case %ld\n", what, cases);
    exit(1);
}

static void crash(int number) {
    (void)number;
    require(false, "a crash");
}

/* What an event of a log can be to settle_sweep_bind. */
static settle_log_event log_event(int operation, uint64_t at_ns) {
    settle_log_event event = {.at_ns = at_ns, .kind = SETTLE_GEOMETRY, .width = 10, .height = 10};
    event.name = (uint32_t)operation / 5;
    switch (operation % 5) {
    case 1: event.width = (double)NAN; break;
    case 2: event.kind = SETTLE_CONNECT; break;
    case 3: event.kind = SETTLE_DISCONNECT; break;
    case 4: event.at_ns = UINT64_MAX; event.kind = SETTLE_DISCONNECT; break;
    default: event.width += (double)at_ns; break;
    }
    if (operation == 5 * NAMES + 1) {
        event.kind = SETTLE_POINTER;
        event.button = UINT32_MAX;
        event.flags = SETTLE_PRESSED;
    } else if (operation == 5 * NAMES + 2) {
        event.name = 0;
        event.kind = SETTLE_FLUSH;
    }
    return event;
}
enum { LOG_OPERATIONS = 5 * NAMES + 3 };

static _Alignas(64) unsigned char memory[GUARD_BYTES + MEMORY_BYTES + GUARD_BYTES];

static bool is_within(const void *start, size_t bytes, size_t size) {
    const unsigned char *first = start;
    return first >= memory + GUARD_BYTES && first + bytes <= memory + GUARD_BYTES + size;
}

static void bind_once(const settle_log_event *given, size_t count, size_t connections, bool is_one) {
    /* Behind the last event is one that must stay as it is. */
    settle_log_event events[STEPS_MAX + 1];
    memcpy(events, given, count * sizeof *events);
    memset(events + count, GUARD, sizeof *events);
    size_t size = settle_sweep_log_size(count, NAMES, connections);
    require(size > 0 && size <= MEMORY_BYTES, "a log's size is known");
    memset(memory, GUARD, GUARD_BYTES);
    memset(memory + GUARD_BYTES + size, GUARD, GUARD_BYTES);
    bool scratch[NAMES];
    size_t needed = settle_sweep_connections(events, count, NAMES, scratch);
    settle_sweep_log log = {0};
    int result = settle_sweep_bind(events, count, NAMES, connections, memory + GUARD_BYTES, size, &log);
    for (size_t i = 0; i < GUARD_BYTES; i++) {
        require(memory[i] == GUARD && memory[GUARD_BYTES + size + i] == GUARD, "bind writes outside its memory");
    }
    require(((unsigned char *)(events + count))[0] == GUARD && events[count].name == GUARD * 0x01010101u,
            "bind writes behind the events");
    require((result == SETTLE_OK) == (is_one && connections >= needed), "a log is bound exactly if it is one and fits");
    if (result != SETTLE_OK) return;
    require(log.connections == needed && log.count == count, "connections are those counted");
    require(is_within(log.scenes, needed * sizeof *log.scenes, size), "the scenes lie in the memory");
    for (uint32_t i = 0; i < log.connections; i++) {
        const uint64_t *changed_ns = log.changed_ns + log.scenes[i].first;
        require(is_within(changed_ns, log.scenes[i].events * sizeof *changed_ns, size), "the times lie in the memory");
    }
}

static void bind_all(settle_log_event *events, size_t depth, size_t steps) {
    if (depth == steps) {
        bool is_one = true;
        for (size_t i = 0; i < steps; i++) {
            is_one &= events[i].kind <= SETTLE_POINTER && (events[i].kind == SETTLE_POINTER || events[i].name < NAMES);
        }
        for (size_t connections = 0; connections <= steps; connections++, cases++) {
            bind_once(events, steps, connections, is_one);
        }
        return;
    }
    for (int operation = 0; operation < LOG_OPERATIONS; operation++) {
        events[depth] = log_event(operation, depth + 1);
        bind_all(events, depth + 1, steps);
    }
}

/* A core with two scenes, both connected. */
enum { SCENES = 2, DECISIONS = 64, OPERATIONS = 11, HISTORIES_MAX = 2000 };
static _Alignas(64) unsigned char workspaces[2][MEMORY_BYTES];
static size_t workspace_bytes;

static settle_policy policy_with(bool is_second) {
    settle_policy policy = settle_policy_uikit();
    policy.first_delay_ns = is_second;
    policy.reported_end_delay_ns = policy.discrete_delay_ns = 3;
    policy.released_end_delay_ns = policy.quiet_delay_ns = policy.quiet_maximum_ns = 2;
    policy.lock_delay_ns = policy.maximum_wait_ns = 4;
    policy.pause_delay_ns = is_second ? 2 : SETTLE_NEVER;
    policy.interaction_timeout_ns = is_second ? SETTLE_NEVER : (uint64_t)1 << 30;
    return policy;
}

static void apply(settle_core *core, const settle_scene *scenes, int operation) {
    uint64_t at_ns = settle_core_now_ns(core);
    settle_event event;
    switch (operation) {
    case 0: event = settle_event_geometry(scenes[0], at_ns + 1, 10, 10, 0); break;
    case 1: event = settle_event_geometry(scenes[0], at_ns + 1, 20, 20, 0); break;
    case 2: event = settle_event_geometry(scenes[1], at_ns, 20, 20, SETTLE_RESIZING_KNOWN | SETTLE_RESIZING); break;
    case 3: event = settle_event_flags(scenes[1], at_ns + 1, SETTLE_RESIZING_KNOWN); break;
    case 4: event = settle_event_pointer(7, true, at_ns); break;
    case 5: event = settle_event_pointer(7, false, at_ns + 1); break;
    case 6: event = settle_event_flags(scenes[0], at_ns, SETTLE_LOCKED_KNOWN | SETTLE_LOCKED); break;
    case 7: event = settle_event_disconnect(scenes[0], at_ns + 1); break;
    case 8: event = settle_event_disconnect(scenes[1], at_ns); break;
    /* Far enough for another level of buckets. */
    case 9: event = settle_event_geometry(scenes[1], at_ns + ((uint64_t)1 << 25), 30, 30, 0); break;
    default: event = settle_event_geometry(scenes[0], at_ns, -1, 1, 0); break;
    }
    size_t accepted;
    settle_core_submit(core, &event, 1, &accepted);
}

/* A number for all that a core says in a history of `steps` steps, which ends at the log's end. */
static uint64_t answers(settle_core *core, int history, int steps) {
    uint64_t hash = 14695981039346656037u;
#define MIX(value) (hash = (hash ^ (uint64_t)(value)) * 1099511628211u)
    settle_scene scenes[SCENES];
    for (uint32_t i = 0; i < SCENES; i++) MIX(settle_core_connect(core, 0, &scenes[i]));
    for (int step = 0; step < steps; step++, history /= OPERATIONS) {
        apply(core, scenes, history % OPERATIONS);
        MIX(settle_core_now_ns(core));
        MIX(settle_core_next_deadline_ns(core));
        for (uint32_t i = 0; i < SCENES; i++) MIX(settle_core_pending(core, scenes[i]) + 2 * settle_core_interacting(core, scenes[i]));
    }
    MIX(settle_core_finish(core));
    settle_stats stats = settle_core_stats(core);
    MIX(stats.events), MIX(stats.rejected_size), MIX(stats.rejected_scene), MIX(stats.decisions), MIX(stats.scenes);
    settle_decision decisions[DECISIONS];
    size_t popped;
    settle_core_pop_decisions(core, decisions, DECISIONS, &popped);
    for (size_t i = 0; i < popped; i++) {
        const settle_decision *decision = &decisions[i];
        MIX(decision->at_ns), MIX(decision->scene), MIX(decision->kind * 16 + decision->reason);
        MIX(decision->generation), MIX(decision->coalesced), MIX(decision->interaction_ns), MIX(decision->width);
    }
    return hash;
}

static void restart_all(int steps) {
    int histories = 1;
    for (int step = 0; step < steps; step++) histories *= OPERATIONS;
    require(histories <= HISTORIES_MAX, "so many histories fit");
    settle_config config = settle_config_default();
    config.scenes_max = SCENES;
    config.decisions_max = DECISIONS;
    config.policies_max = config.previews = 1;
    workspace_bytes = settle_core_size(&config);
    require(workspace_bytes <= MEMORY_BYTES, "a core fits");
    settle_policy policies[] = {policy_with(false), policy_with(true)};
    static uint64_t expected[2][HISTORIES_MAX];
    for (int second = 0; second < 2; second++) {
        for (int history = 0; history < histories; history++) {
            config.policy = policies[second];
            settle_core *core;
            require(settle_core_init(workspaces[0], MEMORY_BYTES, &config, &core) == SETTLE_OK, "init");
            expected[second][history] = answers(core, history, steps);
        }
    }
    for (int first = 0; first < histories; first++) {
        config.policy = policies[first % 2];
        settle_core *core;
        settle_core_init(workspaces[0], MEMORY_BYTES, &config, &core);
        answers(core, first, steps);
        for (int second = 0; second < 2; second++) {
            require(settle_core_restart(core, &policies[second]) == SETTLE_OK, "restart");
            memcpy(workspaces[1], workspaces[0], workspace_bytes);
            for (int history = 0; history < histories; history++, cases++) {
                memcpy(workspaces[0], workspaces[1], workspace_bytes);
                require(answers(core, history, steps) == expected[second][history], "a restarted core differs from a new one");
            }
        }
    }
}

static void grid_all(void) {
    settle_policy base = settle_policy_default();
    uint32_t count = settle_grid_count();
    settle_policy *policies = calloc(count, sizeof *policies);
    require(policies != NULL, "memory");
    for (uint32_t i = 0; i < count; i++, cases++) {
        settle_policy read;
        require(settle_grid_policy(&base, i, &policies[i]) && settle_read_policy(&policies[i], &read), "a policy is out of range");
        for (uint32_t j = 0; j < i; j++) {
            require(memcmp(&policies[i], &policies[j], sizeof base) != 0, "two policies of the grid are equal");
        }
    }
}

int main(int argc, char **argv) {
    int steps = argc > 2 ? atoi(argv[2]) : 0;
    if (steps < 1 || steps > STEPS_MAX) return 2;
    signal(SIGSEGV, crash);
    settle_log_event events[STEPS_MAX];
    if (strcmp(argv[1], "bind") == 0) bind_all(events, 0, (size_t)steps);
    else if (strcmp(argv[1], "restart") == 0) restart_all(steps);
    else grid_all();
    printf("%ld cases in all\n", cases);
    return 0;
}
