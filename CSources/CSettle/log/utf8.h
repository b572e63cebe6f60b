/* UTF-8. */
#ifndef SETTLE_UTF8_H
#define SETTLE_UTF8_H

#include <stdbool.h>
#include <stddef.h>

/* Whether these bytes are UTF-8: every character in its shortest form, and none that does not exist. */
static inline bool is_utf8(const unsigned char *bytes, size_t count) {
    for (size_t i = 0; i < count;) {
        unsigned char lead = bytes[i++];
        if (lead < 0x80) continue;
        size_t more = lead < 0xE0 ? 1 : lead < 0xF0 ? 2 : 3;
        if (lead < 0xC2 || lead > 0xF4 || count - i < more) return false;
        unsigned char least = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
        unsigned char most = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
        if (bytes[i] < least || bytes[i] > most) return false;
        for (size_t end = i++ + more; i < end; i++) {
            if ((bytes[i] & 0xC0) != 0x80) return false;
        }
    }
    return true;
}

#endif
