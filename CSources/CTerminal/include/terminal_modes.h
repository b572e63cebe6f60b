/* Raw mode of the user's terminal, which ends with the process whatever ends it, except SIGKILL.
 * One terminal per process, one thread at a time. */
#ifndef TERMINAL_MODES_H
#define TERMINAL_MODES_H

#include <termios.h>

/* Makes a terminal the one that the functions below change, and catches the signals that end the
 * process to restore its modes first. Returns 0, or -1 with errno, EBUSY if there is such a
 * terminal already. The descriptor stays open until terminal_modes_close. */
int terminal_modes_open(int descriptor);

/* Remembers the modes, unless it is raw already, and sets raw mode: every byte passes as it is. A
 * background process is stopped with SIGTTOU until it is in the foreground. Writes the
 * remembered modes to `modes`, which may be null. 0, or -1 with errno. */
int terminal_modes_raw(struct termios *modes);

/* The remembered modes again. Does nothing in a background process, whose terminal another
 * program uses. May be called in a signal handler, and more than once. */
void terminal_modes_restore(void);

/* Restores the modes and forgets the terminal. */
void terminal_modes_close(void);

#endif
