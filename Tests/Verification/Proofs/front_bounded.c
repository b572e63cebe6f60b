/* The Pareto front and its knee in every short case, against their definitions in settle_sweep.h:
 *
 *   front ties N   every N points of three numbers of rebuilds, lags to the last bucket and beyond, and
 *                  two values of each figure that decides between equal points
 *   front knees N  every N points of four numbers of rebuilds and four lags
 *
 * Prints how many cases there were; 1 at the first fault. */
#include "settle_sweep.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { POINTS_MAX = 5 };

static long cases;

static void require(bool fine, const char *what) {
    if (fine) return;
    printf("fault: %s, in case %ld\n", what, cases);
    exit(1);
}

static bool in_range(const settle_front_point *point) { return point->lag_bucket < SETTLE_LAG_BUCKETS; }

/* What decides between points of the same rebuilds and lag; the smaller one is taken. */
static uint64_t rank(const settle_front_point *points, uint32_t i) {
    const settle_front_point *point = &points[i];
    return ((point->wasted * 8 + point->median_lag_bucket) * 8 + point->changes) * 8 + i;
}

static bool is_on_front(const settle_front_point *points, uint32_t count, uint32_t own) {
    const settle_front_point *a = &points[own];
    if (!in_range(a)) return false;
    for (uint32_t other = 0; other < count; other++) {
        const settle_front_point *b = &points[other];
        if (!in_range(b) || b->rebuilds > a->rebuilds || b->lag_bucket > a->lag_bucket) continue;
        bool is_same = b->rebuilds == a->rebuilds && b->lag_bucket == a->lag_bucket;
        if (!is_same || rank(points, other) < rank(points, own)) return false;
    }
    return true;
}

/* Buckets of these lags hold one lag each. */
static int64_t steps_below(const settle_front_point *point, int64_t fewest, int64_t most, int64_t longest, int64_t shortest) {
    int64_t width = most - fewest, height = longest - shortest;
    int64_t below = width * height - ((int64_t)point->rebuilds - fewest) * height -
                    ((int64_t)point->lag_bucket - shortest) * width;
    return below <= 0 ? 0 : (below * 2000000000 + width * height) / (2 * width * height);
}

static void judge(const settle_front_point *points, uint32_t count, bool with_knee) {
    uint32_t indices[POINTS_MAX], knee = 77;
    size_t found = settle_front(points, count, indices, &knee);
    cases++;
    uint32_t expected = 0;
    for (uint32_t i = 0; i < count; i++) expected += is_on_front(points, count, i);
    require(found == expected, "a front has as many points as the definition's");
    for (size_t i = 0; i < found; i++) {
        require(is_on_front(points, count, indices[i]), "no other point is better than one on the front");
        if (i == 0) continue;
        require(points[indices[i]].rebuilds > points[indices[i - 1]].rebuilds, "rebuilds rise along the front");
        require(points[indices[i]].lag_bucket < points[indices[i - 1]].lag_bucket, "lags fall along the front");
    }
    if (!with_knee) return;
    uint32_t best = SETTLE_FRONT_NO_KNEE;
    int64_t farthest = 0;
    for (size_t i = 0; found >= 3 && i < found; i++) {
        const settle_front_point *first = &points[indices[0]], *last = &points[indices[found - 1]];
        int64_t steps = steps_below(&points[indices[i]], (int64_t)first->rebuilds, (int64_t)last->rebuilds,
                                    first->lag_bucket, last->lag_bucket);
        if (steps <= farthest) continue;
        farthest = steps;
        best = indices[i];
    }
    require(knee == best, "the knee is the first of the farthest points");
}

static void all(settle_front_point *points, uint32_t at, uint32_t count, bool with_knee) {
    static const uint32_t lags[4] = {0, 1, SETTLE_LAG_BUCKETS - 1, SETTLE_LAG_BUCKETS};
    static const uint32_t single[4] = {0, 2, 7, 15};
    if (at == count) {
        judge(points, count, with_knee);
        return;
    }
    for (uint32_t value = 0; value < (with_knee ? 16 : 96); value++) {
        points[at] = with_knee ? (settle_front_point){.rebuilds = value / 4 * 2, .lag_bucket = single[value % 4]}
                               : (settle_front_point){value / 32, value & 1, lags[value / 2 % 4], value / 8 & 1, value / 16 & 1};
        all(points, at + 1, count, with_knee);
    }
}

int main(int argc, char **argv) {
    int count = argc > 2 ? atoi(argv[2]) : 0;
    if (count < 1 || count > POINTS_MAX) return 2;
    settle_front_point points[POINTS_MAX];
    for (int i = 0; i <= count; i++) all(points, 0, (uint32_t)i, strcmp(argv[1], "knees") == 0);
    printf("%ld cases in all\n", cases);
    return 0;
}
