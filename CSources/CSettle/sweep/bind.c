/* Binds a log's events to connected scenes, once for all policies. Each connection is a scene of its
 * own, and all are connected before the first event: connecting takes no time. */
#include "sweep_internal.h"

enum { DECISIONS = 64 };

#define NOT_CONNECTED UINT32_MAX

size_t settle_sweep_connections(const settle_log_event *events, size_t count, uint32_t names, bool *scratch) {
    size_t connections = 0;
    if (names > 0) memset(scratch, 0, names * sizeof *scratch);
    for (size_t i = 0; i < count; i++) {
        const settle_log_event *event = &events[i];
        if (event->kind >= SETTLE_POINTER || event->name >= names) continue;
        bool was_connected = scratch[event->name];
        settle_log_applies(event, &scratch[event->name]);
        connections += !was_connected && scratch[event->name];
    }
    return connections;
}

/* What is known of a connection while its log is bound. */
typedef struct known_scene {
    double width, height;
    uint64_t changed_ns, ended_ns; /* its last change, and the end of its last interaction that counts */
    uint32_t changes;              /* before its last interaction began */
} known_scene;

/* What a log's parts may count, so that their bytes fit a size_t of 32 bits as well: a connection's
 * events have 32 bits, and no memory has more events than SIZE_MAX / 32. */
#if SIZE_MAX / 32 < UINT32_MAX
#define EVENTS_MOST (SIZE_MAX / 32)
#else
#define EVENTS_MOST UINT32_MAX
#endif
#define NAMES_MOST ((uint32_t)1 << 28)

_Static_assert(sizeof(settle_log_event) == 32, "the bound on events");

typedef struct bound_layout {
    size_t core, scenes, known, connected, changed, changes, ended, total;
} bound_layout;

static settle_config config_of(size_t connections) {
    settle_config config = settle_sweep_config(connections > 0 ? (uint32_t)connections : 1);
    config.features = 0;
    return config;
}

static bound_layout layout_of(size_t count, uint32_t names, size_t connections) {
    settle_config config = config_of(connections);
    bound_layout at = {0, 0, 0, 0, 0, 0, 0, 0};
    at.core = settle_sweep_reserve(&at.total, 1, settle_core_size(&config));
    at.scenes = settle_sweep_reserve(&at.total, connections, sizeof(settle_sweep_scene));
    at.known = settle_sweep_reserve(&at.total, connections, sizeof(known_scene));
    at.connected = settle_sweep_reserve(&at.total, names, sizeof(uint32_t));
    at.changed = settle_sweep_reserve(&at.total, count, sizeof(uint64_t));
    at.changes = settle_sweep_reserve(&at.total, count, sizeof(uint32_t));
    at.ended = settle_sweep_reserve(&at.total, count, sizeof(uint32_t));
    return at;
}

size_t settle_sweep_log_size(size_t count, uint32_t names, size_t connections) {
    if (connections > SETTLE_SCENES_MAX || count > EVENTS_MOST || names > NAMES_MOST) return 0;
    return layout_of(count, names, connections).total;
}

/* The state of binding: what is needed of the events before. */
typedef struct binder {
    settle_core *core; /* knows which buttons are held, and when interactions end */
    settle_sweep_scene *scenes;
    known_scene *known;
    uint32_t *connected; /* by name: the number of its connection */
    uint64_t *changed_ns;
    uint32_t *changes, *ended;
    uint32_t connections, reports;
} binder;

/* Replaces names by numbers of connections; NOT_CONNECTED where a core rejects the event. */
static int connect_all(binder *bind, settle_log_event *events, size_t count, uint32_t names, size_t capacity) {
    for (uint32_t name = 0; name < names; name++) bind->connected[name] = NOT_CONNECTED;
    for (size_t i = 0; i < count; i++) {
        settle_log_event *event = &events[i];
        if (event->kind == SETTLE_POINTER) continue;
        if ((event->kind > SETTLE_POINTER && !settle_event_is_report(event->kind)) || event->name >= names)
            return SETTLE_INVALID;
        uint32_t *connected = &bind->connected[event->name];
        bool is_connected = *connected != NOT_CONNECTED;
        const bool applies = settle_log_applies(event, &is_connected);
        if (*connected == NOT_CONNECTED && is_connected) {
            if (bind->connections == capacity) return SETTLE_INVALID;
            bind->scenes[bind->connections] = (settle_sweep_scene){event->name, 0, 0, 0, SETTLE_NEVER, 0, 0};
            bind->known[bind->connections] = (known_scene){0, 0, 0, 0, 0};
            *connected = bind->connections++;
        }
        uint32_t number = *connected;
        if (!is_connected) *connected = NOT_CONNECTED;
        event->name = applies ? number : NOT_CONNECTED;
        if (applies && event->kind == SETTLE_GEOMETRY) bind->scenes[number].events++;
    }
    size_t first = 0;
    for (uint32_t number = 0; number < bind->connections; number++) {
        bind->scenes[number].first = first;
        first += bind->scenes[number].events;
        bind->scenes[number].events = 0;
    }
    return SETTLE_OK;
}

