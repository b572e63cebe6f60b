/* Decides recordings on the platform that it is compiled for.
 *
 * usage: decide FOLDER NAME...
 *
 * The events of FOLDER/NAME.jsonl must be the same by both ways to read a line, and behind a binary log. They pass
 * through a ring into a core, whose decisions must be FOLDER/NAME.decisions.jsonl, byte for byte. Prints a line for
 * each recording, which must be the same on every platform: it has the checksums of the binary log and of what a sweep
 * counts, builds of a cost included.
 *
 * For scripts/checks/portability. Memory is not freed, as the program ends soon. */
#include "bytes.h"
#include "settle_json.h"
#include "settle_json_lines.h"
#include "settle_ring.h"
#include "settle_sweep.h"
#include "settle_whole_log.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    EVENTS_MAX = 1 << 15,
    NAMES_MAX = 64,
    SLOTS = 256,
    CHUNK_EVENTS = 1024,
    CHUNKS_MAX = EVENTS_MAX / CHUNK_EVENTS,
    DECISIONS_MAX = 1024,
    RING_CAPACITY = 256,
    POLICIES = 40
};

typedef struct recording {
    const char *name;
    const unsigned char *text;
    size_t text_count;
    size_t metadata_count; /* the header's line, the first one */
    settle_log_event *events;
    size_t count;
    settle_log_name names[NAMES_MAX];
    uint32_t slots[SLOTS];
    settle_log_names table;
    uint32_t names_count;
} recording;

static _Noreturn void stop(const char *name, const char *why) {
    printf("%s: %s\n", name, why);
    exit(1);
}

static void require(bool holds, const recording *of, const char *what) {
    if (!holds) stop(of->name, what);
}

static void *reserve(size_t size) {
    unsigned char *memory = calloc(1, size + 64);
    if (!memory) stop("decide", "no memory");
    return memory + (64 - (uintptr_t)memory % 64) % 64;
}

static unsigned char *read_file(const char *folder, const char *name, const char *ending, size_t *count) {
    char path[1024];
    snprintf(path, sizeof path, "%s/%s%s", folder, name, ending);
    FILE *file = fopen(path, "rb");
    if (!file) stop(path, "cannot be opened");
    fseek(file, 0, SEEK_END);
    *count = (size_t)ftell(file);
    rewind(file);
    unsigned char *bytes = reserve(*count);
    if (fread(bytes, 1, *count, file) != *count) stop(path, "cannot be read");
    fclose(file);
    return bytes;
}

static double parse_double(const char *text, size_t count) {
    char copy[400];
    if (count >= sizeof copy) return 0;
    memcpy(copy, text, count);
    copy[count] = 0;
    return strtod(copy, NULL);
}

static uint32_t name_of(recording *of, const settle_json_string *scene) {
    uint32_t number = settle_log_find_name(&of->table, scene->bytes, scene->count);
    if (number != SETTLE_LOG_NO_NAME) return number;
    require(of->names_count < NAMES_MAX && scene->decoded == scene->count, of, "too many names, or an escape in one");
    number = of->names_count++;
    of->names[number].first = settle_log_name_first(scene->bytes, scene->count);
    of->names[number].from = (size_t)(scene->bytes - of->text);
    of->names[number].count = scene->count;
    size_t slot = (size_t)settle_log_name_hash(&of->table, scene->bytes, scene->count) % SLOTS;
    while (of->slots[slot]) slot = (slot + 1) % SLOTS;
    of->slots[slot] = number + 1;
    return number;
}

/* Reads all lines, with `plain` those without the general parser that can be. Returns how many were. */
static size_t read_lines(recording *of, bool plain, settle_log_event *events) {
    size_t at = of->metadata_count + 1, plain_count = 0;
    of->count = 0;
    while (at < of->text_count) {
        const unsigned char *line = of->text + at;
        size_t left = of->text_count - at, used = 0, read = 0;
        if (plain) {
            read = settle_log_read_json_lines(line, left, 1 << 20, &of->table, events + of->count,
                                              EVENTS_MAX - of->count, &used);
        }
        of->count += read;
        plain_count += read;
        at += used;
        if (read > 0) continue;
        const unsigned char *end = memchr(line, '\n', left);
        size_t length = end ? (size_t)(end - line) : left;
        at += length + 1;
        settle_json json;
        settle_json_event event;
        settle_json_start(&json, line, length);
        require(of->count < EVENTS_MAX, of, "too many events");
        require(settle_json_read_event(&json, parse_double, &event), of, json.problem);
        if (event.scene.bytes) event.event.name = name_of(of, &event.scene);
        events[of->count++] = event.event;
    }
    return plain_count;
}

