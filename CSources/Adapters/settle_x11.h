/* The ends of drags on X11, for any toolkit: the pointer's buttons, wherever they are pressed, on a connection of its
 * own. The toolkit's event loop is not touched, and its window needs no change.
 *
 *     settle_x11 x11;
 *     int descriptor = settle_x11_open(&x11, NULL);       // -1: no buttons here, and quiet times decide
 *     settle_x11_resize(&x11, &window, width, height);    // at each size
 *     // when a descriptor is readable, and after settle_x11_timeout_ms(&window)
 *     if (settle_x11_turn(&x11, &window, &size) == SETTLE_WINDOW_REBUILD) rebuild(size.width, size.height);
 *
 * Never blocks but in settle_x11_open, which waits for the server's answers. X11's size events have no times, so all
 * times are CLOCK_MONOTONIC's when a thing is read. Debian: libxcb1-dev, libxcb-xinput-dev; link xcb-xinput and xcb.
 * With SETTLE_NO_X11 defined, and for Windows and macOS, it needs neither, and there are no buttons. */
#ifndef SETTLE_X11_H
#define SETTLE_X11_H

#include "settle.h"

#include <stdlib.h>
#include <time.h>

#if !defined(SETTLE_NO_X11) && (defined(_WIN32) || defined(__APPLE__))
#define SETTLE_NO_X11
#endif
#ifdef SETTLE_NO_X11
typedef struct xcb_connection_t xcb_connection_t;
#else
#include <xcb/xcb.h>
#include <xcb/xinput.h>
#endif

typedef struct settle_x11 {
    xcb_connection_t *connection; /* NULL: there are no buttons */
    uint8_t input_opcode;
} settle_x11;

#if defined(__linux__) && !defined(CLOCK_MONOTONIC)
/* -std=c11 hides POSIX's functions from <time.h>. */
#define CLOCK_MONOTONIC 1
int clock_gettime(int clock, struct timespec *time);
#endif

static inline uint64_t settle_x11_now_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* The default policy for toolkits that draw in step with the window manager (_NET_WM_SYNC_REQUEST), as GTK and Qt do:
 * releasedEndDelay is 50 ms, as their last size comes some frames after the button's release. */
static inline settle_policy settle_x11_toolkit_policy(void) {
    settle_policy policy = settle_policy_default();
    policy.released_end_delay_ns = 50000000;
    return policy;
}

/* For how many milliseconds settle_window_poll has nothing, as poll(2) takes them: rounded up, at most a day, -1 for
 * ever. */
static inline int settle_x11_timeout_ms(settle_window *window) {
    const uint64_t timeout_ns = settle_window_timeout_ns(window, settle_x11_now_ns()), day_ns = 86400000000000u;
    if (timeout_ns == SETTLE_NEVER) return -1;
    return (int)(((timeout_ns < day_ns ? timeout_ns : day_ns) + 999999u) / 1000000u);
}

#ifdef SETTLE_NO_X11
static inline void settle_x11_close(settle_x11 *x11) { x11->connection = NULL; }

static inline int settle_x11_open(settle_x11 *x11, const char *display) {
    (void)display;
    x11->connection = NULL;
    return -1;
}

static inline bool settle_x11_next(settle_x11 *x11, uint32_t *button, bool *is_pressed) {
    (void)x11, (void)button, (void)is_pressed;
    return false;
}
#else
static inline void settle_x11_close(settle_x11 *x11) {
    if (x11->connection) xcb_disconnect(x11->connection);
    x11->connection = NULL;
}

/* XWayland sees no button while the compositor drags. Before 23.1 it has no extension that says what it is. */
static inline bool settle_x11_is_xwayland(xcb_connection_t *connection) {
    const char *wayland = getenv("WAYLAND_DISPLAY");
    xcb_query_extension_reply_t *reply;
    bool is_present;
    if (wayland && *wayland) return true;
    reply = xcb_query_extension_reply(connection, xcb_query_extension(connection, 8, "XWAYLAND"), NULL);
    is_present = reply && reply->present;
    free(reply);
    return is_present;
}

