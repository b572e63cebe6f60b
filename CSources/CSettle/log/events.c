/* The events of a binary log's chunk, delta-coded; docs/reference/log-format.md, "Events".
 *
 * A tag byte says which fields follow and how long each is, so that an event is read with
 * fixed loads and no loop. */
#include "bytes.h"
#include "settle_log.h"

#include <string.h>

enum {
    TAG_TIME = 3,        /* bits 0–1: 2, 3, 4 or 8 bytes of time */
    TAG_SIZE_SHIFT = 2,  /* bits 2–3: size unchanged, 8-bit, 16-bit deltas, or two doubles */
    TAG_KIND = 1 << 4,   /* kind and flags follow; else those of the event before */
    TAG_SCENE_SHIFT = 5, /* bits 5–6: name or button of the event before, or 8, 16 or 32 bits */
    TAG_RESERVED = 1 << 7
};

enum { SIZE_SAME, SIZE_DELTA8, SIZE_DELTA16, SIZE_DOUBLES };

static const unsigned char time_bytes[4] = {2, 3, 4, 8};
static const unsigned char scene_bytes[4] = {0, 1, 2, 4};
static const unsigned char size_bytes[4] = {0, 2, 4, 16};

/* The next event is coded as differences from this one. */
typedef struct previous_event {
    uint64_t at_ns;
    uint32_t name;
    uint16_t kind, flags;
} previous_event;

/* Appends to the output, and moves its end. */
static void store(unsigned char **out, uint64_t value, unsigned count) {
    write_le(*out, value, count);
    *out += count;
}

static double load_double(const unsigned char *bytes) {
    uint64_t bits = load8(bytes);
    double value;
    memcpy(&value, &bits, 8);
    return value;
}

static bool has_known_flags(const settle_log_event *event) {
    return !(event->flags & ~SETTLE_FLAGS_ALL) &&
           (event->flags & SETTLE_ORIENTATION_MASK) >> SETTLE_ORIENTATION_SHIFT <= SETTLE_LANDSCAPE_RIGHT;
}

/* The kinds of a log are those that windows report, and what handlers did. */
static bool is_log_kind(unsigned kind) { return kind <= SETTLE_POINTER || settle_event_is_report(kind); }

static bool has_size(const settle_log_event *event) {
    return event->kind == SETTLE_GEOMETRY && (event->flags & SETTLE_SIZE_KNOWN);
}

/* Reads a number of a report, which a log has as a double. False unless it is whole and at most `most`. */
static bool load_whole(const unsigned char *bytes, uint64_t most, uint64_t *number) {
    const double value = load_double(bytes);
    if (!(value >= 0 && value <= (double)most)) return false;
    *number = (uint64_t)value;
    return (double)*number == value;
}

/* The size after `last`, from the bytes of its code. */
static inline settle_log_size next_size(settle_log_size last, unsigned code, const unsigned char *bytes) {
    switch (code) {
    case SIZE_DELTA8:
        last.width += (int8_t)bytes[0];
        last.height += (int8_t)bytes[1];
        break;
    case SIZE_DELTA16:
        last.width += (int16_t)load(bytes, 2);
        last.height += (int16_t)load(bytes + 2, 2);
        break;
    case SIZE_DOUBLES:
        last.width = load_double(bytes);
        last.height = load_double(bytes + 8);
        break;
    default: break;
    }
    return last;
}

/* What the events of a chunk are decoded with. `names` is null, or has the numbers to write for
 * those of the dictionary. */
typedef struct decoder {
    const settle_log_chunk *chunk;
    const uint32_t *names;
    settle_log_size *sizes;
    previous_event previous;
} decoder;

/* Decodes one event from SETTLE_LOG_EVENT_BYTES_MAX + 8 readable bytes; returns
 * how many it used, 0 when malformed. */
static size_t decode_one(decoder *state, const unsigned char *bytes, settle_log_event *event) {
    previous_event *previous = &state->previous;
    unsigned tag = bytes[0];
    size_t used = 1;
    unsigned count = time_bytes[tag & TAG_TIME];
    previous->at_ns += load(bytes + used, count); /* 8 bytes: two's complement */
    used += count;
    if (tag & TAG_KIND) {
        previous->kind = bytes[used];
        previous->flags = (uint16_t)load(bytes + used + 1, 2);
        used += 3;
    }
    unsigned scene_tag = tag >> TAG_SCENE_SHIFT & 3;
    if (scene_tag) {
        previous->name = (uint32_t)load(bytes + used, scene_bytes[scene_tag]);
        used += scene_bytes[scene_tag];
    }
    uint32_t name = previous->name;
    event->at_ns = previous->at_ns;
    event->name = name;
    event->kind = previous->kind;
    event->flags = previous->flags;
    event->width = event->height = 0;

    unsigned size_code = tag >> TAG_SIZE_SHIFT & 3;
    if ((tag & TAG_RESERVED) || !is_log_kind(event->kind) || !has_known_flags(event)) return 0;
    if (event->kind != SETTLE_POINTER) {
        if (name >= state->chunk->scenes) return 0;
        if (state->names) event->name = state->names[name];
    }
    if (settle_event_is_report(event->kind)) {
        if (size_code != SIZE_DOUBLES) return 0;
        const bool is_report = load_whole(bytes + used, SETTLE_COST_MAX, &event->cost_ns) &&
                               load_whole(bytes + used + 8, UINT32_MAX, &event->generation);
        return is_report ? used + size_bytes[SIZE_DOUBLES] : 0;
    }
    if (!has_size(event)) return size_code == SIZE_SAME ? used : 0;

    settle_log_size size = next_size(state->sizes[name], size_code, bytes + used);
    state->sizes[name] = size;
    event->width = size.width;
    event->height = size.height;
    return used + size_bytes[size_code];
}

