#define _GNU_SOURCE
#include "test_guard.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define TEST_SECONDS 600
#define TEST_WALL_SECONDS 3600
#endif
#endif
#ifndef TEST_SECONDS
#define TEST_SECONDS 60
#define TEST_WALL_SECONDS 900
#endif

enum { SWEEPS_MAX = 100, SWEEP_PAUSE_US = 10000, END_MS = 5000, LOOK_MS = 500 };

/* Closed when this process ends, which the guard notices. */
static int guard = -1;

static bool is_marked(const char *process, const char *mark) {
    static char path[64], variables[1 << 20];
    snprintf(path, sizeof path, "/proc/%s/environ", process);
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) return false;
    size_t used = 0;
    for (ssize_t count; used < sizeof variables; used += (size_t)count) {
        if ((count = read(file, variables + used, sizeof variables - used)) <= 0) break;
    }
    close(file);
    return memmem(variables, used, mark, strlen(mark) + 1) != NULL;
}

/* Calls a function with every process whose environment has the mark, which children inherit, in whatever
 * group or session they are. Returns how many there are. */
static int each_marked(const char *mark, void (*visit)(const char *process, void *context), void *context) {
    int found = 0;
    DIR *processes = opendir("/proc");
    if (!processes) return 0;
    for (struct dirent *entry; (entry = readdir(processes));) {
        if (entry->d_name[0] < '1' || entry->d_name[0] > '9' || !is_marked(entry->d_name, mark)) continue;
        found++;
        visit(entry->d_name, context);
    }
    closedir(processes);
    return found;
}

static void end(const char *process, void *context) {
    (void)context;
    kill((pid_t)atol(process), SIGKILL);
}

/* Ends the marked processes; again, as long as there are any: they may start others until they end. */
static void end_marked(const char *mark) {
    for (int sweep = 0; sweep < SWEEPS_MAX && each_marked(mark, end, NULL) > 0; sweep++) usleep(SWEEP_PAUSE_US);
}

/* Adds the processor time of a process, in ticks, and of its children that have ended. */
static void add_ticks(const char *process, void *sum) {
    char path[64], text[1024];
    snprintf(path, sizeof path, "/proc/%s/stat", process);
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) return;
    ssize_t count = read(file, text, sizeof text - 1);
    close(file);
    if (count <= 0) return;
    text[count] = 0;
    /* A program's name may have spaces and parentheses. */
    const char *rest = strrchr(text, ')');
    unsigned long user, system, childrens_user, childrens_system;
    if (rest && sscanf(rest + 1, " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu %lu %lu", &user, &system,
                       &childrens_user, &childrens_system) == 4) {
        *(unsigned long *)sum += user + system + childrens_user + childrens_system;
    }
}

/* The processor time that the tests, and what they started, have used so far. */
static double processor_seconds(pid_t tests, const char *mark) {
    unsigned long ticks = 0;
    char process[24];
    snprintf(process, sizeof process, "%d", (int)tests);
    /* Its mark came after its start, so it is none of the marked. */
    add_ticks(process, &ticks);
    each_marked(mark, add_ticks, &ticks);
    return (double)ticks / (double)sysconf(_SC_CLK_TCK);
}

static double now_seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* How long one test may take. */
struct limits {
    /* Of processor time, which a loaded machine leaves as it is; 0 for any. */
    int seconds;
    /* Of a clock's, for a test that waits for ever; 0 for any. */
    int wall_seconds;
};

/* What a test has used. */
struct usage {
    double started;
    /* Looked at the first time that a test is still running, as many are over by then; below 0 before. */
    double processor_started;
};

/* Whether the running test is over a limit, which is then said. */
static bool is_over(const struct limits *limits, struct usage *usage, pid_t tests, const char *mark, const char *name) {
    if (limits->seconds > 0) {
        double used = processor_seconds(tests, mark);
        if (usage->processor_started < 0) usage->processor_started = used;
        if (used - usage->processor_started >= limits->seconds) {
            dprintf(STDERR_FILENO, "error: %s: no end within %d s of processor time\n", name, limits->seconds);
            return true;
        }
    }
    if (limits->wall_seconds > 0 && now_seconds() - usage->started >= limits->wall_seconds) {
        dprintf(STDERR_FILENO, "error: %s: no end within %d s\n", name, limits->wall_seconds);
        return true;
    }
    return false;
}

static _Noreturn void guard_tests(pid_t tests, int news, struct limits limits, const char *mark) {
    /* Whoever ends the group of the tests leaves the guard. */
    setpgid(0, 0);
    char name[512] = "the tests without XCTest, or what precedes the first";
    struct pollfd waiting = {news, POLLIN, 0};
    struct usage usage = {now_seconds(), -1};
    for (;;) {
        int ready = poll(&waiting, 1, limits.seconds > 0 || limits.wall_seconds > 0 ? LOOK_MS : -1);
        if (ready < 0 && errno == EINTR) continue;
        if (ready == 0) {
            if (!is_over(&limits, &usage, tests, mark, name)) continue;
            kill(tests, SIGKILL);
            poll(&waiting, 1, END_MS);
            break;
        }
        ssize_t count = recv(news, name, sizeof name - 1, 0);
        if (count <= 0) break;
        name[count] = 0;
        usage = (struct usage){now_seconds(), -1};
    }
    end_marked(mark);
    _exit(0);
}

static void do_nothing(int number) { (void)number; }

/* What is ignored from the start (nohup, some CI) stays without effect on the tests, but not on what they start: a
 * handler is reset there, where a signal that is ignored stays so. Before other constructors look at it. */
__attribute__((constructor(101))) static void let_signals_through(void) {
    struct sigaction action, nothing = {.sa_handler = do_nothing, .sa_flags = SA_RESTART};
    for (int number = 1; number < NSIG; number++) {
        if (sigaction(number, NULL, &action) != 0 || action.sa_flags & SA_SIGINFO) continue;
        if (action.sa_handler == SIG_IGN) sigaction(number, &nothing, NULL);
    }
}

static int seconds_of(const char *variable, int standard) {
    const char *wanted = getenv(variable);
    return wanted ? atoi(wanted) : standard;
}

__attribute__((constructor)) static void start_guard(void) {
    int ends[2];
    static char mark[64];
    struct limits limits = {seconds_of("SETTLE_TEST_SECONDS", TEST_SECONDS),
                            seconds_of("SETTLE_TEST_WALL_SECONDS", TEST_WALL_SECONDS)};
    if (limits.seconds == 0) limits.wall_seconds = 0;
    pid_t tests = getpid();
    snprintf(mark, sizeof mark, "SETTLE_TESTS=%d", (int)tests);
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) return;
    /* Before there are threads. */
    pid_t child = fork();
    if (child == 0) {
        close(ends[1]);
        guard_tests(tests, ends[0], limits, mark);
    }
    close(ends[0]);
    guard = ends[1];
    putenv(mark);
    test_guard_observe();
}

void test_guard_starts(const char *test) { send(guard, test, strlen(test), MSG_NOSIGNAL); }
