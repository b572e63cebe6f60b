/* Plain lines of a JSON Lines log. What is not plain is not judged here: see settle_json_lines.h. */
#include "json_values.h"
#include "names.h"

/* What a line's keys have said. */
enum {
    HAS_TIME = 1 << 0,
    HAS_SCENE = 1 << 1,
    HAS_WIDTH = 1 << 2,
    HAS_HEIGHT = 1 << 3,
    HAS_KIND = 1 << 4,
    HAS_BUTTON = 1 << 5,
    HAS_PRESSED = 1 << 6,
    HAS_RESIZING = 1 << 7,
    HAS_LOCKED = 1 << 8,
    HAS_ORIENTATION = 1 << 9,
    HAS_SIZE = HAS_WIDTH | HAS_HEIGHT
};

/* Eight readable bytes as an integer, for comparisons with literals. */
static inline uint64_t text8(const char *text) { return load8((const unsigned char *)text); }

static inline const unsigned char *read_scene(const unsigned char *at, const unsigned char *end,
                                              const settle_log_names *names, settle_log_event *event) {
    if (*at != '"') return NULL;
    const unsigned char *name = at + 1;
    at = closing_quote(name, end);
    if (!at) return NULL;
    size_t count = (size_t)(at - name);
    uint64_t first = load8(name);
    if (count < 8) first &= ((uint64_t)1 << (8 * count)) - 1;
    event->name = find_name(names, first, name, count);
    return event->name != SETTLE_LOG_NO_NAME ? at + 1 : NULL;
}

static inline const unsigned char *read_kind(const unsigned char *at, const unsigned char *end, uint16_t *kind) {
    if (!is_readable(at, end, 12 + AHEAD)) return NULL;
    if (STARTS(at, "\"pointer\"")) {
        *kind = SETTLE_POINTER;
        return at + 9;
    }
    if (STARTS(at, "\"geometry\"")) {
        *kind = SETTLE_GEOMETRY;
        return at + 10;
    }
    if (STARTS(at, "\"connect\"")) {
        *kind = SETTLE_CONNECT;
        return at + 9;
    }
    *kind = SETTLE_DISCONNECT;
    return STARTS(at, "\"disconnect\"") ? at + 12 : NULL;
}

static inline const unsigned char *read_orientation(const unsigned char *at, const unsigned char *end,
                                                    unsigned *orientation) {
    if (!is_readable(at, end, 20 + AHEAD)) return NULL;
    if (STARTS(at, "\"portrait\"")) {
        *orientation = SETTLE_PORTRAIT;
        return at + 10;
    }
    if (STARTS(at, "\"landscapeLeft\"")) {
        *orientation = SETTLE_LANDSCAPE_LEFT;
        return at + 15;
    }
    if (STARTS(at, "\"landscapeRight\"")) {
        *orientation = SETTLE_LANDSCAPE_RIGHT;
        return at + 16;
    }
    *orientation = SETTLE_PORTRAIT_UPSIDE_DOWN;
    return STARTS(at, "\"portraitUpsideDown\"") ? at + 20 : NULL;
}

/* Moves past a member whose key is none of the known ones: an ASCII key without escapes, directly
 * before its colon, and a value that is a string of that sort, a plain number, true, false or null. */
static const unsigned char *skip_member(const unsigned char *at, const unsigned char *end) {
    double number;
    bool word;
    const unsigned char *start = at;
    at = closing_quote(at + 1, end);
    if (!at || at[1] != ':') return NULL;
    const unsigned char *value = skip_space(at + 2, end);
    if (!value) return NULL;
    switch (*value) {
    case '"': at = closing_quote(value + 1, end); break;
    case 't':
    case 'f': at = read_bool(value, end, &word); break;
    case 'n': at = is_readable(value, end, 4 + AHEAD) && STARTS(value, "null") ? value + 4 : NULL; break;
    default: at = read_double(value, end, &number); break;
    }
    if (!at) return NULL;
    for (const unsigned char *byte = start; byte < at; byte++) {
        if (*byte >= 0x80) return NULL;
    }
    return *value == '"' ? at + 1 : at;
}

/* Reads the members that are not in every line; `at` is at the key's quote. */
static const unsigned char *read_rare_member(const unsigned char *at, const unsigned char *end, settle_log_event *event,
                                             unsigned *has) {
    uint64_t number;
    unsigned orientation;
    bool word;
    if (STARTS(at, "\"kind\":")) {
        *has = HAS_KIND;
        at = skip_space(at + 7, end);
        return at ? read_kind(at, end, &event->kind) : NULL;
    }
    if (STARTS(at, "\"locked\":")) {
        *has = HAS_LOCKED;
        at = skip_space(at + 9, end);
        if (!at || !(at = read_bool(at, end, &word))) return NULL;
        event->flags |= word ? SETTLE_LOCKED_KNOWN | SETTLE_LOCKED : SETTLE_LOCKED_KNOWN;
        return at;
    }
    if (STARTS(at, "\"orientation\":")) {
        *has = HAS_ORIENTATION;
        at = skip_space(at + 14, end);
        if (!at || !(at = read_orientation(at, end, &orientation))) return NULL;
        event->flags |= (uint16_t)(orientation << SETTLE_ORIENTATION_SHIFT);
        return at;
    }
    if (STARTS(at, "\"button\":")) {
        *has = HAS_BUTTON;
        at = skip_space(at + 9, end);
        if (!at || !(at = read_integer(at, end, UINT32_MAX, &number))) return NULL;
        event->button = (uint32_t)number;
        return at;
    }
    if (STARTS(at, "\"pressed\":")) {
        *has = HAS_PRESSED;
        at = skip_space(at + 10, end);
        if (!at || !(at = read_bool(at, end, &word))) return NULL;
        if (word) event->flags |= SETTLE_PRESSED;
        return at;
    }
    *has = 0;
    return skip_member(at, end);
}

