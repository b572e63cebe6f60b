/* Which format a log has, by its beginning. */
#include "settle_log_format.h"

#include "json_problem.h"
#include "ttyrec.h"

#include <string.h>

/* A format must show within this many bytes and lines, and in this many bytes of a line: one of a web page's
 * recording may have megabytes. */
enum { OPENING_BYTES = 1 << 16, OPENING_LINES = 200, LINE_BYTES = 512 };

static const struct {
    char name[14], extension[10];
} formats[SETTLE_FORMATS] = {
    {"", ""},      {"jsonl", "jsonl"},    {"settle", "settle"}, {"wayland-debug", ""}, {"xev", ""},
    {"rrweb", ""}, {"asciicast", "cast"}, {"script", ""},       {"ttyrec", "ttyrec"}};

const char *settle_log_format_name(int format) {
    return formats[format > 0 && format < SETTLE_FORMATS ? format : 0].name;
}

const char *settle_log_format_extension(int format) {
    if (format <= 0 || format >= SETTLE_FORMATS || formats[format].extension[0] == 0) return NULL;
    return formats[format].extension;
}

/* A part of the text. */
typedef struct range {
    const unsigned char *at, *end;
} range;

static bool starts(range text, const void *with, size_t count) {
    return (size_t)(text.end - text.at) >= count && memcmp(text.at, with, count) == 0;
}

static bool contains(range text, const char *part, size_t count) {
    for (; (size_t)(text.end - text.at) >= count; text.at++) {
        if (memcmp(text.at, part, count) == 0) return true;
    }
    return false;
}

#define CONTAINS(text, literal) contains(text, literal, sizeof literal - 1)

static bool is_digit(int byte) { return byte >= '0' && byte <= '9'; }

static range skip_spaces(range text, bool over_lines) {
    while (text.at < text.end &&
           (*text.at == ' ' || *text.at == '\t' || *text.at == '\r' || (over_lines && *text.at == '\n'))) {
        text.at++;
    }
    return text;
}

/* --- Objects --- */

enum {
    KEY_SETTLE,
    KEY_TIME,
    KEY_DATA,
    KEY_TYPE,
    KEY_TIMESTAMP,
    KEY_EVENTS,
    KEY_VERSION,
    KEY_TERM,
    KEY_WIDTH,
    KEY_OUT,
    KEY_WINDOW,
    KEY_WINDOW_ID,
    KEYS
};

/* An object of one or more lines, as far as it has been read. */
typedef struct object {
    int first[KEYS]; /* the first byte of each key's value, -1 at the text's end; 0 without that key */
    bool is_whole;
} object;

static object read_object(range text) {
    static const char keys[KEYS][10] = {"settle",  "t_ns", "data",  "type",   "timestamp", "events",
                                        "version", "term", "width", "stdout", "window_id", "windowId"};
    static const unsigned char counts[KEYS] = {6, 4, 4, 4, 9, 6, 7, 4, 5, 6, 9, 8};
    object found = {{0}, false};
    settle_json json;
    settle_json_string key;
    bool is_first = true;
    settle_json_start(&json, text.at, (size_t)(text.end - text.at));
    while (settle_json_next_member(&json, &is_first, &key)) {
        for (int i = 0; i < KEYS; i++) {
            if (settle_json_is(&key, keys[i], counts[i])) found.first[i] = settle_json_peek(&json);
        }
        if (!settle_json_skip_value(&json)) break;
    }
    /* Cut off, nested too deeply, or not JSON: only the keys before that point count. */
    found.is_whole = json.problem_count == 0;
    return found;
}

/* A page's event. Its time may be missing as long as the object is not whole: megabytes of data may be before it. */
static bool is_page_event(const object *one) {
    return is_digit(one->first[KEY_TYPE]) && one->first[KEY_DATA] && (one->first[KEY_TIMESTAMP] || !one->is_whole);
}

/* What exports have around a page's events: a window's name and an array, an object with snapshots, or an event under a key. */
static bool is_page_export(const object *one, range text) {
    if (text.end - text.at > 4 * LINE_BYTES) text.end = text.at + 4 * LINE_BYTES;
    if (one->first[KEY_DATA] == '[') return one->first[KEY_WINDOW] || one->first[KEY_WINDOW_ID];
    if (one->first[KEY_DATA] == '{' && CONTAINS(text, "\"snapshots\"")) return true;
    /* With the quote of a key, or of one in a string: scripts have such words as well. */
    return (CONTAINS(text, "timestamp\"") || CONTAINS(text, "timestamp\\")) && CONTAINS(text, "type") &&
           CONTAINS(text, "href");
}

