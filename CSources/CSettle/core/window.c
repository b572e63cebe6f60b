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
    uint32_t rebuild_generation;
    uint32_t returned_generation;
} window_parts;

_Static_assert(sizeof(window_parts) <= sizeof(settle_window), "a window is 1 KiB");
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
    if (!window || !settle_read_policy(policy ? policy : &standard, &read)) return SETTLE_INVALID;
    memset(window, 0, sizeof *window);
    settle_core *core = &parts_of(window)->core;
    core->decisions_max = core->policies_max = core->scenes_max = 1;
    core->slot_bits = core->slot_mask = 1;
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
    settle_window_size size = {decision->width, decision->height}, none = {0, 0};
    if (decision->kind == SETTLE_PREVIEW) {
        parts->preview = size;
    } else if (decision->kind == SETTLE_REBUILD) {
        parts->rebuild = size;
        parts->rebuild_generation = decision->generation;
        parts->preview = none;
    }
}

static int apply(window_parts *parts, const settle_event *event) {
    settle_core *core = &parts->core;
    if (settle_submit_plain(core, event)) return SETTLE_OK;
    if (settle_core_rejects(core, event)) return SETTLE_INVALID;
    size_t left = 1, accepted;
    int result;
    do {
        result = settle_core_submit(core, event, left, &accepted);
        left -= accepted;
        take(parts);
    } while (result == SETTLE_FULL);
    return SETTLE_OK;
}

int settle_window_resize(settle_window *window, uint64_t now_ns, double width, double height, enum settle_drag drag) {
    static const unsigned flags[] = {
        [SETTLE_DRAG_YES] = SETTLE_RESIZING_KNOWN | SETTLE_RESIZING,
        [SETTLE_DRAG_NO] = SETTLE_RESIZING_KNOWN,
    };
    if ((unsigned)drag > SETTLE_DRAG_NO) return SETTLE_INVALID;
    window_parts *parts = parts_of(window);
    const settle_event event = settle_event_geometry(parts->hot.handle, now_ns, width, height, flags[drag]);
    return apply(parts, &event);
}

int settle_window_button(settle_window *window, uint64_t now_ns, uint32_t button, bool is_pressed) {
    const settle_event event = settle_event_pointer(button, is_pressed, now_ns);
    return apply(parts_of(window), &event);
}

int settle_window_finished(settle_window *window, uint64_t now_ns, uint64_t cost_ns) {
    window_parts *parts = parts_of(window);
    const settle_event event = settle_event_finished(parts->hot.handle, now_ns, parts->returned_generation, cost_ns);
    return apply(parts, &event);
}

int settle_window_built(settle_window *window, uint64_t now_ns, double width, double height) {
    window_parts *parts = parts_of(window);
    const settle_event event = settle_event_built(parts->hot.handle, now_ns, width, height);
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
    settle_core *core = &parts->core;
    for (;;) {
        if (give(&parts->rebuild, size)) {
            parts->returned_generation = parts->rebuild_generation;
            return SETTLE_WINDOW_REBUILD;
        }
        if (give(&parts->preview, size)) return SETTLE_WINDOW_PREVIEW;
        if (settle_core_advance(core, now_ns) != SETTLE_FULL && core->decisions_waiting == 0) {
            return SETTLE_WINDOW_NOTHING;
        }
        take(parts);
    }
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
    if (is_waiting(parts)) return 0;
    uint64_t next_ns = settle_core_next_deadline_ns(&parts->core);
    if (next_ns == SETTLE_NEVER) return SETTLE_NEVER;
    return next_ns > now_ns ? next_ns - now_ns : 0;
}
