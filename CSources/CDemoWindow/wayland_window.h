/* The window under Wayland, for its own files. */
#ifndef WAYLAND_WINDOW_H
#define WAYLAND_WINDOW_H

#include "wayland_buffer.h"
#include "wayland_protocol.h"
#include "window_backend.h"

/* libwayland reads at most 4 KiB at a time, of messages that have 8 bytes or more. */
enum { WAYLAND_EVENTS_MAX = 1024 };

typedef struct wayland_cursor wayland_cursor;

/* A screen; of more than so many the further ones do not count. */
typedef struct wayland_output {
    struct wl_output *output; /* null: none here */
    uint32_t name;
    int scale;
    bool has_window; /* the window, or a part of it, is there */
} wayland_output;
enum { WAYLAND_OUTPUTS_MAX = 16 };

typedef struct wayland_window {
    demo_window base;
    struct wl_display *display;
    struct wl_registry *registry;
    struct wl_compositor *compositor;
    struct wl_shm *shm;
    struct xdg_wm_base *base_global;
    struct wl_seat *seat;       /* null: the compositor has no pointer */
    struct wl_pointer *pointer; /* null while there is none */
    struct wl_surface *surface;
    struct xdg_surface *xdg_surface;
    struct xdg_toplevel *toplevel;
    struct wl_callback *frame; /* the compositor has not shown the last picture */
    wayland_cursor *cursor;    /* null: the compositor's own remains */
    wayland_buffers buffers;
    wayland_buffer *begun;
    demo_window_event events[WAYLAND_EVENTS_MAX];
    int event_first, event_count;
    int width, height; /* as the compositor counts, in pixels of a screen with the scale 1 */
    wayland_output outputs[WAYLAND_OUTPUTS_MAX];
    int scale; /* of the screens where the window is; base.scale follows when it is reported */
    bool resizing, fills_screen;
    uint32_t configure_serial;
    bool must_acknowledge;
    int pointer_x_px, pointer_y_px;
    uint32_t enter_serial;
} wayland_window;

/* Appends the event of a person who closes the window. */
void wayland_window_push_close(wayland_window *self);

#endif
