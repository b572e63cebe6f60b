#define _GNU_SOURCE
#include "ending_signals.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const int signals[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGPIPE, SIGXCPU};
enum { SIGNALS_COUNT = sizeof signals / sizeof signals[0] };

static char path_to_remove[PATH_MAX];
static int bell[2] = {-1, -1};
static volatile sig_atomic_t defers;
static volatile sig_atomic_t deferred;

static void block(sigset_t *before) {
    sigset_t all;
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, before);
}

/* Only functions that POSIX allows in a handler. */
static void handle(int number) {
    int code = errno;
    if (defers && !deferred && (number == SIGINT || number == SIGTERM)) {
        deferred = number;
        if (write(bell[1], "", 1) < 0) { /* A pipe that is full is readable as well. */ }
        errno = code;
        return;
    }
    if (path_to_remove[0]) unlink(path_to_remove);
    /* Delivered again once this handler has returned. */
    signal(number, SIG_DFL);
    raise(number);
    errno = code;
}

void ending_signals_catch(void) {
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = handle;
    sigfillset(&action.sa_mask);
    for (int i = 0; i < SIGNALS_COUNT; i++) {
        struct sigaction before;
        if (sigaction(signals[i], NULL, &before) == 0 && before.sa_handler == SIG_DFL) {
            sigaction(signals[i], &action, NULL);
        }
    }
}

void ending_signals_remove(const char *path) {
    size_t length = strlen(path);
    if (length >= sizeof path_to_remove) return;
    sigset_t before;
    block(&before);
    memcpy(path_to_remove, path, length + 1);
    sigprocmask(SIG_SETMASK, &before, NULL);
}

int ending_signals_defer(void) {
    if (bell[0] < 0 && pipe2(bell, O_CLOEXEC | O_NONBLOCK) != 0) return -1;
    defers = 1;
    return bell[0];
}

int ending_signals_deferred(void) { return deferred; }

void ending_signals_end(int number) {
    if (path_to_remove[0]) unlink(path_to_remove);
    sigset_t only;
    sigemptyset(&only);
    sigaddset(&only, number);
    signal(number, SIG_DFL);
    raise(number);
    sigprocmask(SIG_UNBLOCK, &only, NULL);
    _exit(128 + number);
}
