#define _GNU_SOURCE
#include "x11_private.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static x11_desktop *fails(char *message, const char *text) {
    snprintf(message, X11_MESSAGE_MAX, "%s", text);
    return NULL;
}

#ifdef X11_HAS_HEADERS

/* Whether something accepts connections where a local display's server listens. */
static bool has_server(int display) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    snprintf(address.sun_path, sizeof address.sun_path, "/tmp/.X11-unix/X%d", display);
    int descriptor = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (descriptor < 0) return false;
    bool accepts = connect(descriptor, (const struct sockaddr *)&address, sizeof address) == 0;
    close(descriptor);
    return accepts;
}

static x11_desktop *fails_to_connect(const char *display, int error, char *message) {
    char *host = NULL;
    int number = 0;
    int screen = 0;
    const char *name = display ? display : getenv("DISPLAY");
    if (!name || !*name)
        return fails(message, "there is no X display: $DISPLAY is not set; start this in an X session, or name a"
                              " display such as :0");
    if (error == XCB_CONN_CLOSED_PARSE_ERR || !x11.xcb_parse_display(name, &host, &number, &screen)) {
        snprintf(message, X11_MESSAGE_MAX, "'%s' is not the name of an X display, which looks like :0 or host:0.0",
                 name);
        return NULL;
    }
    bool is_local = !*host;
    free(host);
    if (error == XCB_CONN_CLOSED_INVALID_SCREEN)
        snprintf(message, X11_MESSAGE_MAX, "the X display '%s' has no screen %d; leave it out to get the first", name,
                 screen);
    else if (is_local && has_server(number))
        snprintf(message, X11_MESSAGE_MAX,
                 "the X server of display '%s' refuses the connection; run this as the user who is logged in there, or"
                 " set $XAUTHORITY to the file with the display's key",
                 name);
    else
        snprintf(message, X11_MESSAGE_MAX,
                 "no X server answers for the display '%s'; see that it runs and that $DISPLAY is right", name);
    return NULL;
}

static const xcb_screen_t *screen_of(xcb_connection_t *connection, int number) {
    xcb_screen_iterator_t screen = x11.xcb_setup_roots_iterator(x11.xcb_get_setup(connection));
    while (screen.rem > 1 && number-- > 0) x11.xcb_screen_next(&screen);
    return screen.rem > 0 ? screen.data : NULL;
}

static bool intern_atoms(x11_desktop *desktop) {
    static const char *const names[ATOM_COUNT] = {[ATOM_CLIENT_LIST] = "_NET_CLIENT_LIST",
                                                  [ATOM_CHECK] = "_NET_SUPPORTING_WM_CHECK",
                                                  [ATOM_NAME] = "_NET_WM_NAME",
                                                  [ATOM_STATE] = "WM_STATE",
                                                  [ATOM_UTF8] = "UTF8_STRING"};
    xcb_intern_atom_cookie_t cookies[ATOM_COUNT];
    bool all = true;
    for (int i = 0; i < ATOM_COUNT; i++)
        cookies[i] = x11.xcb_intern_atom(desktop->connection, 0, (uint16_t)strlen(names[i]), names[i]);
    for (int i = 0; i < ATOM_COUNT; i++) {
        xcb_intern_atom_reply_t *reply = x11.xcb_intern_atom_reply(desktop->connection, cookies[i], NULL);
        if (reply) desktop->atoms[i] = reply->atom;
        else all = false;
        free(reply);
    }
    return all;
}

/* XInput 2.1 is the first whose raw events come in spite of other clients' grabs, which is what
 * a window manager has during a drag. */
static bool has_input(x11_desktop *desktop) {
    const xcb_query_extension_reply_t *input = x11.xcb_get_extension_data(desktop->connection, x11.xcb_input_id);
    if (!input || !input->present) return false;
    desktop->input_opcode = input->major_opcode;
    xcb_input_xi_query_version_reply_t *version = x11.xcb_input_xi_query_version_reply(
        desktop->connection, x11.xcb_input_xi_query_version(desktop->connection, 2, 1), NULL);
    bool is_new =
        version && (version->major_version > 2 || (version->major_version == 2 && version->minor_version >= 1));
    free(version);
    return is_new;
}

static void select_input(x11_desktop *desktop) {
    /* Master devices only: a press is reported for its slave device as well. */
    struct {
        xcb_input_event_mask_t head;
        uint32_t mask;
    } masks[2];
    masks[0].head = (xcb_input_event_mask_t){XCB_INPUT_DEVICE_ALL_MASTER, 1};
    masks[0].mask = XCB_INPUT_XI_EVENT_MASK_RAW_BUTTON_PRESS | XCB_INPUT_XI_EVENT_MASK_RAW_BUTTON_RELEASE;
    masks[1].head = (xcb_input_event_mask_t){XCB_INPUT_DEVICE_ALL, 1};
    masks[1].mask = XCB_INPUT_XI_EVENT_MASK_HIERARCHY;
    x11.xcb_input_xi_select_events(desktop->connection, desktop->root, 2, &masks[0].head);
}

