/* A reader of JSON values. */
#include "json_problem.h"
#include "utf8.h"

void settle_json_start(settle_json *json, const void *bytes, size_t count) {
    json->bytes = bytes;
    json->count = bytes ? count : 0;
    json->at = 0;
    json->problem_count = 0;
}

/* --- Faults --- */

void settle_json_add_number(settle_json *json, uint64_t number) {
    char text[20];
    size_t at = sizeof text;
    do {
        text[--at] = (char)('0' + number % 10);
        number /= 10;
    } while (number > 0);
    json_add(json, text + at, sizeof text - at);
}

void settle_json_quote(settle_json *json, const unsigned char *text, size_t count) {
    size_t kept = count < QUOTED_MAX ? count : QUOTED_MAX;
    while (kept < count && (text[kept] & 0xC0) == 0x80) kept--;
    json_add(json, text, kept);
    if (kept < count) JSON_SAY(json, "…");
}

/* Places are counted from the last line's beginning, if the text has several. */
bool settle_json_fail_here(settle_json *json, const char *problem, size_t count) {
    if (json->problem_count > 0) return false;
    size_t lines = 1, column = 1, all = 1;
    for (size_t i = 0; i < json->count; i++) {
        if (i < json->at) column++;
        if (json->bytes[i] != '\n') continue;
        all++;
        if (i >= json->at) continue;
        lines++;
        column = 1;
    }
    const bool is_line = all == 1;
    if (json->at >= json->count) {
        JSON_SAY(json, "the ");
        json_add(json, is_line ? "line" : "text", 4);
        JSON_SAY(json, " ends early: ");
        json_add(json, problem, count);
        return false;
    }
    json_add(json, problem, count);
    JSON_SAY(json, " at ");
    if (!is_line) {
        JSON_SAY(json, "line ");
        settle_json_add_number(json, lines);
        JSON_SAY(json, ", ");
    }
    JSON_SAY(json, "column ");
    settle_json_add_number(json, column);
    return false;
}

/* --- Characters --- */

int settle_json_peek(settle_json *json) {
    if (json->problem_count > 0) return -1;
    while (json->at < json->count) {
        unsigned char byte = json->bytes[json->at];
        if (byte != ' ' && byte != '\t' && byte != '\r' && byte != '\n') return byte;
        json->at++;
    }
    return -1;
}

bool settle_json_skip(settle_json *json, char character) {
    if (settle_json_peek(json) != character) return false;
    json->at++;
    return true;
}

bool settle_json_expect(settle_json *json, char character) {
    if (settle_json_skip(json, character)) return true;
    char problem[] = "expected '?'";
    problem[sizeof problem - 3] = character;
    return settle_json_fail_here(json, problem, sizeof problem - 1);
}

static bool skip_word(settle_json *json, const char *word, size_t count) {
    settle_json_peek(json);
    if (json->problem_count > 0 || json->count - json->at < count || memcmp(json->bytes + json->at, word, count) != 0) {
        return false;
    }
    json->at += count;
    return true;
}

#define SKIP_WORD(json, word) skip_word(json, word, sizeof word - 1)

/* --- Strings, RFC 8259 section 7 --- */

static unsigned hex_digit(unsigned char byte) {
    if (byte >= '0' && byte <= '9') return byte - '0';
    unsigned letter = byte | 0x20u;
    return letter >= 'a' && letter <= 'f' ? letter - 'a' + 10 : 16;
}

enum { NO_UNIT = 0x10000 };

/* The number of an escape \uXXXX that stands here; NO_UNIT if none does. */
static uint32_t code_unit(const unsigned char *at, const unsigned char *end) {
    if (end - at < 6 || at[0] != '\\' || at[1] != 'u') return NO_UNIT;
    uint32_t unit = 0;
    for (int i = 2; i < 6; i++) {
        if (hex_digit(at[i]) > 15) return NO_UNIT;
        unit = unit << 4 | hex_digit(at[i]);
    }
    return unit;
}

static unsigned char plain_escape(unsigned char kind) {
    switch (kind) {
    case '"':
    case '\\':
    case '/': return kind;
    case 'b': return '\b';
    case 'f': return '\f';
    case 'n': return '\n';
    case 'r': return '\r';
    case 't': return '\t';
    default: return 0;
    }
}

typedef struct character {
    unsigned char bytes[4];
    size_t count; /* 0 for a fault */
    size_t read;
    bool is_half;
} character;

