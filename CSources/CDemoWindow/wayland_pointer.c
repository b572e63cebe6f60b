#if __has_include(<wayland-client-protocol.h>) && !defined(DEMO_WINDOW_WITHOUT_WAYLAND)

#include "wayland_pointer.h"

/* BTN_LEFT of <linux/input-event-codes.h>. */
enum { LEFT_BUTTON = 0x110, EDGE_PX = 8, CORNER_PX = 24 };

/* The edge or corner at the pointer, as a sum of xdg-shell's numbers: 1 top, 2 bottom, 4 left, 8 right. */
static uint32_t edge_at_pointer(const wayland_pointer *self) {
    if (self->window->fills_screen) return XDG_TOPLEVEL_RESIZE_EDGE_NONE;
    int x = self->x_px, y = self->y_px;
    int left = x, right = self->window->width - 1 - x, top = y, bottom = self->window->height - 1 - y;
    if (left >= EDGE_PX && right >= EDGE_PX && top >= EDGE_PX && bottom >= EDGE_PX)
        return XDG_TOPLEVEL_RESIZE_EDGE_NONE;
    uint32_t edge = 0;
    if (top < CORNER_PX && top <= bottom) edge |= XDG_TOPLEVEL_RESIZE_EDGE_TOP;
    else if (bottom < CORNER_PX) edge |= XDG_TOPLEVEL_RESIZE_EDGE_BOTTOM;
    if (left < CORNER_PX && left <= right) edge |= XDG_TOPLEVEL_RESIZE_EDGE_LEFT;
    else if (right < CORNER_PX) edge |= XDG_TOPLEVEL_RESIZE_EDGE_RIGHT;
    return edge;
}

static void show_cursor(wayland_pointer *self) {
    static const char *const names[] = {
        [XDG_TOPLEVEL_RESIZE_EDGE_NONE] = "left_ptr",
        [XDG_TOPLEVEL_RESIZE_EDGE_TOP] = "top_side",
        [XDG_TOPLEVEL_RESIZE_EDGE_BOTTOM] = "bottom_side",
        [XDG_TOPLEVEL_RESIZE_EDGE_LEFT] = "left_side",
        [XDG_TOPLEVEL_RESIZE_EDGE_RIGHT] = "right_side",
        [XDG_TOPLEVEL_RESIZE_EDGE_TOP_LEFT] = "top_left_corner",
        [XDG_TOPLEVEL_RESIZE_EDGE_TOP_RIGHT] = "top_right_corner",
        [XDG_TOPLEVEL_RESIZE_EDGE_BOTTOM_LEFT] = "bottom_left_corner",
        [XDG_TOPLEVEL_RESIZE_EDGE_BOTTOM_RIGHT] = "bottom_right_corner",
    };
    wayland_cursor_show(self->cursor, self->pointer, self->enter_serial, names[edge_at_pointer(self)]);
}

static void place(wayland_pointer *self, wl_fixed_t x, wl_fixed_t y) {
    self->x_px = wl_fixed_to_int(x);
    self->y_px = wl_fixed_to_int(y);
    show_cursor(self);
}

static void pointer_enter(void *data, struct wl_pointer *pointer, uint32_t serial, struct wl_surface *surface,
                          wl_fixed_t x, wl_fixed_t y) {
    (void)pointer, (void)surface;
    wayland_pointer *self = data;
    self->enter_serial = serial;
    wayland_cursor_entered(self->cursor);
    place(self, x, y);
}

static void pointer_leave(void *data, struct wl_pointer *pointer, uint32_t serial, struct wl_surface *surface) {
    (void)data, (void)pointer, (void)serial, (void)surface;
}

static void pointer_motion(void *data, struct wl_pointer *pointer, uint32_t time, wl_fixed_t x, wl_fixed_t y) {
    (void)pointer, (void)time;
    place(data, x, y);
}

static void pointer_button(void *data, struct wl_pointer *pointer, uint32_t serial, uint32_t time, uint32_t button,
                           uint32_t state) {
    (void)pointer, (void)time;
    wayland_pointer *self = data;
    if (button != LEFT_BUTTON || state != WL_POINTER_BUTTON_STATE_PRESSED) return;
    uint32_t edge = edge_at_pointer(self);
    if (edge) {
        xdg_send(self->window->xdg, XDG_TOPLEVEL_RESIZE, self->seat, serial, edge);
    } else if (self->y_px < DEMO_WINDOW_TITLE_PX) {
        if (self->x_px >= self->window->width - DEMO_WINDOW_CLOSE_PX)
            wayland_events_push(self->events, (demo_window_event){.kind = DEMO_WINDOW_CLOSE});
        else xdg_send(self->window->xdg, XDG_TOPLEVEL_MOVE, self->seat, serial);
    }
}

static void pointer_axis(void *data, struct wl_pointer *pointer, uint32_t time, uint32_t axis, wl_fixed_t value) {
    (void)data, (void)pointer, (void)time, (void)axis, (void)value;
}

/* The seat is bound at version 1, whose pointer has no further events. */
static const struct wl_pointer_listener pointer_listener = {
    .enter = pointer_enter,
    .leave = pointer_leave,
    .motion = pointer_motion,
    .button = pointer_button,
    .axis = pointer_axis,
};

static void seat_capabilities(void *data, struct wl_seat *seat, uint32_t capabilities) {
    wayland_pointer *self = data;
    bool has_pointer = capabilities & WL_SEAT_CAPABILITY_POINTER;
    if (has_pointer && !self->pointer) {
        self->pointer = wl_seat_get_pointer(seat);
        wl_pointer_add_listener(self->pointer, &pointer_listener, self);
    } else if (!has_pointer && self->pointer) {
        wl_pointer_destroy(self->pointer);
        self->pointer = NULL;
    }
}

static void seat_name(void *data, struct wl_seat *seat, const char *name) { (void)data, (void)seat, (void)name; }

static const struct wl_seat_listener seat_listener = {seat_capabilities, seat_name};

void wayland_pointer_follow(wayland_pointer *self, struct wl_compositor *compositor, struct wl_shm *shm) {
    if (!self->seat) return;
    self->cursor = wayland_cursor_open(compositor, shm);
    wl_seat_add_listener(self->seat, &seat_listener, self);
}

void wayland_pointer_release(wayland_pointer *self) {
    if (self->pointer) wl_pointer_destroy(self->pointer);
    wayland_cursor_close(self->cursor);
}

#else

typedef int wayland_pointer_is_absent;

#endif
