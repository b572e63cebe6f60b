/* Pictures in memory that the compositor shares. */
#ifndef WAYLAND_BUFFER_H
#define WAYLAND_BUFFER_H

#include "wayland_protocol.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct wayland_buffer {
    struct wl_buffer *buffer; /* null: nothing here */
    uint32_t *pixels;
    size_t bytes;
    int width_px, height_px;
    bool is_busy; /* the compositor reads it */
} wayland_buffer;

/* One is shown, one may be still in use, one is drawn. */
enum { WAYLAND_BUFFERS_MAX = 3 };

typedef struct wayland_buffers {
    wayland_buffer all[WAYLAND_BUFFERS_MAX];
} wayland_buffers;

/* Takes a buffer of this size that the compositor does not read; its address stays the same.
 * Returns 1, 0 if the compositor reads them all, or -1 with a message. */
int wayland_buffers_take(wayland_buffers *buffers, struct wl_shm *shm, int width_px, int height_px,
                         wayland_buffer **taken, char *message);

void wayland_buffers_release(wayland_buffers *buffers);

#endif
