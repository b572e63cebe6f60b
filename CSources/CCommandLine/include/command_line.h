/* The C library's getopt_long, which Swift cannot import, for one caller at a time. */
#ifndef COMMAND_LINE_H
#define COMMAND_LINE_H

#include <stdbool.h>
#include <stddef.h>

enum { COMMAND_LINE_OPTIONS_MAX = 64 };

typedef enum command_line_outcome {
    COMMAND_LINE_OPTION,
    COMMAND_LINE_END,
    COMMAND_LINE_UNKNOWN,
    COMMAND_LINE_NO_VALUE
} command_line_outcome;

typedef struct command_line_step {
    command_line_outcome outcome;
    int index;         /* OPTION: which of the names */
    const char *value; /* OPTION: its value, or null */
    const char *word;  /* UNKNOWN, NO_VALUE: the word at fault */
    int next;          /* END: the first positional word; options were moved before it, unless they end there */
} command_line_step;

/* Starts a new command line.
 * stops  whether its options end at the first word that is none, instead of standing among the other words */
void command_line_start(bool stops);

/* The next option of argv, whose first word is the program's name. At most
 * COMMAND_LINE_OPTIONS_MAX names; takes_value says for each whether it has one, and letters has the
 * short form of each, or a zero. */
command_line_step command_line_next(int argc, char *const *argv, const char *const *names, const char *letters,
                                    const bool *takes_value, size_t count);

#endif
