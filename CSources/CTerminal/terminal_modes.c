#define _GNU_SOURCE
#include "terminal_modes.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Signals whose default action ends the process, and that a crash or somebody else sends, besides
 * the real-time signals. The ones that are passed to a program (SIGINT and its like) are
 * blocked, and their handler serves until then. */
static const int ending[] = {
    SIGABRT, SIGALRM, SIGBUS, SIGFPE,    SIGHUP,  SIGILL,  SIGINT,  SIGIO,   SIGPIPE,   SIGPROF, SIGPWR,
    SIGQUIT, SIGSEGV, SIGSYS, SIGSTKFLT, SIGTERM, SIGTRAP, SIGUSR1, SIGUSR2, SIGVTALRM, SIGXCPU, SIGXFSZ,
};
enum { ENDING_COUNT = sizeof ending / sizeof *ending };

static struct sigaction before[NSIG];
static bool catches;
static volatile sig_atomic_t terminal = -1;
/* Whether the terminal is in raw mode because of us, and what it was before. */
static volatile sig_atomic_t is_raw;
static struct termios saved;

/* A terminal that does not control this process has no foreground for it. */
static bool is_foreground(void) {
    int group = tcgetpgrp(terminal);
    return group < 0 || group == getpgrp();
}

void terminal_modes_restore(void) {
    int code = errno;
    if (terminal >= 0 && is_raw && is_foreground()) {
        tcsetattr(terminal, TCSANOW, &saved);
        is_raw = 0;
    }
    errno = code;
}

/* Whether the instruction at fault runs again after a handler has returned. */
static bool comes_again(int number, const siginfo_t *info) {
    return info->si_code > 0 && (number == SIGSEGV || number == SIGBUS || number == SIGILL || number == SIGFPE);
}

/* Only functions that POSIX allows in a handler. */
static void handle(int number, siginfo_t *info, void *context) {
    (void)context;
    terminal_modes_restore();
    sigaction(number, &before[number], 0);
    /* Delivered, to whoever handled it before, once this handler has returned; with its sender,
     * because a crash of our own and another's wish are handled differently. */
    if (!comes_again(number, info)) {
        syscall(SYS_rt_tgsigqueueinfo, (long)getpid(), syscall(SYS_gettid), (long)number, info);
    }
}

static void catch_end(int number, const struct sigaction *action) {
    if (sigaction(number, 0, &before[number]) != 0) return;
    if (!(before[number].sa_flags & SA_SIGINFO) && before[number].sa_handler == SIG_IGN) return;
    sigaction(number, action, 0);
}

static void catch_ends(void) {
    if (catches) return;
    catches = true;
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_sigaction = handle;
    /* A stack that overflowed has no room for the handler. */
    action.sa_flags = SA_SIGINFO | SA_ONSTACK;
    sigfillset(&action.sa_mask);
    for (int i = 0; i < ENDING_COUNT; i++) catch_end(ending[i], &action);
    for (int number = SIGRTMIN; number <= SIGRTMAX; number++) catch_end(number, &action);
    atexit(terminal_modes_restore);
}

int terminal_modes_open(int descriptor) {
    if (terminal >= 0) {
        errno = EBUSY;
        return -1;
    }
    if (!isatty(descriptor)) return -1;
    terminal = descriptor;
    is_raw = 0;
    catch_ends();
    return 0;
}

/* The modes that a shell's programs usually have, whatever the program in front has set. */
static void make_usual(struct termios *modes) {
    modes->c_iflag = (modes->c_iflag & ~(tcflag_t)(INLCR | IGNCR | ISTRIP)) | BRKINT | ICRNL | IXON;
    modes->c_oflag |= OPOST | ONLCR;
    modes->c_lflag |= ISIG | ICANON | IEXTEN | ECHO | ECHOE | ECHOK | ECHOCTL | ECHOKE;
    modes->c_cc[VMIN] = 1;
    modes->c_cc[VTIME] = 0;
}

int terminal_modes_raw(struct termios *modes) {
    if (!is_foreground()) {
        if (!modes) return 0;
        int result = tcgetattr(terminal, modes);
        make_usual(modes);
        return result;
    }
    if (!is_raw && tcgetattr(terminal, &saved) != 0) return -1;
    struct termios raw = saved;
    cfmakeraw(&raw);
    is_raw = 1;
    int result;
    do result = tcsetattr(terminal, TCSANOW, &raw);
    while (result != 0 && errno == EINTR);
    if (modes) *modes = saved;
    return result;
}

bool terminal_is_foreground(void) { return is_foreground(); }

bool terminal_is_same(int one, int other) {
    /* Not the devices of the descriptors, of which one may be /dev/tty. */
    unsigned first = 0, second = 0;
    return isatty(one) && isatty(other) && ioctl(one, TIOCGDEV, &first) == 0 && ioctl(other, TIOCGDEV, &second) == 0 &&
           first == second;
}

void terminal_modes_close(void) {
    terminal_modes_restore();
    terminal = -1;
}
