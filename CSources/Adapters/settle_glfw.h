/* GLFW 3: sizes from its callback, ends of drags from settle_x11.h on X11; elsewhere GLFW reports no end, and quiet
 * times count. One program with one window:
 *
 *     settle_glfw settle;                                           // within reach of the callback
 *     settle_glfw_open(&settle, window, NULL);                      // NULL: the default policy
 *     // in the callback of glfwSetFramebufferSizeCallback: settle_glfw_size(&settle, width, height);
 *     while (!glfwWindowShouldClose(window)) {
 *         glfwWaitEventsTimeout(settle_glfw_timeout_s(&settle));
 *         if (settle_glfw_poll(&settle, &width, &height) == SETTLE_WINDOW_REBUILD) rebuild(width, height);
 *     }
 *
 * A program that draws all the time calls glfwPollEvents instead, and settle_glfw_poll once a frame. Sizes are pixels.
 * Where GLFW returns nothing within a drag, as on Windows, the build comes after it. */
#ifndef SETTLE_GLFW_H
#define SETTLE_GLFW_H

#include "settle_x11.h"

#include <GLFW/glfw3.h>
#include <string.h>

typedef struct settle_glfw {
    settle_window window;
    settle_x11 x11;
} settle_glfw;

static inline bool settle_glfw_is_x11(void) {
#ifdef GLFW_PLATFORM_X11 /* GLFW 3.4 */
    return glfwGetPlatform() == GLFW_PLATFORM_X11;
#else
    return strstr(glfwGetVersionString(), "X11") != NULL;
#endif
}

static inline void settle_glfw_size(settle_glfw *settle, int width, int height) {
    settle_x11_resize(&settle->x11, &settle->window, width, height);
}

/* SETTLE_INVALID: a policy out of range. */
static inline int settle_glfw_open(settle_glfw *settle, GLFWwindow *window, const settle_policy *policy) {
    int width, height;
    settle->x11.connection = NULL;
    if (settle_window_init(&settle->window, policy)) return SETTLE_INVALID;
    if (settle_glfw_is_x11()) settle_x11_open(&settle->x11, NULL);
    glfwGetFramebufferSize(window, &width, &height);
    settle_glfw_size(settle, width, height);
    return SETTLE_OK;
}

/* What to do now, and for which size. The program may close the window, `settle` or both then. */
static inline enum settle_window_action settle_glfw_poll(settle_glfw *settle, int *width, int *height) {
    settle_window_size size;
    enum settle_window_action action = settle_x11_turn(&settle->x11, &settle->window, &size);
    if (action == SETTLE_WINDOW_NOTHING) return action;
    *width = (int)size.width;
    *height = (int)size.height;
    return action;
}

/* How long to wait for events, in seconds: a tenth when nothing is owed. GLFW cannot wait for a button elsewhere on the
 * screen: while something is owed, at most 10 ms. */
static inline double settle_glfw_timeout_s(settle_glfw *settle) {
    uint64_t timeout_ns = settle_window_timeout_ns(&settle->window, settle_x11_now_ns());
    if (timeout_ns == SETTLE_NEVER) return 0.1;
    return timeout_ns > 10000000u ? 0.01 : (double)(timeout_ns + 1u) * 1e-9;
}

/* The other functions may still be called: there are no buttons then. */
static inline void settle_glfw_close(settle_glfw *settle) { settle_x11_close(&settle->x11); }

#endif
