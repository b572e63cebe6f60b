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

typedef struct sip_state {
    uint64_t a, b, c, d;
} sip_state;

static inline uint64_t rotated(uint64_t bits, unsigned count) { return bits << count | bits >> (64 - count); }

static inline void sip_round(sip_state *state) {
    state->a += state->b;
    state->b = rotated(state->b, 13) ^ state->a;
    state->a = rotated(state->a, 32);
    state->c += state->d;
    state->d = rotated(state->d, 16) ^ state->c;
    state->a += state->d;
    state->d = rotated(state->d, 21) ^ state->a;
    state->c += state->b;
    state->b = rotated(state->b, 17) ^ state->c;
    state->c = rotated(state->c, 32);
}

static inline void sip_word(sip_state *state, uint64_t word) {
    state->d ^= word;
    sip_round(state);
    state->a ^= word;
}

/* SipHash-1-3 (Aumasson, Bernstein: "SipHash: a fast short-input PRF", 2012): who does not know the
 * seed cannot choose names that collide. */
static inline uint64_t hash_of(const uint64_t seed[2], uint64_t first, const unsigned char *name, size_t count) {
    sip_state state = {seed[0] ^ 0x736f6d6570736575, seed[1] ^ 0x646f72616e646f6d, seed[0] ^ 0x6c7967656e657261,
                       seed[1] ^ 0x7465646279746573};
    const unsigned rest = count % 8;
    for (size_t at = 0; at + 8 <= count; at += 8) sip_word(&state, load8(name + at));
    uint64_t last = count < 8 ? first : rest == 0 ? 0 : load8(name + count - 8) >> (64 - 8 * rest);
    sip_word(&state, (uint64_t)count << 56 | last);
    state.c ^= 0xff;
    for (int i = 0; i < 3; i++) sip_round(&state);
    return state.a ^ state.b ^ state.c ^ state.d;
}

/* Whether the name of a number has these bytes. */
static inline bool is_name(const settle_log_names *names, uint32_t number, uint64_t first, const unsigned char *name,
                           size_t count) {
    const settle_log_name *known = &names->names[number];
    return known->first == first && known->count == count &&
           (count <= 8 || memcmp(names->bytes + known->from + 8, name + 8, count - 8) == 0);
}

static inline uint32_t find_name(const settle_log_names *names, uint64_t first, const unsigned char *name,
                                 size_t count) {
    size_t slot = (size_t)hash_of(names->seed, first, name, count);
    for (;; slot++) {
        uint32_t number = names->slots[slot & names->slots_mask];
        if (number == 0) return SETTLE_LOG_NO_NAME;
        if (is_name(names, number - 1, first, name, count)) return number - 1;
    }
}

#endif
