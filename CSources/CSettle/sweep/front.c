/* The policies that no other is better than. */
#include "../settle_faults.h"
#include "settle_sweep.h"

static const uint32_t none = UINT32_MAX;

/* Whether `a` is taken rather than `b`, of the same lag and before it. */
static bool is_better(const settle_front_point *a, const settle_front_point *b) {
    if (a->rebuilds != b->rebuilds) return a->rebuilds < b->rebuilds;
    if (a->wasted != b->wasted && !FAULT(FRONT_WASTED_IGNORED)) return a->wasted < b->wasted;
    if (a->median_lag_bucket != b->median_lag_bucket) return a->median_lag_bucket < b->median_lag_bucket;
    return a->changes < b->changes;
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
    double farthest = 0;
    for (size_t i = 0; i < count; i++) {
        const settle_front_point *point = &points[front[i]];
        double rebuilds = ((double)point->rebuilds - fewest) / (most - fewest);
        double lag = (lag_of(point->lag_bucket) - shortest) / (longest - shortest);
        /* The distance from the line through (0, 1) and (1, 0), times the square root of two. Counts
         * beyond 2^53 may give no number. */
        double distance = (1 - (rebuilds + lag)) * 1e9;
        if (!(distance > 0)) continue;
        distance = (double)(uint64_t)(distance + 0.5);
        if (FAULT(KNEE_LAST_TAKEN) ? distance < farthest : distance <= farthest) continue;
        farthest = distance;
        knee = front[i];
    }
    return knee;
}

size_t settle_front(const settle_front_point *points, uint32_t count, uint32_t *indices, uint32_t *knee) {
    uint32_t best[SETTLE_LAG_BUCKETS];
    for (uint32_t bucket = 0; bucket < SETTLE_LAG_BUCKETS; bucket++) best[bucket] = none;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t bucket = points[i].lag_bucket;
        if (bucket >= SETTLE_LAG_BUCKETS) continue;
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
    *knee = knee_of(points, indices, found);
    return found;
}
