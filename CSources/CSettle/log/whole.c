/* A binary log that is in memory as a whole; docs/reference/log-format.md, "How damage is read". */
#include "scene_names.h"
#include "utf8.h"
#include "settle_whole_log.h"

enum {
    /* A tag and two bytes of time; a name's length. Headers may claim more than fits. */
    EVENT_BYTES_MIN = 3,
    NAME_BYTES_MIN = 2,
    NAMES_MAX = 1 << 28
};

static uint32_t smaller(uint32_t a, uint32_t b) { return a < b ? a : b; }

static void add_damage(settle_log_whole *whole, uint32_t damage, size_t offset) {
    whole->damage |= damage;
    if (offset < whole->damaged_at) whole->damaged_at = offset;
}

/* Whether these bytes are the beginning of the magic number, whole or cut off by the log's end. */
static bool begins(const unsigned char *bytes, size_t left, const unsigned char *magic) {
    return memcmp(bytes, magic, left < SETTLE_LOG_CHUNK_MAGIC_BYTES ? left : SETTLE_LOG_CHUNK_MAGIC_BYTES) == 0;
}

static bool has_checksum(const settle_log_whole *whole, size_t offset, size_t count, uint32_t crc, uint64_t *vain) {
    return settle_log_has_checksum(whole->bytes + offset, count, offset + count, crc, vain);
}

/* The chunk at an offset: 0, or its damage. What it claims to have is bounded by its length. */
static uint32_t read_chunk(const settle_log_whole *whole, size_t offset, settle_log_chunk *chunk, uint64_t *vain) {
    const unsigned char *bytes = whole->bytes + offset;
    size_t left = whole->count - offset;
    if (left < SETTLE_LOG_CHUNK_HEADER_BYTES)
        return begins(bytes, left, settle_log_chunk_magic) ? SETTLE_LOG_CHUNK_TORN : SETTLE_LOG_CHUNK_DAMAGED;
    if (settle_log_read_chunk_header(bytes, chunk) != SETTLE_LOG_OK) return SETTLE_LOG_CHUNK_DAMAGED;
    if (left - SETTLE_LOG_CHUNK_HEADER_BYTES < chunk->body_bytes) return SETTLE_LOG_CHUNK_TORN;
    if (!has_checksum(whole, offset + SETTLE_LOG_CHUNK_HEADER_BYTES, chunk->body_bytes, chunk->body_crc, vain))
        return SETTLE_LOG_CHUNK_DAMAGED;
    return 0;
}

static size_t chunk_bytes(const settle_log_chunk *chunk) {
    return SETTLE_LOG_CHUNK_HEADER_BYTES + (size_t)chunk->body_bytes;
}

/* How many events of a chunk may be decoded: one more than its bytes can hold, so that a claim of
 * too many is still malformed. */
static uint32_t events_capacity(const settle_log_chunk *chunk) {
    return smaller(chunk->events, (chunk->body_bytes - chunk->dictionary_bytes) / EVENT_BYTES_MIN + 1);
}

static uint32_t names_capacity(const settle_log_chunk *chunk) {
    return smaller(chunk->scenes, chunk->dictionary_bytes / NAME_BYTES_MIN);
}

static void add_chunk(settle_log_whole *whole, const settle_log_chunk *chunk) {
    uint32_t names = names_capacity(chunk);
    whole->events += events_capacity(chunk);
    whole->names += names;
    if (names > whole->chunk_names) whole->chunk_names = names;
}

/* The length of the index at an offset, 0 if it is damaged. */
static size_t index_bytes(const settle_log_whole *whole, size_t offset, uint64_t *vain) {
    const size_t fixed = SETTLE_LOG_FOOTER_HEADER_BYTES + SETTLE_LOG_FOOTER_TAIL_BYTES;
    const unsigned char *bytes = whole->bytes + offset;
    size_t left = whole->count - offset;
    uint32_t chunks, crc, length;
    uint64_t events;
    if (left < fixed) return 0;
    (void)settle_log_read_footer_header(bytes, &chunks, &events);
    if (chunks > (left - fixed) / SETTLE_LOG_FOOTER_ENTRY_BYTES) return 0;
    size_t covered = SETTLE_LOG_FOOTER_HEADER_BYTES + (size_t)chunks * SETTLE_LOG_FOOTER_ENTRY_BYTES;
    bool is_right = settle_log_read_footer_tail(bytes + covered, &crc, &length) == SETTLE_LOG_OK &&
                    length == covered + SETTLE_LOG_FOOTER_TAIL_BYTES && has_checksum(whole, offset, covered, crc, vain);
    return is_right ? length : 0;
}

