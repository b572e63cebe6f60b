/* The grid of policies: every combination of the values below. */
#include "sweep_internal.h"

#define MS(milliseconds) ((uint64_t)(milliseconds)*1000000)
#define COUNT(values) (sizeof(values) / sizeof *(values))

static const uint64_t reported_end[] = {MS(0), MS(16), MS(50), MS(100)};
static const uint64_t released_end[] = {MS(0), MS(8), MS(16), MS(33), MS(66)};
static const uint64_t discrete[] = {MS(0), MS(16), MS(33), MS(50), MS(100), MS(200)};
static const uint64_t jump[] = {MS(50), SETTLE_NEVER};
/* quietDelay and quietMaximum. */
static const uint64_t quiet[][2] = {
    {MS(0), MS(0)},     {MS(50), MS(50)},    {MS(100), MS(100)},  {MS(150), MS(150)}, {MS(200), MS(200)},
    {MS(300), MS(300)}, {MS(500), MS(500)},  {MS(50), MS(200)},   {MS(100), MS(250)}, {MS(100), MS(500)},
    {MS(200), MS(500)}, {MS(200), MS(1000)}, {MS(300), MS(1000)},
};

uint32_t settle_grid_count(void) {
    return COUNT(reported_end) * COUNT(released_end) * COUNT(discrete) * COUNT(jump) * COUNT(quiet);
}

/* The next digit of a number with mixed radices. */
static size_t digit(uint32_t *index, size_t radix) {
    size_t digit = *index % radix;
    *index /= (uint32_t)radix;
    return digit;
}

static uint64_t distance(uint64_t a, uint64_t b) { return a > b ? a - b : b - a; }

/* A choice of one or two durations. */
typedef struct values {
    const uint64_t *all;
    size_t count, width;
} values;

/* Replaces durations, which are the base's, by those of a digit, unless they stand in its place: the
 * place of the nearest choice, the first of several. A choice that is the base's is the nearest. */
static void choose(values choices, size_t chosen, uint64_t *first, uint64_t *second) {
    size_t nearest = 0;
    uint64_t least = SETTLE_NEVER;
    for (size_t i = 0; i < choices.count; i++) {
        const uint64_t *choice = choices.all + i * choices.width;
        uint64_t apart = distance(choice[0], *first) + (second ? distance(choice[1], *second) : 0);
        if (apart >= least) continue;
        least = apart;
        nearest = i;
    }
    if (chosen == nearest) return;
    *first = choices.all[chosen * choices.width];
    if (second) *second = choices.all[chosen * choices.width + 1];
}

static void choose_one(const uint64_t *all, size_t count, uint32_t *index, uint64_t *duration_ns) {
    choose((values){all, count, 1}, digit(index, count), duration_ns, NULL);
}

bool settle_grid_policy(const settle_policy *base, uint32_t index, settle_policy *policy) {
    settle_policy made;
    if (index >= settle_grid_count() || !settle_read_policy(base, &made)) return false;
    choose_one(reported_end, COUNT(reported_end), &index, &made.reported_end_delay_ns);
    choose_one(released_end, COUNT(released_end), &index, &made.released_end_delay_ns);
    choose_one(discrete, COUNT(discrete), &index, &made.discrete_delay_ns);
    choose_one(jump, COUNT(jump), &index, &made.jump_delay_ns);
    choose((values){quiet[0], COUNT(quiet), 2}, digit(&index, COUNT(quiet)), &made.quiet_delay_ns,
           &made.quiet_maximum_ns);
    memcpy(policy, &made, base->size);
    return true;
}
