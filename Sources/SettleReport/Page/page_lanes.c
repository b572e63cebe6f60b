/* The events by scene, as the lanes draw them, and the baselines. Before the events are bound. */
#include "page_wasm.h"

/* What is needed of the events before. */
typedef struct sorter {
    settle_core *core; /* has no scene, and knows the time and which buttons are held */
    bool *connected;   /* by name */
    settle_baseline_scene *scenes;
    uint32_t *next; /* by name: the entry of its next event */
} sorter;

/* Applies an event to the sorter's core. False for one that a core of the log's scenes rejects: it moves
 * no time. */
static bool apply(sorter *sort, const settle_log_event *event) {
    if (event->kind != SETTLE_POINTER) {
        if (!settle_log_applies(event, &sort->connected[event->name])) return false;
        return settle_core_advance(sort->core, event->at_ns) == SETTLE_OK;
    }
    size_t accepted;
    if (settle_core_rejects(sort->core, event)) return false;
    return settle_core_submit(sort->core, event, 1, &accepted) == SETTLE_OK;
}

static int reserve_lanes(void) {
    page.first = page_reserve((page.names_count + 1) * sizeof(uint32_t));
    page.fired_counts = page_reserve((page.names_count + 1) * sizeof(uint32_t));
    if (!page.first || !page.fired_counts) return PAGE_NO_MEMORY;
    memset(page.first, 0, (page.names_count + 1) * sizeof(uint32_t));
    memset(page.fired_counts, 0, (page.names_count + 1) * sizeof(uint32_t));
    for (uint32_t i = 0; i < page.count; i++) {
        if (page.events[i].kind == SETTLE_POINTER) page.pointers++;
        else page.first[page.events[i].name + 1]++;
    }
    for (uint32_t name = 0; name < page.names_count; name++) page.first[name + 1] += page.first[name];
    size_t entries = page.count - page.pointers;
    page.times = page_reserve(entries * sizeof(double));
    page.fired = page_reserve(entries * sizeof(double));
    page.widths = page_reserve(entries * sizeof(float));
    page.heights = page_reserve(entries * sizeof(float));
    page.marks = page_reserve(entries);
    page.pointer_times = page_reserve(page.pointers * sizeof(double));
    page.pointer_held = page_reserve(page.pointers);
    bool has_all = page.times && page.fired && page.widths && page.heights && page.marks && page.pointer_times;
    return has_all && page.pointer_held ? 0 : PAGE_NO_MEMORY;
}

/* The entry of an event of a scene; `applies`: a core accepts it. */
static void add_entry(uint32_t at, const settle_log_event *event, bool applies, double time, unsigned step) {
    float none = __builtin_nanf("");
    bool is_first = at == page.first[event->name], is_gone = applies && event->kind == SETTLE_DISCONNECT;
    page.times[at] = time;
    page.widths[at] = is_first || is_gone ? none : page.widths[at - 1];
    page.heights[at] = is_first || is_gone ? none : page.heights[at - 1];
    if (event->kind == SETTLE_GEOMETRY && applies && event->width > 0 && event->height > 0) {
        page.widths[at] = page_drawn(event->width);
        page.heights[at] = page_drawn(event->height);
    }
    unsigned mark = step & SETTLE_BASELINE_CHANGED ? PAGE_CHANGED : 0;
    if (is_gone) mark |= PAGE_GONE;
    if (applies && event->flags & SETTLE_LOCKED_KNOWN) mark |= PAGE_LOCK_KNOWN;
    if (applies && event->flags & SETTLE_LOCKED) mark |= PAGE_LOCKED;
    page.marks[at] = (uint8_t)mark;
}

static void add_fired(uint32_t name, double time) {
    uint32_t at = page.first[name] + page.fired_counts[name]++;
    /* A clock that runs back does not make the ticks run back. */
    page.fired[at] = at > page.first[name] && page.fired[at - 1] > time ? page.fired[at - 1] : time;
}

static double since_start(uint64_t at_ns) { return at_ns > page.start_ns ? (double)(at_ns - page.start_ns) : 0; }

static void sort_events(sorter *sort) {
    uint32_t pointer = 0;
    for (uint32_t i = 0; i < page.count; i++) {
        const settle_log_event *event = &page.events[i];
        bool applies = apply(sort, event);
        double time = since_start(settle_core_now_ns(sort->core));
        if (event->kind == SETTLE_POINTER) {
            page.pointer_times[pointer] = time;
            page.pointer_held[pointer++] = (uint8_t)settle_core_buttons_held(sort->core);
            continue;
        }
        uint32_t name = event->name;
        /* Before the step: a disconnect forgets it. */
        uint64_t fires_ns = sort->scenes[name].fires_ns;
        unsigned step = settle_baseline_step(&sort->scenes[name], event);
        if (step & SETTLE_BASELINE_FIRED) add_fired(name, since_start(fires_ns));
        add_entry(sort->next[name]++, event, applies, time, step);
    }
    page.end = since_start(settle_core_now_ns(sort->core));
}

static bool reserve_sorter(sorter *sort) {
    settle_config config = settle_config_default();
    config.scenes_max = config.decisions_max = 1;
    size_t size = settle_core_size(&config);
    void *workspace = page_reserve(size);
    sort->connected = page_reserve(page.names_count * sizeof(bool));
    sort->scenes = page_reserve(page.names_count * sizeof(settle_baseline_scene));
    sort->next = page_reserve(page.names_count * sizeof(uint32_t));
    if (!workspace || !sort->connected || !sort->scenes || !sort->next) return false;
    settle_baselines_start(sort->scenes, page.names_count);
    memset(sort->connected, 0, page.names_count * sizeof(bool));
    memcpy(sort->next, page.first, page.names_count * sizeof(uint32_t));
    return settle_core_init(workspace, size, &config, &sort->core) == SETTLE_OK;
}

int page_sort(void) {
    int result = reserve_lanes();
    if (result != 0) return result;
    page.start_ns = page.count > 0 ? page.events[0].at_ns : 0;
    for (uint32_t i = 0; i < page.count; i++) {
        if (page.events[i].at_ns < page.start_ns) page.start_ns = page.events[i].at_ns;
    }
    size_t mark = page_mark();
    sorter sort;
    if (!reserve_sorter(&sort)) return PAGE_NO_MEMORY;
    sort_events(&sort);
    for (uint32_t name = 0; name < page.names_count; name++) {
        if (sort.scenes[name].fires_ns != SETTLE_NEVER) add_fired(name, since_start(sort.scenes[name].fires_ns));
    }
    settle_baselines_start(sort.scenes, page.names_count);
    settle_baselines_add(sort.scenes, page.events, page.count, &page.baselines);
    settle_baselines_finish(sort.scenes, page.names_count, &page.baselines);
    page_release(mark);
    return 0;
}
