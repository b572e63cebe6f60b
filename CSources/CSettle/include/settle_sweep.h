/* What if: a log's events decided under many policies, and counted. Part of settle.h, which says
 * what times and sizes mean. Nothing here decides anything: a core does, once for each policy.
 *
 * No I/O and no allocation: the caller owns all memory. Calls that share no memory that is written
 * may run at the same time, so threads may share one settle_sweep_log, each with its own workspace
 * and counts. All counts are integers: however the policies or logs are split between threads or
 * machines, the sums are the same.
 *
 *     connections = settle_sweep_connections(events, count, names, scratch);
 *     settle_sweep_bind(events, count, names, connections, memory, settle_sweep_log_size(…), &log);
 *     settle_sweep_run(workspace, settle_sweep_size(&log), &log, policies, policies_count, counts);
 *     p95 = settle_lag_quantile(counts[0].lag, 950);
 */
#ifndef SETTLE_SWEEP_H
#define SETTLE_SWEEP_H

#include "settle_log.h"

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#pragma GCC visibility push(default)
#endif

#define SETTLE_ONE_MORE(constant, number, word) +1

enum {
    SETTLE_SWEEP_REASONS = 0 SETTLE_REBUILD_REASONS(SETTLE_ONE_MORE),
    SETTLE_LAG_BUCKETS = 1153, /* see settle_lag_bucket */
    /* A rebuild is wasted if another of the same connected scene follows within this time. */
    SETTLE_WASTED_NS = 1000000000,
    /* The delay of the fixed debounce that others use, for comparison. */
    SETTLE_DEBOUNCE_NS = 100000000,
    SETTLE_BUSY_PERCENTS = 101, /* see settle_sweep_counts */
    /* A size that changes so soon after an interaction's end belongs to it: X11's last size may follow the release. */
    SETTLE_FOLLOWS_NS = 100000000
};

/* What one policy decides about any number of logs. Add them up as 2,423 integers. */
typedef struct settle_sweep_counts {
    uint64_t rebuilds[SETTLE_SWEEP_REASONS]; /* by reason, from SETTLE_REBUILD_INTERACTION_ENDED on */
    uint64_t previews;
    uint64_t wasted;   /* rebuilds, see SETTLE_WASTED_NS */
    uint64_t released; /* rebuilds of SETTLE_REBUILD_INTERACTION_ENDED after a button's release */
    /* Rebuilds by their lag: the time from the later of the scene's last size change and its last
     * interaction's end to the rebuild. */
    uint64_t lag[SETTLE_LAG_BUCKETS];
    /* What a builder makes of it; zero without a settle_build_cost. */
    uint64_t builds;  /* that were begun, for a rebuild or for a preview that pays (rule 17) */
    uint64_t work_ns; /* what they cost; of those that were given up, until then */
    /* How wrong the shown size was: the integral over time of (|w − ws| + |h − hs|) / (w + h), where w × h is the
     * scene's size and ws × hs the one built last. It goes from the end of the scene's first build to the connection's
     * end; where the log ends before the last build does, to that build's end. The part is cut to 20 bits behind the
     * point, and is at most 4; a size counts for at most 36 minutes. */
    uint64_t wrong_ns;
    /* Connections by their busiest half second: the most that builds took of any, in percent, rounded up. Half
     * seconds begin at multiples of 5 ms. */
    uint64_t busiest[SETTLE_BUSY_PERCENTS];
    uint64_t given_up; /* builds for previews, as the size changed or another was to be built */
    /* Interactions by how long the shown size was wrong after them, and the sum. Counted are those that a report or a
     * release ended at another size than they began with, or had meanwhile. The time is from their end, or the last
     * change within SETTLE_FOLLOWS_NS of it, to the next change of the size or the connection's end. 0 is right at
     * once. */
    uint64_t right_after_ns;
    uint64_t right_after[SETTLE_LAG_BUCKETS];
} settle_sweep_counts;

/* The cost of a build: a fixed part, and one for each pixel of the size. A cost that is not above 0 is 0, and an
 * hour is the most. */
typedef struct settle_build_cost {
    double ns;
    double ns_per_pixel;
    /* Every so many-th build of a connection takes SETTLE_SLOW_TIMES as long, as garbage is collected or another
     * program is busy; 0: none does. */
    uint64_t slow_every;
} settle_build_cost;

enum { SETTLE_SLOW_TIMES = 4 };

/* The cost of the build of one size, in whole nanoseconds, if it is not a slow one. */
uint64_t settle_build_cost_ns(const settle_build_cost *cost, double width, double height);

/* The bucket of a lag. Below 32 ns a bucket has one value; above, its values differ by less than
 * 3.2 %. The last bucket has every lag from 2^40 ns (18 minutes) on. */