static void read_recording(recording *of, const char *folder) {
    of->text = read_file(folder, of->name, ".jsonl", &of->text_count);
    const unsigned char *end = memchr(of->text, '\n', of->text_count);
    require(end != NULL, of, "no line ends");
    of->metadata_count = (size_t)(end - of->text);
    settle_json json;
    settle_json_header header;
    settle_json_start(&json, of->text, of->metadata_count);
    require(settle_json_read_header(&json, &header), of, json.problem);
    of->table = (settle_log_names){of->text, of->names, of->slots, SLOTS - 1, {1, 2}};
    of->events = reserve(EVENTS_MAX * sizeof *of->events);
    read_lines(of, false, of->events);
    size_t count = of->count;
    settle_log_event *again = reserve(EVENTS_MAX * sizeof *again);
    require(read_lines(of, true, again) > count / 2, of, "few lines are plain");
    require(of->count == count && memcmp(again, of->events, count * sizeof *again) == 0, of,
            "plain lines have other events");
}

static settle_log_index_entry write_chunk(const recording *of, size_t first, size_t after, unsigned char *out) {
    settle_log_size sizes[NAMES_MAX];
    settle_log_chunk chunk = {SETTLE_NEVER, 0, 0, (uint32_t)(after - first), of->names_count, 0, 0};
    unsigned char *body = out + SETTLE_LOG_CHUNK_HEADER_BYTES;
    for (size_t i = first; i < after; i++) {
        if (of->events[i].at_ns < chunk.first_ns) chunk.first_ns = of->events[i].at_ns;
        if (of->events[i].at_ns > chunk.last_ns) chunk.last_ns = of->events[i].at_ns;
    }
    for (uint32_t i = 0; i < of->names_count; i++) {
        const settle_log_name *name = &of->names[i];
        write_le(body + chunk.dictionary_bytes, name->count, 2);
        memcpy(body + chunk.dictionary_bytes + 2, of->text + name->from, name->count);
        chunk.dictionary_bytes += (uint32_t)name->count + 2;
    }
    chunk.body_bytes = chunk.dictionary_bytes +
                       (uint32_t)settle_log_encode(&chunk, of->events + first, sizes, body + chunk.dictionary_bytes);
    chunk.body_crc = settle_crc32c(0, body, chunk.body_bytes);
    require(chunk.body_crc == settle_crc32c_portable(0, body, chunk.body_bytes), of, "two checksums of a chunk");
    settle_log_write_chunk_header(out, &chunk);
    return (settle_log_index_entry){0, chunk.first_ns, chunk.last_ns, chunk.events,
                                    SETTLE_LOG_CHUNK_HEADER_BYTES + chunk.body_bytes};
}

/* Writes the binary log, whose chunks have about the same number of events, and at least one for each name. */
static size_t write_log(const recording *of, unsigned char *out) {
    settle_log_index_entry entries[CHUNKS_MAX];
    size_t at = SETTLE_LOG_FILE_HEADER_BYTES + of->metadata_count;
    settle_log_write_file_header(out, (uint32_t)of->metadata_count);
    memcpy(out + SETTLE_LOG_FILE_HEADER_BYTES, of->text, of->metadata_count);
    write_le(out + at, settle_crc32c(0, out, at), 4);
    at += 4;
    uint32_t chunks = (uint32_t)((of->count + CHUNK_EVENTS - 1) / CHUNK_EVENTS);
    for (uint32_t i = 0; i < chunks; i++) {
        entries[i] = write_chunk(of, of->count * i / chunks, of->count * (i + 1) / chunks, out + at);
        entries[i].offset = at;
        at += entries[i].bytes;
    }
    settle_log_write_footer(out + at, entries, chunks, of->count);
    return at + SETTLE_LOG_FOOTER_HEADER_BYTES + chunks * SETTLE_LOG_FOOTER_ENTRY_BYTES + SETTLE_LOG_FOOTER_TAIL_BYTES;
}

