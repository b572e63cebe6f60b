/* GTK 4: the sizes of a window, ends of drags from settle_x11.h on X11; under Wayland GdkToplevelState has nothing of a
 * drag, and quiet times decide.
 *
 *     static void build(int width, int height, void *data) { … }
 *     settle_gtk4_watch(GTK_WINDOW(window), NULL, build, data);     // before the window is shown
 *
 * NULL is settle_x11_toolkit_policy. Sizes are GTK's application pixels, without shadows. What is watched ends with the
 * window. */
#ifndef SETTLE_GTK4_H
#define SETTLE_GTK4_H

#include "settle_glib.h"

#include <gtk/gtk.h>
#ifdef GDK_WINDOWING_X11
#include <gdk/x11/gdkx.h>
#endif

/* GTK has laid the window out for the surface's size by now. */
static inline void settle_gtk4_layout(GdkSurface *surface, int width, int height, gpointer window) {
    (void)surface, (void)width, (void)height;
    settle_glib *settle = (settle_glib *)g_object_get_data(G_OBJECT(window), "settle");
    settle_glib_size(settle, gtk_widget_get_width(GTK_WIDGET(window)), gtk_widget_get_height(GTK_WIDGET(window)));
}

static inline void settle_gtk4_realized(GtkWidget *window, gpointer data) {
    (void)data;
    g_signal_connect_object(gtk_native_get_surface(GTK_NATIVE(window)), "layout", G_CALLBACK(settle_gtk4_layout),
                            window, G_CONNECT_AFTER);
}

/* NULL: a policy out of range. */
static inline settle_glib *settle_gtk4_watch(GtkWindow *window, const settle_policy *policy, settle_glib_build build,
                                             void *data) {
    bool is_x11 = false;
#ifdef GDK_WINDOWING_X11
    is_x11 = GDK_IS_X11_DISPLAY(gtk_widget_get_display(GTK_WIDGET(window)));
#endif
    settle_glib *settle = settle_glib_new(is_x11, policy, build, data);
    if (!settle) return NULL;
    g_object_set_data_full(G_OBJECT(window), "settle", settle, settle_glib_free);
    g_signal_connect_after(window, "realize", G_CALLBACK(settle_gtk4_realized), NULL);
    if (gtk_widget_get_realized(GTK_WIDGET(window))) settle_gtk4_realized(GTK_WIDGET(window), NULL);
    return settle;
}

#endif