uint32_t settle_lag_bucket(uint64_t lag_ns);
/* A bucket's smallest and largest lag; SETTLE_NEVER is the largest of the last bucket. */
uint64_t settle_lag_bucket_first_ns(uint32_t bucket);
uint64_t settle_lag_bucket_last_ns(uint32_t bucket);
/* The largest lag of the bucket that the quantile is in, 0 for no lags: `permille` thousandths of
 * the lags, and at least one, are not longer. 0 … 1,000; more is 1,000. */
uint64_t settle_lag_quantile(const uint64_t *lag, uint32_t permille);

/* Of a log's events, whose scenes are numbers of names below `names`: how many connections of
 * scenes they make. A name that disconnects and comes back is connected twice. `scratch` has a
 * capacity of `names`. Events that settle_sweep_bind refuses connect nothing. */
size_t settle_sweep_connections(const settle_log_event *events, size_t count, uint32_t names, bool *scratch);

/* A connection of a scene in a bound log. */
typedef struct settle_sweep_scene {
    uint32_t name;        /* the number of its name in the log */
    uint32_t events;      /* its geometry events */
    uint32_t changes;     /* those that change its size */
    size_t first;         /* of its events in changed_ns, of its changes, and of its interactions in `ended` */
    uint64_t ends_ns;     /* when it disconnects, or the log's last time */
    uint32_t disconnects; /* 1 if it disconnects */
    /* Its interactions that a report or a release ended and that changed the size, under the default policy. */
    uint32_t interactions;
} settle_sweep_scene;

/* A log's events, bound to connected scenes. Written by settle_sweep_bind. */
typedef struct settle_sweep_log {
    const settle_event *events; /* for a core of as many scenes as there are connections */
    size_t count;
    const settle_sweep_scene *scenes; /* of all connections; a scene's slot is its number here */
    const uint64_t *changed_ns;       /* for each geometry event: its scene's last size change */
    const uint32_t *changes;          /* indices of the events that change their scene's size */
    uint32_t connections;
    uint32_t reports; /* 1 if there are SETTLE_FINISHED or SETTLE_PREVIEWED events */
    /* For each interaction the index of the event from which its last size should be shown. */
    const uint32_t *ended;
} settle_sweep_log;

/* Bytes of memory to bind a log, aligned to 64; 0 if there are more connections than
 * SETTLE_SCENES_MAX, more than 2^32 − 1 events (on 32 bits: than fit its memory), or more than 2^28
 * names. */
size_t settle_sweep_log_size(size_t count, uint32_t names, size_t connections);

/* Binds a log's events in place: afterwards `events` are those of log->events, with the times at which a core
 * applies them, and must not be bound again. `memory` and `events` must outlive the log. What a core rejects (a size or time out of range,
 * a disconnect of a scene that is not connected, one button too many) is rejected here as well.
 * SETTLE_INVALID: memory that is null, misaligned or too small, more connections than given, a name
 * out of range, or a kind that no log has; `events` may have changed, and `log` has not. */
int settle_sweep_bind(settle_log_event *events, size_t count, uint32_t names, size_t connections, void *memory,
                      size_t size, settle_sweep_log *log);

/* Bytes of workspace for settle_sweep_run, or for settle_sweep_play, aligned to 64. */
size_t settle_sweep_size(const settle_sweep_log *log);
size_t settle_sweep_play_size(const settle_sweep_log *log);

/* Decides a log under each policy, and adds what was decided to counts[i] for policies[i]. The
 * workspace may be used for any number of logs that it is large enough for. Reports in the log are those of
 * the rebuilds that were decided when it was recorded, and are fed as they are.
 * SETTLE_INVALID: a workspace that is null, misaligned or too small, or a policy out of range; nothing
 * is counted for that policy and those after it. */
int settle_sweep_run(void *workspace, size_t size, const settle_sweep_log *log, const settle_policy *policies,
                     size_t policies_count, settle_sweep_counts *counts);

/* The same as a closed loop: a builder for each connection builds what is decided, one size at a time, and the last
 * one that is decided meanwhile next. Its report is an event at the build's end, before the log's own events of that
 * time. The log's reports are left out.
 *
 * With pauseShare (rule 17) the builder also begins a build at a preview, when it has no other work. It is kept when it
 * is done, and reported; it is given up, and reported, at the next change of size. A prepared rebuild shows what is kept
 * at once, or what is under way when that is done, and is reported then with the whole cost. Any other rebuild cuts off
 * what is under way, and drops what is kept; a preview drops what is kept as well. */
int settle_sweep_play(void *workspace, size_t size, const settle_sweep_log *log, const settle_build_cost *cost,
                      const settle_policy *policies, size_t policies_count, settle_sweep_counts *counts);