static settle_log_event *read_log(const recording *of, const unsigned char *bytes, size_t count) {
    settle_log_whole whole;
    settle_log_contents contents;
    require(settle_log_measure(bytes, count, false, &whole) == SETTLE_LOG_OK, of, "its binary log is no log");
    size_t size = settle_log_whole_size(&whole);
    require(settle_log_read_whole(&whole, (uint64_t[]){3, 4}, reserve(size), size, &contents) == SETTLE_OK, of,
            "its binary log is not read");
    require(contents.damage == 0, of, "its binary log is damaged");
    require(contents.count == of->count && contents.names_count == of->names_count &&
                memcmp(contents.events, of->events, of->count * sizeof *of->events) == 0,
            of, "its binary log has other events");
    return contents.events;
}

static void bind(const recording *of, settle_log_event *events, settle_sweep_log *bound) {
    size_t connections =
        settle_sweep_connections(events, of->count, of->names_count, reserve(NAMES_MAX * sizeof(bool)));
    size_t size = settle_sweep_log_size(of->count, of->names_count, connections);
    require(settle_sweep_bind(events, of->count, of->names_count, connections, reserve(size), size, bound) == SETTLE_OK,
            of, "its events are not bound");
}

/* Feeds the events by a ring. */
static size_t decide(const recording *of, const settle_sweep_log *bound, settle_decision *decisions) {
    settle_config config = settle_config_default();
    config.scenes_max = bound->connections;
    config.decisions_max = DECISIONS_MAX;
    settle_core *core;
    settle_ring *ring;
    size_t size = settle_core_size(&config);
    require(settle_core_init(reserve(size), size, &config, &core) == SETTLE_OK, of, "no core is made");
    require(settle_ring_init(reserve(settle_ring_size(RING_CAPACITY)), RING_CAPACITY, &ring) == SETTLE_OK, of,
            "no ring is made");
    for (uint32_t i = 0; i < bound->connections; i++) {
        settle_scene scene;
        require(settle_core_connect(core, 0, &scene) == SETTLE_OK && settle_core_slot(core, scene) == i, of,
                "a scene does not connect");
    }
    for (size_t at = 0; at < bound->count;) {
        at += settle_ring_push(ring, bound->events + at, bound->count - at);
        const settle_event *events;
        for (size_t peeked; (peeked = settle_ring_peek(ring, &events)) > 0;) {
            size_t accepted;
            require(settle_core_submit(core, events, peeked, &accepted) == SETTLE_OK, of, "too many decisions");
            settle_ring_pop(ring, peeked);
        }
    }
    require(settle_core_finish(core) == SETTLE_OK, of, "too many decisions");
    return settle_core_pop_decisions(core, decisions, DECISIONS_MAX);
}

/* A decision as the contract's line, with a newline. */
static size_t write_line(const recording *of, const settle_sweep_log *bound, const settle_decision *decision, char *out,
                         size_t size) {
    uint32_t bits = 1;
    while ((uint32_t)1 << bits < bound->connections) bits++;
    uint32_t slot = decision->scene & (((uint32_t)1 << bits) - 1);
    const settle_log_name *name = &of->names[bound->scenes[slot].name];
    char rest[200] = "";
    switch (decision->kind) {
    case SETTLE_REBUILD:
        snprintf(rest, sizeof rest, ",\"width\":%.17g,\"height\":%.17g,\"reason\":\"%s\"", decision->width,
                 decision->height, settle_reason_name(decision->reason));
        break;
    case SETTLE_INTERACTION_ENDED:
        snprintf(rest, sizeof rest, ",\"reason\":\"%s\"", settle_reason_name(decision->reason));
        break;
    case SETTLE_LOCK_CHANGED: snprintf(rest, sizeof rest, ",\"locked\":%s", decision->locked ? "true" : "false"); break;
    default: break;
    }
    return (size_t)snprintf(out, size, "{\"t_ns\":%" PRIu64 ",\"scene\":\"%.*s\",\"kind\":\"%s\"%s}\n", decision->at_ns,
                            (int)name->count, (const char *)of->text + name->from,
                            settle_decision_kind_name(decision->kind), rest);
}

