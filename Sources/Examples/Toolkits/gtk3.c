/* A viewer over GTK 3: builds its picture at the ends of drags. Within them cairo scales the old one.
 * cc gtk3.c settle.c $(pkg-config --cflags --libs gtk+-3.0 xcb xcb-xinput) */
#include "settle_gtk3.h"
#include "counts.h"

#include <glib-unix.h>
#include <gtk/gtk.h>

static cairo_surface_t *picture;

static void rebuild(GtkWidget *area, int width, int height) {
    counts_build(width, height);
    if (picture) cairo_surface_destroy(picture);
    picture = cairo_image_surface_create(CAIRO_FORMAT_RGB24, width, height);
    cairo_t *context = cairo_create(picture);
    for (int x = 0; x < width; x++) {
        cairo_set_source_rgb(context, 1.0, 0.4, (double)x / width);
        cairo_rectangle(context, x, 0, 1, height);
        cairo_fill(context);
    }
    cairo_destroy(context);
    gtk_widget_queue_draw(area);
}

static gboolean draw(GtkWidget *area, cairo_t *context, gpointer data) {
    (void)data;
    if (!picture) return TRUE;
    cairo_scale(context, (double)gtk_widget_get_allocated_width(area) / cairo_image_surface_get_width(picture),
                (double)gtk_widget_get_allocated_height(area) / cairo_image_surface_get_height(picture));
    cairo_set_source_surface(context, picture, 0, 0);
    cairo_paint(context);
    return TRUE;
}

static void settled(int width, int height, void *area) { rebuild(area, width, height); }

static gboolean end(gpointer data) {
    (void)data;
    gtk_main_quit();
    return G_SOURCE_REMOVE;
}

int main(int argc, char **argv) {
    gtk_init(&argc, &argv);
    counts_begin();
    GtkWidget *window = gtk_window_new(GTK_WINDOW_TOPLEVEL), *area = gtk_drawing_area_new();
    gtk_window_set_title(GTK_WINDOW(window), "gtk3");
    gtk_window_set_default_size(GTK_WINDOW(window), 400, 300);
    gtk_container_add(GTK_CONTAINER(window), area);
    g_signal_connect(window, "destroy", G_CALLBACK(gtk_main_quit), NULL);
    g_signal_connect(area, "draw", G_CALLBACK(draw), NULL);
    settle_gtk3_watch(area, NULL, settled, area);
    g_unix_signal_add(SIGTERM, end, NULL);
    gtk_widget_show_all(window);
    gtk_main();
    return counts_print();
}
