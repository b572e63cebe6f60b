#include "window_backend.h"
#include "window_message.h"

int demo_window_open(demo_window_system system, const demo_window_options *options, demo_window **window,
                     char message[DEMO_WINDOW_MESSAGE_MAX]) {
    return system == DEMO_WINDOW_WAYLAND ? wayland_window_open(options, window, message)
                                         : x11_window_open(options, window, message);
}

void demo_window_close(demo_window *window) { window->backend->close(window); }

int demo_window_descriptor(const demo_window *window) { return window->descriptor; }

bool demo_window_reports_resizing(const demo_window *window) { return window->reports_resizing; }

bool demo_window_reports_buttons(const demo_window *window) { return window->reports_buttons; }

bool demo_window_draws_frame(const demo_window *window) { return window->draws_frame; }

int demo_window_next(demo_window *window, demo_window_event *event) { return window->backend->next(window, event); }

int demo_window_begin(demo_window *window, int width_px, int height_px, uint32_t **pixels) {
    if (width_px < 1 || height_px < 1 || width_px > DEMO_WINDOW_SIDE_MAX || height_px > DEMO_WINDOW_SIDE_MAX) {
        return window_failure(window->message, "a window of %d × %d pixels is larger than %d × %d", width_px, height_px,
                              DEMO_WINDOW_SIDE_MAX, DEMO_WINDOW_SIDE_MAX);
    }
    return window->backend->begin(window, width_px, height_px, pixels);
}

void demo_window_present(demo_window *window) { window->backend->present(window); }

const char *demo_window_message(const demo_window *window) { return window->message; }
