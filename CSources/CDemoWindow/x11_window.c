/* The window under X11, by libxcb, with pointer buttons by XInput 2: their raw events come from
 * the root window whoever grabs the pointer, while the window's own ButtonRelease goes to the
 * window manager that resizes the window. */
#include "window_backend.h"
#include "window_message.h"

#if __has_include(<xcb/xcb.h>) && __has_include(<xcb/xinput.h>) && !defined(DEMO_WINDOW_WITHOUT_XCB)

#include "loaded_library.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <dlfcn.h>
#include <xcb/xcb.h>
#include <xcb/xcbext.h>
#include <xcb/xinput.h>

/* Every function of the libraries that is used here: X(library's function). */
/* clang-format off */
#define XCB_FUNCTIONS(X)                                                                                               \
    X(xcb_connect) X(xcb_disconnect) X(xcb_connection_has_error) X(xcb_get_file_descriptor) X(xcb_get_setup)           \
    X(xcb_setup_roots_iterator) X(xcb_screen_next) X(xcb_setup_pixmap_formats) X(xcb_setup_pixmap_formats_length)      \
    X(xcb_screen_allowed_depths_iterator) X(xcb_depth_next) X(xcb_depth_visuals) X(xcb_depth_visuals_length)           \
    X(xcb_generate_id) X(xcb_create_window) X(xcb_create_gc) X(xcb_map_window)                                         \
    X(xcb_change_property) X(xcb_intern_atom) X(xcb_intern_atom_reply) X(xcb_put_image) X(xcb_flush)                   \
    X(xcb_poll_for_event) X(xcb_poll_for_queued_event) X(xcb_poll_for_reply) X(xcb_get_input_focus)                    \
    X(xcb_get_maximum_request_length) X(xcb_get_extension_data) X(xcb_get_property) X(xcb_get_property_reply)           \
    X(xcb_get_property_value) X(xcb_get_property_value_length) X(xcb_configure_window)
#define XINPUT_FUNCTIONS(X)                                                                                            \
    X(xcb_input_xi_query_version) X(xcb_input_xi_query_version_reply) X(xcb_input_xi_select_events)
/* clang-format on */

#define DECLARE(name) __typeof__(name) *name; // NOLINT(bugprone-macro-parentheses): a declaration
static struct {
    XCB_FUNCTIONS(DECLARE)
    XINPUT_FUNCTIONS(DECLARE)
    xcb_extension_t *xcb_input_id;
} xcb;
#undef DECLARE

typedef struct x11_window {
    demo_window base;
    xcb_connection_t *connection;
    xcb_window_t window;
    xcb_gcontext_t graphics;
    xcb_atom_t protocols, delete_window;
    uint8_t depth;
    uint8_t input_opcode;    /* of XInput's events, or 0 */
    int width_px, height_px; /* last reported, or to be */
    bool is_sized;           /* a size was reported */
    uint32_t *pixels;
    size_t capacity; /* in pixels */
    int begun_width_px, begun_height_px;
    size_t strip_bytes; /* of a picture, in one request */
    bool is_presenting; /* the server has not answered the request after the last picture */
    unsigned presented; /* that request */
} x11_window;

static int load(char *message) {
#define ENTRY(name) {#name, &xcb.name},
    static const loaded_function core[] = {XCB_FUNCTIONS(ENTRY)};
    static const loaded_function input[] = {XINPUT_FUNCTIONS(ENTRY){"xcb_input_id", &xcb.xcb_input_id}};
#undef ENTRY
    if (loaded_library_open("libxcb.so.1", core, sizeof core / sizeof *core)) {
        return window_failure(message, "X11: %s; install Debian's libxcb1", dlerror());
    }
    if (loaded_library_open("libxcb-xinput.so.0", input, sizeof input / sizeof *input)) {
        return window_failure(message, "X11: %s; install Debian's libxcb-xinput0", dlerror());
    }
    return 0;
}

static void x11_close(demo_window *base) {
    x11_window *self = (x11_window *)base;
    xcb.xcb_disconnect(self->connection);
    free(self->pixels);
    free(self);
}

static int connection_lost(x11_window *self) {
    return window_failure(self->base.message, "X11: the X server closed the connection (xcb's error %d)",
                          xcb.xcb_connection_has_error(self->connection));
}

