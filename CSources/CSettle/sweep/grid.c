/* The grids of policies: every combination of the values below. */
#include "sweep_internal.h"

#define MS(milliseconds) ((uint64_t)(milliseconds)*1000000)
#define COUNT(values) (sizeof(values) / sizeof *(values))

typedef struct values {
    const uint64_t *all;
    size_t count;
} values;

#define ALL(array)                                                                                                     \
    { array, COUNT(array) }

static const uint64_t reported_end[] = {MS(0), MS(16), MS(50), MS(100)};
static const uint64_t released_end[] = {MS(0), MS(8), MS(16), MS(33), MS(66)};
static const uint64_t discrete[] = {MS(0), MS(16), MS(33), MS(50), MS(100), MS(200)};
static const uint64_t jump[] = {MS(50), SETTLE_NEVER};
static const uint64_t quiet[] = {MS(0),   MS(25),  MS(50),  MS(75),  MS(100), MS(150), MS(200),
                                 MS(250), MS(300), MS(400), MS(500), MS(700), MS(1000)};

/* Fewer of these beside live policies, which wait for an end only with their last size. */
static const uint64_t live_reported_end[] = {MS(0), MS(50)};
static const uint64_t live_released_end[] = {MS(0), MS(16)};
static const uint64_t live_discrete[] = {MS(0), MS(50), MS(200)};
static const uint64_t live_quiet[] = {MS(0), MS(50), MS(100), MS(200), MS(300), MS(500), MS(1000)};
/* In percent; the first is off, where no limit matters. */
static const uint64_t share[] = {SETTLE_NEVER, 10, 15, 20, 25, 30, 40, 50, 75, 100};
static const uint64_t limit[] = {MS(16), SETTLE_NEVER};
#define LIVES (1 + (COUNT(share) - 1) * COUNT(limit))

typedef struct grid {
    values reported_end, released_end, discrete, jump, quiet;
} grid;

static const grid at_ends = {ALL(reported_end), ALL(released_end), ALL(discrete), ALL(jump), ALL(quiet)};
static const grid beside_live = {ALL(live_reported_end), ALL(live_released_end), ALL(live_discrete), ALL(jump),
                                 ALL(live_quiet)};

static uint32_t count_of(const grid *tried) {
    return (uint32_t)(tried->reported_end.count * tried->released_end.count * tried->discrete.count *
                      tried->jump.count * tried->quiet.count);
}

uint32_t settle_grid_count(void) { return count_of(&at_ends); }

uint32_t settle_live_grid_count(void) { return count_of(&beside_live) * (uint32_t)LIVES; }

/* The next digit of a number with mixed radices. */
static size_t digit(uint32_t *index, size_t radix) {
    size_t digit = *index % radix;
    *index /= (uint32_t)radix;
    return digit;
}

static uint64_t distance(uint64_t a, uint64_t b) { return a > b ? a - b : b - a; }

/* Replaces a value, which is the base's, by that of a digit, unless it stands in its place: the
 * place of the nearest choice, the first of several. A choice that is the base's is the nearest. */
static void choose(values choices, size_t chosen, uint64_t *value) {
    size_t nearest = 0;
    uint64_t least = SETTLE_NEVER;
    for (size_t i = 0; i < choices.count; i++) {
        const uint64_t apart = distance(choices.all[i], *value);
        if (apart >= least) continue;
        least = apart;
        nearest = i;
    }
    if (chosen != nearest) *value = choices.all[chosen];
}

/* Replaces the durations of a policy by those of a grid, and takes their digits off the index. */
static void vary(const grid *tried, uint32_t *index, settle_policy *policy) {
    choose(tried->reported_end, digit(index, tried->reported_end.count), &policy->reported_end_delay_ns);
    choose(tried->released_end, digit(index, tried->released_end.count), &policy->released_end_delay_ns);
    choose(tried->discrete, digit(index, tried->discrete.count), &policy->discrete_delay_ns);
    choose(tried->jump, digit(index, tried->jump.count), &policy->jump_delay_ns);
    choose(tried->quiet, digit(index, tried->quiet.count), &policy->quiet_delay_ns);
}

bool settle_grid_policy(const settle_policy *base, uint32_t index, settle_policy *policy) {
    settle_policy made;
    if (index >= settle_grid_count() || !settle_read_policy(base, &made)) return false;
    vary(&at_ends, &index, &made);
    memcpy(policy, &made, (size_t)base->size);
    return true;
}

bool settle_live_grid_policy(const settle_policy *base, uint32_t index, settle_policy *policy) {
    settle_policy made;
    if (index >= settle_live_grid_count() || !settle_read_policy(base, &made)) return false;
    const size_t live = digit(&index, LIVES), on = live > 0 ? live - 1 : 0;
    choose((values)ALL(share), live > 0 ? 1 + on % (COUNT(share) - 1) : 0, &made.live_share_percent);
    if (made.live_share_percent != SETTLE_NEVER) {
        choose((values)ALL(limit), on / (COUNT(share) - 1), &made.live_limit_ns);
    }
    vary(&beside_live, &index, &made);
    memcpy(policy, &made, (size_t)base->size);
    return true;
}
