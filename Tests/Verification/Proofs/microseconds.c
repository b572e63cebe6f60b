/* The common events of a flood divide nanoseconds by 1,000 with a multiplication and a shift. This
 * program compares the cadence that they count, for every gap below 2^32 ns, with rule 16's.
 *
 * Both grow with the gap, and change only where a whole microsecond begins, so the first and the
 * last gap of each microsecond stand for all of them. Eight cadences: an eighth of one shows
 * every error of one microsecond.
 *
 * Prints the number of gaps; 1 at the first fault. */
#include "submit.c"

#include <stdio.h>

/* Rule 16: (7 × cadence + g) / 8, rounded down. */
static bool is_exact(uint64_t gap_ns) {
    policy_row row = {.steady_limit_ns = UINT32_MAX, .steady_cadence_us = UINT64_MAX};
    for (uint64_t before_us = 0; before_us < 8; before_us++) {
        uint64_t cadence_us = before_us;
        if (!next_steady_cadence(&row, &cadence_us, gap_ns)) return false;
        if (cadence_us != (7 * before_us + gap_ns / 1000) / 8) return false;
    }
    return true;
}

int main(void) {
    long gaps = 0;
    for (uint64_t first_ns = 0; first_ns < UINT32_MAX; first_ns += 1000) {
        uint64_t last_ns = earlier(first_ns + 999, UINT32_MAX - 1);
        if (!is_exact(first_ns) || !is_exact(last_ns)) {
            printf("fault: another cadence after a gap of %llu ns\n", (unsigned long long)first_ns);
            return 1;
        }
        gaps += 2;
    }
    printf("%ld gaps in all\n", gaps);
    return 0;
}