/* True with an event of a button; false for any other raw event. */
static bool raw_button(const x11_window *self, const xcb_generic_event_t *event, demo_window_event *out) {
    const xcb_ge_generic_event_t *generic = (const void *)event;
    if (!self->input_opcode || generic->extension != self->input_opcode) return false;
    bool pressed = generic->event_type == XCB_INPUT_RAW_BUTTON_PRESS;
    if (!pressed && generic->event_type != XCB_INPUT_RAW_BUTTON_RELEASE) return false;
    unsigned button = ((const xcb_input_raw_button_press_event_t *)event)->detail;
    if (button >= 4 && button <= 7) return false;
    *out = (demo_window_event){.kind = DEMO_WINDOW_BUTTON, .button = button, .pressed = pressed};
    return true;
}

static demo_window_event size_event(const x11_window *self) {
    return (demo_window_event){
        .kind = DEMO_WINDOW_SIZE, .width_px = self->width_px, .height_px = self->height_px, .scale = self->base.scale};
}

static bool translate(x11_window *self, const xcb_generic_event_t *event, demo_window_event *out) {
    switch (event->response_type & 0x7f) {
    case XCB_CONFIGURE_NOTIFY: {
        const xcb_configure_notify_event_t *configure = (const void *)event;
        /* Window managers move windows, and repeat sizes in synthetic events. */
        if (configure->width == self->width_px && configure->height == self->height_px) return false;
        self->width_px = configure->width;
        self->height_px = configure->height;
        *out = size_event(self);
        return true;
    }
    case XCB_EXPOSE: *out = (demo_window_event){.kind = DEMO_WINDOW_DAMAGED}; return true;
    case XCB_DESTROY_NOTIFY: {
        /* Another client may destroy the window without asking. */
        const xcb_destroy_notify_event_t *destroy = (const void *)event;
        if (destroy->window != self->window) return false;
        *out = (demo_window_event){.kind = DEMO_WINDOW_CLOSE};
        return true;
    }
    case XCB_CLIENT_MESSAGE: {
        const xcb_client_message_event_t *client = (const void *)event;
        if (client->type != self->protocols || client->data.data32[0] != self->delete_window) return false;
        *out = (demo_window_event){.kind = DEMO_WINDOW_CLOSE};
        return true;
    }
    case XCB_GE_GENERIC: return raw_button(self, event, out);
    default: return false;
    }
}

/* The next event; null when all that was read of the connection is dealt with, so that its
 * descriptor is readable for everything else. */
static xcb_generic_event_t *next_event(x11_window *self) {
    xcb_generic_event_t *event = xcb.xcb_poll_for_event(self->connection);
    if (event || !self->is_presenting) return event;
    void *reply = NULL;
    xcb_generic_error_t *error = NULL;
    self->is_presenting = !xcb.xcb_poll_for_reply(self->connection, self->presented, &reply, &error);
    free(reply);
    free(error);
    /* Looking for the reply may have read events. */
    return xcb.xcb_poll_for_queued_event(self->connection);
}

static int x11_next(demo_window *base, demo_window_event *out) {
    x11_window *self = (x11_window *)base;
    if (!self->is_sized) {
        /* A server without a window manager does not report the size that was asked for. */
        self->is_sized = true;
        *out = size_event(self);
        return 1;
    }
    xcb_generic_event_t *event;
    while ((event = next_event(self))) {
        bool is_known = translate(self, event, out);
        free(event);
        if (is_known) return 1;
    }
    return xcb.xcb_connection_has_error(self->connection) ? connection_lost(self) : 0;
}

static int x11_begin(demo_window *base, int width_px, int height_px, uint32_t **pixels) {
    x11_window *self = (x11_window *)base;
    if (self->is_presenting) return 0;
    if (xcb.xcb_connection_has_error(self->connection)) return connection_lost(self);
    size_t count = (size_t)width_px * (size_t)height_px;
    if (count > self->capacity) {
        free(self->pixels);
        self->pixels = malloc(count * sizeof *self->pixels);
        self->capacity = self->pixels ? count : 0;
        if (!self->pixels) return window_failure(base->message, "no memory for %d × %d pixels", width_px, height_px);
    }
    self->begun_width_px = width_px;
    self->begun_height_px = height_px;
    *pixels = self->pixels;
    return 1;
}

