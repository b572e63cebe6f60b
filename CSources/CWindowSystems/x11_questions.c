/* What the server is asked. */
#include "x11_private.h"

#ifdef X11_HAS_HEADERS

#include <stdlib.h>

/* More windows than any desktop has, so that a hostile list has a bound. In units of 4 bytes. */
enum { LISTED_WINDOWS_MAX = 1 << 16 };

void x11_expect(x11_desktop *desktop, x11_request request, unsigned int sequence, uint32_t window) {
    desktop->is_flush_due = true;
    if (desktop->pending_count == desktop->pending_capacity) {
        size_t capacity = desktop->pending_capacity ? 2 * desktop->pending_capacity : 64;
        x11_pending *pending = malloc(capacity * sizeof *pending);
        if (!pending) {
            desktop->has_no_memory = true;
            return;
        }
        for (size_t i = 0; i < desktop->pending_count; i++)
            pending[i] = desktop->pending[(desktop->pending_first + i) & (desktop->pending_capacity - 1)];
        free(desktop->pending);
        desktop->pending = pending;
        desktop->pending_capacity = capacity;
        desktop->pending_first = 0;
    }
    size_t last = (desktop->pending_first + desktop->pending_count++) & (desktop->pending_capacity - 1);
    desktop->pending[last] = (x11_pending){request, sequence, window};
}

static void ask_property(x11_desktop *desktop, x11_request request, uint32_t window, xcb_atom_t name, xcb_atom_t type,
                         uint32_t words) {
    x11_expect(desktop, request, x11.xcb_get_property(desktop->connection, 0, window, name, type, 0, words).sequence,
               window);
}

void x11_listen(x11_desktop *desktop, xcb_window_t window) {
    const uint32_t mask = XCB_EVENT_MASK_STRUCTURE_NOTIFY | XCB_EVENT_MASK_PROPERTY_CHANGE;
    x11.xcb_change_window_attributes(desktop->connection, window, XCB_CW_EVENT_MASK, &mask);
}

void x11_desktop_ask_windows(x11_desktop *desktop) {
    ask_property(desktop, ROOT_CHECK, desktop->root, desktop->atoms[ATOM_CHECK], XCB_ATOM_WINDOW, 1);
}

void x11_ask_windows_checked(x11_desktop *desktop, xcb_window_t check) {
    xcb_connection_t *connection = desktop->connection;
    uint32_t root = desktop->root;
    /* Before its property is asked for, so that it cannot change unseen in between. */
    if (check != XCB_NONE) x11_listen(desktop, check);
    x11_expect(desktop, ROOT_ATTRIBUTES, x11.xcb_get_window_attributes(connection, root).sequence, root);
    /* An error, which means that nothing lives, if there is no such window. */
    ask_property(desktop, CHECK_WINDOW, check, desktop->atoms[ATOM_CHECK], XCB_ATOM_WINDOW, 1);
    ask_property(desktop, ROOT_LIST, root, desktop->atoms[ATOM_CLIENT_LIST], XCB_ATOM_WINDOW, LISTED_WINDOWS_MAX);
    x11_expect(desktop, LAST_ROOT_TREE, x11.xcb_query_tree(connection, root).sequence, root);
}

void x11_desktop_ask_children(x11_desktop *desktop, uint32_t window) {
    x11_expect(desktop, LAST_CHILDREN, x11.xcb_query_tree(desktop->connection, window).sequence, window);
}

void x11_desktop_describe(x11_desktop *desktop, uint32_t window) {
    xcb_connection_t *connection = desktop->connection;
    x11_listen(desktop, window);
    x11_expect(desktop, WINDOW_ATTRIBUTES, x11.xcb_get_window_attributes(connection, window).sequence, window);
    ask_property(desktop, WINDOW_STATE, window, desktop->atoms[ATOM_STATE], XCB_GET_PROPERTY_TYPE_ANY, 2);
    ask_property(desktop, WINDOW_NAME, window, desktop->atoms[ATOM_NAME], desktop->atoms[ATOM_UTF8], X11_TITLE_MAX / 4);
    ask_property(desktop, WINDOW_OLD_NAME, window, XCB_ATOM_WM_NAME, XCB_GET_PROPERTY_TYPE_ANY, X11_TITLE_MAX / 4);
    ask_property(desktop, WINDOW_CLASS, window, XCB_ATOM_WM_CLASS, XCB_ATOM_STRING, X11_TITLE_MAX / 4);
    x11_expect(desktop, WINDOW_PLACE, x11.xcb_translate_coordinates(connection, window, desktop->root, 0, 0).sequence,
               window);
    /* The size is asked for last, so that the whole answer is true where the size's place is
     * among the changes of size. */
    x11_expect(desktop, LAST_WINDOW_GEOMETRY, x11.xcb_get_geometry(connection, window).sequence, window);
}

void x11_desktop_ask_buttons(x11_desktop *desktop) {
    if (desktop->is_xwayland) return;
    x11_expect(desktop, LAST_BUTTONS,
               x11.xcb_input_xi_query_device(desktop->connection, XCB_INPUT_DEVICE_ALL_MASTER).sequence, desktop->root);
}

void x11_desktop_ask_screens(x11_desktop *desktop) {
    if (desktop->randr_event == 0) return;
    x11_expect(desktop, SCREEN_RESOURCES,
               x11.xcb_randr_get_screen_resources_current(desktop->connection, desktop->root).sequence, desktop->root);
}

#else
typedef int x11_questions_without_headers;
#endif
