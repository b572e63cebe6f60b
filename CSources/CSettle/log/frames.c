/* Headers, dictionary and footer of the binary log; docs/reference/log-format.md. */
#include "bytes.h"
#include "settle_log.h"

#include <string.h>

const unsigned char settle_log_file_magic[8] = {0x89, 'S', 'T', 'L', '\r', '\n', 0x1A, '\n'};
const unsigned char settle_log_chunk_magic[4] = {'C', 'H', 'N', 'K'};
const unsigned char settle_log_footer_magic[4] = {'I', 'N', 'D', 'X'};
static const unsigned char end_magic[8] = {'S', 'T', 'L', 'E', 'N', 'D', '\r', '\n'};

const char *settle_log_result_name(int result) {
    switch (result) {
    case SETTLE_LOG_OK: return "SETTLE_LOG_OK";
    case SETTLE_LOG_NOT_A_LOG: return "SETTLE_LOG_NOT_A_LOG";
    case SETTLE_LOG_NEWER: return "SETTLE_LOG_NEWER";
    case SETTLE_LOG_CHECKSUM: return "SETTLE_LOG_CHECKSUM";
    case SETTLE_LOG_MALFORMED: return "SETTLE_LOG_MALFORMED";
    default: return "unknown";
    }
}

/* How often each byte is checked in vain. */
enum { VAIN_CHECKS_MAX = 4 };

static bool is_frame(const unsigned char *bytes) {
    return memcmp(bytes, settle_log_chunk_magic, SETTLE_LOG_CHUNK_MAGIC_BYTES) == 0 ||
           memcmp(bytes, settle_log_footer_magic, SETTLE_LOG_CHUNK_MAGIC_BYTES) == 0;
}

size_t settle_log_find_frame(const unsigned char *bytes, size_t count) {
    for (size_t at = 0; count - at >= SETTLE_LOG_CHUNK_MAGIC_BYTES; at++) {
        if (is_frame(bytes + at)) return at;
    }
    return count;
}

bool settle_log_has_checksum(const unsigned char *bytes, size_t count, uint64_t end, uint32_t crc, uint64_t *vain) {
    if (*vain + count > VAIN_CHECKS_MAX * end) return false;
    if (settle_crc32c(0, bytes, count) == crc) return true;
    *vain += count;
    return false;
}

int settle_log_read_file_header(const unsigned char *bytes, settle_log_file_header *header) {
    if (memcmp(bytes, settle_log_file_magic, 8) != 0) return SETTLE_LOG_NOT_A_LOG;
    header->major = (uint16_t)read_le(bytes + 8, 2);
    header->minor = (uint16_t)read_le(bytes + 10, 2);
    header->metadata_bytes = (uint32_t)read_le(bytes + 12, 4);
    if (header->major > SETTLE_LOG_MAJOR) return SETTLE_LOG_NEWER;
    if (header->major == 0 || header->metadata_bytes > SETTLE_LOG_METADATA_MAX) {
        return SETTLE_LOG_MALFORMED;
    }
    return SETTLE_LOG_OK;
}

void settle_log_write_file_header(unsigned char *bytes, uint32_t metadata_bytes) {
    memcpy(bytes, settle_log_file_magic, 8);
    write_le(bytes + 8, SETTLE_LOG_MAJOR, 2);
    write_le(bytes + 10, SETTLE_LOG_MINOR, 2);
    write_le(bytes + 12, metadata_bytes, 4);
}

int settle_log_read_chunk_header(const unsigned char *bytes, settle_log_chunk *chunk) {
    if (memcmp(bytes, settle_log_chunk_magic, 4) != 0) return SETTLE_LOG_NOT_A_LOG;
    if (settle_crc32c(0, bytes, 44) != read_le(bytes + 44, 4)) return SETTLE_LOG_CHECKSUM;
    chunk->body_bytes = (uint32_t)read_le(bytes + 4, 4);
    chunk->events = (uint32_t)read_le(bytes + 8, 4);
    chunk->scenes = (uint32_t)read_le(bytes + 12, 4);
    chunk->first_ns = read_le(bytes + 16, 8);
    chunk->last_ns = read_le(bytes + 24, 8);
    chunk->dictionary_bytes = (uint32_t)read_le(bytes + 32, 4);
    chunk->body_crc = (uint32_t)read_le(bytes + 40, 4);
    bool plausible = chunk->body_bytes <= SETTLE_LOG_BODY_MAX && chunk->dictionary_bytes <= chunk->body_bytes &&
                     chunk->events <= SETTLE_LOG_EVENTS_MAX && chunk->scenes <= chunk->events &&
                     chunk->first_ns <= chunk->last_ns && chunk->last_ns <= INT64_MAX;
    return plausible ? SETTLE_LOG_OK : SETTLE_LOG_MALFORMED;
}