static character encoded(uint32_t scalar, size_t read) {
    character made = {{0}, scalar < 0x80 ? 1 : scalar < 0x800 ? 2 : scalar < 0x10000 ? 3 : 4, read, false};
    static const unsigned char leads[] = {0, 0, 0xC0, 0xE0, 0xF0};
    for (size_t i = made.count; i-- > 1; scalar >>= 6) made.bytes[i] = (unsigned char)(0x80 | (scalar & 0x3F));
    made.bytes[0] = (unsigned char)(leads[made.count] | scalar);
    return made;
}

/* What the escape at `at` stands for. */
static character escaped(const unsigned char *at, const unsigned char *end) {
    character none = {{0}, 0, 0, false};
    if (end - at < 2) return none;
    if (at[1] != 'u') {
        unsigned char plain = plain_escape(at[1]);
        return plain ? encoded(plain, 2) : none;
    }
    uint32_t unit = code_unit(at, end);
    if (unit == NO_UNIT) return none;
    if (unit < 0xD800 || unit > 0xDFFF) return encoded(unit, 6);
    /* Half a character must not become any character: names would merge. */
    uint32_t low = unit < 0xDC00 ? code_unit(at + 6, end) : NO_UNIT;
    none.is_half = low < 0xDC00 || low > 0xDFFF;
    return none.is_half ? none : encoded(0x10000 + ((unit - 0xD800) << 10) + (low - 0xDC00), 12);
}

static bool fail_escape(settle_json *json, const unsigned char *at, const unsigned char *end, bool is_half) {
    size_t count = end - at > 1 && at[1] == 'u' ? 6 : 2;
    if ((size_t)(end - at) < count) count = (size_t)(end - at);
    JSON_SAY(json, "a string has a bad escape");
    bool is_printable = true;
    for (size_t i = 0; i < count; i++) is_printable = is_printable && at[i] > 0x20 && at[i] < 0x7F;
    if (is_printable) {
        JSON_SAY(json, " ");
        json_add(json, at, count);
    }
    if (is_half) JSON_SAY(json, ", a lone surrogate, which is half a character");
    return false;
}

/* Counts the bytes of a string whose escapes are resolved. */
static bool count_decoded(settle_json *json, settle_json_string *string) {
    const unsigned char *at = string->bytes, *end = at + string->count;
    string->decoded = 0;
    while (at < end) {
        if (*at != '\\') {
            at++;
            string->decoded++;
            continue;
        }
        character next = escaped(at, end);
        if (next.count == 0) return fail_escape(json, at, end, next.is_half);
        string->decoded += next.count;
        at += next.read;
    }
    return true;
}

void settle_json_decode(const settle_json_string *string, unsigned char *out) {
    if (string->decoded == string->count) {
        memcpy(out, string->bytes, string->count);
        return;
    }
    const unsigned char *at = string->bytes, *end = at + string->count;
    while (at < end) {
        if (*at != '\\') {
            *out++ = *at++;
            continue;
        }
        character next = escaped(at, end);
        for (size_t i = 0; i < next.count; i++) *out++ = next.bytes[i];
        at += next.read;
    }
}

bool settle_json_is(const settle_json_string *string, const char *text, size_t count) {
    unsigned char decoded[32];
    if (string->decoded != count || count > sizeof decoded) return false;
    settle_json_decode(string, decoded);
    return memcmp(decoded, text, count) == 0;
}

void settle_json_quote_string(settle_json *json, const settle_json_string *string) {
    unsigned char decoded[SETTLE_JSON_PROBLEM_MAX];
    const bool fits = string->decoded <= sizeof decoded;
    if (fits) settle_json_decode(string, decoded);
    settle_json_quote(json, fits ? decoded : string->bytes, fits ? string->decoded : string->count);
}

bool settle_json_read_string(settle_json *json, settle_json_string *string) {
    if (!settle_json_expect(json, '"')) return false;
    const size_t start = json->at;
    bool has_escapes = false;
    unsigned char bits = 0;
    while (json->at < json->count) {
        unsigned char byte = json->bytes[json->at];
        if (byte == '"') break;
        if (byte < ' ') return FAIL_HERE(json, "a control character stands in a string");
        has_escapes |= byte == '\\';
        bits |= byte;
        json->at += byte == '\\' ? 2 : 1;
    }
    if (json->at >= json->count) {
        json->at = json->count;
        return FAIL_HERE(json, "a string is not closed");
    }
    *string = (settle_json_string){json->bytes + start, json->at - start, json->at - start};
    json->at++;
    if (has_escapes && !count_decoded(json, string)) return false;
    if (bits < 0x80 || is_utf8(string->bytes, string->count)) return true;
    JSON_SAY(json, "a string is not valid UTF-8");
    return false;
}

