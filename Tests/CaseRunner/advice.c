/* Points, and which of them are taken; and what counts say of a policy. */
#include "case_counts.h"
#include "case_internal.h"
#include "case_pairs.h"

#include "settle_policy.h"
#include "settle_sums.h"

#include <stdlib.h>
#include <string.h>

enum { POINTS_MAX = 64, INPUT_MAX = 2000 };

/* "REBUILDS/LAG[/WASTED[/MEDIAN[/CHANGES]]]"; lags are buckets, and changes are bits. */
static bool read_point(const char *word, settle_front_point *point) {
    uint64_t values[5] = {0};
    char *end;
    for (size_t i = 0; i < 5; i++, word = end + 1) {
        values[i] = strtoull(word, &end, 10);
        if (end == word || (*end && (*end != '/' || i == 4))) return false;
        if (*end == 0) break;
    }
    *point = (settle_front_point){values[0], values[2], (uint32_t)values[1], (uint32_t)values[3], values[4]};
    return true;
}

/* "[unexercised BITS] [lag BUCKET] [wasted NUMBER] POINT…", of which the first is today's. */
static const char *answer_points(char *text, bool is_front, char *answer, size_t size) {
    settle_front_point points[POINTS_MAX];
    uint32_t count = 0, indices[SETTLE_LAG_BUCKETS], knee, unexercised = 0, lag = SETTLE_ANY_LAG;
    uint64_t wasted = SETTLE_NEVER;
    for (char *word; (word = case_word(&text));) {
        char *value = strchr("ulw", word[0]) ? case_word(&text) : NULL;
        if (value && strcmp(word, "unexercised") == 0) unexercised = (uint32_t)strtoul(value, NULL, 10);
        else if (value && strcmp(word, "lag") == 0) lag = (uint32_t)strtoul(value, NULL, 10);
        else if (value && strcmp(word, "wasted") == 0) wasted = strtoull(value, NULL, 10);
        else if (count == POINTS_MAX || !read_point(word, &points[count++])) return "no point";
    }
    if (!is_front) {
        const uint32_t taken = settle_advise(points, count, 0, unexercised, lag, wasted);
        if (taken == SETTLE_NO_ADVICE) snprintf(answer, size, "= none");
        else snprintf(answer, size, "= %u", (unsigned)taken);
        return NULL;
    }
    const size_t found = settle_front(points, count, indices, &knee);
    int used = snprintf(answer, size, "=");
    for (size_t i = 0; i < found; i++)
        used += snprintf(answer + used, size - (size_t)used, " %u", (unsigned)indices[i]);
    if (knee != SETTLE_FRONT_NO_KNEE) snprintf(answer + used, size - (size_t)used, " knee %u", (unsigned)knee);
    return NULL;
}

static void say_exercised(const settle_sweep_counts *counts, char *answer, size_t size) {
    const uint32_t few = settle_unexercised(counts);
    int used = snprintf(answer, size, "=");
    for (uint32_t field = 0; settle_policy_field_at(field); field++) {
        if (!(few >> field & 1))
            used += snprintf(answer + used, size - (size_t)used, " %s", settle_policy_field_at(field)->name);
    }
}

/* "INDEX POLICY" of a grid: the fields that differ from the policy's; "all POLICY": their number and their fingerprint. */
static const char *answer_grid(char *text, bool is_live, char *answer, size_t size) {
    bool (*const policy_of)(const settle_policy *, uint32_t, settle_policy *) =
        is_live ? settle_live_grid_policy : settle_grid_policy;
    const uint32_t count = is_live ? settle_live_grid_count() : settle_grid_count();
    const char *index = case_word(&text);
    settle_policy base = settle_policy_default(), made;
    const uint64_t *values = (const uint64_t *)(const void *)&made, *bases = (const uint64_t *)(const void *)&base;
    memset(&made, 0xA5, sizeof made);
    if (!index || (case_policy(text, &base) && strcmp(index, "refused"))) return "no policy";
    if (strcmp(index, "all") == 0) {
        settle_policy *all = malloc(count * sizeof *all);
        for (uint32_t i = 0; all && i < count; i++) policy_of(&base, i, &all[i]);
        if (all) snprintf(answer, size, "= %u, %08x", count, settle_sums_fingerprint(all, count));
        free(all);
        return NULL;
    }
    if (strcmp(index, "refused") == 0) base.lock_delay_ns = SETTLE_NEVER;
    if (strcmp(index, "older") == 0) base.size = offsetof(settle_policy, live_share_percent);
    if (!policy_of(&base, (uint32_t)strtoul(index, NULL, 10), &made))
        return made.size == 0xA5A5A5A5A5A5A5A5 ? "none" : "none, and writes";
    int used = snprintf(answer, size, made.size == base.size ? "=" : "= of another size");
    for (uint32_t field = 0; field < base.size / 8 - 1; field++) {
        char value[SETTLE_DURATION_BYTES];
        if (values[1 + field] == bases[1 + field]) continue;
        const int value_count = (int)settle_policy_write(field, values[1 + field], value);
        used += snprintf(answer + used, size - (size_t)used, " %s %.*s", settle_policy_field_at(field)->name,
                         value_count, value);
    }
    if (base.size < sizeof base && made.live_pause_ns != 0xA5A5A5A5A5A5A5A5) return "writes behind the policy";
    return NULL;
}

void case_advice_answer(const char *input, char *answer, size_t size) {
    settle_sweep_counts counts = {0};
    char copy[INPUT_MAX], *text = copy;
    snprintf(copy, sizeof copy, "%s", input);
    const char *verb = case_word(&text), *wrong = "no such question";
    if (strcmp(verb, "front") == 0 || strcmp(verb, "advise") == 0) {
        wrong = answer_points(text, verb[0] == 'f', answer, size);
    } else if (strcmp(verb, "grid") == 0 || strcmp(verb, "liveGrid") == 0) {
        wrong = answer_grid(text, verb[0] == 'l', answer, size);
    } else if (!case_read_counts(text, &counts)) {
        wrong = "no counts";
    } else if (strcmp(verb, "exercised") == 0) {
        say_exercised(&counts, answer, size);
        wrong = NULL;
    } else if (strcmp(verb, "weight") == 0) {
        snprintf(answer, size, "= %lluns", (unsigned long long)settle_builds_weight_ns(&counts));
        wrong = NULL;
    }
    if (wrong) snprintf(answer, size, "! %s", wrong);
}
