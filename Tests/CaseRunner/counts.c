/* Logs, and what a sweep counts of them. */
#include "case_counts.h"
#include "case_internal.h"

#include "settle_policy.h"
#include "settle_sums.h"

#include <stdlib.h>
#include <string.h>

enum { TEXT_MAX = 2000, WORDS = sizeof(settle_sweep_counts) / sizeof(uint64_t) };

const char *const case_log_figures[CASE_LOG_FIGURES] = {
    "events", "connections", "interactions", "everyChange", "everyChangeWasted", "debounce", "debounceWasted"};
static const char *const habits[SETTLE_HABITS] = {"everySize", "throttle", "debounce", "live"};

/* The figures of settle_sweep_counts behind those of the reasons. */
enum figure_kind { NUMBER, DURATION, LAGS, PERCENTS };
static const struct {
    const char *name;
    size_t word;
    enum figure_kind kind;
} figures[] = {
#define FIGURE(name, member, kind)                                                                                     \
    { name, offsetof(settle_sweep_counts, member) / sizeof(uint64_t), kind }
    FIGURE("previews", previews, NUMBER), FIGURE("wasted", wasted, NUMBER),
    FIGURE("released", released, NUMBER), FIGURE("lag", lag, LAGS),
    FIGURE("builds", builds, NUMBER),     FIGURE("work", work_ns, DURATION),
    FIGURE("wrong", wrong_ns, DURATION),  FIGURE("busiest", busiest, PERCENTS),
    FIGURE("givenUp", given_up, NUMBER),  FIGURE("waits", right_after, LAGS),
};
enum { FIGURES = sizeof figures / sizeof *figures };

static const char *reason_name(size_t number) {
    return settle_reason_name((unsigned)(SETTLE_REBUILD_INTERACTION_ENDED + number));
}

/* A number, or with a unit a duration. */
static bool read_value(const char *word, size_t count, bool is_duration, uint64_t *value) {
    char *end;
    if (is_duration) return settle_duration_read(word, count, value);
    *value = strtoull(word, &end, 10);
    return count > 0 && end == word + count;
}

/* "NAME VALUE", and where a figure is a list "NAME VALUE VALUE*TIMES…". */
static bool read_figure(char *text, settle_sweep_counts *counts) {
    uint64_t *words = (uint64_t *)counts, value, times;
    char *name = case_word(&text), *word = case_word(&text);
    size_t number = 0, first = 0;
    enum figure_kind kind = NUMBER;
    if (name == NULL || word == NULL) return false;
    while (number < SETTLE_SWEEP_REASONS && strcmp(name, reason_name(number))) number++;
    if (number < SETTLE_SWEEP_REASONS) {
        first = number;
    } else {
        for (number = 0; number < FIGURES && strcmp(name, figures[number].name); number++) continue;
        if (number == FIGURES) return false;
        first = figures[number].word;
        kind = figures[number].kind;
    }
    if (kind == NUMBER || kind == DURATION)
        return read_value(word, strlen(word), kind == DURATION, &words[first]) && case_word(&text) == NULL;
    for (; word; word = case_word(&text)) {
        const size_t count = strcspn(word, "*");
        if (!read_value(word, count, kind == LAGS, &value)) return false;
        if (!(word[count] ? read_value(word + count + 1, strlen(word + count + 1), false, &times) : (times = 1)))
            return false;
        if (kind == PERCENTS && value >= SETTLE_BUSY_PERCENTS) return false;
        words[first + (kind == LAGS ? settle_lag_bucket(value) : value)] += times;
        if (strcmp(name, "waits") == 0) counts->right_after_ns += value * times;
    }
    return true;
}

bool case_read_counts(char *text, settle_sweep_counts *counts) {
    for (char *end; text && text[strspn(text, " ")]; text = end) {
        if ((end = strchr(text, ';'))) *end++ = 0;
        if (!read_figure(text, counts)) return false;
    }
    return true;
}

static void say_duration(uint64_t duration_ns) {
    char text[SETTLE_DURATION_BYTES];
    case_say(" %.*s", (int)settle_duration_write(duration_ns, text), text);
}

