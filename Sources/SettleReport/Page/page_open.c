/* Decodes a binary log with the C codec. What is whole before the first fault is kept. */
#include "page_wasm.h"

page_log page;

/* enum page_damage_bits. */
static uint32_t damage;

/* What the whole chunks of a log need. */
typedef struct totals {
    size_t end; /* the offset after the last whole chunk */
    uint32_t events, names, chunk_names, table;
} totals;

/* The chunk at an offset, with its checksums compared. */
static int read_chunk(const unsigned char *bytes, size_t count, size_t offset, settle_log_chunk *chunk) {
    if (count - offset < SETTLE_LOG_CHUNK_HEADER_BYTES) return PAGE_TORN;
    int result = settle_log_read_chunk_header(bytes + offset, chunk);
    if (result != SETTLE_LOG_OK) return result;
    const unsigned char *body = bytes + offset + SETTLE_LOG_CHUNK_HEADER_BYTES;
    if (count - offset - SETTLE_LOG_CHUNK_HEADER_BYTES < chunk->body_bytes) return PAGE_TORN;
    return settle_crc32c(0, body, chunk->body_bytes) == chunk->body_crc ? SETTLE_LOG_OK : SETTLE_LOG_CHECKSUM;
}

static void measure(const unsigned char *bytes, size_t count, size_t offset, totals *all) {
    settle_log_chunk chunk;
    *all = (totals){offset, 0, 0, 0, 2};
    while (offset < count && memcmp(bytes + offset, settle_log_footer_magic, count - offset < 4 ? count - offset : 4)) {
        int result = read_chunk(bytes, count, offset, &chunk);
        if (result != SETTLE_LOG_OK) {
            page.fault = result;
            page.fault_offset = (uint32_t)offset;
            return;
        }
        offset += SETTLE_LOG_CHUNK_HEADER_BYTES + chunk.body_bytes;
        all->end = offset;
        all->events += chunk.events;
        all->names += chunk.scenes;
        if (chunk.scenes > all->chunk_names) all->chunk_names = chunk.scenes;
        while (all->table < all->names * 2) all->table *= 2;
    }
}

/* Numbers of names, by hash; open addressing. */
typedef struct name_table {
    uint32_t *slots; /* a number plus one; 0 for none */
    uint32_t mask;
} name_table;

static uint32_t number_of(const name_table *table, const unsigned char *bytes, uint32_t count) {
    uint32_t hash = 2166136261u;
    for (uint32_t i = 0; i < count; i++) hash = (hash ^ bytes[i]) * 16777619u;
    for (uint32_t at = hash;; at++) {
        uint32_t *slot = &table->slots[at & table->mask];
        if (*slot == 0) {
            page.names[page.names_count] = (page_name){bytes, count};
            *slot = ++page.names_count;
            return page.names_count - 1;
        }
        const page_name *name = &page.names[*slot - 1];
        if (name->count == count && memcmp(name->bytes, bytes, count) == 0) return *slot - 1;
    }
}

/* Appends a chunk's events, with the numbers of the log's names instead of the chunk's. */
static int append_chunk(const settle_log_chunk *chunk, const unsigned char *body, const name_table *table,
                        settle_log_size *sizes, uint32_t *numbers) {
    size_t offset = 0, count;
    const unsigned char *name;
    for (uint32_t i = 0; i < chunk->scenes; i++) {
        int result = settle_log_next_name(chunk, body, &offset, &name, &count);
        if (result != SETTLE_LOG_OK) return result;
        numbers[i] = number_of(table, name, (uint32_t)count);
    }
    uint32_t decoded = 0;
    settle_log_event *events = page.events + page.count;
    int result = settle_log_decode(chunk, body, sizes, events, &decoded);
    if (result == SETTLE_LOG_OK) decoded = chunk->events;
    for (uint32_t i = 0; i < decoded; i++) {
        if (events[i].kind != SETTLE_POINTER) events[i].name = numbers[events[i].name];
    }
    page.count += decoded;
    return result;
}

/* Compares the index at `offset`, after the last chunk, with the chunks from `first` on. */
static uint32_t check_index(const unsigned char *bytes, size_t count, size_t first, size_t offset) {
    if (offset == count) return PAGE_NO_INDEX;
    const unsigned char *index = bytes + offset;
    size_t length = count - offset;
    if (length < SETTLE_LOG_FOOTER_HEADER_BYTES + SETTLE_LOG_FOOTER_TAIL_BYTES) return PAGE_INDEX_DAMAGED;
    uint32_t crc, stated, chunks;
    uint64_t events, all = 0;
    const unsigned char *tail = bytes + count - SETTLE_LOG_FOOTER_TAIL_BYTES;
    if (settle_log_read_footer_tail(tail, &crc, &stated) != SETTLE_LOG_OK || stated != length ||
        settle_crc32c(0, index, length - SETTLE_LOG_FOOTER_TAIL_BYTES) != crc)
        return PAGE_INDEX_DAMAGED;
    settle_log_read_footer_header(index, &chunks, &events);
    const unsigned char *at = index + SETTLE_LOG_FOOTER_HEADER_BYTES;
    for (; first < offset; at += SETTLE_LOG_FOOTER_ENTRY_BYTES, chunks--) {
        if (at == tail) return PAGE_INDEX_OTHER;
        settle_log_chunk chunk;
        settle_log_index_entry entry;
        settle_log_read_chunk_header(bytes + first, &chunk);
        settle_log_read_footer_entry(at, &entry);
        uint32_t length_of_chunk = SETTLE_LOG_CHUNK_HEADER_BYTES + chunk.body_bytes;
        if (entry.offset != first || entry.first_ns != chunk.first_ns || entry.last_ns != chunk.last_ns ||
            entry.events != chunk.events || entry.bytes != length_of_chunk)
            return PAGE_INDEX_OTHER;
        all += chunk.events;
        first += length_of_chunk;
    }
    return at == tail && chunks == 0 && events == all ? 0 : PAGE_INDEX_OTHER;
}

