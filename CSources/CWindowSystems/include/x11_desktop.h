/* A desktop of the X Window System as a stream of facts: its windows, their sizes, the pointer's
 * buttons and the screens' rotations. Questions are sent without waiting; their answers come as
 * events, in the order in which the server saw questions and changes. So an answer is true at its
 * place among the events.
 *
 * Neither keys nor the contents of windows are read. The libraries are loaded by
 * x11_desktop_open. One thread at a time. */
#ifndef X11_DESKTOP_H
#define X11_DESKTOP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct x11_desktop x11_desktop;

/* Which windows the desktop consists of. */
typedef enum x11_window_list {
    X11_LISTED,    /* those that a window manager which lives lists in _NET_CLIENT_LIST */
    X11_MANAGED,   /* those below the root with WM_STATE, however deep: there is no list */
    X11_UNMANAGED, /* the root's children: there is no window manager */
} x11_window_list;

typedef enum x11_event_kind {
    X11_NOTHING,         /* nothing has happened, as yet */
    X11_CLOSED,          /* the connection is gone */
    X11_NO_MEMORY,       /* the connection still exists, but questions were lost */
    X11_WINDOWS,         /* answer to x11_desktop_ask_windows: list, windows; window: the one that is
                           destroyed with the list's owner, and the list is asked for anew then */
    X11_CHILDREN,        /* answer to x11_desktop_ask_children: window, windows */
    X11_DESCRIBED,       /* answer to x11_desktop_describe: all of `window`'s fields */
    X11_UNKNOWN_WINDOW,  /* the same, if the window is gone: window */
    X11_CONFIGURED,      /* window, x, y, width, height, is_synthetic */
    X11_DESTROYED,       /* window */
    X11_MAPPED,          /* window */
    X11_UNMAPPED,        /* window */
    X11_REPARENTED,      /* window */
    X11_LIST_CHANGED,    /* what x11_desktop_ask_windows answers may differ from now on */
    X11_WINDOW_CHANGED,  /* window: its name, class or WM_STATE */
    X11_BUTTON,          /* device, button, is_pressed */
    X11_BUTTONS,         /* answer to x11_desktop_ask_buttons: those held, as buttons */
    X11_BUTTONS_CHANGED, /* pointers came or went: what is held may differ */
    X11_SCREENS_CHANGED, /* the screens may have turned */
    X11_SCREEN,          /* one answer of several to x11_desktop_ask_screens: x, y, width, height,
                           rotation (of RandR: 1, 2, 4, 8), is_last */
} x11_event_kind;

/* A button of a master pointer, with its physical number. */
typedef struct x11_button {
    uint16_t device;
    uint32_t button;
} x11_button;

/* What happened. Fields that the kind does not name are 0; pointers are valid until the next call
 * with the same desktop. */
typedef struct x11_event {
    x11_event_kind kind;
    uint32_t window;
    int32_t x, y;           /* pixels; of X11_DESCRIBED and a synthetic X11_CONFIGURED from the
                               root's corner, else from the parent's */
    uint32_t width, height; /* pixels; 0 × 0 of X11_SCREEN for a screen that is off */
    x11_window_list list;
    const uint32_t *windows;
    size_t window_count;
    const x11_button *buttons;
    size_t button_count;
    const char *title;   /* _NET_WM_NAME, else WM_NAME, else the class of WM_CLASS, in UTF-8; neither
                               terminated nor checked. NULL if there is none */
    size_t title_length; /* bytes, at most X11_TITLE_MAX */
    uint32_t button;
    uint16_t device;
    uint16_t rotation;
    bool is_pressed;
    bool is_synthetic; /* sent by a client, as window managers do */
    bool is_mapped;
    bool is_override_redirect; /* a menu or the like, which no window manager handles */
    bool has_state;            /* WM_STATE says that the window is managed and not withdrawn */
    bool is_last;
} x11_event;

#define X11_TITLE_MAX 1024

/* Reads text of the types STRING (Latin-1) and COMPOUND_TEXT, as far as that switches between ASCII, Latin-1 and
 * UTF-8, as UTF-8. Returns the bytes, which are as many characters as fit; 0 for text in other character sets. */
size_t x11_decode_text(const char *text, size_t length, char *utf8, size_t capacity);
#define X11_MESSAGE_MAX 512

/* Connects to a display and watches its root window.
 *
 * display  a name such as ":0"; NULL for $DISPLAY
 * limit_ms how long to wait for the server, in milliseconds
 * message  X11_MESSAGE_MAX bytes, which get what was wrong and what to do
 *
 * Waits for the server, whose first answers libxcb waits for without a limit: a thread of its own
 * does, and is left behind until the server answers or ends the connection if the limit passes.
 * Returns NULL with a message if libraries are missing, at build or at run time, if no server
 * accepts the connection, if it does not answer within the limit, or if it lacks XInput 2.1. */
x11_desktop *x11_desktop_open(const char *display, uint32_t limit_ms, char *message);

/* Closes the connection, and frees everything. NULL is permitted. */
void x11_desktop_close(x11_desktop *desktop);

/* A descriptor that is readable when x11_desktop_next has something to return. */
int x11_desktop_descriptor(const x11_desktop *desktop);

/* Whether the server is XWayland, which hides buttons while a compositor drags a window. No
 * button is reported then. */
bool x11_desktop_is_xwayland(const x11_desktop *desktop);

/* The screen that is watched, counted from 0, and how many the display has. They differ from
 * RandR's, which are parts of one of these. */
int x11_desktop_screen(const x11_desktop *desktop);
int x11_desktop_screen_count(const x11_desktop *desktop);

/* The next event, X11_NOTHING without waiting if there is none. Sends the questions that were
 * asked since. */
x11_event x11_desktop_next(x11_desktop *desktop);

/* Questions. They neither wait nor fail: a connection that is gone says so in x11_desktop_next. */

/* Which windows are there? */
void x11_desktop_ask_windows(x11_desktop *desktop);
/* Which windows are the children of this one? A window that is gone has none. */
void x11_desktop_ask_children(x11_desktop *desktop, uint32_t window);
/* What is this window like? From now on its changes are reported as well. */
void x11_desktop_describe(x11_desktop *desktop, uint32_t window);
/* Which buttons are held? */
void x11_desktop_ask_buttons(x11_desktop *desktop);
/* What screens are there? No answer without RandR. */
void x11_desktop_ask_screens(x11_desktop *desktop);

#endif