static int format_of_object(range text, bool is_all) {
    object one = read_object(text);
    if (one.first[KEY_SETTLE] || one.first[KEY_TIME]) return SETTLE_FORMAT_JSON_LINES;
    if (is_page_event(&one) || one.first[KEY_EVENTS] == '[') return SETTLE_FORMAT_RRWEB;
    if (is_page_export(&one, text)) return SETTLE_FORMAT_RRWEB;
    int version = one.first[KEY_VERSION];
    /* Keys that have not been read yet may show that it is another format's version; in many other files, the version
     * is a string. */
    if (!version || !(one.is_whole || is_all)) return SETTLE_FORMAT_NONE;
    bool is_cast =
        is_digit(version) || version == '-' || one.first[KEY_TERM] || one.first[KEY_WIDTH] || one.first[KEY_OUT];
    return is_cast ? SETTLE_FORMAT_ASCIICAST : SETTLE_FORMAT_NONE;
}

/* --- Lines --- */

static const unsigned char *skip_digits(range text) {
    while (text.at < text.end && is_digit(*text.at)) text.at++;
    return text.at;
}

/* The first such byte, or NULL: freestanding there is no memchr. */
static const unsigned char *find(range text, unsigned char byte) {
    while (text.at < text.end && *text.at != byte) text.at++;
    return text.at < text.end ? text.at : NULL;
}

static bool take(range *text, const char *one) {
    const unsigned char *at = text->at;
    for (; *one; one++, at++) {
        if (at == text->end || *at != (unsigned char)*one) return false;
    }
    text->at = at;
    return true;
}

static bool take_number(range *text) {
    const unsigned char *from = text->at;
    text->at = skip_digits(*text);
    return text->at > from;
}

static bool take_name(range *text) {
    const unsigned char *from = text->at;
    while (text->at < text->end &&
           (is_digit(*text->at) || *text->at == '_' || ((*text->at | 32) >= 'a' && (*text->at | 32) <= 'z'))) {
        text->at++;
    }
    return text->at > from;
}

static bool take_past(range *text, char last) {
    const unsigned char *found = find(*text, (unsigned char)last);
    if (found) text->at = found + 1;
    return found != NULL;
}

/* A stamp and a message: "[2029077.485] {Queue}  -> interface@id.name(", "[21:39:43.452307] …", or as wayland-rs prints
 * it. Whatever stands before the stamp is not looked at. */
static bool is_wayland_message(range text) {
    if (!take(&text, "[")) return false;
    text = skip_spaces(text, false);
    if (!take_number(&text)) return false;
    if (take(&text, ":") && !(take_number(&text) && take(&text, ":") && take_number(&text))) return false;
    if (!(take(&text, ".") || take(&text, ",")) || !take_number(&text) || !take(&text, "]")) return false;
    (void)take(&text, "[rs]");
    text = skip_spaces(text, false);
    if (take(&text, "{") && !take_past(&text, '}')) return false;
    text = skip_spaces(text, false);
    if (!take(&text, "<- ") && take(&text, "<") && !take_past(&text, '>')) return false;
    text = skip_spaces(text, false);
    if (take(&text, "discarded ")) return true;
    /* The arrow may be a web page's. */
    if (take(&text, "->") || take(&text, "\xE2\x86\x92") || take(&text, "-&gt;")) text = skip_spaces(text, false);
    return take_name(&text) && (take(&text, "@") || take(&text, "#")) && take_number(&text) && take(&text, ".") &&
           take_name(&text);
}

static bool has_wayland_message(range line) {
    unsigned char plain[LINE_BYTES];
    size_t count = 0;
    bool is_escaped = false; /* within a colour's sequence */
    for (; line.at < line.end && count < LINE_BYTES; line.at++) {
        if (*line.at == 0x1B) is_escaped = true;
        if (!is_escaped) plain[count++] = *line.at;
        if (*line.at == 'm') is_escaped = false;
    }
    range text = {plain, plain + count};
    while (text.at < text.end && (text.at = find(text, '['))) {
        if (is_wayland_message(text)) return true;
        text.at++;
    }
    return false;
}

