/* The binary event log's codec: file header, chunks, footer. docs/reference/log-format.md is the
 * specification. No I/O and no allocation: the caller reads and writes the bytes. Every
 * function is pure and may be called from any thread. Integers are little-endian in the file,
 * whatever the host. */
#ifndef SETTLE_LOG_H
#define SETTLE_LOG_H

#include "settle.h"

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#pragma GCC visibility push(default)
#endif

enum settle_log_result {
    SETTLE_LOG_OK = 0,
    SETTLE_LOG_NOT_A_LOG = -10, /* another magic number */
    SETTLE_LOG_NEWER = -11,     /* written by a newer major version */
    SETTLE_LOG_CHECKSUM = -12,  /* CRC-32C differs */
    SETTLE_LOG_MALFORMED = -13  /* a length, index or code is out of range */
};

/* The name of a code in this header, such as "SETTLE_LOG_CHECKSUM"; "unknown" for any other number. Static text. */
const char *settle_log_result_name(int result);

enum {
    SETTLE_LOG_MAJOR = 3, /* 2: events may be SETTLE_FINISHED; 3: SETTLE_PREVIEWED */
    SETTLE_LOG_MINOR = 0,
    SETTLE_LOG_FILE_HEADER_BYTES = 16, /* before the metadata */
    SETTLE_LOG_METADATA_MAX = 1 << 16,
    SETTLE_LOG_CHUNK_HEADER_BYTES = 48,
    SETTLE_LOG_EVENTS_MAX = 1 << 16, /* per chunk */
    SETTLE_LOG_BODY_MAX = 1 << 27,   /* dictionary and events of a chunk */
    SETTLE_LOG_NAME_MAX = 1024,      /* bytes of a scene's name */
    SETTLE_LOG_EVENT_BYTES_MAX = 32,
    SETTLE_LOG_FOOTER_HEADER_BYTES = 16,
    SETTLE_LOG_FOOTER_ENTRY_BYTES = 32,
    SETTLE_LOG_FOOTER_TAIL_BYTES = 16,
    SETTLE_LOG_CHUNK_MAGIC_BYTES = 4
};

/* The magic numbers in the file; "CHNK" and "INDX". */
extern const unsigned char settle_log_file_magic[8];
extern const unsigned char settle_log_chunk_magic[4];
extern const unsigned char settle_log_footer_magic[4];
/* The position of the first magic number of a chunk or an index; `count` for none. */
size_t settle_log_find_frame(const unsigned char *bytes, size_t count);

/* CRC-32C (Castagnoli), continued from `crc`, 0 at the start. */
uint32_t settle_crc32c(uint32_t crc, const void *bytes, size_t count);
/* The same without the processor's instruction, for the tests. */
uint32_t settle_crc32c_portable(uint32_t crc, const void *bytes, size_t count);
/* Whether the checksum of `count` bytes, the last before the byte `end` of their log, is `crc`. *vain, 0 at first, is how
 * many bytes of a log were checked in vain. They are bounded by those up to the end of the ones to check, since parts that
 * overlap may each claim the rest of the log. So reading takes time in proportion to it. Beyond, an answer is no. Damage
 * does not come near: each chunk claims its own length only. */
bool settle_log_has_checksum(const unsigned char *bytes, size_t count, uint64_t end, uint32_t crc, uint64_t *vain);

typedef struct settle_log_file_header {
    uint16_t major, minor;
    uint32_t metadata_bytes; /* the metadata and its four-byte CRC follow */
} settle_log_file_header;

int settle_log_read_file_header(const unsigned char *bytes, settle_log_file_header *header);
void settle_log_write_file_header(unsigned char *bytes, uint32_t metadata_bytes);

typedef struct settle_log_chunk {
    uint64_t first_ns, last_ns; /* smallest and largest time */
    uint32_t body_bytes;
    uint32_t events;
    uint32_t scenes; /* names in the dictionary */
    uint32_t dictionary_bytes;
    uint32_t body_crc;
} settle_log_chunk;

/* Reads SETTLE_LOG_CHUNK_HEADER_BYTES. */
int settle_log_read_chunk_header(const unsigned char *bytes, settle_log_chunk *chunk);
void settle_log_write_chunk_header(unsigned char *bytes, const settle_log_chunk *chunk);

