/* The table of a policy's fields, and durations as text. */
#include "page_wasm.h"
#include "settle_policy.h"

#ifdef __wasm__
_Static_assert(offsetof(settle_policy_field, longest_ns) == 16 && offsetof(settle_policy_field, may_be_none) == 24 &&
                   offsetof(settle_policy_field, in_grid) == 28 && offsetof(settle_policy_field, slider_most_ms) == 32 &&
                   offsetof(settle_policy_field, slider_step_ms) == 36 &&
                   offsetof(settle_policy_field, slider_start_ms) == 40,
               "what fieldOf in policy.mjs reads");
#endif

const settle_policy_field *EXPORT(page_policy_field)(uint32_t field) { return settle_policy_field_at(field); }

static char text[256];
char *EXPORT(page_text)(void) { return text; }

/* Reads the duration of `count` bytes at page_text(): at most INT64_MAX; -1 for other text. */
int64_t EXPORT(page_duration_read)(uint32_t count) {
    uint64_t duration_ns;
    if (count > sizeof text || !settle_duration_read(text, count, &duration_ns)) return -1;
    return duration_ns > INT64_MAX ? INT64_MAX : (int64_t)duration_ns;
}

/* Writes a duration to page_text(), and returns its bytes. */
uint32_t EXPORT(page_duration_write)(uint64_t duration_ns) { return (uint32_t)settle_duration_write(duration_ns, text); }
