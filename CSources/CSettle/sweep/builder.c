/* A scene's builder, played. It does one piece of work at a time, whose end is reported to the core; of the sizes that
 * are decided meanwhile the last one is built next. A rebuild's work is shown when it ends. A preview's is kept until a
 * rebuild shows it, given up when the size changes, and cut off by a rebuild that it is not for. */
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

/* The relative difference of two sizes. */
static uint64_t difference(const settle_event *now, double width, double height) {
    double wider = now->width > width ? now->width - width : width - now->width;
    double higher = now->height > height ? now->height - height : height - now->height;
    double part = (wider + higher) / (now->width + now->height);
    return (uint64_t)((part < DIFFERENCE_MAX ? part : DIFFERENCE_MAX) * (1 << PART_BITS));
}

void settle_builder_start(settle_builder *builder, const settle_sweep_log *log, uint32_t number,
                          settle_sweep_counts *counts) {
    const settle_sweep_scene *scene = &log->scenes[number];
    memset(builder, 0, sizeof *builder);
    builder->ends_ns = SETTLE_NEVER;
    builder->end_ns = scene->ends_ns;
    /* What a log leaves connected is wrong until its last build ends. */
    builder->until_ns = scene->disconnects ? scene->ends_ns : SETTLE_NEVER;
    builder->events = log->events;
    builder->change = builder->upcoming = log->changes + scene->first;
    builder->changes_end = builder->change + scene->changes;
    builder->ended = log->ended + scene->first;
    builder->ended_end = builder->ended + scene->interactions;
    builder->counts = counts;
}

/* From when on the size that *change brought should be right: SETTLE_NEVER unless an interaction ended with it. */
static uint64_t ended_ns(const settle_builder *builder) {
    const uint32_t *next = builder->change + 1;
    if (builder->ended == builder->ended_end) return SETTLE_NEVER;
    if (next != builder->changes_end && *builder->ended >= *next) return SETTLE_NEVER;
    return builder->events[*builder->ended].at_ns;
}

/* Counts how long after an end the size of *change was not right. */
static void count_right_after(settle_builder *builder) {
    if (ended_ns(builder) == SETTLE_NEVER) return;
    builder->counts->right_after_ns += builder->late_ns;
    builder->counts->right_after[settle_lag_bucket(builder->late_ns)]++;
    builder->late_ns = 0;
    builder->ended++;
}

/* The shown size differed from *change's for a while. */
static void count_different(settle_builder *builder, uint64_t from_ns, uint64_t to_ns) {
    const settle_event *now = &builder->events[*builder->change];
    if (now->width == builder->shown_width && now->height == builder->shown_height) return;
    const uint64_t since_ns = ended_ns(builder);
    if (since_ns < to_ns) builder->late_ns += to_ns - (since_ns > from_ns ? since_ns : from_ns);
    if (builder->shown_width > 0) {
        uint64_t stands_ns = to_ns - from_ns < STANDS_MAX_NS ? to_ns - from_ns : STANDS_MAX_NS;
        uint64_t part = difference(now, builder->shown_width, builder->shown_height);
        builder->wrong_ns += stands_ns * part >> PART_BITS;
    }
}

