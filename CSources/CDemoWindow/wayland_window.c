/* The window under Wayland: xdg-shell's toplevel with pixels in shared memory. Nobody draws its
 * frame, so the pointer's place decides what a press does: resize at the edges, move or close in
 * the title strip. */
#define _GNU_SOURCE
#include "window_backend.h"
#include "window_message.h"

#if __has_include(<wayland-client-protocol.h>) && !defined(DEMO_WINDOW_WITHOUT_WAYLAND)

#include "wayland_buffer.h"
#include "wayland_pointer.h"

#include <errno.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
    struct wl_surface *surface;
    struct xdg_surface *xdg_surface;
    wayland_toplevel toplevel;
    struct wl_callback *frame; /* the compositor has not shown the last picture */
    wayland_buffers buffers;
    wayland_buffer *begun;
    wayland_events events;
    wayland_pointer pointer;
    wayland_output outputs[WAYLAND_OUTPUTS_MAX];
    int scale; /* of the screens where the window is; base.scale follows when it is reported */
    bool resizing;
    uint32_t configure_serial;
    bool must_acknowledge;
} wayland_window;

static void toplevel_configure(void *data, struct xdg_toplevel *toplevel, int32_t width, int32_t height,
                               struct wl_array *states) {
    (void)toplevel;
    wayland_window *self = data;
    /* Zero leaves the size to the program. */
    if (width > 0) self->toplevel.width = width;
    if (height > 0) self->toplevel.height = height;
    self->resizing = false;
    self->toplevel.fills_screen = false;
    const uint32_t *state;
    wl_array_for_each(state, states) {
        if (*state == XDG_TOPLEVEL_STATE_RESIZING) self->resizing = true;
        if (*state == XDG_TOPLEVEL_STATE_MAXIMIZED || *state == XDG_TOPLEVEL_STATE_FULLSCREEN)
            self->toplevel.fills_screen = true;
    }
}

static void toplevel_close(void *data, struct xdg_toplevel *toplevel) {
    (void)toplevel;
    wayland_window *self = data;
    wayland_events_push(&self->events, (demo_window_event){.kind = DEMO_WINDOW_CLOSE});
}

static const struct xdg_toplevel_listener toplevel_listener = {toplevel_configure, toplevel_close};

static void push_size(wayland_window *self) {
    wayland_events_push(&self->events, (demo_window_event){.kind = DEMO_WINDOW_SIZE,
                                                           .width_px = self->toplevel.width * self->scale,
                                                           .height_px = self->toplevel.height * self->scale,
                                                           .scale = self->scale,
                                                           .resizing = self->resizing});
}

static void surface_configure(void *data, struct xdg_surface *surface, uint32_t serial) {
    (void)surface;
    wayland_window *self = data;
    self->configure_serial = serial;
    self->must_acknowledge = true;
    push_size(self);
}

static const struct xdg_surface_listener surface_listener = {surface_configure};

static void base_ping(void *data, struct xdg_wm_base *base, uint32_t serial) {
    (void)data;
    xdg_send(base, XDG_WM_BASE_PONG, serial);
}

static const struct xdg_wm_base_listener base_listener = {base_ping};

/* The scale is the largest of the screens where the window is, before it is shown of all. A compositor with a scale
 * between two states the larger one, and shows the picture smaller. */
static void update_scale(wayland_window *self) {
    int there = 0, anywhere = 1;
    for (int i = 0; i < WAYLAND_OUTPUTS_MAX; i++) {
        const wayland_output *output = &self->outputs[i];
        if (!output->output) continue;
        if (output->scale > anywhere) anywhere = output->scale;
        if (output->has_window && output->scale > there) there = output->scale;
    }
    int scale = there ? there : anywhere;
    if (scale == self->scale) return;
    self->scale = scale;
    /* The first size comes with the first configure event. */
    if (self->configure_serial) push_size(self);
}