/* Whether all outputs, of which there is at least one, have the names that XWayland gives. */
static bool has_xwayland_outputs(x11_desktop *desktop,
                                 const xcb_randr_get_screen_resources_current_reply_t *resources) {
    static const char prefix[] = "XWAYLAND";
    const xcb_randr_output_t *outputs = x11.xcb_randr_get_screen_resources_current_outputs(resources);
    int count = x11.xcb_randr_get_screen_resources_current_outputs_length(resources);
    bool all = count > 0;
    for (int i = 0; i < count && all; i++) {
        xcb_randr_get_output_info_reply_t *output = x11.xcb_randr_get_output_info_reply(
            desktop->connection, x11.xcb_randr_get_output_info(desktop->connection, outputs[i], XCB_CURRENT_TIME),
            NULL);
        all = output && x11.xcb_randr_get_output_info_name_length(output) >= (int)sizeof prefix - 1 &&
              memcmp(x11.xcb_randr_get_output_info_name(output), prefix, sizeof prefix - 1) == 0;
        free(output);
    }
    return all;
}

static void find_randr(x11_desktop *desktop) {
    const xcb_query_extension_reply_t *randr = x11.xcb_get_extension_data(desktop->connection, x11.xcb_randr_id);
    if (!randr || !randr->present) return;
    xcb_randr_query_version_reply_t *version = x11.xcb_randr_query_version_reply(
        desktop->connection, x11.xcb_randr_query_version(desktop->connection, 1, 3), NULL);
    bool is_new = version && (version->major_version > 1 || version->minor_version >= 3);
    free(version);
    if (!is_new) return;
    desktop->randr_event = randr->first_event;
    x11.xcb_randr_select_input(desktop->connection, desktop->root,
                               XCB_RANDR_NOTIFY_MASK_SCREEN_CHANGE | XCB_RANDR_NOTIFY_MASK_CRTC_CHANGE);
    xcb_randr_get_screen_resources_current_reply_t *resources = x11.xcb_randr_get_screen_resources_current_reply(
        desktop->connection, x11.xcb_randr_get_screen_resources_current(desktop->connection, desktop->root), NULL);
    desktop->is_xwayland = resources && has_xwayland_outputs(desktop, resources);
    free(resources);
}

/* Newer XWaylands have an extension of this name; older ones show it by their outputs alone. */
static bool has_xwayland_extension(x11_desktop *desktop) {
    static const char name[] = "XWAYLAND";
    xcb_query_extension_reply_t *reply = x11.xcb_query_extension_reply(
        desktop->connection, x11.xcb_query_extension(desktop->connection, sizeof name - 1, name), NULL);
    bool is_present = reply && reply->present;
    free(reply);
    return is_present;
}

static x11_desktop *fails_and_closes(x11_desktop *desktop, char *message, const char *text) {
    x11_desktop_close(desktop);
    return fails(message, text);
}

x11_desktop *x11_connect(const char *display, char *message) {
    const char *package = x11_library_load();
    if (package) {
        /* Without a free descriptor no library can be loaded, whatever is installed. */
        int free_descriptor = dup(STDERR_FILENO);
        if (free_descriptor < 0) {
            snprintf(message, X11_MESSAGE_MAX, "the library of Debian's package %s cannot be loaded: %s", package,
                     strerror(errno));
            return NULL;
        }
        close(free_descriptor);
        snprintf(message, X11_MESSAGE_MAX,
                 "the library of Debian's package %s cannot be loaded; install it by: apt-get install %s", package,
                 package);
        return NULL;
    }
    int number = 0;
    xcb_connection_t *connection = x11.xcb_connect(display, &number);
    int error = x11.xcb_connection_has_error(connection);
    x11_desktop *desktop = error ? NULL : calloc(1, sizeof *desktop);
    if (!desktop) {
        x11.xcb_disconnect(connection);
        return error ? fails_to_connect(display, error, message)
                     : fails(message, "there is no memory for a connection to X");
    }
    desktop->connection = connection;
    const xcb_screen_t *screen = screen_of(connection, number);
    if (!screen) return fails_and_closes(desktop, message, "the X server has no screen");
    desktop->root = screen->root;
    desktop->screen = number;
    static const char closed[] = "the X server closed the connection while it was opened; try again";
    bool sees_buttons = has_input(desktop);
    if (x11.xcb_connection_has_error(connection)) return fails_and_closes(desktop, message, closed);
    if (!sees_buttons)
        return fails_and_closes(
            desktop, message,
            "the X server has no XInput 2.1, without which a drag's end cannot be seen; use an X.Org"
            " server of version 1.11 or later with the extension XInputExtension");
    find_randr(desktop);
    desktop->is_xwayland = desktop->is_xwayland || has_xwayland_extension(desktop);
    const uint32_t root_mask = XCB_EVENT_MASK_PROPERTY_CHANGE | XCB_EVENT_MASK_SUBSTRUCTURE_NOTIFY;
    x11.xcb_change_window_attributes(connection, desktop->root, XCB_CW_EVENT_MASK, &root_mask);
    if (!desktop->is_xwayland) select_input(desktop);
    if (!intern_atoms(desktop)) return fails_and_closes(desktop, message, closed);
    return desktop;
}

