/* The policies that no other is better than, and the one to take. */
#include "sweep_internal.h"

#include <string.h>

static const uint32_t none = UINT32_MAX;

static unsigned count_of_bits(uint64_t bits) {
    unsigned count = 0;
    for (; bits; bits &= bits - 1) count++;
    return count;
}

/* Whether `a` is taken rather than `b`, of the same lag and before it. */
static bool is_better(const settle_front_point *a, const settle_front_point *b) {
    if (a->rebuilds != b->rebuilds) return a->rebuilds < b->rebuilds;
    if (a->wasted != b->wasted) return a->wasted < b->wasted;
    if (a->median_lag_bucket != b->median_lag_bucket) return a->median_lag_bucket < b->median_lag_bucket;
    return count_of_bits(a->changes) < count_of_bits(b->changes);
}

/* The longest lag of a bucket; of the last one the shortest. */
static double lag_of(uint32_t bucket) {
    bool is_last = bucket == SETTLE_LAG_BUCKETS - 1;
    return (double)(is_last ? settle_lag_bucket_first_ns(bucket) : settle_lag_bucket_last_ns(bucket));
}

/* The knee of a front of these points. */
static uint32_t knee_of(const settle_front_point *points, const uint32_t *front, size_t count) {
    uint32_t knee = SETTLE_FRONT_NO_KNEE;
    if (count < 3) return knee;
    const settle_front_point *first = &points[front[0]], *last = &points[front[count - 1]];
    double fewest = (double)first->rebuilds, most = (double)last->rebuilds;
    double longest = lag_of(first->lag_bucket);
    double shortest = lag_of(last->lag_bucket);
    uint64_t farthest = 0;
    for (size_t i = 0; i < count; i++) {
        const settle_front_point *point = &points[front[i]];
        double rebuilds = ((double)point->rebuilds - fewest) / (most - fewest);
        double lag = (lag_of(point->lag_bucket) - shortest) / (longest - shortest);
        /* The distance from the line through (0, 1) and (1, 0), times the square root of two. Counts
         * beyond 2^53 may give no number. Rounded as an integer: a sum fused with the product would be
         * rounded otherwise on processors that can. */
        double halves = (1 - (rebuilds + lag)) * 2e9;
        if (!(halves > 0)) continue;
        uint64_t distance = ((uint64_t)halves + 1) / 2;
        if (distance <= farthest) continue;
        farthest = distance;
        knee = front[i];
    }
    return knee;
}

/* The points that a front is made of. */
typedef struct limits {
    uint64_t rebuilds, wasted, unexercised;
    uint32_t lag_bucket;
    uint32_t median_lag_bucket; /* of points that have both counts in common with these limits */
} limits;

static bool is_within(const settle_front_point *point, const limits *most) {
    if (point->rebuilds == most->rebuilds && point->wasted == most->wasted &&
        point->median_lag_bucket > most->median_lag_bucket)
        return false;
    return point->rebuilds <= most->rebuilds && point->wasted <= most->wasted &&
           point->lag_bucket <= most->lag_bucket && !(point->changes & most->unexercised);
}

/* The front of the points within limits. */
static size_t front_of(const settle_front_point *points, uint32_t count, const limits *most, uint32_t *indices) {
    uint32_t best[SETTLE_LAG_BUCKETS];
    for (uint32_t bucket = 0; bucket < SETTLE_LAG_BUCKETS; bucket++) best[bucket] = none;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t bucket = points[i].lag_bucket;
        if (bucket >= SETTLE_LAG_BUCKETS || !is_within(&points[i], most)) continue;
        if (best[bucket] == none || is_better(&points[i], &points[best[bucket]])) best[bucket] = i;
    }
    /* From the shortest lag on: a longer one must be for fewer rebuilds. */
    size_t found = 0;
    for (uint32_t bucket = 0; bucket < SETTLE_LAG_BUCKETS; bucket++) {
        if (best[bucket] == none) continue;
        if (found > 0 && points[best[bucket]].rebuilds >= points[indices[found - 1]].rebuilds) continue;
        indices[found++] = best[bucket];
    }
    for (size_t i = 0; i < found / 2; i++) {
        uint32_t index = indices[i];
        indices[i] = indices[found - 1 - i];
        indices[found - 1 - i] = index;
    }
    return found;
}

