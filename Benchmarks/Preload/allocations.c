/* Counts a program's allocations on all threads: LD_PRELOAD=allocations.so PROGRAM.
 *
 * A program may ask for the count with settle_allocations. With SETTLE_PRINT_ALLOCATIONS
 * set, the count is also written to descriptor 2 when the program ends.
 *
 * Needs the GNU C library, which exports its allocator under second names. A search for
 * them at run time would allocate. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t number, size_t size);
void *__libc_realloc(void *memory, size_t size);
void *__libc_memalign(size_t alignment, size_t size);

static _Atomic uint64_t allocations;

/* The count so far. */
uint64_t settle_allocations(void);
uint64_t settle_allocations(void) { return atomic_load_explicit(&allocations, memory_order_relaxed); }

static void count(void) { atomic_fetch_add_explicit(&allocations, 1, memory_order_relaxed); }

void *malloc(size_t size) {
    count();
    return __libc_malloc(size);
}

void *calloc(size_t number, size_t size) {
    count();
    return __libc_calloc(number, size);
}

void *realloc(void *memory, size_t size) {
    count();
    return __libc_realloc(memory, size);
}

void *memalign(size_t alignment, size_t size);
void *memalign(size_t alignment, size_t size) {
    count();
    return __libc_memalign(alignment, size);
}

void *aligned_alloc(size_t alignment, size_t size) { return memalign(alignment, size); }

int posix_memalign(void **result, size_t alignment, size_t size) {
    if (alignment % sizeof(void *) != 0 || (alignment & (alignment - 1)) != 0 || alignment == 0) return EINVAL;
    void *memory = memalign(alignment, size);
    if (memory == NULL) return ENOMEM;
    *result = memory;
    return 0;
}

__attribute__((destructor)) static void print_count(void) {
    if (!getenv("SETTLE_PRINT_ALLOCATIONS")) return;
    char line[48];
    int length = snprintf(line, sizeof line, "allocations %llu\n", (unsigned long long)settle_allocations());
    if (length > 0 && write(2, line, (size_t)length) < 0) _exit(1);
}