/* Whether the intact index at `offset` lists exactly the chunks from `first` on, without a gap. */
static bool index_agrees(const settle_log_whole *whole, size_t first, size_t offset) {
    const unsigned char *entries = whole->bytes + offset + SETTLE_LOG_FOOTER_HEADER_BYTES;
    uint32_t chunks;
    uint64_t events, all = 0;
    (void)settle_log_read_footer_header(whole->bytes + offset, &chunks, &events);
    for (; chunks > 0; chunks--, entries += SETTLE_LOG_FOOTER_ENTRY_BYTES) {
        settle_log_chunk chunk;
        settle_log_index_entry entry;
        if (offset - first < SETTLE_LOG_CHUNK_HEADER_BYTES ||
            settle_log_read_chunk_header(whole->bytes + first, &chunk) != SETTLE_LOG_OK ||
            offset - first < chunk_bytes(&chunk))
            return false;
        settle_log_read_footer_entry(entries, &entry);
        if (entry.offset != first || entry.first_ns != chunk.first_ns || entry.last_ns != chunk.last_ns ||
            entry.events != chunk.events || entry.bytes != chunk_bytes(&chunk))
            return false;
        all += chunk.events;
        first += chunk_bytes(&chunk);
    }
    return first == offset && events == all;
}

/* What stands at an offset: a chunk, an index, or damage up to the next frame. */
typedef struct frame {
    settle_log_chunk chunk;
    size_t end;
    uint32_t damage; /* 0 for an intact chunk or index */
    bool is_index;
} frame;

/* The damage of bytes up to the log's end. By the last of them all may be an index without its magic
 * number, and a log that ends with an index is not torn. */
static uint32_t damage_to_end(const settle_log_whole *whole, size_t offset, uint32_t damage) {
    size_t left = whole->count - offset;
    uint32_t crc, length;
    if (left <= SETTLE_LOG_FOOTER_TAIL_BYTES ||
        settle_log_read_footer_tail(whole->bytes + whole->count - SETTLE_LOG_FOOTER_TAIL_BYTES, &crc, &length) !=
            SETTLE_LOG_OK)
        return damage;
    return length == left ? SETTLE_LOG_INDEX_DAMAGED : SETTLE_LOG_CHUNK_DAMAGED;
}

/* The frame at an offset. `vain` counts over all frames of a log, from 0. */
static frame read_frame(const settle_log_whole *whole, size_t offset, uint64_t *vain) {
    frame found = {.is_index = begins(whole->bytes + offset, whole->count - offset, settle_log_footer_magic)};
    if (found.is_index) {
        size_t length = index_bytes(whole, offset, vain);
        found.end = offset + length;
        if (length == 0) found.damage = SETTLE_LOG_INDEX_DAMAGED;
    } else {
        found.damage = read_chunk(whole, offset, &found.chunk, vain);
        found.end = offset + chunk_bytes(&found.chunk);
    }
    if (!found.damage) return found;
    found.end = offset + 1 + settle_log_find_frame(whole->bytes + offset + 1, whole->count - offset - 1);
    if (found.is_index) return found;
    found.damage = found.end < whole->count ? SETTLE_LOG_CHUNK_DAMAGED : damage_to_end(whole, offset, found.damage);
    found.is_index = found.damage == SETTLE_LOG_INDEX_DAMAGED;
    return found;
}