/* As a case states it; of lags and waits the shortest of their buckets. */
static void say_counts(const settle_sweep_counts *counts) {
    const uint64_t *words = (const uint64_t *)counts;
    for (size_t i = 0; i < SETTLE_SWEEP_REASONS; i++) {
        if (words[i]) case_say(" %s %llu;", reason_name(i), (unsigned long long)words[i]);
    }
    for (size_t i = 0; i < FIGURES; i++) {
        const uint64_t *of = words + figures[i].word;
        const size_t count = figures[i].kind == LAGS       ? SETTLE_LAG_BUCKETS
                             : figures[i].kind == PERCENTS ? SETTLE_BUSY_PERCENTS
                                                           : 1;
        bool is_named = false;
        for (size_t at = 0; at < count; at++) {
            if (of[at] == 0) continue;
            if (!is_named) case_say(" %s", figures[i].name);
            is_named = true;
            if (figures[i].kind == DURATION) say_duration(of[at]);
            else if (figures[i].kind == LAGS) say_duration(settle_lag_bucket_first_ns((uint32_t)at));
            else case_say(" %llu", (unsigned long long)(figures[i].kind == PERCENTS ? at : of[at]));
            if (count > 1 && of[at] > 1) case_say("*%llu", (unsigned long long)of[at]);
        }
        if (is_named) case_say(";");
    }
    if (counts->right_after_ns) case_say(" (waits in all"), say_duration(counts->right_after_ns), case_say(")");
}

/* "2ms+3ns/px+slow/7" */
static bool read_cost(const char *text, settle_build_cost *cost) {
    *cost = (settle_build_cost){0, 0, 0};
    for (const char *part = text; part; part = strchr(part, '+') ? strchr(part, '+') + 1 : NULL) {
        const size_t count = strcspn(part, "+"), pixel = sizeof "/px" - 1;
        uint64_t value;
        if (strncmp(part, "slow/", 5) == 0) {
            if (!read_value(part + 5, count - 5, false, &cost->slow_every)) return false;
        } else if (count > pixel && strncmp(part + count - pixel, "/px", pixel) == 0) {
            if (!settle_duration_read(part, count - pixel, &value)) return false;
            cost->ns_per_pixel = (double)value;
        } else {
            if (!settle_duration_read(part, count, &value)) return false;
            cost->ns = (double)value;
        }
    }
    return true;
}

/* What is asked: "log", "idle POLICY", "habit NAME", or a policy; and perhaps "cost COST" at its end. */
static bool read_question(const case_run *run, char *text, case_asked *asked) {
    static char cost_text[100];
    char *cost = strstr(text, "cost "), *first;
    asked->policy = run->policy;
    if (cost && (cost == text || cost[-1] == ' ')) {
        *cost = 0;
        cost += 5;
        if (!(cost = case_word(&cost)) || snprintf(cost_text, sizeof cost_text, "%s", cost) >= (int)sizeof cost_text ||
            !read_cost(cost, &asked->build_cost))
            return false;
        asked->cost = cost_text;
    }
    text += strspn(text, " ");
    if (strncmp(text, "log", 3) == 0 && text[3 + strspn(text + 3, " ")] == 0) {
        asked->kind = CASE_ASKED_LOG;
        return true;
    }
    if (strncmp(text, "habit ", 6) == 0) {
        asked->kind = CASE_ASKED_HABIT;
        text += 6;
        first = case_word(&text);
        for (size_t i = 0; first && i < SETTLE_HABITS; i++) {
            if (strcmp(first, habits[i]) == 0) asked->habit = habits[i];
        }
        return asked->habit != NULL;
    }
    if (strncmp(text, "idle", 4) == 0 && (text[4] == ' ' || text[4] == 0)) {
        asked->kind = CASE_ASKED_IDLE;
        text += 4;
    }
    return case_policy(text, &asked->policy) == NULL;
}

const case_asked *case_read_asked(const case_run *run, const char *text) {
    static case_asked asked;
    char copy[TEXT_MAX], *item = copy, *end;
    asked = (case_asked){.kind = CASE_ASKED_POLICY};
    bool is_read = snprintf(copy, sizeof copy, "%s", text) < TEXT_MAX && (item = strchr(copy, ':'));
    if (is_read) *item++ = 0, is_read = read_question(run, copy, &asked);
    if (is_read && asked.kind == CASE_ASKED_IDLE) {
        for (char *word; is_read && (word = case_word(&item));) {
            const uint32_t field = settle_policy_find(word, strlen(word));
            is_read = field != SETTLE_POLICY_NO_FIELD;
            asked.idle |= (uint32_t)1 << (field & 31);
        }
        item = NULL;
    }
    if (is_read && item && asked.kind != CASE_ASKED_LOG) is_read = case_read_counts(item, &asked.counts), item = NULL;
    for (; is_read && item && item[strspn(item, " ")]; item = end) {
        if ((end = strchr(item, ';'))) *end++ = 0;
        char *name = case_word(&item), *value = case_word(&item);
        size_t number = 0;
        while (name && number < CASE_LOG_FIGURES && strcmp(name, case_log_figures[number])) number++;
        is_read = value && number < CASE_LOG_FIGURES && read_value(value, strlen(value), false, &asked.log[number]);
    }
    return is_read ? &asked : (case_say("'=%s' asks and states nothing of a sweep", text), NULL);
}

