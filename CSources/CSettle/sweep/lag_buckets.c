/* The histogram of lags: 32 buckets for each power of two, so that a bucket's width is below 3.2 %
 * of its values. */
#include "settle_sweep.h"

enum { SUB_BITS = 5, SUB_BUCKETS = 1 << SUB_BITS, VALUE_BITS = 40, LAST = SETTLE_LAG_BUCKETS - 1 };

_Static_assert(LAST == (VALUE_BITS - SUB_BITS + 1) * SUB_BUCKETS, "the buckets cover 40 bits, and one is for the rest");

uint32_t settle_lag_bucket(uint64_t lag_ns) {
    if (lag_ns < SUB_BUCKETS) return (uint32_t)lag_ns;
    if (lag_ns >> VALUE_BITS) return LAST;
    unsigned shift = 63u - (unsigned)__builtin_clzll(lag_ns) - SUB_BITS;
    return shift * SUB_BUCKETS + (uint32_t)(lag_ns >> shift);
}

uint64_t settle_lag_bucket_first_ns(uint32_t bucket) {
    if (bucket >= LAST) return (uint64_t)1 << VALUE_BITS;
    if (bucket < SUB_BUCKETS) return bucket;
    unsigned shift = bucket / SUB_BUCKETS - 1;
    return (uint64_t)(bucket - shift * SUB_BUCKETS) << shift;
}

uint64_t settle_lag_bucket_last_ns(uint32_t bucket) {
    return bucket >= LAST ? SETTLE_NEVER : settle_lag_bucket_first_ns(bucket + 1) - 1;
}

uint64_t settle_lag_quantile(const uint64_t *lag, uint32_t permille) {
    uint64_t total = 0, seen = 0;
    for (uint32_t bucket = 0; bucket < SETTLE_LAG_BUCKETS; bucket++) total += lag[bucket];
    if (total == 0) return 0;
    if (permille > 1000) permille = 1000;
    uint64_t part = total % 1000 * permille + 999;
    uint64_t rank = total / 1000 * permille + part / 1000;
    if (rank == 0) rank = 1;
    uint32_t bucket = 0;
    while (bucket < LAST && (seen += lag[bucket]) < rank) bucket++;
    return settle_lag_bucket_last_ns(bucket);
}
