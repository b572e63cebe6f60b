/* How a name is looked up by its bytes. */
#ifndef SETTLE_SCENE_NAMES_H
#define SETTLE_SCENE_NAMES_H

#include "bytes.h"
#include "settle_json_lines.h"

#include <string.h>

/* The first eight bytes; `count` may be less. */
static inline uint64_t first_bytes(const unsigned char *name, size_t count) {
    return count >= 8 ? load8(name) : read_le(name, (unsigned)count);
}

/* Multiplications, eight bytes at a time: names are short, and a log that collides on purpose only
 * slows itself. */
static inline uint64_t hash_of(uint64_t first, const unsigned char *name, size_t count) {
    const uint64_t factor = 0x9E3779B97F4A7C15;
    uint64_t hash = (first ^ count) * factor;
    for (size_t at = 8; at < count; at += 8) {
        /* The last eight bytes overlap those before. */
        size_t from = count - at < 8 ? count - 8 : at;
        hash = (hash ^ hash >> 32 ^ load8(name + from)) * factor;
    }
    /* So that the low bits depend on the last bytes too. */
    hash = (hash ^ hash >> 32) * factor;
    return hash ^ hash >> 32;
}

static inline uint32_t find_name(const settle_log_names *names, uint64_t first, const unsigned char *name,
                                 size_t count) {
    size_t slot = (size_t)hash_of(first, name, count);
    for (;; slot++) {
        uint32_t number = names->slots[slot & names->slots_mask];
        if (number == 0) return SETTLE_LOG_NO_NAME;
        const settle_log_name *known = &names->names[number - 1];
        if (known->first != first || known->count != count) continue;
        if (count <= 8 || memcmp(names->bytes + known->from + 8, name + 8, count - 8) == 0) return number - 1;
    }
}

#endif
