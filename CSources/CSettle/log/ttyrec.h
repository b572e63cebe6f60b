/* Whether a file is a recording of ttyrec: for what reads formats, and for what refuses other content. */
#ifndef SETTLE_TTYREC_H
#define SETTLE_TTYREC_H

#include "settle_log_format.h"

static inline unsigned long little(const unsigned char *bytes) {
    return bytes[0] | (unsigned long)bytes[1] << 8 | (unsigned long)bytes[2] << 16 | (unsigned long)bytes[3] << 24;
}

/* A frame's header: seconds from 1990 to 2100, microseconds, and a length, of at most half of what a format must show in. */
enum { TTYREC_HEADER = 12, TTYREC_FRAME_MAX = 1 << 15 };
static inline bool is_ttyrec_header(const unsigned char *at) {
    return little(at) - 631152000 < 3471292800 && little(at + 4) < 1000000 && little(at + 8) - 1 < TTYREC_FRAME_MAX;
}

/* Two frames, or one and nothing behind it: the headers have zero bytes, as text has not, but other bytes may have a
 * header by chance. Nothing is known before the second header: SETTLE_FORMAT_NEEDS_MORE. */
static inline int settle_find_ttyrec(const unsigned char *bytes, size_t count, bool is_all) {
    if (count < TTYREC_HEADER) return is_all ? SETTLE_FORMAT_NONE : SETTLE_FORMAT_NEEDS_MORE;
    if (!is_ttyrec_header(bytes)) return SETTLE_FORMAT_NONE;
    const size_t frame = TTYREC_HEADER + little(bytes + 8);
    if (count >= frame + TTYREC_HEADER)
        return is_ttyrec_header(bytes + frame) ? SETTLE_FORMAT_TTYREC : SETTLE_FORMAT_NONE;
    if (!is_all) return SETTLE_FORMAT_NEEDS_MORE;
    return count == frame ? SETTLE_FORMAT_TTYREC : SETTLE_FORMAT_NONE;
}

#endif
