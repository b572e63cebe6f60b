/* SDL 2: sizes from its window events, ends of drags from settle_x11.h on X11; elsewhere SDL 2 reports no end, and quiet
 * times count. One program with one window:
 *
 *     settle_sdl2 settle;
 *     settle_sdl2_open(&settle, sdl_window, NULL);                  // NULL: the default policy
 *     while (running) {
 *         if (SDL_WaitEventTimeout(&event, settle_sdl2_timeout_ms(&settle))) settle_sdl2_event(&settle, &event);
 *         if (settle_sdl2_poll(&settle, &width, &height) == SETTLE_WINDOW_REBUILD) rebuild(width, height);
 *     }
 *
 * A program that draws all the time calls SDL_PollEvent instead, and settle_sdl2_poll once a frame. Sizes are in SDL's
 * window coordinates. Where SDL returns nothing within a drag, as on Windows (SDL's wiki: AppFreezeDuringDrag), the build
 * comes after it. */
#ifndef SETTLE_SDL2_H
#define SETTLE_SDL2_H

#include "settle_x11.h"

#include <SDL.h>
#include <string.h>

typedef struct settle_sdl2 {
    settle_window window;
    settle_x11 x11;
    Uint32 window_id;
} settle_sdl2;

static inline void settle_sdl2_size(settle_sdl2 *settle, int width, int height) {
    settle_x11_resize(&settle->x11, &settle->window, width, height);
}

/* SETTLE_INVALID: a policy out of range. */
static inline int settle_sdl2_open(settle_sdl2 *settle, SDL_Window *window, const settle_policy *policy) {
    int width, height;
    const char *driver = SDL_GetCurrentVideoDriver();
    settle->x11.connection = NULL;
    if (settle_window_init(&settle->window, policy)) return SETTLE_INVALID;
    if (driver && !strcmp(driver, "x11")) settle_x11_open(&settle->x11, NULL);
    settle->window_id = SDL_GetWindowID(window);
    SDL_GetWindowSize(window, &width, &height);
    settle_sdl2_size(settle, width, height);
    return SETTLE_OK;
}

/* Every size, also those that the program sets itself (SDL_WINDOWEVENT_SIZE_CHANGED). A program that builds for its own
 * immediately calls settle_sdl2_size for the users' alone, at SDL_WINDOWEVENT_RESIZED, and settle_window_really_built for
 * its own. */
static inline void settle_sdl2_event(settle_sdl2 *settle, const SDL_Event *event) {
    if (event->type == SDL_WINDOWEVENT && event->window.event == SDL_WINDOWEVENT_SIZE_CHANGED &&
        event->window.windowID == settle->window_id)
        settle_sdl2_size(settle, event->window.data1, event->window.data2);
}

/* What to do now, and for which size. The program may close the window, `settle` or both then. */
static inline enum settle_window_action settle_sdl2_poll(settle_sdl2 *settle, int *width, int *height) {
    settle_window_size size;
    enum settle_window_action action = settle_x11_turn(&settle->x11, &settle->window, &size);
    if (action == SETTLE_WINDOW_NOTHING) return action;
    *width = (int)size.width;
    *height = (int)size.height;
    return action;
}

/* How long to wait for events, -1 for ever. SDL cannot wait for a button elsewhere on the screen: while something is
 * owed, at most 10 ms. */
static inline int settle_sdl2_timeout_ms(settle_sdl2 *settle) {
    int timeout_ms = settle_x11_timeout_ms(&settle->window);
    return timeout_ms < 10 ? timeout_ms : 10;
}

/* The other functions may still be called: there are no buttons then. */
static inline void settle_sdl2_close(settle_sdl2 *settle) { settle_x11_close(&settle->x11); }

#endif
