/* Points, and which of them are taken; and what counts say of a policy. */
#include "case_counts.h"
#include "case_internal.h"
#include "case_pairs.h"

#include "settle_policy.h"

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

void case_advice_answer(const char *input, char *answer, size_t size) {
    settle_sweep_counts counts = {0};
    char copy[INPUT_MAX], *text = copy;
    snprintf(copy, sizeof copy, "%s", input);
    const char *verb = case_word(&text), *wrong = "no such question";
    if (strcmp(verb, "front") == 0 || strcmp(verb, "advise") == 0) {
        wrong = answer_points(text, verb[0] == 'f', answer, size);
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
