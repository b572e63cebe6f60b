/* Plain lines of a JSON Lines log. What is not plain is not judged here: see settle_json_lines.h. */
#include "json_values.h"
#include "scene_names.h"

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
    HAS_MEMBER = 1 << 10, /* any */
    HAS_REPORT = 1 << 11, /* of a report: not plain */
    HAS_SIZE = HAS_WIDTH | HAS_HEIGHT
};

/* The names, and the one that was found last: events come in runs of one scene. */
typedef struct name_run {
    const settle_log_names *names;
    uint32_t last;
} name_run;

static ALWAYS_INLINE const unsigned char *read_scene(const unsigned char *at, const unsigned char *end, name_run *run,
                                                     settle_log_event *event) {
    const unsigned char *name = at + 1;
    if (*at != '"' || !is_readable(name, end, 8 + AHEAD)) return NULL;
    uint64_t first = load8(name), stops = string_stops(first);
    if (stops != 0) {
        unsigned bits = lowest_bit(stops) & ~7u;
        first &= ((uint64_t)1 << bits) - 1;
        at = name + bits / 8;
        if (*at != '"') return NULL;
    } else {
        at = closing_quote(name + 8, end);
        if (!at) return NULL;
    }
    const size_t count = (size_t)(at - name);
    if (run->last == SETTLE_LOG_NO_NAME || !is_name(run->names, run->last, first, name, count)) {
        run->last = find_name(run->names, first, name, count);
        if (run->last == SETTLE_LOG_NO_NAME) return NULL;
    }
    event->name = run->last;
    return at + 1;
}

/* A flag, whose bit counts only together with the `known` one. */
static ALWAYS_INLINE const unsigned char *read_flag(const unsigned char *at, const unsigned char *end, unsigned known,
                                                    unsigned flag, settle_log_event *event) {
    bool value = false;
    at = read_bool(at, end, &value);
    event->flags |= (uint16_t)(value ? known | flag : known);
    return at;
}

static inline const unsigned char *read_button(const unsigned char *at, const unsigned char *end,
                                               settle_log_event *event) {
    uint64_t button = 0;
    at = read_integer(at, end, UINT32_MAX, &button);
    event->button = (uint32_t)button;
    return at;
}

static inline const unsigned char *read_kind(const unsigned char *at, const unsigned char *end, uint16_t *kind) {
    static const struct {
        char text[14];
        uint16_t kind, bytes;
    } kinds[] = {{"\"geometry\"", SETTLE_GEOMETRY, 10},
                 {"\"connect\"", SETTLE_CONNECT, 9},
                 {"\"disconnect\"", SETTLE_DISCONNECT, 12},
                 {"\"pointer\"", SETTLE_POINTER, 9}};
    if (!is_readable(at, end, 12 + AHEAD)) return NULL;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        *kind = kinds[i].kind;
        if (memcmp(at, kinds[i].text, kinds[i].bytes) == 0) return at + kinds[i].bytes;
    }
    return NULL;
}

static inline const unsigned char *read_orientation(const unsigned char *at, const unsigned char *end,
                                                    settle_log_event *event) {
    static const struct {
        char text[22];
        uint16_t orientation, bytes;
#define ORIENTATION(constant, number, word) {"\"" word "\"", constant, sizeof(word) + 1},
    } orientations[] = {SETTLE_ORIENTATIONS(ORIENTATION)};
    if (!is_readable(at, end, 20 + AHEAD)) return NULL;
    for (size_t i = 0; i < sizeof orientations / sizeof *orientations; i++) {
        if (memcmp(at, orientations[i].text, orientations[i].bytes) != 0) continue;
        event->flags |= (uint16_t)(orientations[i].orientation << SETTLE_ORIENTATION_SHIFT);
        return at + orientations[i].bytes;
    }
    return NULL;
}

/* Moves past a member whose key is none of the known ones: an ASCII key without escapes, directly
 * before its colon, and a value that is a string of that sort, a plain number, true, false or null. */
