/* Compares what a case expects with what was decided. */
#include "case_internal.h"

#include "settle_policy.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT_MAX = 2000 };

void case_say_time(uint64_t at_ns) {
    if (at_ns == INT64_MAX) case_say("latest");
    else if (at_ns % 1000000 == 0) case_say("%llu", (unsigned long long)(at_ns / 1000000));
    else case_say("%lluns", (unsigned long long)at_ns);
}

void case_say_size(double width, double height) {
    if (width == 0 && height == 0) case_say("nothing");
    else case_say("%.17gx%.17g", width, height);
}

/* All that a case can state of a decision. */
void case_say_decision(const case_run *run, const settle_decision *decision) {
    char took[SETTLE_DURATION_BYTES];
    int took_count = (int)settle_duration_write(decision->interaction_ns, took);
    case_say_time(decision->at_ns);
    if (run->scenes > 1) case_say(" %u", decision->scene);
    switch (decision->kind) {
    case SETTLE_INTERACTION_BEGAN: case_say(" began"); break;
    case SETTLE_INTERACTION_ENDED:
        case_say(" ended %s took %.*s", settle_reason_name(decision->reason), took_count, took);
        break;
    case SETTLE_LOCK_CHANGED: case_say(decision->locked ? " locked" : " unlocked"); break;
    case SETTLE_PREVIEW:
        case_say(" preview ");
        case_say_size(decision->width, decision->height);
        case_say(" from ");
        case_say_size(decision->previous_width, decision->previous_height);
        case_say(" generation %u", decision->generation);
        break;
    default:
        case_say(" %s ", settle_decision_kind_name(decision->kind));
        case_say_size(decision->width, decision->height);
        case_say(" %s from ", settle_reason_name(decision->reason));
        case_say_size(decision->previous_width, decision->previous_height);
        case_say(" generation %u prepared %s coalesced %u took ", decision->generation,
                 decision->prepared ? "yes" : "no", decision->coalesced);
        if (decision->follows_interaction == 1) case_say("%.*s", took_count, took);
        else case_say("nothing feedback %s", decision->feedback == 1 ? "yes" : "no");
    }
}

/* Whether a size, a time or another word is the same in an expectation and in a decision. */
static bool same_word(const char *expected, const char *actual) {
    double width, height, other_width, other_height;
    uint64_t time, other_time;
    if (strcmp(expected, actual) == 0) return true;
    if (case_size(actual, &width, &height) && case_size(expected, &other_width, &other_height))
        return width == other_width && height == other_height;
    return case_time(actual, &time) && case_time(expected, &other_time) && time == other_time;
}

/* Whether an expectation is a decision's: its first words, and of the pairs behind them those that it states. */
static bool same_decision(const char *text, const case_run *run, const settle_decision *decision) {
    static const char *const names[] = {"from", "generation", "prepared", "coalesced", "took", "feedback"};
    enum { NAMES = sizeof names / sizeof *names };
    const char *values[NAMES] = {NULL};
    char expected_text[TEXT_MAX], actual_text[TEXT_MAX], *word, *other;
    char *expected = expected_text, *actual = actual_text;
    size_t pair, words = 0;
    case_clear();
    case_say_decision(run, decision);
    snprintf(actual_text, sizeof actual_text, "%s", case_problem());
    snprintf(expected_text, sizeof expected_text, "%s", text);
    case_clear();
    while ((other = case_word(&actual))) {
        for (pair = 0; pair < NAMES && strcmp(other, names[pair]); pair++) continue;
        if (pair < NAMES) values[pair] = case_word(&actual);
        else if ((word = case_word(&expected)) && !same_word(word, other)) return false;
        else if (word == NULL && words < 2) return false; /* less than a time and a kind */
        words++;
    }
    while ((word = case_word(&expected))) {
        for (pair = 0; pair < NAMES && strcmp(word, names[pair]); pair++) continue;
        word = case_word(&expected);
        if (pair == NAMES || !values[pair] || !word || !same_word(word, values[pair])) return false;
    }
    return true;
}

/* Whether a scene, or the core, is as an expectation states it: "pending 1", "next none", "regressions 2". */
static bool same_fact(char *text, settle_core *core, const settle_scene *scenes) {
    static const struct {
        const char *name;
        bool (*is)(const settle_core *, settle_scene);
        bool expected;
    } states[] = {{"pending", settle_core_pending, true},         {"idle", settle_core_pending, false},
                  {"interacting", settle_core_interacting, true}, {"still", settle_core_interacting, false},
                  {"reports", settle_core_reports, true},         {"silent", settle_core_reports, false},
                  {"connected", settle_core_connected, true},     {"gone", settle_core_connected, false}};
    const settle_stats stats = settle_core_stats(core);
    const struct {
        const char *name;
        uint64_t value;
        bool is_time;
    } figures[] = {{"now", settle_core_now_ns(core), true},
                   {"next", settle_core_next_deadline_ns(core), true},
                   {"events", stats.events, false},
                   {"regressions", stats.regressions, false},
                   {"rejectedSizes", stats.rejected_size, false},
                   {"rejectedScenes", stats.rejected_scene, false},
                   {"rejectedEvents", stats.rejected_event, false},
                   {"feedback", stats.feedback, false},
                   {"scenes", stats.scenes - 1, false},
                   {"held", settle_core_buttons_held(core), false}};
    char *name = case_word(&text), *value = case_word(&text);
    if (!name || !value || case_word(&text))
        return case_say("'%s' is neither a decision nor a fact", name ? name : ""), false;
    for (size_t i = 0; i < sizeof states / sizeof *states; i++) {
        unsigned long scene = strtoul(value, NULL, 10);
        if (strcmp(name, states[i].name)) continue;
        if (scene >= 1 && scene <= CASE_SCENES_MAX && states[i].is(core, scenes[scene]) == states[i].expected)
            return true;
        return case_say("'%s %s' is not so", name, value), false;
    }
    for (size_t i = 0; i < sizeof figures / sizeof *figures; i++) {
        uint64_t expected = strtoull(value, NULL, 10);
        if (strcmp(name, figures[i].name)) continue;
        if (figures[i].is_time && !case_time(value, &expected)) expected = SETTLE_NEVER;
        if (figures[i].value == expected) return true;
        case_say("expected is %s %s, and it is ", name, value);
        if (figures[i].value == SETTLE_NEVER) case_say("none");
        else if (figures[i].is_time) case_say_time(figures[i].value);
        else case_say("%llu", (unsigned long long)figures[i].value);
        return false;
    }
    return case_say("nothing is called '%s'", name), false;
}