/* A connection's interaction began or ended at an event, whose change of size was the last of it. */
static void note(binder *bind, const settle_decision *decision, uint32_t event, uint32_t changes_before) {
    const uint32_t number = settle_core_slot(bind->core, decision->scene);
    settle_sweep_scene *scene = &bind->scenes[number];
    known_scene *known = &bind->known[number];
    if (decision->kind == SETTLE_INTERACTION_BEGAN) known->changes = changes_before;
    if (decision->kind != SETTLE_INTERACTION_ENDED || scene->changes == known->changes) return;
    if (decision->reason != SETTLE_ENDED_REPORTED && decision->reason != SETTLE_ENDED_RELEASED) return;
    known->ended_ns = decision->at_ns;
    bind->ended[scene->first + scene->interactions++] = event;
}

/* Gives an accepted event to the core. */
static void decide(binder *bind, const settle_event *event, uint32_t index, uint32_t changes_before) {
    settle_decision decisions[DECISIONS];
    size_t left = 1, accepted;
    int result;
    do {
        result = settle_core_submit(bind->core, event, left, &accepted);
        left -= accepted;
        const size_t popped = settle_core_pop_decisions(bind->core, decisions, DECISIONS);
        for (size_t i = 0; i < popped; i++) note(bind, &decisions[i], index, changes_before);
    } while (result != SETTLE_OK);
}

/* Whether an event changes its scene's size, which is known from then on. */
static bool changes(known_scene *known, const settle_event *event, uint64_t now_ns) {
    bool is_new = event->width != known->width || event->height != known->height;
    if (!is_new || event->width == 0 || event->height == 0) return false;
    known->width = event->width;
    known->height = event->height;
    known->changed_ns = now_ns;
    return true;
}

static void geometry(binder *bind, uint32_t number, const settle_event *event, uint32_t index) {
    settle_sweep_scene *scene = &bind->scenes[number];
    known_scene *known = &bind->known[number];
    const uint32_t before = scene->changes, interactions = scene->interactions;
    const bool is_change = changes(known, event, event->at_ns);
    if (is_change) bind->changes[scene->first + scene->changes++] = index;
    bind->changed_ns[scene->first + scene->events++] = known->changed_ns;
    decide(bind, event, index, before);
    const bool follows = is_change && interactions > 0 && event->at_ns - known->ended_ns <= SETTLE_FOLLOWS_NS;
    if (follows && !settle_core_interacting(bind->core, event->scene) && interactions == scene->interactions)
        bind->ended[scene->first + interactions - 1] = index;
}

/* Makes handles of the numbers, and finds the last size change at each geometry event, and the interactions' ends.
 * Times are the core's (rule 1): a rejected event moves none, and an earlier one is applied at the time of
 * the latest. */
static void find_changes(binder *bind, settle_log_event *events, size_t count) {
    uint64_t now_ns = 0;
    settle_scene scene;
    for (uint32_t number = 0; number < bind->connections; number++) settle_core_connect(bind->core, 0, &scene);
    for (size_t i = 0; i < count; i++) {
        settle_event *event = &events[i];
        uint32_t number = event->name;
        if (event->kind != SETTLE_POINTER) {
            event->scene = number == NOT_CONNECTED ? 0 : settle_sweep_handle(bind->connections, number);
            if (number == NOT_CONNECTED) continue;
        } else if (settle_core_rejects(bind->core, event)) {
            continue;
        }
        if (event->at_ns > now_ns) now_ns = event->at_ns;
        event->at_ns = now_ns;
        if (event->kind == SETTLE_DISCONNECT) {
            bind->scenes[number].ends_ns = now_ns;
            bind->scenes[number].disconnects = 1;
        }
        if (settle_event_is_report(event->kind)) bind->reports = 1;
        if (event->kind == SETTLE_GEOMETRY) geometry(bind, number, event, (uint32_t)i);
        else decide(bind, event, (uint32_t)i, 0);
    }
    for (uint32_t number = 0; number < bind->connections; number++) {
        if (!bind->scenes[number].disconnects) bind->scenes[number].ends_ns = now_ns;
    }
}

int settle_sweep_bind(settle_log_event *events, size_t count, uint32_t names, size_t connections, void *memory,
                      size_t size, settle_sweep_log *log) {
    size_t needed = settle_sweep_log_size(count, names, connections);
    if (!memory || (uintptr_t)memory % SWEEP_LINE_BYTES || needed == 0 || size < needed) return SETTLE_INVALID;
    bound_layout at = layout_of(count, names, connections);
    unsigned char *bytes = memory;
    binder bind = {NULL,
                   (settle_sweep_scene *)(void *)(bytes + at.scenes),
                   (known_scene *)(void *)(bytes + at.known),
                   (uint32_t *)(void *)(bytes + at.connected),
                   (uint64_t *)(void *)(bytes + at.changed),
                   (uint32_t *)(void *)(bytes + at.changes),
                   (uint32_t *)(void *)(bytes + at.ended),
                   0,
                   0};
    int result = connect_all(&bind, events, count, names, connections);
    if (result != SETTLE_OK) return result;
    /* With as many slots as the cores that the events' handles are for. */
    settle_config config = config_of(bind.connections);
    settle_core_init(bytes + at.core, at.scenes - at.core, &config, &bind.core);
    find_changes(&bind, events, count);
    *log = (settle_sweep_log){events,           count,        bind.scenes, bind.changed_ns, bind.changes,
                              bind.connections, bind.reports, bind.ended};
    return SETTLE_OK;
}