/* The durations, as bits of settle_policy_changes, that nothing in a log waits for, of those that the grids vary.
 * Policies are counted alike that differ in them alone, and that have the firstDelay, maximumWait and
 * interactionTimeout of `policy`, and its pauseShare unless that is among them. Decide one of them, with builds or
 * without. 0 also for what settle_sweep_run refuses. */
uint32_t settle_sweep_idle(void *workspace, size_t size, const settle_sweep_log *log, const settle_policy *policy);

/* What programs without an engine do, with the same builder: they see sizes alone. */
enum settle_habit {
    SETTLE_HABIT_EVERY_SIZE = 0, /* every size, one build at a time */
    /* At once, and then every SETTLE_THROTTLE_NS while sizes change, unless the size is the one decided last. */
    SETTLE_HABIT_THROTTLE = 1,
    SETTLE_HABIT_DEBOUNCE = 2, /* SETTLE_DEBOUNCE_NS after the last change */
    SETTLE_HABIT_LIVE = 3,     /* every size, until a build took more than SETTLE_HABIT_LIMIT_NS; then by debounce */
    SETTLE_HABITS = 4,
    SETTLE_THROTTLE_NS = 50000000,
    SETTLE_HABIT_LIMIT_NS = 16000000
};

/* Adds what such a program builds: builds, work_ns, wrong_ns, busiest, right_after and its sum; and of the sizes that
 * it decides to build, those wasted and their lags. Without a cost, NULL, what it decides is built at once, and only these and builds are
 * counted. `habit` is below SETTLE_HABITS. */
void settle_sweep_habit(const settle_sweep_log *log, const settle_build_cost *cost, unsigned habit,
                        settle_sweep_counts *counts);

/* What the lags of a connection's rebuilds need of its decisions so far; all zero before the first. */
typedef struct settle_sweep_known {
    uint64_t ended_ns; /* the last interaction's end, 0 for none */
    uint64_t applied;  /* geometry events until the last rebuild */
} settle_sweep_known;

/* Notes the next decision that a core makes about the connection `number` of a log. Of a rebuild, the
 * time from which its lag counts: the later of the scene's last size change and its last interaction's
 * end. Of any other decision, its own time. */
uint64_t settle_sweep_since_ns(const settle_sweep_log *log, uint32_t number, const settle_decision *decision,
                               settle_sweep_known *known);

/* The grid of policies that settle tune and the report's page try: the policy of an index below
 * settle_grid_count(), which is `base` in all fields that the grid leaves alone. Where the grid lacks
 * the value of `base`, that takes the place of the grid's nearest one, so `base` is in its own grid.
 * False, and nothing is written, for an index or a `base` out of range. */
uint32_t settle_grid_count(void);
bool settle_grid_policy(const settle_policy *base, uint32_t index, settle_policy *policy);

/* The same with policies that build before an end, for a closed loop: live rebuilds by share, limit and pause, or
 * previews that are paid for, by delay and share. It varies the other delays less, and calmDelay not. */
uint32_t settle_live_grid_count(void);
bool settle_live_grid_policy(const settle_policy *base, uint32_t index, settle_policy *policy);

/* What a policy is judged by. With a settle_build_cost others take these places. The work in µs takes that of the
 * rebuilds; the wrong time in µs, as a bucket, that of the lag; and the busiest half second in percent that of
 * the wasted rebuilds. */
typedef struct settle_front_point {
    uint64_t rebuilds;
    uint64_t wasted;
    uint32_t lag_bucket;        /* of the lag that 95 % of the rebuilds do not exceed, settle_lag_bucket */
    uint32_t median_lag_bucket; /* of that which half of them do not exceed */
    uint64_t changes;           /* settle_policy_changes from today's policy */
} settle_front_point;

#define SETTLE_FRONT_NO_KNEE 0xffffffffu

/* The Pareto front: the points that no other is better than, with fewer rebuilds or a shorter lag and
 * not more of the other. Of points that have both in common one is on the front: that with the
 * fewest wasted rebuilds, then that with the shortest median lag, then the fewest changes, and of
 * several the first. Writes their indices by rising rebuilds and falling lag, at most
 * SETTLE_LAG_BUCKETS, and returns how many. A point with a bucket out of range is left out.
 *
 * *knee is the index of the point at the front's knee, or SETTLE_FRONT_NO_KNEE. Rebuilds and lag are
 * scaled linearly, so that they are 0 and 1 at the front's ends. The knee is the farthest below
 * the line between the ends, in steps of 10^-9; of several the one with the fewest rebuilds. */
size_t settle_front(const settle_front_point *points, uint32_t count, uint32_t *indices, uint32_t *knee);

