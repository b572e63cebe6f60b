/* usage: core_gates SCENARIO ROUNDS
 *
 * The same work in every round, so that what one event costs, in instructions or
 * allocations, is the difference between two numbers of rounds: exact, whatever
 * starting and stopping takes. Prints a sum over the decisions, as a proof of work.
 * Built with -DPLANTED it allocates now and then, which the gate must notice. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "settle_json_lines.h"
#include "settle_ring.h"
#include "settle_window.h"

enum { BATCH = 256, EVENTS = 1 << 20, RING_CAPACITY = 1024, LINES = 1 << 14 };

typedef struct scenario {
    const char *name;
    uint32_t scenes;
    uint32_t events; /* in a round */
    uint64_t spacing_ns;
    bool shuffled;
    uint64_t pause_ns; /* after a round: long enough and all deadlines fire */
    unsigned flags;
    bool jumps; /* the default policy, whose quiet rule has jumps */
    /* With the policy `live`, if not 0: how long its builds take. Each is reported once that time has passed. */
    uint64_t cost_ns;
    uint32_t batch; /* events submitted at once; 0 for BATCH */
} scenario;

static const scenario scenarios[] = {
    {"hot", 1, 1 << 16, 100, false, 0, 0, false},
    {"many", 10000, 1 << 16, 100, false, 0, 0, false},
    {"million", 1000000, EVENTS, 10, true, 0, 0, false},
    {"due", 10000, 10000, 100, true, 1000000000, 0, false},
    {"quiet hot", 1, 1 << 16, 100, false, 0, 0, true},
    {"quiet many", 10000, 1 << 16, 100, false, 0, 0, true},
    {"quiet million", 1000000, EVENTS, 10, true, 0, 0, true},
    /* Interactions that never end: one scene, and many in turn. */
    {"drag", 1, 1 << 16, 100, false, 0, SETTLE_RESIZING_KNOWN | SETTLE_RESIZING, true},
    {"drags", 100, 1 << 16, 100, false, 0, SETTLE_RESIZING_KNOWN | SETTLE_RESIZING, true},
    /* Drags at 1,000 Hz with builds of 2 ms, of one scene and of many, a batch at a time. */
    {"live drag", 1, 1 << 16, 1000000, false, 0, SETTLE_RESIZING_KNOWN | SETTLE_RESIZING, true, 2000000, 0},
    {"live drags", 100, 1 << 16, 10000, false, 0, SETTLE_RESIZING_KNOWN | SETTLE_RESIZING, true, 2000000, 0},
    /* A frame at a time, so that live rebuilds and their reports count as well; then with builds of three
     * liveLimits, whose deadline every change sets anew. */
    {"live frames", 1, 1 << 16, 1000000, false, 0, SETTLE_RESIZING_KNOWN | SETTLE_RESIZING, true, 2000000, 16},
    {"live slow frames", 1, 1 << 16, 1000000, false, 0, SETTLE_RESIZING_KNOWN | SETTLE_RESIZING, true, 40000000, 16},
};

static settle_event events[EVENTS];
static uint64_t sum;
/* Of the builds that were decided, if they take any time. */
static settle_event reports[EVENTS];
static size_t reports_count, reports_submitted;
static uint64_t cost_ns;

static void *allocated(size_t bytes) {
    void *memory = aligned_alloc(64, (bytes + 63) / 64 * 64);
    if (!memory) exit(1);
    return memory;
}

#ifdef PLANTED
/* Kept where the compiler cannot see that nobody reads it. */
static void *volatile planted;
static void plant(void) { planted = allocated(64); }
#endif

static void require(bool fine, const char *what) {
    if (fine) return;
    fprintf(stderr, "core_gates: %s failed\n", what);
    exit(1);
}

static void fill(const scenario *what, const settle_scene *handles) {
    for (uint32_t i = 0; i < what->events; i++) {
        uint64_t scene = what->shuffled ? (uint64_t)i * 2654435761u % what->scenes : i % what->scenes;
        events[i] = settle_event_geometry(handles[scene], 0, 1 + i % 9973, 300, what->flags);
    }
}