/* Items with a semicolon between them: decisions, which begin with a time, "..." for any before the next, and facts. */
bool case_same(const case_run *run, const char *text, settle_core *core, const settle_scene *scenes,
               const settle_decision *decisions, size_t count) {
    char copy[TEXT_MAX], *item = copy, *expected[CASE_DECISIONS_MAX], *facts[CASE_DECISIONS_MAX];
    size_t expected_count = 0, fact_count = 0;
    bool skips = false;
    snprintf(copy, sizeof copy, "%s", text);
    while (item) {
        char *rest = strchr(item, ';');
        if (rest) *rest++ = 0;
        item += strspn(item, " ");
        if (strcmp(item, "...") == 0) skips = true;
        else if ((*item >= '0' && *item <= '9') || strncmp(item, "latest ", 7) == 0) expected[expected_count++] = item;
        else if (*item) facts[fact_count++] = item;
        item = rest;
        if (expected_count == CASE_DECISIONS_MAX || fact_count == CASE_DECISIONS_MAX) break;
    }
    size_t first = skips && count > expected_count ? count - expected_count : 0;
    bool is_same = item == NULL && count - first == expected_count;
    for (size_t i = 0; is_same && i < expected_count; i++)
        is_same = same_decision(expected[i], run, &decisions[first + i]);
    if (!is_same) {
        case_say("expected\n   =%s\ndecided", text);
        for (size_t i = 0; i < count; i++) case_say(i == 0 ? "\n    " : "; "), case_say_decision(run, &decisions[i]);
        if (count == 0) case_say(" nothing");
    }
    for (size_t i = 0; is_same && i < fact_count; i++) is_same = same_fact(facts[i], core, scenes);
    return is_same;
}

static char letter_of(const settle_decision *decision) {
    double index = (decision->width - 100) / 10;
    return decision->height == 100 && index >= 0 && index < 26 && index == floor(index) ? (char)('a' + (int)index)
                                                                                        : '?';
}

bool case_same_drawing(const case_run *run, const settle_decision *decisions, size_t count, const char *pending) {
    static char drawn[CASE_ROWS][CASE_STEPS_MAX + 1];
    for (int row = 0; row < CASE_ROWS; row++) {
        memset(drawn[row], '.', run->columns);
        drawn[row][run->columns] = 0;
    }
    memcpy(drawn[CASE_PENDING], pending, run->columns);
    for (size_t i = 0; i < count; i++) {
        const settle_decision *decision = &decisions[i];
        size_t column = decision->at_ns / CASE_COLUMN_NS;
        int row = CASE_DRAG;
        char cell = '(', reason = 0;
        switch (decision->kind) {
        case SETTLE_INTERACTION_BEGAN: break;
        case SETTLE_INTERACTION_ENDED: cell = " )^D!"[decision->reason]; break;
        case SETTLE_LOCK_CHANGED: row = CASE_LOCKED, cell = decision->locked ? 'L' : 'l'; break;
        case SETTLE_PREVIEW: row = CASE_PREVIEW, cell = letter_of(decision); break;
        default: row = CASE_REBUILD, cell = letter_of(decision), reason = "     etdqmf1l"[decision->reason];
        }
        if (column >= run->columns) return case_say("a decision lies behind the last column"), false;
        /* Two decisions of one row in one column cannot be drawn. */
        drawn[row][column] = drawn[row][column] == '.' ? cell : '#';
        if (reason) drawn[CASE_REASON][column] = drawn[CASE_REASON][column] == '.' ? reason : '#';
    }
    bool is_same = true;
    for (int row = CASE_DRAG; row < CASE_ROWS; row++) {
        if (run->drawn[row]) is_same = is_same && strcmp(run->drawn[row], drawn[row]) == 0;
        else if (row < CASE_REASON) is_same = is_same && strspn(drawn[row], ".") == run->columns;
    }
    for (int pass = 0; !is_same && pass < 2; pass++) {
        case_say(pass ? "decided\n" : "drawn\n");
        for (int row = pass ? CASE_DRAG : 0; row < CASE_ROWS; row++) {
            const char *cells = pass ? drawn[row] : run->drawn[row];
            if (cells && (run->drawn[row] || row < CASE_REASON)) case_say("    %-8s %s\n", case_row_names[row], cells);
        }
    }
    return is_same;
}
