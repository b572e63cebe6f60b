/* JSON by RFC 8259, and what event logs have in it: lines of events, headers and policies. A text is read
 * value by value, without allocation; the first fault stays, as a sentence, and what is called after it does
 * nothing.
 *
 * Every function is pure but for the struct it is given, and may be called from any thread. */
#ifndef SETTLE_JSON_H
#define SETTLE_JSON_H

#include "settle_log.h"
#include "settle_policy.h"

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#pragma GCC visibility push(default)
#endif

/* The deepest nesting of values that are passed over. */
#define SETTLE_JSON_DEPTH_MAX 64
/* The most bytes of a fault's sentence. What it quotes is cut. */
#define SETTLE_JSON_PROBLEM_MAX 480

typedef struct settle_json {
    const unsigned char *bytes;
    size_t count;
    size_t at; /* behind what was read */
    /* The first fault, a sentence without a full stop and without a zero byte behind it; 0 bytes for none. */
    size_t problem_count;
    char problem[SETTLE_JSON_PROBLEM_MAX];
} settle_json;

/* A string between its quotes, which is valid: its escapes are known ones, and what they stand for is UTF-8. */
typedef struct settle_json_string {
    const unsigned char *bytes; /* null for none */
    size_t count;
    size_t decoded; /* the bytes once its escapes are resolved; `count` if it has none */
} settle_json_string;

/* A double's text, as JSON has it, which needs more than exact arithmetic; strtod, in the C locale. */
typedef double (*settle_json_double)(const char *text, size_t count);

void settle_json_start(settle_json *json, const void *bytes, size_t count);

/* The next byte that is no space, without moving past it; -1 at the end, and behind a fault. */
int settle_json_peek(settle_json *json);
/* Moves past a character that is next, and returns whether it was. */
bool settle_json_skip(settle_json *json, char character);
/* The same; another one is a fault. */
bool settle_json_expect(settle_json *json, char character);

/* Each returns false at a fault, and behind one. An integer is digits alone. */
bool settle_json_read_string(settle_json *json, settle_json_string *string);
bool settle_json_read_bool(settle_json *json, bool *value);
bool settle_json_read_integer(settle_json *json, uint64_t most, uint64_t *value);
bool settle_json_read_double(settle_json *json, settle_json_double parse, double *value);
bool settle_json_skip_value(settle_json *json);
/* Moves to the next member of an object, past its key and colon; false behind the last, and at a fault.
 * `is_first` is true before the first call. */
bool settle_json_next_member(settle_json *json, bool *is_first, settle_json_string *key);

/* Writes a string's bytes with its escapes resolved, string->decoded of them. */
void settle_json_decode(const settle_json_string *string, unsigned char *out);

/* A line's event. */
typedef struct settle_json_event {
    settle_log_event event;   /* its name is not set */
    settle_json_string scene; /* at most SETTLE_LOG_NAME_MAX bytes; null of a pointer event */
    bool has_short_size;      /* it has the key "w" or "h", which is ignored: a size is "width" and "height" */
} settle_json_event;

/* Reads a line of an event log that is neither empty nor a comment. Of two equal keys the last counts. */
bool settle_json_read_event(settle_json *json, settle_json_double parse, settle_json_event *event);

/* A log's header. A text that is not given is null. */
typedef struct settle_json_header {
    settle_json_string clock, unit, source, name;
    bool has_policy;
    settle_policy policy;
} settle_json_header;

/* Reads a log's first line that is no comment. */
bool settle_json_read_header(settle_json *json, settle_json_header *header);

/* Reads the policy that is next: an object of durations, each a string with a unit, or null where it may be none.
 * One that is left out has its default. */
bool settle_json_read_policy(settle_json *json, settle_policy *policy);

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#ifdef __cplusplus
}
#endif
#endif
