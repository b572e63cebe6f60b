/* A binary event log that is in memory as a whole: its chunks found, compared with its index, and
 * decoded into one array of events with one list of scene names. docs/reference/log-format.md, "How damage is
 * read", says what a reader does about damage.
 *
 * No I/O and no allocation: the caller owns all memory. Every function may be called from any thread.
 *
 *     settle_log_measure(bytes, count, false, &whole);
 *     settle_log_read_whole(&whole, seed, memory, settle_log_whole_size(&whole), &contents);
 */
#ifndef SETTLE_WHOLE_LOG_H
#define SETTLE_WHOLE_LOG_H

#include "settle_json_lines.h"

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#pragma GCC visibility push(default)
#endif

/* What is wrong with a log. */
enum settle_log_damage {
    SETTLE_LOG_HEADER_DAMAGED =
        1 << 0,                        /* its checksum differs; when salvaging, also one that is torn or out of range */
    SETTLE_LOG_CHUNK_DAMAGED = 1 << 1, /* a checksum differs, or something is out of range */
    SETTLE_LOG_CHUNK_TORN = 1 << 2,    /* the log ends within a chunk */
    SETTLE_LOG_EVENTS_MALFORMED = 1 << 3, /* a chunk's content is not as the format says */
    SETTLE_LOG_INDEX_DAMAGED = 1 << 4,    /* its length or checksum is wrong, or the log ends within it */
    SETTLE_LOG_INDEX_DIFFERS = 1 << 5,    /* it does not list exactly the chunks before it */
    SETTLE_LOG_FOLLOWED = 1 << 6,         /* something follows the index */
    /* No damage: the log ends after a chunk, and nobody knows whether others are missing. */
    SETTLE_LOG_NO_INDEX = 1 << 7
};

/* A log that was measured. The bytes must stay as they are while it is used. */
typedef struct settle_log_whole {
    const unsigned char *bytes;
    size_t count;
    const unsigned char *metadata; /* in `bytes` */
    size_t metadata_bytes;
    size_t chunks_begin; /* the offset of the first chunk */
    size_t chunks_end;   /* after the last one to decode */
    size_t damaged_at;   /* the offset of the first damage, SIZE_MAX for none */
    uint32_t damage;     /* bits of enum settle_log_damage */
    bool salvages;
    /* What the chunks to decode have at most. */
    uint64_t events, names;
    uint32_t chunk_names;
} settle_log_whole;

/* Finds the chunks, and compares the checksums and the index. Without `salvages` it stops at the
 * first damage of the chunks; with it, every intact chunk is to be decoded, also after damage, and the
 * header may be damaged.
 * SETTLE_LOG_NOT_A_LOG: the magic number is another one, and with `salvages` no chunk or index can be found either.
 * SETTLE_LOG_NEWER: a newer major version wrote it. SETTLE_LOG_MALFORMED: the header is torn or out
 * of range. *whole is only written if the result is SETTLE_LOG_OK. */
int settle_log_measure(const unsigned char *bytes, size_t count, bool salvages, settle_log_whole *whole);

/* Bytes of memory to read it; 0 if an address cannot count them, or for more than 2^28 names. At most
 * some thirty times the log's, whatever its headers claim; of real logs about seven times. */
size_t settle_log_whole_size(const settle_log_whole *whole);

typedef struct settle_log_contents {
    settle_log_event *events; /* event->name is a number in `names` */
    size_t count;
    settle_log_names names; /* its bytes are the log's */
    uint32_t names_count;
    uint32_t damage; /* that of the measured log, and SETTLE_LOG_EVENTS_MALFORMED */
    size_t damaged_at;
} settle_log_contents;

/* Decodes the chunks. Of a chunk whose content is malformed the events before the fault are kept; it
 * is the last one unless the log is salvaged. `memory` is aligned for a uint64_t. `seed` becomes that of
 * `contents->names`: a caller whose logs may be hostile draws it at random; zeros do for others.
 * SETTLE_INVALID: memory that is null, misaligned or too small. */
int settle_log_read_whole(const settle_log_whole *whole, const uint64_t seed[2], void *memory, size_t size,
                          settle_log_contents *contents);

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#ifdef __cplusplus
}
#endif
#endif
