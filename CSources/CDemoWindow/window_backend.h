/* What a window system provides; demo_window.c calls it. */
#ifndef WINDOW_BACKEND_H
#define WINDOW_BACKEND_H

#include "demo_window.h"

typedef struct window_backend {
    void (*close)(demo_window *window);
    int (*next)(demo_window *window, demo_window_event *event);
    int (*begin)(demo_window *window, int width_px, int height_px, uint32_t **pixels);
    void (*present)(demo_window *window);
} window_backend;

/* The part that the windows of all systems have; each system's struct begins with it. */
struct demo_window {
    const window_backend *backend;
    int descriptor;
    bool reports_resizing;
    bool reports_buttons;
    bool draws_frame;
    double scale; /* of the last size that was reported */
    char message[DEMO_WINDOW_MESSAGE_MAX];
};

/* As demo_window_open. */
int wayland_window_open(const demo_window_options *options, demo_window **window, char *message);
int x11_window_open(const demo_window_options *options, demo_window **window, char *message);

#endif
