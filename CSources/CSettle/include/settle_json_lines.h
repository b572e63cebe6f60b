/* The plain lines of a JSON Lines event log (docs/reference/contract.md), read without a general parser, and
 * the table of the scenes' names that they are read with. A line is plain if its event is certain
 * and no name in it is new. Every other line, with whatever is wrong in it, is left to
 * settle_json_read_event.
 *
 * No I/O and no allocation. Every function is pure and may be called from any thread. */
#ifndef SETTLE_JSON_LINES_H
#define SETTLE_JSON_LINES_H

#include "settle_log.h"

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#pragma GCC visibility push(default)
#endif

/* A name's place in a table. */
typedef struct settle_log_name {
    uint64_t first; /* settle_log_name_first */
    size_t from;    /* where its bytes are in settle_log_names.bytes */
    size_t count;   /* its bytes */
} settle_log_name;

/* Names by number, in the caller's memory. The caller adds names; the functions here only look. */
typedef struct settle_log_names {
    const unsigned char *bytes;
    const settle_log_name *names; /* by number */
    /* A hash table: 0 for a free slot, else a name's number plus one. A name is in the first slot
     * from settle_log_name_hash & slots_mask on, cyclically, that was free. One slot at least is. */
    const uint32_t *slots;
    size_t slots_mask; /* the number of slots, a power of two, minus one */
    /* Of the hash: random bits that nobody knows who chooses names. No result depends on them. */
    uint64_t seed[2];
} settle_log_names;

enum { SETTLE_LOG_NO_NAME = 0x7fffffff };

/* The first eight bytes of a name as a little-endian integer, a shorter one's with zeros above. */
uint64_t settle_log_name_first(const unsigned char *name, size_t count);
/* Of a name in the table or for it: only the table's seed is read. */
uint64_t settle_log_name_hash(const settle_log_names *names, const unsigned char *name, size_t count);
/* The number of the name with exactly these bytes, or SETTLE_LOG_NO_NAME. */
uint32_t settle_log_find_name(const settle_log_names *names, const unsigned char *name, size_t count);

/* Reads lines that hold an event each, from the first byte of a line on. It stops when `capacity` events are
 * read, or a line is not plain; a line that ends within the last 64 bytes may be left. Sets *used
 * to the bytes of the lines that were read, with their newlines, and returns the number of these
 * lines.
 *
 * Plain lines have at most `line_bytes_max` bytes before their newline. No string has an escape; no
 * known key is given twice or stands before a space. Every number consists of digits with at most one
 * point, and a double is the nearest to it. Other keys are ASCII and have simple values. */
size_t settle_log_read_json_lines(const unsigned char *bytes, size_t count, size_t line_bytes_max,
                                  const settle_log_names *names, settle_log_event *events, size_t capacity,
                                  size_t *used);

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#ifdef __cplusplus
}
#endif
#endif
