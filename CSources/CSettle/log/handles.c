/* Which scene an event of a log belongs to, on its way to a core: the log rule. */
#include "settle_log.h"

#include <string.h>

/* What follows the size in an event: name, kind and flags. */
static inline uint64_t tail_of(const settle_log_event *event) {
    uint64_t tail;
    memcpy(&tail, &event->name, sizeof tail);
    return tail;
}

_Static_assert(offsetof(settle_log_event, name) + sizeof(uint64_t) == sizeof(settle_log_event),
               "name, kind and flags are the last 8 bytes");

static inline void count_time(settle_log_counts *counts, uint64_t at_ns) {
    if (at_ns < counts->first_ns) counts->first_ns = at_ns;
    if (at_ns > counts->last_ns) counts->last_ns = at_ns;
}

bool settle_log_applies(const settle_log_event *event, bool *connected) {
    if (settle_event_rejection(event) != SETTLE_NOT_REJECTED) return false;
    if ((event->kind == SETTLE_DISCONNECT || settle_event_is_report(event->kind)) && !*connected) return false;
    *connected = event->kind != SETTLE_DISCONNECT;
    return true;
}

size_t settle_log_bind(settle_log_event *events, size_t count, const settle_log_scene *scenes, size_t names,
                       settle_log_counts *counts) {
    settle_log_counts sums = *counts; /* in registers */
    settle_log_event *event = events, *end = events + count;
    while (event < end) {
        if (event->kind == SETTLE_POINTER) {
            sums.pointers++;
            count_time(&sums, event++->at_ns);
            continue;
        }
        const settle_scene handle = event->name < names ? scenes[event->name].handle : 0;
        if (handle == 0 || event->kind == SETTLE_DISCONNECT) break;
        /* Events come in runs of one scene. */
        const uint64_t tail = tail_of(event);
        do {
            event->name = handle;
            count_time(&sums, event++->at_ns);
        } while (event < end && tail_of(event) == tail);
    }
    sums.events += (size_t)(event - events);
    *counts = sums;
    return (size_t)(event - events);
}