/* --- Other values --- */

bool settle_json_read_bool(settle_json *json, bool *value) {
    *value = SKIP_WORD(json, "true");
    return *value || SKIP_WORD(json, "false") || FAIL_HERE(json, "expected true or false");
}

/* A number's text, by JSON's grammar. */
typedef struct json_number {
    const unsigned char *bytes;
    size_t count;
    uint64_t value;
    bool is_whole; /* digits alone, whose value fits */
} json_number;

static bool is_digit(const settle_json *json) {
    return json->at < json->count && json->bytes[json->at] >= '0' && json->bytes[json->at] <= '9';
}

static bool skip_digits(settle_json *json) {
    if (!is_digit(json)) return FAIL_HERE(json, "expected a digit");
    while (is_digit(json)) json->at++;
    return true;
}

static bool read_number(settle_json *json, json_number *found) {
    int sign = settle_json_peek(json);
    if (json->problem_count > 0) return false;
    const size_t start = json->at;
    *found = (json_number){json->bytes + start, 0, 0, sign != '-'};
    json->at += sign == '-';
    const size_t digits = json->at;
    for (; is_digit(json); json->at++) {
        uint64_t digit = json->bytes[json->at] - (uint64_t)'0';
        found->is_whole = found->is_whole && found->value <= (UINT64_MAX - digit) / 10;
        found->value = found->value * 10 + digit;
    }
    if (json->at == digits || (json->at > digits + 1 && json->bytes[digits] == '0')) {
        return FAIL_HERE(json, "expected a number");
    }
    if (json->at < json->count && json->bytes[json->at] == '.') {
        json->at++;
        found->is_whole = false;
        if (!skip_digits(json)) return false;
    }
    if (json->at < json->count && (json->bytes[json->at] | 0x20) == 'e') {
        json->at++;
        found->is_whole = false;
        if (json->at < json->count && (json->bytes[json->at] == '+' || json->bytes[json->at] == '-')) json->at++;
        if (!skip_digits(json)) return false;
    }
    found->count = json->at - start;
    return true;
}

bool settle_json_read_integer(settle_json *json, uint64_t most, uint64_t *value) {
    json_number found;
    if (!read_number(json, &found)) return false;
    *value = found.value;
    if (found.is_whole && found.value <= most) return true;
    settle_json_quote(json, found.bytes, found.count);
    JSON_SAY(json, " is not a whole number from 0 to ");
    settle_json_add_number(json, most);
    return false;
}

bool settle_json_read_double(settle_json *json, settle_json_double parse, double *value) {
    json_number found;
    if (!read_number(json, &found)) return false;
    const bool is_exact = found.is_whole && found.value <= (uint64_t)1 << 53;
    *value = is_exact ? (double)(int64_t)found.value : parse((const char *)found.bytes, found.count);
    return true;
}

bool settle_json_next_member(settle_json *json, bool *is_first, settle_json_string *key) {
    if (*is_first) {
        *is_first = false;
        if (!settle_json_expect(json, '{') || settle_json_skip(json, '}')) return false;
    } else if (!settle_json_skip(json, ',')) {
        settle_json_expect(json, '}');
        return false;
    }
    return settle_json_read_string(json, key) && settle_json_expect(json, ':');
}

static bool skip_value(settle_json *json, int depth) {
    if (depth == SETTLE_JSON_DEPTH_MAX) return FAIL_HERE(json, "values are nested more than 64 deep");
    settle_json_string string;
    json_number number;
    bool flag, is_first = true;
    switch (settle_json_peek(json)) {
    case '"': return settle_json_read_string(json, &string);
    case '{':
        while (settle_json_next_member(json, &is_first, &string)) {
            if (!skip_value(json, depth + 1)) return false;
        }
        return json->problem_count == 0;
    case '[':
        json->at++;
        if (settle_json_skip(json, ']')) return true;
        do {
            if (!skip_value(json, depth + 1)) return false;
        } while (settle_json_skip(json, ','));
        return settle_json_expect(json, ']');
    case 't':
    case 'f': return settle_json_read_bool(json, &flag);
    case 'n': return SKIP_WORD(json, "null") || FAIL_HERE(json, "expected null");
    default: return read_number(json, &number);
    }
}

bool settle_json_skip_value(settle_json *json) { return skip_value(json, 0); }
