#include "string.h"

void *memchr(const void *bytes, int byte, size_t count) {
    const unsigned char *at = bytes;
    for (size_t i = 0; i < count; i++) {
        if (at[i] == (unsigned char)byte) return (void *)(at + i);
    }
    return NULL;
}

size_t strlen(const char *text) {
    size_t length = 0;
    while (text[length]) length++;
    return length;
}
