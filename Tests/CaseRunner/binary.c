/* Binary logs: the bytes of their parts, of a chunk's events and of whole logs, and what is read of them. */
#include "case_internal.h"
#include "case_pairs.h"

#include "settle_whole_log.h"

#include <stdlib.h>
#include <string.h>

enum { INPUT_MAX = 4000, LOG_MAX = 8000, EVENTS_MAX = 200, SCENES_MAX = 300, CHUNKS_MAX = 8, SPARE = 64 };

/* The log that an input describes, and its last part. */
static struct {
    unsigned char bytes[LOG_MAX];
    size_t count, last;
    settle_log_index_entry chunks[CHUNKS_MAX];
    uint32_t chunks_count;
    uint64_t events;
} made;

static uint64_t number(const char *word) { return word ? strtoull(word, NULL, 10) : 0; }

static void put_little_endian(unsigned char *at, uint32_t value) {
    for (int i = 0; i < 4; i++) at[i] = (unsigned char)(value >> 8 * i);
}

/* Appends "HEX" or "TIMES*HEX" to bytes, which have room for so many; the new count, or 0 if it is none. */
static size_t put_hex(const char *word, unsigned char *bytes, size_t count, size_t most) {
    const char *star = strchr(word, '*');
    const uint64_t times = star ? number(word) : 1;
    for (uint64_t i = 0; i < times; i++) {
        for (const char *at = star ? star + 1 : word; *at; at += 2) {
            char *end, pair[3] = {at[0], at[1], 0};
            if (count == most) return 0;
            bytes[count++] = (unsigned char)strtoul(pair, &end, 16);
            if (end != pair + 2) return 0;
        }
    }
    return count;
}

static void say_hex(const unsigned char *bytes, size_t count) {
    for (size_t i = 0; i < count; i++) case_say("%s%02x", i % 4 ? "" : " ", bytes[i]);
}

/* "@NS NAME [KIND] FLAGS [SIZE]" */
static void say_event(const settle_log_event *event) {
    case_say(" @%llu %u ", (unsigned long long)event->at_ns, event->name);
    if (event->kind != SETTLE_GEOMETRY) case_say("%s ", settle_event_kind_name(event->kind));
    case_say("%x", event->flags);
    if (settle_event_is_report(event->kind))
        case_say(" %llu %llu", (unsigned long long)event->cost_ns, (unsigned long long)event->generation);
    else if (event->width != 0 || event->height != 0) case_say(" %.17gx%.17g", event->width, event->height);
}

/* "[scenes N] [from NS] [to NS] [count N] HEX…": the events of these bytes, as they are decoded and encoded again. */
static bool events(char *rest) {
    static settle_log_event decoded[EVENTS_MAX + 1], named[EVENTS_MAX + 1];
    static settle_log_size sizes[SCENES_MAX];
    static unsigned char given[LOG_MAX], written[EVENTS_MAX * SETTLE_LOG_EVENT_BYTES_MAX];
    uint32_t numbers[SCENES_MAX], done = 77, done_named = 77;
    settle_log_chunk chunk = {.last_ns = INT64_MAX, .events = 1, .scenes = 1};
    for (char *word; (word = case_word(&rest));) {
        if (strcmp(word, "scenes") == 0) chunk.scenes = (uint32_t)number(case_word(&rest));
        else if (strcmp(word, "from") == 0) chunk.first_ns = number(case_word(&rest));
        else if (strcmp(word, "to") == 0) chunk.last_ns = number(case_word(&rest));
        else if (strcmp(word, "count") == 0) chunk.events = (uint32_t)number(case_word(&rest));
        else if ((chunk.body_bytes = (uint32_t)put_hex(word, given, chunk.body_bytes, LOG_MAX)) == 0) return false;
    }
    if (chunk.scenes > SCENES_MAX || chunk.events > EVENTS_MAX) return false;
    /* In memory of its own, for sanitizers. */
    unsigned char *body = malloc(chunk.body_bytes ? chunk.body_bytes : 1);
    if (body == NULL) return false;
    memcpy(body, given, chunk.body_bytes);
    for (uint32_t i = 0; i < SCENES_MAX; i++) numbers[i] = 1000 - i;
    memset(decoded, 0xA5, sizeof decoded);
    memset(sizes, 0xA5, sizeof sizes);
    const int code = settle_log_decode(&chunk, body, sizes, decoded, &done);
    memset(sizes, 0xA5, sizeof sizes);
    const int code_named = settle_log_decode_as(&chunk, body, numbers, sizes, named, &done_named);
    case_say(" %u", done);
    for (uint32_t i = 0; i < done && i < EVENTS_MAX; i++) {
        case_say(i ? "," : ":"), say_event(&decoded[i]);
        const bool is_pointer = decoded[i].kind == SETTLE_POINTER;
        if (named[i].name != (is_pointer ? decoded[i].name : 1000 - decoded[i].name))
            case_say("; named %u", named[i].name);
    }
    if (decoded[chunk.events].flags != 0xA5A5) case_say("; writes behind the events");
    if (code != code_named || done != done_named) case_say("; other by names");
    if (code != SETTLE_LOG_OK) case_say("; %s", settle_log_result_name(code) + strlen("SETTLE_LOG_"));
    memset(sizes, 0xA5, sizeof sizes);
    const size_t count = code == SETTLE_LOG_OK ? settle_log_encode(&chunk, decoded, sizes, written) : 0;
    if (code == SETTLE_LOG_OK && (count != chunk.body_bytes || memcmp(written, body, count) != 0))
        case_say("; written"), say_hex(written, count);
    free(body);
    return true;
}

