/* Memory behind which nothing can be read. */
#define _DEFAULT_SOURCE
#include "case_internal.h"

#include <stdlib.h>

enum { GUARDED_BYTES = 1 << 17 };

#ifdef __unix__
#include <sys/mman.h>

static char *guarded(void) {
    static char *bytes;
    if (bytes == NULL) {
        bytes = mmap(NULL, 2 * GUARDED_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (bytes == MAP_FAILED || mprotect(bytes + GUARDED_BYTES, GUARDED_BYTES, PROT_NONE) != 0) abort();
    }
    return bytes;
}
#else
static char *guarded(void) {
    static char bytes[GUARDED_BYTES];
    return bytes;
}
#endif

char *case_guarded(size_t count) {
    if (count > GUARDED_BYTES) abort();
    return guarded() + GUARDED_BYTES - count;
}
