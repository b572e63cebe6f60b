/* What event logs have in JSON: events, headers and policies. */
#include "json_problem.h"

static bool fail(settle_json *json, const char *problem, size_t count) {
    if (json->problem_count == 0) json_add(json, problem, count);
    return false;
}

#define FAIL(json, literal) fail(json, literal, sizeof literal - 1)

static bool is_at_end(settle_json *json) { return settle_json_peek(json) < 0; }

/* --- Events --- */

/* What a line's keys have said. */
enum {
    HAS_TIME = 1,
    HAS_WIDTH = 2,
    HAS_HEIGHT = 4,
    HAS_BUTTON = 8,
    HAS_PRESSED = 16,
    HAS_GENERATION = 32,
    HAS_COST = 64
};

/* What belongs to some kinds only. */
typedef struct other_members {
    uint32_t button, generation;
    uint64_t cost_ns;
    uint16_t given_up; /* SETTLE_GIVEN_UP or 0 */
} other_members;

static bool read_kind(settle_json *json, uint16_t *kind) {
    settle_json_string text;
    if (!settle_json_read_string(json, &text)) return false;
    *kind = SETTLE_GEOMETRY;
    if (IS(&text, "geometry")) return true;
    *kind = SETTLE_POINTER;
    if (IS(&text, "pointer")) return true;
    *kind = SETTLE_CONNECT;
    if (IS(&text, "connect")) return true;
    *kind = SETTLE_DISCONNECT;
    if (IS(&text, "disconnect")) return true;
    *kind = SETTLE_FINISHED;
    if (IS(&text, "finished")) return true;
    *kind = SETTLE_PREVIEWED;
    if (IS(&text, "previewed")) return true;
    JSON_SAY(json, "unknown kind \"");
    settle_json_quote_string(json, &text);
    JSON_SAY(json, "\"; known are geometry, connect, disconnect, pointer, finished and previewed");
    return false;
}

static bool read_orientation(settle_json *json, uint16_t *flags) {
    settle_json_string text;
    if (!settle_json_read_string(json, &text)) return false;
    unsigned found = SETTLE_ORIENTATION_NONE;
#define FIND(constant, number, word)                                                                                   \
    if (IS(&text, word)) found = constant;
    SETTLE_ORIENTATIONS(FIND)
    *flags = (uint16_t)((*flags & ~(unsigned)SETTLE_ORIENTATION_MASK) | found << SETTLE_ORIENTATION_SHIFT);
    if (found != SETTLE_ORIENTATION_NONE) return true;
    JSON_SAY(json, "unknown orientation \"");
    settle_json_quote_string(json, &text);
#define AND(constant, number, word) word ", "
    static const char known[] = SETTLE_ORIENTATIONS(AND);
    JSON_SAY(json, "\"; known are ");
    json_add(json, known, sizeof known - sizeof ", ");
    return false;
}

static bool read_flag(settle_json *json, unsigned known, unsigned flag, uint16_t *flags) {
    bool value;
    if (!settle_json_read_bool(json, &value)) return false;
    *flags = (uint16_t)((*flags & ~(known | flag)) | known | (value ? flag : 0));
    return true;
}

static bool read_scene(settle_json *json, settle_json_string *scene) {
    if (!settle_json_read_string(json, scene)) return false;
    if (scene->decoded <= SETTLE_LOG_NAME_MAX) return true;
    JSON_SAY(json, "a scene's name must be valid UTF-8 of at most ");
    settle_json_add_number(json, SETTLE_LOG_NAME_MAX);
    JSON_SAY(json, " bytes");
    return false;
}

static bool read_uint32(settle_json *json, uint32_t *value) {
    uint64_t number;
    if (!settle_json_read_integer(json, UINT32_MAX, &number)) return false;
    *value = (uint32_t)number;
    return true;
}

