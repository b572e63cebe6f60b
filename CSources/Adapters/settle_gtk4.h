/* GTK 4: the sizes of a window, ends of drags from settle_x11.h on X11; under Wayland GdkToplevelState has nothing of a
 * drag, and quiet times decide.
 *
 *     static void build(int width, int height, void *data) { rebuild(width, height); }
 *     settle_gtk4_watch(GTK_WINDOW(window), NULL, build, data);
 *
 * NULL is settle_x11_toolkit_policy. Sizes are GTK's application pixels, without shadows. The watch ends with the window,
 * or by settle_gtk4_unwatch(window), also within a build. The first frame may be drawn before the first build. */
#ifndef SETTLE_GTK4_H
#define SETTLE_GTK4_H

#include "settle_glib.h"

#include <gtk/gtk.h>
#ifdef GDK_WINDOWING_X11
#include <gdk/x11/gdkx.h>
#endif

/* GTK has laid the window out for the surface's size by now. */
static inline void settle_gtk4_layout(GdkSurface *surface, int width, int height, gpointer window) {
    settle_glib *settle = (settle_glib *)g_object_get_data(G_OBJECT(window), "settle");
    (void)surface, (void)width, (void)height;
    if (!settle) return; /* the watch has ended */
    settle_glib_size(settle, gtk_widget_get_width(GTK_WIDGET(window)), gtk_widget_get_height(GTK_WIDGET(window)));
}

static inline void settle_gtk4_realized(GtkWidget *window, gpointer settle) {
    GdkSurface *surface = gtk_native_get_surface(GTK_NATIVE(window));
    (void)settle;
    g_signal_handlers_disconnect_by_func(surface, G_GNUC_EXTENSION(gpointer) settle_gtk4_layout,
                                         window); /* an ended watch's */
    g_signal_connect_object(surface, "layout", G_CALLBACK(settle_gtk4_layout), window, G_CONNECT_AFTER);
}

/* Ends a window's watch, if there is one. */
static inline void settle_gtk4_unwatch(GtkWindow *window) {
    gpointer settle = g_object_get_data(G_OBJECT(window), "settle");
    if (!settle) return;
    g_signal_handlers_disconnect_by_data(window, settle);
    g_object_set_data(G_OBJECT(window), "settle", NULL);
}

/* Replaces an earlier watch of the window. NULL: a policy out of range, and nothing changes. */
static inline settle_glib *settle_gtk4_watch(GtkWindow *window, const settle_policy *policy, settle_glib_build build,
                                             void *data) {
    settle_glib *settle;
    bool is_x11 = false;
#ifdef GDK_WINDOWING_X11
    is_x11 = GDK_IS_X11_DISPLAY(gtk_widget_get_display(GTK_WIDGET(window)));
#endif
    settle = settle_glib_new(is_x11, policy, build, data);
    if (!settle) return NULL;
    settle_gtk4_unwatch(window);
    g_object_set_data_full(G_OBJECT(window), "settle", settle, settle_glib_free);
    g_signal_connect_after(window, "realize", G_CALLBACK(settle_gtk4_realized), settle);
    /* Others may hold the window for longer than it is shown. */
    g_signal_connect(window, "destroy", G_CALLBACK(settle_gtk4_unwatch), settle);
    if (gtk_widget_get_realized(GTK_WIDGET(window))) settle_gtk4_realized(GTK_WIDGET(window), settle);
    if (gtk_widget_get_mapped(GTK_WIDGET(window)))
        settle_glib_size(settle, gtk_widget_get_width(GTK_WIDGET(window)), gtk_widget_get_height(GTK_WIDGET(window)));
    return settle;
}

#endif
