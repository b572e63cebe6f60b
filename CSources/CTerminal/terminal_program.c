#define _GNU_SOURCE
#include "terminal_program.h"

#include "terminal_child.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* The signals that this process was started to ignore (nohup), before it ignores any itself. */
static bool ignored[NSIG];

__attribute__((constructor)) static void note_ignored(void) {
    struct sigaction action;
    for (int number = 1; number < NSIG; number++) {
        if (sigaction(number, 0, &action) != 0) continue;
        ignored[number] = !(action.sa_flags & SA_SIGINFO) && action.sa_handler == SIG_IGN;
    }
    /* Without it nobody learns of an end. */
    ignored[SIGCHLD] = false;
}

void terminal_child_reset_signals(void) {
    for (int number = 1; number < NSIG; number++) signal(number, ignored[number] ? SIG_IGN : SIG_DFL);
}

static _Noreturn void fail(int report) {
    int code = errno;
    if (write(report, &code, sizeof code) < 0) { /* The parent has gone, and nobody waits for it. */
    }
    _exit(127);
}

static _Noreturn void become(int terminal, char *const *argv, unsigned streams, int report) {
    setpgid(0, 0);
    /* SIGTTOU, which a background process gets for this, is blocked still. */
    if (tcsetpgrp(terminal, getpid()) != 0) fail(report);
    for (int stream = 0; stream < 3; stream++) {
        if (streams & 1u << stream) dup2(terminal, stream);
    }
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, 0);
    execvp(argv[0], argv);
    fail(report);
}

void terminal_child_close_from(int first) {
#ifdef SYS_close_range
    if (syscall(SYS_close_range, (unsigned)first, ~0u, 0u) == 0) return;
#endif
    for (int descriptor = first; descriptor < sysconf(_SC_OPEN_MAX); descriptor++) close(descriptor);
}

static _Noreturn void lead(const char *path, char *const *argv, unsigned streams, int report) {
    terminal_child_reset_signals();
    if (setsid() < 0) fail(report);
    int terminal = open(path, O_RDWR | O_NOCTTY | O_CLOEXEC);
    if (terminal < 0 || ioctl(terminal, TIOCSCTTY, 0) != 0) fail(report);
    int program = fork();
    if (program < 0) fail(report);
    if (program == 0) become(terminal, argv, streams, report);
    /* Whichever of the two processes runs first, the group exists. */
    setpgid(program, program);
    /* Nothing of the caller's may stay open here: the master's end of the terminal least of all,
     * whose closing is what ends the session. */
    for (int stream = 0; stream < 3; stream++) dup2(terminal, stream);
    terminal_child_close_from(3);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, 0);
    for (;;) {
        int status = 0;
        if (waitpid(program, &status, WUNTRACED) < 0) continue;
        if (WIFSTOPPED(status)) {
            kill(getpid(), SIGSTOP);
            kill(-program, SIGCONT);
        } else {
            _exit(WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status));
        }
    }
}

void terminal_program_become(char *const *argv) {
    terminal_child_reset_signals();
    execvp(argv[0], argv);
}

int terminal_pair_open(void) {
    int pair = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
    if (pair < 0) return -1;
    if (grantpt(pair) == 0 && unlockpt(pair) == 0 && fcntl(pair, F_SETFL, O_NONBLOCK) == 0) return pair;
    int code = errno;
    close(pair);
    errno = code;
    return -1;
}

int terminal_program_start(int pair, char *const *argv, unsigned streams) {
    char terminal[64];
    int result = ptsname_r(pair, terminal, sizeof terminal);
    if (result != 0) {
        errno = result;
        return -1;
    }
    int report[2];
    if (pipe2(report, O_CLOEXEC) != 0) return -1;
    /* No handler of this process may run in the child. */
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before);
    int leader = fork();
    if (leader == 0) lead(terminal, argv, streams, report[1]);
    int code = errno;
    pthread_sigmask(SIG_SETMASK, &before, 0);
    close(report[1]);
    if (leader > 0) {
        /* Ends when the program runs: its descriptor is closed by exec. */
        ssize_t count;
        do count = read(report[0], &code, sizeof code);
        while (count < 0 && errno == EINTR);
        if (count <= 0) code = 0;
        if (code != 0) {
            while (waitpid(leader, 0, 0) < 0 && errno == EINTR) {}
            leader = -1;
        }
    }
    close(report[0]);
    errno = code;
    return leader;
}

int terminal_signals_open(const int *numbers, int count) {
    sigset_t set;
    sigemptyset(&set);
    for (int i = 0; i < count; i++) {
        /* A blocked signal arrives even if it is ignored; under nohup, SIGHUP is to do nothing. */
        struct sigaction action;
        if (numbers[i] == SIGCHLD) signal(SIGCHLD, SIG_DFL);
        if (sigaction(numbers[i], 0, &action) != 0) continue;
        if (!(action.sa_flags & SA_SIGINFO) && action.sa_handler == SIG_IGN) continue;
        sigaddset(&set, numbers[i]);
    }
    int result = pthread_sigmask(SIG_BLOCK, &set, 0);
    if (result != 0) {
        errno = result;
        return -1;
    }
    return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

int terminal_signals_next(int descriptor) {
    struct signalfd_siginfo info;
    return read(descriptor, &info, sizeof info) == (ssize_t)sizeof info ? (int)info.ssi_signo : 0;
}

void terminal_stop_group(void) {
    sigset_t stop, before;
    sigemptyset(&stop);
    sigaddset(&stop, SIGTSTP);
    pthread_sigmask(SIG_UNBLOCK, &stop, &before);
    kill(0, SIGTSTP);
    pthread_sigmask(SIG_SETMASK, &before, 0);
}