static bool read_member(settle_json *json, const settle_json_string *key, settle_json_double parse,
                        settle_json_event *to, other_members *others, unsigned *has) {
    settle_log_event *event = &to->event;
    if (IS(key, "t_ns")) {
        *has |= HAS_TIME;
        return settle_json_read_integer(json, INT64_MAX, &event->at_ns);
    }
    if (IS(key, "scene")) return read_scene(json, &to->scene);
    if (IS(key, "width")) {
        *has |= HAS_WIDTH;
        return settle_json_read_double(json, parse, &event->width);
    }
    if (IS(key, "height")) {
        *has |= HAS_HEIGHT;
        return settle_json_read_double(json, parse, &event->height);
    }
    if (IS(key, "resizing")) return read_flag(json, SETTLE_RESIZING_KNOWN, SETTLE_RESIZING, &event->flags);
    if (IS(key, "kind")) return read_kind(json, &event->kind);
    if (IS(key, "locked")) return read_flag(json, SETTLE_LOCKED_KNOWN, SETTLE_LOCKED, &event->flags);
    if (IS(key, "orientation")) return read_orientation(json, &event->flags);
    if (IS(key, "button")) {
        *has |= HAS_BUTTON;
        return read_uint32(json, &others->button);
    }
    if (IS(key, "generation")) {
        *has |= HAS_GENERATION;
        return read_uint32(json, &others->generation);
    }
    if (IS(key, "cost_ns")) {
        *has |= HAS_COST;
        return settle_json_read_integer(json, INT64_MAX, &others->cost_ns);
    }
    if (IS(key, "pressed")) {
        *has |= HAS_PRESSED;
        return read_flag(json, 0, SETTLE_PRESSED, &event->flags);
    }
    if (IS(key, "kept")) {
        bool is_kept;
        if (!settle_json_read_bool(json, &is_kept)) return false;
        others->given_up = is_kept ? 0 : SETTLE_GIVEN_UP;
        return true;
    }
    to->has_short_size |= IS(key, "w") || IS(key, "h");
    return settle_json_skip_value(json);
}

/* Makes the event of its kind, without what belongs to others. */
static bool make_event(settle_json *json, settle_json_event *made, const other_members *others, unsigned has) {
    settle_log_event *event = &made->event;
    const uint16_t flags = event->flags;
    if (!(has & HAS_TIME)) return FAIL(json, "\"t_ns\" is missing");
    event->flags = 0;
    if (event->kind == SETTLE_POINTER) {
        if (!(has & HAS_BUTTON)) return FAIL(json, "\"button\" is missing");
        if (!(has & HAS_PRESSED)) return FAIL(json, "\"pressed\" is missing");
        made->scene.bytes = NULL;
        event->button = others->button;
        event->flags = flags & SETTLE_PRESSED;
    } else if (!made->scene.bytes) {
        return FAIL(json, "\"scene\" is missing");
    }
    if (settle_event_is_report(event->kind)) {
        if (!(has & HAS_GENERATION)) return FAIL(json, "\"generation\" is missing");
        if (!(has & HAS_COST)) return FAIL(json, "\"cost_ns\" is missing");
        const settle_event report = settle_event_finished(0, 0, others->generation, others->cost_ns);
        event->cost_ns = report.cost_ns;
        event->generation = report.generation;
        if (event->kind == SETTLE_PREVIEWED) event->flags = others->given_up;
        return true;
    }
    if (event->kind != SETTLE_GEOMETRY) {
        event->width = event->height = 0;
        return true;
    }
    const unsigned size = has & (HAS_WIDTH | HAS_HEIGHT);
    if (size == HAS_WIDTH) return FAIL(json, "\"width\" without \"height\"");
    if (size == HAS_HEIGHT) return FAIL(json, "\"height\" without \"width\"");
    event->flags = (uint16_t)((flags & ~(unsigned)SETTLE_PRESSED) | (size ? SETTLE_SIZE_KNOWN : 0));
    return true;
}

bool settle_json_read_event(settle_json *json, settle_json_double parse, settle_json_event *event) {
    settle_json_string key;
    bool is_first = true;
    other_members others = {0, 0, 0, 0};
    unsigned has = 0;
    memset(event, 0, sizeof *event);
    while (settle_json_next_member(json, &is_first, &key)) {
        if (!read_member(json, &key, parse, event, &others, &has)) return false;
    }
    if (json->problem_count > 0) return false;
    if (!is_at_end(json)) return FAIL(json, "something follows the event's object");
    return make_event(json, event, &others, has);
}

/* --- Policies --- */

static void add_name(settle_json *json, uint32_t field) {
    const char *name = settle_policy_field_at(field)->name;
    for (size_t i = 0; name[i]; i++) json_add(json, name + i, 1);
}

static bool fail_policy(settle_json *json, int fault, const settle_policy *policy, uint32_t field, const char *text,
                        size_t count) {
    char problem[SETTLE_JSON_PROBLEM_MAX];
    settle_json quoted;
    quoted.problem_count = 0;
    if (text) settle_json_quote(&quoted, (const unsigned char *)text, count);
    add_name(json, field);
    JSON_SAY(json, " ");
    json_add(
        json, problem,
        settle_policy_explain(fault, policy, field, quoted.problem, quoted.problem_count, problem, sizeof problem));
    return false;
}