static void x11_present(demo_window *base) {
    x11_window *self = (x11_window *)base;
    size_t row_bytes = (size_t)self->begun_width_px * sizeof *self->pixels;
    int strip_rows = (int)(self->strip_bytes / row_bytes);
    for (int row = 0; row < self->begun_height_px; row += strip_rows) {
        int rows = self->begun_height_px - row < strip_rows ? self->begun_height_px - row : strip_rows;
        xcb.xcb_put_image(self->connection, XCB_IMAGE_FORMAT_Z_PIXMAP, self->window, self->graphics,
                          (uint16_t)self->begun_width_px, (uint16_t)rows, 0, (int16_t)row, 0, self->depth,
                          (uint32_t)(row_bytes * (size_t)rows),
                          (const uint8_t *)(self->pixels + (size_t)row * (size_t)self->begun_width_px));
    }
    /* Any request with a reply would do: it is answered when the picture is drawn. */
    self->presented = xcb.xcb_get_input_focus(self->connection).sequence;
    self->is_presenting = true;
    xcb.xcb_flush(self->connection);
}

static const window_backend x11_backend = {x11_close, x11_next, x11_begin, x11_present};

static xcb_atom_t atom(xcb_connection_t *connection, const char *name) {
    xcb_intern_atom_cookie_t cookie = xcb.xcb_intern_atom(connection, 0, (uint16_t)strlen(name), name);
    xcb_intern_atom_reply_t *reply = xcb.xcb_intern_atom_reply(connection, cookie, NULL);
    xcb_atom_t result = reply ? reply->atom : XCB_ATOM_NONE;
    free(reply);
    return result;
}

/* Asks for the raw buttons of all master devices. False without XInput 2.1. */
static bool select_buttons(x11_window *self, xcb_window_t root) {
    const xcb_query_extension_reply_t *extension = xcb.xcb_get_extension_data(self->connection, xcb.xcb_input_id);
    if (!extension || !extension->present) return false;
    xcb_input_xi_query_version_reply_t *version = xcb.xcb_input_xi_query_version_reply(
        self->connection, xcb.xcb_input_xi_query_version(self->connection, 2, 2), NULL);
    bool is_enough = version && (version->major_version > 2 || (version->major_version == 2 && version->minor_version));
    free(version);
    if (!is_enough) return false;
    self->input_opcode = extension->major_opcode;
    struct {
        xcb_input_event_mask_t head;
        uint32_t mask;
    } selection = {
        {.deviceid = XCB_INPUT_DEVICE_ALL_MASTER, .mask_len = 1},
        XCB_INPUT_XI_EVENT_MASK_RAW_BUTTON_PRESS | XCB_INPUT_XI_EVENT_MASK_RAW_BUTTON_RELEASE,
    };
    xcb.xcb_input_xi_select_events(self->connection, root, 1, &selection.head);
    return true;
}

static void set_properties(x11_window *self, const demo_window_options *options) {
    xcb_connection_t *connection = self->connection;
    xcb_window_t window = self->window;
    uint32_t title_bytes = (uint32_t)strlen(options->title);
    xcb.xcb_change_property(connection, XCB_PROP_MODE_REPLACE, window, XCB_ATOM_WM_NAME, XCB_ATOM_STRING, 8,
                            title_bytes, options->title);
    xcb.xcb_change_property(connection, XCB_PROP_MODE_REPLACE, window, atom(connection, "_NET_WM_NAME"),
                            atom(connection, "UTF8_STRING"), 8, title_bytes, options->title);
    static const char class[] = "settle-demo\0settle-demo";
    xcb.xcb_change_property(connection, XCB_PROP_MODE_REPLACE, window, XCB_ATOM_WM_CLASS, XCB_ATOM_STRING, 8,
                            sizeof class, class);
    /* WM_NORMAL_HINTS: flags (16: a minimum size), four unused fields, minimum width and height. */
    uint32_t hints[18] = {16};
    hints[5] = (uint32_t)(options->minimum_width * self->base.scale);
    hints[6] = (uint32_t)(options->minimum_height * self->base.scale);
    xcb.xcb_change_property(connection, XCB_PROP_MODE_REPLACE, window, XCB_ATOM_WM_NORMAL_HINTS, XCB_ATOM_WM_SIZE_HINTS,
                            32, 18, hints);
    self->protocols = atom(connection, "WM_PROTOCOLS");
    self->delete_window = atom(connection, "WM_DELETE_WINDOW");
    xcb.xcb_change_property(connection, XCB_PROP_MODE_REPLACE, window, self->protocols, XCB_ATOM_ATOM, 32, 1,
                            &self->delete_window);
}

