/* Little-endian integers of 1 … 8 bytes, whatever the host's byte order. */
#ifndef SETTLE_BYTES_H
#define SETTLE_BYTES_H

#include <stdint.h>
#include <string.h>

static inline uint64_t read_le(const unsigned char *bytes, unsigned count) {
    uint64_t value = 0;
    for (unsigned i = 0; i < count; i++) value |= (uint64_t)bytes[i] << (8 * i);
    return value;
}

static inline void write_le(unsigned char *bytes, uint64_t value, unsigned count) {
    for (unsigned i = 0; i < count; i++) bytes[i] = (unsigned char)(value >> (8 * i));
}

/* read_le(bytes, 8) as one load. */
static inline uint64_t load8(const unsigned char *bytes) {
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    uint64_t value;
    memcpy(&value, bytes, 8);
    return value;
#else
    return read_le(bytes, 8);
#endif
}

/* read_le without a loop. Eight bytes must be readable, whatever `count` is. */
static inline uint64_t load(const unsigned char *bytes, unsigned count) {
    return count == 8 ? load8(bytes) : load8(bytes) & (((uint64_t)1 << (8 * count)) - 1);
}

#endif
