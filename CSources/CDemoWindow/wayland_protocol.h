/* The part of Wayland's protocols that this window uses. The core protocol's functions are those of
 * libwayland-dev's header; xdg-shell has no header there. scripts/checks/protocols compares the
 * interfaces and opcodes with the protocols' own files. */
#ifndef WAYLAND_PROTOCOL_H
#define WAYLAND_PROTOCOL_H

#include "wayland_library.h"

#include <wayland-client-protocol.h>

struct xdg_wm_base;
struct xdg_surface;
struct xdg_toplevel;

extern const struct wl_interface xdg_wm_base_interface, xdg_surface_interface, xdg_toplevel_interface;

enum {
    XDG_TOPLEVEL_STATE_MAXIMIZED = 1,
    XDG_TOPLEVEL_STATE_FULLSCREEN = 2,
    XDG_TOPLEVEL_STATE_RESIZING = 3,
};

/* The edges add up to corners. */
enum {
    XDG_TOPLEVEL_RESIZE_EDGE_NONE = 0,
    XDG_TOPLEVEL_RESIZE_EDGE_TOP = 1,
    XDG_TOPLEVEL_RESIZE_EDGE_BOTTOM = 2,
    XDG_TOPLEVEL_RESIZE_EDGE_LEFT = 4,
    XDG_TOPLEVEL_RESIZE_EDGE_TOP_LEFT = 5,
    XDG_TOPLEVEL_RESIZE_EDGE_BOTTOM_LEFT = 6,
    XDG_TOPLEVEL_RESIZE_EDGE_RIGHT = 8,
    XDG_TOPLEVEL_RESIZE_EDGE_TOP_RIGHT = 9,
    XDG_TOPLEVEL_RESIZE_EDGE_BOTTOM_RIGHT = 10,
};

/* The requests' opcodes. */
enum {
    XDG_WM_BASE_DESTROY = 0,
    XDG_WM_BASE_GET_XDG_SURFACE = 2,
    XDG_WM_BASE_PONG = 3,
    XDG_SURFACE_DESTROY = 0,
    XDG_SURFACE_GET_TOPLEVEL = 1,
    XDG_SURFACE_ACK_CONFIGURE = 4,
    XDG_TOPLEVEL_DESTROY = 0,
    XDG_TOPLEVEL_SET_TITLE = 2,
    XDG_TOPLEVEL_SET_APP_ID = 3,
    XDG_TOPLEVEL_MOVE = 5,
    XDG_TOPLEVEL_RESIZE = 6,
    XDG_TOPLEVEL_SET_MIN_SIZE = 8,
};

struct xdg_wm_base_listener {
    void (*ping)(void *data, struct xdg_wm_base *base, uint32_t serial);
};

struct xdg_surface_listener {
    void (*configure)(void *data, struct xdg_surface *surface, uint32_t serial);
};

/* Of version 1, which the window binds. */
struct xdg_toplevel_listener {
    void (*configure)(void *data, struct xdg_toplevel *toplevel, int32_t width, int32_t height,
                      struct wl_array *states);
    void (*close)(void *data, struct xdg_toplevel *toplevel);
};

/* Sends a request that creates no object. */
#define xdg_send(object, opcode, ...)                                                                                  \
    wl_proxy_marshal_flags((struct wl_proxy *)(object), opcode, NULL,                                                  \
                           wl_proxy_get_version((struct wl_proxy *)(object)), 0, __VA_ARGS__)
/* Sends the request that destroys an object, the first one of each interface, and frees it. */
#define xdg_destroy(object)                                                                                            \
    wl_proxy_marshal_flags((struct wl_proxy *)(object), 0, NULL, wl_proxy_get_version((struct wl_proxy *)(object)),    \
                           WL_MARSHAL_FLAG_DESTROY)
#define xdg_listen(object, listener, data)                                                                             \
    wl_proxy_add_listener((struct wl_proxy *)(object), (void (**)(void))(uintptr_t)(listener), data)

static inline struct xdg_surface *xdg_wm_base_get_xdg_surface(struct xdg_wm_base *base, struct wl_surface *surface) {
    struct wl_proxy *proxy = (struct wl_proxy *)base;
    return (struct xdg_surface *)wl_proxy_marshal_flags(proxy, XDG_WM_BASE_GET_XDG_SURFACE, &xdg_surface_interface,
                                                        wl_proxy_get_version(proxy), 0, NULL, surface);
}

static inline struct xdg_toplevel *xdg_surface_get_toplevel(struct xdg_surface *surface) {
    struct wl_proxy *proxy = (struct wl_proxy *)surface;
    return (struct xdg_toplevel *)wl_proxy_marshal_flags(proxy, XDG_SURFACE_GET_TOPLEVEL, &xdg_toplevel_interface,
                                                         wl_proxy_get_version(proxy), 0, NULL);
}

#endif