static void compare(const recording *of, const settle_sweep_log *bound, const settle_decision *decisions, size_t count,
                    const char *folder) {
    size_t expected_count, at = 0;
    const unsigned char *expected = read_file(folder, of->name, ".decisions.jsonl", &expected_count);
    for (size_t i = 0; i < count; i++) {
        char line[SETTLE_LOG_NAME_MAX + 400];
        size_t length = write_line(of, bound, &decisions[i], line, sizeof line);
        if (length > expected_count - at || memcmp(line, expected + at, length) != 0) {
            printf("decision %zu is %s", i + 1, line);
            stop(of->name, "another decision is expected");
        }
        at += length;
    }
    require(at == expected_count, of, "more decisions are expected");
}

static uint32_t counts_checksum(const settle_sweep_counts *counts, uint32_t checksum) {
    const uint64_t *numbers = (const uint64_t *)(const void *)counts;
    for (size_t i = 0; i < sizeof *counts / sizeof *numbers; i++) {
        unsigned char bytes[8];
        write_le(bytes, numbers[i], 8);
        checksum = settle_crc32c(checksum, bytes, 8);
    }
    return checksum;
}

/* What the front of the policies is, and its knee. */
static uint32_t front_checksum(const settle_sweep_counts *counts, uint32_t checksum) {
    settle_front_point points[POLICIES];
    uint32_t front[SETTLE_LAG_BUCKETS], knee;
    for (unsigned i = 0; i < POLICIES; i++) {
        uint64_t rebuilds = 0;
        for (unsigned reason = 0; reason < SETTLE_SWEEP_REASONS; reason++) rebuilds += counts[i].rebuilds[reason];
        points[i] =
            (settle_front_point){rebuilds, counts[i].wasted, settle_lag_bucket(settle_lag_quantile(counts[i].lag, 950)),
                                 settle_lag_bucket(settle_lag_quantile(counts[i].lag, 500)), 0};
    }
    size_t count = settle_front(points, POLICIES, front, &knee);
    unsigned char bytes[4];
    for (size_t i = 0; i <= count; i++) {
        write_le(bytes, i < count ? front[i] : knee, 4);
        checksum = settle_crc32c(checksum, bytes, 4);
    }
    return checksum;
}

/* Of policies of the grids, without builds and with builds of a cost, and of the habits with them. */
static uint32_t sweep(const recording *of, const settle_sweep_log *bound) {
    static settle_sweep_counts counts[POLICIES];
    settle_policy policies[POLICIES], base = settle_policy_default();
    const settle_build_cost cost = {2e6, 13.7, 0};
    uint32_t checksum = 0;
    size_t size = settle_sweep_size(bound), play_size = settle_sweep_play_size(bound);
    void *memory = reserve(size > play_size ? size : play_size);
    memset(counts, 0, sizeof counts);
    for (uint32_t i = 0; i < POLICIES; i++) settle_grid_policy(&base, settle_grid_count() / POLICIES * i, &policies[i]);
    require(settle_sweep_run(memory, size, bound, policies, POLICIES, counts) == SETTLE_OK, of, "no sweep");
    checksum = front_checksum(counts, checksum);
    for (uint32_t i = 0; i < POLICIES; i++) {
        settle_live_grid_policy(&base, settle_live_grid_count() / POLICIES * i, &policies[i]);
    }
    require(settle_sweep_play(memory, play_size, bound, &cost, policies, POLICIES, counts) == SETTLE_OK, of, "no play");
    for (unsigned habit = 0; habit < SETTLE_HABITS; habit++) settle_sweep_habit(bound, &cost, habit, &counts[habit]);
    for (uint32_t i = 0; i < POLICIES; i++) checksum = counts_checksum(&counts[i], checksum);
    return checksum;
}

int main(int count, char **arguments) {
    if (count < 3) stop("usage", "decide FOLDER NAME...");
    for (int i = 2; i < count; i++) {
        recording *of = reserve(sizeof *of);
        of->name = arguments[i];
        read_recording(of, arguments[1]);
        unsigned char *log = reserve(of->text_count + EVENTS_MAX);
        size_t log_count = write_log(of, log);
        settle_sweep_log bound;
        bind(of, read_log(of, log, log_count), &bound);
        static settle_decision decisions[DECISIONS_MAX];
        size_t decided = decide(of, &bound, decisions);
        compare(of, &bound, decisions, decided, arguments[1]);
        printf("%s: %zu events, %zu decisions, log %08" PRIx32 ", sweep %08" PRIx32 "\n", of->name, of->count, decided,
               settle_crc32c(0, log, log_count), sweep(of, &bound));
    }
    return 0;
}
