/* Lines of event logs. */
#include "case_internal.h"
#include "case_pairs.h"

#include "settle_json.h"
#include "settle_json_lines.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The names that the reader of plain lines knows. */
static const char *const known_names[] = {"a",         "é",
                                          "12345678",  "123456789",
                                          "123456788", "a name of more than sixteen bytes",
                                          "",          "a name of more than sixteen bytes, too"};
enum { NAMES = sizeof known_names / sizeof *known_names, SLOTS = 16, PLAIN_BYTES_BEHIND = 64 };

typedef struct writer {
    char *text;
    size_t count, size;
} writer;

static void say(writer *to, const char *format, ...) {
    va_list list;
    va_start(list, format);
    int count = vsnprintf(to->text + to->count, to->size - to->count, format, list);
    va_end(list);
    if (count > 0 && (size_t)count < to->size - to->count) to->count += (size_t)count;
}

/* In quotes, with what it stands for; a backslash twice, and control characters as \xNN. */
static void say_string(writer *to, const settle_json_string *string) {
    static unsigned char bytes[1 << 12];
    if (string->decoded > sizeof bytes) return;
    settle_json_decode(string, bytes);
    say(to, "\"");
    for (size_t i = 0; i < string->decoded; i++)
        say(to, bytes[i] < ' ' ? "\\x%02x" : bytes[i] == '\\' ? "\\%c" : "%c", bytes[i]);
    say(to, "\"");
}

static void say_event(writer *to, const settle_json_event *read) {
    static const char *const orientations[] = {"", " portrait", " portraitUpsideDown", " landscapeLeft",
                                               " landscapeRight"};
    const settle_log_event *event = &read->event;
    const unsigned flags = event->flags;
    const unsigned of_kind = event->kind == SETTLE_GEOMETRY    ? SETTLE_FLAGS_ALL & ~(SETTLE_PRESSED | SETTLE_GIVEN_UP)
                             : event->kind == SETTLE_POINTER   ? SETTLE_PRESSED
                             : event->kind == SETTLE_PREVIEWED ? SETTLE_GIVEN_UP
                                                               : 0;
    if (flags & ~of_kind) say(to, "flags of another kind ");
    say(to, "@%lluns", (unsigned long long)event->at_ns);
    if (event->kind == SETTLE_POINTER) {
        say(to, " %s %u", flags & SETTLE_PRESSED ? "press" : "release", event->button);
        if (read->scene.bytes) say(to, "; of a scene");
        return;
    }
    say(to, " ");
    say_string(to, &read->scene);
    if (event->kind == SETTLE_CONNECT) say(to, " connect");
    if (event->kind == SETTLE_DISCONNECT) say(to, " disconnect");
    if (event->kind == SETTLE_FINISHED)
        say(to, " finished %u %lluns", (unsigned)event->generation, (unsigned long long)event->cost_ns);
    if (event->kind == SETTLE_PREVIEWED)
        say(to, " previewed %u %lluns%s", (unsigned)event->generation, (unsigned long long)event->cost_ns,
            flags & SETTLE_GIVEN_UP ? " givenUp" : "");
    if (flags & SETTLE_SIZE_KNOWN) say(to, " %.17gx%.17g", event->width, event->height);
    if (flags & SETTLE_RESIZING_KNOWN) say(to, flags & SETTLE_RESIZING ? " resizing" : " still");
    if (flags & SETTLE_LOCKED_KNOWN) say(to, flags & SETTLE_LOCKED ? " locked" : " unlocked");
    say(to, "%s", orientations[(flags & SETTLE_ORIENTATION_MASK) >> SETTLE_ORIENTATION_SHIFT]);
    if (!(flags & SETTLE_SIZE_KNOWN) && !settle_event_is_report(event->kind) &&
        (event->width != 0 || event->height != 0))
        say(to, "; and numbers that are no size");
    if (read->has_short_size) say(to, "; w or h is ignored");
}

static double parse_double(const char *text, size_t count) {
    char copy[400];
    snprintf(copy, sizeof copy, "%.*s", (int)count, text);
    return strtod(copy, NULL);
}

/* What the reader of plain lines makes of a text. */
typedef struct plain {
    size_t lines, used;
    settle_log_event events[2]; /* bytes that it has not written are 0 */
} plain;

/* Reads text before a line, the line, and as many spaces. */
static plain read_plain(const char *before, const char *line, size_t count, size_t spaces, size_t line_bytes_max) {
    char bytes[256];
    settle_log_name names[NAMES];
    uint32_t slots[SLOTS] = {0};
    settle_log_names table = {(const unsigned char *)bytes, names, slots, SLOTS - 1, {1, 2}};
    size_t at = 0;
    for (uint32_t i = 0; i < NAMES; i++) {
        const size_t length = strlen(known_names[i]);
        const unsigned char *name = memcpy(bytes + at, known_names[i], length);
        names[i] = (settle_log_name){settle_log_name_first(name, length), at, length};
        size_t slot = (size_t)settle_log_name_hash(&table, name, length) % SLOTS;
        while (slots[slot]) slot = (slot + 1) % SLOTS;
        slots[slot] = i + 1;
        at += length;
    }
    plain made;
    memset(&made, 0, sizeof made);
    const size_t first = strlen(before), all = first + count + 1 + spaces;
    char *text = case_guarded(all);
    memcpy(text, before, first);
    memcpy(text + first, line, count);
    text[first + count] = '\n';
    memset(text + first + count + 1, ' ', spaces);
    made.lines =
        settle_log_read_json_lines((unsigned char *)text, all, line_bytes_max, &table, made.events, 2, &made.used);
    return made;
}

