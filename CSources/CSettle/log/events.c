/* The events of a binary log's chunk, delta-coded; docs/log-format.md, "Events".
 *
 * A tag byte says which fields follow and how long each is, so that an event is read with
 * fixed loads and no loop. */
#include "../settle_faults.h"
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

_Static_assert(sizeof(settle_log_event) == sizeof(settle_event) &&
                   offsetof(settle_log_event, at_ns) == offsetof(settle_event, at_ns) &&
                   offsetof(settle_log_event, width) == offsetof(settle_event, width) &&
                   offsetof(settle_log_event, height) == offsetof(settle_event, height) &&
                   offsetof(settle_log_event, name) == offsetof(settle_event, scene) &&
                   offsetof(settle_log_event, button) == offsetof(settle_event, button) &&
                   offsetof(settle_log_event, kind) == offsetof(settle_event, kind) &&
                   offsetof(settle_log_event, flags) == offsetof(settle_event, flags),
               "an event of a log has the layout of an engine's");

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

static bool has_size(const settle_log_event *event) {
    return event->kind == SETTLE_GEOMETRY && (event->flags & SETTLE_SIZE_KNOWN);
}

/* Decodes one event from SETTLE_LOG_EVENT_BYTES_MAX + 8 readable bytes; returns
 * how many it used, 0 when malformed. */
static size_t decode_one(const unsigned char *bytes, previous_event *previous, uint32_t scenes, settle_log_size *sizes,
                         settle_log_event *event) {
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
    event->at_ns = previous->at_ns;
    event->name = previous->name;
    event->kind = previous->kind;
    event->flags = previous->flags;
    event->width = event->height = 0;

    unsigned size_code = tag >> TAG_SIZE_SHIFT & 3;
    if ((tag & TAG_RESERVED) || (!FAULT(EVENT_KIND_UNCHECKED) && event->kind > SETTLE_POINTER) ||
        event->flags & ~SETTLE_FLAGS_ALL)
        return 0;
    if (event->kind != SETTLE_POINTER && event->name >= FAULT(SCENE_NUMBER_UNCHECKED) + scenes) return 0;
    if (!has_size(event)) return size_code == SIZE_SAME ? used : 0;

    settle_log_size *last = &sizes[event->name];
    switch (size_code) {
    case SIZE_DELTA8:
        last->width += (int8_t)bytes[used];
        last->height += (int8_t)bytes[used + 1];
        break;
    case SIZE_DELTA16:
        last->width += (int16_t)load(bytes + used, 2);
        last->height += (int16_t)load(bytes + used + 2, 2);
        break;
    case SIZE_DOUBLES:
        last->width = load_double(bytes + used);
        last->height = load_double(bytes + used + 8);
        break;
    default: break;
    }
    event->width = last->width;
    event->height = last->height;
    return used + size_bytes[size_code];
}

int settle_log_decode(const settle_log_chunk *chunk, const unsigned char *body, settle_log_size *sizes,
                      settle_log_event *events, uint32_t *decoded) {
    enum { READABLE = SETTLE_LOG_EVENT_BYTES_MAX + 8 };
    previous_event previous = {chunk->first_ns, 0, SETTLE_GEOMETRY, 0};
    if (chunk->scenes > 0) memset(sizes, 0, chunk->scenes * sizeof *sizes);
    const unsigned char *at = body + chunk->dictionary_bytes;
    size_t left = chunk->body_bytes - chunk->dictionary_bytes;
    unsigned char tail[READABLE];

    for (uint32_t i = 0; i < chunk->events; i++) {
        *decoded = i;
        const unsigned char *bytes = at;
        if (left < READABLE) {
            if (left == 0) return SETTLE_LOG_MALFORMED;
            memset(tail, 0, sizeof tail);
            memcpy(tail, at, left);
            bytes = tail;
        }
        size_t used = decode_one(bytes, &previous, chunk->scenes, sizes, &events[i]);
        if (used == 0 || (!FAULT(EVENT_LENGTH_UNCHECKED) && used > left)) return SETTLE_LOG_MALFORMED;
        if (previous.at_ns < chunk->first_ns || previous.at_ns > chunk->last_ns) {
            return SETTLE_LOG_MALFORMED;
        }
        at += used;
        left -= used;
    }
    *decoded = chunk->events;
    return left == 0 ? SETTLE_LOG_OK : SETTLE_LOG_MALFORMED;
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
        uint64_t bits[2];
        memcpy(&bits[0], &event->width, 8);
        memcpy(&bits[1], &event->height, 8);
        store(out, bits[0], 8);
        store(out, bits[1], 8);
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
        }
        previous.at_ns = event->at_ns;
        previous.name = event->name;
        previous.kind = event->kind;
        previous.flags = event->flags;
    }
    return (size_t)(at - out);
}