/* Reads a member's value into the field. */
static bool read_duration(settle_json *json, settle_policy *policy, uint32_t field) {
    unsigned char decoded[QUOTED_MAX];
    settle_json_string string = {NULL, 0, 0};
    int next = settle_json_peek(json);
    if (next == 'n') {
        if (!settle_json_skip_value(json)) return false;
    } else if (next == '"') {
        if (!settle_json_read_string(json, &string)) return false;
        /* A longer text is no duration with its escapes, whatever they stand for. */
        if (string.decoded != string.count && string.decoded <= sizeof decoded) {
            settle_json_decode(&string, decoded);
            string = (settle_json_string){decoded, string.decoded, string.decoded};
        }
    } else {
        add_name(json, field);
        if (settle_policy_field_at(field)->is_percentage) JSON_SAY(json, " must be a string such as \"30%\"");
        else JSON_SAY(json, " must be a string with a unit, such as \"50ms\"");
        return false;
    }
    const char *text = (const char *)string.bytes;
    int fault = settle_policy_set(policy, field, text, string.count);
    return fault == SETTLE_POLICY_FINE || fail_policy(json, fault, policy, field, text, string.count);
}

/* The field that a key names. */
static bool find_field(settle_json *json, const settle_json_string *key, uint32_t *field) {
    unsigned char name[QUOTED_MAX];
    size_t count = key->decoded < sizeof name ? key->decoded : 0;
    if (count > 0) settle_json_decode(key, name);
    *field = settle_policy_find((const char *)name, count);
    if (*field != SETTLE_POLICY_NO_FIELD) return true;
    char problem[SETTLE_JSON_PROBLEM_MAX];
    settle_json_quote_string(json, key);
    JSON_SAY(json, " ");
    json_add(json, problem, settle_policy_explain_name((const char *)name, count, problem, sizeof problem));
    return false;
}

bool settle_json_read_policy(settle_json *json, settle_policy *policy) {
    settle_json_string key;
    bool is_first = true;
    uint32_t given = 0, field = 0;
    *policy = settle_policy_default();
    if (settle_json_peek(json) != '{') return FAIL(json, "a policy is an object, such as {\"lockDelay\":\"100ms\"}");
    while (settle_json_next_member(json, &is_first, &key)) {
        if (!find_field(json, &key, &field)) return false;
        if (given >> field & 1) {
            add_name(json, field);
            JSON_SAY(json, " is given twice");
            return false;
        }
        given |= (uint32_t)1 << field;
        if (!read_duration(json, policy, field)) return false;
    }
    if (json->problem_count > 0) return false;
    int fault = settle_policy_check(policy, &field);
    return fault == SETTLE_POLICY_FINE || fail_policy(json, fault, policy, field, NULL, 0);
}

/* --- Headers --- */

/* Puts the key before the fault of its value. */
static void name_policy(settle_json *json) {
    char problem[SETTLE_JSON_PROBLEM_MAX];
    const size_t count = json->problem_count;
    memcpy(problem, json->problem, count);
    json->problem_count = 0;
    JSON_SAY(json, "policy: ");
    json_add(json, problem, count);
}

bool settle_json_read_header(settle_json *json, settle_json_header *header) {
    settle_json_string key, content = {NULL, 0, 0};
    bool is_first = true, has_version = false;
    uint64_t version = 0;
    memset(header, 0, sizeof *header);
    while (settle_json_next_member(json, &is_first, &key)) {
        settle_json_string *text = IS(&key, "settle")   ? &content
                                   : IS(&key, "clock")  ? &header->clock
                                   : IS(&key, "unit")   ? &header->unit
                                   : IS(&key, "source") ? &header->source
                                   : IS(&key, "name")   ? &header->name
                                                        : NULL;
        if (text) {
            if (!settle_json_read_string(json, text)) return false;
        } else if (IS(&key, "version")) {
            has_version = true;
            if (!settle_json_read_integer(json, UINT64_MAX, &version)) return false;
        } else if (IS(&key, "policy")) {
            header->has_policy = settle_json_read_policy(json, &header->policy);
            if (!header->has_policy) return name_policy(json), false;
        } else if (!settle_json_skip_value(json)) {
            return false;
        }
    }
    if (json->problem_count > 0) return false;
    if (!is_at_end(json)) return FAIL(json, "something follows the header's object");
    if (!has_version || !content.bytes || !IS(&content, "events")) {
        return FAIL(json,
                    "this is no event log's header; the first line must be {\"settle\":\"events\",\"version\":1,…}");
    }
    if (version == 1) return true;
    JSON_SAY(json, "version ");
    settle_json_add_number(json, version);
    JSON_SAY(json, " is not known here; this program reads version 1");
    return false;
}