/* Reads a key and its value into the event, from the key's quote on; AHEAD bytes are readable. */
static inline const unsigned char *read_member(const unsigned char *at, const unsigned char *end,
                                               const settle_log_names *names, settle_log_event *event, unsigned *has) {
    const uint64_t seven = UINT64_MAX >> 8;
    bool word;
    uint64_t key = load8(at);
    if ((key & seven) == text8("\"t_ns\":")) {
        *has = HAS_TIME;
        at = skip_space(at + 7, end);
        return at ? read_integer(at, end, INT64_MAX, &event->at_ns) : NULL;
    }
    if (key == text8("\"scene\":")) {
        *has = HAS_SCENE;
        at = skip_space(at + 8, end);
        return at ? read_scene(at, end, names, event) : NULL;
    }
    if (key == text8("\"width\":")) {
        *has = HAS_WIDTH;
        at = skip_space(at + 8, end);
        return at ? read_double(at, end, &event->width) : NULL;
    }
    if (key == text8("\"height\"") && at[8] == ':') {
        *has = HAS_HEIGHT;
        at = skip_space(at + 9, end);
        return at ? read_double(at, end, &event->height) : NULL;
    }
    if (key == text8("\"resizin") && STARTS(at + 8, "g\":")) {
        *has = HAS_RESIZING;
        at = skip_space(at + 11, end);
        if (!at || !(at = read_bool(at, end, &word))) return NULL;
        event->flags |= word ? SETTLE_RESIZING_KNOWN | SETTLE_RESIZING : SETTLE_RESIZING_KNOWN;
        return at;
    }
    return *at == '"' ? read_rare_member(at, end, event, has) : NULL;
}

/* Whether these keys make an event of this kind, and no other key does. */
static inline bool is_event(const settle_log_event *event, unsigned has) {
    if (event->kind == SETTLE_GEOMETRY) {
        unsigned size = has & HAS_SIZE;
        return (has & (HAS_TIME | HAS_SCENE | HAS_BUTTON | HAS_PRESSED)) == (HAS_TIME | HAS_SCENE) &&
               (size == 0 || size == HAS_SIZE);
    }
    if (event->kind == SETTLE_POINTER) return has == (HAS_TIME | HAS_KIND | HAS_BUTTON | HAS_PRESSED);
    return has == (HAS_TIME | HAS_KIND | HAS_SCENE);
}

/* Reads one line; returns the place behind its newline, or NULL. */
static inline const unsigned char *read_line(const unsigned char *at, const unsigned char *end,
                                             const settle_log_names *names, settle_log_event *event) {
    unsigned all = 0, has = 0;
    event->width = event->height = 0;
    event->kind = SETTLE_GEOMETRY;
    event->flags = 0;
    if (!is_readable(at, end, 1 + AHEAD) || *at != '{') return NULL;
    do {
        at = skip_space(at + 1, end);
        if (!at || !is_readable(at, end, AHEAD)) return NULL;
        at = read_member(at, end, names, event, &has);
        if (!at || (!FAULT(JSON_KEY_REPEATED) && (all & has))) return NULL;
        all |= has;
        at = skip_space(at, end);
        if (!at || !is_readable(at, end, 2)) return NULL;
    } while (*at == ',');
    if (*at != '}' || !is_event(event, all)) return NULL;
    if (all & HAS_WIDTH) event->flags |= SETTLE_SIZE_KNOWN;
    at = skip_space(at + 1, end);
    return at && *at == '\n' ? at + 1 : NULL;
}

size_t settle_log_read_json_lines(const unsigned char *bytes, size_t count, size_t line_bytes_max,
                                  const settle_log_names *names, settle_log_event *events, size_t capacity,
                                  size_t *used) {
    const unsigned char *at = bytes, *end = bytes + count;
    size_t lines = 0;
    for (; lines < capacity; lines++) {
        settle_log_event event;
        const unsigned char *next = read_line(at, end, names, &event);
        if (!next || (size_t)(next - 1 - at) > line_bytes_max) break;
        events[lines] = event;
        at = next;
    }
    *used = (size_t)(at - bytes);
    return lines;
}