static wayland_output *output_of(wayland_window *self, const struct wl_output *output) {
    for (int i = 0; i < WAYLAND_OUTPUTS_MAX; i++) {
        if (self->outputs[i].output == output) return &self->outputs[i];
    }
    return NULL;
}

static void output_geometry(void *data, struct wl_output *output, int32_t x, int32_t y, int32_t width_mm,
                            int32_t height_mm, int32_t subpixel, const char *make, const char *model,
                            int32_t transform) {
    (void)data, (void)output, (void)x, (void)y, (void)width_mm, (void)height_mm, (void)subpixel, (void)make;
    (void)model, (void)transform;
}

static void output_mode(void *data, struct wl_output *output, uint32_t flags, int32_t width, int32_t height,
                        int32_t refresh) {
    (void)data, (void)output, (void)flags, (void)width, (void)height, (void)refresh;
}

static void output_done(void *data, struct wl_output *output) {
    (void)output;
    update_scale(data);
}

static void output_scale(void *data, struct wl_output *output, int32_t scale) {
    wayland_output *known = output_of(data, output);
    if (known && scale > 0) known->scale = scale;
}

static const struct wl_output_listener output_listener = {
    .geometry = output_geometry, .mode = output_mode, .done = output_done, .scale = output_scale};

static void surface_moved(wayland_window *self, struct wl_output *output, bool has_window) {
    wayland_output *known = output ? output_of(self, output) : NULL;
    if (known) known->has_window = has_window;
    update_scale(self);
}

static void surface_enter(void *data, struct wl_surface *surface, struct wl_output *output) {
    (void)surface;
    surface_moved(data, output, true);
}

static void surface_leave(void *data, struct wl_surface *surface, struct wl_output *output) {
    (void)surface;
    surface_moved(data, output, false);
}

static const struct wl_surface_listener window_listener = {.enter = surface_enter, .leave = surface_leave};

static void add_output(wayland_window *self, struct wl_registry *registry, uint32_t name) {
    wayland_output *known = output_of(self, NULL);
    if (!known) return;
    *known = (wayland_output){wl_registry_bind(registry, name, &wl_output_interface, 2), name, 1, false};
    if (known->output) wl_output_add_listener(known->output, &output_listener, self);
}

static void registry_global(void *data, struct wl_registry *registry, uint32_t name, const char *interface,
                            uint32_t version) {
    wayland_window *self = data;
    if (!strcmp(interface, wl_compositor_interface.name) && version >= 4) {
        self->compositor = wl_registry_bind(registry, name, &wl_compositor_interface, 4);
    } else if (!strcmp(interface, wl_shm_interface.name)) {
        self->shm = wl_registry_bind(registry, name, &wl_shm_interface, 1);
    } else if (!strcmp(interface, xdg_wm_base_interface.name)) {
        self->base_global = wl_registry_bind(registry, name, &xdg_wm_base_interface, 1);
    } else if (!strcmp(interface, wl_output_interface.name) && version >= 2) {
        add_output(self, registry, name);
    } else if (!strcmp(interface, wl_seat_interface.name) && !self->pointer.seat) {
        /* Of several seats the first has the pointer that resizes. */
        self->pointer.seat = wl_registry_bind(registry, name, &wl_seat_interface, 1);
    }
}

static void registry_remove(void *data, struct wl_registry *registry, uint32_t name) {
    (void)registry;
    wayland_window *self = data;
    for (int i = 0; i < WAYLAND_OUTPUTS_MAX; i++) {
        wayland_output *output = &self->outputs[i];
        if (!output->output || output->name != name) continue;
        wl_output_destroy(output->output);
        output->output = NULL;
        update_scale(self);
    }
}

static const struct wl_registry_listener registry_listener = {registry_global, registry_remove};

static void frame_done(void *data, struct wl_callback *callback, uint32_t time) {
    (void)time;
    wayland_window *self = data;
    wl_callback_destroy(callback);
    self->frame = NULL;
}

static const struct wl_callback_listener frame_listener = {frame_done};

