/* Signals that end the program: what must not stay behind is removed first, and a verb
 * may ask for the time to print what it has. One output at a time, no threads yet when
 * a function here is called. */
#ifndef ENDING_SIGNALS_H
#define ENDING_SIGNALS_H

/* Catches SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGPIPE and SIGXCPU, those of them that are
 * not ignored. By default they still end the program as before. Once is enough. */
void ending_signals_catch(void);

/* From now on such a signal removes this file before the program ends. The path is
 * copied; one that is longer than PATH_MAX cannot have been opened. */
void ending_signals_remove(const char *path);

/* From now on the first SIGINT or SIGTERM only makes the returned descriptor readable;
 * the next ends the program. -1 with errno when there are no descriptors left. */
int ending_signals_defer(void);

/* The signal that was deferred, or 0. */
int ending_signals_deferred(void);

/* Removes the file, and ends the program by the signal as if it had not been caught. */
_Noreturn void ending_signals_end(int number);

#endif