static void pop_decisions(settle_core *core) {
    settle_decision decisions[BATCH];
    size_t popped;
    do {
        popped = settle_core_pop_decisions(core, decisions, BATCH);
        for (size_t i = 0; i < popped; i++) {
            sum += (uint64_t)decisions[i].width + decisions[i].scene;
            if (cost_ns == 0 || decisions[i].kind != SETTLE_REBUILD) continue;
            reports[reports_count++ % EVENTS] = settle_event_finished(decisions[i].scene, decisions[i].at_ns + cost_ns,
                                                                      decisions[i].generation, cost_ns);
        }
    } while (popped == BATCH);
}

static void advance(settle_core *core, uint64_t now_ns) {
    while (settle_core_advance(core, now_ns) == SETTLE_FULL) pop_decisions(core);
    pop_decisions(core);
}

static void submit(settle_core *core, const settle_event *batch, size_t count) {
    int result;
    do {
        size_t accepted;
        result = settle_core_submit(core, batch, count, &accepted);
        batch += accepted;
        count -= accepted;
        pop_decisions(core);
    } while (count > 0 || result == SETTLE_FULL);
}

static void run_core(const scenario *what, unsigned rounds) {
    settle_config config = settle_config_default();
    config.scenes_max = what->scenes;
    if (!what->jumps) config.policy.jump_delay_ns = SETTLE_NEVER;
    cost_ns = what->cost_ns;
    if (cost_ns > 0) config.policy = settle_policy_live();
    size_t size = settle_core_size(&config);
    settle_core *core;
    require(settle_core_init(allocated(size), size, &config, &core) == SETTLE_OK, "init");
    settle_scene *handles = allocated(what->scenes * sizeof *handles);
    for (uint32_t i = 0; i < what->scenes; i++)
        require(settle_core_connect(core, 0, &handles[i]) == SETTLE_OK, "connect");
    /* A size that no event repeats is built first. */
    for (uint32_t i = 0; i < what->scenes; i++) {
        settle_event first = settle_event_geometry(handles[i], 0, 7, 7, 0);
        submit(core, &first, 1);
    }
    advance(core, 0);
    fill(what, handles);

    const uint32_t batch = what->batch ? what->batch : BATCH;
    uint64_t now_ns = 0;
    for (unsigned round = 0; round < rounds; round++) {
        for (uint32_t first = 0; first < what->events; first += batch) {
            uint32_t count = what->events - first < batch ? what->events - first : batch;
            for (uint32_t i = first; i < first + count; i++) {
                events[i].at_ns = now_ns += what->spacing_ns;
                /* Another size than in the round before. */
                events[i].height = 300 + round % 2;
            }
            submit(core, &events[first], count);
            if (settle_core_next_wake_ns(core) <= now_ns) advance(core, now_ns);
            while (reports_submitted < reports_count && reports[reports_submitted % EVENTS].at_ns <= now_ns)
                submit(core, &reports[reports_submitted++ % EVENTS], 1);
#ifdef PLANTED
            plant();
#endif
        }
        if (what->pause_ns) advance(core, now_ns += what->pause_ns);
    }
    advance(core, now_ns + 1000000000);
    require(settle_core_stats(core).events == what->scenes + reports_submitted + (uint64_t)rounds * what->events,
            "applying every event");
}

static void run_ring(unsigned rounds) {
    settle_ring *ring;
    require(settle_ring_init(allocated(settle_ring_size(RING_CAPACITY)), RING_CAPACITY, &ring) == SETTLE_OK, "init");
    uint64_t taken = 0;
    for (unsigned round = 0; round < rounds; round++) {
        for (uint32_t first = 0; first < 1 << 16; first += BATCH) {
            require(settle_ring_push(ring, &events[first], BATCH) == BATCH, "push");
            const settle_event *batch;
            size_t count;
            while ((count = settle_ring_peek(ring, &batch)) > 0) {
                taken += count;
                settle_ring_pop(ring, count);
            }
#ifdef PLANTED
            plant();
#endif
        }
    }
    sum = taken;
}