/* Where decoding is, within events that repeat the kind, flags and scene of the one before. */
typedef struct run_state {
    const unsigned char *at;
    uint64_t at_ns;
    settle_log_size size;
    settle_log_event *last; /* the event that was decoded last */
} run_state;

/* Where it must stop. */
typedef struct run_end {
    const unsigned char *at;
    const settle_log_event *events;
    uint64_t last_ns;
} run_end;

/* A tag, at most four bytes of time, and two doubles. Longer times are rare. */
enum { RUN_EVENT_BYTES = 21 };

/* Decodes events for as long as they have this tag, a constant where this is called: so the
 * processor predicts where the next event begins, and decodes several at the same time. */
static inline run_state decode_tag(run_state run, const run_end *end, unsigned tag) {
    const unsigned time_count = time_bytes[tag & TAG_TIME], size_code = tag >> TAG_SIZE_SHIFT;
    const unsigned bytes = 1 + time_count + size_bytes[size_code];
    const size_t left = (size_t)(end->at - run.at), free = (size_t)(end->events - run.last) - 1;
    const bool is_near_end = left < RUN_EVENT_BYTES;
    size_t count = is_near_end ? 0 : (left - RUN_EVENT_BYTES) / bytes + 1;
    if (count > free) count = free;
    settle_log_event event = *run.last;
    for (const settle_log_event *last = run.last + count; run.last < last && *run.at == tag; run.at += bytes) {
        uint64_t at_ns = run.at_ns + load(run.at + 1, time_count);
        if (at_ns > end->last_ns) break;
        run.at_ns = at_ns;
        run.size = next_size(run.size, size_code, run.at + 1 + time_count);
        event.at_ns = at_ns;
        event.width = run.size.width;
        event.height = run.size.height;
        *++run.last = event;
    }
    return run;
}

/* The cases of decode_run: a size code with each length of time. */
#define TAG(time, size)                                                                                                \
    case (time) | (size) << TAG_SIZE_SHIFT:                                                                            \
        run = decode_tag(run, end, (time) | (size) << TAG_SIZE_SHIFT);                                                 \
        break;
#define TAGS(size) TAG(0, size) TAG(1, size) TAG(2, size)

/* Decodes events after one with a size, for as long as they repeat its kind, flags and scene. None
 * that is malformed, nor the last ones of a body: decode_one is for them. */
static run_state decode_run(run_state run, const run_end *end) {
    const settle_log_event *before;
    do {
        before = run.last;
        if (run.at == end->at) break;
        switch (*run.at) {
        default:
            break;
            TAGS(SIZE_SAME)
            TAGS(SIZE_DELTA8)
            TAGS(SIZE_DELTA16)
            TAGS(SIZE_DOUBLES)
        }
    } while (run.last != before);
    return run;
}

int settle_log_decode_as(const settle_log_chunk *chunk, const unsigned char *body, const uint32_t *names,
                         settle_log_size *sizes, settle_log_event *events, uint32_t *decoded) {
    enum { READABLE = SETTLE_LOG_EVENT_BYTES_MAX + 8 };
    decoder state = {chunk, names, sizes, {chunk->first_ns, 0, SETTLE_GEOMETRY, 0}};
    if (chunk->scenes > 0) memset(sizes, 0, chunk->scenes * sizeof *sizes);
    const unsigned char *at = body + chunk->dictionary_bytes, *end = body + chunk->body_bytes;
    unsigned char tail[READABLE];
    const run_end stop = {end, events + chunk->events, chunk->last_ns};

    uint32_t i = 0;
    while (i < chunk->events) {
        *decoded = i;
        const unsigned char *bytes = at;
        size_t left = (size_t)(end - at);
        if (left < READABLE) {
            if (left == 0) return SETTLE_LOG_MALFORMED;
            memset(tail, 0, sizeof tail);
            memcpy(tail, at, left);
            bytes = tail;
        }
        settle_log_event *event = &events[i++];
        size_t used = decode_one(&state, bytes, event);
        if (used == 0 || used > left) return SETTLE_LOG_MALFORMED;
        if (event->at_ns < chunk->first_ns || event->at_ns > chunk->last_ns) return SETTLE_LOG_MALFORMED;
        at += used;
        if (at == end || *at >= TAG_KIND || !has_size(event)) continue;
        settle_log_size *size = &sizes[state.previous.name];
        run_state run = decode_run((run_state){at, event->at_ns, *size, event}, &stop);
        *size = run.size;
        state.previous.at_ns = run.at_ns;
        at = run.at;
        i = (uint32_t)(run.last - events) + 1;
    }
    *decoded = chunk->events;
    return at == end ? SETTLE_LOG_OK : SETTLE_LOG_MALFORMED;
}

