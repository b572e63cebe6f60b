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
#include <unistd.h>

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define TEST_SECONDS 600
#endif
#endif
#ifndef TEST_SECONDS
#define TEST_SECONDS 60
#endif

enum { SWEEPS_MAX = 100, SWEEP_PAUSE_US = 10000, END_MS = 5000 };

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

/* Ends every process whose environment has the mark, which children inherit, in whatever group or
 * session they are; again, as long as there are any: they may start others until they end. */
static void end_marked(const char *mark) {
    bool found = true;
    for (int sweep = 0; found && sweep < SWEEPS_MAX; sweep++) {
        DIR *processes = opendir("/proc");
        if (!processes) return;
        found = false;
        for (struct dirent *entry; (entry = readdir(processes));) {
            if (entry->d_name[0] < '1' || entry->d_name[0] > '9' || !is_marked(entry->d_name, mark)) continue;
            found = true;
            kill((pid_t)atol(entry->d_name), SIGKILL);
        }
        closedir(processes);
        if (found) usleep(SWEEP_PAUSE_US);
    }
}

static _Noreturn void guard_tests(pid_t tests, int news, int seconds, const char *mark) {
    /* Whoever ends the group of the tests leaves the guard. */
    setpgid(0, 0);
    char name[512] = "the tests without XCTest, or what precedes the first";
    struct pollfd waiting = {news, POLLIN, 0};
    for (;;) {
        int ready = poll(&waiting, 1, seconds > 0 ? seconds * 1000 : -1);
        if (ready < 0 && errno == EINTR) continue;
        if (ready == 0) {
            dprintf(STDERR_FILENO, "error: %s: no end within %d s\n", name, seconds);
            kill(tests, SIGKILL);
            poll(&waiting, 1, END_MS);
            break;
        }
        ssize_t count = recv(news, name, sizeof name - 1, 0);
        if (count <= 0) break;
        name[count] = 0;
    }
    end_marked(mark);
    _exit(0);
}

__attribute__((constructor)) static void start_guard(void) {
    int ends[2];
    static char mark[64];
    const char *wanted = getenv("SETTLE_TEST_SECONDS");
    pid_t tests = getpid();
    snprintf(mark, sizeof mark, "SETTLE_TESTS=%d", (int)tests);
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) return;
    /* Before there are threads. */
    pid_t child = fork();
    if (child == 0) {
        close(ends[1]);
        guard_tests(tests, ends[0], wanted ? atoi(wanted) : TEST_SECONDS, mark);
    }
    close(ends[0]);
    guard = ends[1];
    putenv(mark);
    test_guard_observe();
}

void test_guard_starts(const char *test) { send(guard, test, strlen(test), MSG_NOSIGNAL); }
