/* The state of a desktop's connection. Private to the files x11_*.c. */
#ifndef X11_PRIVATE_H
#define X11_PRIVATE_H

#include "x11_desktop.h"
#include "x11_library.h"

#ifdef X11_HAS_HEADERS

typedef enum x11_atom {
    ATOM_CLIENT_LIST,
    ATOM_CHECK,
    ATOM_NAME,
    ATOM_STATE,
    ATOM_UTF8,
    ATOM_COUNT,
} x11_atom;

/* What a request asked. The answers of a question are gathered until its last one, which is
 * named LAST_: it alone becomes an event. */
typedef enum x11_request {
    ROOT_CHECK, /* its answer asks the next ones, of which the check window is one */
    ROOT_ATTRIBUTES,
    CHECK_WINDOW,
    ROOT_LIST,
    LAST_ROOT_TREE,
    LAST_CHILDREN,
    WINDOW_ATTRIBUTES,
    WINDOW_STATE,
    WINDOW_NAME,
    WINDOW_OLD_NAME, /* WM_NAME, which every window manager before EWMH reads */
    WINDOW_CLASS,
    WINDOW_PLACE,
    LAST_WINDOW_GEOMETRY,
    LAST_BUTTONS,
    SCREEN_RESOURCES,
    SCREEN,
    LAST_SCREEN,
} x11_request;

/* A request whose answer has not come. */
typedef struct x11_pending {
    x11_request request;
    unsigned int sequence;
    uint32_t window;
} x11_pending;

struct x11_desktop {
    xcb_connection_t *connection;
    xcb_window_t root;
    int screen; /* the root's, counted from 0 */
    xcb_atom_t atoms[ATOM_COUNT];
    uint8_t input_opcode;
    uint8_t randr_event; /* 0 without RandR: no extension's events begin there */
    bool is_xwayland;
    bool is_flush_due;
    bool has_no_memory;

    /* The requests in the order of their answers: a ring of a power of two. */
    x11_pending *pending;
    size_t pending_capacity, pending_first, pending_count;

    xcb_generic_event_t *held; /* an event that waits for answers that are older */
    void *answer;              /* what the pointers of the event that was returned last point to */
    x11_event gathered;        /* of a question's answers so far */
    bool has_listed_windows;
    bool is_managed;
    bool has_living_check; /* whether the owner of the list lives */
    char title[X11_TITLE_MAX];
    void *listed_answer; /* of _NET_CLIENT_LIST */
    x11_button *buttons;
    size_t buttons_capacity;
};

/* Connects, as x11_desktop_open does, and waits without a limit. */
x11_desktop *x11_connect(const char *display, char *message);

/* Asks for changes of a window. */
void x11_listen(x11_desktop *desktop, xcb_window_t window);

/* Asks for the windows, when it is known which window shows that the list's owner lives; 0 if
 * there is none. */
void x11_ask_windows_checked(x11_desktop *desktop, xcb_window_t check);

/* Appends a request to those whose answers are awaited. */
void x11_expect(x11_desktop *desktop, x11_request request, unsigned int sequence, uint32_t window);

/* Takes an answer, or NULL in place of one that is an error, and frees it at last. Returns whether
 * it was its question's last one: *event is then set. */
bool x11_take_answer(x11_desktop *desktop, x11_pending pending, void *answer, x11_event *event);

/* Translates what the server sent. Returns whether it is of interest: *event is then set. */
bool x11_translate(const x11_desktop *desktop, const xcb_generic_event_t *sent, x11_event *event);

#endif
#endif
