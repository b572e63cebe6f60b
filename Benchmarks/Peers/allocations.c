/* Counts this program's own allocations: the linker's --wrap sends every call from its
 * objects here. Calls within shared libraries such as libuv are not counted;
 * Preload/allocations.c counts those too. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "peers.h"

static uint64_t count;

void *__real_malloc(size_t size);
void *__real_calloc(size_t number, size_t size);
void *__real_realloc(void *memory, size_t size);
void *__real_aligned_alloc(size_t alignment, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t number, size_t size);
void *__wrap_realloc(void *memory, size_t size);
void *__wrap_aligned_alloc(size_t alignment, size_t size);

void *__wrap_malloc(size_t size) { count++; return __real_malloc(size); }
void *__wrap_calloc(size_t number, size_t size) { count++; return __real_calloc(number, size); }
void *__wrap_realloc(void *memory, size_t size) { count++; return __real_realloc(memory, size); }
void *__wrap_aligned_alloc(size_t alignment, size_t size) { count++; return __real_aligned_alloc(alignment, size); }

uint64_t peers_allocations(void) { return count; }

void *peers_allocate(size_t number, size_t size) {
    size_t bytes = (number * size + 63) / 64 * 64;
    void *memory = aligned_alloc(64, bytes);
    if (!memory) {
        fputs("peers: out of memory\n", stderr);
        exit(1);
    }
    memset(memory, 0, bytes);
    return memory;
}
