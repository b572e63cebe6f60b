/* settle_window: a core of one scene without a deadline queue, in the caller's value. */
#include "settle_window.h"

#include "core_internal.h"

/* A core's parts. `decision` is its ring: whatever is appended is taken at once. */
typedef struct window_parts {
    settle_core core;
    scene_hot hot;
    scene_cold cold;
    scene_preview scene_preview;
    scene_live live;
    policy_row policy;
    settle_decision decision;
    /* Not yet returned by settle_window_poll; a width of zero for none. */
    settle_window_size rebuild, preview;
    settle_window_size built; /* what the program has, as far as it has said */
    uint32_t rebuild_generation;
    uint32_t returned_generation, returned_preview;
    bool rebuild_is_live, rebuild_is_prepared, rebuild_is_feedback;
    bool is_prepared, is_feedback; /* the rebuild returned last */
    bool is_building;              /* it was returned by the last call */
} window_parts;

_Static_assert(sizeof(window_parts) <= sizeof(settle_window), "a window is 1.5 KiB");
_Static_assert(_Alignof(window_parts) <= _Alignof(settle_window), "a window is aligned");

/* The pointers of a core into its window. */
static COLD void connect_parts(window_parts *parts) {
    settle_core *core = &parts->core;
    core->hot = &parts->hot;
    core->cold = &parts->cold;
    core->previews = &parts->scene_preview;
    core->lives = &parts->live;
    core->policies = &parts->policy;
    core->decisions = &parts->decision;
}

/* The window may have been moved since the last call. */
INLINE window_parts *parts_of(settle_window *window) {
    SETTLE_ASSERT(window);
    window_parts *parts = (window_parts *)(void *)window;
    if (parts->core.hot != &parts->hot) connect_parts(parts);
    return parts;
}

int settle_window_init(settle_window *window, const settle_policy *policy) {
    settle_policy read, standard = settle_policy_default();
    if (!window) return SETTLE_INVALID;
    memset(window, 0, sizeof *window);
    if (!settle_read_policy(policy ? policy : &standard, &read)) return SETTLE_INVALID;
    settle_core *core = &parts_of(window)->core;
    core->decisions_max = core->scenes_max = 1; /* so its slot has no bits */
    settle_scene scene;
    settle_core_start(core, &read);
    return settle_core_connect(core, 0, &scene);
}

static inline bool is_waiting(const window_parts *parts) { return parts->rebuild.width + parts->preview.width > 0; }

/* Takes the decision that waits. A newer rebuild replaces what was not returned yet. */
static void take(window_parts *parts) {
    const settle_decision *decision = &parts->decision;
    if (parts->core.decisions_waiting == 0) return;
    parts->core.decisions_waiting = 0;
    const settle_window_size size = {decision->width, decision->height};
    if (decision->kind == SETTLE_PREVIEW) {
        parts->preview = size;
    } else if (decision->kind == SETTLE_REBUILD) {
        parts->rebuild = size;
        parts->rebuild_generation = decision->generation;
        parts->rebuild_is_feedback = decision->feedback && !decision->follows_interaction;
        parts->rebuild_is_live = decision->reason == SETTLE_REBUILD_LIVE;
        /* Of a preview that was never returned no work is under way. drop_stale_preview drops it. */
        parts->rebuild_is_prepared = decision->prepared && parts->preview.width == 0;
    }
}

/* Any event: what it decides, and what is due before it, is taken. It is refused only for what is due before it, as
 * it decides no more than one scene's end by itself. */
static void submit(window_parts *parts, const settle_event *event) {
    size_t accepted;
    while (settle_core_submit(&parts->core, event, 1, &accepted) == SETTLE_FULL) take(parts);
    take(parts);
}

/* Moves time, and takes what is due by then. */
static void take_due(window_parts *parts, uint64_t now_ns) {
    while (settle_core_advance(&parts->core, now_ns), parts->core.decisions_waiting > 0) take(parts);
}

/* Rule 17: the work for a preview that was not asked for in time, and that is not remembered any more or of another size
 * than the window's, was never begun. */
static void drop_stale_preview(window_parts *parts) {
    const size_bits size = bits_of(parts->preview.width, parts->preview.height);
    const bool is_remembered = same_size(size, parts->scene_preview.previewed);
    if (parts->preview.width == 0 || (is_remembered && same_size(size, parts->hot.size))) return;
    parts->preview.width = 0;
    const settle_event given_up =
        settle_event_previewed(parts->hot.handle, parts->core.now_ns, parts->scene_preview.previews, 0, false);
    submit(parts, &given_up);
}

/* Rule 13: the same of a rebuild, whose size is not the window's any more or is dragged again. */
static void drop_stale(window_parts *parts) {
    take_due(parts, parts->core.now_ns);
    drop_stale_preview(parts);
    const size_bits size = bits_of(parts->rebuild.width, parts->rebuild.height);
    const bool is_dragged = has(&parts->hot, STATE_INTERACTING);
    const bool is_wanted = same_size(size, parts->hot.size) && (!is_dragged || parts->rebuild_is_live);
    if (parts->rebuild.width == 0 || is_wanted) return;
    parts->rebuild.width = 0;
    const settle_event built =
        settle_event_really_built(parts->hot.handle, parts->core.now_ns, parts->built.width, parts->built.height);
    submit(parts, &built);
}

/* A program that builds within its loop's turn has built by its next call, whatever it reports later: begin_building has
 * kept that call from the short paths. */
