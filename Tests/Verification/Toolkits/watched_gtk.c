/* A window of GTK 3 or 4: watched.h says what its builds do. */
#include <gtk/gtk.h>
#if GTK_MAJOR_VERSION == 3
#include "settle_gtk3.h"
#define WATCH(window, build) settle_gtk3_watch(window, &policy, build, NULL)
#define UNWATCH(window) settle_gtk3_unwatch(window)
#define DESTROY(window) gtk_widget_destroy(window)
#define RESIZE(window, width) gtk_window_resize(GTK_WINDOW(window), width, WATCHED_HEIGHT)
#else
#include "settle_gtk4.h"
#define WATCH(window, build) settle_gtk4_watch(GTK_WINDOW(window), &policy, build, NULL)
#define UNWATCH(window) settle_gtk4_unwatch(GTK_WINDOW(window))
#define DESTROY(window) gtk_window_destroy(GTK_WINDOW(window))
#define RESIZE(window, width) gtk_window_set_default_size(GTK_WINDOW(window), width, WATCHED_HEIGHT)
#endif
#include "watched.h"

static GMainLoop *loop;
static GtkWidget *window;
static settle_glib *settle; /* until the watch has ended */
static settle_policy policy;

static void build(int width, int height, void *data) {
    (void)data;
    if (!watched_build(width, height)) return;
    watched_owe(&settle->window);
    settle = NULL;
    if (!watched_is("window")) UNWATCH(window);
    if (!watched_is("adapter")) DESTROY(window), window = NULL;
}

static void preview(int width, int height, void *data) { (void)data, watched_preview(width, height); }

/* Connected behind the watch, so that it runs last. */
#if GTK_MAJOR_VERSION == 3
static void delivered(GtkWidget *widget, GdkRectangle *place, gpointer data) {
    (void)widget, (void)data;
    watched_width = place->width, watched_height = place->height;
}
static void listen(void) { g_signal_connect_after(window, "size-allocate", G_CALLBACK(delivered), NULL); }
#else
static void delivered(GdkSurface *surface, int width, int height, gpointer data) {
    (void)surface, (void)width, (void)height, (void)data;
    watched_width = gtk_widget_get_width(window), watched_height = gtk_widget_get_height(window);
}
static void listen(void) {
    g_signal_connect_after(gtk_native_get_surface(GTK_NATIVE(window)), "layout", G_CALLBACK(delivered), NULL);
}
#endif

static void watch(void) {
    settle = WATCH(window, build);
    if (watched_is("shown")) settle = WATCH(window, build); /* the second replaces the first */
    settle->preview = preview;
    if (!watched_is("shown")) return;
    /* One that cannot be changes nothing. */
    settle_policy former = policy;
    policy.quiet_delay_ns = SETTLE_NEVER - 1;
    watched_verify(!WATCH(window, build), "a policy out of range is taken");
    watched_verify(g_object_get_data(G_OBJECT(window), "settle") == settle, "the watch has ended");
    policy = former;
}

static gboolean step(gpointer data) {
    int width;
    (void)data;
    if (watched_is("shown") && !settle) return watch(), G_SOURCE_CONTINUE;
    switch (watched_step(settle ? &settle->window : NULL, &width)) {
    case WATCHED_WAIT: return G_SOURCE_CONTINUE;
    case WATCHED_RESIZE:
        if (window) RESIZE(window, width);
        return G_SOURCE_CONTINUE;
    case WATCHED_UPDATE: settle_glib_update(settle); return G_SOURCE_CONTINUE;
    default: g_main_loop_quit(loop); return G_SOURCE_REMOVE;
    }
}

int main(int count, char **words) {
    watched_begin(count, words);
    policy = watched_policy();
#if GTK_MAJOR_VERSION == 3
    gtk_init(NULL, NULL);
    window = gtk_window_new(GTK_WINDOW_TOPLEVEL);
    gtk_container_add(GTK_CONTAINER(window), gtk_drawing_area_new());
#else
    gtk_init();
    window = gtk_window_new();
    gtk_window_set_child(GTK_WINDOW(window), gtk_drawing_area_new());
#endif
    gtk_window_set_default_size(GTK_WINDOW(window), 300, WATCHED_HEIGHT);
    gtk_widget_realize(window);
    if (!watched_is("shown")) watch();
    listen();
#if GTK_MAJOR_VERSION == 3
    gtk_widget_show_all(window);
#else
    gtk_window_present(GTK_WINDOW(window));
#endif
    loop = g_main_loop_new(NULL, FALSE);
    g_timeout_add(WATCHED_STEP_MS, step, NULL);
    g_main_loop_run(loop);
    g_main_loop_unref(loop);
    if (window) DESTROY(window);
    return watched_status();
}
