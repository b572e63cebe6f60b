/* Memory. */
#include "page_wasm.h"

enum { PAGE_BYTES = 65536, ALIGNMENT = 64 };

extern unsigned char __heap_base;
static size_t used;

/* Whether the memory reaches so far; grows it by an eighth more than is needed. */
static bool reach(uint64_t end) {
    uint64_t now = (uint64_t)__builtin_wasm_memory_size(0) * PAGE_BYTES;
    if (end <= now) return true;
    if (end > UINT32_MAX) return false;
    size_t needed = (size_t)((end - now + PAGE_BYTES - 1) / PAGE_BYTES);
    size_t spare = (size_t)(now / PAGE_BYTES / 8);
    return __builtin_wasm_memory_grow(0, needed + spare) != SIZE_MAX ||
           __builtin_wasm_memory_grow(0, needed) != SIZE_MAX;
}

size_t page_mark(void) {
    if (used == 0) used = (size_t)&__heap_base;
    used = (used + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    return used;
}

void page_release(size_t mark) { used = mark; }

bool page_extend(size_t bytes) {
    if (!reach((uint64_t)used + bytes)) return false;
    used += bytes;
    return true;
}

void *EXPORT(page_reserve)(size_t bytes) {
    size_t start = page_mark();
    return page_extend(bytes) ? (void *)start : NULL;
}