static int connection_lost(wayland_window *self) {
    int error = wl_display_get_error(self->display);
    if (!error) error = errno;
    if (error != EPROTO) {
        return window_failure(self->base.message, "Wayland: the compositor closed the connection (%s)",
                              strerror(error));
    }
    const struct wl_interface *interface = NULL;
    uint32_t id = 0;
    uint32_t code = wl_display_get_protocol_error(self->display, &interface, &id);
    return window_failure(self->base.message, "Wayland: the compositor refused a request to %s@%u (error %u)",
                          interface ? interface->name : "an object", id, code);
}

/* Reads what has arrived, without waiting. */
static int read_events(wayland_window *self) {
    while (wl_display_prepare_read(self->display)) {
        if (wl_display_dispatch_pending(self->display) < 0) return connection_lost(self);
        if (self->events.count) return 0;
    }
    /* What does not fit is sent with a later call. */
    if (wl_display_flush(self->display) < 0 && errno != EAGAIN) {
        wl_display_cancel_read(self->display);
        return connection_lost(self);
    }
    struct pollfd poller = {.fd = self->base.descriptor, .events = POLLIN};
    if (poll(&poller, 1, 0) <= 0) {
        wl_display_cancel_read(self->display);
        return 0;
    }
    if (wl_display_read_events(self->display) < 0 || wl_display_dispatch_pending(self->display) < 0) {
        return connection_lost(self);
    }
    return 0;
}

static int wayland_next(demo_window *base, demo_window_event *event) {
    wayland_window *self = (wayland_window *)base;
    if (!self->events.count && read_events(self)) return -1;
    if (!wayland_events_take(&self->events, event)) return 0;
    if (event->kind == DEMO_WINDOW_SIZE) base->scale = event->scale;
    return 1;
}

static int wayland_begin(demo_window *base, int width_px, int height_px, uint32_t **pixels) {
    wayland_window *self = (wayland_window *)base;
    if (self->frame) return 0;
    int outcome = wayland_buffers_take(&self->buffers, self->shm, width_px, height_px, &self->begun, base->message);
    if (outcome == 1) *pixels = self->begun->pixels;
    return outcome;
}

static void wayland_present(demo_window *base) {
    wayland_window *self = (wayland_window *)base;
    if (self->must_acknowledge) xdg_send(self->xdg_surface, XDG_SURFACE_ACK_CONFIGURE, self->configure_serial);
    self->must_acknowledge = false;
    self->begun->is_busy = true;
    self->frame = wl_surface_frame(self->surface);
    wl_callback_add_listener(self->frame, &frame_listener, self);
    wl_surface_set_buffer_scale(self->surface, (int)base->scale);
    wl_surface_attach(self->surface, self->begun->buffer, 0, 0);
    wl_surface_damage_buffer(self->surface, 0, 0, self->begun->width_px, self->begun->height_px);
    wl_surface_commit(self->surface);
    wl_display_flush(self->display);
}

/* Ending the connection ends every object of it at the compositor; here they are freed first. */
static void wayland_close(demo_window *base) {
    wayland_window *self = (wayland_window *)base;
    wayland_pointer_release(&self->pointer);
    wayland_buffers_release(&self->buffers);
    if (self->frame) wl_callback_destroy(self->frame);
    if (self->toplevel.xdg) xdg_destroy(self->toplevel.xdg);
    if (self->xdg_surface) xdg_destroy(self->xdg_surface);
    if (self->surface) wl_surface_destroy(self->surface);
    for (int i = 0; i < WAYLAND_OUTPUTS_MAX; i++) {
        if (self->outputs[i].output) wl_output_destroy(self->outputs[i].output);
    }
    if (self->pointer.seat) wl_seat_destroy(self->pointer.seat);
    if (self->base_global) xdg_destroy(self->base_global);
    if (self->shm) wl_shm_destroy(self->shm);
    if (self->compositor) wl_compositor_destroy(self->compositor);
    if (self->registry) wl_registry_destroy(self->registry);
    wl_display_disconnect(self->display);
    free(self);
}

