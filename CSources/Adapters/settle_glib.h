/* What settle_gtk3.h and settle_gtk4.h share: GLib's timer and its watch of settle_x11.h's descriptor.
 *
 * Builds run from the timer alone, never within the toolkit's size event: all widgets have their sizes then, and a build
 * may destroy its widget, the window, or what is watched. Needs GLib 2.58. */
#ifndef SETTLE_GLIB_H
#define SETTLE_GLIB_H

#include "settle_x11.h"

#include <glib-unix.h>

/* Called when a widget is to be rebuilt, or previewed, for a size. */
typedef void (*settle_glib_build)(int width, int height, void *data);

typedef struct settle_glib {
    settle_window
        window; /* for the functions of settle_window.h; outside of a build call settle_glib_update after them */
    settle_x11 x11;
    guint timer, watch; /* GLib's sources, 0 for none */
    settle_glib_build build;
    settle_glib_build preview; /* set it for a policy with a pause delay; NULL does nothing then */
    void *data;
    bool is_freed; /* within a build, which keeps the memory */
} settle_glib;

static gboolean settle_glib_turn(gpointer pointer);

/* Reads the buttons, and arms the timer for what is due now or later. Builds nothing itself. */
static inline void settle_glib_update(settle_glib *settle) {
    int timeout_ms;
    settle_x11_poll(&settle->x11, &settle->window);
    if (settle->timer) g_source_remove(settle->timer);
    timeout_ms = settle_x11_timeout_ms(&settle->window);
    settle->timer = timeout_ms < 0 ? 0 : g_timeout_add((guint)timeout_ms, settle_glib_turn, settle);
}

/* One build at most, and then the loop again: the handler may ask for another one. */
static gboolean settle_glib_turn(gpointer pointer) {
    settle_glib *settle = (settle_glib *)g_rc_box_acquire(pointer);
    settle_window_size size;
    enum settle_window_action action;
    settle_glib_build handler;
    settle->timer = 0; /* it ends with this call */
    action = settle_x11_turn(&settle->x11, &settle->window, &size);
    handler = action == SETTLE_WINDOW_REBUILD   ? settle->build
              : action == SETTLE_WINDOW_PREVIEW ? settle->preview
                                                : NULL;
    if (handler) handler((int)size.width, (int)size.height, settle->data);
    if (!settle->is_freed) settle_glib_update(settle);
    g_rc_box_release(settle);
    return G_SOURCE_REMOVE;
}

static inline gboolean settle_glib_button(gint descriptor, GIOCondition condition, gpointer pointer) {
    settle_glib *settle = (settle_glib *)pointer;
    (void)descriptor, (void)condition;
    settle_glib_update(settle);
    if (settle->x11.connection) return G_SOURCE_CONTINUE;
    settle->watch = 0;
    return G_SOURCE_REMOVE;
}

static inline void settle_glib_size(settle_glib *settle, int width, int height) {
    settle_x11_resize(&settle->x11, &settle->window, width, height);
    settle_glib_update(settle);
}

/* A null policy is settle_x11_toolkit_policy. NULL: a policy out of range. */
static inline settle_glib *settle_glib_new(bool is_x11, const settle_policy *policy, settle_glib_build build,
                                           void *data) {
    settle_glib *settle = g_rc_box_new0(settle_glib);
    settle_policy standard = settle_x11_toolkit_policy();
    int descriptor;
    if (settle_window_init(&settle->window, policy ? policy : &standard)) {
        g_rc_box_release(settle);
        return NULL;
    }
    settle->build = build;
    settle->data = data;
    descriptor = is_x11 ? settle_x11_open(&settle->x11, NULL) : -1;
    if (descriptor >= 0)
        settle->watch = g_unix_fd_add(descriptor, (GIOCondition)(G_IO_IN | G_IO_HUP), settle_glib_button, settle);
    return settle;
}

/* Ends what settle_glib_new has made, also within a build. As a GDestroyNotify. */
static inline void settle_glib_free(gpointer pointer) {
    settle_glib *settle = (settle_glib *)pointer;
    if (settle->timer) g_source_remove(settle->timer);
    if (settle->watch) g_source_remove(settle->watch);
    settle_x11_close(&settle->x11);
    settle->is_freed = true;
    g_rc_box_release(settle);
}

#endif