size_t settle_front(const settle_front_point *points, uint32_t count, uint32_t *indices, uint32_t *knee) {
    const limits all = {UINT64_MAX, UINT64_MAX, 0, UINT32_MAX, UINT32_MAX};
    size_t found = front_of(points, count, &all, indices);
    *knee = knee_of(points, indices, found);
    return found;
}

uint32_t settle_advise(const settle_front_point *points, uint32_t count, uint32_t today, uint32_t unexercised,
                       uint32_t lag_bucket_max, uint64_t wasted_max) {
    uint32_t front[SETTLE_LAG_BUCKETS];
    limits most = {UINT64_MAX, wasted_max, unexercised, lag_bucket_max, UINT32_MAX};
    const bool is_free = lag_bucket_max == SETTLE_ANY_LAG && wasted_max == SETTLE_NEVER;
    if (is_free) {
        most.rebuilds = points[today].rebuilds;
        most.wasted = points[today].wasted;
        most.median_lag_bucket = points[today].median_lag_bucket;
    }
    size_t found = front_of(points, count, &most, front);
    if (found == 0) return SETTLE_NO_ADVICE;
    if (!is_free) return lag_bucket_max == SETTLE_ANY_LAG ? front[found - 1] : front[0];
    uint32_t knee = knee_of(points, front, found);
    if (knee != SETTLE_FRONT_NO_KNEE) return knee;
    size_t first = 0;
    while (first + 1 < found && points[front[first]].lag_bucket > points[today].lag_bucket) first++;
    return front[first];
}

uint64_t settle_builds_weight_ns(const settle_sweep_counts *counts) {
    const uint64_t parts[] = {counts->wrong_ns, counts->right_after_ns, counts->right_after_ns, counts->work_ns / 3};
    uint64_t sum = 0;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        sum = parts[i] > UINT64_MAX - sum ? UINT64_MAX : sum + parts[i];
    }
    return sum;
}

uint32_t settle_policy_changes(const settle_policy *policy, const settle_policy *today) {
    uint32_t changes = 0;
    const unsigned char *a = (const unsigned char *)policy, *b = (const unsigned char *)today;
    for (size_t at = sizeof(uint64_t), bit = 0; at < sizeof(settle_policy); at += sizeof(uint64_t), bit++) {
        if (memcmp(a + at, b + at, sizeof(uint64_t)) != 0) changes |= (uint32_t)1 << bit;
    }
    return changes;
}

uint32_t settle_unexercised(const settle_sweep_counts *counts) {
    const uint64_t *rebuilds = counts->rebuilds;
#define OF(reason) rebuilds[SETTLE_REBUILD_##reason - SETTLE_REBUILD_INTERACTION_ENDED]
    const struct {
        uint32_t changes;
        uint64_t rebuilds;
    } delays[] = {
        {CHANGE(first_delay_ns), OF(FIRST)},
        {CHANGE(reported_end_delay_ns), OF(INTERACTION_ENDED) - counts->released + OF(TIMEOUT)},
        {CHANGE(released_end_delay_ns), counts->released},
        {CHANGE(discrete_delay_ns), OF(DISCRETE)},
        {CHANGE(quiet_delay_ns) | CHANGE(jump_delay_ns) | CHANGE(calm_delay_ns), OF(QUIET)},
        {CHANGE(lock_delay_ns) | CHANGE(pause_delay_ns) | CHANGE(pause_share_percent), 0},
        {CHANGE(maximum_wait_ns), OF(MAXIMUM_WAIT)},
        {CHANGE(interaction_timeout_ns), OF(TIMEOUT)},
        {CHANGE(live_share_percent) | CHANGE(live_limit_ns) | CHANGE(live_interval_ns) | CHANGE(live_pause_ns),
         OF(LIVE)},
    };
#undef OF
    uint32_t unexercised = 0;
    for (size_t i = 0; i < sizeof delays / sizeof *delays; i++) {
        if (delays[i].rebuilds < SETTLE_EXERCISED_LEAST) unexercised |= delays[i].changes;
    }
    return unexercised;
}
