/* A process that guards the process that runs tests: it ends one that hangs, and, however the
 * tests end, what they started and left. Programs that tests start ignore no signal that this process
 * was started to ignore. */
#ifndef TEST_GUARD_H
#define TEST_GUARD_H

/* Notifies the guard that a test starts. With what it starts it has TEST_SECONDS of processor time, which a
 * loaded machine does not change, and TEST_WALL_SECONDS on the clock, or what the environment variables
 * SETTLE_TEST_SECONDS (0: no limit at all) and SETTLE_TEST_WALL_SECONDS say. */
void test_guard_starts(const char *test);

/* Called before main, to have each test reported. TestSupport defines it. */
void test_guard_observe(void);

#endif
