/* The fields of a policy as a table, and policies as text: names, and durations with a unit.
 * Every language's policies, and the command's options, are made from it. */
#ifndef SETTLE_POLICY_H
#define SETTLE_POLICY_H

#include "settle.h"

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#pragma GCC visibility push(default)
#endif

/* FIELD(member, name, default, value of the preset uikit, least, most, may be none, in the grid, what it is for), in
 * the order of settle_policy. Durations are in nanoseconds; pauseShare and liveShare are percentages. */
#define SETTLE_POLICY_FIELDS(FIELD)                                                                                    \
    FIELD(first_delay_ns, "firstDelay", 0, 0, 0, SETTLE_DELAY_MAX, 0, 0, "wait before a scene's first rebuild")        \
    FIELD(reported_end_delay_ns, "reportedEndDelay", 0, 0, 0, SETTLE_DELAY_MAX, 0, 1,                                  \
          "quiet time after a reported end")                                                                           \
    FIELD(released_end_delay_ns, "releasedEndDelay", 16000000, 0, 0, SETTLE_DELAY_MAX, 0, 1,                           \
          "quiet time after a button's release")                                                                       \
    FIELD(discrete_delay_ns, "discreteDelay", 50000000, 0, 0, SETTLE_DELAY_MAX, 0, 1,                                  \
          "quiet time after other changes of a scene that reports its resizing or was dragged")                        \
    FIELD(quiet_delay_ns, "quietDelay", 200000000, 0, 0, SETTLE_DELAY_MAX, 0, 1,                                       \
          "quiet time where nothing signals an end")                                                                   \
    FIELD(jump_delay_ns, "jumpDelay", 50000000, SETTLE_NEVER, 0, SETTLE_DELAY_MAX, 1, 1,                               \
          "quiet time there after one large change out of calm")                                                       \
    FIELD(calm_delay_ns, "calmDelay", 500000000, 0, 0, SETTLE_DELAY_MAX, 0, 1, "calm: so long without a change")       \
    FIELD(lock_delay_ns, "lockDelay", 100000000, 0, 0, SETTLE_DELAY_MAX, 0, 0,                                         \
          "how long an orientation lock must hold")                                                                    \
    FIELD(pause_delay_ns, "pauseDelay", SETTLE_NEVER, SETTLE_NEVER, 0, SETTLE_DELAY_MAX, 1, 0,                         \
          "preview a size that stands still for so long")                                                              \
    FIELD(pause_share_percent, "pauseShare", SETTLE_NEVER, SETTLE_NEVER, 1, 100, 1, 0,                                 \
          "share of the time that work for previews may take")                                                         \
    FIELD(maximum_wait_ns, "maximumWait", SETTLE_NEVER, SETTLE_NEVER, 0, SETTLE_DELAY_MAX, 1, 0,                       \
          "longest time that a rebuild may be pending")                                                                \
    FIELD(interaction_timeout_ns, "interactionTimeout", 10000000000, SETTLE_NEVER, 0, SETTLE_DELAY_MAX, 1, 0,          \
          "end an interaction without a change of size after this time")                                               \
    FIELD(live_share_percent, "liveShare", SETTLE_NEVER, SETTLE_NEVER, 1, 100, 1, 0,                                   \
          "share of the time that rebuilds before an end may take")                                                    \
    FIELD(live_limit_ns, "liveLimit", 16000000, 16000000, 0, SETTLE_DELAY_MAX, 1, 0,                                   \
          "what such a rebuild may block; a build of n limits counts n times")                                         \
    FIELD(live_interval_ns, "liveInterval", 16000000, 16000000, 0, SETTLE_DELAY_MAX, 0, 0,                             \
          "least time from any rebuild to such a one")                                                                 \
    FIELD(live_pause_ns, "livePause", SETTLE_NEVER, SETTLE_NEVER, 0, SETTLE_DELAY_MAX, 1, 0,                           \
          "at a size that stands still for so long a long build counts once")

