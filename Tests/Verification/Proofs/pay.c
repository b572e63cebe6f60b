/* Rules 17 and 18: how long work pays for itself. This program compares what live.c computes in 64 bits with the rule in
 * 128, for every percentage, and for costs, limits and numbers of times around each place where a quotient or a bound
 * changes. Prints the number of waits; 1 at the first fault. */
#include "live.c"

#include <stdio.h>

typedef unsigned __int128 wide;

static uint64_t expected_pay_ns(uint64_t cost_ns, wide times, uint64_t percent) {
    wide cost = cost_ns > HOUR_NS ? HOUR_NS : cost_ns;
    wide wait = (times * cost * 100 + percent - 1) / percent - cost;
    return wait > HOUR_NS ? HOUR_NS : (uint64_t)wait;
}

static uint64_t expected_times(uint64_t limit_ns, uint64_t cost_ns, uint32_t generation) {
    uint64_t cost = cost_ns > HOUR_NS ? HOUR_NS : cost_ns;
    if (limit_ns == SETTLE_NEVER || cost_ns <= limit_ns || generation == 1) return 1;
    if (limit_ns == 0) return UINT64_MAX;
    return cost / limit_ns + (cost % limit_ns != 0);
}

int main(void) {
    static const uint64_t around[] = {0,         1,           2,        3,           99,          101,
                                      1000000,   16000000,    32000001, 500000000,   59999999999, 3599999999998,
                                      HOUR_NS,   HOUR_NS + 2, INT64_MAX};
    const size_t count = sizeof around / sizeof *around;
    long waits = 0;
    for (uint64_t percent = 1; percent <= 100; percent++) {
        for (size_t c = 0; c < 3 * count; c++) {
            const uint64_t cost_ns = around[c / 3] + (c % 3 == 2 ? (uint64_t)-1 : c % 3);
            if (cost_ns > INT64_MAX) continue;
            for (size_t t = 0; t < 3 * count; t++) {
                const uint64_t limit_ns = t == 0 ? SETTLE_NEVER : around[t / 3] + (t % 3 == 2 ? (uint64_t)-1 : t % 3);
                for (uint32_t generation = 1; generation <= 2; generation++) {
                    const policy_row row = {.live_limit_ns = limit_ns};
                    const uint64_t times = times_of(&row, cost_ns, generation);
                    if (times != expected_times(limit_ns, cost_ns, generation)) {
                        printf("fault: another number of times for %llu ns\n", (unsigned long long)cost_ns);
                        return 1;
                    }
                    if (settle_pay_ns(cost_ns, times, percent) != expected_pay_ns(cost_ns, times, percent)) {
                        printf("fault: another wait for %llu ns at %llu %%\n", (unsigned long long)cost_ns,
                               (unsigned long long)percent);
                        return 1;
                    }
                    waits++;
                }
            }
        }
    }
    printf("%ld waits\n", waits);
    return 0;
}
