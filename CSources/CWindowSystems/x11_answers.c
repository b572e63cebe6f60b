#include "x11_private.h"

#ifdef X11_HAS_HEADERS

#include <stdlib.h>
#include <string.h>

/* ICCCM 4.1.3.1: the first number of WM_STATE. */
enum { STATE_WITHDRAWN = 0 };

/* The bytes of a property, NULL for one that is absent, empty or of another format. */
static const void *property(const void *answer, uint8_t format, size_t *bytes) {
    const xcb_get_property_reply_t *reply = answer;
    if (!reply || reply->format != format) return NULL;
    *bytes = (size_t)x11.xcb_get_property_value_length(reply);
    return *bytes > 0 ? x11.xcb_get_property_value(reply) : NULL;
}

static void set_title(x11_desktop *desktop, const char *title, size_t length) {
    if (!title || length == 0 || desktop->gathered.title) return;
    if (length > X11_TITLE_MAX) length = X11_TITLE_MAX;
    memcpy(desktop->title, title, length);
    desktop->gathered.title = desktop->title;
    desktop->gathered.title_length = length;
}

static void set_old_name(x11_desktop *desktop, const void *answer) {
    size_t bytes = 0;
    const char *text = property(answer, 8, &bytes);
    if (!text || desktop->gathered.title) return;
    const xcb_get_property_reply_t *reply = answer;
    if (reply->type == desktop->atoms[ATOM_UTF8]) {
        set_title(desktop, text, bytes);
        return;
    }
    size_t length = x11_decode_text(text, bytes, desktop->title, X11_TITLE_MAX);
    if (length == 0) return;
    desktop->gathered.title = desktop->title;
    desktop->gathered.title_length = length;
}

/* WM_CLASS is an instance and a class, each with a 0 at its end. */
static void set_class(x11_desktop *desktop, const void *answer) {
    size_t bytes = 0;
    const char *text = property(answer, 8, &bytes);
    if (!text) return;
    const char *end = text + bytes;
    const char *zero = memchr(text, 0, bytes);
    if (!zero) return;
    const char *class = zero + 1;
    const char *class_end = class < end ? memchr(class, 0, (size_t)(end - class)) : NULL;
    set_title(desktop, class, (size_t)((class_end ? class_end : end) - class));
}

static void take_client_list(x11_desktop *desktop, void *answer) {
    const xcb_get_property_reply_t *reply = answer;
    size_t bytes = 0;
    const void *windows = property(answer, 32, &bytes);
    free(desktop->listed_answer);
    desktop->listed_answer = answer;
    desktop->gathered.windows = windows;
    desktop->gathered.window_count = bytes / sizeof(xcb_window_t);
    /* A list that is empty is one, too. */
    desktop->has_listed_windows = reply && reply->type == XCB_ATOM_WINDOW;
}

/* The window that a property of the type WINDOW names, XCB_NONE if there is none. */
static xcb_window_t named_window(const void *answer) {
    size_t bytes = 0;
    const xcb_window_t *window = property(answer, 32, &bytes);
    return window ? *window : XCB_NONE;
}

static void set_children(x11_event *event, const xcb_query_tree_reply_t *tree) {
    if (!tree) return;
    event->windows = x11.xcb_query_tree_children(tree);
    event->window_count = (size_t)x11.xcb_query_tree_children_length(tree);
}

static void set_windows(x11_desktop *desktop, const void *answer) {
    x11_event *event = &desktop->gathered;
    event->kind = X11_WINDOWS;
    /* A list that a window manager left behind says nothing, nor does it under the next one. */
    bool has_list = desktop->has_listed_windows && desktop->has_living_check;
    event->list = !desktop->is_managed ? X11_UNMANAGED : has_list ? X11_LISTED : X11_MANAGED;
    if (event->list == X11_LISTED) return;
    event->windows = NULL;
    event->window_count = 0;
    set_children(event, answer);
}

/* The root's attributes say whether a client handles the windows' requests: only one can, and
 * that is what makes it the window manager. */
static void take_root_attributes(x11_desktop *desktop, const xcb_get_window_attributes_reply_t *reply) {
    desktop->gathered = (x11_event){.kind = X11_WINDOWS};
    desktop->is_managed = reply && (reply->all_event_masks & XCB_EVENT_MASK_SUBSTRUCTURE_REDIRECT);
}

static void take_window_attributes(x11_event *event, const xcb_get_window_attributes_reply_t *reply) {
    *event = (x11_event){.kind = X11_DESCRIBED};
    if (!reply) return;
    event->is_mapped = reply->map_state != XCB_MAP_STATE_UNMAPPED;
    event->is_override_redirect = reply->override_redirect;
}

static void take_place(x11_event *event, const xcb_translate_coordinates_reply_t *reply) {
    if (!reply) return;
    event->x = reply->dst_x;
    event->y = reply->dst_y;
}

static void set_geometry(x11_event *event, uint32_t window, const xcb_get_geometry_reply_t *reply) {
    event->window = window;
    if (!reply) {
        event->kind = X11_UNKNOWN_WINDOW;
        return;
    }
    event->width = reply->width;
    event->height = reply->height;
}

static bool add_button(x11_desktop *desktop, x11_button button) {
    if (desktop->gathered.button_count == desktop->buttons_capacity) {
        size_t capacity = desktop->buttons_capacity ? 2 * desktop->buttons_capacity : 16;
        x11_button *buttons = realloc(desktop->buttons, capacity * sizeof *buttons);
        if (!buttons) return false;
        desktop->buttons = buttons;
        desktop->buttons_capacity = capacity;
    }
    desktop->buttons[desktop->gathered.button_count++] = button;
    return true;
}

