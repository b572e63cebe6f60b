/* A session's counts as records of few bytes, and their sums. */
#include "sweep_internal.h"
#include "settle_policy.h"
#include "settle_sums.h"

/* A record: the magic number, version, flags, number of policies, 0, fingerprint and length; then, with FIRST, the
 * figures; then the cells that are not 0, each as its distance from the one before and its count; at the end the
 * CRC-32C of all before. Numbers behind the length are varints: 7 bits a byte, the lowest first. */
enum { VERSION = 1, HEADER_BYTES = 14, CRC_BYTES = 4, VARINT_BYTES = 5, FIRST = 1, WITHOUT_INDEX = 2 };
static const unsigned char magic[4] = {'S', 'U', 'M', 'S'};

/* The counts that are written of a policy. */
enum { CELLS = offsetof(settle_sweep_counts, builds) / sizeof(uint64_t) };
enum { FIGURES = 6 };

_Static_assert(HEADER_BYTES + (FIGURES + 2) * VARINT_BYTES + CRC_BYTES < SETTLE_SUMS_BYTES_MAX, "a record has a cell");

static void put_le(unsigned char *bytes, uint32_t value, unsigned count) {
    for (unsigned i = 0; i < count; i++) bytes[i] = (unsigned char)(value >> 8 * i);
}

static uint32_t get_le(const unsigned char *bytes, unsigned count) {
    uint32_t value = 0;
    for (unsigned i = count; i-- > 0;) value = value << 8 | bytes[i];
    return value;
}

static size_t put_varint(unsigned char *bytes, uint32_t value) {
    size_t size = 0;
    for (; value >= 0x80; value >>= 7) bytes[size++] = (unsigned char)(value | 0x80);
    bytes[size++] = (unsigned char)value;
    return size;
}

/* Reads a varint below 2^32 in its shortest form. */
static bool get_varint(const unsigned char **at, const unsigned char *end, uint32_t *value) {
    uint64_t read = 0;
    for (unsigned shift = 0; shift < 7 * VARINT_BYTES && *at < end; shift += 7) {
        unsigned char byte = *(*at)++;
        read |= (uint64_t)(byte & 0x7f) << shift;
        if (byte & 0x80) continue;
        *value = (uint32_t)read;
        return read <= UINT32_MAX && (byte != 0 || shift == 0);
    }
    return false;
}

uint32_t settle_sums_fingerprint(const settle_policy *policies, size_t count) {
    uint32_t crc = 0;
    for (size_t i = 0; i < count; i++) {
        const settle_policy *policy = &policies[i];
#define FIELD(member, ...)                                                                                             \
    {                                                                                                                  \
        unsigned char bytes[8];                                                                                        \
        put_le(bytes, (uint32_t)policy->member, 4);                                                                    \
        put_le(bytes + 4, (uint32_t)((uint64_t)policy->member >> 32), 4);                                              \
        crc = settle_crc32c(crc, bytes, sizeof bytes);                                                                 \
    }
        SETTLE_POLICY_FIELDS(FIELD)
#undef FIELD
    }
    return crc;
}

/* What a log is bound in, and behind it, one after the other, the baselines' scenes and the sweep's workspace. */
static size_t workspace_size(uint32_t names, size_t connections) {
    settle_sweep_log log = {.connections = (uint32_t)connections};
    size_t size = settle_sweep_size(&log), of_names = names * sizeof(settle_baseline_scene);
    return size > of_names ? size : of_names;
}

size_t settle_sums_size(size_t count, uint32_t names, size_t connections) {
    size_t size = settle_sweep_log_size(count, names, connections);
    if (size == 0) return 0;
    size_t more = workspace_size(names, connections);
    return more > SIZE_MAX - size ? 0 : size + more;
}

int settle_sums_count(settle_log_event *events, size_t count, uint32_t names, size_t connections,
                      const settle_policy *policies, size_t policies_count, void *memory, size_t size,
                      settle_sums *sums, settle_sweep_counts *counts) {
    size_t needed = settle_sums_size(count, names, connections);
    if (!memory || (uintptr_t)memory % SWEEP_LINE_BYTES || needed == 0 || size < needed) return SETTLE_INVALID;
    for (size_t i = 0; i < count; i++) {
        if (events[i].kind != SETTLE_POINTER && events[i].name >= names) return SETTLE_INVALID;
    }
    size_t bound = settle_sweep_log_size(count, names, connections);
    void *behind = (unsigned char *)memory + bound;
    settle_baselines_start(behind, names);
    settle_baselines_add(behind, events, count, &sums->baselines);
    settle_baselines_finish(behind, names, &sums->baselines);
    settle_sweep_log log;
    int result = settle_sweep_bind(events, count, names, connections, memory, bound, &log);
    if (result != SETTLE_OK) return result;
    sums->sessions++;
    sums->events += count;
    sums->connections += log.connections;
    return settle_sweep_run(behind, size - bound, &log, policies, policies_count, counts);
}

static bool fit(const uint64_t *values, size_t count) {
    for (size_t i = 0; i < count; i++) {
        if (values[i] > UINT32_MAX) return false;
    }
    return true;
}

