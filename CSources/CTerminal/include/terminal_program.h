/* A program in a session of its own on a pseudoterminal, with the job control of a shell. */
#ifndef TERMINAL_PROGRAM_H
#define TERMINAL_PROGRAM_H

/* Makes a pseudoterminal and returns the end that plays the user's, which does not block; -1 with
 * errno. */
int terminal_pair_open(void);

/* Starts a program in the foreground of a new session, whose controlling terminal is the other end
 * of a descriptor of terminal_pair_open. The standard streams with a bit in `streams` (1, 2, 4) become that
 * terminal; the others are the caller's. Ignored are the signals that this process was started
 * to ignore, but for SIGCHLD.
 *
 * The program is a child of the session's leader, not the leader itself: the kernel lets
 * nobody stop an orphaned process group with SIGTSTP, so Ctrl-Z would do nothing. The leader
 * stops (SIGSTOP) when the program has stopped, continues it on SIGCONT, and exits with its
 * status, or with 128 + n for signal n.
 *
 * Returns the leader's process, a child of the caller, or -1 with errno; ENOENT and EACCES are
 * about the program. */
int terminal_program_start(int pair, char *const *argv, unsigned streams);

/* Becomes the program, which is looked for on the PATH, with the standard streams of this process and the signals that
 * it was started to ignore. Returns only if it cannot, with errno. */
void terminal_program_become(char *const *argv);

/* Blocks these signals in the calling thread, except those that the process ignores, and returns
 * a descriptor from which they can be read as struct signalfd_siginfo; it does not block. -1
 * with errno. Call it before any thread starts: threads inherit the mask. */
int terminal_signals_open(const int *numbers, int count);

/* The number of the next signal of that descriptor, 0 if none has arrived. */
int terminal_signals_next(int descriptor);

/* Stops the process group, as the terminal's suspend key does, until somebody continues it. Does
 * nothing in an orphaned group, where no shell could continue it. */
void terminal_stop_group(void);

#endif