int settle_log_decode(const settle_log_chunk *chunk, const unsigned char *body, settle_log_size *sizes,
                      settle_log_event *events, uint32_t *decoded) {
    return settle_log_decode_as(chunk, body, NULL, sizes, events, decoded);
}

static bool same_bits(double a, double b) {
    uint64_t a_bits, b_bits;
    memcpy(&a_bits, &a, sizeof a);
    memcpy(&b_bits, &b, sizeof b);
    return a_bits == b_bits;
}

/* Whether `to` is `from` plus a whole number within ±limit, exactly. */
static bool is_delta(double from, double to, int limit, int *delta) {
    double difference = to - from;
    if (!(difference >= -limit && difference <= limit)) return false;
    *delta = (int)difference;
    return same_bits(from + *delta, to);
}

/* Two doubles as they are. */
static unsigned encode_doubles(double first, double second, unsigned char **out) {
    uint64_t bits[2];
    memcpy(&bits[0], &first, 8);
    memcpy(&bits[1], &second, 8);
    store(out, bits[0], 8);
    store(out, bits[1], 8);
    return SIZE_DOUBLES;
}

static unsigned encode_size(settle_log_size *last, const settle_log_event *event, unsigned char **out) {
    int dx, dy;
    unsigned code = SIZE_DOUBLES;
    if (same_bits(last->width, event->width) && same_bits(last->height, event->height)) {
        code = SIZE_SAME;
    } else if (is_delta(last->width, event->width, INT8_MAX, &dx) &&
               is_delta(last->height, event->height, INT8_MAX, &dy)) {
        code = SIZE_DELTA8;
        store(out, (uint64_t)dx, 1);
        store(out, (uint64_t)dy, 1);
    } else if (is_delta(last->width, event->width, INT16_MAX, &dx) &&
               is_delta(last->height, event->height, INT16_MAX, &dy)) {
        code = SIZE_DELTA16;
        store(out, (uint64_t)dx, 2);
        store(out, (uint64_t)dy, 2);
    } else {
        encode_doubles(event->width, event->height, out);
    }
    last->width = event->width;
    last->height = event->height;
    return code;
}

static unsigned time_code(uint64_t delta) {
    if (delta >> 16 == 0) return 0;
    if (delta >> 24 == 0) return 1;
    return delta >> 32 == 0 ? 2 : 3;
}

static unsigned scene_code(uint32_t scene) {
    if (scene >> 8 == 0) return 1;
    return scene >> 16 == 0 ? 2 : 3;
}

size_t settle_log_encode(const settle_log_chunk *chunk, const settle_log_event *events, settle_log_size *sizes,
                         unsigned char *out) {
    previous_event previous = {chunk->first_ns, 0, SETTLE_GEOMETRY, 0};
    if (chunk->scenes > 0) memset(sizes, 0, chunk->scenes * sizeof *sizes);
    unsigned char *at = out;
    for (uint32_t i = 0; i < chunk->events; i++) {
        const settle_log_event *event = &events[i];
        unsigned char *tag = at++;
        uint64_t delta = event->at_ns - previous.at_ns;
        unsigned time = time_code(delta);
        *tag = (unsigned char)time;
        store(&at, delta, time_bytes[time]);
        if (event->kind != previous.kind || event->flags != previous.flags) {
            *tag |= TAG_KIND;
            store(&at, event->kind, 1);
            store(&at, event->flags, 2);
        }
        if (event->name != previous.name) {
            unsigned code = scene_code(event->name);
            *tag |= (unsigned char)(code << TAG_SCENE_SHIFT);
            store(&at, event->name, scene_bytes[code]);
        }
        if (has_size(event)) {
            *tag |= (unsigned char)(encode_size(&sizes[event->name], event, &at) << TAG_SIZE_SHIFT);
        } else if (settle_event_is_report(event->kind)) {
            *tag |= (unsigned char)(encode_doubles((double)event->cost_ns, (double)event->generation, &at)
                                    << TAG_SIZE_SHIFT);
        }
        previous.at_ns = event->at_ns;
        previous.name = event->name;
        previous.kind = event->kind;
        previous.flags = event->flags;
    }
    return (size_t)(at - out);
}
