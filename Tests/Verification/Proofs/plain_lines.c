/* The reader of plain lines of JSON on every input of a few bytes: no access outside the caller's
 * buffers, and what each step promises to the next. The buffers have exactly the length that is
 * stated, so that one byte more is out of bounds. */
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define assume(condition) __ESBMC_assume(condition)
#define prove(condition, text) __ESBMC_assert(condition, text)

unsigned char nondet_uchar(void);
unsigned long nondet_ulong(void);

/* Eight bytes at once; the prover's own memcpy goes byte by byte, whatever the length. */
static inline void copy(void *to, const void *from, size_t count) {
    if (count == 8) {
        *(uint64_t *)to = *(const uint64_t *)from;
        return;
    }
    for (size_t i = 0; i < count; i++) ((unsigned char *)to)[i] = ((const unsigned char *)from)[i];
}
#define memcpy copy

/* The prover does not know the builtin function. */
static inline unsigned lowest(uint64_t bits) {
    unsigned number = 0;
    for (unsigned half = 32; half > 0; half /= 2) {
        if (bits & (((uint64_t)1 << half) - 1)) continue;
        number += half;
        bits >>= half;
    }
    return number;
}
#define __builtin_ctzll lowest

#include "json_lines.c"

static void any_bytes(unsigned char *bytes, size_t count) {
    for (size_t i = 0; i < count; i++) bytes[i] = nondet_uchar();
}

#if defined(JSON_VALUES)
/* Every value at every place, of which one byte at least is readable. */
int main(void) {
    unsigned char bytes[BYTES];
    any_bytes(bytes, BYTES);
    const unsigned char *end = bytes + BYTES, *behind = NULL;
    size_t from = nondet_ulong();
    assume(from < BYTES);
    const unsigned char *at = bytes + from;
    settle_log_event event = {0};
    json_digits digits = {0, 0};
    bool word;
    switch (nondet_uchar()) {
    case 0: behind = closing_quote(at, end); break;
    case 1:
        behind = read_whole(at, end, &digits);
        prove(!behind || (digits.count <= 19 && digits.count == (size_t)(behind - at)), "a number has its digits");
        break;
    case 2: behind = read_bool(at, end, &word); break;
    case 3: behind = read_kind(at, end, &event.kind); break;
    case 4: behind = read_orientation(at, end, &event); break;
    default:
        behind = skip_space(at, end);
        prove(!behind || (behind >= at && behind < end), "a byte is readable behind spaces");
        return 0;
    }
    prove(!behind || (behind >= at && end - behind >= AHEAD), "bytes are readable behind a value");
    return 0;
}
#endif