static const unsigned char *skip_member(const unsigned char *at, const unsigned char *end) {
    double number = 0;
    bool word = false;
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

/* What the member at `at` is, by its key; *bytes is the key's length with its quotes and colon. AHEAD
 * bytes are readable. */
static inline unsigned known_key(const unsigned char *at, size_t *bytes) {
/* No two other known keys begin with the same letter. */
#define IF_KEY(name, has)                                                                                              \
    *bytes = sizeof("\"" name "\":") - 1;                                                                              \
    return STARTS(at, "\"" name "\":") ? (has) : 0
    if (STARTS(at, "\"kept\":")) return HAS_REPORT;
    switch (at[1]) {
    case 't': IF_KEY("t_ns", HAS_TIME);
    case 's': IF_KEY("scene", HAS_SCENE);
    case 'w': IF_KEY("width", HAS_WIDTH);
    case 'h': IF_KEY("height", HAS_HEIGHT);
    case 'k': IF_KEY("kind", HAS_KIND);
    case 'b': IF_KEY("button", HAS_BUTTON);
    case 'p': IF_KEY("pressed", HAS_PRESSED);
    case 'r': IF_KEY("resizing", HAS_RESIZING);
    case 'l': IF_KEY("locked", HAS_LOCKED);
    case 'o': IF_KEY("orientation", HAS_ORIENTATION);
    case 'g': IF_KEY("generation", HAS_REPORT);
    case 'c': IF_KEY("cost_ns", HAS_REPORT);
    default: return 0;
    }
#undef IF_KEY
}

/* Reads a member into the event, from its key on; AHEAD bytes are readable. `has` is what it is. */
static const unsigned char *read_member(const unsigned char *at, const unsigned char *end, name_run *run,
                                        settle_log_event *event, unsigned *has) {
    size_t bytes = 0;
    *has = known_key(at, &bytes);
    if (*has == 0) return skip_member(at, end);
    at = skip_space(at + bytes, end);
    if (!at) return NULL;
    switch (*has) {
    case HAS_TIME: return read_integer(at, end, INT64_MAX, &event->at_ns);
    case HAS_SCENE: return read_scene(at, end, run, event);
    case HAS_WIDTH: return read_double(at, end, &event->width);
    case HAS_HEIGHT: return read_double(at, end, &event->height);
    case HAS_KIND: return read_kind(at, end, &event->kind);
    case HAS_BUTTON: return read_button(at, end, event);
    case HAS_PRESSED: return read_flag(at, end, 0, SETTLE_PRESSED, event);
    case HAS_RESIZING: return read_flag(at, end, SETTLE_RESIZING_KNOWN, SETTLE_RESIZING, event);
    case HAS_LOCKED: return read_flag(at, end, SETTLE_LOCKED_KNOWN, SETTLE_LOCKED, event);
    case HAS_REPORT: return NULL;
    default: return read_orientation(at, end, event);
    }
}

/* Reads the members that most lines begin with, as Settle writes them, without spaces: the time, the
 * scene, a size, the resize flag. Returns the place where something else stands. */
static ALWAYS_INLINE const unsigned char *read_usual(const unsigned char *at, const unsigned char *end, name_run *run,
                                                     settle_log_event *event, unsigned *all) {
    if (!STARTS(at, "{\"t_ns\":") || at[8] <= ' ') return at;
    at = read_integer(at + 8, end, INT64_MAX, &event->at_ns);
    *all = HAS_TIME;
    if (!at || !STARTS(at, ",\"scene\":\"")) return at;
    at = read_scene(at + 9, end, run, event);
    *all = HAS_TIME | HAS_SCENE;
    if (!at) return NULL;
    if (STARTS(at, ",\"width\":") && at[9] > ' ') {
        at = read_double(at + 9, end, &event->width);
        *all |= HAS_WIDTH;
        if (!at || !STARTS(at, ",\"height\":") || at[10] <= ' ') return at;
        at = read_double(at + 10, end, &event->height);
        *all |= HAS_HEIGHT;
        if (!at) return NULL;
    }
    if (!STARTS(at, ",\"resizing\":") || at[12] <= ' ') return at;
    *all |= HAS_RESIZING;
    return read_flag(at + 12, end, SETTLE_RESIZING_KNOWN, SETTLE_RESIZING, event);
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

/* Reads the members from `at` on, which is before a comma, or before the brace if there is none yet;
 * returns the place before the newline. */
static const unsigned char *read_rest(const unsigned char *at, const unsigned char *end, name_run *run,
                                      settle_log_event *event, unsigned *all) {
    unsigned has = 0;
    at = skip_space(at, end);
    while (at && *at == (*all ? ',' : '{')) {
        if (!is_readable(at, end, 2)) return NULL;
        at = skip_space(at + 1, end);
        if (!at || !is_readable(at, end, AHEAD) || *at != '"') return NULL;
        at = read_member(at, end, run, event, &has);
        if (!at || (*all & has)) return NULL;
        *all |= has | HAS_MEMBER;
        at = skip_space(at, end);
    }
    if (!at || *at != '}' || !is_readable(at, end, 2)) return NULL;
    at = skip_space(at + 1, end);
    return at && *at == '\n' ? at - 1 : NULL;
}

/* Reads one line; returns the place behind its newline, or NULL. */
static ALWAYS_INLINE const unsigned char *read_line(const unsigned char *at, const unsigned char *end, name_run *run,
                                                    settle_log_event *event) {
    unsigned all = 0;
    event->width = event->height = 0;
    event->kind = SETTLE_GEOMETRY;
    event->flags = 0;
    if (!is_readable(at, end, AHEAD)) return NULL;
    at = read_usual(at, end, run, event, &all);
    if (!at) return NULL;
    if (RARELY(!STARTS(at, "}\n"))) {
        at = read_rest(at, end, run, event, &all);
        if (!at) return NULL;
    }
    if (!is_event(event, all & ~(unsigned)HAS_MEMBER)) return NULL;
    if (all & HAS_WIDTH) event->flags |= SETTLE_SIZE_KNOWN;
    return at + 2;
}

size_t settle_log_read_json_lines(const unsigned char *bytes, size_t count, size_t line_bytes_max,
                                  const settle_log_names *names, settle_log_event *events, size_t capacity,
                                  size_t *used) {
    const unsigned char *at = bytes, *end = bytes + count;
    name_run run = {names, SETTLE_LOG_NO_NAME};
    size_t lines = 0;
    for (; lines < capacity; lines++) {
        settle_log_event event;
        const unsigned char *next = read_line(at, end, &run, &event);
        if (!next || (size_t)(next - 1 - at) > line_bytes_max) break;
        events[lines] = event;
        at = next;
    }
    *used = (size_t)(at - bytes);
    return lines;
}
