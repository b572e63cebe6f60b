/* Raw mode of the user's terminal, which ends with the process whatever ends it, except SIGKILL.
 * One terminal per process, one thread at a time. */
#ifndef TERMINAL_MODES_H
#define TERMINAL_MODES_H

#include <termios.h>

/* Remembers the modes of a terminal, which becomes the one that the functions below change, and
 * catches the signals that end the process to restore them first. Returns 0, or -1 with errno,
 * EBUSY if there is such a terminal already. The descriptor stays open until
 * terminal_modes_close. */
int terminal_modes_open(int terminal, struct termios *modes);

/* Raw mode: every byte passes as it is. A background process is stopped with SIGTTOU until it is in
 * the foreground. 0, or -1 with errno. */
int terminal_modes_raw(void);

/* The remembered modes again. Does nothing in a background process, whose terminal another
 * program uses. May be called in a signal handler, and more than once. */
void terminal_modes_restore(void);

/* Restores the modes and forgets the terminal. */
void terminal_modes_close(void);

#endif