/* From XInput 2.1 on, raw buttons come in spite of the window manager's grab, which a drag is. */
static inline bool settle_x11_has_raw_buttons(settle_x11 *x11) {
    const xcb_query_extension_reply_t *input = xcb_get_extension_data(x11->connection, &xcb_input_id);
    xcb_input_xi_query_version_reply_t *version;
    bool is_new;
    if (!input || !input->present) return false;
    x11->input_opcode = input->major_opcode;
    version =
        xcb_input_xi_query_version_reply(x11->connection, xcb_input_xi_query_version(x11->connection, 2, 2), NULL);
    is_new = version && (version->major_version > 2 || version->minor_version >= 1);
    free(version);
    return is_new;
}

/* Watches the buttons of a display, NULL for $DISPLAY's. The descriptor to poll, or -1 when no X server reports
 * them; the other functions then do nothing. */
static inline int settle_x11_open(settle_x11 *x11, const char *display) {
    /* Of master devices only: a press is reported for its slave device as well. */
    struct {
        xcb_input_event_mask_t head;
        uint32_t mask;
    } raw = {{XCB_INPUT_DEVICE_ALL_MASTER, 1},
             XCB_INPUT_XI_EVENT_MASK_RAW_BUTTON_PRESS | XCB_INPUT_XI_EVENT_MASK_RAW_BUTTON_RELEASE};
    xcb_screen_iterator_t screen;
    x11->connection = xcb_connect(display, NULL);
    if (xcb_connection_has_error(x11->connection) || settle_x11_is_xwayland(x11->connection) ||
        !settle_x11_has_raw_buttons(x11)) {
        settle_x11_close(x11);
        return -1;
    }
    screen = xcb_setup_roots_iterator(xcb_get_setup(x11->connection));
    for (; screen.rem > 0; xcb_screen_next(&screen))
        xcb_input_xi_select_events(x11->connection, screen.data->root, 1, &raw.head);
    xcb_flush(x11->connection);
    return xcb_get_file_descriptor(x11->connection);
}

/* The next button that was pressed or released, if any. Programs with several windows call settle_window_button for
 * each of them. A connection that is lost is closed: stop to poll its descriptor when x11->connection is NULL. */
static inline bool settle_x11_next(settle_x11 *x11, uint32_t *button, bool *is_pressed) {
    xcb_generic_event_t *event;
    while (x11->connection && (event = xcb_poll_for_event(x11->connection))) {
        const xcb_input_raw_button_press_event_t *raw = (const xcb_input_raw_button_press_event_t *)event;
        uint16_t kind = (event->response_type & 0x7f) == XCB_GE_GENERIC && raw->extension == x11->input_opcode
                            ? raw->event_type
                            : 0;
        *button = (uint32_t)raw->deviceid << 16 | (raw->detail & 0xffff);
        *is_pressed = kind == XCB_INPUT_RAW_BUTTON_PRESS;
        free(event);
        if (kind == XCB_INPUT_RAW_BUTTON_PRESS || kind == XCB_INPUT_RAW_BUTTON_RELEASE) return true;
    }
    if (x11->connection && xcb_connection_has_error(x11->connection)) settle_x11_close(x11);
    return false;
}
#endif

/* Gives a window all buttons that have come. It calls nothing of the program's, as all of this header. */
static inline void settle_x11_poll(settle_x11 *x11, settle_window *window) {
    uint32_t button;
    bool is_pressed;
    while (settle_x11_next(x11, &button, &is_pressed))
        settle_window_button(window, settle_x11_now_ns(), button, is_pressed);
}

/* The window's size now. The buttons first: the size may be part of a drag that has just begun. SETTLE_INVALID as for
 * settle_window_resize. */
static inline int settle_x11_resize(settle_x11 *x11, settle_window *window, double width, double height) {
    settle_x11_poll(x11, window);
    return settle_window_resize(window, settle_x11_now_ns(), width, height, SETTLE_DRAG_UNKNOWN);
}

/* settle_window_poll, after all buttons that have come. */
static inline enum settle_window_action settle_x11_turn(settle_x11 *x11, settle_window *window,
                                                        settle_window_size *size) {
    settle_x11_poll(x11, window);
    return settle_window_poll(window, settle_x11_now_ns(), size);
}

#endif
