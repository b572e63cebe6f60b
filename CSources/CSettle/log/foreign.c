/* Content that cannot be a log, by its beginning. */
#include "ttyrec.h"

#include <string.h>

/* A tar archive's mark ends here. */
enum { TAR_BYTES = 263, TAR_NAME_BYTES = 100 };

#define WIDE(name, from)                                                                                               \
    "this is " name " text, and a log is UTF-8; convert it first, with 'iconv -f " from " -t UTF-8'"
#define PACKED(name, tool) "this is compressed by " name "; decompress it first, with '" tool "'"

static const char problems[][96] = {
    "",
    "the log is empty: it has 0 bytes",
    "this is a web page; give the log itself",
    "this is a picture; give the log that it shows",
    "this is a ZIP archive; extract the log from it first, with 'unzip'",
    PACKED("gzip", "gzip -dc"),
    PACKED("zstd", "zstd -dc"),
    PACKED("xz", "xz -dc"),
    WIDE("UTF-16", "UTF-16"),
    WIDE("UTF-16", "UTF-16LE"),
    WIDE("UTF-16", "UTF-16BE"),
    WIDE("UTF-32", "UTF-32"),
    WIDE("UTF-32", "UTF-32LE"),
    WIDE("UTF-32", "UTF-32BE"),
    "this is a Parquet file, whose logs settle-fleet decides",
    PACKED("bzip2", "bzip2 -dc"),
    "this is a tar archive; extract the log from it first, with 'tar -xf'",
};

const char *settle_log_foreign_problem(int foreign) {
    return problems[foreign > 0 && foreign <= SETTLE_FOREIGN_TAR ? foreign : 0];
}

static bool is_text_byte(unsigned char byte) {
    return (byte >= ' ' && byte < 0x7F) || byte == '\t' || byte == '\n' || byte == '\r';
}

/* Text in UTF-16 or UTF-32 without a mark begins with ASCII characters, as every text log does. */
enum { WIDE_UNITS = 8 };
static int find_wide(const unsigned char *bytes, size_t count, bool is_all) {
    static const struct {
        unsigned char unit, low; /* the bytes of a character, and which of them is not 0 */
        int foreign;
    } encodings[] = {{4, 0, SETTLE_FOREIGN_UTF32LE},
                     {4, 3, SETTLE_FOREIGN_UTF32BE},
                     {2, 0, SETTLE_FOREIGN_UTF16LE},
                     {2, 1, SETTLE_FOREIGN_UTF16BE}};
    int found = SETTLE_FOREIGN_NONE;
    for (size_t i = 0; i < sizeof encodings / sizeof encodings[0]; i++) {
        const size_t unit = encodings[i].unit, most = unit * WIDE_UNITS;
        size_t at = 0;
        while (at < count && at < most && (at % unit == encodings[i].low ? is_text_byte(bytes[at]) : bytes[at] == 0)) {
            at++;
        }
        if (at == most || (is_all && at == count && count >= unit)) return encodings[i].foreign;
        if (at == count && !is_all) found = SETTLE_FOREIGN_NEEDS_MORE;
    }
    return found;
}

/* The encoding of text in UTF-16 or UTF-32. */
static int wide_text(const unsigned char *bytes, size_t count, bool is_all) {
    static const unsigned char little_mark[] = {0xFF, 0xFE, 0, 0}, big_mark[] = {0, 0, 0xFE, 0xFF};
    if (bytes[0] == 0xFE) {
        if (count < 2) return is_all ? SETTLE_FOREIGN_NONE : SETTLE_FOREIGN_NEEDS_MORE;
        return bytes[1] == 0xFF ? SETTLE_FOREIGN_UTF16 : SETTLE_FOREIGN_NONE;
    }
    const size_t compared = count < 4 ? count : 4;
    if (memcmp(bytes, little_mark, compared) == 0 || memcmp(bytes, big_mark, compared) == 0) {
        if (compared == 4) return SETTLE_FOREIGN_UTF32;
        if (!is_all) return SETTLE_FOREIGN_NEEDS_MORE;
    }
    if (bytes[0] == 0xFF) return count > 1 && bytes[1] == 0xFE ? SETTLE_FOREIGN_UTF16 : SETTLE_FOREIGN_NONE;
    return find_wide(bytes, count, is_all);
}

int settle_log_find_foreign(const unsigned char *bytes, size_t count, bool is_all) {
    static const struct {
        unsigned char count, foreign;
        char magic[16];
    } known[] = {{15, SETTLE_FOREIGN_PAGE, "<!DOCTYPE html>"},
                 {4, SETTLE_FOREIGN_PICTURE, "<svg"},
                 {2, SETTLE_FOREIGN_GZIP, "\x1F\x8B"},
                 {4, SETTLE_FOREIGN_ZSTD, "\x28\xB5\x2F\xFD"},
                 {6, SETTLE_FOREIGN_XZ, "\xFD\x37\x7A\x58\x5A\0"},
                 {4, SETTLE_FOREIGN_ARCHIVE, "PK\3\4"},
                 {3, SETTLE_FOREIGN_BZIP2, "BZh"},
                 {4, SETTLE_FOREIGN_PARQUET, "PAR1"}};
    if (count == 0) return is_all ? SETTLE_FOREIGN_EMPTY : SETTLE_FOREIGN_NEEDS_MORE;
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        size_t compared = count < known[i].count ? count : known[i].count;
        if (memcmp(bytes, known[i].magic, compared) != 0) continue;
        /* A word may begin so as well; the size of the blocks follows. */
        const bool is_bzip2 = known[i].foreign == SETTLE_FOREIGN_BZIP2;
        if (is_bzip2 && count == compared && !is_all) return SETTLE_FOREIGN_NEEDS_MORE;
        if (is_bzip2 && (count == compared || bytes[3] < '1' || bytes[3] > '9')) continue;
        if (compared == known[i].count) return known[i].foreign;
        if (!is_all) return SETTLE_FOREIGN_NEEDS_MORE;
    }
    /* A first frame of ttyrec may begin as wide text does. */
    const int ttyrec = settle_find_ttyrec(bytes, count, is_all);
    if (ttyrec == SETTLE_FORMAT_TTYREC) return SETTLE_FOREIGN_NONE;
    const int wide = wide_text(bytes, count, is_all);
    if (wide > SETTLE_FOREIGN_NONE && ttyrec == SETTLE_FORMAT_NEEDS_MORE) return SETTLE_FOREIGN_NEEDS_MORE;
    if (wide != SETTLE_FOREIGN_NONE || bytes[0] < ' ' || bytes[0] > 0x7F) return wide;
    /* A tar's first field is a name of at most 100 bytes and zeros. */
    size_t name = 0;
    while (name < count && name < TAR_NAME_BYTES && bytes[name] != 0) name++;
    size_t zeros = name;
    while (zeros < count && zeros < TAR_NAME_BYTES && bytes[zeros] == 0) zeros++;
    if (name == zeros || zeros < (count < TAR_NAME_BYTES ? count : TAR_NAME_BYTES)) return SETTLE_FOREIGN_NONE;
    if (count < TAR_BYTES) return is_all ? SETTLE_FOREIGN_NONE : SETTLE_FOREIGN_NEEDS_MORE;
    return memcmp(bytes + TAR_BYTES - 6, "ustar", 5) == 0 ? SETTLE_FOREIGN_TAR : SETTLE_FOREIGN_NONE;
}
