/* Random logs of up to a dozen scenes, decided by a core; prints a line for each log. Built with SETTLE_SMALL and without, it must
 * print the same. */
#include <stdio.h>

#include "settle.h"
#include "splitmix64.h"

enum { LOGS = 10000, EVENTS = 60, SCENES = 12 };

static uint64_t random_state;
static uint64_t below(uint64_t bound) { return splitmix64_next(&random_state) % bound; }

static _Alignas(64) unsigned char workspace[1 << 20];
static settle_core *core;
static uint32_t generations[SCENES];
static uint64_t hash;

static void count(uint64_t value) { hash = (hash ^ value) * 0x9E3779B97F4A7C15u, hash ^= hash >> 29; }

static void take(void) {
    settle_decision decision;
    while (settle_core_pop_decisions(core, &decision, 1)) {
        const uint64_t fields[] = {decision.at_ns,           decision.kind,
                                   decision.reason,          decision.scene,
                                   (uint64_t)decision.width, (uint64_t)decision.height,
                                   decision.generation,      decision.locked,
                                   decision.interaction_ns,  decision.coalesced};
        for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) count(fields[i]);
        if (decision.kind == SETTLE_REBUILD) generations[settle_core_slot(core, decision.scene)] = decision.generation;
    }
}

static settle_event random_event(const settle_scene *scenes, uint64_t now_ns) {
    const settle_scene scene = scenes[below(SCENES)];
    const double width = (double)(1 + below(4)), height = (double)(1 + below(3));
    switch (below(16)) {
    case 0: return settle_event_pointer((uint32_t)below(3), now_ns, below(2));
    case 1: return settle_event_disconnect(scene, now_ns);
    case 2: return settle_event_flush(scene, now_ns);
    case 3: return settle_event_cancel(scene, now_ns);
    case 4: return settle_event_really_built(scene, now_ns, width, height);
    case 5:
    case 6: return settle_event_finished(scene, now_ns, generations[settle_core_slot(core, scene)], below(20000000));
    case 7: return settle_event_flags(scene, now_ns, (unsigned)below(SETTLE_FLAGS_ALL + 1));
    case 8: return settle_event_geometry(scene, now_ns, width, height, (unsigned)below(SETTLE_FLAGS_ALL + 1));
    default: return settle_event_geometry(scene, now_ns, width, height, 0);
    }
}

static settle_policy random_policy(void) {
    settle_policy policy = below(2) ? settle_policy_live() : below(4) ? settle_policy_default() : settle_policy_uikit();
    if (below(3) == 0) policy.pause_delay_ns = below(60000000);
    if (below(3) == 0) policy.maximum_wait_ns = below(400000000);
    if (below(3) == 0) policy.interaction_timeout_ns = below(300000000);
    return policy;
}

int main(void) {
    settle_config config = settle_config_default();
    config.scenes_max = SCENES;
    config.decisions_max = 2;
    config.features = SETTLE_PREVIEWS | SETTLE_LIVE_REBUILDS;
    for (unsigned log = 0; log < LOGS; log++) {
        random_state = splitmix64_mix(log);
        settle_scene scenes[SCENES];
        hash = 0;
        if (settle_core_init(workspace, sizeof workspace, &config, &core) != SETTLE_OK) return 1;
        for (int i = 0; i < SCENES; i++) {
            const settle_policy policy = random_policy();
            uint32_t number;
            if (settle_core_add_policy(core, &policy, &number) != SETTLE_OK) return 1;
            if (settle_core_connect(core, number, &scenes[i]) != SETTLE_OK) return 1;
        }
        uint64_t now_ns = 0;
        for (int i = 0; i < EVENTS; i++) {
            /* Equal times, short ones and long ones. */
            now_ns += below(3) ? below(3) * 8000000 : below(400000000);
            const settle_event event = random_event(scenes, now_ns);
            size_t left = 1, accepted;
            int result;
            do {
                result = settle_core_submit(core, &event, left, &accepted);
                left -= accepted;
                take();
            } while (result == SETTLE_FULL);
            for (int j = 0; j < SCENES; j++) {
                if (!settle_core_connected(core, scenes[j]) && settle_core_connect(core, 0, &scenes[j]) != SETTLE_OK)
                    return 1;
            }
        }
        while (settle_core_finish(core) == SETTLE_FULL) take();
        take();
        const settle_stats stats = settle_core_stats(core);
        count(stats.events), count(stats.rejected_scene), count(stats.decisions);
        printf("%u %016llx %llu\n", log, (unsigned long long)hash, (unsigned long long)stats.decisions);
    }
    return 0;
}
