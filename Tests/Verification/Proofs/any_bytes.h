/* The frame of the proofs about the log's readers: any bytes, in buffers of exactly the length that is
 * stated, so that one byte more is out of bounds. */
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define assume(condition) __ESBMC_assume(condition)
#define prove(condition, text) __ESBMC_assert(condition, text)

unsigned char nondet_uchar(void);
unsigned int nondet_uint(void);
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

static void any_bytes(unsigned char *bytes, size_t count) {
    for (size_t i = 0; i < count; i++) bytes[i] = nondet_uchar();
}
