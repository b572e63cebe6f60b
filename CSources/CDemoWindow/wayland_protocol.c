#if __has_include(<wayland-client-protocol.h>) && !defined(DEMO_WINDOW_WITHOUT_WAYLAND)

#include "wayland_protocol.h"

/* Every message in the order of its opcode, up to the last one that is used, with its signature: see
 * struct wl_message. Only a message whose object has the interface that its type names would be
 * checked for it; these have none. */
static const struct wl_interface *types[8];

#define INTERFACE(name, version)                                                                                       \
    const struct wl_interface name##_interface = {#name,                                                               \
                                                  version,                                                             \
                                                  sizeof name##_requests / sizeof *name##_requests,                    \
                                                  name##_requests,                                                     \
                                                  sizeof name##_events / sizeof *name##_events,                        \
                                                  name##_events}

static const struct wl_message wl_registry_requests[] = {{"bind", "usun", types}};
static const struct wl_message wl_registry_events[] = {{"global", "usu", types}, {"global_remove", "u", types}};
INTERFACE(wl_registry, 1);

static const struct wl_message wl_callback_events[] = {{"done", "u", types}};
const struct wl_interface wl_callback_interface = {"wl_callback", 1, 0, NULL, 1, wl_callback_events};

static const struct wl_message wl_compositor_requests[] = {{"create_surface", "n", types}};
const struct wl_interface wl_compositor_interface = {"wl_compositor", 4, 1, wl_compositor_requests, 0, NULL};

static const struct wl_message wl_shm_requests[] = {{"create_pool", "nhi", types}};
static const struct wl_message wl_shm_events[] = {{"format", "u", types}};
INTERFACE(wl_shm, 1);

static const struct wl_message wl_shm_pool_requests[] = {{"create_buffer", "niiiiu", types}, {"destroy", "", types}};
const struct wl_interface wl_shm_pool_interface = {"wl_shm_pool", 1, 2, wl_shm_pool_requests, 0, NULL};

static const struct wl_message wl_buffer_requests[] = {{"destroy", "", types}};
static const struct wl_message wl_buffer_events[] = {{"release", "", types}};
INTERFACE(wl_buffer, 1);

static const struct wl_message wl_surface_requests[] = {
    {"destroy", "", types},
    {"attach", "?oii", types},
    {"damage", "iiii", types},
    {"frame", "n", types},
    {"set_opaque_region", "?o", types},
    {"set_input_region", "?o", types},
    {"commit", "", types},
    {"set_buffer_transform", "2i", types},
    {"set_buffer_scale", "3i", types},
    {"damage_buffer", "4iiii", types},
};
static const struct wl_message wl_surface_events[] = {{"enter", "o", types}, {"leave", "o", types}};
INTERFACE(wl_surface, 4);

static const struct wl_message wl_output_events[] = {
    {"geometry", "iiiiissi", types}, {"mode", "uiii", types}, {"done", "2", types}, {"scale", "2i", types}};
const struct wl_interface wl_output_interface = {"wl_output", 2, 0, NULL, 4, wl_output_events};

static const struct wl_message wl_seat_requests[] = {{"get_pointer", "n", types}};
static const struct wl_message wl_seat_events[] = {{"capabilities", "u", types}};
INTERFACE(wl_seat, 1);

static const struct wl_message wl_pointer_requests[] = {{"set_cursor", "u?oii", types}};
static const struct wl_message wl_pointer_events[] = {
    {"enter", "uoff", types},  {"leave", "uo", types}, {"motion", "uff", types},
    {"button", "uuuu", types}, {"axis", "uuf", types},
};
INTERFACE(wl_pointer, 1);

static const struct wl_message xdg_wm_base_requests[] = {
    {"destroy", "", types},
    {"create_positioner", "n", types},
    {"get_xdg_surface", "no", types},
    {"pong", "u", types},
};
static const struct wl_message xdg_wm_base_events[] = {{"ping", "u", types}};
INTERFACE(xdg_wm_base, 1);

static const struct wl_message xdg_surface_requests[] = {
    {"destroy", "", types},        {"get_toplevel", "n", types},
    {"get_popup", "n?oo", types},  {"set_window_geometry", "iiii", types},
    {"ack_configure", "u", types},
};
static const struct wl_message xdg_surface_events[] = {{"configure", "u", types}};
INTERFACE(xdg_surface, 1);

static const struct wl_message xdg_toplevel_requests[] = {
    {"destroy", "", types},     {"set_parent", "?o", types},         {"set_title", "s", types},
    {"set_app_id", "s", types}, {"show_window_menu", "ouii", types}, {"move", "ou", types},
    {"resize", "ouu", types},   {"set_max_size", "ii", types},       {"set_min_size", "ii", types},
};
static const struct wl_message xdg_toplevel_events[] = {{"configure", "iia", types}, {"close", "", types}};
INTERFACE(xdg_toplevel, 1);

#else

typedef int wayland_protocol_is_absent;

#endif
