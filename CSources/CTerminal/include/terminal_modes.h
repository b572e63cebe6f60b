/* Raw mode of the user's terminal, which ends with the process whatever ends it, except SIGKILL.
 * One terminal per process, one thread at a time. */
#ifndef TERMINAL_MODES_H
#define TERMINAL_MODES_H

#include <stdbool.h>
#include <termios.h>

/* Makes a terminal the one that the functions below change, and catches the signals that end the
 * process to restore its modes first. Returns 0, or -1 with errno, EBUSY if there is such a
 * terminal already. The descriptor stays open until terminal_modes_close. */
int terminal_modes_open(int descriptor);

/* Remembers the modes, unless it is raw already, and sets raw mode: every byte passes as it is.
 * Writes the remembered modes to `modes`, which may be null. 0, or -1 with errno. A background
 * process changes nothing and gets the usual modes, because those of now are another program's. */
int terminal_modes_raw(struct termios *modes);

/* The remembered modes again. Does nothing in a background process, whose terminal another
 * program uses. May be called in a signal handler, and more than once. */
void terminal_modes_restore(void);

/* Whether this process may read the terminal and change its modes: it is in the foreground, or
 * the terminal does not control it and has no foreground for it. */
bool terminal_is_foreground(void);

/* Whether two descriptors are the same terminal, under whatever name they were opened. */
bool terminal_is_same(int one, int other);

/* Restores the modes and forgets the terminal. */
void terminal_modes_close(void);

#endif
