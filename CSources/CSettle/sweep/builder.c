/* A scene's builder, played: a decision starts a build, whose end is reported to the core. One build at a time
 * for each scene; of the sizes that are decided meanwhile the last one is built next. */
#include "builder.h"

/* Half seconds are found in steps of SLOT_NS. */
enum { SLOT_NS = 5000000, HALF_NS = SLOT_NS * BUSY_SLOTS };

/* Relative differences have 20 bits behind the point; 4 is the most. A size that stands for longer than
 * 2^41 ns (36 minutes) counts as that. So products have 63 bits. */
enum { PART_BITS = 20 };
#define DIFFERENCE_MAX 4.0
#define STANDS_MAX_NS ((uint64_t)1 << 41)

uint64_t settle_build_cost_ns(const settle_build_cost *cost, double width, double height) {
    /* Volatile: fused with the sum, the product would be rounded otherwise on processors that can. */
    volatile double pixels_ns = cost->ns_per_pixel * width * height;
    double ns = cost->ns + pixels_ns;
    if (!(ns > 0)) return 0;
    return ns < (double)SETTLE_BUILD_COST_MAX_NS ? (uint64_t)ns : SETTLE_BUILD_COST_MAX_NS;
}

static uint64_t difference(const settle_event *now, double width, double height) {
    double wider = now->width > width ? now->width - width : width - now->width;
    double higher = now->height > height ? now->height - height : height - now->height;
    double part = (wider + higher) / (now->width + now->height);
    return (uint64_t)((part < DIFFERENCE_MAX ? part : DIFFERENCE_MAX) * (1 << PART_BITS));
}

void settle_builder_start(settle_builder *builder, const settle_sweep_log *log, uint32_t number) {
    const settle_sweep_scene *scene = &log->scenes[number];
    memset(builder, 0, sizeof *builder);
    builder->ends_ns = SETTLE_NEVER;
    builder->end_ns = scene->ends_ns;
    /* What a log leaves connected is wrong until its last build ends. */
    builder->until_ns = scene->disconnects ? scene->ends_ns : SETTLE_NEVER;
    builder->events = log->events;
    builder->change = log->changes + scene->first;
    builder->changes_end = builder->change + scene->changes;
}

/* Counts how wrong the shown size was until a time. */
static void count_wrong(settle_builder *builder, uint64_t to_ns) {
    if (to_ns <= builder->counted_ns || builder->change == builder->changes_end) return;
    uint64_t from_ns = builder->counted_ns;
    builder->counted_ns = to_ns;
    for (;; builder->change++) {
        const uint32_t *next = builder->change + 1;
        bool is_last = next == builder->changes_end || builder->events[*next].at_ns > to_ns;
        uint64_t end_ns = is_last ? to_ns : builder->events[*next].at_ns;
        if (end_ns > from_ns && builder->shown_width > 0) {
            uint64_t stands_ns = end_ns - from_ns < STANDS_MAX_NS ? end_ns - from_ns : STANDS_MAX_NS;
            uint64_t part = difference(&builder->events[*builder->change], builder->shown_width, builder->shown_height);
            builder->wrong_ns += stands_ns * part >> PART_BITS;
        }
        if (end_ns > from_ns) from_ns = end_ns;
        if (is_last) return;
    }
}

/* Moves the half second's end to a slot. */
static void move_to(settle_builder *builder, uint64_t slot) {
    if (slot <= builder->slot) return;
    uint64_t steps = slot - builder->slot < BUSY_SLOTS ? slot - builder->slot : BUSY_SLOTS;
    for (uint64_t i = 1; i <= steps; i++) {
        uint32_t *busy_ns = &builder->busy_ns[(builder->slot + i) % BUSY_SLOTS];
        builder->half_ns -= *busy_ns;
        *busy_ns = 0;
    }
    builder->slot = slot;
}

/* Adds a build to the half seconds that it is in. */
static void count_busy(settle_builder *builder, uint64_t from_ns, uint64_t to_ns) {
    /* Longer ones fill every slot. */
    const uint64_t most_ns = (uint64_t)SLOT_NS * (BUSY_SLOTS + 1);
    if (to_ns - from_ns > most_ns) from_ns = to_ns - most_ns;
    for (uint64_t at_ns = from_ns; at_ns < to_ns;) {
        uint64_t slot = at_ns / SLOT_NS, end_ns = (slot + 1) * SLOT_NS;
        if (end_ns > to_ns) end_ns = to_ns;
        move_to(builder, slot);
        builder->busy_ns[slot % BUSY_SLOTS] += (uint32_t)(end_ns - at_ns);
        builder->half_ns += (uint32_t)(end_ns - at_ns);
        if (builder->half_ns > builder->busiest_ns) builder->busiest_ns = builder->half_ns;
        at_ns = end_ns;
    }
}

static void begin(settle_builder *builder, const settle_build_cost *cost, uint64_t now_ns) {
    builder->cost_ns = settle_build_cost_ns(cost, builder->width, builder->height);
    builder->generation = builder->waiting;
    builder->waiting = 0;
    builder->ends_ns = now_ns + builder->cost_ns;
    if (builder->ends_ns > INT64_MAX) builder->ends_ns = INT64_MAX;
    builder->built_width = builder->width;
    builder->built_height = builder->height;
    builder->builds++;
    builder->work_ns += builder->cost_ns;
    count_busy(builder, now_ns, builder->ends_ns);
}

void settle_builder_decided(settle_builder *builder, const settle_build_cost *cost, uint64_t now_ns, double width,
                            double height, uint32_t generation) {
    builder->width = width;
    builder->height = height;
    builder->waiting = generation;
    if (builder->ends_ns == SETTLE_NEVER) begin(builder, cost, now_ns);
}

void settle_builder_ended(settle_builder *builder, const settle_build_cost *cost) {
    uint64_t now_ns = builder->ends_ns;
    count_wrong(builder, now_ns < builder->until_ns ? now_ns : builder->until_ns);
    builder->shown_width = builder->built_width;
    builder->shown_height = builder->built_height;
    builder->ends_ns = SETTLE_NEVER;
    if (builder->waiting) begin(builder, cost, now_ns);
}

void settle_builder_finish(settle_builder *builder, settle_sweep_counts *counts) {
    count_wrong(builder, builder->end_ns);
    counts->builds += builder->builds;
    counts->work_ns += builder->work_ns;
    counts->wrong_ns += builder->wrong_ns;
    /* In percent, rounded up. */
    counts->busiest[((uint64_t)builder->busiest_ns * 100 + HALF_NS - 1) / HALF_NS]++;
}
