/* What a press of the pointer does to the window. */
#ifndef WAYLAND_POINTER_H
#define WAYLAND_POINTER_H

#include "wayland_cursor.h"
#include "wayland_events.h"
#include "wayland_protocol.h"

/* What a press resizes, moves or closes. */
typedef struct wayland_toplevel {
    struct xdg_toplevel *xdg;
    int width, height; /* as the compositor counts, in pixels of a screen with the scale 1 */
    bool fills_screen;
} wayland_toplevel;

typedef struct wayland_pointer {
    const wayland_toplevel *window;
    wayland_events *events;     /* which get the window's close */
    struct wl_seat *seat;       /* null: the compositor has no pointer */
    struct wl_pointer *pointer; /* null while there is none */
    wayland_cursor *cursor;     /* null: the compositor's own remains */
    int x_px, y_px;
    uint32_t enter_serial;
} wayland_pointer;

/* Follows the pointer of the seat, if there is one. */
void wayland_pointer_follow(wayland_pointer *self, struct wl_compositor *compositor, struct wl_shm *shm);

/* Leaves the seat to its owner. */
void wayland_pointer_release(wayland_pointer *self);

#endif