/* Lines of JSON as Settle writes them, of three scenes in turn. */
static void run_json(unsigned rounds) {
    enum { NAMES = 3, SLOTS = 8, LINE_BYTES_MAX = 128 };
    static const char bytes[] = "1:101:130x800001";
    static const size_t starts[NAMES + 1] = {0, 4, 8, 16};
    const unsigned char *name = (const unsigned char *)bytes;
    settle_log_name known[NAMES];
    uint32_t slots[SLOTS] = {0};
    settle_log_names names = {name, known, slots, SLOTS - 1, {0, 0}};
    for (uint32_t i = 0; i < NAMES; i++) {
        size_t length = starts[i + 1] - starts[i];
        known[i] = (settle_log_name){settle_log_name_first(name + starts[i], length), starts[i], length};
        size_t slot = settle_log_name_hash(&names, name + starts[i], length) % SLOTS;
        while (slots[slot] != 0) slot = (slot + 1) % SLOTS;
        slots[slot] = i + 1;
    }
    unsigned char *text = allocated(((size_t)LINES + 1) * LINE_BYTES_MAX);
    size_t length = 0;
    for (uint32_t i = 0; i < LINES; i++) {
        size_t of = i / 64 % NAMES;
        length += (size_t)sprintf(
            (char *)text + length,
            "{\"t_ns\":%u00005432,\"scene\":\"%.*s\",\"width\":%u,\"height\":%u,\"resizing\":%s}\n", 25000 + i,
            (int)known[of].count, bytes + starts[of], 300 + i % 997, 200 + i % 499, i % 64 < 63 ? "true" : "false");
    }
    memset(text + length, 0, LINE_BYTES_MAX);
    static settle_log_event batch[LINES];
    for (unsigned round = 0; round < rounds; round++) {
        size_t used;
        size_t lines =
            settle_log_read_json_lines(text, length + LINE_BYTES_MAX, LINE_BYTES_MAX, &names, batch, LINES, &used);
        require(lines == LINES && used == length, "reading every line");
        sum += batch[round % LINES].at_ns + batch[LINES - 1].name;
#ifdef PLANTED
        plant();
#endif
    }
}

/* A size and a question at 1,000 Hz, with a pause after each drag. */
static void run_window(unsigned rounds) {
    settle_window window;
    require(settle_window_init(&window, NULL) == SETTLE_OK, "init");
    uint64_t now_ns = 0, builds = 0;
    settle_window_size size;
    for (uint64_t i = 0; i < (uint64_t)rounds << 16; i++) {
        now_ns += 1000000;
        settle_window_resize(&window, now_ns, 500 + (double)(i % 300), 300, SETTLE_DRAG_UNKNOWN);
        if (i % 1024 == 1023) now_ns += 1000000000;
        builds += settle_window_poll(&window, now_ns, &size) == SETTLE_WINDOW_REBUILD;
#ifdef PLANTED
        plant();
#endif
    }
    require(builds >= (uint64_t)rounds * 64, "building after each drag");
    sum = builds;
}

int main(int count, char **arguments) {
    unsigned rounds = count == 3 ? (unsigned)strtoul(arguments[2], NULL, 10) : 0;
    if (rounds == 0) {
        fputs("usage: core_gates SCENARIO ROUNDS, with hot | many | million | 'quiet hot' | 'quiet many' |\n"
              "'quiet million' | due | drag | drags | 'live drag' | 'live drags' | 'live frames' |\n"
              "'live slow frames' | ring | json | window\n",
              stderr);
        return 2;
    }
    const scenario *chosen = NULL;
    for (size_t i = 0; i < sizeof scenarios / sizeof *scenarios; i++) {
        if (strcmp(scenarios[i].name, arguments[1]) == 0) chosen = &scenarios[i];
    }
    bool is_json = strcmp(arguments[1], "json") == 0;
    if (chosen) run_core(chosen, rounds);
    else if (is_json) run_json(rounds);
    else if (strcmp(arguments[1], "window") == 0) run_window(rounds);
    else run_ring(rounds);
    printf("events %u sum %" PRIu64 "\n", chosen ? chosen->events : is_json ? LINES : 1 << 16, sum);
    return 0;
}
