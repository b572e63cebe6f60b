/* A process that guards the process that runs tests: it ends one that hangs, and, however the
 * tests end, what they started and left. */
#ifndef TEST_GUARD_H
#define TEST_GUARD_H

/* Notifies the guard that a test starts, which has TEST_SECONDS to end: ten minutes under a
 * sanitizer, or what the environment variable SETTLE_TEST_SECONDS says (0: any time). */
void test_guard_starts(const char *test);

/* Called before main, to have each test reported. TestSupport defines it. */
void test_guard_observe(void);

#endif
