/* What settle_x11.h, settle_glib.h and settle_worker.h do with an X server that this program plays: it has the functions of
 * libxcb that they call. Each line says what is wrong; the status is their number. */
#include "settle_glib.h"
#include "settle_worker.h"
#include "watched.h"

#include <unistd.h>
#include <xcb/xcbext.h>

struct xcb_connection_t {
    int none;
};

static struct {
    int error, closed, screens, selected;
    bool has_input, is_xwayland;
    uint16_t major, minor;
    uint32_t roots[4], masks[4];
    uint16_t devices[4];
    xcb_generic_event_t *events[16];
    int first, last;
    int pipe[2];
} server;
static struct xcb_connection_t connection;

xcb_extension_t xcb_input_id = {"XInputExtension", 0};
xcb_connection_t *xcb_connect(const char *display, int *screen) { return (void)display, (void)screen, &connection; }
int xcb_connection_has_error(xcb_connection_t *of) { return (void)of, server.error; }
void xcb_disconnect(xcb_connection_t *of) { (void)of, server.closed++; }
int xcb_flush(xcb_connection_t *of) { return (void)of, 1; }
int xcb_get_file_descriptor(xcb_connection_t *of) { return (void)of, server.pipe[0]; }
xcb_query_extension_cookie_t xcb_query_extension(xcb_connection_t *of, uint16_t length, const char *name) {
    return (void)of, (void)length, (void)name, (xcb_query_extension_cookie_t){1};
}
xcb_query_extension_reply_t *xcb_query_extension_reply(xcb_connection_t *of, xcb_query_extension_cookie_t cookie,
                                                       xcb_generic_error_t **error) {
    xcb_query_extension_reply_t *reply = calloc(1, sizeof *reply);
    (void)of, (void)cookie, (void)error;
    reply->present = server.is_xwayland;
    return reply;
}
const struct xcb_query_extension_reply_t *xcb_get_extension_data(xcb_connection_t *of, xcb_extension_t *extension) {
    static xcb_query_extension_reply_t reply = {.major_opcode = 131};
    reply.present = server.has_input;
    return (void)of, (void)extension, &reply;
}
xcb_input_xi_query_version_cookie_t xcb_input_xi_query_version(xcb_connection_t *of, uint16_t major, uint16_t minor) {
    return (void)of, (void)major, (void)minor, (xcb_input_xi_query_version_cookie_t){1};
}
xcb_input_xi_query_version_reply_t *xcb_input_xi_query_version_reply(xcb_connection_t *of,
                                                                     xcb_input_xi_query_version_cookie_t cookie,
                                                                     xcb_generic_error_t **error) {
    xcb_input_xi_query_version_reply_t *reply = calloc(1, sizeof *reply);
    (void)of, (void)cookie, (void)error;
    reply->major_version = server.major;
    reply->minor_version = server.minor;
    return reply;
}
const struct xcb_setup_t *xcb_get_setup(xcb_connection_t *of) {
    static xcb_setup_t setup;
    return (void)of, &setup;
}
xcb_screen_iterator_t xcb_setup_roots_iterator(const xcb_setup_t *setup) {
    static xcb_screen_t screens[] = {{.root = 70}, {.root = 71}, {.root = 72}};
    return (void)setup, (xcb_screen_iterator_t){screens, server.screens, 0};
}
void xcb_screen_next(xcb_screen_iterator_t *screen) { screen->data++, screen->rem--; }
xcb_void_cookie_t xcb_input_xi_select_events(xcb_connection_t *of, xcb_window_t window, uint16_t count,
                                             const xcb_input_event_mask_t *masks) {
    (void)of, (void)count;
    server.roots[server.selected] = window;
    server.devices[server.selected] = masks->deviceid;
    memcpy(&server.masks[server.selected++], masks + 1, sizeof *server.masks);
    return (xcb_void_cookie_t){1};
}
xcb_generic_event_t *xcb_poll_for_event(xcb_connection_t *of) {
    return (void)of, server.first == server.last ? NULL : server.events[server.first++ % 16];
}

/* A server as most are, on which nothing has happened. */
static void begin(void) {
    server.error = server.closed = server.selected = 0;
    server.screens = 1;
    server.has_input = true;
    server.is_xwayland = false;
    server.major = server.minor = 2;
    unsetenv("WAYLAND_DISPLAY");
}

static void send(uint8_t extension, uint16_t kind, uint16_t device, uint32_t button) {
    xcb_input_raw_button_press_event_t *event = calloc(1, sizeof *event + 8);
    event->response_type = XCB_GE_GENERIC;
    event->extension = extension;
    event->event_type = kind;
    event->deviceid = device;
    event->detail = button;
    server.events[server.last++ % 16] = (xcb_generic_event_t *)event;
}
static void press(uint16_t device, uint32_t button) { send(131, XCB_INPUT_RAW_BUTTON_PRESS, device, button); }
static void release(uint16_t device, uint32_t button) { send(131, XCB_INPUT_RAW_BUTTON_RELEASE, device, button); }

