#include "x11_desktop.h"

#include <string.h>

/* An escape sequence of COMPOUND_TEXT that this reads, and what follows it. */
static const struct {
    char sequence[4];
    bool begins_utf8;
} escapes[] = {{"\033%G", true}, {"\033%@", false}, {"\033(B", false}, {"\033-A", false}};

/* The escape sequence that the text begins with; -1 for another one. */
static int escape_at(const char *text, size_t length) {
    for (int i = 0; i < (int)(sizeof escapes / sizeof *escapes); i++) {
        if (length >= 3 && memcmp(text, escapes[i].sequence, 3) == 0) return i;
    }
    return -1;
}

size_t x11_decode_text(const char *text, size_t length, char *utf8, size_t capacity) {
    size_t written = 0;
    bool is_utf8 = false;
    for (size_t i = 0; i < length; i++) {
        unsigned char byte = (unsigned char)text[i];
        if (byte == 0x1b) {
            int escape = escape_at(text + i, length - i);
            if (escape < 0) return 0;
            is_utf8 = escapes[escape].begins_utf8;
            i += 2;
            continue;
        }
        bool is_high = !is_utf8 && byte >= 0x80;
        if (written + (is_high ? 2 : 1) > capacity) break;
        if (is_high) utf8[written++] = (char)(0xc0 | byte >> 6);
        utf8[written++] = (char)(is_high ? 0x80 | (byte & 0x3f) : byte);
    }
    return written;
}
