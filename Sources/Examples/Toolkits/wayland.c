/* A viewer without a toolkit under Wayland: builds its picture at the ends of drags. Within them the compositor scales
 * the old one.
 * for name in xdg-shell viewporter; do
 *     xml=$(pkg-config --variable=pkgdatadir wayland-protocols)/stable/$name/$name.xml
 *     wayland-scanner client-header $xml $name-client-protocol.h; wayland-scanner private-code $xml $name.c
 * done
 * cc -D_GNU_SOURCE wayland.c xdg-shell.c viewporter.c settle.c $(pkg-config --cflags --libs wayland-client) */
#define SETTLE_NO_X11 /* only the clock of settle_x11.h */
#include "settle_wayland.h"
#include "settle_x11.h"
#include "counts.h"

#include <poll.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <viewporter-client-protocol.h>
#include <wayland-client.h>
#include <xdg-shell-client-protocol.h>

static struct wl_compositor *compositor;
static struct wl_shm *shm;
static struct xdg_wm_base *base;
static struct wp_viewporter *viewporter;
static struct wl_surface *surface;
static struct wp_viewport *viewport;
static struct wl_buffer *picture;
static int shown_width = 400, shown_height = 300; /* the surface's size, a maximum within a drag */
static settle_wayland configured;
static settle_window window;

static void global(void *data, struct wl_registry *registry, uint32_t name, const char *interface, uint32_t version) {
    (void)data, (void)version;
    if (!strcmp(interface, "wl_compositor")) compositor = wl_registry_bind(registry, name, &wl_compositor_interface, 4);
    if (!strcmp(interface, "wl_shm")) shm = wl_registry_bind(registry, name, &wl_shm_interface, 1);
    if (!strcmp(interface, "wp_viewporter")) viewporter = wl_registry_bind(registry, name, &wp_viewporter_interface, 1);
    if (!strcmp(interface, "xdg_wm_base")) base = wl_registry_bind(registry, name, &xdg_wm_base_interface, 1);
}
static void global_remove(void *data, struct wl_registry *registry, uint32_t name) {
    (void)data, (void)registry, (void)name;
}
static void ping(void *data, struct xdg_wm_base *pinging, uint32_t serial) {
    (void)data, xdg_wm_base_pong(pinging, serial);
}
static void closed(void *data, struct xdg_toplevel *toplevel) { (void)data, (void)toplevel, counts_ended = 1; }

static void show(void) {
    wp_viewport_set_destination(viewport, shown_width, shown_height);
    wl_surface_attach(surface, picture, 0, 0);
    wl_surface_damage(surface, 0, 0, shown_width, shown_height);
    wl_surface_commit(surface);
}

static void build(int width, int height) {
    counts_build(width, height);
    int bytes = width * height * 4, file = memfd_create("picture", MFD_CLOEXEC);
    if (file < 0 || ftruncate(file, bytes)) return;
    uint32_t *pixels = mmap(NULL, (size_t)bytes, PROT_WRITE, MAP_SHARED, file, 0);
    for (int i = 0; pixels != MAP_FAILED && i < width * height; i++)
        pixels[i] = 0xff6600u + (uint32_t)(i % width * 255 / width);
    if (pixels != MAP_FAILED) munmap(pixels, (size_t)bytes);
    struct wl_shm_pool *pool = wl_shm_create_pool(shm, file, bytes);
    struct wl_buffer *buffer = wl_shm_pool_create_buffer(pool, 0, width, height, width * 4, WL_SHM_FORMAT_XRGB8888);
    wl_shm_pool_destroy(pool);
    close(file);
    struct wl_buffer *old = picture;
    picture = buffer;
    show();
    if (old) wl_buffer_destroy(old);
}

static void configure(void *data, struct xdg_toplevel *toplevel, int32_t width, int32_t height,
                      struct wl_array *states) {
    (void)data, (void)toplevel;
    settle_wayland_configure(&configured, width, height, states);
}
static void apply(void *data, struct xdg_surface *xdg, uint32_t serial) {
    (void)data;
    xdg_surface_ack_configure(xdg, serial);
    if (configured.width > 0) shown_width = configured.width;
    if (configured.height > 0) shown_height = configured.height;
    settle_wayland_apply(&configured, &window, settle_x11_now_ns(), shown_width, shown_height);
    if (picture) show();
}

int main(void) {
    struct wl_display *display = wl_display_connect(NULL);
    if (!display) return fprintf(stderr, "no Wayland compositor answers\n"), 1;
    counts_begin();
    counts_catch_end();
    wl_registry_add_listener(wl_display_get_registry(display), &(struct wl_registry_listener){global, global_remove},
                             NULL);
    wl_display_roundtrip(display);
    if (!compositor || !shm || !base || !viewporter)
        return fprintf(stderr, "the compositor has no xdg-shell, or no viewporter\n"), 1;
    settle_window_init(&window, NULL);
    surface = wl_compositor_create_surface(compositor);
    viewport = wp_viewporter_get_viewport(viewporter, surface);
    struct xdg_surface *xdg = xdg_wm_base_get_xdg_surface(base, surface);
    struct xdg_toplevel *toplevel = xdg_surface_get_toplevel(xdg);
    xdg_wm_base_add_listener(base, &(struct xdg_wm_base_listener){ping}, NULL);
    xdg_surface_add_listener(xdg, &(struct xdg_surface_listener){apply}, NULL);
    xdg_toplevel_add_listener(toplevel, &(struct xdg_toplevel_listener){.configure = configure, .close = closed}, NULL);
    wl_surface_commit(surface);
    struct pollfd poller = {.fd = wl_display_get_fd(display), .events = POLLIN};
    while (!counts_ended && wl_display_flush(display) >= 0) {
        if (poll(&poller, 1, settle_x11_timeout_ms(&window)) > 0 && wl_display_dispatch(display) < 0) break;
        settle_window_size size;
        if (settle_window_poll(&window, settle_x11_now_ns(), &size) == SETTLE_WINDOW_REBUILD)
            build((int)size.width, (int)size.height);
    }
    wl_display_disconnect(display);
    return counts_print();
}
