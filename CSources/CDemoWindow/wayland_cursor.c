#if __has_include(<wayland-client-protocol.h>) && !defined(DEMO_WINDOW_WITHOUT_WAYLAND)

#include "wayland_cursor.h"
#include "loaded_library.h"

#include <stdlib.h>
#include <wayland-cursor.h>

enum { CURSOR_PX = 24 };

static struct {
    __typeof__(wl_cursor_theme_load) *theme_load;
    __typeof__(wl_cursor_theme_destroy) *theme_destroy;
    __typeof__(wl_cursor_theme_get_cursor) *theme_get_cursor;
    __typeof__(wl_cursor_image_get_buffer) *image_get_buffer;
} library;

struct wayland_cursor {
    struct wl_cursor_theme *theme;
    struct wl_surface *surface;
    const char *shown; /* null: none since the pointer entered */
};

wayland_cursor *wayland_cursor_open(struct wl_compositor *compositor, struct wl_shm *shm) {
    static const loaded_function functions[] = {
        {"wl_cursor_theme_load", &library.theme_load},
        {"wl_cursor_theme_destroy", &library.theme_destroy},
        {"wl_cursor_theme_get_cursor", &library.theme_get_cursor},
        {"wl_cursor_image_get_buffer", &library.image_get_buffer},
    };
    if (loaded_library_open("libwayland-cursor.so.0", functions, sizeof functions / sizeof *functions)) return NULL;
    wayland_cursor *self = calloc(1, sizeof *self);
    if (!self) return NULL;
    self->theme = library.theme_load(NULL, CURSOR_PX, shm);
    if (!self->theme) {
        free(self);
        return NULL;
    }
    self->surface = wl_compositor_create_surface(compositor);
    return self;
}

void wayland_cursor_close(wayland_cursor *self) {
    if (!self) return;
    wl_surface_destroy(self->surface);
    library.theme_destroy(self->theme);
    free(self);
}

void wayland_cursor_entered(wayland_cursor *self) {
    if (self) self->shown = NULL;
}

void wayland_cursor_show(wayland_cursor *self, struct wl_pointer *pointer, uint32_t serial, const char *name) {
    if (!self || self->shown == name) return;
    struct wl_cursor *cursor = library.theme_get_cursor(self->theme, name);
    if (!cursor) return;
    struct wl_cursor_image *image = cursor->images[0];
    wl_surface_attach(self->surface, library.image_get_buffer(image), 0, 0);
    wl_surface_damage_buffer(self->surface, 0, 0, (int32_t)image->width, (int32_t)image->height);
    wl_surface_commit(self->surface);
    wl_pointer_set_cursor(pointer, serial, self->surface, (int32_t)image->hotspot_x, (int32_t)image->hotspot_y);
    self->shown = name;
}

#else

typedef int wayland_cursor_is_absent;

#endif