void x11_desktop_close(x11_desktop *desktop) {
    if (!desktop) return;
    x11.xcb_disconnect(desktop->connection);
    free(desktop->pending);
    free(desktop->held);
    free(desktop->answer);
    free(desktop->listed_answer);
    free(desktop->buttons);
    free(desktop);
}

int x11_desktop_descriptor(const x11_desktop *desktop) { return x11.xcb_get_file_descriptor(desktop->connection); }

bool x11_desktop_is_xwayland(const x11_desktop *desktop) { return desktop->is_xwayland; }

int x11_desktop_screen(const x11_desktop *desktop) { return desktop->screen; }

int x11_desktop_screen_count(const x11_desktop *desktop) { return x11.xcb_get_setup(desktop->connection)->roots_len; }

/* Takes the oldest answer if it has come. Returns whether it has; *event is set if it is its
 * question's last one. */
static bool poll_answer(x11_desktop *desktop, x11_event *event) {
    x11_pending oldest = desktop->pending[desktop->pending_first];
    void *answer = NULL;
    xcb_generic_error_t *error = NULL;
    if (!x11.xcb_poll_for_reply(desktop->connection, oldest.sequence, &answer, &error)) return false;
    /* An error is an answer too: the window was destroyed before the server saw the question. */
    free(error);
    desktop->pending_first = (desktop->pending_first + 1) & (desktop->pending_capacity - 1);
    desktop->pending_count--;
    x11_take_answer(desktop, oldest, answer, event);
    return true;
}

/* Whether the event happened before the server answered the oldest question. Sequence numbers
 * wrap around. */
static bool is_before_answer(const x11_desktop *desktop, const xcb_generic_event_t *sent) {
    if (desktop->pending_count == 0) return true;
    return (int32_t)(sent->full_sequence - desktop->pending[desktop->pending_first].sequence) < 0;
}

x11_event x11_desktop_next(x11_desktop *desktop) {
    x11_event event = {.kind = X11_NOTHING};
    if (desktop->has_no_memory) event.kind = X11_NO_MEMORY;
    while (event.kind == X11_NOTHING) {
        if (desktop->is_flush_due) {
            desktop->is_flush_due = false;
            x11.xcb_flush(desktop->connection);
        }
        if (!desktop->held) desktop->held = x11.xcb_poll_for_event(desktop->connection);
        if (desktop->held && is_before_answer(desktop, desktop->held)) {
            if (!x11_translate(desktop, desktop->held, &event)) event.kind = X11_NOTHING;
            free(desktop->held);
            desktop->held = NULL;
        } else if (desktop->pending_count == 0 || !poll_answer(desktop, &event)) {
            if (x11.xcb_connection_has_error(desktop->connection)) event.kind = X11_CLOSED;
            return event;
        }
    }
    return event;
}

#else

x11_desktop *x11_desktop_open(const char *display, uint32_t limit_ms, char *message) {
    (void)display, (void)limit_ms;
    return fails(message, "this program was built without X11; install what it needs by: apt-get install libxcb1-dev"
                          " libxcb-randr0-dev libxcb-xinput-dev, then rebuild it from scratch: swift package clean");
}

/* Nothing else is ever called: there is no desktop. */
void x11_desktop_close(x11_desktop *desktop) { (void)desktop; }
int x11_desktop_descriptor(const x11_desktop *desktop) { return (void)desktop, -1; }
bool x11_desktop_is_xwayland(const x11_desktop *desktop) { return (void)desktop, false; }
int x11_desktop_screen(const x11_desktop *desktop) { return (void)desktop, 0; }
int x11_desktop_screen_count(const x11_desktop *desktop) { return (void)desktop, 0; }
x11_event x11_desktop_next(x11_desktop *desktop) { return (void)desktop, (x11_event){.kind = X11_CLOSED}; }
void x11_desktop_ask_windows(x11_desktop *desktop) { (void)desktop; }
void x11_desktop_ask_children(x11_desktop *desktop, uint32_t window) { (void)desktop, (void)window; }
void x11_desktop_describe(x11_desktop *desktop, uint32_t window) { (void)desktop, (void)window; }
void x11_desktop_ask_buttons(x11_desktop *desktop) { (void)desktop; }
void x11_desktop_ask_screens(x11_desktop *desktop) { (void)desktop; }

#endif