/* "H 0.000000 COLUMNS 80": the first lines of a session's times by script, in its advanced format. */
static bool is_script_time(range text) {
    return take(&text, "H ") && take_number(&text) && take(&text, ".") && take_number(&text) && take(&text, " ") &&
           take_name(&text);
}

/* "0.010220 5": the times of a session by script, in its classic format. */
static bool take_classic_time(range *text) {
    if (!take_number(text) || !take(text, ".") || !take_number(text) || !take(text, " ") || !take_number(text))
        return false;
    (void)take(text, "\r");
    return take(text, "\n");
}

static int format_of_line(range line, range rest) {
    if (is_script_time(line)) return SETTLE_FORMAT_SCRIPT;
    if (has_wayland_message(line)) return SETTLE_FORMAT_WAYLAND_DEBUG;
    if (CONTAINS(line, " event, serial ") && CONTAINS(line, "synthetic ")) return SETTLE_FORMAT_XEV;
    if (*rest.at != '[') return SETTLE_FORMAT_NONE;
    while (rest.at < rest.end && *rest.at == '[') {
        rest.at++;
        rest = skip_spaces(rest, true);
    }
    /* The name of the window whose event follows. */
    settle_json json;
    settle_json_string name;
    settle_json_start(&json, rest.at, (size_t)(rest.end - rest.at));
    if (settle_json_peek(&json) == '"' && settle_json_read_string(&json, &name) && settle_json_skip(&json, ',')) {
        rest.at += json.at;
        rest = skip_spaces(rest, true);
    }
    if (rest.at == rest.end || *rest.at != '{') return SETTLE_FORMAT_NONE;
    object one = read_object(rest);
    return is_page_event(&one) ? SETTLE_FORMAT_RRWEB : SETTLE_FORMAT_NONE;
}

/* The beginning, without a last line that is too short to show its format. */
static range whole_lines(range text) {
    const unsigned char *end = text.end;
    while (end > text.at && end[-1] != '\n') end--;
    range last = skip_spaces((range){end, text.end}, false);
    return last.end - last.at >= LINE_BYTES ? text : (range){text.at, end};
}

int settle_log_format_detect(const unsigned char *bytes, size_t count, bool is_all) {
    if (count >= OPENING_BYTES) {
        count = OPENING_BYTES;
        is_all = true;
    }
    range text = {bytes, bytes + count};
    const int unknown = is_all ? SETTLE_FORMAT_NONE : SETTLE_FORMAT_NEEDS_MORE;
    if (starts(text, settle_log_file_magic, sizeof settle_log_file_magic)) return SETTLE_FORMAT_BINARY;
    /* Of fewer bytes than a header nothing is said: text may be shorter, and has none. */
    const int ttyrec = settle_find_ttyrec(bytes, count, is_all);
    if (ttyrec == SETTLE_FORMAT_TTYREC || (ttyrec == SETTLE_FORMAT_NEEDS_MORE && count >= TTYREC_HEADER)) return ttyrec;
    if (!is_all) text = whole_lines(text);
    for (int lines = 0; text.at < text.end && lines < OPENING_LINES;) {
        const unsigned char *end = text.at;
        while (end < text.end && *end != '\n') end++;
        if (end > text.at) lines++;
        range line = skip_spaces((range){text.at, end}, false);
        range rest = {line.at, text.end};
        text.at = end < text.end ? end + 1 : end;
        if (line.at == line.end || *line.at == '#') continue;
        if (line.end - line.at > LINE_BYTES) line.end = line.at + LINE_BYTES;
        range times = rest;
        /* Two of them, or one that is all. */
        if (lines == 1 && take_classic_time(&times) &&
            (take_classic_time(&times) || (is_all && times.at == times.end))) {
            return SETTLE_FORMAT_SCRIPT;
        }
        bool is_object = *line.at == '{';
        int format = is_object ? format_of_object(rest, is_all) : format_of_line(line, rest);
        if (format != SETTLE_FORMAT_NONE) return format;
        /* A format must show in the first object. */
        if (is_object) return unknown;
    }
    return unknown;
}
