/* The front of policies that were tried, and the one to take, by the kernel's own rule. */
#include "page_wasm.h"

/* As many as `settle tune` tries, and today's. */
enum { POINTS_MAX = 16384 };

static settle_front_point points[POINTS_MAX];
static struct found {
    uint32_t count, knee, advised; /* SETTLE_FRONT_NO_KNEE and SETTLE_NO_ADVICE are one number */
    uint32_t front[SETTLE_LAG_BUCKETS];
} found;

_Static_assert(offsetof(struct found, front) == 12, "what Core.front in engine.mjs reads");

static uint32_t bucket_of(double lag_ns) { return settle_lag_bucket(lag_ns < 0x1p63 ? (uint64_t)lag_ns : UINT64_MAX); }

/* There is no policy of so many yet: a bucket out of range leaves each out. False for more than there is room for. */
bool EXPORT(page_points)(uint32_t count) {
    for (uint32_t number = 0; number < count && count <= POINTS_MAX; number++) points[number].lag_bucket = UINT32_MAX;
    return count <= POINTS_MAX;
}

/* Writes a policy's figures. */
void EXPORT(page_point)(uint32_t number, double rebuilds, double wasted, double p50, double p95, uint32_t changes) {
    points[number] =
        (settle_front_point){(uint64_t)rebuilds, (uint64_t)wasted, bucket_of(p95), bucket_of(p50), changes};
}

/* The front of the first points, its knee, and the one to take: with a p95 lag of at most `bound`, below 0 for any. */
const struct found *EXPORT(page_front)(uint32_t count, uint32_t today, uint32_t unexercised, double bound) {
    found.count = (uint32_t)settle_front(points, count, found.front, &found.knee);
    found.advised =
        settle_advise(points, count, today, unexercised, bound < 0 ? SETTLE_ANY_LAG : bucket_of(bound), SETTLE_NEVER);
    return &found;
}
