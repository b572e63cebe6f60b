/* The core alone, as a C program embeds it: a drag of three sizes on a virtual
 * clock, and the one rebuild after it. */
#include "settle.h"

#include <stdalign.h>
#include <stdio.h>

static alignas(64) unsigned char workspace[1 << 20];

static settle_event drag(settle_scene scene, uint64_t ms, double width, bool resizing) {
    unsigned flags = resizing ? SETTLE_RESIZING_KNOWN | SETTLE_RESIZING : SETTLE_NOT_RESIZING;
    return settle_event_geometry(scene, ms * 1000000, width, 600, flags);
}

int main(void) {
    settle_config config = settle_config_default();
    settle_core *core;
    settle_scene window;
    if (settle_core_init(workspace, sizeof workspace, &config, &core) != SETTLE_OK) return 1;
    if (settle_core_connect(core, 0, &window) != SETTLE_OK) return 1;

    settle_event events[] = {
        drag(window, 0, 800, true),
        drag(window, 16, 810, true),
        drag(window, 33, 824, false),
    };
    size_t accepted;
    if (settle_core_submit(core, events, 3, &accepted) != SETTLE_OK || accepted != 3) return 1;
    if (settle_core_advance(core, settle_core_next_deadline_ns(core)) != SETTLE_OK) return 1;

    settle_decision decision;
    while (settle_core_pop_decisions(core, &decision, 1)) {
        if (decision.kind != SETTLE_REBUILD) continue;
        printf("rebuild %gx%g at %llu ms\n", decision.width, decision.height,
               (unsigned long long)(decision.at_ns / 1000000));
    }
    return 0;
}