int page_decode(const unsigned char *bytes, size_t count) {
    settle_log_file_header header;
    if (count < SETTLE_LOG_FILE_HEADER_BYTES) return PAGE_TORN;
    int result = settle_log_read_file_header(bytes, &header);
    if (result != SETTLE_LOG_OK) return result;
    size_t offset = SETTLE_LOG_FILE_HEADER_BYTES + (size_t)header.metadata_bytes + 4;
    if (count < offset) return PAGE_TORN;
    page.metadata = bytes + SETTLE_LOG_FILE_HEADER_BYTES;
    page.metadata_bytes = header.metadata_bytes;
    const unsigned char *crc = bytes + offset - 4;
    uint32_t stated = crc[0] | (uint32_t)crc[1] << 8 | (uint32_t)crc[2] << 16 | (uint32_t)crc[3] << 24;
    damage = settle_crc32c(0, bytes, offset - 4) == stated ? 0 : PAGE_HEADER_DAMAGED;

    totals all;
    measure(bytes, count, offset, &all);
    if (page.fault == 0) damage |= check_index(bytes, count, offset, all.end);
    if (all.events > UINT32_MAX / sizeof(settle_log_event)) return PAGE_NO_MEMORY;
    page.names = page_reserve(all.names * sizeof(page_name));
    page.events = page_reserve(all.events * sizeof(settle_log_event));
    size_t mark = page_mark();
    name_table table = {page_reserve(all.table * sizeof(uint32_t)), all.table - 1};
    settle_log_size *sizes = page_reserve(all.chunk_names * sizeof(settle_log_size));
    uint32_t *numbers = page_reserve(all.chunk_names * sizeof(uint32_t));
    if (!page.names || !page.events || !table.slots || !sizes || !numbers) return PAGE_NO_MEMORY;
    memset(table.slots, 0, all.table * sizeof(uint32_t));

    while (offset < all.end) {
        settle_log_chunk chunk;
        settle_log_read_chunk_header(bytes + offset, &chunk);
        result = append_chunk(&chunk, bytes + offset + SETTLE_LOG_CHUNK_HEADER_BYTES, &table, sizes, numbers);
        if (result != SETTLE_LOG_OK) {
            page.fault = result;
            page.fault_offset = (uint32_t)offset;
            break;
        }
        offset += SETTLE_LOG_CHUNK_HEADER_BYTES + chunk.body_bytes;
    }
    page_release(mark);
    return 0;
}

/* Binds the events to connections, for all that follows. */
static int bind(void) {
    size_t mark = page_mark();
    bool *scratch = page_reserve(page.names_count);
    if (!scratch) return PAGE_NO_MEMORY;
    size_t connections = settle_sweep_connections(page.events, page.count, page.names_count, scratch);
    page_release(mark);
    size_t size = settle_sweep_log_size(page.count, page.names_count, connections);
    if (size == 0) return SETTLE_FULL;
    void *memory = page_reserve(size);
    if (!memory) return PAGE_NO_MEMORY;
    return settle_sweep_bind(page.events, page.count, page.names_count, connections, memory, size, &page.bound);
}

/* The value of a base64 digit; 64 for another byte. */
static uint32_t digit_of(unsigned char byte) {
    if (byte >= 'A' && byte <= 'Z') return byte - 'A';
    if (byte >= 'a' && byte <= 'z') return byte - 'a' + 26u;
    if (byte >= '0' && byte <= '9') return byte - '0' + 52u;
    return byte == '+' ? 62 : byte == '/' ? 63 : 64;
}

/* Decodes padded base64 in place. Returns the bytes, or SIZE_MAX for other text. */
size_t EXPORT(page_base64)(unsigned char *text, size_t count) {
    if (count % 4 != 0) return SIZE_MAX;
    uint8_t digits[256];
    for (unsigned byte = 0; byte < 256; byte++) digits[byte] = (uint8_t)digit_of((unsigned char)byte);
    size_t padding = count == 0 ? 0 : text[count - 1] != '=' ? 0 : text[count - 2] != '=' ? 1 : 2;
    for (size_t i = count - padding; i < count; i++) text[i] = 'A';
    unsigned char *out = text;
    unsigned all = 0;
    for (size_t i = 0; i < count; i += 4, out += 3) {
        uint32_t a = digits[text[i]], b = digits[text[i + 1]], c = digits[text[i + 2]], d = digits[text[i + 3]];
        all |= a | b | c | d;
        uint32_t bits = a << 18 | b << 12 | c << 6 | d;
        out[0] = (unsigned char)(bits >> 16);
        out[1] = (unsigned char)(bits >> 8);
        out[2] = (unsigned char)bits;
    }
    return all & 64 ? SIZE_MAX : count / 4 * 3 - padding;
}

/* Opens the log in `bytes`, which must stay: once in an instance, before all else. */
int EXPORT(page_open)(const unsigned char *bytes, size_t count) {
    int result = page_decode(bytes, count);
    if (result == 0) result = page_sort();
    if (result == 0) result = bind();
    return result;
}

/* What was wrong in the log beside its chunks: enum page_damage_bits. */
uint32_t EXPORT(page_damage)(void) { return damage; }

/* For JavaScript, which reads the struct's words. */
const page_log *EXPORT(page_log_address)(void) { return &page; }
