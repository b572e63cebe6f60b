/* Random streams: calls of a core, and logs that are swept. Each is a number of all that is decided and answered. It is
 * made of values, not of bytes in memory, so no order of bytes and no compiler changes it. */
#include "case_internal.h"
#include "case_pairs.h"

#include "settle_policy.h"
#include "settle_sums.h"
#include "splitmix64.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { NAMES = 40, POLICIES = 4, LOG_MAX = 160, SIZES = 5 };

/* A stream's own random numbers, and what it is made of. */
static struct {
    uint64_t random, number, decided, unit, now_ns;
    double sizes[SIZES][2];
    settle_policy policies[POLICIES];
    unsigned flags, pointers, reports; /* of 100 events */
} stream;

/* FNV-1a over a number's bytes, the lowest first. */
static void add(uint64_t *hash, uint64_t value) {
    for (int i = 0; i < 8; i++, value >>= 8) *hash = (*hash ^ (value & 0xFF)) * 0x100000001B3u;
}

static void note(uint64_t value) { add(&stream.number, value); }

static uint64_t bits_of(double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static uint64_t next(void) { return splitmix64_next(&stream.random); }
static uint32_t below(uint32_t bound) { return (uint32_t)(next() % bound); }
static bool chance(unsigned percent) { return below(100) < percent; }
#define PICK(...) ((const uint64_t[]){__VA_ARGS__}[below(sizeof((const uint64_t[]){__VA_ARGS__}) / sizeof(uint64_t))])

/* A few units, often none and often equal, so that deadlines meet each other and events. */
static uint64_t delay(void) { return PICK(0, 0, 1, 2, 3, 5, 8, 20) * stream.unit; }
static uint64_t delay_or_never(unsigned percent) {
    const uint64_t value = delay();
    return chance(percent) ? value : SETTLE_NEVER;
}
static uint64_t share(unsigned percent) {
    const uint64_t value = PICK(1, 7, 30, 50, 99, 100, 400);
    return chance(percent) ? value : SETTLE_NEVER;
}

static settle_policy policy(void) {
    settle_policy made = settle_policy_default();
    made.first_delay_ns = delay();
    made.reported_end_delay_ns = delay();
    made.released_end_delay_ns = delay();
    made.discrete_delay_ns = delay();
    made.quiet_delay_ns = delay();
    made.jump_delay_ns = delay_or_never(50);
    made.calm_delay_ns = delay();
    made.lock_delay_ns = delay();
    made.pause_delay_ns = delay_or_never(50);
    made.pause_share_percent = share(60);
    if (made.pause_share_percent > 100) made.pause_share_percent = 100;
    made.maximum_wait_ns = delay_or_never(40);
    made.interaction_timeout_ns = delay_or_never(40);
    made.live_share_percent = share(50);
    made.live_limit_ns = delay_or_never(60);
    made.live_interval_ns = delay();
    made.live_pause_ns = delay_or_never(40);
    return made;
}

static void begin(uint64_t seed) {
    static const double sides[][2] = {{400, 300}, {401, 300}, {400, 301},   {410, 290}, {500, 312.5},
                                      {500, 312}, {1, 1},     {400, 387.5}, {800, 600}, {300, 400}};
    stream.random = seed;
    stream.unit = PICK(1, 300, 1000, 1000000, 1000000, 1000000, 16666667);
    stream.now_ns = PICK(0, 0, 1000000007, (uint64_t)1 << 40);
    stream.flags = (unsigned)PICK(0, 0, 20, 50, 90);
    stream.pointers = (unsigned)PICK(0, 8, 25);
    stream.reports = (unsigned)PICK(0, 10, 30);
    for (int i = 0; i < SIZES; i++) memcpy(stream.sizes[i], sides[below(sizeof sides / sizeof *sides)], sizeof *sides);
    for (int i = 0; i < POLICIES; i++) stream.policies[i] = policy();
}

/* The next event of a scene, which has decided so many rebuilds and previews. */
static settle_event event(uint32_t scene, const uint32_t *generations, bool is_of_log) {
    stream.now_ns += PICK(0, 0, 0, 1, 1, 1, 2, 3, 5) * stream.unit;
    if (chance(1)) stream.now_ns += 1 + next() % stream.unit;
    if (chance(1)) stream.now_ns += PICK(1, 3600, 86400, 63072000) * 1000000000u;
    uint64_t at_ns = stream.now_ns;
    if (chance(5)) at_ns -= below(6) * stream.unit < at_ns ? below(6) * stream.unit : at_ns;
    if (chance(1) && !is_of_log) at_ns = (uint64_t)INT64_MAX + PICK(0, 1, 9);
    const double *size = stream.sizes[below(SIZES)];
    const bool is_first = chance(60);
    if (chance(stream.pointers)) return settle_event_pointer((uint32_t)PICK(1, 1, 1, 2, 7), at_ns, is_first);
    if (chance(stream.reports)) {
        const bool is_preview = chance(40);
        const uint32_t last = generations[is_preview];
        const uint32_t generation = chance(80) ? last : chance(50) ? last - 1 : last + 1;
        uint64_t cost_ns = delay();
        cost_ns += next() % (2 * stream.unit);
        if (chance(3)) cost_ns = PICK(SETTLE_COST_MAX, 0, 3600000000000);
        return is_preview ? settle_event_previewed(scene, at_ns, generation, cost_ns, is_first)
                          : settle_event_finished(scene, at_ns, generation, cost_ns);
    }
    switch (below(is_of_log ? 30 : 40)) {
    case 0: return settle_event_disconnect(scene, at_ns);
    case 1: return settle_event_make(SETTLE_CONNECT, scene, at_ns);
    case 2: return settle_event_geometry(scene, at_ns, is_first ? -1 : 0, is_first ? 5 : NAN, SETTLE_NOT_RESIZING);
    case 30: return settle_event_flush(scene, at_ns);
    case 31: return settle_event_flush(scene, at_ns);
    case 32: return settle_event_cancel(scene, at_ns);
    case 33: return settle_event_really_built(scene, at_ns, size[0], size[1]);
    case 34: return settle_event_really_built(scene, at_ns, 0, 0);
    case 35: return settle_event_make((unsigned)PICK(0, 9, 77), scene, at_ns);
    }
    unsigned flags = 0;
    if (chance(stream.flags)) flags |= SETTLE_RESIZING_KNOWN | (chance(50) ? SETTLE_RESIZING : 0);
    if (chance(10)) flags |= SETTLE_LOCKED_KNOWN | (chance(50) ? SETTLE_LOCKED : 0);
    if (chance(10)) flags |= (below(5) << SETTLE_ORIENTATION_SHIFT) & SETTLE_ORIENTATION_MASK;
    if (chance(8)) return settle_event_flags(scene, at_ns, flags);
    return settle_event_geometry(scene, at_ns, size[0], chance(3) ? 0 : size[1], flags);
}

/* A core's scenes, those that were connected last, and how many rebuilds and previews each has. */
static struct {
    settle_core *core;
    settle_scene scenes[NAMES];
    uint32_t generations[NAMES][2];
} player;

/* Takes some of what is decided: apart from the answers, as a small core is full earlier. */
static void take(size_t most) {
    settle_decision made[3];
    for (size_t count; (count = settle_core_pop_decisions(player.core, made, most));) {
        for (const settle_decision *decision = made; decision < made + count; decision++) {
            const uint64_t words[] = {
                decision->at_ns,
                bits_of(decision->width),
                bits_of(decision->height),
                bits_of(decision->previous_width),
                bits_of(decision->previous_height),
                decision->interaction_ns,
                (uint64_t)decision->scene << 32 | decision->generation,
                (uint64_t)decision->coalesced << 32 | (uint32_t)decision->kind << 24 |
                    (uint32_t)decision->reason << 16 | (uint32_t)decision->locked << 8 | decision->follows_interaction,
            };
            const bool is_sized = decision->kind == SETTLE_REBUILD || decision->kind == SETTLE_PREVIEW;
            for (size_t i = 0; i < sizeof words / sizeof *words; i++) add(&stream.decided, words[i]);
            for (int i = 0; is_sized && i < NAMES; i++) {
                if (player.scenes[i] == decision->scene)
                    player.generations[i][decision->kind == SETTLE_PREVIEW] = decision->generation;
            }
        }
    }
}

static void note_state(settle_scene scene, const settle_event *last) {
    double width = 0, height = 0;
    const uint64_t next_ns = settle_core_next_deadline_ns(player.core);
    if (settle_core_next_wake_ns(player.core) > next_ns) case_say(" a wake that is late");
    note(next_ns);
    note(settle_core_now_ns(player.core));
    note(settle_core_buttons_held(player.core));
    const bool states[] = {settle_core_connected(player.core, scene),
                           settle_core_pending(player.core, scene),
                           settle_core_interacting(player.core, scene),
                           settle_core_reports(player.core, scene),
                           settle_core_known_size(player.core, scene, &width, &height),
                           settle_core_rejects(player.core, last)};
    for (size_t i = 0; i < sizeof states; i++) note(states[i]);
    note(bits_of(width));
    note(bits_of(height));
}

static uint32_t connected_policy(void) {
    uint32_t number = 0;
    if (chance(40)) return 0;
    if (chance(50)) return 1 + below(4);
    const settle_policy made = policy();
    note((uint64_t)settle_core_add_policy(player.core, &made, &number));
    note(number);
    return number;
}

/* One stream of calls. */
static bool play_core(uint64_t seed) {
    settle_config config = settle_config_default();
    begin(seed);
    const uint32_t names = seed % 8 == 0 ? NAMES : 1 + below(6);
    config.policy = stream.policies[0];
    config.scenes_max = names;
    config.decisions_max = (uint32_t)PICK(1, 2, 7, 64);
    config.policies_max = 1 + below(8);
    config.features = (unsigned)PICK(0, SETTLE_PREVIEWS, SETTLE_LIVE_REBUILDS, SETTLE_PREVIEWS | SETTLE_LIVE_REBUILDS,
                                     SETTLE_PREVIEWS | SETTLE_LIVE_REBUILDS);
    const size_t size = settle_core_size(&config);
    void *allocated, *memory = case_memory(size, &allocated);
    memset(&player, 0, sizeof player);
    const int made = settle_core_init(memory, size, &config, &player.core);
    note((uint64_t)made);
    const unsigned steps = made != SETTLE_OK ? 0 : 30 + below(names == NAMES ? 600 : 90);
    for (unsigned step = 0; step < steps; step++) {
        const uint32_t name = below(names);
        settle_event events[4];
        size_t count = 0, accepted = 0;
        const unsigned way = below(100);
        if (way < 3 || !player.scenes[name]) {
            note((uint64_t)settle_core_connect(player.core, connected_policy(), &player.scenes[name]));
            player.generations[name][0] = player.generations[name][1] = 0;
        } else if (way < 5) {
            note((uint64_t)settle_core_set_policy(player.core, player.scenes[name], connected_policy()));
        } else if (way < 6) {
            note((uint64_t)settle_core_remove_policy(player.core, below(6)));
        } else if (way < 12) {
            const uint64_t to_ns = stream.now_ns + delay();
            while (settle_core_advance(player.core, to_ns) == SETTLE_FULL) take(1);
        }
        do {
            const uint32_t of = chance(80) ? name : below(names);
            events[count++] = event(player.scenes[of], player.generations[of], false);
        } while (count < 4 && chance(30));
        size_t done = 0;
        while (settle_core_submit(player.core, events + done, count - done, &accepted) == SETTLE_FULL) {
            done += accepted;
            take(3);
        }
        note(done + accepted - count);
        const size_t most = 1 + below(3);
        take(most);
        note_state(player.scenes[name], &events[count - 1]);
    }
    while (made == SETTLE_OK && settle_core_finish(player.core) == SETTLE_FULL) take(2);
    if (made == SETTLE_OK) {
        const settle_stats stats = settle_core_stats(player.core);
        take(3);
        note_state(player.scenes[0], &(settle_event){.scene = player.scenes[0], .kind = SETTLE_FLUSH});
        for (size_t i = 0; i < sizeof stats / sizeof(uint64_t); i++) note(((const uint64_t *)(const void *)&stats)[i]);
    }
    free(allocated);
    return true;
}

/* A program whose builds change their own scene's size, so that each asks for the next: feedback, but for what else comes. */
static bool play_echo(uint64_t seed) {
    settle_config config = settle_config_default();
    begin(seed);
    stream.unit = 1000000;
    settle_policy *policy = &config.policy;
    *policy = chance(30) ? settle_policy_live() : settle_policy_default();
    policy->quiet_delay_ns = PICK(5, 60, 200, 300) * stream.unit;
    policy->jump_delay_ns = chance(50) ? 8 * stream.unit : SETTLE_NEVER;
    policy->calm_delay_ns = PICK(1, 30, 100) * stream.unit;
    policy->maximum_wait_ns = chance(40) ? PICK(30, 100, 400) * stream.unit : SETTLE_NEVER;
    if (chance(50)) policy->live_interval_ns = PICK(10, 45) * stream.unit;
    config.scenes_max = config.decisions_max = 1;
    config.features = (unsigned)PICK(0, SETTLE_LIVE_REBUILDS, SETTLE_LIVE_REBUILDS);
    const unsigned others = (unsigned)PICK(0, 0, 1, 2);
    const size_t size = settle_core_size(&config);
    void *allocated, *memory = case_memory(size, &allocated);
    uint32_t *rebuilds = player.generations[0];
    memset(&player, 0, sizeof player);
    const int made = settle_core_init(memory, size, &config, &player.core);
    note((uint64_t)made);
    if (made == SETTLE_OK) note((uint64_t)settle_core_connect(player.core, 0, player.scenes));
    for (unsigned step = 0; step < 300 && made == SETTLE_OK; step++) {
        const settle_scene scene = player.scenes[0];
        settle_event events[4];
        size_t count = 0, accepted = 0;
        const uint64_t next_ns = settle_core_next_deadline_ns(player.core);
        if (next_ns != SETTLE_NEVER) stream.now_ns = next_ns;
        while (settle_core_advance(player.core, stream.now_ns) == SETTLE_FULL) take(1);
        take(1);
        if (chance(stream.reports)) {
            const uint64_t cost_ns = PICK(0, 1, 2, 9, 30, 90) * stream.unit;
            const uint32_t generation = *rebuilds - chance(others);
            events[count++] = settle_event_finished(scene, stream.now_ns += cost_ns, generation, cost_ns);
        }
        stream.now_ns += PICK(0, 1, 4, 15, 19, 20) * stream.unit;
        if (chance(others))
            stream.now_ns += PICK(1, stream.unit, 40 * stream.unit, 300 * stream.unit, 6000 * stream.unit);
        const double width = 400 + step % 3;
        const unsigned flags = !chance(others) ? 0
                               : chance(50)    ? SETTLE_LOCKED_KNOWN
                                               : SETTLE_RESIZING_KNOWN | SETTLE_RESIZING;
        events[count++] = settle_event_geometry(scene, stream.now_ns, width, 300, flags);
        if (flags & SETTLE_RESIZING) {
            stream.now_ns += PICK(0, 5, 50) * stream.unit;
            events[count++] = settle_event_flags(scene, stream.now_ns, SETTLE_RESIZING_KNOWN);
        } else if (chance(others)) {
            events[count++] = chance(50) ? settle_event_flush(scene, stream.now_ns)
                                         : settle_event_really_built(scene, stream.now_ns, width, 301);
        }
        if (chance(others)) {
            stream.now_ns += PICK(0, 1, 9) * stream.unit;
            events[count++] = settle_event_geometry(scene, stream.now_ns, width + 1, 300, 0);
        }
        size_t done = 0;
        while (settle_core_submit(player.core, events + done, count - done, &accepted) == SETTLE_FULL) {
            done += accepted;
            take(1);
        }
        take(1);
        note_state(scene, &events[count - 1]);
    }
    while (made == SETTLE_OK && settle_core_finish(player.core) == SETTLE_FULL) take(1);
    if (made == SETTLE_OK) note(settle_core_stats(player.core).feedback);
    take(1);
    free(allocated);
    return true;
}

static void note_counts(const settle_sweep_counts *counts, size_t count) {
    for (size_t i = 0; i < count * sizeof *counts / sizeof(uint64_t); i++)
        note(((const uint64_t *)(const void *)counts)[i]);
}

/* One log, swept under some policies with and without builds, and as sums. */
static bool sweep(uint64_t seed) {
    static settle_log_event events[LOG_MAX], raw[LOG_MAX];
    static settle_sweep_counts counts[POLICIES];
    static unsigned char records[64 * SETTLE_SUMS_BYTES_MAX];
    uint32_t generations[NAMES][2] = {{0}};
    bool scratch[NAMES];
    begin(seed);
    const uint32_t names = 1 + below(5);
    const size_t count = 20 + below(LOG_MAX - 20);
    for (size_t i = 0; i < count; i++) {
        const uint32_t name = below(names);
        events[i] = event(name, generations[name], true);
        if (events[i].kind == SETTLE_FINISHED || events[i].kind == SETTLE_PREVIEWED)
            events[i].generation = 1 + below(9);
        raw[i] = events[i];
    }
    settle_baselines baselines = {0};
    settle_baseline_scene scenes[NAMES];
    settle_baselines_start(scenes, names);
    settle_baselines_add(scenes, raw, count, &baselines);
    settle_baselines_finish(scenes, names, &baselines);
    note(baselines.every_change);
    note(baselines.every_change_wasted);
    note(baselines.debounce);
    note(baselines.debounce_wasted);
    const size_t connections = settle_sweep_connections(events, count, names, scratch);
    const size_t size = settle_sweep_log_size(count, names, connections);
    void *bound, *memory = case_memory(size, &bound), *allocated;
    settle_sweep_log log;
    note(connections);
    if (settle_sweep_bind(events, count, names, connections, memory, size, &log) != SETTLE_OK)
        return free(bound), false;
    for (uint32_t i = 0; i < log.connections; i++) {
        const settle_sweep_scene *scene = &log.scenes[i];
        note((uint64_t)scene->name << 32 | scene->events);
        note((uint64_t)scene->changes << 32 | scene->interactions);
        note(scene->ends_ns + scene->disconnects);
    }
    const size_t room = settle_sweep_play_size(&log);
    void *workspace = case_memory(room, &allocated);
    memset(counts, 0, sizeof counts);
    note((uint64_t)settle_sweep_run(workspace, room, &log, stream.policies, POLICIES, counts));
    note_counts(counts, POLICIES);
    for (size_t i = 0; i < POLICIES; i++) note(settle_sweep_idle(workspace, room, &log, &stream.policies[i]));
    settle_build_cost cost = {.ns = (double)(PICK(0, 1, 4, 9) * stream.unit)};
    if (chance(30)) cost.ns_per_pixel = 3;
    cost.slow_every = PICK(0, 0, 2, 5);
    memset(counts, 0, sizeof counts);
    note((uint64_t)settle_sweep_play(workspace, room, &log, &cost, stream.policies, POLICIES, counts));
    note_counts(counts, POLICIES);
    memset(counts, 0, sizeof counts);
    for (unsigned habit = 0; habit < SETTLE_HABITS; habit++) {
        settle_sweep_habit(&log, &cost, habit, counts);
        settle_sweep_habit(&log, NULL, habit, counts + 1);
    }
    note_counts(counts, 2);
    free(allocated);
    settle_sums sums = {0};
    const size_t sums_size = settle_sums_size(count, names, connections);
    workspace = case_memory(sums_size, &allocated);
    memset(counts, 0, sizeof counts);
    note((uint64_t)settle_sums_count(raw, count, names, connections, stream.policies, POLICIES, workspace, sums_size,
                                     &sums, counts));
    size_t bytes = 0, written;
    for (uint32_t from = 0; bytes + SETTLE_SUMS_BYTES_MAX <= sizeof records; bytes += written) {
        written = settle_sums_write(&sums, counts, stream.policies, POLICIES, &from, records + bytes);
        if (written == 0) break;
    }
    for (size_t i = 0; i < bytes; i++) note(records[i]);
    /* Records that are added behind others, and one that is damaged. */
    if (bytes > 0 && chance(50)) records[below((uint32_t)bytes)] ^= (unsigned char)(1 << below(8));
    note((uint64_t)settle_sums_add(records, bytes, stream.policies, POLICIES, &sums, counts));
    note_counts(counts, POLICIES);
    free(allocated);
    free(bound);
    return true;
}

/* "core FIRST LAST", "echo FIRST LAST" or "sweep FIRST LAST", of seeds. */
void case_stream_answer(const char *input, char *answer, size_t size) {
    char copy[100], *text = copy;
    snprintf(copy, sizeof copy, "%s", input);
    const char *kind = case_word(&text), *first = case_word(&text), *last = case_word(&text);
    bool (*const play)(uint64_t) = kind && strcmp(kind, "core") == 0    ? play_core
                                   : kind && strcmp(kind, "echo") == 0  ? play_echo
                                   : kind && strcmp(kind, "sweep") == 0 ? sweep
                                                                        : NULL;
    case_clear();
    stream.number = stream.decided = 0xCBF29CE484222325u;
    bool is_played = play && first && last;
    const uint64_t end = is_played ? strtoull(last, NULL, 10) : 0;
    for (uint64_t seed = is_played ? strtoull(first, NULL, 10) : 1; seed <= end && is_played; seed++)
        is_played = play(seed);
    add(&stream.number, stream.decided);
    if (is_played) snprintf(answer, size, "= %016llx%s", (unsigned long long)stream.number, case_problem());
    else snprintf(answer, size, "! %s", input);
}
