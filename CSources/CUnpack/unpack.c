#include "unpack.h"

#include <dlfcn.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* The structures of the libraries, whose layout their ABI fixes. */
typedef struct zlib_stream {
    const unsigned char *next_in;
    unsigned avail_in;
    unsigned long total_in;
    unsigned char *next_out;
    unsigned avail_out;
    unsigned long total_out;
    const char *message;
    void *state, *allocate, *release, *opaque;
    int data_type;
    unsigned long adler, reserved;
} zlib_stream;

typedef struct bzip2_stream {
    char *next_in;
    unsigned avail_in, total_in_low, total_in_high;
    char *next_out;
    unsigned avail_out, total_out_low, total_out_high;
    void *state, *allocate, *release, *opaque;
} bzip2_stream;

typedef struct lzma_stream {
    const uint8_t *next_in;
    size_t avail_in;
    uint64_t total_in;
    uint8_t *next_out;
    size_t avail_out;
    uint64_t total_out;
    const void *allocator;
    void *internal, *reserved_pointers[4];
    uint64_t seek, reserved_integer;
    size_t reserved_sizes[2];
    int reserved_enums[2];
} lzma_stream;

typedef struct zstd_buffer {
    void *bytes;
    size_t size, position;
} zstd_buffer;

typedef int (*open_zlib)(zlib_stream *, int bits, const char *version, int size);
typedef int (*run_zlib)(zlib_stream *, int flush);
typedef int (*close_zlib)(zlib_stream *);
typedef int (*open_bzip2)(bzip2_stream *, int verbosity, int small);
typedef int (*run_bzip2)(bzip2_stream *);
typedef int (*close_bzip2)(bzip2_stream *);
typedef int (*open_lzma)(lzma_stream *, uint64_t memory_limit, uint32_t flags);
typedef int (*run_lzma)(lzma_stream *, int action);
typedef void (*close_lzma)(lzma_stream *);
typedef void *(*open_zstd)(void);
typedef size_t (*run_zstd)(void *, zstd_buffer *out, zstd_buffer *in);
typedef size_t (*close_zstd)(void *);
typedef unsigned (*is_zstd_error)(size_t);

/* No log needs a window of more memory. 32 tells gzip from zlib's own form. */
enum { MEMORY_BYTES_MAX = 256 << 20, ZLIB_BITS = 15 + 32, PART_BYTES_MAX = 1 << 30 };

static const struct {
    char file[16], open[22], run[24], close[20];
} libraries[] = {{"libz.so.1", "inflateInit2_", "inflate", "inflateEnd"},
                 {"liblzma.so.5", "lzma_stream_decoder", "lzma_code", "lzma_end"},
                 {"libzstd.so.1", "ZSTD_createDStream", "ZSTD_decompressStream", "ZSTD_freeDStream"},
                 {"libbz2.so.1.0", "BZ2_bzDecompressInit", "BZ2_bzDecompress", "BZ2_bzDecompressEnd"}};

struct unpacker {
    enum unpack_kind kind;
    void *library, *run, *close, *zstd;
    is_zstd_error is_error;
    union {
        zlib_stream zlib;
        bzip2_stream bzip2;
        lzma_stream lzma;
    } stream;
};

const char *unpack_library(enum unpack_kind kind) { return libraries[kind].file; }

/* ISO C has no conversion from an object's pointer to a function's; POSIX has this one. */
#define AS_FUNCTION(type, name, pointer)                                                                               \
    type name;                                                                                                         \
    memcpy(&name, &(pointer), sizeof name)

static int open_stream(unpacker *one, void *opening) {
    switch (one->kind) {
    case UNPACK_GZIP: {
        AS_FUNCTION(open_zlib, open, opening);
        return open(&one->stream.zlib, ZLIB_BITS, "1.2.11", (int)sizeof(zlib_stream));
    }
    case UNPACK_XZ: {
        AS_FUNCTION(open_lzma, open, opening);
        return open(&one->stream.lzma, MEMORY_BYTES_MAX, 0);
    }
    case UNPACK_ZSTD: {
        AS_FUNCTION(open_zstd, open, opening);
        void *is_error = dlsym(one->library, "ZSTD_isError");
        if (!is_error) return -1;
        memcpy(&one->is_error, &is_error, sizeof is_error);
        one->zstd = open();
        return one->zstd ? 0 : -1;
    }
    case UNPACK_BZIP2: {
        AS_FUNCTION(open_bzip2, open, opening);
        return open(&one->stream.bzip2, 0, 0);
    }
    }
    return -1;
}