/* The buttons of a device's class, which are counted from 1. Unlike XIQueryPointer, which applies
 * the user's mapping, it numbers them as raw events do. */
static bool add_buttons(x11_desktop *desktop, uint16_t device, const xcb_input_device_class_t *class) {
    if (class->type != XCB_INPUT_DEVICE_CLASS_TYPE_BUTTON) return true;
    const xcb_input_button_class_t *buttons = (const void *)class;
    const uint8_t *held = (const uint8_t *)(buttons + 1);
    /* The length counts units of four bytes, of which the class itself takes two. The buttons' names follow the bits. */
    size_t bits = class->len > 2 ? ((size_t) class->len - 2) * 32 : 0, own = (buttons->num_buttons + 31u) / 32 * 32;
    if (bits > own) bits = own;
    for (uint32_t button = 1; button <= buttons->num_buttons && button < bits; button++) {
        bool is_held = held[button / 8] >> (button % 8) & 1;
        if (is_held && !add_button(desktop, (x11_button){device, button})) return false;
    }
    return true;
}

static void set_buttons(x11_desktop *desktop, const xcb_input_xi_query_device_reply_t *reply) {
    desktop->gathered = (x11_event){.kind = X11_BUTTONS};
    if (!reply) return;
    xcb_input_xi_device_info_iterator_t info = x11.xcb_input_xi_query_device_infos_iterator(reply);
    for (; info.rem > 0; x11.xcb_input_xi_device_info_next(&info)) {
        if (info.data->type != XCB_INPUT_DEVICE_TYPE_MASTER_POINTER) continue;
        xcb_input_device_class_iterator_t class = x11.xcb_input_xi_device_info_classes_iterator(info.data);
        for (; class.rem > 0; x11.xcb_input_device_class_next(&class)) {
            if (!add_buttons(desktop, info.data->deviceid, class.data)) desktop->has_no_memory = true;
        }
    }
    desktop->gathered.buttons = desktop->buttons;
}

static void ask_each_screen(x11_desktop *desktop, const xcb_randr_get_screen_resources_current_reply_t *reply) {
    if (!reply) return;
    const xcb_randr_crtc_t *screens = x11.xcb_randr_get_screen_resources_current_crtcs(reply);
    int count = x11.xcb_randr_get_screen_resources_current_crtcs_length(reply);
    for (int i = 0; i < count; i++) {
        unsigned int sequence = x11.xcb_randr_get_crtc_info(desktop->connection, screens[i], XCB_CURRENT_TIME).sequence;
        x11_expect(desktop, i < count - 1 ? SCREEN : LAST_SCREEN, sequence, screens[i]);
    }
}

static void set_screen(x11_event *event, const xcb_randr_get_crtc_info_reply_t *reply, bool is_last) {
    *event = (x11_event){.kind = X11_SCREEN, .is_last = is_last};
    if (!reply || reply->mode == 0) return;
    event->x = reply->x;
    event->y = reply->y;
    event->width = reply->width;
    event->height = reply->height;
    event->rotation = reply->rotation;
}

bool x11_take_answer(x11_desktop *desktop, x11_pending pending, void *answer, x11_event *event) {
    x11_event *gathered = &desktop->gathered;
    bool is_last = false;
    size_t bytes = 0;
    free(desktop->answer);
    desktop->answer = answer;
    switch (pending.request) {
    case ROOT_CHECK: x11_ask_windows_checked(desktop, named_window(answer)); break;
    case ROOT_ATTRIBUTES: take_root_attributes(desktop, answer); break;
    case CHECK_WINDOW:
        /* EWMH: the window names itself, and is destroyed with the window manager. */
        gathered->window = pending.window;
        desktop->has_living_check = pending.window != XCB_NONE && named_window(answer) == pending.window;
        break;
    case ROOT_LIST:
        take_client_list(desktop, answer);
        desktop->answer = NULL; /* kept until the next list */
        break;
    case LAST_ROOT_TREE:
        set_windows(desktop, answer);
        is_last = true;
        break;
    case LAST_CHILDREN:
        *gathered = (x11_event){.kind = X11_CHILDREN, .window = pending.window};
        set_children(gathered, answer);
        is_last = true;
        break;
    case WINDOW_ATTRIBUTES: take_window_attributes(gathered, answer); break;
    case WINDOW_STATE: {
        const uint32_t *state = property(answer, 32, &bytes);
        gathered->has_state = state && state[0] != STATE_WITHDRAWN;
        break;
    }
    case WINDOW_NAME: {
        const char *name = property(answer, 8, &bytes);
        set_title(desktop, name, bytes);
        break;
    }
    case WINDOW_OLD_NAME: set_old_name(desktop, answer); break;
    case WINDOW_CLASS: set_class(desktop, answer); break;
    case WINDOW_PLACE: take_place(gathered, answer); break;
    case LAST_WINDOW_GEOMETRY:
        set_geometry(gathered, pending.window, answer);
        is_last = true;
        break;
    case LAST_BUTTONS:
        set_buttons(desktop, answer);
        is_last = true;
        break;
    case SCREEN_RESOURCES: ask_each_screen(desktop, answer); break;
    case SCREEN:
    case LAST_SCREEN:
        set_screen(gathered, answer, pending.request == LAST_SCREEN);
        is_last = true;
        break;
    }
    if (is_last) *event = *gathered;
    return is_last;
}

#else
typedef int x11_answers_without_headers;
#endif
