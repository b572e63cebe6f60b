/* A window of SDL 2, GLFW (-DGLFW) or X11 alone (-DX11) in a loop of the program's: watched.h says what its builds do.
 * The adapter's memory is of the heap, and freed with it where the loop does not go on. */
#include <stdlib.h>

#if defined(GLFW)
#include "settle_glfw.h"
typedef settle_glfw adapter;
static GLFWwindow *window;
#elif defined(X11)
#include "settle_x11.h"
typedef struct adapter {
    settle_window window;
    settle_x11 x11;
} adapter;
static xcb_connection_t *connection;
static xcb_window_t window;
#else
#include "settle_sdl2.h"
typedef settle_sdl2 adapter;
static SDL_Window *window;
#endif
#include "watched.h"

static adapter *settle;
static settle_policy policy;

static void delivered(int width, int height) { watched_width = width, watched_height = height; }

#if defined(GLFW)
static void sized(GLFWwindow *from, int width, int height) {
    (void)from, delivered(width, height);
    if (settle) settle_glfw_size(settle, width, height);
}
static int start(void) {
    if (!glfwInit()) return 0;
    glfwWindowHint(GLFW_CLIENT_API, GLFW_NO_API);
    window = glfwCreateWindow(300, WATCHED_HEIGHT, "", NULL, NULL);
    return window && (glfwSetFramebufferSizeCallback(window, sized), 1);
}
static void watch(void) { settle_glfw_open(settle, window, &policy); }
static void events(void) { glfwWaitEventsTimeout(settle_glfw_timeout_s(settle)); }
static enum settle_window_action poll_adapter(int *width, int *height) {
    return settle_glfw_poll(settle, width, height);
}
static void unwatch(void) { settle_glfw_close(settle); }
static void resize(int width) { glfwSetWindowSize(window, width, WATCHED_HEIGHT); }
static void destroy(void) { glfwDestroyWindow(window); }
#elif defined(X11)
static int start(void) {
    connection = xcb_connect(NULL, NULL);
    if (xcb_connection_has_error(connection)) return 0;
    xcb_screen_t *screen = xcb_setup_roots_iterator(xcb_get_setup(connection)).data;
    uint32_t mask = XCB_EVENT_MASK_STRUCTURE_NOTIFY;
    window = xcb_generate_id(connection);
    xcb_create_window(connection, 0, window, screen->root, 0, 0, 300, WATCHED_HEIGHT, 0, XCB_WINDOW_CLASS_INPUT_OUTPUT,
                      screen->root_visual, XCB_CW_EVENT_MASK, &mask);
    xcb_map_window(connection, window);
    return xcb_flush(connection) > 0;
}
static void size(int width, int height) {
    settle_x11_poll(&settle->x11, &settle->window);
    settle_window_resize(&settle->window, settle_x11_now_ns(), width, height, SETTLE_DRAG_UNKNOWN);
}
static void watch(void) {
    settle_window_init(&settle->window, &policy);
    settle_x11_open(&settle->x11, NULL);
    size(300, WATCHED_HEIGHT);
}
static void events(void) {
    xcb_generic_event_t *event;
    while ((event = xcb_poll_for_event(connection))) {
        const xcb_configure_notify_event_t *sized = (const xcb_configure_notify_event_t *)event;
        if ((event->response_type & 0x7f) == XCB_CONFIGURE_NOTIFY) {
            delivered(sized->width, sized->height);
            size(sized->width, sized->height);
        }
        free(event);
    }
}
static enum settle_window_action poll_adapter(int *width, int *height) {
    settle_window_size size;
    settle_x11_poll(&settle->x11, &settle->window);
    enum settle_window_action action = settle_window_poll(&settle->window, settle_x11_now_ns(), &size);
    if (action != SETTLE_WINDOW_NOTHING) *width = (int)size.width, *height = (int)size.height;
    return action;
}
static void unwatch(void) { settle_x11_close(&settle->x11); }
static void resize(int width) {
    xcb_configure_window(connection, window, XCB_CONFIG_WINDOW_WIDTH, (uint32_t[]){(uint32_t)width});
    xcb_flush(connection);
}
static void destroy(void) {
    xcb_destroy_window(connection, window);
    xcb_flush(connection);
}
#else
static int start(void) {
    return !SDL_Init(SDL_INIT_VIDEO) &&
           (window = SDL_CreateWindow("", 0, 0, 300, WATCHED_HEIGHT, SDL_WINDOW_RESIZABLE));
}
static void watch(void) {
    SDL_Event other = {.window = {.type = SDL_WINDOWEVENT, .event = SDL_WINDOWEVENT_SIZE_CHANGED, .data1 = 999, .data2 = 9}};
    settle_sdl2_open(settle, window, &policy);
    /* Of another window. */
    other.window.windowID = SDL_GetWindowID(window) + 1;
    settle_sdl2_event(settle, &other);
}
static void events(void) {
    SDL_Event event;
    int timeout_ms = settle_sdl2_timeout_ms(settle);
    if (!SDL_WaitEventTimeout(&event, timeout_ms < 0 ? 10 : timeout_ms)) return;
    settle_sdl2_event(settle, &event);
    if (event.type == SDL_WINDOWEVENT && event.window.event == SDL_WINDOWEVENT_SIZE_CHANGED)
        delivered(event.window.data1, event.window.data2);
}
static enum settle_window_action poll_adapter(int *width, int *height) {
    return settle_sdl2_poll(settle, width, height);
}
static void unwatch(void) { settle_sdl2_close(settle); }
static void resize(int width) { SDL_SetWindowSize(window, width, WATCHED_HEIGHT); }
static void destroy(void) { SDL_DestroyWindow(window); }
#endif

int main(int count, char **words) {
    int width, height, is_open = 1, is_watched = 1;
    watched_begin(count, words);
    policy = watched_policy();
    if (!start()) return fprintf(stderr, "there is no window\n"), 1;
    delivered(300, WATCHED_HEIGHT);
    settle = malloc(sizeof *settle);
    watch();
    for (uint64_t next_ns = settle_x11_now_ns();;) {
        events();
        enum settle_window_action action = poll_adapter(&width, &height);
        if (action == SETTLE_WINDOW_PREVIEW) watched_preview(width, height);
        if (action == SETTLE_WINDOW_REBUILD && watched_build(width, height)) {
            if (!watched_is("window")) unwatch(), is_watched = 0, watched_goes_on = watched_is("adapter");
            if (!watched_is("adapter")) destroy(), is_open = 0;
            if (watched_is("both")) break;
        }
        if (settle_x11_now_ns() < next_ns) continue;
        next_ns = settle_x11_now_ns() + WATCHED_STEP_MS * 1000000u;
        enum watched_step step = watched_step(&settle->window, &width);
        if (step == WATCHED_END) break;
        if (step == WATCHED_RESIZE && is_open) resize(width);
    }
    if (is_watched) unwatch();
    free(settle);
    settle = NULL;
    if (is_open) destroy();
    return watched_status();
}
