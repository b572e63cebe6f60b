#include "wayland_events.h"

void wayland_events_push(wayland_events *self, demo_window_event event) {
    if (self->count == WAYLAND_EVENTS_MAX) {
        /* More than one read of the connection brings; the newest size replaces the one before. */
        self->count--;
    }
    self->all[(self->first + self->count++) % WAYLAND_EVENTS_MAX] = event;
}

bool wayland_events_take(wayland_events *self, demo_window_event *event) {
    if (!self->count) return false;
    *event = self->all[self->first];
    self->first = (self->first + 1) % WAYLAND_EVENTS_MAX;
    self->count--;
    return true;
}
