/* libwayland-client, loaded when a window opens. libwayland-dev's header of the core protocol calls
 * its functions by their names; macros lead these calls to the loaded library. Include this, or
 * wayland_protocol.h, instead of any header of Wayland. */
#ifndef WAYLAND_LIBRARY_H
#define WAYLAND_LIBRARY_H

#include <wayland-client-core.h>
#include <wayland-util.h>

/* Every function of the library that is used here or by the header of the core protocol. */
/* clang-format off */
#define WAYLAND_FUNCTIONS(X)                                                                                           \
    X(wl_proxy_add_listener) X(wl_proxy_destroy) X(wl_proxy_get_user_data) X(wl_proxy_set_user_data)                   \
    X(wl_proxy_get_version) X(wl_proxy_marshal_flags) X(wl_display_connect) X(wl_display_disconnect)                   \
    X(wl_display_get_fd) X(wl_display_roundtrip) X(wl_display_dispatch_pending) X(wl_display_prepare_read)             \
    X(wl_display_read_events) X(wl_display_cancel_read) X(wl_display_flush) X(wl_display_get_error)                    \
    X(wl_display_get_protocol_error) X(wl_log_set_handler_client)
/* clang-format on */

typedef struct wayland_library {
#define DECLARE(name) __typeof__(name) *name##_;
    WAYLAND_FUNCTIONS(DECLARE)
#undef DECLARE
} wayland_library;

extern wayland_library wayland_loaded;

/* Loads the library. Returns 0, or -1 with a message of at most DEMO_WINDOW_MESSAGE_MAX bytes. */
int wayland_library_load(char *message);

#define wl_proxy_add_listener wayland_loaded.wl_proxy_add_listener_
#define wl_proxy_destroy wayland_loaded.wl_proxy_destroy_
#define wl_proxy_get_user_data wayland_loaded.wl_proxy_get_user_data_
#define wl_proxy_set_user_data wayland_loaded.wl_proxy_set_user_data_
#define wl_proxy_get_version wayland_loaded.wl_proxy_get_version_
#define wl_proxy_marshal_flags wayland_loaded.wl_proxy_marshal_flags_
#define wl_display_connect wayland_loaded.wl_display_connect_
#define wl_display_disconnect wayland_loaded.wl_display_disconnect_
#define wl_display_get_fd wayland_loaded.wl_display_get_fd_
#define wl_display_roundtrip wayland_loaded.wl_display_roundtrip_
#define wl_display_dispatch_pending wayland_loaded.wl_display_dispatch_pending_
#define wl_display_prepare_read wayland_loaded.wl_display_prepare_read_
#define wl_display_read_events wayland_loaded.wl_display_read_events_
#define wl_display_cancel_read wayland_loaded.wl_display_cancel_read_
#define wl_display_flush wayland_loaded.wl_display_flush_
#define wl_display_get_error wayland_loaded.wl_display_get_error_
#define wl_display_get_protocol_error wayland_loaded.wl_display_get_protocol_error_
#define wl_log_set_handler_client wayland_loaded.wl_log_set_handler_client_

#endif
