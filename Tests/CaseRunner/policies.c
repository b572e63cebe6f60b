/* Policies and durations as text. */
#include "case_internal.h"
#include "case_pairs.h"

#include "settle_json.h"

#include <stdio.h>
#include <string.h>

static void say_duration(const char *text, size_t count, char *answer, size_t size) {
    uint64_t duration_ns = 7;
    char forms[4][SETTLE_DURATION_BYTES], copy[200];
    /* Behind a character that would make another unit of an "s" alone. */
    snprintf(copy, sizeof copy, "m%.*s", (int)count, text);
    if (!settle_duration_read(copy + 1, count, &duration_ns)) {
        snprintf(answer, size, "!");
        return;
    }
    const int counts[] = {
        (int)settle_duration_write(duration_ns, forms[0]),
        (int)settle_duration_say(duration_ns, SETTLE_DURATION_ROUNDED, forms[1]),
        (int)settle_duration_say(duration_ns, SETTLE_DURATION_EXACT, forms[2]),
        (int)settle_duration_say(duration_ns, SETTLE_DURATION_SECONDS, forms[3]),
    };
    snprintf(answer, size, "= %.*s | %.*s | %.*s | %.*s", counts[0], forms[0], counts[1], forms[1], counts[2], forms[2],
             counts[3], forms[3]);
}

void case_policy_answer(const char *input, char *answer, size_t size) {
    const size_t count = strlen(input);
    settle_json json;
    settle_policy policy;
    const settle_policy standard = settle_policy_default();
    const uint64_t *values = &policy.size + 1, *standards = &standard.size + 1;
    if (count > 1 && input[0] == '"') {
        say_duration(input + 1, count - 2, answer, size);
        return;
    }
    char *text = case_guarded(count);
    memcpy(text, input, count);
    settle_json_start(&json, text, count);
    if (!settle_json_read_policy(&json, &policy)) {
        snprintf(answer, size, "! %.*s", (int)json.problem_count, json.problem);
        return;
    }
    int used = snprintf(answer, size, "=");
    for (uint32_t field = 0; settle_policy_field_at(field); field++) {
        char value[SETTLE_DURATION_BYTES];
        if (values[field] == standards[field]) continue;
        memset(value, '#', sizeof value);
        used += snprintf(answer + used, size - (size_t)used, " %s %.*s", settle_policy_field_at(field)->name,
                         (int)settle_policy_write(field, values[field], value), value);
    }
}
