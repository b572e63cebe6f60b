/* The reader of plain lines of JSON on every input of a few bytes: no access outside the caller's buffers,
 * and what each step promises to the next. */
#include "any_bytes.h"

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

#include "plain_json_lines.c"

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
