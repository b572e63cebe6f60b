/* Wayland: xdg-shell's state `resizing` is the exact end of a drag. In the listeners of a client of its own:
 *
 *     // xdg_toplevel.configure
 *     settle_wayland_configure(&configure, width, height, states);
 *     // xdg_surface.configure, after xdg_surface_ack_configure
 *     settle_wayland_apply(&configure, &window, now_ns, own_width, own_height);
 *
 * and settle_window_timeout_ns beside the connection's descriptor in poll(2). Sizes are those of the window geometry.
 * Debian: libwayland-dev, wayland-protocols; wayland-scanner makes xdg-shell-client-protocol.h. If your build gives it
 * another name than those below, include it before this file. */
#ifndef SETTLE_WAYLAND_H
#define SETTLE_WAYLAND_H

#include "settle.h"

/* What meson's examples name it, what CMake's ECM does, and what else is common. */
#ifndef XDG_SHELL_CLIENT_PROTOCOL_H
#if !defined(__has_include)
#include "xdg-shell-client-protocol.h"
#elif __has_include("wayland-xdg-shell-client-protocol.h")
#include "wayland-xdg-shell-client-protocol.h"
#elif __has_include("xdg-shell-protocol.h")
#include "xdg-shell-protocol.h"
#else
#include "xdg-shell-client-protocol.h"
#endif
#endif

/* What the last xdg_toplevel.configure said. */
typedef struct settle_wayland {
    int32_t width, height; /* 0: the client chooses */
    bool is_resizing;
} settle_wayland;

static inline void settle_wayland_configure(settle_wayland *configure, int32_t width, int32_t height,
                                            const struct wl_array *states) {
    const uint32_t *state = (const uint32_t *)states->data;
    size_t i;
    configure->width = width;
    configure->height = height;
    configure->is_resizing = false;
    for (i = 0; i < states->size / sizeof *state; i++)
        if (state[i] == XDG_TOPLEVEL_STATE_RESIZING) configure->is_resizing = true;
}

/* Gives the window what was said; the size of the client's choice where it chooses. SETTLE_INVALID as for
 * settle_window_resize. */
static inline int settle_wayland_apply(const settle_wayland *configure, settle_window *window, uint64_t now_ns,
                                       int32_t own_width, int32_t own_height) {
    return settle_window_resize(window, now_ns, configure->width > 0 ? configure->width : own_width,
                                configure->height > 0 ? configure->height : own_height,
                                configure->is_resizing ? SETTLE_DRAG_YES : SETTLE_DRAG_NO);
}

#endif
