/* The events by scene, as the lanes draw them, and the baselines. Before the events are bound. */
#include "page_wasm.h"

static bool is_valid(const settle_log_event *event) {
    settle_event same;
    memcpy(&same, event, sizeof same);
    return settle_event_rejection(&same) == SETTLE_NOT_REJECTED;
}

/* The buttons that are held: as many as a core keeps. */
static uint32_t buttons[SETTLE_BUTTONS_MAX];
static uint8_t held;

static void apply_pointer(const settle_log_event *event) {
    uint8_t at = 0;
    while (at < held && buttons[at] != event->button) at++;
    if (event->flags & SETTLE_PRESSED) {
        if (at == held && held < SETTLE_BUTTONS_MAX) buttons[held++] = event->button;
    } else if (at < held) {
        buttons[at] = buttons[--held];
    }
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

static float drawn_length(double length) { return length < 1e38 ? (float)length : 1e38f; }

/* Where an event's entry is, and whether the scene has one before it. */
static void add_entry(uint32_t at, bool is_first, const settle_log_event *event, double time, unsigned step) {
    float none = __builtin_nanf("");
    bool is_accepted = is_valid(event), is_gone = event->kind == SETTLE_DISCONNECT;
    page.times[at] = time;
    page.widths[at] = is_first || is_gone ? none : page.widths[at - 1];
    page.heights[at] = is_first || is_gone ? none : page.heights[at - 1];
    if (event->kind == SETTLE_GEOMETRY && is_accepted && event->width > 0 && event->height > 0) {
        page.widths[at] = drawn_length(event->width);
        page.heights[at] = drawn_length(event->height);
    }
    unsigned mark = step & SETTLE_BASELINE_CHANGED ? PAGE_CHANGED : 0;
    if (is_gone) mark |= PAGE_GONE;
    if (!is_accepted) mark |= PAGE_REJECTED;
    if (is_accepted && event->flags & SETTLE_LOCKED_KNOWN) mark |= PAGE_LOCK_KNOWN;
    if (is_accepted && event->flags & SETTLE_LOCKED) mark |= PAGE_LOCKED;
    page.marks[at] = (uint8_t)mark;
}

static void add_fired(uint32_t name, double time) {
    uint32_t at = page.first[name] + page.fired_counts[name]++;
    /* A clock that runs back does not make the ticks run back. */
    page.fired[at] = at > page.first[name] && page.fired[at - 1] > time ? page.fired[at - 1] : time;
}

static double since_start(uint64_t at_ns) { return at_ns > page.start_ns ? (double)(at_ns - page.start_ns) : 0; }

static void sort_events(settle_baseline_scene *scenes, uint32_t *next) {
    uint64_t now_ns = 0;
    uint32_t pointer = 0;
    for (uint32_t i = 0; i < page.count; i++) {
        const settle_log_event *event = &page.events[i];
        if (event->at_ns > now_ns && is_valid(event)) now_ns = event->at_ns;
        double time = since_start(now_ns);
        if (event->kind == SETTLE_POINTER) {
            apply_pointer(event);
            page.pointer_times[pointer] = time;
            page.pointer_held[pointer++] = held;
            continue;
        }
        uint32_t name = event->name;
        /* Before the step: a disconnect forgets it. */
        uint64_t fires_ns = scenes[name].fires_ns;
        unsigned step = settle_baseline_step(&scenes[name], event);
        if (step & SETTLE_BASELINE_FIRED) add_fired(name, since_start(fires_ns));
        add_entry(next[name], next[name] == page.first[name], event, time, step);
        next[name]++;
    }
    page.end = since_start(now_ns);
}

int page_sort(void) {
    int result = reserve_lanes();
    if (result != 0) return result;
    page.start_ns = page.count > 0 ? page.events[0].at_ns : 0;
    for (uint32_t i = 0; i < page.count; i++) {
        if (page.events[i].at_ns < page.start_ns) page.start_ns = page.events[i].at_ns;
    }
    size_t mark = page_mark();
    settle_baseline_scene *scenes = page_reserve(page.names_count * sizeof(settle_baseline_scene));
    uint32_t *next = page_reserve(page.names_count * sizeof(uint32_t));
    if (!scenes || !next) return PAGE_NO_MEMORY;
    settle_baselines_start(scenes, page.names_count);
    if (page.count > 0) memcpy(next, page.first, page.names_count * sizeof(uint32_t));
    sort_events(scenes, next);
    for (uint32_t name = 0; name < page.names_count; name++) {
        if (scenes[name].fires_ns != SETTLE_NEVER) add_fired(name, since_start(scenes[name].fires_ns));
    }
    settle_baselines_start(scenes, page.names_count);
    settle_baselines_add(scenes, page.events, page.count, &page.baselines);
    settle_baselines_finish(scenes, page.names_count, &page.baselines);
    page_release(mark);
    return 0;
}
