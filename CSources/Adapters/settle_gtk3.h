/* GTK 3: the sizes of a widget, ends of drags from settle_x11.h on X11; under Wayland GTK reports no end, and
 * quiet times count.
 *
 *     static void build(int width, int height, void *data) { rebuild(width, height); }
 *     settle_gtk3_watch(widget, NULL, build, data);
 *
 * NULL is settle_x11_toolkit_policy. The widget is any that fills what is built: a drawing area, a window. Sizes are
 * GTK's application pixels. The watch ends with the widget, or by settle_gtk3_unwatch(widget), also within a build. The
 * first frame may be drawn before the first build. */
#ifndef SETTLE_GTK3_H
#define SETTLE_GTK3_H

#include "settle_glib.h"

#include <gtk/gtk.h>
#ifdef GDK_WINDOWING_X11
#include <gdk/gdkx.h>
#endif

static inline void settle_gtk3_allocated(GtkWidget *widget, GdkRectangle *place, gpointer settle) {
    (void)widget;
    settle_glib_size((settle_glib *)settle, place->width, place->height);
}

/* Ends a widget's watch, if there is one. */
static inline void settle_gtk3_unwatch(GtkWidget *widget) {
    gpointer settle = g_object_get_data(G_OBJECT(widget), "settle");
    if (!settle) return;
    g_signal_handlers_disconnect_by_data(widget, settle);
    g_object_set_data(G_OBJECT(widget), "settle", NULL);
}

/* Replaces an earlier watch of the widget. NULL: a policy out of range, and nothing changes. */
static inline settle_glib *settle_gtk3_watch(GtkWidget *widget, const settle_policy *policy, settle_glib_build build,
                                             void *data) {
    settle_glib *settle;
    bool is_x11 = false;
#ifdef GDK_WINDOWING_X11
    is_x11 = GDK_IS_X11_DISPLAY(gtk_widget_get_display(widget));
#endif
    settle = settle_glib_new(is_x11, policy, build, data);
    if (!settle) return NULL;
    settle_gtk3_unwatch(widget);
    g_object_set_data_full(G_OBJECT(widget), "settle", settle, settle_glib_free);
    g_signal_connect(widget, "size-allocate", G_CALLBACK(settle_gtk3_allocated), settle);
    /* Others may hold the widget for longer than it is shown. */
    g_signal_connect(widget, "destroy", G_CALLBACK(settle_gtk3_unwatch), settle);
    if (gtk_widget_get_mapped(widget))
        settle_glib_size(settle, gtk_widget_get_allocated_width(widget), gtk_widget_get_allocated_height(widget));
    return settle;
}

#endif