void settle_log_write_chunk_header(unsigned char *bytes, const settle_log_chunk *chunk) {
    memcpy(bytes, settle_log_chunk_magic, 4);
    write_le(bytes + 4, chunk->body_bytes, 4);
    write_le(bytes + 8, chunk->events, 4);
    write_le(bytes + 12, chunk->scenes, 4);
    write_le(bytes + 16, chunk->first_ns, 8);
    write_le(bytes + 24, chunk->last_ns, 8);
    write_le(bytes + 32, chunk->dictionary_bytes, 4);
    write_le(bytes + 36, 0, 4);
    write_le(bytes + 40, chunk->body_crc, 4);
    write_le(bytes + 44, settle_crc32c(0, bytes, 44), 4);
}

int settle_log_next_name(const settle_log_chunk *chunk, const unsigned char *body, size_t *offset,
                         const unsigned char **name, size_t *name_bytes) {
    size_t left = chunk->dictionary_bytes - *offset;
    if (*offset > chunk->dictionary_bytes || left < 2) return SETTLE_LOG_MALFORMED;
    size_t length = (size_t)read_le(body + *offset, 2);
    if (length > SETTLE_LOG_NAME_MAX || length > left - 2) return SETTLE_LOG_MALFORMED;
    *name = body + *offset + 2;
    *name_bytes = length;
    *offset += 2 + length;
    return SETTLE_LOG_OK;
}

void settle_log_write_footer_header(unsigned char *bytes, uint32_t chunks, uint64_t events) {
    memcpy(bytes, settle_log_footer_magic, 4);
    write_le(bytes + 4, chunks, 4);
    write_le(bytes + 8, events, 8);
}

int settle_log_read_footer_header(const unsigned char *bytes, uint32_t *chunks, uint64_t *events) {
    if (memcmp(bytes, settle_log_footer_magic, 4) != 0) return SETTLE_LOG_NOT_A_LOG;
    *chunks = (uint32_t)read_le(bytes + 4, 4);
    *events = read_le(bytes + 8, 8);
    return SETTLE_LOG_OK;
}

void settle_log_write_footer_entry(unsigned char *bytes, const settle_log_index_entry *entry) {
    write_le(bytes, entry->offset, 8);
    write_le(bytes + 8, entry->first_ns, 8);
    write_le(bytes + 16, entry->last_ns, 8);
    write_le(bytes + 24, entry->events, 4);
    write_le(bytes + 28, entry->bytes, 4);
}

void settle_log_read_footer_entry(const unsigned char *bytes, settle_log_index_entry *entry) {
    entry->offset = read_le(bytes, 8);
    entry->first_ns = read_le(bytes + 8, 8);
    entry->last_ns = read_le(bytes + 16, 8);
    entry->events = (uint32_t)read_le(bytes + 24, 4);
    entry->bytes = (uint32_t)read_le(bytes + 28, 4);
}

void settle_log_write_footer_tail(unsigned char *bytes, uint32_t crc, uint32_t chunks) {
    uint32_t footer_bytes =
        SETTLE_LOG_FOOTER_HEADER_BYTES + chunks * SETTLE_LOG_FOOTER_ENTRY_BYTES + SETTLE_LOG_FOOTER_TAIL_BYTES;
    write_le(bytes, crc, 4);
    write_le(bytes + 4, footer_bytes, 4);
    memcpy(bytes + 8, end_magic, 8);
}

void settle_log_write_footer(unsigned char *bytes, const settle_log_index_entry *entries, uint32_t chunks,
                             uint64_t events) {
    settle_log_write_footer_header(bytes, chunks, events);
    size_t covered = SETTLE_LOG_FOOTER_HEADER_BYTES;
    for (uint32_t i = 0; i < chunks; i++, covered += SETTLE_LOG_FOOTER_ENTRY_BYTES)
        settle_log_write_footer_entry(bytes + covered, &entries[i]);
    settle_log_write_footer_tail(bytes + covered, settle_crc32c(0, bytes, covered), chunks);
}

int settle_log_read_footer_tail(const unsigned char *bytes, uint32_t *crc, uint32_t *footer_bytes) {
    if (memcmp(bytes + 8, end_magic, 8) != 0) return SETTLE_LOG_NOT_A_LOG;
    *crc = (uint32_t)read_le(bytes, 4);
    *footer_bytes = (uint32_t)read_le(bytes + 4, 4);
    uint32_t fixed = SETTLE_LOG_FOOTER_HEADER_BYTES + SETTLE_LOG_FOOTER_TAIL_BYTES;
    if (*footer_bytes < fixed || (*footer_bytes - fixed) % SETTLE_LOG_FOOTER_ENTRY_BYTES) {
        return SETTLE_LOG_MALFORMED;
    }
    return SETTLE_LOG_OK;
}