typedef struct settle_policy_field {
    const char *name;     /* as in policy files: quietDelay */
    const char *meaning;  /* what it is for, without a capital and a full stop */
    uint64_t least, most; /* in nanoseconds or percent */
    uint32_t may_be_none; /* 1 if SETTLE_NEVER switches it off */
    uint32_t in_grid;     /* 1 if settle_grid_policy varies it */
    uint32_t is_percentage;
} settle_policy_field;

/* The field of a number, in the order of settle_policy and of the bits of settle_policy_changes; null behind the
 * last. */
const settle_policy_field *settle_policy_field_at(uint32_t field);

/* Reads a duration such as "50ms", "1.5s", "250us" or "0": digits, at most one point, and a unit (ns, us, µs, ms, s,
 * min, h), rounded to the nearest nanosecond. UINT64_MAX nanoseconds for more than 64 bits hold. Returns
 * false for other text. */
bool settle_duration_read(const char *text, size_t count, uint64_t *duration_ns);

/* The most bytes that settle_duration_write and settle_duration_say write; no zero byte ends them. */
enum { SETTLE_DURATION_BYTES = 24 };
/* Writes a duration, exact to the nanosecond, in the largest of s, ms, us and ns that is at most as long: "1.5s",
 * "0s". Returns the number of bytes. */
size_t settle_duration_write(uint64_t duration_ns, char *text);
/* Durations for people, with a space before the unit, which may be µs. */
enum settle_duration_form {
    /* "820 ns", "12.5 ms", "4.21 s", "3 min 20 s", "0 s": rounded below a minute; from there on what is less than a
     * second, or from an hour on a minute, is left out. */
    SETTLE_DURATION_ROUNDED,
    SETTLE_DURATION_EXACT,  /* "12.345 ms", "200 s" */
    SETTLE_DURATION_SECONDS /* exact, in seconds: "0.012345 s" */
};
/* Writes a duration in a settle_duration_form. Returns the number of bytes. */
size_t settle_duration_say(uint64_t duration_ns, int form, char *text);

#define SETTLE_POLICY_NO_FIELD 0xffffffffu
/* The number of the field with a name, or SETTLE_POLICY_NO_FIELD. */
uint32_t settle_policy_find(const char *name, size_t count);
/* Writes the end of a sentence that begins with a name that no field has: "is no duration of a policy; did you mean
 * 'lockDelay'?". See settle_policy_explain. */
size_t settle_policy_explain_name(const char *name, size_t count, char *problem, size_t capacity);

/* What can be wrong with one field of a policy. */
enum settle_policy_fault {
    SETTLE_POLICY_FINE,
    SETTLE_POLICY_NOT_NONE,     /* none, where that is not allowed */
    SETTLE_POLICY_NO_DURATION,  /* a text that is no duration, or no percentage */
    SETTLE_POLICY_OUT_OF_RANGE, /* below the field's least, or above its most */
};

/* Sets a field by its text, or by null to none, as "none" does. Returns a settle_policy_fault. Ranges are checked by
 * settle_policy_check, once all are set. */
int settle_policy_set(settle_policy *policy, uint32_t field, const char *text, size_t count);

/* Writes a field's value as settle_policy_set reads it: a duration, "30%", or "none" for SETTLE_NEVER. At most
 * SETTLE_DURATION_BYTES bytes without a zero byte; returns their number. */
size_t settle_policy_write(uint32_t field, uint64_t value, char *text);

/* Returns SETTLE_POLICY_FINE, or the first fault of a policy in the order of fields, and whose it is. */
int settle_policy_check(const settle_policy *policy, uint32_t *field);

/* Writes the end of a sentence about a fault that begins with the field's name, such as "cannot be none; …", of at
 * most `capacity` bytes without a zero byte. `text` is what settle_policy_set was given. Returns the number of
 * bytes of the whole. */
size_t settle_policy_explain(int fault, const settle_policy *policy, uint32_t field, const char *text, size_t count,
                             char *problem, size_t capacity);

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#ifdef __cplusplus
}
#endif
#endif
