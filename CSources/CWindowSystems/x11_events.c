#include "x11_private.h"

#ifdef X11_HAS_HEADERS

#include <string.h>

/* The top bit of an event's type says that a client sent it. */
enum { SENT = 0x80 };

static bool configured(const x11_desktop *desktop, const xcb_configure_notify_event_t *sent, x11_event *event) {
    /* The root reports its children's changes as well; the windows themselves are listened to. */
    if (sent->event == desktop->root) return false;
    *event = (x11_event){.kind = X11_CONFIGURED,
                         .window = sent->window,
                         .x = sent->x,
                         .y = sent->y,
                         .width = sent->width,
                         .height = sent->height,
                         .is_synthetic = (sent->response_type & SENT) != 0};
    return true;
}

static bool changed_property(const x11_desktop *desktop, const xcb_property_notify_event_t *sent, x11_event *event) {
    if (sent->atom == desktop->atoms[ATOM_CHECK] || sent->window == desktop->root) {
        event->kind = X11_LIST_CHANGED;
        return sent->atom == desktop->atoms[ATOM_CHECK] || sent->atom == desktop->atoms[ATOM_CLIENT_LIST];
    }
    *event = (x11_event){.kind = X11_WINDOW_CHANGED, .window = sent->window};
    return sent->atom == desktop->atoms[ATOM_NAME] || sent->atom == desktop->atoms[ATOM_STATE] ||
           sent->atom == XCB_ATOM_WM_NAME || sent->atom == XCB_ATOM_WM_CLASS;
}

static bool input(const xcb_ge_generic_event_t *sent, x11_event *event) {
    if (sent->event_type == XCB_INPUT_HIERARCHY) {
        event->kind = X11_BUTTONS_CHANGED;
        return true;
    }
    if (sent->event_type != XCB_INPUT_RAW_BUTTON_PRESS && sent->event_type != XCB_INPUT_RAW_BUTTON_RELEASE)
        return false;
    const xcb_input_raw_button_press_event_t *button = (const void *)sent;
    *event = (x11_event){.kind = X11_BUTTON,
                         .device = button->deviceid,
                         .button = button->detail,
                         .is_pressed = sent->event_type == XCB_INPUT_RAW_BUTTON_PRESS};
    return true;
}

static bool about(x11_event *event, x11_event_kind kind, uint32_t window) {
    *event = (x11_event){.kind = kind, .window = window};
    return true;
}

bool x11_translate(const x11_desktop *desktop, const xcb_generic_event_t *sent, x11_event *event) {
    *event = (x11_event){.kind = X11_NOTHING};
    uint8_t type = sent->response_type & (uint8_t)~SENT;
    /* Any client can send any event to any window. Only this one is sent for good reasons: a
     * window manager states a window's place with it. */
    if ((sent->response_type & SENT) && type != XCB_CONFIGURE_NOTIFY) return false;
    switch (type) {
    case XCB_CONFIGURE_NOTIFY: return configured(desktop, (const void *)sent, event);
    case XCB_PROPERTY_NOTIFY: return changed_property(desktop, (const void *)sent, event);
    case XCB_DESTROY_NOTIFY: {
        const xcb_destroy_notify_event_t *destroyed = (const void *)sent;
        return about(event, X11_DESTROYED, destroyed->window);
    }
    case XCB_UNMAP_NOTIFY: {
        const xcb_unmap_notify_event_t *unmapped = (const void *)sent;
        return about(event, X11_UNMAPPED, unmapped->window);
    }
    case XCB_MAP_NOTIFY: {
        const xcb_map_notify_event_t *mapped = (const void *)sent;
        about(event, X11_MAPPED, mapped->window);
        event->is_override_redirect = mapped->override_redirect;
        return true;
    }
    case XCB_REPARENT_NOTIFY: {
        const xcb_reparent_notify_event_t *reparented = (const void *)sent;
        return about(event, X11_REPARENTED, reparented->window);
    }
    case XCB_GE_GENERIC: {
        const xcb_ge_generic_event_t *generic = (const void *)sent;
        return generic->extension == desktop->input_opcode && input(generic, event);
    }
    default:
        event->kind = X11_SCREENS_CHANGED;
        return desktop->randr_event > 0 && (type == desktop->randr_event + XCB_RANDR_SCREEN_CHANGE_NOTIFY ||
                                            type == desktop->randr_event + XCB_RANDR_NOTIFY);
    }
}

#else
typedef int x11_events_without_headers;
#endif
