/* What the C sources use of <string.h>, for WebAssembly, where there is no C library. */
#ifndef SETTLE_FREESTANDING_STRING_H
#define SETTLE_FREESTANDING_STRING_H

#include <stddef.h>

void *memcpy(void *restrict to, const void *restrict from, size_t count);
void *memmove(void *to, const void *from, size_t count);
void *memset(void *to, int byte, size_t count);
int memcmp(const void *left, const void *right, size_t count);

#endif
