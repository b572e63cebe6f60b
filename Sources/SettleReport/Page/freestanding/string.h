/* What the C sources use of <string.h>, for WebAssembly, where there is no C library. */
#ifndef SETTLE_FREESTANDING_STRING_H
#define SETTLE_FREESTANDING_STRING_H

#include <stddef.h>

/* Freestanding, a compiler takes these names for any function's: what is short becomes no call only
 * by its own names. */
#define memcpy __builtin_memcpy
#define memmove __builtin_memmove
#define memset __builtin_memset
int memcmp(const void *left, const void *right, size_t count);

#endif
