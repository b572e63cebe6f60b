/* settle_wayland.h without a compositor: the states of a drag, by which it begins and ends. Both structs are of the heap,
 * and freed within the build. */
#include <stdlib.h>
#include <wayland-client.h>

#include "settle_wayland.h"

static settle_wayland *configure;
static settle_window *window;

/* Whether a configure of a size with these states is taken, and then decides a rebuild for `width` and `height`; 0 for none.
 * The client's own size is 400 × 300. */
static int is_built(uint64_t now_ns, int32_t given_width, int32_t given_height, const uint32_t *states, size_t count,
                    int32_t width, int32_t height) {
    struct wl_array array;
    settle_window_size size = {0, 0};
    wl_array_init(&array);
    for (size_t i = 0; i < count; i++) *(uint32_t *)wl_array_add(&array, sizeof *states) = states[i];
    settle_wayland_configure(configure, given_width, given_height, &array);
    wl_array_release(&array);
    int taken = settle_wayland_apply(configure, window, now_ns, 400, 300) == SETTLE_OK;
    settle_window_poll(window, now_ns, &size);
    return taken && (int32_t)size.width == width && (int32_t)size.height == height;
}

int main(void) {
    const uint32_t drag[] = {XDG_TOPLEVEL_STATE_ACTIVATED, XDG_TOPLEVEL_STATE_RESIZING}, second = 1000000000;
    configure = malloc(sizeof *configure);
    window = malloc(sizeof *window);
    settle_window_init(window, NULL);
    int is_right = is_built(0, 0, 0, NULL, 0, 400, 300) && is_built(second, 500, 500, drag, 2, 0, 0) &&
                   is_built(9 * (uint64_t)second, 510, 510, drag, 2, 0, 0) &&
                   is_built(9 * (uint64_t)second + 1, 510, 510, drag, 1, 510, 510);
    /* Each side by itself is the client's choice. */
    settle_window_init(window, NULL);
    is_right = is_right && is_built(0, 500, 0, NULL, 0, 500, 300);
    settle_window_init(window, NULL);
    is_right = is_right && is_built(0, 0, 500, NULL, 0, 400, 500);
    free(configure);
    free(window);
    return !is_right;
}
