#include "output_scanner.h"

#include <stdio.h>
#include <string.h>

enum { TEXT, ESCAPE, CONTROL, STRING, STRING_ESCAPE };

static void reset_modes(output_scanner *scanner) {
    scanner->modes = (output_modes){.is_alternate = scanner->modes.is_alternate, .charsets = {'B', 'B'}};
}

void output_scanner_init(output_scanner *scanner) {
    memset(scanner, 0, sizeof *scanner);
    reset_modes(scanner);
}

/* The next parameter of a control sequence, and whether there is one. */
static bool take_number(const uint8_t **at, const uint8_t *end, int *number) {
    if (*at > end) return false;
    *number = 0;
    for (; *at < end && **at != ';'; ++*at) {
        if (**at >= '0' && **at <= '9' && *number < 1 << 20) *number = *number * 10 + (**at - '0');
    }
    ++*at;
    return true;
}

/* Modes of the screen and of how characters are drawn; the others are about keys, the mouse and reports. */
static bool mode_draws(int mode) {
    static const int drawing[] = {3, 5, 6, 7, 25, 45, 47, 69, 95, 1047, 1048, 1049, 2026};
    for (size_t i = 0; i < sizeof drawing / sizeof *drawing; i++) {
        if (drawing[i] == mode) return true;
    }
    return false;
}

static output_kind set_modes(output_scanner *scanner, const uint8_t *at, const uint8_t *end, bool on) {
    output_kind kind = OUTPUT_PASSES;
    bool passes = false;
    size_t length = 0;
    for (int mode; take_number(&at, end, &mode);) {
        if (mode == 7) scanner->modes.has_no_wrap = !on;
        if (mode == 6) scanner->modes.has_origin = on;
        if (mode == 25) scanner->modes.hides_cursor = !on;
        if (mode == 2026 && !on) scanner->synchronized_ends++;
        if (mode_draws(mode)) {
            if (kind == OUTPUT_PASSES) kind = OUTPUT_DRAWS;
        } else if (length + 16 < sizeof scanner->rest) {
            passes = true;
            length += (size_t)sprintf((char *)scanner->rest + length, length == 0 ? "\033[?%d" : ";%d", mode);
        }
        if (mode == 47 || mode == 1047 || mode == 1049) {
            scanner->modes.is_alternate = on;
            kind = on ? OUTPUT_ALTERNATE_ON : OUTPUT_ALTERNATE_OFF;
        }
    }
    if (kind != OUTPUT_PASSES && passes) {
        scanner->rest[length] = on ? 'h' : 'l';
        scanner->rest_length = length + 1;
    }
    return kind;
}

static output_kind set_plain_modes(output_scanner *scanner, const uint8_t *at, const uint8_t *end, bool on) {
    output_kind kind = OUTPUT_PASSES;
    for (int mode; take_number(&at, end, &mode);) {
        if (mode == 4) scanner->modes.has_insert = on;
        if (mode == 4 || mode == 20) kind = OUTPUT_DRAWS;
    }
    return kind;
}

static output_kind plain_control(output_scanner *scanner, const uint8_t *at, const uint8_t *end, uint8_t final) {
    const uint8_t *start = at;
    int first = 0, second = 0;
    take_number(&at, end, &first);
    bool has_second = take_number(&at, end, &second);
    switch (final) {
    case 'n': return first == 6 ? OUTPUT_ASKS_CURSOR : OUTPUT_PASSES;
    case 'c':
    case 'i':
    case 't':
    case 'x': return OUTPUT_PASSES;
    case 'h':
    case 'l': return set_plain_modes(scanner, start, end, final == 'h');
    case 'r':
        scanner->modes.margin_top = first;
        scanner->modes.margin_bottom = has_second ? second : 0;
        return OUTPUT_DRAWS;
    case 'J': return first == 2 ? OUTPUT_CLEARS : OUTPUT_DRAWS;
    default: return OUTPUT_DRAWS;
    }
}

static output_kind control(output_scanner *scanner) {
    const uint8_t *at = scanner->bytes + 2, *end = scanner->bytes + scanner->length - 1;
    uint8_t final = *end, leader = at < end && *at >= '<' && *at <= '?' ? *at++ : 0;
    uint8_t between = at < end && end[-1] >= 0x20 && end[-1] <= 0x2F ? end[-1] : 0;
    if (leader == '?' && !between) {
        if (final == 'h' || final == 'l') return set_modes(scanner, at, end, final == 'h');
        if (final == 'n' && end - at == 1 && *at == '6') return OUTPUT_ASKS_CURSOR;
        return final == 'J' || final == 'K' ? OUTPUT_DRAWS : OUTPUT_PASSES;
    }
    if (leader) return OUTPUT_PASSES;
    switch (between) {
    case 0: return plain_control(scanner, at, end, final);
    case ' ': return final == 'q' ? OUTPUT_PASSES : OUTPUT_DRAWS;
    case '!':
        if (final == 'p') reset_modes(scanner);
        return OUTPUT_PASSES;
    case '$':
    case '"': return final == 'p' ? OUTPUT_PASSES : OUTPUT_DRAWS;
    default: return OUTPUT_DRAWS;
    }
}