/* Walks over the frames from whole->chunks_begin on. */
static void measure(settle_log_whole *whole) {
    bool follows_index = false, has_index = false;
    size_t offset = whole->chunks_begin;
    uint64_t vain = 0;
    while (offset < whole->count) {
        frame next = read_frame(whole, offset, &vain);
        uint32_t damage = next.damage | (follows_index ? SETTLE_LOG_FOLLOWED : 0);
        if (next.is_index && !next.damage && !has_index && !index_agrees(whole, whole->chunks_begin, offset))
            damage |= SETTLE_LOG_INDEX_DIFFERS;
        if (damage) add_damage(whole, damage, offset);
        has_index |= next.is_index;
        if (damage && !whole->salvages) return;
        if (!next.damage && !next.is_index) {
            add_chunk(whole, &next.chunk);
            whole->chunks_end = next.end;
        }
        follows_index = next.is_index && !next.damage;
        offset = next.end;
    }
    if (!has_index && !(whole->damage & SETTLE_LOG_CHUNK_TORN)) whole->damage |= SETTLE_LOG_NO_INDEX;
}

/* Reads the header: SETTLE_LOG_OK also for a damaged one that is salvaged. */
static int read_header(settle_log_whole *whole) {
    settle_log_file_header header = {0};
    int result = SETTLE_LOG_MALFORMED;
    if (whole->count >= SETTLE_LOG_FILE_HEADER_BYTES) {
        result = settle_log_read_file_header(whole->bytes, &header);
    } else if (whole->count > 0 &&
               memcmp(whole->bytes, settle_log_file_magic, whole->count < 8 ? whole->count : 8) != 0) {
        result = SETTLE_LOG_NOT_A_LOG;
    }
    size_t end = SETTLE_LOG_FILE_HEADER_BYTES + (size_t)header.metadata_bytes;
    bool is_long_enough = header.metadata_bytes <= SETTLE_LOG_METADATA_MAX && whole->count >= end + 4;
    bool is_right = is_long_enough && settle_crc32c(0, whole->bytes, end) == (uint32_t)read_le(whole->bytes + end, 4);
    if (result == SETTLE_LOG_OK && !is_long_enough) result = SETTLE_LOG_MALFORMED;
    if (result == SETTLE_LOG_OK) {
        whole->metadata = whole->bytes + SETTLE_LOG_FILE_HEADER_BYTES;
        whole->metadata_bytes = header.metadata_bytes;
        whole->chunks_begin = end + 4;
        if (is_right) return SETTLE_LOG_OK;
        add_damage(whole, SETTLE_LOG_HEADER_DAMAGED, 0);
        if (!whole->salvages) return SETTLE_LOG_OK;
    }
    if (!whole->salvages || (result == SETTLE_LOG_NEWER && is_right)) return result;
    /* A damaged length may lead anywhere, so its metadata is not believed either. */
    add_damage(whole, SETTLE_LOG_HEADER_DAMAGED, 0);
    whole->metadata = whole->bytes;
    whole->metadata_bytes = 0;
    whole->chunks_begin = settle_log_find_frame(whole->bytes, whole->count);
    return whole->chunks_begin == whole->count && result != SETTLE_LOG_OK ? result : SETTLE_LOG_OK;
}

int settle_log_measure(const unsigned char *bytes, size_t count, bool salvages, settle_log_whole *whole) {
    settle_log_whole measured = {.bytes = bytes, .count = count, .salvages = salvages, .damaged_at = SIZE_MAX};
    int result = read_header(&measured);
    if (result != SETTLE_LOG_OK) return result;
    measured.chunks_end = measured.chunks_begin;
    measure(&measured);
    *whole = measured;
    return SETTLE_LOG_OK;
}

/* The parts of the memory, each at a multiple of eight bytes. */
typedef struct layout {
    uint64_t names, sizes, slots, numbers, end;
    uint64_t slots_count; /* a power of two, more than the names */
} layout;

static uint64_t reserve(uint64_t *used, uint64_t count, size_t size) {
    uint64_t offset = *used;
    *used += (count * size + 7) & ~(uint64_t)7;
    return offset;
}

static layout layout_of(const settle_log_whole *whole) {
    layout parts = {.slots_count = 2};
    while (parts.slots_count < whole->names * 2) parts.slots_count *= 2;
    (void)reserve(&parts.end, whole->events, sizeof(settle_log_event));
    parts.names = reserve(&parts.end, whole->names, sizeof(settle_log_name));
    parts.sizes = reserve(&parts.end, whole->chunk_names, sizeof(settle_log_size));
    parts.slots = reserve(&parts.end, parts.slots_count, sizeof(uint32_t));
    parts.numbers = reserve(&parts.end, whole->chunk_names, sizeof(uint32_t));
    return parts;
}