/* Whether the reader of plain lines reads a line as the other reader does, or leaves it: behind each name's line, up to
 * the line's length, and where fewer bytes follow it than it needs. */
static bool is_read_alike(const char *line, size_t count, const settle_log_event *event, bool is_plain) {
    const size_t most = is_plain ? count : SIZE_MAX;
    for (size_t i = 0; i <= NAMES; i++) {
        char before[100] = "";
        if (i < NAMES) snprintf(before, sizeof before, "{\"t_ns\":0,\"scene\":\"%s\"}\n", known_names[i]);
        const size_t lines = i < NAMES;
        if (lines && strlen(before) > most + 1) continue;
        const plain read = read_plain(before, line, count, PLAIN_BYTES_BEHIND, most);
        if (read.lines != lines + is_plain || read.used != (is_plain ? strlen(before) + count + 1 : strlen(before)))
            return false;
        if (is_plain && memcmp(&read.events[lines], event, sizeof *event) != 0) return false;
    }
    if (is_plain && read_plain("", line, count, PLAIN_BYTES_BEHIND, count - 1).lines != 0) return false;
    for (size_t spaces = 0; spaces < PLAIN_BYTES_BEHIND; spaces++) {
        const plain read = read_plain("", line, count, spaces, SIZE_MAX);
        if (read.lines > is_plain || (read.lines == 1 && memcmp(&read.events[0], event, sizeof *event) != 0))
            return false;
    }
    return true;
}

/* The number of a name; that of no name for one that the plain reader does not know. */
static uint32_t number_of(const settle_json_string *scene) {
    static unsigned char bytes[SETTLE_LOG_NAME_MAX];
    uint32_t number = 0;
    if (scene->bytes == NULL) return 0;
    settle_json_decode(scene, bytes);
    while (number < NAMES &&
           (strlen(known_names[number]) != scene->decoded || memcmp(known_names[number], bytes, scene->decoded) != 0))
        number++;
    return number < NAMES ? number : SETTLE_LOG_NO_NAME;
}

static void say_header(writer *to, settle_json *json) {
    settle_json_header header;
    if (!settle_json_read_header(json, &header)) {
        say(to, "! %.*s", (int)json->problem_count, json->problem);
        return;
    }
    const struct {
        const char *key;
        const settle_json_string *text;
    } texts[] = {{"clock", &header.clock}, {"unit", &header.unit}, {"source", &header.source}, {"name", &header.name}};
    say(to, "=");
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        if (texts[i].text->bytes == NULL) continue;
        say(to, " %s ", texts[i].key);
        say_string(to, texts[i].text);
    }
    if (header.has_policy) say(to, " policy");
}

/* Reads a line behind which a byte stands that would go on with it, if it were read. */
static bool read_before(const char *line, size_t count, char behind, settle_json *json, settle_json_event *read) {
    static char text[1 << 13];
    if (count + 1 > sizeof text) return false;
    memcpy(text, line, count);
    text[count] = behind;
    settle_json_start(json, text, count);
    return settle_json_read_event(json, parse_double, read);
}

/* Whether a reader that has found a fault reads on, whatever is next. */
static bool reads_on(settle_json json) {
    settle_json_string string;
    uint64_t integer;
    double number;
    bool flag, is_first = true;
    static const char *const next[] = {"true", "1", "\"a\"", "null", "{\"a\":1}", "[]"};
    for (size_t i = 0; i < sizeof next / sizeof *next; i++) {
        json.bytes = (const unsigned char *)next[i];
        json.count = strlen(next[i]);
        json.at = 0;
        if (settle_json_read_bool(&json, &flag) || settle_json_read_integer(&json, UINT64_MAX, &integer) ||
            settle_json_read_double(&json, parse_double, &number) || settle_json_read_string(&json, &string) ||
            settle_json_next_member(&json, &is_first, &string) || settle_json_skip_value(&json) || json.at > 0)
            return true;
    }
    return false;
}

void case_line_answer(const char *input, char *answer, size_t size) {
    static const char header[] = "header ", continuations[] = "0.e\"}lu";
    writer to = {answer, 0, size};
    settle_json json;
    settle_json_event read;
    const size_t count = strlen(input), prefix = sizeof header - 1;
    if (strncmp(input, header, prefix) == 0) {
        char *line = case_guarded(count - prefix);
        memcpy(line, input + prefix, count - prefix);
        settle_json_start(&json, line, count - prefix);
        say_header(&to, &json);
        return;
    }
    const bool is_plain = read_plain("", input, count, PLAIN_BYTES_BEHIND, SIZE_MAX).lines == 1;
    char *line = case_guarded(count);
    memcpy(line, input, count);
    settle_json_start(&json, line, count);
    const bool is_event = settle_json_read_event(&json, parse_double, &read);
    for (const char *behind = continuations; *behind; behind++) {
        settle_json other;
        settle_json_event other_read;
        if (read_before(input, count, *behind, &other, &other_read) != is_event ||
            other.problem_count != json.problem_count || memcmp(other.problem, json.problem, json.problem_count) != 0 ||
            (is_event && memcmp(&other_read.event, &read.event, sizeof read.event) != 0))
            say(&to, "? another answer before '%c'; ", *behind);
    }
    if (is_event) {
        read.event.name = read.event.kind == SETTLE_POINTER ? read.event.name : number_of(&read.scene);
        say(&to, is_plain ? "= " : "~ ");
        say_event(&to, &read);
    } else {
        say(&to, "! %.*s", (int)json.problem_count, json.problem);
        if (reads_on(json)) say(&to, "; and reads on");
    }
    if ((is_plain && !is_event) || !is_read_alike(input, count, &read.event, is_plain))
        say(&to, "; and another event by the reader of plain lines");
}
