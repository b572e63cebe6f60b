/* The picture of the pointer, by libwayland-cursor; a null cursor does nothing. */
#ifndef DEMO_WAYLAND_CURSOR_H
#define DEMO_WAYLAND_CURSOR_H

#include "wayland_protocol.h"

typedef struct wayland_cursor wayland_cursor;

/* Null without libwayland-cursor or a theme: the compositor's cursor then remains. */
wayland_cursor *wayland_cursor_open(struct wl_compositor *compositor, struct wl_shm *shm);
void wayland_cursor_close(wayland_cursor *self);

/* The pointer has entered the window, where the compositor forgets the cursor. */
void wayland_cursor_entered(wayland_cursor *self);

/* Shows the theme's cursor of this name, a string constant. */
void wayland_cursor_show(wayland_cursor *self, struct wl_pointer *pointer, uint32_t serial, const char *name);

#endif
