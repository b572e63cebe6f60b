/* What builds of a cost come to, by the sweep itself, for a log in the binary encoding: a line each for Settle and for
 * the four habits, with builds, work, busiest half second, wrong time, interactions' ends, those that are right at once, and
 * how long sizes are wrong after them (mean, p90; `none` without ends). Then a line for each report of Settle's
 * builds: the number of the event that it comes before, time, name's number, generation, cost, and `finished`, `kept` or
 * `givenUp`.
 *
 * usage: play LOG NS NS_PER_PIXEL SLOW_EVERY POLICY [any]
 *   POLICY   default, prepared, live, or a liveShare in percent
 *   any      live rebuilds whatever a build costs */
#include "play.h"
#include "settle_whole_log.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *reserve(size_t size) {
    void *memory = aligned_alloc(64, (size + 64) / 64 * 64);
    if (!memory) abort();
    return memory;
}

static void print(const settle_sweep_counts *counts) {
    unsigned percent = SETTLE_BUSY_PERCENTS - 1;
    while (percent > 0 && counts->busiest[percent] == 0) percent--;
    printf("%llu %llu %u %llu", (unsigned long long)counts->builds, (unsigned long long)counts->work_ns, percent,
           (unsigned long long)counts->wrong_ns);
    unsigned long long ends = 0;
    for (unsigned bucket = 0; bucket < SETTLE_LAG_BUCKETS; bucket++) ends += counts->right_after[bucket];
    printf(" %llu %llu ", ends, (unsigned long long)counts->right_after[0]);
    if (ends == 0) {
        puts("none none");
        return;
    }
    printf("%llu %llu\n", (unsigned long long)counts->right_after_ns / ends,
           (unsigned long long)settle_lag_quantile(counts->right_after, 900));
}

static settle_sweep_log log_played;
static FILE *reports;

static void ended(void *context, size_t next, const settle_event *report) {
    (void)context;
    unsigned slot_bits = 1;
    while ((uint32_t)1 << slot_bits < log_played.connections) slot_bits++;
    uint32_t number = report->scene & (((uint32_t)1 << slot_bits) - 1);
    const char *kept = report->flags & SETTLE_GIVEN_UP ? "givenUp" : "kept";
    fprintf(reports, "%zu %llu %u %u %llu %s\n", next, (unsigned long long)report->at_ns, log_played.scenes[number].name,
            (unsigned)report->generation, (unsigned long long)report->cost_ns,
            report->kind == SETTLE_PREVIEWED ? kept : "finished");
}

static settle_policy policy_of(const char *text) {
    settle_policy policy = settle_policy_default();
    if (strcmp(text, "prepared") == 0) return settle_policy_prepared();
    if (strcmp(text, "live") == 0) return settle_policy_live();
    if (atoi(text) > 0) policy.live_share_percent = (uint64_t)atoi(text);
    return policy;
}

int main(int argc, char **argv) {
    if (argc < 6) return 2;
    FILE *file = fopen(argv[1], "rb");
    if (!file) return 3;
    fseek(file, 0, SEEK_END);
    size_t count = (size_t)ftell(file);
    unsigned char *bytes = reserve(count);
    rewind(file);
    if (fread(bytes, 1, count, file) != count) return 3;
    fclose(file);
    settle_log_whole whole;
    settle_log_contents contents;
    if (settle_log_measure(bytes, count, false, &whole) != SETTLE_LOG_OK) return 3;
    size_t size = settle_log_whole_size(&whole);
    if (settle_log_read_whole(&whole, (uint64_t[]){1, 2}, reserve(size), size, &contents) != SETTLE_OK) return 3;
    uint32_t names = contents.names_count;
    size_t connections =
        settle_sweep_connections(contents.events, contents.count, names, reserve(names * sizeof(bool)));
    size = settle_sweep_log_size(contents.count, names, connections);
    if (settle_sweep_bind(contents.events, contents.count, names, connections, reserve(size), size, &log_played) != SETTLE_OK)
        return 3;
    settle_build_cost cost = {atof(argv[2]), atof(argv[3]), strtoull(argv[4], NULL, 10)};
    settle_policy policy = policy_of(argv[5]);
    if (argc > 6) policy.live_limit_ns = SETTLE_NEVER;
    settle_sweep_counts counts;
    memset(&counts, 0, sizeof counts);
    size = settle_sweep_play_size(&log_played);
    reports = tmpfile();
    if (!reports) return 3;
    const settle_play_watcher watcher = {ended, NULL};
    if (settle_sweep_play_watched(reserve(size), size, &log_played, &cost, &policy, 1, &counts, &watcher) != SETTLE_OK)
        return 3;
    print(&counts);
    for (unsigned habit = 0; habit < SETTLE_HABITS; habit++) {
        memset(&counts, 0, sizeof counts);
        settle_sweep_habit(&log_played, &cost, habit, &counts);
        print(&counts);
    }
    rewind(reports);
    for (int byte; (byte = getc(reports)) != EOF;) putchar(byte);
    return 0;
}
