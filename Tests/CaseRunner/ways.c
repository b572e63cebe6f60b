/* Plays cases in other ways than event by event, which must decide the same. */
#include "case_internal.h"

#include <string.h>

static bool same_decisions(const case_run *run, const char *way, const case_decisions *expected,
                           const case_list *actual) {
    size_t i = 0;
    while (i < expected->count && i < actual->count &&
           memcmp(&expected->decisions[i], &actual->decisions[i], sizeof(settle_decision)) == 0)
        i++;
    if (i == expected->count && i == actual->count) return true;
    case_say("event by event");
    for (i = 0; i < expected->count; i++) case_say("\n    "), case_say_decision(run, &expected->decisions[i]);
    case_say("\n%s", way);
    for (i = 0; i < actual->count; i++) case_say("\n    "), case_say_decision(run, &actual->decisions[i]);
    return false;
}

static bool fits_window(const case_run *run) {
    for (size_t i = 0; i < run->count; i++) {
        const case_step *step = &run->steps[i];
        if (step->kind == CASE_CONNECT || step->kind == CASE_POLICY) return false;
        if (step->kind == CASE_EVENT && (step->event.kind == SETTLE_CONNECT || step->event.kind == SETTLE_DISCONNECT ||
                                         step->event.kind == SETTLE_CANCEL))
            return false;
    }
    return run->scenes == 1 && !run->is_without_window;
}

/* Takes what a window decides up to a time, each at its time. */
static uint64_t poll_window(settle_window *window, uint64_t now_ns, uint64_t until_ns, case_list *list) {
    for (;;) {
        settle_window_size size;
        enum settle_window_action action = settle_window_poll(window, now_ns, &size);
        if (action != SETTLE_WINDOW_NOTHING && list->count < CASE_DECISIONS_MAX) {
            settle_decision *decision = &list->decisions[list->count++];
            *decision = (settle_decision){.at_ns = now_ns, .width = size.width, .height = size.height, .scene = 1};
            decision->kind = action == SETTLE_WINDOW_REBUILD ? SETTLE_REBUILD : SETTLE_PREVIEW;
            decision->prepared = action == SETTLE_WINDOW_REBUILD && settle_window_is_prepared(window);
            decision->feedback = action == SETTLE_WINDOW_REBUILD && settle_window_is_feedback(window);
            continue;
        }
        uint64_t wait_ns = settle_window_timeout_ns(window, now_ns);
        if (wait_ns == SETTLE_NEVER || wait_ns > until_ns - now_ns) return until_ns;
        now_ns += wait_ns;
    }
}

static void play_window(const case_run *run, case_list *list) {
    settle_window window;
    uint64_t now_ns = 0;
    list->count = 0;
    if (settle_window_init(&window, &run->policy) != SETTLE_OK) return;
    for (size_t i = 0; i < run->count; i++) {
        const case_step *step = &run->steps[i];
        const settle_event *event = &step->event;
        if (step->kind == CASE_LOOK) continue;
        if (step->kind == CASE_FINISH) {
            poll_window(&window, now_ns, INT64_MAX, list);
            continue;
        }
        if (step->kind == CASE_EVENT && settle_event_rejection(event) != SETTLE_NOT_REJECTED) continue;
        if (step->kind == CASE_ADVANCE && event->at_ns < now_ns) continue;
        now_ns = poll_window(&window, now_ns, event->at_ns > now_ns ? event->at_ns : now_ns, list);
        if (step->kind == CASE_ADVANCE) continue;
        enum settle_drag drag = !(event->flags & SETTLE_RESIZING_KNOWN) ? SETTLE_DRAG_UNKNOWN
                                : event->flags & SETTLE_RESIZING        ? SETTLE_DRAG_YES
                                                                        : SETTLE_DRAG_NO;
        switch (event->kind) {
        case SETTLE_POINTER: settle_window_button(&window, now_ns, event->button, event->flags & SETTLE_PRESSED); break;
        case SETTLE_FLUSH:
            settle_window_flush(&window, now_ns);
            poll_window(&window, now_ns, now_ns, list);
            break;
        case SETTLE_REALLY_BUILT: settle_window_really_built(&window, now_ns, event->width, event->height); break;
        case SETTLE_FINISHED: settle_window_finished(&window, now_ns, event->cost_ns); break;
        case SETTLE_PREVIEWED:
            settle_window_previewed(&window, now_ns, event->cost_ns, !(event->flags & SETTLE_GIVEN_UP));
            break;
        default: settle_window_resize(&window, now_ns, event->width, event->height, drag);
        }
    }
}

bool case_check_ways(const case_run *run, const case_decisions *expected, unsigned *ways) {
    static const struct {
        const char *name;
        uint32_t decisions_max;
    } batches[] = {{"in batches", CASE_DECISIONS_MAX}, {"in batches, with room for one decision", 1}};
    static case_list actual, part;
    case_clear();
    for (size_t i = 0; i < 2; i++, ++*ways) {
        case_play_batches(run, &actual, batches[i].decisions_max);
        if (!same_decisions(run, batches[i].name, expected, &actual)) return false;
    }
    if (!fits_window(run)) return true;
    ++*ways;
    play_window(run, &actual);
    /* Rebuilds and previews, with what a window states of them. */
    part.count = 0;
    for (size_t i = 0; i < expected->count; i++) {
        const settle_decision *from = &expected->decisions[i];
        if (from->kind != SETTLE_REBUILD && from->kind != SETTLE_PREVIEW) continue;
        part.decisions[part.count++] = (settle_decision){.at_ns = from->at_ns,
                                                         .width = from->width,
                                                         .height = from->height,
                                                         .scene = 1,
                                                         .kind = from->kind,
                                                         .prepared = from->prepared};
        if (!from->follows_interaction) part.decisions[part.count - 1].feedback = from->feedback;
    }
    return same_decisions(run, "by settle_window", &(case_decisions){part.count, part.decisions}, &actual);
}