/* "[from OFFSET] HEX…": the lengths of a dictionary's names, and where and why reading them ends. */
static bool names(char *rest) {
    static unsigned char given[LOG_MAX];
    settle_log_chunk chunk = {0};
    size_t offset = 0, count = 0;
    for (char *word; (word = case_word(&rest));) {
        if (strcmp(word, "from") == 0) offset = (size_t)number(case_word(&rest));
        else if ((count = put_hex(word, given, count, LOG_MAX)) == 0) return false;
    }
    chunk.body_bytes = LOG_MAX, chunk.dictionary_bytes = (uint32_t)count;
    const unsigned char *name = NULL;
    size_t length, before = offset;
    int code = SETTLE_LOG_OK;
    while (offset != count && (code = settle_log_next_name(&chunk, given, &offset, &name, &length)) == SETTLE_LOG_OK) {
        case_say(" %zu", length);
        if (name != given + before + 2 || offset != before + 2 + length) case_say(" elsewhere");
        before = offset;
    }
    case_say(" %s at %zu", settle_log_result_name(code) + strlen("SETTLE_LOG_"), offset);
    return true;
}

/* A chunk of these names, one letter each, with an event of the next one at each time; both are "A,B…". */
static bool put_chunk(const char *names, char *times) {
    settle_log_event list[8] = {{0}};
    settle_log_size sizes[8];
    settle_log_chunk chunk = {0};
    unsigned char *begin = made.bytes + made.last, *body = begin + SETTLE_LOG_CHUNK_HEADER_BYTES;
    if (names == NULL || times == NULL || strlen(names) > 8 || made.chunks_count == CHUNKS_MAX) return false;
    for (; names[chunk.scenes]; chunk.scenes++, chunk.dictionary_bytes += 3)
        memcpy(body + chunk.dictionary_bytes, (char[]){1, 0, names[chunk.scenes]}, 3);
    for (char *at = times; *at && chunk.events < 8; at += *at == ',', chunk.events++) {
        const uint64_t at_ns = strtoull(at, &at, 10);
        list[chunk.events] = settle_event_geometry(0, at_ns, 100 + chunk.events, 50, 0);
        list[chunk.events].name = chunk.events % (chunk.scenes ? chunk.scenes : 1);
        if (chunk.events == 0) chunk.first_ns = at_ns;
        chunk.last_ns = at_ns;
    }
    const size_t events_bytes = settle_log_encode(&chunk, list, sizes, body + chunk.dictionary_bytes);
    chunk.body_bytes = (uint32_t)(chunk.dictionary_bytes + events_bytes);
    chunk.body_crc = settle_crc32c(0, body, chunk.body_bytes);
    settle_log_write_chunk_header(begin, &chunk);
    made.count += SETTLE_LOG_CHUNK_HEADER_BYTES + (size_t)chunk.body_bytes;
    made.chunks[made.chunks_count++] = (settle_log_index_entry){made.last, chunk.first_ns, chunk.last_ns, chunk.events,
                                                                SETTLE_LOG_CHUNK_HEADER_BYTES + chunk.body_bytes};
    made.events += chunk.events;
    return true;
}

