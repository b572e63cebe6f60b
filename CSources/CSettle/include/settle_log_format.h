/* Which format a log has, by its beginning. docs/reference/log-format.md describes the formats.
 *
 * Pure functions, for any thread. What has been read so far is enough to ask: the answer
 * SETTLE_FORMAT_NEEDS_MORE means that later bytes can change it, and comes only if they can. */
#ifndef SETTLE_LOG_FORMAT_H
#define SETTLE_LOG_FORMAT_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#pragma GCC visibility push(default)
#endif

/* The formats. */
enum settle_log_format {
    SETTLE_FORMAT_NEEDS_MORE = -1,
    SETTLE_FORMAT_NONE,
    SETTLE_FORMAT_JSON_LINES,
    SETTLE_FORMAT_BINARY,
    SETTLE_FORMAT_WAYLAND_DEBUG,
    SETTLE_FORMAT_XEV,
    SETTLE_FORMAT_RRWEB,
    SETTLE_FORMAT_ASCIICAST,
    SETTLE_FORMAT_SCRIPT,
    SETTLE_FORMAT_TTYREC,
    SETTLE_FORMATS /* how many there are, with NONE */
};

/* The name in options and messages, for example "xev"; an empty one of any other number. */
const char *settle_log_format_name(int format);
/* The file name extension that shows the format if the content does not, without the dot; null for none. */
const char *settle_log_format_extension(int format);

/* The format that a log's first bytes show, behind a byte order mark: SETTLE_FORMAT_NONE if they show none.
 * `is_all`: nothing follows them. At most 64 KiB and 200 lines count. */
int settle_log_format_detect(const unsigned char *bytes, size_t count, bool is_all);

/* Content that cannot be a log. */
enum settle_log_foreign {
    SETTLE_FOREIGN_NEEDS_MORE = SETTLE_FORMAT_NEEDS_MORE,
    SETTLE_FOREIGN_NONE, /* it may be a log */
    SETTLE_FOREIGN_EMPTY,
    SETTLE_FOREIGN_PAGE,
    SETTLE_FOREIGN_PICTURE,
    SETTLE_FOREIGN_ARCHIVE,
    SETTLE_FOREIGN_GZIP,
    SETTLE_FOREIGN_ZSTD,
    SETTLE_FOREIGN_XZ,
    SETTLE_FOREIGN_UTF16,
    SETTLE_FOREIGN_UTF16LE,
    SETTLE_FOREIGN_UTF16BE,
    SETTLE_FOREIGN_UTF32,
    SETTLE_FOREIGN_UTF32LE,
    SETTLE_FOREIGN_UTF32BE,
    SETTLE_FOREIGN_PARQUET,
    SETTLE_FOREIGN_BZIP2,
    SETTLE_FOREIGN_TAR
};

/* What the first bytes are if they cannot be a log's, as an enum settle_log_foreign. */
int settle_log_find_foreign(const unsigned char *bytes, size_t count, bool is_all);
/* The sentence of one, without a full stop, with what to do; an empty one of SETTLE_FOREIGN_NONE. */
const char *settle_log_foreign_problem(int foreign);

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#ifdef __cplusplus
}
#endif
#endif
