#define _GNU_SOURCE
#include "ending_signals.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

/* Room for the actions of all signals that Linux has. */
enum { SIGNALS_MAX = 65 };

/* What the actions were before: the default, or a handler that reports a crash. */
static struct sigaction before_catch[SIGNALS_MAX];

static char path_to_remove[PATH_MAX];
static int bell[2] = {-1, -1};
static volatile sig_atomic_t defers;
static volatile sig_atomic_t deferred;

static void block(sigset_t *before) {
    sigset_t all;
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, before);
}

/* Whether the default action of a signal ends the process, and the signal can be caught. */
static bool ends_process(int number) {
    switch (number) {
    case SIGKILL:
    case SIGSTOP:
    case SIGTSTP:
    case SIGTTIN:
    case SIGTTOU:
    case SIGCONT:
    case SIGCHLD:
    case SIGURG:
    case SIGWINCH: return false;
    default: return true;
    }
}

/* Whether this process made the signal itself, by a fault or by abort(). SIGQUIT is a wish
 * of somebody, also where the kernel sends it for a terminal. */
static bool is_own(int number, const siginfo_t *info) {
    if (number == SIGQUIT) return false;
    bool is_sent = info->si_code == SI_USER || info->si_code == SI_QUEUE || info->si_code == SI_TKILL;
    return !is_sent || info->si_pid == getpid();
}

/* Only functions that POSIX allows in a handler. */
static void handle(int number, siginfo_t *info, void *context) {
    (void)context;
    int code = errno;
    if (defers && !deferred && (number == SIGINT || number == SIGTERM)) {
        deferred = number;
        if (write(bell[1], "", 1) < 0) { /* A pipe that is full is readable as well. */ }
        errno = code;
        return;
    }
    if (path_to_remove[0]) unlink(path_to_remove);
    /* Swift's handler of crashes reports and returns, upon which a fault comes again, but
     * a signal that was sent does not: it would end nothing. */
    if (is_own(number, info)) {
        sigaction(number, &before_catch[number], NULL);
    } else {
        signal(number, SIG_DFL);
    }
    /* Delivered again once this handler has returned. */
    pthread_kill(pthread_self(), number);
    errno = code;
}

void ending_signals_catch(void) {
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_sigaction = handle;
    /* A stack that overflowed has no room for the handler. */
    action.sa_flags = SA_SIGINFO | SA_ONSTACK;
    sigfillset(&action.sa_mask);
    for (int number = 1; number < SIGNALS_MAX; number++) {
        struct sigaction *before = &before_catch[number];
        /* The C library refuses the signals that it needs itself. */
        if (!ends_process(number) || sigaction(number, NULL, before) != 0) continue;
        if (!(before->sa_flags & SA_SIGINFO) && before->sa_handler == SIG_IGN) continue;
        sigaction(number, &action, NULL);
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

/* SIGHUP is not among them where it is ignored, as under nohup: a blocked signal arrives all the same. */
static sigset_t blocked_signals(void) {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGTERM);
    struct sigaction action;
    if (sigaction(SIGHUP, NULL, &action) == 0 && action.sa_handler != SIG_IGN) sigaddset(&set, SIGHUP);
    return set;
}

int ending_signals_block(void) {
    sigset_t set = blocked_signals();
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

bool ending_signals_take(int descriptor) {
    struct signalfd_siginfo info;
    return read(descriptor, &info, sizeof info) == (ssize_t)sizeof info;
}

void ending_signals_let_through(bool lets) {
    sigset_t set = blocked_signals();
    pthread_sigmask(lets ? SIG_UNBLOCK : SIG_BLOCK, &set, NULL);
}

void ending_signals_end(int number) {
    if (path_to_remove[0]) unlink(path_to_remove);
    sigset_t only;
    sigemptyset(&only);
    sigaddset(&only, number);
    signal(number, SIG_DFL);
    pthread_kill(pthread_self(), number);
    sigprocmask(SIG_UNBLOCK, &only, NULL);
    _exit(128 + number);
}