/* Counts until a time how wrong the shown size was. */
static void count_wrong(settle_builder *builder, uint64_t to_ns) {
    if (to_ns <= builder->counted_ns || builder->change == builder->changes_end) return;
    uint64_t from_ns = builder->counted_ns;
    builder->counted_ns = to_ns;
    for (;; builder->change++) {
        const uint32_t *next = builder->change + 1;
        bool is_last = next == builder->changes_end || builder->events[*next].at_ns > to_ns;
        uint64_t end_ns = is_last ? to_ns : builder->events[*next].at_ns;
        if (end_ns > from_ns) {
            count_different(builder, from_ns, end_ns);
            from_ns = end_ns;
        }
        if (is_last) return;
        count_right_after(builder);
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

static void begin(settle_builder *builder, const settle_build_cost *cost, uint64_t now_ns, settle_work *work) {
    builder->runs = *work;
    work->generation = 0;
    builder->cost_ns = settle_build_cost_ns(cost, builder->runs.width, builder->runs.height);
    builder->builds++;
    if (cost->slow_every > 0 && builder->builds % cost->slow_every == 0) builder->cost_ns *= SETTLE_SLOW_TIMES;
    builder->begun_ns = now_ns;
    builder->ends_ns = now_ns + builder->cost_ns;
    if (builder->ends_ns > INT64_MAX) builder->ends_ns = INT64_MAX;
}

/* The work that runs has ended at a time, or is over for now. */
static void stop(settle_builder *builder, uint64_t now_ns, uint64_t cost_ns) {
    builder->work_ns += cost_ns;
    count_busy(builder, builder->begun_ns, now_ns);
    builder->ends_ns = SETTLE_NEVER;
    builder->runs = (settle_work){0, 0, 0, 0};
}

/* Stops the work that runs for a preview; returns what it has cost. */
static uint64_t cut_off(settle_builder *builder, uint64_t now_ns) {
    const uint64_t cost_ns = now_ns - builder->begun_ns;
    stop(builder, now_ns, cost_ns);
    builder->given_up++;
    return cost_ns;
}

void settle_builder_rebuild(settle_builder *builder, const settle_build_cost *cost, uint64_t now_ns, double width,
                            double height, uint32_t generation, bool is_prepared) {
    const settle_work kept = builder->kept;
    builder->kept.generation = builder->announced.generation = 0;
    builder->waits = (settle_work){width, height, generation, 0};
    if (builder->runs.is_preparation && is_prepared) {
        builder->runs = builder->waits;
        builder->waits.generation = 0;
        return;
    }
    if (builder->runs.is_preparation) cut_off(builder, now_ns);
    if (builder->ends_ns != SETTLE_NEVER) return;
    if (!is_prepared || kept.generation == 0) {
        begin(builder, cost, now_ns, &builder->waits);
        return;
    }
    /* All is done: it is shown, and reported, in the same nanosecond. */
    builder->runs = builder->waits;
    builder->waits.generation = 0;
    builder->cost_ns = builder->kept_cost_ns;
    builder->begun_ns = builder->ends_ns = now_ns;
    builder->work_ns -= builder->cost_ns;
}

void settle_builder_preview(settle_builder *builder, const settle_build_cost *cost, uint64_t now_ns, double width,
                            double height, uint32_t generation) {
    builder->kept.generation = 0;
    builder->announced = (settle_work){width, height, generation, 1};
    if (builder->ends_ns == SETTLE_NEVER) begin(builder, cost, now_ns, &builder->announced);
}

uint32_t settle_builder_give_up(settle_builder *builder, uint64_t now_ns, uint64_t *cost_ns) {
    uint32_t generation = builder->announced.generation;
    builder->announced.generation = 0;
    *cost_ns = 0;
    if (generation > 0) return generation;
    generation = builder->runs.generation;
    *cost_ns = cut_off(builder, now_ns);
    return generation;
}

void settle_builder_ended(settle_builder *builder, const settle_build_cost *cost) {
    const uint64_t now_ns = builder->ends_ns;
    if (builder->runs.is_preparation) {
        builder->kept = builder->runs;
        builder->kept_cost_ns = builder->cost_ns;
    } else {
        count_wrong(builder, now_ns < builder->until_ns ? now_ns : builder->until_ns);
        builder->shown_width = builder->runs.width;
        builder->shown_height = builder->runs.height;
    }
    stop(builder, now_ns, builder->cost_ns);
    if (builder->waits.generation > 0) begin(builder, cost, now_ns, &builder->waits);
    else if (builder->announced.generation > 0) begin(builder, cost, now_ns, &builder->announced);
}

void settle_builder_finish(settle_builder *builder) {
    settle_sweep_counts *counts = builder->counts;
    count_wrong(builder, builder->end_ns);
    if (builder->change != builder->changes_end) count_right_after(builder);
    counts->builds += builder->builds;
    counts->given_up += builder->given_up;
    counts->work_ns += builder->work_ns;
    counts->wrong_ns += builder->wrong_ns;
    /* In percent, rounded up. */
    counts->busiest[((uint64_t)builder->busiest_ns * 100 + HALF_NS - 1) / HALF_NS]++;
}