size_t settle_log_whole_size(const settle_log_whole *whole) {
    uint64_t size = layout_of(whole).end;
    return size <= SIZE_MAX / 2 && whole->names <= NAMES_MAX ? (size_t)size : 0;
}

/* What the names and chunks are read into. */
typedef struct reading {
    const settle_log_whole *whole;
    settle_log_name *names;
    settle_log_size *sizes;
    uint32_t *slots, *numbers;
    settle_log_contents contents;
} reading;

/* The number of a name, which may be new; SETTLE_LOG_NO_NAME for a new one that is no UTF-8. */
static uint32_t number_of(reading *to, const unsigned char *name, size_t count) {
    settle_log_contents *contents = &to->contents;
    uint64_t first = first_bytes(name, count);
    uint32_t number = find_name(&contents->names, first, name, count);
    if (number != SETTLE_LOG_NO_NAME || !is_utf8(name, count)) return number;
    number = contents->names_count++;
    to->names[number] = (settle_log_name){first, (size_t)(name - to->whole->bytes), count};
    size_t slot = (size_t)hash_of(contents->names.seed, first, name, count);
    while (to->slots[slot & contents->names.slots_mask]) slot++;
    to->slots[slot & contents->names.slots_mask] = number + 1;
    return number;
}

/* Whether the whole chunk is as the format says; the events before a fault are kept. */
static bool append_chunk(reading *to, settle_log_chunk chunk, const unsigned char *body) {
    size_t offset = 0, count;
    const unsigned char *name;
    for (uint32_t i = 0; i < chunk.scenes; i++) {
        if (settle_log_next_name(&chunk, body, &offset, &name, &count) != SETTLE_LOG_OK) return false;
        to->numbers[i] = number_of(to, name, count);
        if (to->numbers[i] == SETTLE_LOG_NO_NAME) return false;
    }
    if (offset != chunk.dictionary_bytes) return false;
    chunk.events = events_capacity(&chunk);
    uint32_t decoded = 0;
    settle_log_event *events = to->contents.events + to->contents.count;
    int result = settle_log_decode_as(&chunk, body, to->numbers, to->sizes, events, &decoded);
    to->contents.count += decoded;
    return result == SETTLE_LOG_OK;
}

int settle_log_read_whole(const settle_log_whole *whole, const uint64_t seed[2], void *memory, size_t size,
                          settle_log_contents *contents) {
    const layout parts = layout_of(whole);
    if (!memory || (uintptr_t)memory % sizeof(uint64_t) != 0 || size < parts.end || settle_log_whole_size(whole) == 0)
        return SETTLE_INVALID;
    unsigned char *bytes = memory;
    reading to = {
        .whole = whole,
        .names = (settle_log_name *)(void *)(bytes + parts.names),
        .sizes = (settle_log_size *)(void *)(bytes + parts.sizes),
        .slots = (uint32_t *)(void *)(bytes + parts.slots),
        .numbers = (uint32_t *)(void *)(bytes + parts.numbers),
        .contents = {.events = memory, .damage = whole->damage, .damaged_at = whole->damaged_at},
    };
    memset(to.slots, 0, (size_t)parts.slots_count * sizeof *to.slots);
    to.contents.names =
        (settle_log_names){whole->bytes, to.names, to.slots, (size_t)parts.slots_count - 1, {seed[0], seed[1]}};

    /* The same frames as were measured: what they need was counted. */
    uint64_t vain = 0;
    for (size_t offset = whole->chunks_begin; offset < whole->chunks_end;) {
        frame next = read_frame(whole, offset, &vain);
        const unsigned char *body = whole->bytes + offset + SETTLE_LOG_CHUNK_HEADER_BYTES;
        if (!next.damage && !next.is_index && !append_chunk(&to, next.chunk, body)) {
            to.contents.damage |= SETTLE_LOG_EVENTS_MALFORMED;
            if (offset < to.contents.damaged_at) to.contents.damaged_at = offset;
            if (!whole->salvages) break;
        }
        offset = next.end;
    }
    *contents = to.contents;
    return SETTLE_OK;
}