/* A bound log, and what is counted of its events alone. */
typedef struct counted {
    settle_log_event raw[CASE_STEPS_MAX], events[CASE_STEPS_MAX];
    size_t count, connections;
    settle_sweep_log log;
    settle_baselines baselines;
    void *memory;
} counted;

static bool bind(const case_run *run, counted *to) {
    bool scratch[CASE_SCENES_MAX];
    settle_baseline_scene scenes[CASE_SCENES_MAX];
    *to = (counted){0};
    for (size_t i = 0; i < run->count; i++) {
        settle_log_event event = run->steps[i].event;
        if (run->steps[i].kind == CASE_LOOK) continue;
        if (run->steps[i].kind != CASE_EVENT)
            return case_say("line %d is no event of a log", run->steps[i].line), false;
        if (event.kind != SETTLE_POINTER) event.name--;
        to->raw[to->count++] = event;
    }
    memcpy(to->events, to->raw, sizeof to->raw);
    settle_baselines_start(scenes, run->scenes);
    settle_baselines_add(scenes, to->raw, to->count, &to->baselines);
    settle_baselines_finish(scenes, run->scenes, &to->baselines);
    to->connections = settle_sweep_connections(to->events, to->count, run->scenes, scratch);
    /* There may be room for more than there are. */
    const size_t room = 3 * to->connections + 2;
    const size_t size = settle_sweep_log_size(to->count, run->scenes, room);
    void *memory = case_memory(size, &to->memory);
    if (settle_sweep_bind(to->events, to->count, run->scenes, room, memory, size, &to->log) == SETTLE_OK &&
        to->log.connections == to->connections)
        return true;
    return case_say("the log is refused"), false;
}

/* Counts what is asked, onto counts that are 2^32 - 1 each; a policy twice in one core, alike. */
static bool count_asked(const counted *of, const case_asked *asked, settle_sweep_counts *counts) {
    static settle_sweep_counts sums[2];
    const settle_policy policies[2] = {asked->policy, asked->policy};
    const uint64_t before = UINT32_MAX;
    const settle_build_cost *cost = asked->cost ? &asked->build_cost : NULL;
    const size_t size = cost ? settle_sweep_play_size(&of->log) : settle_sweep_size(&of->log);
    void *allocated, *memory = case_memory(size, &allocated);
    int result = SETTLE_OK;
    for (size_t i = 0; i < 2 * WORDS; i++) ((uint64_t *)sums)[i] = before;
    if (asked->kind == CASE_ASKED_HABIT) {
        unsigned habit = 0;
        while (habits[habit] != asked->habit) habit++;
        settle_sweep_habit(&of->log, cost, habit, sums);
    } else if (cost) {
        result = settle_sweep_play(memory, size, &of->log, cost, policies, 2, sums);
    } else {
        result = settle_sweep_run(memory, size, &of->log, policies, 2, sums);
    }
    free(allocated);
    for (size_t i = 0; i < WORDS; i++) ((uint64_t *)counts)[i] = ((uint64_t *)sums)[i] - before;
    const bool is_same = asked->kind == CASE_ASKED_HABIT || memcmp(&sums[0], &sums[1], sizeof *sums) == 0;
    if (!is_same) case_say("counted otherwise in the same core's next run, ");
    return result == SETTLE_OK && is_same;
}

static bool same_idle(const counted *of, const case_asked *asked) {
    const size_t size = settle_sweep_size(&of->log);
    void *allocated, *memory = case_memory(size, &allocated);
    const uint32_t idle = settle_sweep_idle(memory, size, &of->log, &asked->policy);
    free(allocated);
    if (idle == asked->idle) return true;
    case_say("idle are");
    for (uint32_t field = 0; settle_policy_field_at(field); field++) {
        if (idle >> field & 1) case_say(" %s", settle_policy_field_at(field)->name);
    }
    return false;
}

static bool same_log(const counted *of, const case_asked *asked) {
    uint64_t interactions = 0;
    for (uint32_t number = 0; number < of->log.connections; number++)
        interactions += of->log.scenes[number].interactions;
    const settle_baselines *found = &of->baselines;
    const uint64_t actual[CASE_LOG_FIGURES] = {
        of->count,       of->log.connections,   interactions, found->every_change, found->every_change_wasted,
        found->debounce, found->debounce_wasted};
    if (memcmp(actual, asked->log, sizeof actual) == 0) return true;
    case_say("the log has");
    for (size_t i = 0; i < CASE_LOG_FIGURES; i++) {
        if (actual[i]) case_say(" %s %llu;", case_log_figures[i], (unsigned long long)actual[i]);
    }
    return false;
}

