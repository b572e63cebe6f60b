/* What a press of the pointer does to the window. */
#ifndef WAYLAND_POINTER_H
#define WAYLAND_POINTER_H

#include "wayland_window.h"

/* Follows the pointer of the window's seat, if it has one. */
void wayland_pointer_follow(wayland_window *self);

void wayland_pointer_release(wayland_window *self);

#endif