/* A device control string with a picture ends its parameters by q; questions have $ or + before it. */
static bool is_picture(const uint8_t *bytes, size_t length) {
    if (bytes[1] != 'P') return false;
    size_t i = 2;
    while (i < length && ((bytes[i] >= '0' && bytes[i] <= '9') || bytes[i] == ';')) i++;
    return i < length && bytes[i] == 'q';
}

static output_kind whole(output_scanner *scanner) {
    const uint8_t *bytes = scanner->bytes;
    size_t length = scanner->length;
    if (length == OUTPUT_SEQUENCE_MAX) return OUTPUT_DRAWS;
    if (length < 2) return OUTPUT_DRAWS;
    switch (bytes[1]) {
    case '[': return control(scanner);
    case ']':
    case 'P':
    case '_':
    case '^':
    case 'X': return is_picture(bytes, length) ? OUTPUT_DRAWS : OUTPUT_PASSES;
    case '=':
    case '>': return OUTPUT_PASSES;
    case '(':
    case ')':
        if (length > 2) scanner->modes.charsets[bytes[1] == ')'] = bytes[length - 1];
        return OUTPUT_DRAWS;
    case 'c':
        reset_modes(scanner);
        scanner->modes.is_alternate = false;
        return OUTPUT_RESETS;
    default: return OUTPUT_DRAWS;
    }
}

static void keep(output_scanner *scanner, uint8_t byte) {
    if (scanner->length < OUTPUT_SEQUENCE_MAX) scanner->bytes[scanner->length++] = byte;
}

/* Keeps the byte, and whether the sequence is whole with it. */
static bool read_sequence(output_scanner *scanner, uint8_t byte) {
    if (scanner->phase == STRING) {
        keep(scanner, byte);
        if (byte == 0x1B) scanner->phase = STRING_ESCAPE;
        return byte == 0x07 || byte == 0x18 || byte == 0x1A;
    }
    if (scanner->phase == STRING_ESCAPE) {
        /* Within tmux's strings for its own terminal every ESC is doubled. */
        bool is_doubled = byte == 0x1B && scanner->length > 6 && memcmp(scanner->bytes + 1, "Ptmux;", 6) == 0;
        if (byte == '\\' || is_doubled) {
            keep(scanner, byte);
            if (is_doubled) scanner->phase = STRING;
            return !is_doubled;
        }
        scanner->bytes[0] = 0x1B;
        scanner->length = 1;
        scanner->phase = ESCAPE;
    }
    if (byte == 0x1B) {
        scanner->length = 0;
        scanner->phase = ESCAPE;
        keep(scanner, byte);
        return false;
    }
    keep(scanner, byte);
    if (byte == 0x18 || byte == 0x1A) return true;
    if (byte < 0x20) return false;
    if (scanner->phase == CONTROL) return byte >= 0x40;
    if (scanner->length == 2 && byte == '[') scanner->phase = CONTROL;
    else if (scanner->length == 2 && memchr("]P_^X", byte, 5)) scanner->phase = STRING;
    else return byte >= 0x30;
    return false;
}

size_t output_scanner_next(output_scanner *scanner, const uint8_t *bytes, size_t count) {
    size_t i = 0;
    scanner->rest_length = 0;
    if (scanner->phase == TEXT) {
        scanner->length = 0;
        for (; i < count && bytes[i] != 0x1B && bytes[i] != 0x07; i++) {
            if (bytes[i] == 0x0E || bytes[i] == 0x0F) scanner->modes.is_shifted = bytes[i] == 0x0E;
        }
        scanner->kind = OUTPUT_TEXT;
        if (i > 0) return i;
        if (bytes[0] == 0x07) {
            keep(scanner, 0x07);
            scanner->kind = OUTPUT_PASSES;
            return 1;
        }
    }
    scanner->kind = OUTPUT_PART;
    while (i < count) {
        if (!read_sequence(scanner, bytes[i++])) continue;
        scanner->phase = TEXT;
        uint8_t last = scanner->bytes[scanner->length - 1];
        scanner->kind = last == 0x18 || last == 0x1A ? OUTPUT_DRAWS : whole(scanner);
        break;
    }
    return i;
}