/* The display's scale, in quarters, by the resource Xft.dpi, which desktops set: 96 dots an inch are 1. */
static double ask_scale(xcb_connection_t *connection, xcb_window_t root) {
    enum { RESOURCES_MAX = 1 << 14 }; /* in words */
    xcb_get_property_reply_t *reply = xcb.xcb_get_property_reply(
        connection,
        xcb.xcb_get_property(connection, 0, root, XCB_ATOM_RESOURCE_MANAGER, XCB_ATOM_STRING, 0, RESOURCES_MAX), NULL);
    if (!reply) return 1;
    int length = xcb.xcb_get_property_value_length(reply);
    char *lines = malloc((size_t)length + 1);
    double dots = 96;
    if (lines) {
        memcpy(lines, xcb.xcb_get_property_value(reply), (size_t)length);
        lines[length] = 0;
        for (const char *line = lines; line; line = strchr(line, '\n')) {
            if (*line == '\n') line++;
            if (sscanf(line, "Xft.dpi: %lf", &dots) == 1) break;
        }
    }
    free(lines);
    free(reply);
    double scale = dots > 0 && dots < 1000 ? (int)(dots / 24 + 0.5) / 4.0 : 1;
    return scale >= 1 && scale <= 8 ? scale : 1;
}

static const xcb_screen_t *screen_at(const xcb_setup_t *setup, int number) {
    xcb_screen_iterator_t screen = xcb.xcb_setup_roots_iterator(setup);
    while (screen.rem > 1 && number-- > 0) xcb.xcb_screen_next(&screen);
    return screen.rem > 0 ? screen.data : NULL;
}

static const xcb_visualtype_t *root_visual(const xcb_screen_t *screen) {
    xcb_depth_iterator_t depth = xcb.xcb_screen_allowed_depths_iterator(screen);
    for (; depth.rem > 0; xcb.xcb_depth_next(&depth)) {
        const xcb_visualtype_t *visuals = xcb.xcb_depth_visuals(depth.data);
        for (int i = 0; i < xcb.xcb_depth_visuals_length(depth.data); i++) {
            if (visuals[i].visual_id == screen->root_visual) return &visuals[i];
        }
    }
    return NULL;
}

/* Bits of memory for a pixel of a depth, or 0. */
static int bits_per_pixel(const xcb_setup_t *setup, int depth) {
    const xcb_format_t *formats = xcb.xcb_setup_pixmap_formats(setup);
    for (int i = 0; i < xcb.xcb_setup_pixmap_formats_length(setup); i++) {
        if (formats[i].depth == depth) return formats[i].bits_per_pixel;
    }
    return 0;
}

/* What is sent in one request: a row of the greatest width at least, a megabyte at most. */
enum { STRIP_BYTES_MIN = DEMO_WINDOW_SIDE_MAX * 4, STRIP_BYTES_MAX = 1 << 20, PUT_IMAGE_BYTES = 64 };

/* What a screen lacks to show 0x00RRGGBB in this processor's byte order as it is; null for nothing. */
static const char *missing_ability(const xcb_setup_t *setup, const xcb_screen_t *screen) {
    const uint16_t one = 1;
    uint8_t own_order = *(const uint8_t *)&one ? XCB_IMAGE_ORDER_LSB_FIRST : XCB_IMAGE_ORDER_MSB_FIRST;
    if (screen->root_depth != 24) return "pixels of depth 24";
    if (bits_per_pixel(setup, screen->root_depth) != 32) return "pixels of 32 bits";
    if (setup->image_byte_order != own_order) return "pixels in this machine's byte order";
    const xcb_visualtype_t *visual = root_visual(screen);
    if (!visual || visual->_class != XCB_VISUAL_CLASS_TRUE_COLOR) return "a TrueColor visual";
    bool is_rgb = visual->red_mask == 0xFF0000 && visual->green_mask == 0xFF00 && visual->blue_mask == 0xFF;
    if (!is_rgb) return "red, green and blue in the bits 0xff0000, 0xff00 and 0xff";
    bool is_long = setup->maximum_request_length * 4u >= STRIP_BYTES_MIN + PUT_IMAGE_BYTES;
    return is_long ? NULL : "requests that hold a row of 8192 pixels";
}

/* Asks how long a request may be, now, as libxcb waits for the answer. Without meaning when the
 * connection is lost. */
