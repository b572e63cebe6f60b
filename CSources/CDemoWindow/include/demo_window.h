/* One window of 32-bit pixels under Wayland or X11, with its sizes and pointer buttons as events.
 *
 * The libraries of both window systems are loaded when a window opens; nothing links them. All
 * functions belong to the thread that opened the window. Two of them wait for the window system:
 * demo_window_open, without a limit, and under X11 demo_window_present while the server does not
 * read what it is sent. */
#ifndef DEMO_WINDOW_H
#define DEMO_WINDOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    /* The strip at the top by which a window is moved where the window system draws no title bar. This and the
     * next with the scale 1. */
    DEMO_WINDOW_TITLE_PX = 44,
    /* The square at the right end of that strip which closes the window. */
    DEMO_WINDOW_CLOSE_PX = 44,
    /* Longest width and height. */
    DEMO_WINDOW_SIDE_MAX = 8192,
    /* Longest message with its terminating zero, in bytes. */
    DEMO_WINDOW_MESSAGE_MAX = 320
};

typedef enum demo_window_system { DEMO_WINDOW_WAYLAND, DEMO_WINDOW_X11 } demo_window_system;

typedef struct demo_window demo_window;

/* What to open. */
typedef struct demo_window_options {
    const char *title; /* UTF-8 */
    int width;         /* this and the others in pixels of a display with the scale 1 */
    int height;
    int minimum_width;
    int minimum_height;
} demo_window_options;

typedef enum demo_window_event_kind {
    DEMO_WINDOW_SIZE,    /* the window has another size or scale, or its resizing flag another value */
    DEMO_WINDOW_BUTTON,  /* a pointer button anywhere was pressed or released; X11 only */
    DEMO_WINDOW_DAMAGED, /* the content must be presented again */
    DEMO_WINDOW_CLOSE    /* a person closes the window */
} demo_window_event_kind;

typedef struct demo_window_event {
    demo_window_event_kind kind;
    int width_px;    /* SIZE */
    int height_px;   /* SIZE */
    double scale;    /* SIZE: of the display, 1 or more; everything is to be drawn so much larger */
    bool resizing;   /* SIZE under Wayland: a person resizes the window */
    unsigned button; /* BUTTON; scrolling is left out */
    bool pressed;    /* BUTTON */
} demo_window_event;

/* Opens a window, and waits until the window system has given it a size.
 * Returns 0, or -1 with the cause and the package that helps in message, without a full stop. */
int demo_window_open(demo_window_system system, const demo_window_options *options, demo_window **window,
                     char message[DEMO_WINDOW_MESSAGE_MAX]);

/* Closes the window, and releases everything. */
void demo_window_close(demo_window *window);

/* Readable when demo_window_next has work to do; the same for as long as the window exists. */
int demo_window_descriptor(const demo_window *window);

/* Whether a size comes with a resizing flag. */
bool demo_window_reports_resizing(const demo_window *window);

/* Whether buttons are reported; without, under X11, the server has no XInput 2.1. */
bool demo_window_reports_buttons(const demo_window *window);

/* Whether the program draws the title strip's buttons and the frame, as no one else does. */
bool demo_window_draws_frame(const demo_window *window);

/* Reads what has happened. Returns 1 with an event, 0 if there is none until the descriptor is
 * readable, or -1 when the connection is lost; demo_window_message then says why. */
int demo_window_next(demo_window *window, demo_window_event *event);

/* Begins a picture of the window's content: width × height pixels, 0x00RRGGBB each, rows from the
 * top without gaps. What was in them before is undefined.
 * Returns 1 with the pixels, which belong to the window and must be followed by
 * demo_window_present; 0 while the window system works at the last one, until demo_window_next has
 * read that it is done; or -1 as demo_window_next. */
int demo_window_begin(demo_window *window, int width_px, int height_px, uint32_t **pixels);

/* Shows the picture that was begun. It may read events while it sends: call demo_window_next
 * before waiting for the descriptor. */
void demo_window_present(demo_window *window);

/* Why the connection was lost, without a full stop; owned by the window. */
const char *demo_window_message(const demo_window *window);

#endif
