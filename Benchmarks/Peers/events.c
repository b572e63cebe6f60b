/* The events, and the sizes that every peer must settle on. */
#include "../../Tests/CaseRunner/splitmix64.h"
#include "peers.h"

uint32_t peers_stream_mask;
settled_size *peers_settled;
uint64_t peers_fired;

/* A core of this many scenes splits its handles so; the first life is number 1. */
static settle_scene handle(uint32_t stream) { return (peers_stream_mask + 1) | stream; }

static settle_event event(uint32_t stream, uint64_t number, uint64_t at_ns) {
    settle_event made = {
        .at_ns = at_ns,
        .width = (double)(1 + (number & 0xFFFFF)),
        .height = (double)(1 + (number >> 20)),
        .scene = handle(stream),
        .kind = SETTLE_GEOMETRY,
        .flags = SETTLE_SIZE_KNOWN,
    };
    return made;
}

void peers_fill(settle_event *events, size_t count, const peers_case *what, uint64_t first, uint64_t at_ns) {
    for (size_t i = 0; i < count; i++) {
        uint64_t seed = i, stream = (what->shuffled ? splitmix64_next(&seed) : i) % what->streams;
        events[i] = event((uint32_t)stream, first + i, at_ns + i * what->spacing_ns);
    }
}

void peers_fill_each(settle_event *events, uint32_t streams, uint64_t first, uint64_t at_ns) {
    for (uint32_t i = 0; i < streams; i++) events[i] = event(i, first + i, at_ns);
}

void peers_expect(settled_size *expected, const settle_event *events, size_t count) {
    for (size_t i = 0; i < count; i++) {
        settled_size *size = &expected[peers_stream(&events[i])];
        size->width = events[i].width;
        size->height = events[i].height;
    }
}

/* FNV-1a over (stream, width, height), a number at a time; the Swift and node
 * peers compute the same. */
uint64_t peers_hash(const settled_size *sizes, uint32_t streams) {
    uint64_t hash = 0xCBF29CE484222325u;
    for (uint32_t i = 0; i < streams; i++) {
        hash = (hash ^ i) * 0x100000001B3u;
        hash = (hash ^ (uint64_t)sizes[i].width) * 0x100000001B3u;
        hash = (hash ^ (uint64_t)sizes[i].height) * 0x100000001B3u;
    }
    return hash;
}
