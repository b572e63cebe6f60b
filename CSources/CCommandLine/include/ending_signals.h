/* Signals that end the program: what must not stay behind is removed first, and a verb
 * may ask for the time to print what it has. One output at a time, no threads yet when
 * a function here is called. */
#ifndef ENDING_SIGNALS_H
#define ENDING_SIGNALS_H

#include <stdbool.h>

/* Catches every signal whose default action ends the process, unless it is ignored or
 * cannot be caught: SIGKILL, and those that the C library keeps for itself (32 and 33 of
 * glibc). They still end the program; only a crash of its own is first reported as
 * before. To be called once. */
void ending_signals_catch(void);

/* From now on such a signal removes this file before the program ends. The path is
 * copied; one that is longer than PATH_MAX cannot have been opened. */
void ending_signals_remove(const char *path);

/* From now on the first SIGINT or SIGTERM only makes the returned descriptor readable;
 * the next ends the program. -1 with errno when there are no descriptors left. */
int ending_signals_defer(void);

/* The signal that was deferred, or 0. */
int ending_signals_deferred(void);

/* Blocks SIGINT, SIGTERM and, unless it is ignored, SIGHUP in this thread and in those that it starts.
 * Returns a descriptor that is readable when one has arrived, or -1 with errno. */
int ending_signals_block(void);

/* Takes a signal from that descriptor; false if none has arrived. */
bool ending_signals_take(int descriptor);

/* Lets the same signals through to this thread, or blocks them again. */
void ending_signals_let_through(bool lets);

/* Removes the file, and ends the program by the signal as if it had not been caught. */
_Noreturn void ending_signals_end(int number);

#endif
