/* The beginnings of logs and of other files: which format each is of, as more and more bytes of it are there. */
#include "case_internal.h"
#include "case_pairs.h"

#include "settle_log_format.h"

#include <stdlib.h>
#include <string.h>

enum { BYTES_MAX = 70000, PREFIXES_MAX = 1500 };

/* A byte of a text, in which "\\4f" is one. */
static unsigned char next_byte(const char **text) {
    const char *at = *text;
    const bool is_escaped = at[0] == '\\' && at[1] && at[2];
    *text += is_escaped ? 3 : 1;
    return is_escaped ? (unsigned char)strtoul((char[3]){at[1], at[2], 0}, NULL, 16) : (unsigned char)at[0];
}

/* The bytes of a text, in which "\\*512,x" is so many of one. Returns their number. */
static size_t read_bytes(const char *text, unsigned char *bytes) {
    size_t count = 0;
    while (*text) {
        unsigned long times = 1;
        if (text[0] == '\\' && text[1] == '*') {
            char *end;
            times = strtoul(text + 2, &end, 10);
            if (*end == 0 || end[1] == 0) break;
            text = end + 1;
        }
        for (const unsigned char byte = next_byte(&text); times > 0 && count < BYTES_MAX; times--)
            bytes[count++] = byte;
    }
    return count;
}

static const char *name_of(int found, bool is_foreign) {
    static const char *const foreign[] = {"none",    "empty",   "page",    "picture", "archive", "gzip",
                                          "zstd",    "xz",      "utf16",   "utf16le", "utf16be", "utf32",
                                          "utf32le", "utf32be", "parquet", "bzip2",   "tar"};
    if (found < 0) return found == SETTLE_FORMAT_NEEDS_MORE ? "more" : "another number";
    if (is_foreign) return (size_t)found < sizeof foreign / sizeof *foreign ? foreign[found] : "another number";
    return found == SETTLE_FORMAT_NONE ? "none" : settle_log_format_name(found);
}

/* "COUNT NAME, …": what so many bytes show, until more of them show something else. */
static void say_runs(const unsigned char *all, size_t count, bool is_foreign, bool is_all) {
    int before = -2;
    for (size_t length = 0; length <= count; length = length == PREFIXES_MAX ? count : length + 1) {
        unsigned char *bytes = memcpy(case_guarded(length), all, length);
        const int found = is_foreign ? settle_log_find_foreign(bytes, length, is_all)
                                     : settle_log_format_detect(bytes, length, is_all);
        if (found != before) case_say("%s%zu %s", before == -2 ? " " : ", ", length, name_of(found, is_foreign));
        before = found;
        if (length == count) return;
    }
}

/* "format TEXT" or "foreign TEXT"; "name NUMBER", "problem NUMBER". */
void case_format_answer(const char *input, char *answer, size_t size) {
    static unsigned char bytes[BYTES_MAX];
    const bool is_foreign = strncmp(input, "foreign ", 8) == 0;
    case_clear();
    if (strncmp(input, "name ", 5) == 0) {
        const int number = (int)strtol(input + 5, NULL, 10);
        const char *extension = settle_log_format_extension(number);
        snprintf(answer, size, "= '%s' %s", settle_log_format_name(number), extension ? extension : "none");
    } else if (strncmp(input, "problem ", 8) == 0) {
        snprintf(answer, size, "= '%s'", settle_log_foreign_problem((int)strtol(input + 8, NULL, 10)));
    } else if (is_foreign || strncmp(input, "format ", 7) == 0) {
        const size_t count = read_bytes(input + 7 + is_foreign, bytes);
        say_runs(bytes, count, is_foreign, false);
        case_say("; cut");
        say_runs(bytes, count, is_foreign, true);
        snprintf(answer, size, "=%s", case_problem());
    } else {
        snprintf(answer, size, "! no beginning");
    }
}