/* A window with a first size that is built. */
static void start(settle_window *window, const settle_policy *policy) {
    settle_window_size size;
    settle_window_init(window, policy);
    settle_window_resize(window, settle_x11_now_ns(), 100, 100, SETTLE_DRAG_UNKNOWN);
    settle_window_poll(window, settle_x11_now_ns(), &size);
}

static uint64_t timeout_ms(settle_window *window) {
    return settle_window_timeout_ns(window, settle_x11_now_ns()) / 1000000;
}

static int opens(settle_x11 *x11) {
    const int descriptor = settle_x11_open(x11, NULL);
    const bool is_right = descriptor == (x11->connection ? server.pipe[0] : -1);
    watched_verify(is_right, "a connection without a descriptor, or the reverse");
    watched_verify(server.closed == !x11->connection, "a connection that is of no use is not closed, or another one is");
    return descriptor >= 0;
}

static void test_open(void) {
    settle_x11 x11;
    begin();
    server.screens = 3;
    watched_verify(opens(&x11), "an X server is not watched");
    watched_verify(server.selected == 3 && server.roots[0] == 70 && server.roots[1] == 71 && server.roots[2] == 72,
                   "not every screen is watched");
    watched_verify(server.devices[2] == XCB_INPUT_DEVICE_ALL_MASTER && server.masks[2] == (3u << 15), "other events are selected");
    settle_x11_close(&x11);
    settle_x11_close(&x11);
    watched_verify(server.closed == 1 && !x11.connection, "a connection is closed twice, or not");
    begin(), server.error = 1;
    watched_verify(!opens(&x11), "no server is watched");
    begin(), server.is_xwayland = true;
    watched_verify(!opens(&x11), "XWayland is watched");
    begin(), setenv("WAYLAND_DISPLAY", "wayland-0", 1);
    watched_verify(!opens(&x11), "XWayland in a session of Wayland is watched");
    begin(), setenv("WAYLAND_DISPLAY", "", 1);
    watched_verify(opens(&x11), "an empty WAYLAND_DISPLAY counts");
    begin(), server.has_input = false;
    watched_verify(!opens(&x11), "a server without XInput is watched");
    begin(), server.minor = 0;
    watched_verify(!opens(&x11), "XInput 2.0 is watched");
    begin(), server.minor = 1;
    watched_verify(opens(&x11), "XInput 2.1 is not watched");
    begin(), server.major = 3, server.minor = 0;
    watched_verify(opens(&x11), "XInput 3 is not watched");
}

static void test_buttons(void) {
    settle_x11 x11;
    settle_window window;
    uint32_t button;
    bool is_pressed;
    begin();
    opens(&x11);
    start(&window, NULL);
    /* Two pointers hold the same button: the last one's release is the end. */
    press(2, 1), press(9, 1);
    settle_x11_poll(&x11, &window);
    settle_x11_resize(&x11, &window, 200, 100);
    release(2, 1);
    settle_x11_poll(&x11, &window);
    watched_verify(timeout_ms(&window) > 20, "the release of one of two pointers is the end");
    /* Others say nothing of buttons. */
    send(132, XCB_INPUT_RAW_BUTTON_RELEASE, 9, 1), send(131, XCB_INPUT_RAW_MOTION, 9, 1);
    settle_x11_poll(&x11, &window);
    watched_verify(timeout_ms(&window) > 20, "another event is a release");
    release(9, 1);
    settle_x11_poll(&x11, &window);
    watched_verify(timeout_ms(&window) <= 16, "the last release is not the end");
    /* A size is of the drag whose press has come before it is read. */
    start(&window, NULL);
    press(2, 3);
    settle_x11_resize(&x11, &window, 300, 100);
    release(2, 3);
    settle_x11_poll(&x11, &window);
    watched_verify(timeout_ms(&window) <= 16, "a press before a size begins no drag");
    press(2, 1), release(2, 1), press(2, 2);
    server.error = 1;
    int count = 0;
    while (settle_x11_next(&x11, &button, &is_pressed)) count += is_pressed ? 10 : 1;
    watched_verify(count == 21 && !x11.connection && server.closed == 1, "what came before a loss is lost, or the loss is");
    watched_verify(!settle_x11_next(&x11, &button, &is_pressed), "a lost connection has a button");
}

static void test_timeouts(void) {
    settle_window window;
    settle_window_size size;
    start(&window, NULL);
    watched_verify(settle_x11_timeout_ms(&window) == -1, "nothing is waited for, and not for ever");
    for (int i = 0; i < 5; i++) {
        settle_window_resize(&window, settle_x11_now_ns(), 200 + i, 100, SETTLE_DRAG_UNKNOWN);
        settle_window_flush(&window, settle_x11_now_ns());
        settle_window_poll(&window, settle_x11_now_ns(), &size);
        settle_window_resize(&window, settle_x11_now_ns(), 300 + i, 100, SETTLE_DRAG_UNKNOWN);
        /* Not before it is due: the loop would turn in vain. */
        while (settle_x11_timeout_ms(&window) > 0) {}
        const enum settle_window_action action = settle_window_poll(&window, settle_x11_now_ns(), &size);
        watched_verify(action == SETTLE_WINDOW_REBUILD, "a wait ends before something is due");
    }
}

