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
static const uint64_t quiet[] = {MS(0), MS(50), MS(100), MS(150), MS(200), MS(300), MS(500), MS(1000)};
/* The first is off, where calm does not matter. */
static const uint64_t jump[] = {SETTLE_NEVER, MS(50)};
static const uint64_t calm[] = {MS(250), MS(500), MS(1000)};

/* Fewer of these beside policies that build before an end. */
static const uint64_t live_reported_end[] = {MS(0), MS(50)};
static const uint64_t live_released_end[] = {MS(0), MS(16)};
static const uint64_t live_discrete[] = {MS(0), MS(50), MS(200)};
static const uint64_t live_quiet[] = {MS(0), MS(50), MS(100), MS(200), MS(300), MS(500), MS(1000)};
static const uint64_t one_calm[] = {MS(500)};
/* In percent; the first is off. */
static const uint64_t live_share[] = {SETTLE_NEVER, 10, 20, 30, 50, 75, 100};
/* Without a limit no pause matters. */
static const uint64_t live_limit[] = {MS(16), SETTLE_NEVER};
static const uint64_t live_pause[] = {SETTLE_NEVER, MS(50)};
enum { LIMITS = COUNT(live_limit) + COUNT(live_pause) - 1, LIVES = (COUNT(live_share) - 1) * LIMITS };
static const uint64_t pause[] = {SETTLE_NEVER, MS(50), MS(100), MS(200)};
static const uint64_t pause_share[] = {SETTLE_NEVER, 25, 50, 100};
enum { PAUSES = (COUNT(pause) - 1) * (COUNT(pause_share) - 1) };
/* What is built before an end: nothing, live rebuilds, or what is previewed. */
enum { MODES = 1 + LIVES + PAUSES };

typedef struct grid {
    values reported_end, released_end, discrete, quiet, calm;
} grid;

static const grid at_ends = {ALL(reported_end), ALL(released_end), ALL(discrete), ALL(quiet), ALL(calm)};
static const grid before_ends = {ALL(live_reported_end), ALL(live_released_end), ALL(live_discrete), ALL(live_quiet),
                                 ALL(one_calm)};

/* Jumps with each calm, and none. */
static uint32_t jumps_of(const grid *tried) { return 1 + (uint32_t)tried->calm.count; }

static uint32_t count_of(const grid *tried) {
    return (uint32_t)(tried->reported_end.count * tried->released_end.count * tried->discrete.count *
                      tried->quiet.count) *
           jumps_of(tried);
}

uint32_t settle_grid_count(void) { return count_of(&at_ends); }

uint32_t settle_live_grid_count(void) { return count_of(&before_ends) * (uint32_t)MODES; }

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
    choose(tried->quiet, digit(index, tried->quiet.count), &policy->quiet_delay_ns);
    const size_t jumps = digit(index, jumps_of(tried));
    choose((values)ALL(jump), jumps > 0, &policy->jump_delay_ns);
    if (jumps > 0) choose(tried->calm, jumps - 1, &policy->calm_delay_ns);
}

/* What is built before an end. Beside live rebuilds, and beside nothing where previews cost nothing, these stay as in the
 * base, so that it is in its grid. */
static void set_mode(uint32_t mode, settle_policy *policy) {
    if (mode >= 1 && mode <= LIVES) {
        uint32_t live = mode - 1;
        const size_t limits = digit(&live, LIMITS);
        choose((values)ALL(live_share), 1 + live, &policy->live_share_percent);
        choose((values)ALL(live_limit), limits == COUNT(live_pause), &policy->live_limit_ns);
        if (limits < COUNT(live_pause)) choose((values)ALL(live_pause), limits, &policy->live_pause_ns);
        return;
    }
    policy->live_share_percent = SETTLE_NEVER;
    if (mode > LIVES) {
        uint32_t paused = mode - 1 - LIVES;
        const size_t share = digit(&paused, COUNT(pause_share) - 1);
        choose((values)ALL(pause), 1 + paused, &policy->pause_delay_ns);
        choose((values)ALL(pause_share), 1 + share, &policy->pause_share_percent);
    } else if (policy->pause_share_percent != SETTLE_NEVER) {
        policy->pause_delay_ns = policy->pause_share_percent = SETTLE_NEVER;
    }
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
    set_mode((uint32_t)digit(&index, MODES), &made);
    vary(&before_ends, &index, &made);
    memcpy(policy, &made, (size_t)base->size);
    return true;
}
