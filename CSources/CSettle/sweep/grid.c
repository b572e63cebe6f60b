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
    if (!FAULT(GRID_DIGIT_REPEATED)) *index /= (uint32_t)radix;
    return digit;
}

bool settle_grid_policy(const settle_policy *base, uint32_t index, settle_policy *policy) {
    settle_policy made;
    if (index >= settle_grid_count() || !settle_read_policy(base, &made)) return false;
    made.reported_end_delay_ns = reported_end[digit(&index, COUNT(reported_end))];
    made.released_end_delay_ns = released_end[digit(&index, COUNT(released_end))];
    made.discrete_delay_ns = discrete[digit(&index, COUNT(discrete))];
    made.jump_delay_ns = jump[digit(&index, COUNT(jump))];
    const uint64_t *pair = quiet[digit(&index, COUNT(quiet))];
    made.quiet_delay_ns = pair[0];
    made.quiet_maximum_ns = pair[1];
    memcpy(policy, &made, base->size);
    return true;
}
