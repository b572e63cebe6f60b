/* What has happened to the window and was not taken yet, in its order. */
#ifndef WAYLAND_EVENTS_H
#define WAYLAND_EVENTS_H

#include "demo_window.h"

/* libwayland reads at most 4 KiB at a time, of messages that have 8 bytes or more. */
enum { WAYLAND_EVENTS_MAX = 1024 };

typedef struct wayland_events {
    demo_window_event all[WAYLAND_EVENTS_MAX];
    int first, count;
} wayland_events;

void wayland_events_push(wayland_events *self, demo_window_event event);

/* Returns whether there was one. */
bool wayland_events_take(wayland_events *self, demo_window_event *event);

#endif
