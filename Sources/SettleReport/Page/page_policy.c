/* The table of a policy's fields, policies and durations as text, and the words of decisions. */
#include "page_wasm.h"
#include "settle_json.h"

#ifdef __wasm__
_Static_assert(sizeof(settle_policy_field) == 40 && offsetof(settle_policy_field, least) == 8 &&
                   offsetof(settle_policy_field, most) == 16 && offsetof(settle_policy_field, may_be_none) == 24 &&
                   offsetof(settle_policy_field, in_grid) == 28 && offsetof(settle_policy_field, is_percentage) == 32,
               "what fieldOf in policy.mjs reads");
#endif

const settle_policy_field *EXPORT(page_policy_field)(uint32_t field) { return settle_policy_field_at(field); }

static char text[SETTLE_JSON_PROBLEM_MAX];
char *EXPORT(page_text)(void) { return text; }

/* Writes a value of a field to page_text(), and returns its bytes. */
uint32_t EXPORT(page_value_write)(uint32_t field, uint64_t value) {
    return (uint32_t)settle_policy_write(field, value, text);
}

/* The same for a duration for people, rounded. */
uint32_t EXPORT(page_duration_say)(uint64_t duration_ns) {
    return (uint32_t)settle_duration_say(duration_ns, SETTLE_DURATION_ROUNDED, text);
}

/* Two that are not page_policy(), by which others may be deciding. */
static settle_policy others[2];
settle_policy *EXPORT(page_policy_other)(uint32_t number) { return &others[number]; }

/* Reads a policy's JSON into page_policy_other(0) and releases its bytes, which were reserved last. Returns 0, or the
 * bytes of a fault's sentence at page_text(). */
uint32_t EXPORT(page_policy_read)(const unsigned char *bytes, size_t count) {
    settle_json json;
    settle_json_start(&json, bytes, count);
    bool is_read = settle_json_read_policy(&json, &others[0]);
    page_release((size_t)bytes);
    if (is_read) return 0;
    memcpy(text, json.problem, json.problem_count);
    return (uint32_t)json.problem_count;
}

/* In which durations the two differ. */
uint32_t EXPORT(page_policy_changes)(void) { return settle_policy_changes(&others[0], &others[1]); }

/* Words of decisions; "unknown" behind the last. */
const char *EXPORT(page_kind_word)(uint32_t kind) { return settle_decision_kind_name(kind); }
const char *EXPORT(page_reason_word)(uint32_t reason) { return settle_reason_name(reason); }