static int builds;
static void build(int width, int height, void *data) { (void)width, (void)height, (void)data, builds++; }
static gboolean quit(gpointer loop) { return g_main_loop_quit(loop), G_SOURCE_REMOVE; }
static void run(guint for_ms) {
    GMainLoop *loop = g_main_loop_new(NULL, FALSE);
    g_timeout_add(for_ms, quit, loop);
    g_main_loop_run(loop);
    g_main_loop_unref(loop);
}

static void test_glib(void) {
    settle_policy policy = settle_policy_default();
    begin();
    settle_glib *settle = settle_glib_new(true, NULL, build, NULL);
    watched_verify(watched_waits_as_toolkits(settle->window), "without a policy it is not that of toolkits");
    settle_glib_size(settle, 100, 100);
    watched_verify(builds == 0, "a build within a size event");
    run(1);
    while (builds == 0) run(1);
    /* The server ends: nothing is left to be removed later. */
    server.error = 1;
    watched_verify(write(server.pipe[1], "", 1) == 1, "no pipe");
    while (settle->x11.connection) run(1);
    run(1);
    watched_verify(settle->watch == 0, "a watch of a lost connection stays");
    settle_glib_free(settle);
    watched_verify(server.closed == 1, "a connection is closed twice, or not");
    policy.pause_delay_ns = 1000000;
    settle = settle_glib_new(false, &policy, build, NULL);
    settle_glib_size(settle, 100, 100);
    builds = 0;
    while (builds == 0) run(1);
    /* A preview that nobody wants is none, and no build. */
    settle_window_resize(&settle->window, settle_x11_now_ns(), 200, 100, SETTLE_DRAG_YES);
    settle_glib_update(settle);
    run(30);
    watched_verify(builds == 1, "a preview without a handler is a build");
    settle_glib_free(settle);
    policy.quiet_delay_ns = SETTLE_NEVER - 1;
    watched_verify(!settle_glib_new(false, &policy, build, NULL), "a policy out of range is taken");
}

static int made, dropped;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t woken = PTHREAD_COND_INITIALIZER;
static int wakes, waits_until_cancelled;

static void *draw(settle_worker *worker, settle_window_size size) {
    while (waits_until_cancelled && !settle_worker_is_cancelled(worker)) usleep(100);
    if (settle_worker_is_cancelled(worker)) return NULL;
    made++;
    double *picture = malloc(sizeof *picture);
    *picture = size.width;
    return picture;
}
static void drop(void *picture) { dropped++, free(picture); }
static void wake(void *data) {
    pthread_mutex_lock(&lock);
    *(int *)data += 1;
    pthread_cond_signal(&woken);
    pthread_mutex_unlock(&lock);
}
static void wait_for(int count) {
    pthread_mutex_lock(&lock);
    while (wakes < count) pthread_cond_wait(&woken, &lock);
    pthread_mutex_unlock(&lock);
}

/* The thread: a build is shown once, and what is never shown is dropped, whenever the worker closes. */
static void test_worker(void) {
    for (int ends = 0; ends < 3; ends++) {
        settle_worker worker;
        settle_window window;
        settle_window_size size;
        made = dropped = wakes = waits_until_cancelled = 0;
        settle_window_init(&window, NULL);
        watched_verify(settle_worker_open(&worker, draw, drop, wake, &wakes) == 0, "no thread");
        double *shown = NULL;
        for (int width = 100; width <= 200; width += 100) {
            const uint64_t now_ns = settle_x11_now_ns();
            waits_until_cancelled = ends == 2 && width == 200;
            settle_window_resize(&window, now_ns, width, 50, SETTLE_DRAG_UNKNOWN);
            settle_worker_resized(&worker, &window, now_ns, width, 50);
            settle_window_flush(&window, now_ns);
            const enum settle_window_action action = settle_window_poll(&window, now_ns, &size);
            watched_verify(!settle_worker_turn(&worker, &window, now_ns, action, &size), "something is shown at once");
            if (width == 200 && ends == 2) break;
            wait_for(width / 100);
            /* The second one has ended, and the loop has no time any more. */
            if (width == 200 && ends == 1) break;
            shown = settle_worker_turn(&worker, &window, settle_x11_now_ns(), SETTLE_WINDOW_NOTHING, &size);
            watched_verify(shown && *shown == width && size.width == width, "another picture is shown, or none");
            free(shown);
        }
        settle_worker_close(&worker);
        watched_verify(made == (ends == 2 ? 1 : 2), "another number of pictures is made");
        watched_verify(dropped == (ends == 1), "what is not shown is not dropped, or what is");
    }
}

int main(void) {
    g_log_set_always_fatal((GLogLevelFlags)(G_LOG_LEVEL_CRITICAL | G_LOG_LEVEL_WARNING));
    watched_begin(1, NULL);
    if (pipe(server.pipe)) return 1;
    test_open();
    test_buttons();
    test_timeouts();
    test_glib();
    test_worker();
    return watched_faults;
}
