/* Which format a log has, by its beginning. */
#include "settle_log_format.h"

#include "json_problem.h"

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

static unsigned long little(const unsigned char *bytes) {
    return bytes[0] | (unsigned long)bytes[1] << 8 | (unsigned long)bytes[2] << 16 | (unsigned long)bytes[3] << 24;
}

/* A frame's header: seconds from 1990 to 2100, microseconds, and a length. */
enum { TTYREC_HEADER = 12, TTYREC_FRAME_MAX = OPENING_BYTES / 2 };
static bool is_ttyrec_header(const unsigned char *at) {
    return little(at) - 631152000 < 3471292800 && little(at + 4) < 1000000 && little(at + 8) - 1 < TTYREC_FRAME_MAX;
}

/* Two frames, or one and nothing behind it: the headers have zero bytes, as text has not, but other bytes may have a
 * header by chance. Nothing is known before the second header: SETTLE_FORMAT_NEEDS_MORE. */
static int find_ttyrec(range text, bool is_all) {
    const size_t count = (size_t)(text.end - text.at);
    if (count < TTYREC_HEADER) return is_all ? SETTLE_FORMAT_NONE : SETTLE_FORMAT_NEEDS_MORE;
    if (!is_ttyrec_header(text.at)) return SETTLE_FORMAT_NONE;
    const size_t frame = TTYREC_HEADER + little(text.at + 8);
    if (count >= frame + TTYREC_HEADER)
        return is_ttyrec_header(text.at + frame) ? SETTLE_FORMAT_TTYREC : SETTLE_FORMAT_NONE;
    if (!is_all) return SETTLE_FORMAT_NEEDS_MORE;
    return count == frame ? SETTLE_FORMAT_TTYREC : SETTLE_FORMAT_NONE;
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
    const int ttyrec = find_ttyrec(text, is_all);
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

/* --- Content that cannot be a log --- */

/* A tar archive's mark ends here. */
enum { TAR_BYTES = 263, TAR_NAME_BYTES = 100 };

#define WIDE(name, from)                                                                                               \
    "this is " name " text, and a log is UTF-8; convert it first, with 'iconv -f " from " -t UTF-8'"
#define PACKED(name, tool) "this is compressed by " name "; decompress it first, with '" tool "'"

static const char problems[][96] = {
    "",
    "the log is empty: it has 0 bytes",
    "this is a web page; give the log itself",
    "this is a picture; give the log that it shows",
    "this is a ZIP archive; extract the log from it first, with 'unzip'",
    PACKED("gzip", "gzip -dc"),
    PACKED("zstd", "zstd -dc"),
    PACKED("xz", "xz -dc"),
    WIDE("UTF-16", "UTF-16"),
    WIDE("UTF-16", "UTF-16LE"),
    WIDE("UTF-16", "UTF-16BE"),
    WIDE("UTF-32", "UTF-32"),
    WIDE("UTF-32", "UTF-32LE"),
    WIDE("UTF-32", "UTF-32BE"),
    "this is a Parquet file, whose logs settle-fleet decides",
    PACKED("bzip2", "bzip2 -dc"),
    "this is a tar archive; extract the log from it first, with 'tar -xf'",
};

const char *settle_log_foreign_problem(int foreign) {
    return problems[foreign > 0 && foreign <= SETTLE_FOREIGN_TAR ? foreign : 0];
}

static bool is_text_byte(unsigned char byte) {
    return (byte >= ' ' && byte < 0x7F) || byte == '\t' || byte == '\n' || byte == '\r';
}

/* Text in UTF-16 or UTF-32 without a mark begins with ASCII characters, as every text log does. */
enum { WIDE_UNITS = 8 };
static int find_wide(const unsigned char *bytes, size_t count, bool is_all) {
    static const struct {
        unsigned char unit, low; /* the bytes of a character, and which of them is not 0 */
        int foreign;
    } encodings[] = {{4, 0, SETTLE_FOREIGN_UTF32LE},
                     {4, 3, SETTLE_FOREIGN_UTF32BE},
                     {2, 0, SETTLE_FOREIGN_UTF16LE},
                     {2, 1, SETTLE_FOREIGN_UTF16BE}};
    int found = SETTLE_FOREIGN_NONE;
    for (size_t i = 0; i < sizeof encodings / sizeof encodings[0]; i++) {
        const size_t unit = encodings[i].unit, most = unit * WIDE_UNITS;
        size_t at = 0;
        while (at < count && at < most && (at % unit == encodings[i].low ? is_text_byte(bytes[at]) : bytes[at] == 0)) {
            at++;
        }
        if (at == most || (is_all && at == count && count >= unit)) return encodings[i].foreign;
        if (at == count && !is_all) found = SETTLE_FOREIGN_NEEDS_MORE;
    }
    return found;
}

/* The encoding of text in UTF-16 or UTF-32. */
static int wide_text(const unsigned char *bytes, size_t count, bool is_all) {
    static const unsigned char little_mark[] = {0xFF, 0xFE, 0, 0}, big_mark[] = {0, 0, 0xFE, 0xFF};
    if (bytes[0] == 0xFE) {
        if (count < 2) return is_all ? SETTLE_FOREIGN_NONE : SETTLE_FOREIGN_NEEDS_MORE;
        return bytes[1] == 0xFF ? SETTLE_FOREIGN_UTF16 : SETTLE_FOREIGN_NONE;
    }
    const size_t compared = count < 4 ? count : 4;
    if (memcmp(bytes, little_mark, compared) == 0 || memcmp(bytes, big_mark, compared) == 0) {
        if (compared == 4) return SETTLE_FOREIGN_UTF32;
        if (!is_all) return SETTLE_FOREIGN_NEEDS_MORE;
    }
    if (bytes[0] == 0xFF) return count > 1 && bytes[1] == 0xFE ? SETTLE_FOREIGN_UTF16 : SETTLE_FOREIGN_NONE;
    return find_wide(bytes, count, is_all);
}

int settle_log_find_foreign(const unsigned char *bytes, size_t count, bool is_all) {
    static const struct {
        unsigned char count, foreign;
        char magic[16];
    } known[] = {{15, SETTLE_FOREIGN_PAGE, "<!DOCTYPE html>"},
                 {4, SETTLE_FOREIGN_PICTURE, "<svg"},
                 {2, SETTLE_FOREIGN_GZIP, "\x1F\x8B"},
                 {4, SETTLE_FOREIGN_ZSTD, "\x28\xB5\x2F\xFD"},
                 {6, SETTLE_FOREIGN_XZ, "\xFD\x37\x7A\x58\x5A\0"},
                 {4, SETTLE_FOREIGN_ARCHIVE, "PK\3\4"},
                 {3, SETTLE_FOREIGN_BZIP2, "BZh"},
                 {4, SETTLE_FOREIGN_PARQUET, "PAR1"}};
    if (count == 0) return is_all ? SETTLE_FOREIGN_EMPTY : SETTLE_FOREIGN_NEEDS_MORE;
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        size_t compared = count < known[i].count ? count : known[i].count;
        if (memcmp(bytes, known[i].magic, compared) != 0) continue;
        /* A word may begin so as well; the size of the blocks follows. */
        const bool is_bzip2 = known[i].foreign == SETTLE_FOREIGN_BZIP2;
        if (is_bzip2 && count == compared && !is_all) return SETTLE_FOREIGN_NEEDS_MORE;
        if (is_bzip2 && (count == compared || bytes[3] < '1' || bytes[3] > '9')) continue;
        if (compared == known[i].count) return known[i].foreign;
        if (!is_all) return SETTLE_FOREIGN_NEEDS_MORE;
    }
    /* A first frame of ttyrec may begin as wide text does. */
    const int ttyrec = find_ttyrec((range){bytes, bytes + count}, is_all);
    if (ttyrec == SETTLE_FORMAT_TTYREC) return SETTLE_FOREIGN_NONE;
    const int wide = wide_text(bytes, count, is_all);
    if (wide > SETTLE_FOREIGN_NONE && ttyrec == SETTLE_FORMAT_NEEDS_MORE) return SETTLE_FOREIGN_NEEDS_MORE;
    if (wide != SETTLE_FOREIGN_NONE || bytes[0] < ' ' || bytes[0] > 0x7F) return wide;
    /* A tar's first field is a name of at most 100 bytes and zeros. */
    size_t name = 0;
    while (name < count && name < TAR_NAME_BYTES && bytes[name] != 0) name++;
    size_t zeros = name;
    while (zeros < count && zeros < TAR_NAME_BYTES && bytes[zeros] == 0) zeros++;
    if (name == zeros || zeros < (count < TAR_NAME_BYTES ? count : TAR_NAME_BYTES)) return SETTLE_FOREIGN_NONE;
    if (count < TAR_BYTES) return is_all ? SETTLE_FOREIGN_NONE : SETTLE_FOREIGN_NEEDS_MORE;
    return memcmp(bytes + TAR_BYTES - 6, "ustar", 5) == 0 ? SETTLE_FOREIGN_TAR : SETTLE_FOREIGN_NONE;
}