/* Reads the next name of a chunk's dictionary at *offset, and moves *offset past it.
 * SETTLE_LOG_MALFORMED: beyond dictionary_bytes, or longer than SETTLE_LOG_NAME_MAX. */
int settle_log_next_name(const settle_log_chunk *chunk, const unsigned char *body, size_t *offset,
                         const unsigned char **name, size_t *name_bytes);

typedef struct settle_log_size {
    double width, height;
} settle_log_size;

/* An event of a log, which has the number of its scene's name, of a chunk's events in the chunk's
 * dictionary, and a kind of SETTLE_GEOMETRY … SETTLE_POINTER or a report's. */
typedef settle_event settle_log_event;

/* Decodes a chunk's events from its body. `sizes` has a capacity of chunk->scenes, `events` of
 * chunk->events. Writes chunk->events events, or *decoded before a malformed one.
 * SETTLE_LOG_MALFORMED: an event is not as the format says, or the body's length is another. */
int settle_log_decode(const settle_log_chunk *chunk, const unsigned char *body, settle_log_size *sizes,
                      settle_log_event *events, uint32_t *decoded);

/* The same, with names[number] in the events for the number of a scene in the dictionary: each chunk
 * has a dictionary of its own. `names` has a capacity of chunk->scenes. */
int settle_log_decode_as(const settle_log_chunk *chunk, const unsigned char *body, const uint32_t *names,
                         settle_log_size *sizes, settle_log_event *events, uint32_t *decoded);

/* What the events of a log say, whether a core accepts them or not. */
typedef struct settle_log_counts {
    uint64_t first_ns, last_ns; /* the earliest and the latest time; SETTLE_NEVER and 0 before an event */
    uint64_t events;
    uint64_t pointers; /* those that are pointer events */
} settle_log_counts;

/* The log rule, for a log's events in order, without its pointer events: an event of a scene that is not
 * connected connects it, unless it is a disconnect, a report, or one that every core rejects.
 * False for an event that a core rejects; it changes nothing. Otherwise *connected becomes whether the scene
 * is connected after the event. */
bool settle_log_applies(const settle_log_event *event, bool *connected);

/* What is known of the scene of a name while a log is bound; all zero before its first event. */
typedef struct settle_log_scene {
    settle_scene handle; /* zero while it is not connected */
    uint32_t is_counted; /* the caller's: whether the scene is among those that it has counted */
} settle_log_scene;

/* Binds a log's next events in place, to the handles of the scenes of their names, and counts them:
 * afterwards they are events for a core. Returns how many events: it stops before one for which
 * settle_log_applies may matter, which is a disconnect, or of a scene that is not connected. */
size_t settle_log_bind(settle_log_event *events, size_t count, const settle_log_scene *scenes, size_t names,
                       settle_log_counts *counts);

/* Encodes chunk->events events, whose names are below chunk->scenes. `sizes` has a capacity of
 * chunk->scenes, `out` of chunk->events × SETTLE_LOG_EVENT_BYTES_MAX. Returns the bytes
 * written. */
size_t settle_log_encode(const settle_log_chunk *chunk, const settle_log_event *events, settle_log_size *sizes,
                         unsigned char *out);

typedef struct settle_log_index_entry {
    uint64_t offset; /* of the chunk's header in the file */
    uint64_t first_ns, last_ns;
    uint32_t events;
    uint32_t bytes; /* header and body */
} settle_log_index_entry;

/* The footer: its header, one entry per chunk, then the tail. */
void settle_log_write_footer_header(unsigned char *bytes, uint32_t chunks, uint64_t events);
void settle_log_write_footer_entry(unsigned char *bytes, const settle_log_index_entry *entry);
/* `crc` covers the header and all entries. */
void settle_log_write_footer_tail(unsigned char *bytes, uint32_t crc, uint32_t chunks);
/* All of it. */
void settle_log_write_footer(unsigned char *bytes, const settle_log_index_entry *entries, uint32_t chunks,
                             uint64_t events);
/* Reads the whole footer's length from the file's last 16 bytes. */
int settle_log_read_footer_tail(const unsigned char *bytes, uint32_t *crc, uint32_t *footer_bytes);
int settle_log_read_footer_header(const unsigned char *bytes, uint32_t *chunks, uint64_t *events);
void settle_log_read_footer_entry(const unsigned char *bytes, settle_log_index_entry *entry);

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#ifdef __cplusplus
}
#endif
#endif