unpacker *unpack_open(enum unpack_kind kind) {
    unpacker *one = calloc(1, sizeof *one);
    if (!one) return NULL;
    one->kind = kind;
    one->library = dlopen(libraries[kind].file, RTLD_NOW | RTLD_LOCAL);
    if (one->library) {
        void *open = dlsym(one->library, libraries[kind].open);
        one->run = dlsym(one->library, libraries[kind].run);
        void *close = dlsym(one->library, libraries[kind].close);
        if (open && one->run && close && open_stream(one, open) == 0) {
            one->close = close;
            return one;
        }
    }
    unpack_close(one);
    return NULL;
}

/* The library stays loaded: it is small, and the next file may need it. */
void unpack_close(unpacker *one) {
    if (!one) return;
    if (one->close) {
        AS_FUNCTION(close_zlib, zlib, one->close);
        AS_FUNCTION(close_lzma, lzma, one->close);
        AS_FUNCTION(close_zstd, zstd, one->close);
        AS_FUNCTION(close_bzip2, bzip2, one->close);
        switch (one->kind) {
        case UNPACK_GZIP: (void)zlib(&one->stream.zlib); break;
        case UNPACK_XZ: lzma(&one->stream.lzma); break;
        case UNPACK_ZSTD: (void)zstd(one->zstd); break;
        case UNPACK_BZIP2: (void)bzip2(&one->stream.bzip2); break;
        }
    }
    free(one);
}

static unsigned part(size_t bytes) { return bytes < PART_BYTES_MAX ? (unsigned)bytes : PART_BYTES_MAX; }

enum unpack_result unpack_run(unpacker *one, const unsigned char *in, size_t in_bytes, size_t *used, unsigned char *out,
                              size_t out_bytes, size_t *made) {
    switch (one->kind) {
    case UNPACK_GZIP: {
        AS_FUNCTION(run_zlib, run, one->run);
        zlib_stream *stream = &one->stream.zlib;
        unsigned given = part(in_bytes), room = part(out_bytes);
        stream->next_in = in, stream->avail_in = given, stream->next_out = out, stream->avail_out = room;
        int result = run(stream, 0);
        *used = given - stream->avail_in, *made = room - stream->avail_out;
        /* Z_OK, Z_BUF_ERROR: no progress is possible; Z_STREAM_END; Z_MEM_ERROR. */
        if (result == 1) return UNPACK_ENDED;
        return result == 0 || result == -5 ? UNPACK_MORE : result == -4 ? UNPACK_NO_MEMORY : UNPACK_DAMAGED;
    }
    case UNPACK_XZ: {
        AS_FUNCTION(run_lzma, run, one->run);
        lzma_stream *stream = &one->stream.lzma;
        stream->next_in = in, stream->avail_in = in_bytes, stream->next_out = out, stream->avail_out = out_bytes;
        int result = run(stream, 0);
        *used = in_bytes - stream->avail_in, *made = out_bytes - stream->avail_out;
        /* LZMA_OK, LZMA_BUF_ERROR; LZMA_STREAM_END; LZMA_MEM_ERROR, LZMA_MEMLIMIT_ERROR. */
        if (result == 1) return UNPACK_ENDED;
        return result == 0 || result == 10  ? UNPACK_MORE
               : result == 5 || result == 6 ? UNPACK_NO_MEMORY
                                            : UNPACK_DAMAGED;
    }
    case UNPACK_ZSTD: {
        AS_FUNCTION(run_zstd, run, one->run);
        zstd_buffer input = {(void *)(uintptr_t)in, in_bytes, 0}, output = {out, out_bytes, 0};
        size_t result = run(one->zstd, &output, &input);
        *used = input.position, *made = output.position;
        if (one->is_error(result)) return UNPACK_DAMAGED;
        return result == 0 ? UNPACK_ENDED : UNPACK_MORE;
    }
    case UNPACK_BZIP2: {
        AS_FUNCTION(run_bzip2, run, one->run);
        bzip2_stream *stream = &one->stream.bzip2;
        unsigned given = part(in_bytes), room = part(out_bytes);
        stream->next_in = (char *)(uintptr_t)in, stream->avail_in = given;
        stream->next_out = (char *)out, stream->avail_out = room;
        int result = run(stream);
        *used = given - stream->avail_in, *made = room - stream->avail_out;
        /* BZ_OK, BZ_STREAM_END, BZ_MEM_ERROR. */
        return result == 4    ? UNPACK_ENDED
               : result == 0  ? UNPACK_MORE
               : result == -3 ? UNPACK_NO_MEMORY
                              : UNPACK_DAMAGED;
    }
    }
    return UNPACK_DAMAGED;
}