static size_t ask_strip_bytes(xcb_connection_t *connection) {
    size_t request_bytes = (size_t)xcb.xcb_get_maximum_request_length(connection) * 4;
    bool is_long = request_bytes > STRIP_BYTES_MAX + PUT_IMAGE_BYTES;
    return is_long ? STRIP_BYTES_MAX : request_bytes - PUT_IMAGE_BYTES;
}

static int make_window(x11_window *self, const demo_window_options *options, const char *display, int screen_number,
                       char *message) {
    const xcb_setup_t *setup = xcb.xcb_get_setup(self->connection);
    const xcb_screen_t *screen = screen_at(setup, screen_number);
    const char *missing = screen ? missing_ability(setup, screen) : "a screen";
    if (missing) {
        return window_failure(message,
                              "X11: screen %d of display %.64s, of depth %d, lacks %s, which this program needs",
                              screen_number, display, screen ? screen->root_depth : 0, missing);
    }
    self->depth = screen->root_depth;
    self->window = xcb.xcb_generate_id(self->connection);
    /* No background, and the old content stays at the top left: nothing flashes while the size changes. */
    const uint32_t values[] = {XCB_NONE, XCB_GRAVITY_NORTH_WEST,
                               XCB_EVENT_MASK_EXPOSURE | XCB_EVENT_MASK_STRUCTURE_NOTIFY};
    xcb.xcb_create_window(self->connection, screen->root_depth, self->window, screen->root, 0, 0,
                          (uint16_t)options->width, (uint16_t)options->height, 0, XCB_WINDOW_CLASS_INPUT_OUTPUT,
                          screen->root_visual, XCB_CW_BACK_PIXMAP | XCB_CW_BIT_GRAVITY | XCB_CW_EVENT_MASK, values);
    /* The resources are those of the first screen. */
    self->base.scale = ask_scale(self->connection, screen_at(setup, 0)->root);
    self->width_px = (int)(options->width * self->base.scale);
    self->height_px = (int)(options->height * self->base.scale);
    const uint32_t sides[] = {(uint32_t)self->width_px, (uint32_t)self->height_px};
    xcb.xcb_configure_window(self->connection, self->window, XCB_CONFIG_WINDOW_WIDTH | XCB_CONFIG_WINDOW_HEIGHT, sides);
    set_properties(self, options);
    self->graphics = xcb.xcb_generate_id(self->connection);
    xcb.xcb_create_gc(self->connection, self->graphics, self->window, 0, NULL);
    self->base.reports_buttons = select_buttons(self, screen->root);
    self->strip_bytes = ask_strip_bytes(self->connection);
    xcb.xcb_map_window(self->connection, self->window);
    xcb.xcb_flush(self->connection);
    return xcb.xcb_connection_has_error(self->connection)
               ? window_failure(message, "X11: the server of display %.64s closed the connection", display)
               : 0;
}

int x11_window_open(const demo_window_options *options, demo_window **window, char *message) {
    const char *display = getenv("DISPLAY");
    if (!display || !*display) return window_failure(message, "X11: DISPLAY is not set");
    if (load(message)) return -1;
    int screen = 0;
    xcb_connection_t *connection = xcb.xcb_connect(NULL, &screen);
    int error = xcb.xcb_connection_has_error(connection);
    if (error) {
        xcb.xcb_disconnect(connection);
        if (error == XCB_CONN_CLOSED_INVALID_SCREEN) {
            return window_failure(message, "X11: display %.64s has no screen %d; leave it out to get the first",
                                  display, screen);
        }
        return window_failure(message, "X11: display %.64s does not accept a connection", display);
    }
    x11_window *self = calloc(1, sizeof *self);
    if (!self) {
        xcb.xcb_disconnect(connection);
        return window_failure(message, "no memory");
    }
    self->base.backend = &x11_backend;
    self->base.descriptor = xcb.xcb_get_file_descriptor(connection);
    self->connection = connection;
    if (make_window(self, options, display, screen, message)) {
        x11_close(&self->base);
        return -1;
    }
    *window = &self->base;
    return 0;
}

#else

int x11_window_open(const demo_window_options *options, demo_window **window, char *message) {
    (void)options, (void)window;
    return window_failure(message, "X11: built without it; install Debian's libxcb1-dev and libxcb-xinput-dev, then "
                                   "rebuild from scratch: swift package clean");
}

#endif
