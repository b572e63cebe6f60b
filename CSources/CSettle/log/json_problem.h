/* Sentences about faults. */
#ifndef SETTLE_JSON_PROBLEM_H
#define SETTLE_JSON_PROBLEM_H

#include "settle_json.h"

/* The most bytes of a text that a sentence quotes. */
enum { QUOTED_MAX = 200 };

static inline void json_add(settle_json *json, const void *text, size_t count) {
    size_t room = sizeof json->problem - json->problem_count;
    if (count > room) count = room;
    memcpy(json->problem + json->problem_count, text, count);
    json->problem_count += count;
}

#define JSON_SAY(json, literal) json_add(json, literal, sizeof literal - 1)

#if defined(__GNUC__)
#pragma GCC visibility push(hidden)
#endif

void settle_json_add_number(settle_json *json, uint64_t number);
/* A text of the input, in UTF-8; a long one is cut at a character's end. */
void settle_json_quote(settle_json *json, const unsigned char *text, size_t count);
void settle_json_quote_string(settle_json *json, const settle_json_string *string);
/* A sentence, unless there is one already, with the place that is read: "expected a digit at column 5". False. */
bool settle_json_fail_here(settle_json *json, const char *problem, size_t count);

#define FAIL_HERE(json, literal) settle_json_fail_here(json, literal, sizeof literal - 1)

/* Whether a string is a literal's text. */
bool settle_json_is(const settle_json_string *string, const char *text, size_t count);
#define IS(string, literal) settle_json_is(string, literal, sizeof literal - 1)

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#endif
