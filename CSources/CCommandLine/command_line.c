#define _GNU_SOURCE
#include "command_line.h"

#include <getopt.h>
#include <string.h>

enum { FIRST_VALUE = 1000 };

static char short_word[3] = "-";
static bool stops_at_word;

void command_line_start(bool stops) {
    stops_at_word = stops;
    opterr = 0;
    optind = 0;
}

command_line_step command_line_next(int argc, char *const *argv, const char *const *names, const char *letters,
                                    const bool *takes_value, size_t count) {
    struct option table[COMMAND_LINE_OPTIONS_MAX + 1];
    memset(table, 0, sizeof table);
    /* A colon for the outcome of a missing value, then each letter, with a colon if it has one. */
    char short_options[2 * COMMAND_LINE_OPTIONS_MAX + 3] = "+:";
    size_t length = 2;
    for (size_t i = 0; i < count && i < COMMAND_LINE_OPTIONS_MAX; i++) {
        table[i].name = names[i];
        table[i].has_arg = takes_value[i] ? required_argument : no_argument;
        table[i].val = FIRST_VALUE + (int)i;
        if (!letters[i]) continue;
        short_options[length++] = letters[i];
        if (takes_value[i]) short_options[length++] = ':';
    }
    short_options[length] = 0;
    optopt = 0;
    int result = getopt_long(argc, argv, stops_at_word ? short_options : short_options + 1, table, NULL);
    command_line_step step = {COMMAND_LINE_END, 0, NULL, NULL, optind};
    if (result == -1) return step;
    for (size_t i = 0; i < count && i < COMMAND_LINE_OPTIONS_MAX; i++) {
        if (letters[i] && result == letters[i]) result = FIRST_VALUE + (int)i;
    }
    if (result >= FIRST_VALUE) {
        step.outcome = COMMAND_LINE_OPTION;
        step.index = result - FIRST_VALUE;
        step.value = takes_value[step.index] ? optarg : NULL;
        return step;
    }
    step.outcome = result == ':' ? COMMAND_LINE_NO_VALUE : COMMAND_LINE_UNKNOWN;
    if (optopt > 0 && optopt < FIRST_VALUE) {
        short_word[1] = (char)optopt;
        step.word = short_word;
    } else {
        step.word = argv[optind - 1];
    }
    return step;
}
