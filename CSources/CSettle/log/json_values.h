/* Strings and numbers of plain lines of JSON. Each function reads from `at`, where one byte at least
 * is readable, and nothing at or behind `end`. It returns NULL for what is not plain or too near to
 * the end, and otherwise the place behind what it read, from which AHEAD bytes are readable. */
#ifndef SETTLE_JSON_VALUES_H
#define SETTLE_JSON_VALUES_H

#include "bytes.h"

#include <float.h>
#include <stdbool.h>
#include <stddef.h>

enum { AHEAD = 16 };

static inline bool is_readable(const unsigned char *at, const unsigned char *end, ptrdiff_t count) {
    return end - at >= count;
}

/* `text`, a literal, stands at `at`, where as many bytes are readable. */
#define STARTS(at, text) (memcmp(at, text, sizeof(text) - 1) == 0)

/* The number of the lowest bit that is set, of one that is. */
static inline unsigned lowest_bit(uint64_t bits) {
#if defined(__GNUC__)
    return (unsigned)__builtin_ctzll(bits);
#else
    unsigned number = 0;
    for (; !(bits & 1); bits >>= 1) number++;
    return number;
#endif
}

#if defined(__GNUC__)
#define RARELY(condition) __builtin_expect(!!(condition), 0)
#define ALWAYS_INLINE __attribute__((always_inline)) inline
#define NEVER_INLINE __attribute__((noinline))
#else
#define RARELY(condition) (condition)
#define ALWAYS_INLINE inline
#define NEVER_INLINE
#endif

static NEVER_INLINE const unsigned char *skip_spaces(const unsigned char *at, const unsigned char *end) {
    while (*at == ' ' || *at == '\t' || *at == '\r') {
        if (++at == end) return NULL;
    }
    return at;
}

/* Moves past spaces; leaves one byte readable. */
static ALWAYS_INLINE const unsigned char *skip_space(const unsigned char *at, const unsigned char *end) {
    return RARELY(*at <= ' ') ? skip_spaces(at, end) : at;
}

/* The high bit of the first byte that is a quote, a backslash or a control character; higher bits
 * say nothing. */
static inline uint64_t string_stops(uint64_t word) {
    const uint64_t ones = 0x0101010101010101, highs = 0x8080808080808080;
    uint64_t quote = word ^ ('"' * ones), slash = word ^ ('\\' * ones);
    return (((quote - ones) & ~quote) | ((slash - ones) & ~slash) | ((word - ' ' * ones) & ~word)) & highs;
}

/* Moves from behind a string's opening quote to its closing one: AHEAD bytes are readable behind
 * that. */
static inline const unsigned char *closing_quote(const unsigned char *at, const unsigned char *end) {
    for (;; at += 8) {
        if (!is_readable(at, end, 8 + AHEAD)) return NULL;
        uint64_t stops = string_stops(load8(at));
        if (stops == 0) continue;
        at += lowest_bit(stops) / 8;
        return *at == '"' ? at : NULL;
    }
}

typedef struct json_digits {
    uint64_t value;
    unsigned count;
} json_digits;

/* The digits among the next eight bytes, up to the first byte that is none. */
static inline json_digits next_digits(const unsigned char *at) {
    uint64_t word = load8(at) ^ 0x3030303030303030;
    /* The high bit of each byte above 9; a carry only reaches bytes behind such a one. */
    uint64_t others = ((word + 0x7676767676767676) | word) & 0x8080808080808080;
    unsigned bits = 64;
    if (others != 0) {
        bits = lowest_bit(others) & ~7u;
        word = word << 1 << (63 - bits); /* zeros before the digits */
    }
    /* Neighbours become one number: pairs, then fours, then all eight. */
    word = word * 10 + (word >> 8);
    word = (((word & 0x000000FF000000FF) * 0x000F424000000064) +
            (((word >> 16) & 0x000000FF000000FF) * 0x0000271000000001)) >>
           32;
    return (json_digits){word, bits / 8};
}

static const uint64_t power_of_ten[17] = {1,
                                          10,
                                          100,
                                          1000,
                                          10000,
                                          100000,
                                          1000000,
                                          10000000,
                                          100000000,
                                          1000000000,
                                          10000000000,
                                          100000000000,
                                          1000000000000,
                                          10000000000000,
                                          100000000000000,
                                          1000000000000000,
                                          10000000000000000};

/* From 1 to 19 digits, which fit into 64 bits. */
static ALWAYS_INLINE const unsigned char *read_digits(const unsigned char *at, const unsigned char *end,
                                                      json_digits *all) {
    if (!is_readable(at, end, 24 + AHEAD)) return NULL;
    *all = next_digits(at);
    if (all->count == 8) {
        json_digits more = next_digits(at + 8);
        all->value = all->value * power_of_ten[more.count] + more.value;
        all->count += more.count;
        if (more.count == 8) {
            more = next_digits(at + 16);
            if (more.count > 3) return NULL;
            all->value = all->value * power_of_ten[more.count] + more.value;
            all->count += more.count;
        }
    }
    return all->count > 0 ? at + all->count : NULL;
}

/* Digits without a zero in front. */
static ALWAYS_INLINE const unsigned char *read_whole(const unsigned char *at, const unsigned char *end,
                                                     json_digits *whole) {
    const unsigned char *behind = read_digits(at, end, whole);
    return behind && (*at != '0' || whole->count == 1) ? behind : NULL;
}

static ALWAYS_INLINE const unsigned char *read_integer(const unsigned char *at, const unsigned char *end, uint64_t most,
                                                       uint64_t *value) {
    json_digits whole;
    at = read_whole(at, end, &whole);
    if (!at || whole.value > most) return NULL;
    *value = whole.value;
    return at;
}

/* A number whose digits, and whose power of ten, are doubles: so their quotient is the nearest
 * double to it. */
static NEVER_INLINE const unsigned char *read_any_double(const unsigned char *at, const unsigned char *end,
                                                         double *value) {
    const uint64_t exact_max = (uint64_t)1 << DBL_MANT_DIG;
    json_digits whole, fraction;
    at = read_whole(at, end, &whole);
    if (!at) return NULL;
    if (*at != '.') {
        *value = (double)(int64_t)whole.value;
        return whole.value <= exact_max ? at : NULL;
    }
    at = read_digits(at + 1, end, &fraction);
    if (!at || whole.count + fraction.count > 16 || FLT_EVAL_METHOD != 0) return NULL;
    uint64_t scale = power_of_ten[fraction.count];
    uint64_t digits = whole.value * scale + fraction.value;
    *value = (double)(int64_t)digits / (double)(int64_t)scale;
    return digits <= exact_max ? at : NULL;
}

/* The same; most lengths have a few digits and no point. */
static ALWAYS_INLINE const unsigned char *read_double(const unsigned char *at, const unsigned char *end,
                                                      double *value) {
    if (!is_readable(at, end, 8 + AHEAD)) return NULL;
    json_digits whole = next_digits(at);
    if (whole.count - 1 > 6 || at[whole.count] == '.' || *at == '0') return read_any_double(at, end, value);
    *value = (double)(int64_t)whole.value;
    return at + whole.count;
}

static inline const unsigned char *read_bool(const unsigned char *at, const unsigned char *end, bool *value) {
    if (!is_readable(at, end, 5 + AHEAD)) return NULL;
    *value = *at == 't';
    if (*value) return STARTS(at, "true") ? at + 4 : NULL;
    return STARTS(at, "false") ? at + 5 : NULL;
}

#endif