static void end_building(window_parts *parts, uint64_t now_ns) {
    if (parts->is_building) settle_feedback_finished(&parts->core, 0, now_ns);
    parts->is_building = false;
}

static void begin_building(window_parts *parts) {
    parts->is_building = true;
    parts->core.next_due_ns = 0;
}

static int apply(window_parts *parts, const settle_event *event) {
    settle_core *core = &parts->core;
    if (!settle_submit_plain(core, event)) {
        if (settle_core_rejects(core, event)) return SETTLE_INVALID;
        end_building(parts, event->at_ns);
        submit(parts, event);
    }
    if (is_waiting(parts)) drop_stale(parts);
    return SETTLE_OK;
}

int settle_window_resize(settle_window *window, uint64_t now_ns, double width, double height, enum settle_drag drag) {
    static const unsigned flags[] = {
        [SETTLE_DRAG_YES] = SETTLE_RESIZING_KNOWN | SETTLE_RESIZING,
        [SETTLE_DRAG_NO] = SETTLE_NOT_RESIZING,
    };
    if ((unsigned)drag > SETTLE_DRAG_NO) return SETTLE_INVALID;
    window_parts *parts = parts_of(window);
    const settle_event event = settle_event_geometry(parts->hot.handle, now_ns, width, height, flags[drag]);
    return apply(parts, &event);
}

int settle_window_button(settle_window *window, uint64_t now_ns, uint32_t button, bool is_pressed) {
    window_parts *parts = parts_of(window);
    const settle_event event = settle_event_pointer(button, now_ns, is_pressed);
    /* A button names no scene, so a core that settle_window_init has not made would not reject it. */
    return parts->hot.handle == 0 ? SETTLE_INVALID : apply(parts, &event);
}

int settle_window_finished(settle_window *window, uint64_t now_ns, uint64_t cost_ns) {
    window_parts *parts = parts_of(window);
    const settle_event event = settle_event_finished(parts->hot.handle, now_ns, parts->returned_generation, cost_ns);
    return apply(parts, &event);
}

int settle_window_previewed(settle_window *window, uint64_t now_ns, uint64_t cost_ns, bool is_kept) {
    window_parts *parts = parts_of(window);
    const settle_event event =
        settle_event_previewed(parts->hot.handle, now_ns, parts->returned_preview, cost_ns, is_kept);
    return apply(parts, &event);
}

bool settle_window_is_prepared(const settle_window *window) {
    SETTLE_ASSERT(window);
    return ((const window_parts *)(const void *)window)->is_prepared;
}

bool settle_window_is_feedback(const settle_window *window) {
    SETTLE_ASSERT(window);
    return ((const window_parts *)(const void *)window)->is_feedback;
}

int settle_window_really_built(settle_window *window, uint64_t now_ns, double width, double height) {
    window_parts *parts = parts_of(window);
    const settle_event event = settle_event_really_built(parts->hot.handle, now_ns, width, height);
    if (settle_core_rejects(&parts->core, &event)) return SETTLE_INVALID;
    end_building(parts, now_ns);
    parts->built = (settle_window_size){width, height};
    /* What is due by now counts on a rebuild that is still to be asked for. */
    take_due(parts, now_ns);
    if (parts->rebuild.width == 0) submit(parts, &event);
    return SETTLE_OK;
}

int settle_window_flush(settle_window *window, uint64_t now_ns) {
    window_parts *parts = parts_of(window);
    const settle_event event = settle_event_flush(parts->hot.handle, now_ns);
    return apply(parts, &event);
}

/* Returns what `waiting` has, if anything. */
static bool give(settle_window_size *waiting, settle_window_size *size) {
    if (waiting->width == 0) return false;
    *size = *waiting;
    waiting->width = 0;
    return true;
}

static NOINLINE enum settle_window_action poll_due(window_parts *parts, uint64_t now_ns, settle_window_size *size) {
    end_building(parts, now_ns);
    take_due(parts, now_ns);
    drop_stale(parts);
    if (give(&parts->rebuild, size)) {
        parts->built = *size;
        parts->returned_generation = parts->rebuild_generation;
        parts->is_prepared = parts->rebuild_is_prepared;
        parts->is_feedback = parts->rebuild_is_feedback;
        begin_building(parts);
        return SETTLE_WINDOW_REBUILD;
    }
    if (!give(&parts->preview, size)) return SETTLE_WINDOW_NOTHING;
    parts->returned_preview = parts->scene_preview.previews;
    return SETTLE_WINDOW_PREVIEW;
}

enum settle_window_action settle_window_poll(settle_window *window, uint64_t now_ns, settle_window_size *size) {
    window_parts *parts = parts_of(window);
    settle_core *core = &parts->core;
    if (is_waiting(parts) || now_ns < core->now_ns || now_ns >= core->next_due_ns) return poll_due(parts, now_ns, size);
    core->now_ns = now_ns;
    return SETTLE_WINDOW_NOTHING;
}

uint64_t settle_window_timeout_ns(settle_window *window, uint64_t now_ns) {
    window_parts *parts = parts_of(window);
    end_building(parts, now_ns);
    if (is_waiting(parts)) return 0;
    uint64_t next_ns = settle_core_next_deadline_ns(&parts->core);
    if (next_ns == SETTLE_NEVER) return SETTLE_NEVER;
    return next_ns > now_ns ? next_ns - now_ns : 0;
}
