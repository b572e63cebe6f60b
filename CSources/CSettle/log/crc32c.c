/* CRC-32C (Castagnoli, polynomial 0x1EDC6F41 reflected), RFC 3720 appendix B.4. */
#include "settle_log.h"

#include <string.h>

/* Four bits at a time: sixteen table words, no start-up work. */
static const uint32_t nibble_table[16] = {
    0x00000000u, 0x105EC76Fu, 0x20BD8EDEu, 0x30E349B1u, 0x417B1DBCu, 0x5125DAD3u, 0x61C69362u, 0x7198540Du,
    0x82F63B78u, 0x92A8FC17u, 0xA24BB5A6u, 0xB21572C9u, 0xC38D26C4u, 0xD3D3E1ABu, 0xE330A81Au, 0xF36E6F75u,
};

uint32_t settle_crc32c_portable(uint32_t crc, const void *bytes, size_t count) {
    const unsigned char *byte = bytes;
    crc = ~crc;
    for (size_t i = 0; i < count; i++) {
        crc ^= byte[i];
        crc = nibble_table[crc & 15] ^ (crc >> 4);
        crc = nibble_table[crc & 15] ^ (crc >> 4);
    }
    return ~crc;
}

#if defined(__x86_64__) && defined(__GNUC__)
/* The instruction takes three cycles, and another may begin in each. So three blocks are read at the
 * same time, each with a checksum of its own. */
static const size_t block_bytes = 256;
/* x^(8 n − 33) modulo the polynomial, reflected: moves a checksum n bytes back. */
static const uint32_t back_one_block = 0xB9E02B86u, back_two_blocks = 0xDD7E3B0Cu;

/* clang separated crc32 from sse4.2, which a target may have without it. */
#if defined(__clang__) && __clang_major__ >= 14
#define WITH_INSTRUCTIONS __attribute__((target("sse4.2,crc32,pclmul")))
#else
#define WITH_INSTRUCTIONS __attribute__((target("sse4.2,pclmul")))
#endif

static inline uint64_t word_at(const unsigned char *bytes) {
    uint64_t word;
    memcpy(&word, bytes, 8);
    return word;
}

/* Multiplies polynomials; the next crc32 instruction reduces the product. */
WITH_INSTRUCTIONS static inline uint64_t product(uint64_t a, uint32_t b) {
    typedef long long pair __attribute__((vector_size(16)));
    pair wide = __builtin_ia32_pclmulqdq128((pair){(long long)a, 0}, (pair){b, 0}, 0);
    return (uint64_t)wide[0];
}

/* The state behind three blocks. */
WITH_INSTRUCTIONS static uint64_t three_blocks(uint64_t state, const unsigned char *bytes) {
    uint64_t second = 0, third = 0;
    for (const unsigned char *end = bytes + block_bytes; bytes < end; bytes += 8) {
        state = __builtin_ia32_crc32di(state, word_at(bytes));
        second = __builtin_ia32_crc32di(second, word_at(bytes + block_bytes));
        third = __builtin_ia32_crc32di(third, word_at(bytes + 2 * block_bytes));
    }
    return __builtin_ia32_crc32di(0, product(state, back_two_blocks) ^ product(second, back_one_block)) ^ third;
}

WITH_INSTRUCTIONS static uint32_t crc32c_sse42(uint32_t crc, const void *bytes, size_t count) {
    const unsigned char *byte = bytes;
    uint64_t state = ~crc;
    for (; count >= 3 * block_bytes; count -= 3 * block_bytes, byte += 3 * block_bytes) {
        state = three_blocks(state, byte);
    }
    for (; count >= 8; count -= 8, byte += 8) state = __builtin_ia32_crc32di(state, word_at(byte));
    uint32_t narrow = (uint32_t)state;
    for (; count > 0; count--, byte++) narrow = __builtin_ia32_crc32qi(narrow, *byte);
    return ~narrow;
}

uint32_t settle_crc32c(uint32_t crc, const void *bytes, size_t count) {
    bool has_both = (__builtin_cpu_supports("sse4.2") != 0) & (__builtin_cpu_supports("pclmul") != 0);
    return has_both ? crc32c_sse42(crc, bytes, count) : settle_crc32c_portable(crc, bytes, count);
}
#else
uint32_t settle_crc32c(uint32_t crc, const void *bytes, size_t count) {
    return settle_crc32c_portable(crc, bytes, count);
}
#endif
