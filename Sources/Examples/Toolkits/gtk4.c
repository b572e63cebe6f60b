/* GTK 4: builds at the ends of drags.
 * cc gtk4.c settle.c $(pkg-config --cflags --libs gtk4 xcb xcb-xinput) */
#include "settle_gtk4.h"
#include "counts.h"

static void build(int width, int height, void *data) {
    (void)data;
    counts_build(width, height);
}

static void paint(GtkDrawingArea *area, cairo_t *context, int width, int height, gpointer data) {
    (void)area, (void)width, (void)height, (void)data;
    cairo_set_source_rgb(context, 1.0, 0.8, 0.4);
    cairo_paint(context);
}

static gboolean end(gpointer loop) {
    g_main_loop_quit(loop);
    return G_SOURCE_REMOVE;
}

int main(void) {
    gtk_init();
    counts_begin();
    GMainLoop *loop = g_main_loop_new(NULL, FALSE);
    GtkWidget *window = gtk_window_new(), *area = gtk_drawing_area_new();
    gtk_window_set_title(GTK_WINDOW(window), "gtk4");
    gtk_window_set_default_size(GTK_WINDOW(window), 400, 300);
    gtk_window_set_child(GTK_WINDOW(window), area);
    gtk_drawing_area_set_draw_func(GTK_DRAWING_AREA(area), paint, NULL, NULL);
    g_signal_connect(area, "resize", G_CALLBACK(counts_size), NULL);
    g_signal_connect_swapped(window, "destroy", G_CALLBACK(g_main_loop_quit), loop);
    g_unix_signal_add(SIGTERM, end, loop);
    settle_gtk4_watch(GTK_WINDOW(window), NULL, build, NULL);
    gtk_window_present(GTK_WINDOW(window));
    g_main_loop_run(loop);
    return counts_print();
}
