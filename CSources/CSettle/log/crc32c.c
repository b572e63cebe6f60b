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
__attribute__((target("sse4.2"))) static uint32_t crc32c_sse42(uint32_t crc, const void *bytes, size_t count) {
    const unsigned char *byte = bytes;
    uint64_t state = ~crc;
    for (; count >= 8; count -= 8, byte += 8) {
        uint64_t word;
        memcpy(&word, byte, 8);
        state = __builtin_ia32_crc32di(state, word);
    }
    uint32_t narrow = (uint32_t)state;
    for (; count > 0; count--, byte++) narrow = __builtin_ia32_crc32qi(narrow, *byte);
    return ~narrow;
}

uint32_t settle_crc32c(uint32_t crc, const void *bytes, size_t count) {
    return __builtin_cpu_supports("sse4.2") ? crc32c_sse42(crc, bytes, count)
                                            : settle_crc32c_portable(crc, bytes, count);
}
#else
uint32_t settle_crc32c(uint32_t crc, const void *bytes, size_t count) {
    return settle_crc32c_portable(crc, bytes, count);
}
#endif
