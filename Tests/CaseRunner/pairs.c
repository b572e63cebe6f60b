/* Runs cases that are inputs with their answers: blocks of lines, a name and then inputs, each with its answer on the
 * line or several with one behind them. */
#include "case_internal.h"
#include "case_pairs.h"

#include <stdio.h>
#include <string.h>

enum { INPUTS_MAX = 100, ANSWER_MAX = 2000 };

/* Makes the bytes of U+2400 to U+2420, the pictures of control characters and the space, what they stand for. */
static void resolve_pictures(char *line) {
    char *to = line;
    for (const unsigned char *at = (const unsigned char *)line; *at; at++) {
        bool is_picture = at[0] == 0xE2 && at[1] == 0x90 && at[2] >= 0x81 && at[2] <= 0xA0;
        *to++ = (char)(is_picture ? at[2] - 0x80 : at[0]);
        if (is_picture) at += 2;
    }
    *to = 0;
}

/* An answer may end before a bar of what the library says. */
static bool is_answer(const char *expected, const char *actual) {
    size_t count = strlen(expected);
    return strncmp(expected, actual, count) == 0 && (actual[count] == 0 || strncmp(actual + count, " | ", 3) == 0);
}

/* An answer behind an input on its line, which is cut off; null for none. */
static char *answer_behind(char *line) {
    for (char *at = line; (at = strstr(at, "  ")); at++) {
        if (at[2] == 0 || strchr("=~!", at[2]) == NULL || (at[3] != ' ' && at[3] != 0)) continue;
        *at = 0;
        return at + 2;
    }
    return NULL;
}

bool case_run_pairs(char *text, const char *path, const char *only, case_answer *answer, case_counts *counts) {
    const char *name = NULL, *inputs[INPUTS_MAX];
    char actual[ANSWER_MAX];
    size_t waiting = 0;
    int number = 0;
    bool is_named_only = true; /* no answer yet */
    case_clear();
    while (*text) {
        char *line = text, *end = strchr(text, '\n'), *expected = NULL;
        text = end ? end + 1 : text + strlen(text);
        if (end) *end = 0;
        number++;
        if (line[0] == '#') {
            continue;
        } else if (line[0] == 0) {
            if (name && (waiting > 0 || is_named_only)) break;
            name = NULL;
        } else if (name == NULL) {
            name = line;
            is_named_only = true;
        } else if (strchr("=~!", line[0])) {
            if (waiting == 0) break;
            expected = line;
        } else {
            if (waiting == INPUTS_MAX) break;
            expected = answer_behind(line);
            resolve_pictures(line);
            inputs[waiting++] = line;
        }
        for (size_t i = 0; expected && i < waiting && strstr(name, only); i++) {
            counts->ways++;
            answer(inputs[i], actual, sizeof actual);
            const bool is_right = is_answer(expected, actual);
            counts->passed += is_right;
            counts->failed += !is_right;
            if (is_right) continue;
            fprintf(stderr, "%s:%d: %s\n%s\n%s\nis\n%s\n", path, number, name, inputs[i], expected, actual);
        }
        if (expected) waiting = 0, is_named_only = false;
        if (*text == 0 && (waiting > 0 || is_named_only)) break;
        if (*text == 0) return true;
    }
    case_say("line %d: a case is a name, inputs, and an answer behind them that begins with = or ~ or !", number);
    return false;
}