/* The same counts as one session's sums, and behind the other's as records that are added. */
static bool same_sums(const case_run *run, counted *of, const settle_policy *policies, size_t count,
                      const settle_sweep_counts *expected) {
    static settle_sweep_counts counts[SETTLE_SUMS_POLICIES_MAX];
    static unsigned char records[64 * SETTLE_SUMS_BYTES_MAX];
    settle_sums sums = {0};
    const size_t size = settle_sums_size(of->count, run->scenes, of->connections);
    void *allocated, *memory = case_memory(size, &allocated);
    size_t bytes = 0, written;
    memset(counts, 0, sizeof counts);
    const int result = settle_sums_count(of->raw, of->count, run->scenes, of->connections, policies, count, memory,
                                         size, &sums, counts);
    free(allocated);
    const settle_sums all = {1, of->count, of->log.connections, 0, of->baselines};
    if (result != SETTLE_OK || memcmp(&sums, &all, sizeof all) || memcmp(counts, expected, count * sizeof *counts))
        return case_say("settle_sums_count counts otherwise"), false;
    for (uint32_t from = 0; bytes + SETTLE_SUMS_BYTES_MAX <= sizeof records; bytes += written) {
        written = settle_sums_write(&sums, counts, policies, count, &from, records + bytes);
        if (written == 0) break;
    }
    memset(counts, 0, sizeof counts);
    sums = (settle_sums){0};
    if (settle_sums_add(records, bytes, policies, count, &sums, counts) == SETTLE_SUMS_ADDED &&
        memcmp(&sums, &all, sizeof all) == 0 && memcmp(counts, expected, count * sizeof *counts) == 0)
        return true;
    return case_say("the records of its sums add up otherwise"), false;
}

bool case_check_counts(const case_run *run, unsigned *ways) {
    static counted of;
    static settle_sweep_counts found, expected[SETTLE_SUMS_POLICIES_MAX];
    settle_policy policies[SETTLE_SUMS_POLICIES_MAX];
    size_t summed = 0;
    case_clear();
    bool is_same = bind(run, &of);
    for (size_t i = 0; i < run->count && is_same; i++, ++*ways) {
        if (run->steps[i].kind != CASE_LOOK) continue;
        const case_asked *asked = case_read_asked(run, run->steps[i].text);
        if (asked == NULL) is_same = false;
        else if (asked->kind == CASE_ASKED_IDLE) is_same = same_idle(&of, asked);
        else if (asked->kind == CASE_ASKED_LOG) is_same = same_log(&of, asked);
        else is_same = count_asked(&of, asked, &found) && memcmp(&found, &asked->counts, sizeof found) == 0;
        if (!is_same && asked && asked->kind <= CASE_ASKED_HABIT) case_say("counted are"), say_counts(&found);
        if (!is_same) case_say("\n(line %d)", run->steps[i].line);
        if (is_same && asked->kind == CASE_ASKED_POLICY && !asked->cost && summed < SETTLE_SUMS_POLICIES_MAX) {
            policies[summed] = asked->policy;
            expected[summed++] = found;
        }
    }
    if (is_same && summed > 0) is_same = same_sums(run, &of, policies, summed, expected), ++*ways;
    free(of.memory);
    return is_same;
}

bool case_write_asked(const case_run *run, FILE *file) {
    for (size_t i = 0; i < run->count; i++) {
        const case_asked *asked = run->steps[i].text ? case_read_asked(run, run->steps[i].text) : NULL;
        const char *separator = "";
        if (asked == NULL || asked->kind > CASE_ASKED_HABIT) continue;
        fprintf(file, "{\"policy\":");
        case_write_policy(&asked->policy, file);
        if (asked->habit) fprintf(file, ",\"habit\":\"%s\"", asked->habit);
        if (asked->cost) fprintf(file, ",\"cost\":\"%s\"", asked->cost);
        fprintf(file, ",\"counts\":{");
        for (size_t word = 0; word < WORDS; word++) {
            const unsigned long long value = ((const uint64_t *)&asked->counts)[word];
            if (value) fprintf(file, "%s\"%zu\":%llu", separator, word, value), separator = ",";
        }
        fprintf(file, "}}\n");
    }
    return !ferror(file);
}