static const window_backend wayland_backend = {wayland_close, wayland_next, wayland_begin, wayland_present};

static int find_globals(wayland_window *self) {
    self->registry = wl_display_get_registry(self->display);
    wl_registry_add_listener(self->registry, &registry_listener, self);
    if (wl_display_roundtrip(self->display) < 0) return connection_lost(self);
    const char *missing = !self->compositor    ? "wl_compositor version 4"
                          : !self->shm         ? "wl_shm"
                          : !self->base_global ? "xdg_wm_base"
                                               : NULL;
    if (!missing) return 0;
    return window_failure(self->base.message, "Wayland: the compositor has no %s, which this program needs", missing);
}

static int make_toplevel(wayland_window *self, const demo_window_options *options) {
    xdg_listen(self->base_global, &base_listener, self);
    self->surface = wl_compositor_create_surface(self->compositor);
    wl_surface_add_listener(self->surface, &window_listener, self);
    self->xdg_surface = xdg_wm_base_get_xdg_surface(self->base_global, self->surface);
    xdg_listen(self->xdg_surface, &surface_listener, self);
    self->toplevel.xdg = xdg_surface_get_toplevel(self->xdg_surface);
    xdg_listen(self->toplevel.xdg, &toplevel_listener, self);
    xdg_send(self->toplevel.xdg, XDG_TOPLEVEL_SET_TITLE, options->title);
    xdg_send(self->toplevel.xdg, XDG_TOPLEVEL_SET_APP_ID, "settle-demo");
    xdg_send(self->toplevel.xdg, XDG_TOPLEVEL_SET_MIN_SIZE, options->minimum_width, options->minimum_height);
    wayland_pointer_follow(&self->pointer, self->compositor, self->shm);
    wl_surface_commit(self->surface);
    /* The screens, bound before, state their scales before the first size comes. */
    while (!self->must_acknowledge) {
        if (wl_display_roundtrip(self->display) < 0) return connection_lost(self);
    }
    return 0;
}

/* The library's own messages, such as one about a missing XDG_RUNTIME_DIR. */
static char logged[128];

static void keep_log(const char *format, va_list values) {
    vsnprintf(logged, sizeof logged, format, values);
    size_t length = strlen(logged);
    if (length && logged[length - 1] == '\n') logged[length - 1] = 0;
}

int wayland_window_open(const demo_window_options *options, demo_window **window, char *message) {
    if (wayland_library_load(message)) return -1;
    /* They become part of this program's message instead of lines on standard error. */
    wl_log_set_handler_client(keep_log);
    logged[0] = 0;
    struct wl_display *display = wl_display_connect(NULL);
    if (!display) {
        const char *name = getenv("WAYLAND_DISPLAY");
        return window_failure(message, "Wayland: no compositor answers at the display %.64s (%s)",
                              name ? name : "wayland-0", *logged ? logged : strerror(errno));
    }
    wayland_window *self = calloc(1, sizeof *self);
    if (!self) {
        wl_display_disconnect(display);
        return window_failure(message, "no memory");
    }
    self->base = (demo_window){.backend = &wayland_backend,
                               .descriptor = wl_display_get_fd(display),
                               .reports_resizing = true,
                               .draws_frame = true,
                               .scale = 1};
    self->display = display;
    self->toplevel.width = options->width;
    self->toplevel.height = options->height;
    self->pointer.window = &self->toplevel;
    self->pointer.events = &self->events;
    self->scale = 1;
    if (find_globals(self) || make_toplevel(self, options)) {
        memcpy(message, self->base.message, DEMO_WINDOW_MESSAGE_MAX);
        wayland_close(&self->base);
        return -1;
    }
    *window = &self->base;
    return 0;
}

#else

int wayland_window_open(const demo_window_options *options, demo_window **window, char *message) {
    (void)options, (void)window;
    return window_failure(message, "Wayland: built without it; install Debian's libwayland-dev, then rebuild from "
                                   "scratch: swift package clean");
}

#endif
