/* X11 without a toolkit: builds at the ends of drags.
 * cc -D_GNU_SOURCE x11.c settle.c $(pkg-config --cflags --libs xcb xcb-xinput) */
#include "settle_x11.h"
#include "counts.h"

#include <poll.h>

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
    xcb_change_property(connection, XCB_PROP_MODE_REPLACE, shown, XCB_ATOM_WM_NAME, XCB_ATOM_STRING, 8, 3, "x11");
    xcb_map_window(connection, shown);
    xcb_flush(connection);
    settle_window window;
    settle_window_init(&window, NULL);
    settle_x11 x11;
    struct pollfd pollers[] = {{xcb_get_file_descriptor(connection), POLLIN, 0},
                               {settle_x11_open(&x11, NULL), POLLIN, 0}};
    while (!counts_ended && !xcb_connection_has_error(connection)) {
        xcb_generic_event_t *event;
        while ((event = xcb_poll_for_event(connection))) {
            const xcb_configure_notify_event_t *sized = (const xcb_configure_notify_event_t *)event;
            if ((event->response_type & 0x7f) == XCB_CONFIGURE_NOTIFY) {
                counts_size();
                settle_x11_poll(&x11, &window);
                settle_window_resize(&window, settle_x11_now_ns(), sized->width, sized->height, SETTLE_DRAG_UNKNOWN);
            }
            free(event);
        }
        settle_x11_poll(&x11, &window);
        settle_window_size size;
        if (settle_window_poll(&window, settle_x11_now_ns(), &size) == SETTLE_WINDOW_REBUILD)
            counts_build((int)size.width, (int)size.height);
        if (!x11.connection) pollers[1].fd = -1;
        poll(pollers, 2, settle_x11_timeout_ms(&window));
    }
    settle_x11_close(&x11);
    return xcb_disconnect(connection), counts_print();
}