/* Which durations of two policies differ: bit n for the n-th one of settle_policy, from 0 for
 * first_delay_ns on. */
uint32_t settle_policy_changes(const settle_policy *policy, const settle_policy *today);

/* Fewer rebuilds than these do not say how long a delay should be. */
enum { SETTLE_EXERCISED_LEAST = 30 };

/* The durations, as bits of settle_policy_changes, that fewer than SETTLE_EXERCISED_LEAST rebuilds of
 * these counts exercise. A rebuild exercises the delay that it waited for, by its reason: `first`
 * first_delay_ns; `interactionEnded` released_end_delay_ns after a release, else reported_end_delay_ns;
 * `timeout` interaction_timeout_ns and reported_end_delay_ns; `discrete` discrete_delay_ns; `quiet`
 * quiet_delay_ns, jump_delay_ns and calm_delay_ns; `maximumWait` maximum_wait_ns. `live` exercises the fields of live
 * rebuilds, `flush` none, and no rebuild lock_delay_ns, pause_delay_ns or pause_share_percent. Reads no lags. */
uint32_t settle_unexercised(const settle_sweep_counts *counts);

#define SETTLE_NO_ADVICE 0xffffffffu
#define SETTLE_ANY_LAG 0xffffffffu

/* The point to take, or SETTLE_NO_ADVICE: one that changes no duration of `unexercised`, which are those that
 * settle_unexercised finds in what today's policy decided.
 *
 * With a bound, SETTLE_ANY_LAG or SETTLE_NEVER for none, a point exceeds neither. Of such points that
 * with the fewest rebuilds is taken or, if only wasted rebuilds are bounded, that with the shortest lag.
 *
 * Without a bound a point has neither more rebuilds nor more wasted ones than `today`, and no longer median lag
 * where it has as many of both. Of the front of such points its knee is taken. If it has none, that with the
 * fewest rebuilds whose lag is not longer than today's. There always is one, as `today` is such a point itself.
 *
 * So no point that may be taken has as many rebuilds and wasted ones as the one that is, one shorter lag, and no longer
 * other one.
 *
 * Equal points are decided as by settle_front. `today` is an index below `count`. */
uint32_t settle_advise(const settle_front_point *points, uint32_t count, uint32_t today, uint32_t unexercised,
                       uint32_t lag_bucket_max, uint64_t wasted_max);

/* What a policy is weighed by in a closed loop; less is better: the wrong time, twice the waits after ends, and a third of
 * the work. So a second that people wait for the right size after an end counts as much as six seconds of work. */
uint64_t settle_builds_weight_ns(const settle_sweep_counts *counts);

/* Two common ways of handling resizes, for comparison: a rebuild at every changed size, and a
 * debounce by a fixed delay, a timer that each changed size restarts. Like common debounce timers it
 * ignores interactions and does not compare sizes. A disconnect drops a scene's size and cancels
 * its timer. Sizes that a core rejects or keeps are no changes, and an event with a time beyond
 * INT64_MAX does nothing. Times are the events' own, where a core's time never goes back: of two
 * rebuilds whose times go back the first is not wasted. */
typedef struct settle_baseline_scene {
    double width, height;
    uint64_t changed_ns; /* the last change, SETTLE_NEVER for none */
    uint64_t fires_ns;   /* when the debounce rebuilds, SETTLE_NEVER for not at all */
    uint64_t fired_ns;   /* when it did last, SETTLE_NEVER for never */
} settle_baseline_scene;

typedef struct settle_baselines {
    uint64_t every_change, every_change_wasted; /* SETTLE_WASTED_NS, as for policies */
    uint64_t debounce, debounce_wasted;
} settle_baselines;

/* No event yet: for one scene of each name. */
void settle_baselines_start(settle_baseline_scene *scenes, size_t names);
/* Applies a log's next events, whose names are below the number of `scenes`, and counts. */
void settle_baselines_add(settle_baseline_scene *scenes, const settle_log_event *events, size_t count,
                          settle_baselines *counts);
/* The log's end: timers that run fire. */
void settle_baselines_finish(const settle_baseline_scene *scenes, size_t names, settle_baselines *counts);

/* What an event does to the baselines of its scene, for a picture. */
enum settle_baseline_step {
    SETTLE_BASELINE_CHANGED = 1 << 0, /* the size changed, at the event's time */
    SETTLE_BASELINE_FIRED = 1 << 1    /* before the event, the debounce rebuilt at what fires_ns was */
};
/* Applies one event of the scene, no pointer event: bits of enum settle_baseline_step. */
unsigned settle_baseline_step(settle_baseline_scene *scene, const settle_log_event *event);

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#ifdef __cplusplus
}
#endif
#endif
