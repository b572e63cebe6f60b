/* X11 without a toolkit: pictures that take 200 ms, drawn on a thread while the hand rests, and shown when it lets go.
 * Beside it: counts.h, settle.[ch], settle_worker.h and settle_x11.h. Then
 * cc -D_GNU_SOURCE prepared.c settle.c $(pkg-config --cflags --libs xcb xcb-xinput) -lpthread */
#include "settle_worker.h"
#include "counts.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

enum { BUILD_MS = 200 };

/* On the worker's thread: each row takes its part of the processor time. */
static void *build(settle_worker *worker, settle_window_size size) {
    const int width = (int)size.width, height = (int)size.height;
    uint32_t *pixels = malloc((size_t)width * (size_t)height * sizeof *pixels);
    struct timespec begun, now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &begun);
    for (int y = 0; pixels && y < height; y++) {
        do {
            if (settle_worker_is_cancelled(worker)) return free(pixels), NULL;
            for (int x = 0; x < width; x++)
                pixels[y * width + x] = (uint32_t)(0x406000 + x * 255 / width + y * 255 / height);
            clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
        } while ((now.tv_sec - begun.tv_sec) * 1000 + (now.tv_nsec - begun.tv_nsec) / 1000000 < BUILD_MS * y / height);
    }
    return pixels;
}

static void wake(void *bell) { eventfd_write(*(int *)bell, 1); }

int main(void) {
    xcb_connection_t *connection = xcb_connect(NULL, NULL);
    if (xcb_connection_has_error(connection)) return fprintf(stderr, "no X server answers\n"), 1;
    counts_begin();
    counts_catch_end();
    xcb_screen_t *screen = xcb_setup_roots_iterator(xcb_get_setup(connection)).data;
    xcb_window_t shown = xcb_generate_id(connection);
    uint32_t values[] = {0xffcc66, XCB_EVENT_MASK_STRUCTURE_NOTIFY};
    xcb_create_window(connection, screen->root_depth, shown, screen->root, 100, 100, 400, 300, 0,
                      XCB_WINDOW_CLASS_INPUT_OUTPUT, screen->root_visual, XCB_CW_BACK_PIXEL | XCB_CW_EVENT_MASK,
                      values);
    xcb_change_property(connection, XCB_PROP_MODE_REPLACE, shown, XCB_ATOM_WM_NAME, XCB_ATOM_STRING, 8, 8, "prepared");
    xcb_gcontext_t paint = xcb_generate_id(connection);
    xcb_create_gc(connection, paint, shown, 0, NULL);
    xcb_map_window(connection, shown);
    xcb_flush(connection);

    settle_policy policy = settle_policy_prepared();
    settle_window window;
    settle_window_init(&window, &policy);
    settle_x11 x11;
    int bell = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    settle_worker worker;
    if (settle_worker_open(&worker, build, free, wake, &bell)) return fprintf(stderr, "there is no thread\n"), 1;
    struct pollfd pollers[] = {
        {xcb_get_file_descriptor(connection), POLLIN, 0}, {settle_x11_open(&x11, NULL), POLLIN, 0}, {bell, POLLIN, 0}};
    while (!counts_ended && !xcb_connection_has_error(connection)) {
        xcb_generic_event_t *event;
        while ((event = xcb_poll_for_event(connection))) {
            const xcb_configure_notify_event_t *sized = (const xcb_configure_notify_event_t *)event;
            if ((event->response_type & 0x7f) == XCB_CONFIGURE_NOTIFY) {
                counts_size();
                uint64_t now_ns = settle_x11_now_ns();
                settle_x11_poll(&x11, &window);
                settle_window_resize(&window, now_ns, sized->width, sized->height, SETTLE_DRAG_UNKNOWN);
                settle_worker_resized(&worker, &window, now_ns, sized->width, sized->height);
            }
            free(event);
        }
        settle_x11_poll(&x11, &window);
        settle_window_size size;
        uint64_t now_ns = settle_x11_now_ns();
        enum settle_window_action action = settle_window_poll(&window, now_ns, &size);
        uint32_t *pixels = settle_worker_turn(&worker, &window, now_ns, action, &size);
        if (pixels) {
            counts_build((int)size.width, (int)size.height);
            xcb_put_image(connection, XCB_IMAGE_FORMAT_Z_PIXMAP, shown, paint, (uint16_t)size.width,
                          (uint16_t)size.height, 0, 0, 0, screen->root_depth,
                          (uint32_t)(size.width * size.height * sizeof *pixels), (uint8_t *)pixels);
            xcb_flush(connection);
            free(pixels);
        }
        if (!x11.connection) pollers[1].fd = -1;
        if (poll(pollers, 3, settle_x11_timeout_ms(&window)) > 0) eventfd_read(bell, &(eventfd_t){0});
    }
    settle_worker_close(&worker);
    settle_x11_close(&x11);
    return xcb_disconnect(connection), counts_print();
}
