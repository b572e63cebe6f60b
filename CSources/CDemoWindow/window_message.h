/* What went wrong, as text for the program's user. */
#ifndef WINDOW_MESSAGE_H
#define WINDOW_MESSAGE_H

/* Writes a message of at most DEMO_WINDOW_MESSAGE_MAX bytes. Returns -1. */
int window_failure(char *message, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
