#include "demo_picture.h"
#include "loaded_library.h"
#include "window_message.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

/* zlib's functions as its manual declares them, so that its headers need not be there. */
static struct {
    unsigned long (*crc32)(unsigned long, const uint8_t *, unsigned);
    unsigned long (*compressBound)(unsigned long);
    int (*compress2)(uint8_t *, unsigned long *, const uint8_t *, unsigned long, int);
} zlib;

enum { SIGNATURE_BYTES = 8, CHUNK_BYTES = 12, HEADER_BYTES = 13, BEST_COMPRESSION = 9 };

static uint8_t *put_number(uint8_t *at, unsigned long value) {
    for (int shift = 24; shift >= 0; shift -= 8) *at++ = (uint8_t)(value >> shift);
    return at;
}

/* Completes a chunk whose data stands at `at + 8`. */
static uint8_t *put_chunk(uint8_t *at, const char *type, size_t bytes) {
    put_number(at, bytes);
    memcpy(at + 4, type, 4);
    return put_number(at + 8 + bytes, zlib.crc32(0, at + 4, (unsigned)bytes + 4));
}

/* Rows of a filter's number and red, green, blue; filter 1 stores the difference to the left pixel. */
static void put_rows(uint8_t *at, const uint32_t *pixels, int width_px, int height_px) {
    for (int y = 0; y < height_px; y++) {
        *at++ = 1;
        uint32_t left = 0;
        for (int x = 0; x < width_px; x++) {
            uint32_t pixel = pixels[(size_t)y * (size_t)width_px + (size_t)x];
            for (int shift = 16; shift >= 0; shift -= 8) *at++ = (uint8_t)((pixel >> shift) - (left >> shift));
            left = pixel;
        }
    }
}

int demo_picture_encode(const uint32_t *pixels, int width_px, int height_px, uint8_t **bytes, size_t *count,
                        char message[DEMO_WINDOW_MESSAGE_MAX]) {
    static const loaded_function functions[] = {
        {"crc32", &zlib.crc32}, {"compressBound", &zlib.compressBound}, {"compress2", &zlib.compress2}};
    if (loaded_library_open("libz.so.1", functions, sizeof functions / sizeof *functions)) {
        return window_failure(message, "PNG: %s; install Debian's zlib1g", dlerror());
    }
    unsigned long raw_bytes = ((unsigned long)width_px * 3 + 1) * (unsigned long)height_px;
    unsigned long packed_bytes = zlib.compressBound(raw_bytes);
    uint8_t *raw = malloc(raw_bytes);
    uint8_t *file = malloc(SIGNATURE_BYTES + 3 * CHUNK_BYTES + HEADER_BYTES + packed_bytes);
    if (!raw || !file) {
        free(raw);
        free(file);
        return window_failure(message, "PNG: no memory for %d × %d pixels", width_px, height_px);
    }
    memcpy(file, "\x89PNG\r\n\x1a\n", SIGNATURE_BYTES);
    uint8_t *at = file + SIGNATURE_BYTES;
    uint8_t *header = put_number(put_number(at + 8, (unsigned long)width_px), (unsigned long)height_px);
    /* 8 bits per sample of red, green and blue; deflate, the usual filters, not interlaced. */
    static const uint8_t format[] = {8, 2, 0, 0, 0};
    memcpy(header, format, sizeof format);
    at = put_chunk(at, "IHDR", HEADER_BYTES);
    put_rows(raw, pixels, width_px, height_px);
    /* It fails only where the buffer is too small, which the bound rules out, or without memory. */
    int result = zlib.compress2(at + 8, &packed_bytes, raw, raw_bytes, BEST_COMPRESSION);
    free(raw);
    if (result) {
        free(file);
        return window_failure(message, "PNG: zlib could not compress the picture (error %d)", result);
    }
    at = put_chunk(at, "IDAT", packed_bytes);
    at = put_chunk(at, "IEND", 0);
    *bytes = file;
    *count = (size_t)(at - file);
    return 0;
}