/* Makes the checksums of the last part right, whatever else is wrong with it. */
static void seal(void) {
    unsigned char *part = made.bytes + made.last;
    const size_t count = made.count - made.last;
    if (memcmp(part, settle_log_chunk_magic, 4) == 0) {
        put_little_endian(part + 40, settle_crc32c(0, part + 48, count - 48));
        put_little_endian(part + 44, settle_crc32c(0, part, 44));
    } else {
        const size_t behind = memcmp(part, settle_log_footer_magic, 4) == 0 ? 16 : 4;
        put_little_endian(part + count - behind, settle_crc32c(0, part, count - behind));
    }
}

/* "header", "chunk NAMES TIMES", "index", "put HEX"; "set OFFSET HEX" within the last part, "seal", "cut COUNT". */
static bool make(const char *metadata, char *rest) {
    memset(&made, 0, sizeof made);
    for (char *word; (word = case_word(&rest));) {
        const bool is_part = strcmp(word, "set") != 0 && strcmp(word, "seal") != 0 && strcmp(word, "cut") != 0;
        unsigned char *end = made.bytes + made.count;
        if (made.count > LOG_MAX - 1000) return false;
        if (is_part) made.last = made.count;
        if (strcmp(word, "header") == 0) {
            const size_t length = strlen(metadata);
            settle_log_write_file_header(end, (uint32_t)length);
            memcpy(end + 16, metadata, length);
            made.count += 20 + length;
            seal();
        } else if (strcmp(word, "chunk") == 0) {
            const char *names = case_word(&rest);
            if (!put_chunk(names && strcmp(names, "-") == 0 ? "" : names, case_word(&rest))) return false;
        } else if (strcmp(word, "index") == 0) {
            settle_log_write_footer(end, made.chunks, made.chunks_count, made.events);
            made.count += 32 + 32 * (size_t)made.chunks_count;
        } else if (strcmp(word, "put") == 0) {
            if ((word = case_word(&rest)) == NULL || !(made.count = put_hex(word, made.bytes, made.count, LOG_MAX)))
                return false;
        } else if (strcmp(word, "set") == 0) {
            const size_t at = made.last + (size_t)number(case_word(&rest));
            if ((word = case_word(&rest)) == NULL || !put_hex(word, made.bytes, at, made.count)) return false;
        } else if (strcmp(word, "seal") == 0) {
            seal();
        } else if (strcmp(word, "cut") == 0) {
            made.count -= (size_t)number(case_word(&rest));
        } else {
            return false;
        }
    }
    return true;
}

