/* Unpacks gzip (also without its header, in zlib's form), xz, zstd and bzip2 by the system's libraries, each loaded when it is first needed. Nothing needs their
 * headers to build. One thread at a time for each unpacker. */
#ifndef SETTLE_UNPACK_H
#define SETTLE_UNPACK_H

#include <stddef.h>

enum unpack_kind { UNPACK_GZIP, UNPACK_XZ, UNPACK_ZSTD, UNPACK_BZIP2 };

enum unpack_result {
    UNPACK_MORE,    /* it needs more input, or room for output */
    UNPACK_ENDED,   /* a packed part is whole; another may follow */
    UNPACK_DAMAGED, /* the input is not of this kind, or damaged */
    UNPACK_NO_MEMORY
};

typedef struct unpacker unpacker;

/* Returns NULL if there is no memory or no library; unpack_library names the file. */
unpacker *unpack_open(enum unpack_kind kind);
const char *unpack_library(enum unpack_kind kind);
void unpack_close(unpacker *one);

/* Unpacks from `in` to `out`. `*used` and `*made` are the bytes taken and written. After UNPACK_ENDED or UNPACK_DAMAGED
 * only unpack_close may follow. */
enum unpack_result unpack_run(unpacker *one, const unsigned char *in, size_t in_bytes, size_t *used, unsigned char *out,
                              size_t out_bytes, size_t *made);

#endif
