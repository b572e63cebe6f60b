/* The table of a policy's fields, and policies as text. */
#include "settle_policy.h"

#define ROW(member, name, standard, uikit, longest, none, grid, label, most, step, start, meaning)                     \
    {name, label, meaning, longest, none, grid, most, step, start},
static const settle_policy_field rows[] = {SETTLE_POLICY_FIELDS(ROW)};
#define ROWS (sizeof rows / sizeof *rows)
#define MEMBER(name) ((uint32_t)(offsetof(settle_policy, name) / sizeof(uint64_t) - 1))
#define QUIET_DELAY MEMBER(quiet_delay_ns)
#define QUIET_MAXIMUM MEMBER(quiet_maximum_ns)

_Static_assert(sizeof(settle_policy) == (ROWS + 1) * sizeof(uint64_t), "a row for each field");

const settle_policy_field *settle_policy_field_at(uint32_t field) { return field < ROWS ? &rows[field] : NULL; }

static uint64_t value_of(const settle_policy *policy, uint32_t field) {
    uint64_t value;
    memcpy(&value, (const unsigned char *)policy + (field + 1) * sizeof value, sizeof value);
    return value;
}

static void set_value(settle_policy *policy, uint32_t field, uint64_t value) {
    memcpy((unsigned char *)policy + (field + 1) * sizeof value, &value, sizeof value);
}

int settle_policy_set(settle_policy *policy, uint32_t field, const char *text, size_t count) {
    uint64_t value = SETTLE_NEVER;
    if (!text || (count == 4 && memcmp(text, "none", count) == 0)) {
        if (!rows[field].may_be_none) return SETTLE_POLICY_NOT_NONE;
    } else {
        if (!settle_duration_read(text, count, &value)) return SETTLE_POLICY_NO_DURATION;
        /* What 63 bits cannot hold is out of every range, and is not none. */
        if (value > INT64_MAX) value = INT64_MAX;
    }
    set_value(policy, field, value);
    return SETTLE_POLICY_FINE;
}

void settle_policy_fit(settle_policy *policy, uint32_t given) {
    const bool has_least = given >> QUIET_DELAY & 1, has_most = given >> QUIET_MAXIMUM & 1;
    if (has_least == has_most || policy->quiet_delay_ns <= policy->quiet_maximum_ns) return;
    uint64_t hour = SETTLE_QUIET_MAXIMUM_MAX;
    if (has_most) policy->quiet_delay_ns = policy->quiet_maximum_ns;
    else policy->quiet_maximum_ns = policy->quiet_delay_ns < hour ? policy->quiet_delay_ns : hour;
}

static uint64_t longest(const settle_policy *policy, uint32_t field) {
    return field == QUIET_DELAY ? policy->quiet_maximum_ns : rows[field].longest_ns;
}

int settle_policy_check(const settle_policy *policy, uint32_t *field) {
    for (*field = 0; *field < ROWS; ++*field) {
        uint64_t value = value_of(policy, *field);
        if (value <= longest(policy, *field)) continue;
        if (value == SETTLE_NEVER && rows[*field].may_be_none) continue;
        return SETTLE_POLICY_OUT_OF_RANGE;
    }
    return SETTLE_POLICY_FINE;
}

typedef struct sentence {
    char *text;
    size_t capacity, count;
} sentence;

static void add(sentence *said, const char *text, size_t count) {
    for (size_t i = 0; i < count; i++, said->count++) {
        if (said->count < said->capacity) said->text[said->count] = text[i];
    }
}

/* A literal. */
#define SAY(said, literal) add(said, literal, sizeof literal - 1)

static void say_duration(sentence *said, uint64_t duration_ns) {
    char text[SETTLE_DURATION_BYTES];
    add(said, text, settle_duration_write(duration_ns, text));
}

size_t settle_policy_explain(int fault, const settle_policy *policy, uint32_t field, const char *text, size_t count,
                             char *problem, size_t capacity) {
    sentence said = {problem, capacity, 0};
    switch (fault) {
    case SETTLE_POLICY_NOT_NONE: SAY(&said, "cannot be none; give 0s for no wait"); break;
    case SETTLE_POLICY_NO_DURATION:
        SAY(&said, "is '");
        add(&said, text, count);
        SAY(&said, "'; give a number and a unit (ns, us, ms, s, min, h), as 50ms or 1.5s");
        if (rows[field].may_be_none) SAY(&said, ", or none");
        break;
    default:
        SAY(&said, "is ");
        say_duration(&said, value_of(policy, field));
        SAY(&said, "; it must be from 0s to ");
        say_duration(&said, longest(policy, field));
        if (longest(policy, field) != rows[field].longest_ns) SAY(&said, ", its quietMaximum");
    }
    return said.count;
}
