/* The histogram of lags: every lag has a bucket that contains it, buckets grow with the lag and are
 * at most 5 % wide, and a quantile is one of the lags' buckets, for any histogram. */
#include <stdbool.h>
#include <stdint.h>

#define assume(condition) __ESBMC_assume(condition)
#define prove(condition, text) __ESBMC_assert(condition, text)

unsigned int nondet_uint(void);
unsigned long nondet_ulong(void);

/* The prover does not know the compiler's. */
static int leading_zeros(uint64_t value) {
    int zeros = 0;
    for (int bits = 32; bits > 0; bits /= 2) {
        if (value >> (64 - bits)) continue;
        zeros += bits;
        value <<= bits;
    }
    return zeros;
}
#define __builtin_clzll leading_zeros

#include "lag.c"

#if defined(LAG_BUCKETS)
int main(void) {
    uint64_t lag_ns = nondet_ulong(), longer_ns = nondet_ulong();
    uint32_t bucket = settle_lag_bucket(lag_ns);
    prove(bucket < SETTLE_LAG_BUCKETS, "a lag's bucket exists");
    uint64_t first_ns = settle_lag_bucket_first_ns(bucket), last_ns = settle_lag_bucket_last_ns(bucket);
    prove(first_ns <= lag_ns && lag_ns <= last_ns, "a bucket contains its lags");
    prove(bucket == LAST || last_ns - first_ns <= first_ns / 20, "a bucket is at most 5 percent wide");
    prove(longer_ns < lag_ns || settle_lag_bucket(longer_ns) >= bucket, "a longer lag has no earlier bucket");
    uint32_t any = nondet_uint();
    first_ns = settle_lag_bucket_first_ns(any), last_ns = settle_lag_bucket_last_ns(any);
    prove(any >= SETTLE_LAG_BUCKETS || settle_lag_bucket(first_ns) == any, "a bucket begins with its first lag");
    prove(any >= SETTLE_LAG_BUCKETS || settle_lag_bucket(last_ns) == any, "a bucket ends with its last lag");
    return 0;
}
#elif defined(LAG_QUANTILE)
int main(void) {
    uint64_t lag[SETTLE_LAG_BUCKETS], total = 0, before = 0;
    for (uint32_t i = 0; i < SETTLE_LAG_BUCKETS; i++) {
        lag[i] = nondet_uint() & COUNT_MASK;
        total += lag[i];
    }
    uint32_t permille = nondet_uint();
    assume(permille <= 1000);
    uint64_t quantile_ns = settle_lag_quantile(lag, permille);
    if (total == 0) {
        prove(quantile_ns == 0, "no lags have the quantile 0");
        return 0;
    }
    uint32_t bucket = settle_lag_bucket(quantile_ns);
    prove(bucket < SETTLE_LAG_BUCKETS && quantile_ns == settle_lag_bucket_last_ns(bucket), "a quantile is a bucket's last lag");
    for (uint32_t i = 0; i < SETTLE_LAG_BUCKETS; i++) before += i < bucket ? lag[i] : 0;
    prove(lag[bucket] > 0, "the quantile's bucket has a lag");
    prove((before + lag[bucket]) * 1000 >= total * permille, "so many lags are not longer");
    prove(before == 0 || before * 1000 < total * permille, "fewer lags are in the buckets before");
    return 0;
}
#endif
