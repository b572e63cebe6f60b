/* GTK 3: builds at the ends of drags.
 * cc gtk3.c settle.c $(pkg-config --cflags --libs gtk+-3.0 xcb xcb-xinput) */
#include "settle_gtk3.h"
#include "counts.h"

static void build(int width, int height, void *data) {
    (void)data;
    counts_build(width, height);
}

static gboolean paint(GtkWidget *area, cairo_t *context, gpointer data) {
    (void)area, (void)data;
    cairo_set_source_rgb(context, 1.0, 0.8, 0.4);
    cairo_paint(context);
    return TRUE;
}

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
    g_signal_connect(area, "draw", G_CALLBACK(paint), NULL);
    g_signal_connect(area, "size-allocate", G_CALLBACK(counts_size), NULL);
    g_signal_connect(window, "destroy", G_CALLBACK(gtk_main_quit), NULL);
    g_unix_signal_add(SIGTERM, end, NULL);
    settle_gtk3_watch(area, NULL, build, NULL);
    gtk_widget_show_all(window);
    gtk_main();
    return counts_print();
}