static void say_damage(uint32_t damage, size_t at) {
    if (damage) case_say(",");
    static const char *const names[] = {"headerDamaged", "chunkDamaged", "torn",     "malformed",
                                        "indexDamaged",  "indexDiffers", "followed", "noIndex"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (damage >> i & 1) case_say(" %s", names[i]);
    if (at != SIZE_MAX) case_say(" at %zu", at);
}

/* "'METADATA' EVENTS NAMES CHUNK_NAMES: @NS NAME WIDTH…, DAMAGE…": what is read of the log. */
static void say_whole(const unsigned char *bytes, bool salvages) {
    settle_log_whole whole;
    settle_log_contents contents;
    int code = settle_log_measure(bytes, made.count, salvages, &whole);
    if (code != SETTLE_LOG_OK) {
        case_say(" %s", settle_log_result_name(code) + strlen("SETTLE_LOG_"));
        return;
    }
    const size_t size = settle_log_whole_size(&whole);
    void *allocated;
    unsigned char *memory = case_memory(size + SPARE, &allocated);
    if (memory == NULL) return;
    const uint64_t seed[2] = {1, 2};
    if (settle_log_read_whole(&whole, seed, NULL, size, &contents) != SETTLE_INVALID ||
        settle_log_read_whole(&whole, seed, memory + 4, size, &contents) != SETTLE_INVALID ||
        settle_log_read_whole(&whole, seed, memory, size - 1, &contents) != SETTLE_INVALID || memory[0] != 0xA5)
        case_say(" reads into wrong memory");
    code = settle_log_read_whole(&whole, seed, memory, size, &contents);
    if (code != SETTLE_OK || memory[size] != 0xA5) case_say(" fails, or writes behind");
    case_say(" '%.*s' %llu %llu %u:", (int)whole.metadata_bytes, (const char *)whole.metadata,
             (unsigned long long)whole.events, (unsigned long long)whole.names, whole.chunk_names);
    for (size_t i = 0; code == SETTLE_OK && i < contents.count; i++) {
        const settle_log_event *event = &contents.events[i];
        case_say(" @%llu ", (unsigned long long)event->at_ns);
        if (event->name >= contents.names_count) case_say("no name");
        else
            case_say("%.*s", (int)contents.names.names[event->name].count,
                     (const char *)bytes + contents.names.names[event->name].from);
        case_say(" %g", event->width);
    }
    say_damage(contents.damage, contents.damaged_at);
    free(allocated);
}

/* What is read of a log, and what is salvaged if that is more. */
static void say_log(const unsigned char *bytes) {
    char read[INPUT_MAX];
    say_whole(bytes, false);
    snprintf(read, sizeof read, "%s", case_problem());
    case_clear();
    say_whole(bytes, true);
    if (strcmp(read, case_problem()) == 0) return;
    char salvaged[INPUT_MAX];
    snprintf(salvaged, sizeof salvaged, "%s", case_problem());
    case_clear();
    case_say("%s; salvaged%s", read, salvaged);
}

/* The codes of the last part, read as each kind of part. */
static void say_codes(const unsigned char *bytes) {
    settle_log_file_header header;
    settle_log_chunk chunk;
    uint32_t chunks = 0, crc = 0, length = 0;
    uint64_t all = 0;
    const unsigned char *part = bytes + made.last;
    const size_t count = made.count - made.last;
    const int codes[] = {count < 16 ? 1 : settle_log_read_file_header(part, &header),
                         count < 48 ? 1 : settle_log_read_chunk_header(part, &chunk),
                         count < 16 ? 1 : settle_log_read_footer_header(part, &chunks, &all),
                         count < 16 ? 1 : settle_log_read_footer_tail(part + count - 16, &crc, &length)};
    for (size_t i = 0; i < 4; i++)
        case_say(" %s", codes[i] == 1 ? "short" : settle_log_result_name(codes[i]) + strlen("SETTLE_LOG_"));
    case_say("; %u of %llu, %u bytes, frame at %zu", chunks, (unsigned long long)all, length,
             settle_log_find_frame(part, count));
}

/* The fields of the last part, which is a header, an entry or the end of an index, or what it begins with; and its bytes as
 * they are written, if these are others. */
static void say_fields(const unsigned char *bytes) {
    enum { FILE_BYTES = SETTLE_LOG_FILE_HEADER_BYTES, CHUNK_BYTES = SETTLE_LOG_CHUNK_HEADER_BYTES, MOST = 64 };
    const unsigned char *part = bytes + made.last;
    unsigned char written[MOST];
    settle_log_file_header header;
    settle_log_chunk chunk;
    settle_log_index_entry entry;
    uint32_t count = 0, other = 0;
    uint64_t all = 0;
    size_t size = SETTLE_LOG_FOOTER_HEADER_BYTES;
    memset(written, 0xA5, sizeof written);
    if (settle_log_read_file_header(part, &header) == SETTLE_LOG_OK) {
        case_say(" %u %u %u", header.major, header.minor, header.metadata_bytes);
        settle_log_write_file_header(written, header.metadata_bytes);
        size = FILE_BYTES;
    } else if (settle_log_read_footer_header(part, &count, &all) == SETTLE_LOG_OK) {
        case_say(" %x %llx", count, (unsigned long long)all);
        settle_log_write_footer_header(written, count, all);
    } else if (settle_log_read_footer_tail(part, &count, &other) == SETTLE_LOG_OK) {
        case_say(" %x %u", count, other);
        settle_log_write_footer_tail(written, count, (other - 32) / 32);
    } else if (made.count - made.last < CHUNK_BYTES) {
        settle_log_read_footer_entry(part, &entry);
        case_say(" %llx %llx %llx %x %x", (unsigned long long)entry.offset, (unsigned long long)entry.first_ns,
                 (unsigned long long)entry.last_ns, entry.events, entry.bytes);
        settle_log_write_footer_entry(written, &entry);
        size = SETTLE_LOG_FOOTER_ENTRY_BYTES;
    } else if (settle_log_read_chunk_header(part, &chunk) == SETTLE_LOG_OK) {
        case_say(" %x %x %x %llx %llx %x %x", chunk.body_bytes, chunk.events, chunk.scenes,
                 (unsigned long long)chunk.first_ns, (unsigned long long)chunk.last_ns, chunk.dictionary_bytes,
                 chunk.body_crc);
        settle_log_write_chunk_header(written, &chunk);
        size = CHUNK_BYTES;
    }
    if (memcmp(written, part, size) != 0) case_say("; written"), say_hex(written, size);
    for (size_t i = size; i < MOST; i++)
        if (written[i] != 0xA5) case_say("; writes behind");
}

const unsigned char *case_binary_log(const char *input, const char *metadata, size_t *count) {
    char copy[INPUT_MAX], *rest = copy;
    snprintf(copy, sizeof copy, "%s", input);
    const char *verb = case_word(&rest);
    if (verb == NULL || strcmp(verb, "log") != 0 || !make(metadata, rest)) return NULL;
    *count = made.count;
    return made.bytes;
}

/* "events …"; "names …"; "log", "bytes", "codes" or "fields" and parts; "crc TEXT", "result CODE", "vain COUNT END VAIN". */
void case_binary_answer(const char *input, char *answer, size_t size) {
    char copy[INPUT_MAX], *rest = copy;
    snprintf(copy, sizeof copy, "%s", input);
    case_clear();
    char *verb = case_word(&rest);
    bool is_right = verb != NULL;
    if (is_right && strcmp(verb, "events") == 0) {
        is_right = events(rest);
    } else if (is_right && strcmp(verb, "names") == 0) {
        is_right = names(rest);
    } else if (is_right && strcmp(verb, "crc") == 0) {
        const uint32_t crc = settle_crc32c(0, rest, strlen(rest));
        case_say(settle_crc32c_portable(0, rest, strlen(rest)) == crc ? " %08x" : " %08x, other portably", crc);
    } else if (is_right && strcmp(verb, "result") == 0) {
        case_say(" %s", settle_log_result_name(atoi(rest)));
    } else if (is_right && strcmp(verb, "vain") == 0) {
        const size_t count = (size_t)number(case_word(&rest));
        const uint64_t end = number(case_word(&rest)), before = number(case_word(&rest));
        uint64_t vain = before;
        memset(made.bytes, 0, sizeof made.bytes);
        const uint32_t crc = settle_crc32c(0, made.bytes, count);
        case_say(settle_log_has_checksum(made.bytes, count, end, crc, &vain) ? " yes" : " no");
        case_say(settle_log_has_checksum(made.bytes, count, end, crc + 1, &vain) ? " yes" : " no");
        case_say(" %llu", (unsigned long long)vain);
    } else if (is_right && (is_right = make("{}", rest))) {
        unsigned char *bytes = (unsigned char *)case_guarded(made.count);
        memcpy(bytes, made.bytes, made.count);
        if (strcmp(verb, "log") == 0) say_log(bytes);
        else if (strcmp(verb, "bytes") == 0) say_hex(bytes, made.count);
        else if (strcmp(verb, "codes") == 0) say_codes(bytes);
        else if (strcmp(verb, "fields") == 0) say_fields(bytes);
        else is_right = false;
    }
    if (is_right) snprintf(answer, size, "=%s", case_problem());
    else snprintf(answer, size, "! no binary log");
}
