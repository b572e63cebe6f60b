#define _GNU_SOURCE
#if __has_include(<wayland-client-protocol.h>) && !defined(DEMO_WINDOW_WITHOUT_WAYLAND)

#include "wayland_buffer.h"
#include "window_message.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static void buffer_released(void *data, struct wl_buffer *buffer) {
    (void)buffer;
    ((wayland_buffer *)data)->is_busy = false;
}

static const struct wl_buffer_listener buffer_listener = {buffer_released};

static void release(wayland_buffer *self) {
    if (!self->buffer) return;
    wl_buffer_destroy(self->buffer);
    munmap(self->pixels, self->bytes);
    *self = (wayland_buffer){0};
}

/* Takes the memory now: without it, a full machine would end this program when it draws.
 * Returns 0, or a code of errno. */
static int allocate(int file, size_t bytes) {
    int failure = 0;
    do failure = posix_fallocate(file, 0, (off_t)bytes);
    while (failure == EINTR);
    return failure;
}

static int make(wayland_buffer *self, struct wl_shm *shm, int width_px, int height_px, char *message) {
    int stride = width_px * (int)sizeof *self->pixels;
    size_t bytes = (size_t)stride * (size_t)height_px;
    int file = memfd_create("settle-demo", MFD_CLOEXEC);
    int failure = file < 0 ? errno : allocate(file, bytes);
    void *pixels = failure ? MAP_FAILED : mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (pixels == MAP_FAILED) {
        if (!failure) failure = errno;
        if (file >= 0) close(file);
        return window_failure(message, "no shared memory for %d × %d pixels (%s)", width_px, height_px,
                              strerror(failure));
    }
    struct wl_shm_pool *pool = wl_shm_create_pool(shm, file, (int32_t)bytes);
    *self = (wayland_buffer){
        .buffer = wl_shm_pool_create_buffer(pool, 0, width_px, height_px, stride, WL_SHM_FORMAT_XRGB8888),
        .pixels = pixels,
        .bytes = bytes,
        .width_px = width_px,
        .height_px = height_px,
    };
    wl_shm_pool_destroy(pool);
    /* libwayland has copied the descriptor. */
    close(file);
    wl_buffer_add_listener(self->buffer, &buffer_listener, self);
    return 1;
}

int wayland_buffers_take(wayland_buffers *buffers, struct wl_shm *shm, int width_px, int height_px,
                         wayland_buffer **taken, char *message) {
    for (int i = 0; i < WAYLAND_BUFFERS_MAX; i++) {
        wayland_buffer *buffer = &buffers->all[i];
        if (buffer->buffer && buffer->is_busy) continue;
        *taken = buffer;
        if (buffer->buffer && buffer->width_px == width_px && buffer->height_px == height_px) return 1;
        release(buffer);
        return make(buffer, shm, width_px, height_px, message);
    }
    return 0;
}

void wayland_buffers_release(wayland_buffers *buffers) {
    for (int i = 0; i < WAYLAND_BUFFERS_MAX; i++) release(&buffers->all[i]);
}

#else

typedef int wayland_buffers_are_absent;

#endif