size_t settle_sums_write(const settle_sums *sums, const settle_sweep_counts *counts, const settle_policy *policies,
                         size_t policies_count, uint32_t *from, unsigned char bytes[SETTLE_SUMS_BYTES_MAX]) {
    const settle_baselines *base = &sums->baselines;
    const uint64_t figures[FIGURES] = {sums->events,       sums->connections,
                                       base->every_change, base->every_change_wasted,
                                       base->debounce,     base->debounce_wasted};
    if (policies_count == 0 || policies_count > SETTLE_SUMS_POLICIES_MAX || sums->sessions != 1 ||
        !fit(figures, FIGURES))
        return 0;
    const uint32_t end = (uint32_t)policies_count * CELLS;
    if (*from >= end) return 0;
    for (size_t i = 0; i < policies_count; i++) {
        if (!fit((const uint64_t *)(const void *)&counts[i], CELLS)) return 0;
    }
    memcpy(bytes, magic, sizeof magic);
    bytes[4] = VERSION;
    bytes[5] = (unsigned char)((*from == 0 ? FIRST : 0) | (sums->without_index ? WITHOUT_INDEX : 0));
    bytes[6] = (unsigned char)policies_count;
    bytes[7] = 0;
    put_le(bytes + 8, settle_sums_fingerprint(policies, policies_count), 4);
    size_t size = HEADER_BYTES;
    for (size_t i = 0; *from == 0 && i < FIGURES; i++) size += put_varint(bytes + size, (uint32_t)figures[i]);
    uint32_t written = 0, cell = *from;
    for (; cell < end && size + 2 * VARINT_BYTES + CRC_BYTES <= SETTLE_SUMS_BYTES_MAX; cell++) {
        const uint64_t *cells = (const uint64_t *)(const void *)&counts[cell / CELLS];
        uint32_t count = (uint32_t)cells[cell % CELLS];
        if (count == 0) continue;
        size += put_varint(bytes + size, cell - written);
        size += put_varint(bytes + size, count);
        written = cell;
    }
    *from = cell;
    put_le(bytes + 12, (uint32_t)(size + CRC_BYTES), 2);
    put_le(bytes + size, settle_crc32c(0, bytes, size), CRC_BYTES);
    return size + CRC_BYTES;
}

/* Reads a record's figures and cells, and adds them if there is something to add them to. */
static bool read_record(const unsigned char *bytes, const unsigned char *end, settle_sums *sums,
                        settle_sweep_counts *counts) {
    const unsigned flags = bytes[5];
    const uint32_t cells = bytes[6] * (uint32_t)CELLS;
    const unsigned char *at = bytes + HEADER_BYTES;
    uint32_t figures[FIGURES] = {0}, cell = 0;
    for (size_t i = 0; flags & FIRST && i < FIGURES; i++) {
        if (!get_varint(&at, end, &figures[i])) return false;
    }
    if (sums && flags & FIRST) {
        sums->sessions++;
        sums->without_index += (flags & WITHOUT_INDEX) != 0;
        sums->events += figures[0];
        sums->connections += figures[1];
        sums->baselines.every_change += figures[2];
        sums->baselines.every_change_wasted += figures[3];
        sums->baselines.debounce += figures[4];
        sums->baselines.debounce_wasted += figures[5];
    }
    for (bool is_first = true; at < end; is_first = false) {
        uint32_t distance, count;
        if (!get_varint(&at, end, &distance) || !get_varint(&at, end, &count)) return false;
        if (distance >= cells - cell || count == 0 || (distance == 0 && !is_first)) return false;
        cell += distance;
        if (counts) ((uint64_t *)(void *)&counts[cell / CELLS])[cell % CELLS] += count;
    }
    return true;
}

int settle_sums_add(const void *bytes, size_t size, const settle_policy *policies, size_t policies_count,
                    settle_sums *sums, settle_sweep_counts *counts) {
    const unsigned char *start = bytes, *end = start + size;
    const uint32_t fingerprint = settle_sums_fingerprint(policies, policies_count);
    if (size == 0) return SETTLE_SUMS_DAMAGED;
    for (int pass = 0; pass < 2; pass++) {
        for (const unsigned char *at = start; at < end;) {
            size_t left = (size_t)(end - at);
            if (pass == 0) {
                if (left < HEADER_BYTES + CRC_BYTES || memcmp(at, magic, sizeof magic) != 0) return SETTLE_SUMS_DAMAGED;
                if (at[4] > VERSION) return SETTLE_SUMS_NEWER;
            }
            size_t length = get_le(at + 12, 2);
            const unsigned char *crc = at + length - CRC_BYTES;
            if (pass == 0) {
                if (length < HEADER_BYTES + CRC_BYTES || length > SETTLE_SUMS_BYTES_MAX || length > left)
                    return SETTLE_SUMS_DAMAGED;
                if (settle_crc32c(0, at, length - CRC_BYTES) != get_le(crc, CRC_BYTES)) return SETTLE_SUMS_DAMAGED;
                if (at[4] != VERSION || at[5] > (FIRST | WITHOUT_INDEX) || at[7] != 0) return SETTLE_SUMS_DAMAGED;
                if (at[6] != policies_count || get_le(at + 8, 4) != fingerprint) return SETTLE_SUMS_OTHERS;
            }
            if (!read_record(at, crc, pass ? sums : NULL, pass ? counts : NULL)) return SETTLE_SUMS_DAMAGED;
            at += length;
        }
    }
    return SETTLE_SUMS_ADDED;
}
