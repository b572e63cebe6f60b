/* Counts what policies decide about the log, and plays it with a builder: the reports of its builds are events. */
#include "page_wasm.h"
#include "play.h"

static settle_sweep_counts counts;
static settle_policy grid_policy;

/* The logs that are counted together, the one that was opened last at the front. */
typedef struct kept_log {
    settle_sweep_log bound;
    const struct kept_log *next;
} kept_log;
static const kept_log *kept;
/* For the largest of them. */
static void *workspace;
static size_t workspace_size;

/* What builds cost; without it the log's own reports are fed. */
static settle_build_cost cost;
static bool has_cost, has_habits;

/* Builds, work, busiest half second in percent, wrong time, ends of interactions at another size, those at which it is
 * shown, and how long it is not: the sum, and what 90 % of them do not exceed. Of Settle, and of each habit. */
enum { FIGURES = 8 };
static double figures[(1 + SETTLE_HABITS) * FIGURES];

static void write_figures(const settle_sweep_counts *played, unsigned of) {
    uint32_t percent = SETTLE_BUSY_PERCENTS - 1;
    while (percent > 0 && played->busiest[percent] == 0) percent--;
    double *into = &figures[of * FIGURES];
    into[0] = (double)played->builds;
    into[1] = (double)played->work_ns;
    into[2] = percent;
    into[3] = (double)played->wrong_ns;
    into[4] = 0;
    for (unsigned bucket = 0; bucket < SETTLE_LAG_BUCKETS; bucket++) into[4] += (double)played->right_after[bucket];
    into[5] = (double)played->right_after[0];
    into[6] = (double)played->right_after_ns;
    into[7] = (double)settle_lag_quantile(played->right_after, 900);
}

/* What a play's reports are noted in. */
static struct page_reports {
    struct page_report {
        settle_event event;
        size_t next;
    } *all;
    size_t count;
    bool is_full;
} reports;

static void add_report(void *context, size_t next, const settle_event *report) {
    (void)context;
    if (reports.is_full || !page_extend(sizeof *reports.all)) {
        reports.is_full = true;
        return;
    }
    reports.all[reports.count++] = (struct page_report){*report, next};
}

/* The log's events with the reports in their places, and without its own. */
static bool merge(page_stream *stream) {
    const settle_sweep_log *log = &page.bound;
    settle_event *events = page_reserve((log->count + reports.count + 1) * sizeof *events);
    if (!events) return false;
    size_t count = 0, report = 0;
    for (size_t i = 0; i <= log->count; i++) {
        while (report < reports.count && reports.all[report].next == i) events[count++] = reports.all[report++].event;
        if (i < log->count && !settle_event_is_report(log->events[i].kind)) events[count++] = log->events[i];
    }
    *stream = (page_stream){events, count};
    return true;
}

bool page_play(const settle_policy *policy, page_stream *stream) {
    *stream = (page_stream){page.bound.events, page.bound.count};
    if (!has_cost) return true;
    reports = (struct page_reports){page_reserve(0), 0, false};
    if (!reports.all) return false;
    const settle_play_watcher watcher = {add_report, NULL};
    memset(&counts, 0, sizeof counts);
    if (settle_sweep_play_watched(workspace, workspace_size, &page.bound, &cost, policy, 1, &counts, &watcher) != SETTLE_OK)
        return false;
    write_figures(&counts, 0);
    return !reports.is_full && merge(stream);
}

/* What builds cost from the next page_decide on; NaN for what the log's reports say. */
void EXPORT(page_cost)(double ns, double ns_per_pixel, double slow_every) {
    has_cost = ns == ns;
    has_habits = false;
    cost = (settle_build_cost){ns, ns_per_pixel, (uint64_t)slow_every};
}

/* Null without a cost. Settle's are of the last page_decide. */
const double *EXPORT(page_figures)(void) {
    if (!has_cost) return NULL;
    for (unsigned habit = 0; !has_habits && habit < SETTLE_HABITS; habit++) {
        memset(&counts, 0, sizeof counts);
        settle_sweep_habit(&page.bound, &cost, habit, &counts);
        write_figures(&counts, 1 + habit);
    }
    has_habits = true;
    return figures;
}

/* Rebuilds, wasted ones, previews, lags in ns (p50, p95), and the work of the builds if they are played. */
enum { ROW_DOUBLES = 6 };
static double row[ROW_DOUBLES];

/* Counts a log, or all of them for null. Null for a policy that is out of range. */
static const double *sweep(const settle_policy *swept, const kept_log *one, bool plays) {
    const bool waits_for_reports = swept->live_share_percent != SETTLE_NEVER || swept->pause_share_percent != SETTLE_NEVER;
    bool is_played = has_cost && (plays || waits_for_reports);
    memset(&counts, 0, sizeof counts);
    for (const kept_log *log = one ? one : kept; log; log = one ? NULL : log->next) {
        int result = is_played
                         ? settle_sweep_play(workspace, workspace_size, &log->bound, &cost, swept, 1, &counts)
                         : settle_sweep_run(workspace, workspace_size, &log->bound, swept, 1, &counts);
        if (result != SETTLE_OK) return NULL;
    }
    row[0] = 0;
    for (int i = 0; i < SETTLE_SWEEP_REASONS; i++) row[0] += (double)counts.rebuilds[i];
    row[1] = (double)counts.wasted;
    row[2] = (double)counts.previews;
    row[3] = (double)settle_lag_quantile(counts.lag, 500);
    row[4] = (double)settle_lag_quantile(counts.lag, 950);
    row[5] = (double)counts.work_ns;
    return row;
}

/* Counts the log that was opened last from now on, with the others. Null if there is no memory. */
const kept_log *EXPORT(page_keep)(void) {
    size_t size = settle_sweep_play_size(&page.bound);
    if (size > workspace_size && !(workspace = page_reserve(workspace_size = size))) return NULL;
    kept_log *log = page_reserve(sizeof *log);
    if (!log) return NULL;
    *log = (kept_log){page.bound, kept};
    return kept = log;
}
/* Counts what the policy at page_policy() decides about a log, or about all for null; with the work of its builds. */
const double *EXPORT(page_count)(const kept_log *log) { return sweep(page_policy(), log, true); }

/* The durations that few of the rebuilds waited for that were counted last. */
uint32_t EXPORT(page_unexercised)(void) { return settle_unexercised(&counts); }

/* The durations that nothing in any log waits for. */
uint32_t EXPORT(page_idle)(void) {
    uint32_t idle = UINT32_MAX;
    for (const kept_log *log = kept; log; log = log->next) {
        idle &= settle_sweep_idle(workspace, workspace_size, &log->bound, page_policy());
    }
    return idle;
}

uint32_t EXPORT(page_grid_count)(void) { return settle_grid_count(); }
/* Writes a policy of the grid around the one at page_policy() into another place, and returns it. */
const settle_policy *EXPORT(page_grid_policy)(uint32_t index) {
    return settle_grid_policy(page_policy(), index, &grid_policy) ? &grid_policy : NULL;
}
/* The durations in which it differs from the one at page_policy(). */
uint32_t EXPORT(page_grid_changes)(uint32_t index) {
    const settle_policy *policy = page_grid_policy(index);
    return policy ? settle_policy_changes(policy, page_policy()) : 0;
}
/* Counts a policy of the grid; null for one that is out of range. */
const double *EXPORT(page_grid_counts)(uint32_t index) {
    if (!settle_grid_policy(page_policy(), index, &grid_policy)) return NULL;
    return sweep(&grid_policy, NULL, false);
}
