/* Decodes a binary log with the C codec. What is whole before the first fault is kept. */
#include "page_wasm.h"
#include "settle_whole_log.h"

page_log page;

/* Bits of enum settle_log_damage. */
static uint32_t damage;
_Static_assert(SETTLE_LOG_HEADER_DAMAGED == 1 && (SETTLE_LOG_INDEX_DAMAGED | SETTLE_LOG_FOLLOWED) == 80 &&
                   SETTLE_LOG_INDEX_DIFFERS == 32 && SETTLE_LOG_NO_INDEX == 128,
               "what Log.readLog in engine.mjs reads");

/* Says what is damaged, and where reading stopped. */
static void take_damage(const settle_log_whole *whole, const settle_log_contents *contents) {
    const uint32_t found = damage = contents->damage;
    if (found & SETTLE_LOG_EVENTS_MALFORMED) {
        page.fault = SETTLE_LOG_MALFORMED;
        page.fault_offset = (uint32_t)contents->damaged_at;
    } else if (found & (SETTLE_LOG_CHUNK_DAMAGED | SETTLE_LOG_CHUNK_TORN) && !(found & SETTLE_LOG_FOLLOWED)) {
        page.fault = found & SETTLE_LOG_CHUNK_TORN ? PAGE_TORN : PAGE_CHUNK;
        page.fault_offset = (uint32_t)whole->chunks_end;
    }
}

int page_decode(const unsigned char *bytes, size_t count, const uint64_t seed[2]) {
    settle_log_whole whole;
    settle_log_contents contents;
    int result = settle_log_measure(bytes, count, false, &whole);
    if (result != SETTLE_LOG_OK) return result;
    page.metadata = whole.metadata;
    page.metadata_bytes = (uint32_t)whole.metadata_bytes;
    size_t size = settle_log_whole_size(&whole);
    void *memory = size > 0 ? page_reserve(size) : NULL;
    if (!memory || settle_log_read_whole(&whole, seed, memory, size, &contents) != SETTLE_OK) return PAGE_NO_MEMORY;
    page.names = page_reserve(contents.names_count * sizeof(page_name));
    if (!page.names) return PAGE_NO_MEMORY;
    for (uint32_t i = 0; i < contents.names_count; i++) {
        const settle_log_name *name = &contents.names.names[i];
        page.names[i] = (page_name){bytes + name->from, (uint32_t)name->count};
    }
    page.events = contents.events;
    page.count = (uint32_t)contents.count;
    page.names_count = contents.names_count;
    take_damage(&whole, &contents);
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

/* Opens the log in `bytes`, which must stay, before anything is decided. The seed is that of
 * settle_log_names. */
int EXPORT(page_open)(const unsigned char *bytes, size_t count, uint64_t seed_first, uint64_t seed_second) {
    page = (page_log){0};
    damage = 0;
    int result = page_decode(bytes, count, (const uint64_t[]){seed_first, seed_second});
    if (result == 0) result = page_sort();
    if (result == 0) result = bind();
    return result;
}

/* What was wrong in the log: enum settle_log_damage. */
uint32_t EXPORT(page_damage)(void) { return damage; }

/* For JavaScript, which reads the struct's words. */
const page_log *EXPORT(page_log_address)(void) { return &page; }
