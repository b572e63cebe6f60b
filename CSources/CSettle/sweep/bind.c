/* Binds a log's events to connected scenes, once for all policies. Each connection is a scene of its
 * own, and all are connected before the first event: connecting takes no time. */
#include "sweep_internal.h"

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

/* The last size of a connection while its log is bound. */
typedef struct known_size {
    double width, height;
    uint64_t changed_ns;
} known_size;

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
    size_t core, scenes, sizes, connected, changed, changes, total;
} bound_layout;

static bound_layout layout_of(size_t count, uint32_t names, size_t connections) {
    settle_config config = settle_sweep_config(1);
    bound_layout at = {0, 0, 0, 0, 0, 0, 0};
    at.core = settle_sweep_reserve(&at.total, 1, settle_core_size(&config));
    at.scenes = settle_sweep_reserve(&at.total, connections, sizeof(settle_sweep_scene));
    at.sizes = settle_sweep_reserve(&at.total, connections, sizeof(known_size));
    at.connected = settle_sweep_reserve(&at.total, names, sizeof(uint32_t));
    at.changed = settle_sweep_reserve(&at.total, count, sizeof(uint64_t));
    at.changes = settle_sweep_reserve(&at.total, count, sizeof(uint32_t));
    return at;
}

size_t settle_sweep_log_size(size_t count, uint32_t names, size_t connections) {
    if (connections > SETTLE_SCENES_MAX || count > EVENTS_MOST || names > NAMES_MOST) return 0;
    return layout_of(count, names, connections).total;
}

/* The state of binding: what is needed of the events before. */
typedef struct binder {
    settle_core *buttons; /* has no scene, and knows which buttons are held */
    settle_sweep_scene *scenes;
    known_size *sizes;
    uint32_t *connected; /* by name: the number of its connection */
    uint64_t *changed_ns;
    uint32_t *changes;
    uint32_t connections, reports;
} binder;

/* Replaces names by numbers of connections; NOT_CONNECTED where a core rejects the event. */
static int connect_all(binder *bind, settle_log_event *events, size_t count, uint32_t names, size_t capacity) {
    for (uint32_t name = 0; name < names; name++) bind->connected[name] = NOT_CONNECTED;
    for (size_t i = 0; i < count; i++) {
        settle_log_event *event = &events[i];
        if (event->kind == SETTLE_POINTER) continue;
        if ((event->kind > SETTLE_POINTER && event->kind != SETTLE_FINISHED) || event->name >= names)
            return SETTLE_INVALID;
        uint32_t *connected = &bind->connected[event->name];
        bool is_connected = *connected != NOT_CONNECTED;
        const bool applies = settle_log_applies(event, &is_connected);
        if (*connected == NOT_CONNECTED && is_connected) {
            if (bind->connections == capacity) return SETTLE_INVALID;
            bind->scenes[bind->connections] = (settle_sweep_scene){event->name, 0, 0, 0, SETTLE_NEVER, 0};
            bind->sizes[bind->connections] = (known_size){0, 0, 0};
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

/* A core rejects a button that is one too many. Such an event moves no time. */
static bool is_accepted(settle_core *buttons, const settle_event *event) {
    size_t accepted;
    if (settle_core_rejects(buttons, event)) return false;
    settle_core_submit(buttons, event, 1, &accepted);
    return true;
}

/* Makes handles of the numbers, and finds the last size change at each geometry event. Times are
 * the core's (rule 1): a rejected event moves none, and an earlier one is applied at the time of
 * the latest. */
static void find_changes(binder *bind, settle_log_event *events, size_t count) {
    uint64_t now_ns = 0;
    for (size_t i = 0; i < count; i++) {
        settle_event *event = &events[i];
        uint32_t number = event->name;
        if (event->kind != SETTLE_POINTER) {
            event->scene = number == NOT_CONNECTED ? 0 : settle_sweep_handle(bind->connections, number);
            if (number == NOT_CONNECTED) continue;
        } else if (!is_accepted(bind->buttons, event)) {
            continue;
        }
        if (event->at_ns > now_ns) now_ns = event->at_ns;
        event->at_ns = now_ns;
        if (event->kind == SETTLE_DISCONNECT) {
            bind->scenes[number].ends_ns = now_ns;
            bind->scenes[number].disconnects = 1;
        }
        if (event->kind == SETTLE_FINISHED) bind->reports = 1;
        if (event->kind != SETTLE_GEOMETRY) continue;
        settle_sweep_scene *scene = &bind->scenes[number];
        known_size *known = &bind->sizes[number];
        bool is_new = event->width != known->width || event->height != known->height;
        if (is_new && event->width != 0 && event->height != 0) {
            *known = (known_size){event->width, event->height, now_ns};
            bind->changes[scene->first + scene->changes++] = (uint32_t)i;
        }
        bind->changed_ns[scene->first + scene->events++] = known->changed_ns;
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
                   (known_size *)(void *)(bytes + at.sizes),
                   (uint32_t *)(void *)(bytes + at.connected),
                   (uint64_t *)(void *)(bytes + at.changed),
                   (uint32_t *)(void *)(bytes + at.changes),
                   0,
                   0};
    settle_config config = settle_sweep_config(1);
    settle_core_init(bytes + at.core, at.scenes - at.core, &config, &bind.buttons);
    int result = connect_all(&bind, events, count, names, connections);
    if (result != SETTLE_OK) return result;
    find_changes(&bind, events, count);
    *log =
        (settle_sweep_log){events, count, bind.scenes, bind.changed_ns, bind.changes, bind.connections, bind.reports};
    return SETTLE_OK;
}
