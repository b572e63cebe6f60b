/* Settle's decision core: geometry events in, decisions out.
 *
 * The core is a plain state machine. It reads no clock, does no I/O, starts no thread and
 * never allocates: the caller owns one workspace, and time is an argument. Calls on one core
 * must not overlap; they may come from different threads. Functions without a core may be
 * called from any thread.
 *
 * Times are absolute nanoseconds on any clock, 0 … INT64_MAX. Sizes are in the producer's
 * unit, pixels or points.
 *
 *     settle_config config = settle_config_default();
 *     void *workspace = my_alloc(settle_core_size(&config));
 *     settle_core *core;
 *     settle_core_init(workspace, settle_core_size(&config), &config, &core);
 *     settle_core_connect(core, 0, &scene);
 *     settle_core_submit(core, events, count, &accepted);
 *     settle_core_advance(core, now_ns);
 *     settle_core_pop_decisions(core, decisions, capacity);
 */
#ifndef SETTLE_H
#define SETTLE_H

#include "settle_event.h"

#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The functions of the public headers are what a shared library exports; the symbols are
 * listed in settle.map. */
#if defined(__GNUC__)
#pragma GCC visibility push(default)
#endif

/* The version of this header; settle_version() is that of the library. */
#define SETTLE_VERSION_MAJOR 0
#define SETTLE_VERSION_MINOR 2
#define SETTLE_VERSION_PATCH 0
#define SETTLE_VERSION_HEX ((SETTLE_VERSION_MAJOR << 16) | (SETTLE_VERSION_MINOR << 8) | SETTLE_VERSION_PATCH)

/* The library's version in the form of SETTLE_VERSION_HEX, and as text ("0.2.0"). */
uint32_t settle_version(void);
const char *settle_version_string(void);

/* A duration that never ends, and the deadline of a core in which none is armed. */
#define SETTLE_NEVER UINT64_MAX

/* Result codes: zero for success, negative for an error. */
enum settle_result {
    SETTLE_OK = 0,
    SETTLE_FULL = -1,    /* a bound is reached: decisions, scenes or policies */
    SETTLE_INVALID = -2, /* an argument is out of range; nothing changed */
    SETTLE_STALE = -3,   /* the scene handle is unknown, or its scene disconnected */
    SETTLE_BUSY = -4     /* a connected scene uses the policy */
};

/* The name of a code in this header, such as "SETTLE_FULL"; "unknown" for any other number.
 * Static text. */
const char *settle_result_name(int result);

/* A preview: the size stands still, and work for it can begin; it is no rebuild (rule 17). */
#define SETTLE_DECISION_KINDS(ROW)                                                                                     \
    ROW(SETTLE_INTERACTION_BEGAN, 0, "interactionBegan")                                                               \
    ROW(SETTLE_INTERACTION_ENDED, 1, "interactionEnded")                                                               \
    ROW(SETTLE_REBUILD, 2, "rebuild")                                                                                  \
    ROW(SETTLE_LOCK_CHANGED, 3, "lockChanged")                                                                         \
    ROW(SETTLE_PREVIEW, 4, "preview")

enum settle_decision_kind { SETTLE_DECISION_KINDS(SETTLE_ENUMERATOR) };

/* Why an interaction ended. */
#define SETTLE_END_REASONS(ROW)                                                                                        \
    ROW(SETTLE_ENDED_REPORTED, 1, "reported")                                                                          \
    ROW(SETTLE_ENDED_RELEASED, 2, "released")                                                                          \
    ROW(SETTLE_ENDED_DISCONNECTED, 3, "disconnected")                                                                  \
    ROW(SETTLE_ENDED_TIMEOUT, 4, "timeout")

/* Why a rebuild is due. The word of SETTLE_REBUILD_TIMEOUT is that of SETTLE_ENDED_TIMEOUT on purpose: the contract says
 * both of the watchdog. No other two words are equal. First: nothing was built. Live: the last build has paid for
 * itself, rule 18. */
#define SETTLE_REBUILD_REASONS(ROW)                                                                                    \
    ROW(SETTLE_REBUILD_INTERACTION_ENDED, 5, "interactionEnded")                                                       \
    ROW(SETTLE_REBUILD_TIMEOUT, 6, "timeout")                                                                          \
    ROW(SETTLE_REBUILD_DISCRETE, 7, "discrete")                                                                        \
    ROW(SETTLE_REBUILD_QUIET, 8, "quiet")                                                                              \
    ROW(SETTLE_REBUILD_MAXIMUM_WAIT, 9, "maximumWait")                                                                 \
    ROW(SETTLE_REBUILD_FLUSH, 10, "flush")                                                                             \
    ROW(SETTLE_REBUILD_FIRST, 11, "first")                                                                             \
    ROW(SETTLE_REBUILD_LIVE, 12, "live")

enum settle_reason {
    SETTLE_REASON_NONE = 0,
    SETTLE_END_REASONS(SETTLE_ENUMERATOR) SETTLE_REBUILD_REASONS(SETTLE_ENUMERATOR)
};

/* The contract's names, such as "rebuild" or "interactionEnded"; "none" for
 * SETTLE_REASON_NONE, "unknown" for a number that this header does not name. Static text. */
const char *settle_decision_kind_name(unsigned kind);
const char *settle_reason_name(unsigned reason);

/* Feedback: a program whose build changes the size that it is for, so that each build asks for another one, for ever.
 * A rebuild follows the scene's last one if neither an interaction nor another policy began in between, and the size
 * changed in between by SETTLE_FEEDBACK_FRAME_NS after that one's build had ended, and not later. A build ends at its
 * SETTLE_FINISHED, or without one that of the decision. Rebuilds are feedback from when they have followed one another
 * for 5 s. One counts as 250 ms if it waited until the size had stood still for two such frames. Else, or if it is live,
 * it counts as long as the build before had ended, 250 ms at most, and follows only if the size stood still or one
 * geometry event came. It is a diagnosis: nothing is decided otherwise. SETTLE_REALLY_BUILT with the size that the build
 * gives its scene ends it. */
#define SETTLE_FEEDBACK_FRAME_NS 20000000

/* One decision, 64 bytes. */
typedef struct settle_decision {
    uint64_t at_ns; /* the deadline or the event's time, not the caller's clock */
    double width;   /* rebuild: the size to build; preview: the size that stands still */
    double height;
    double previous_width; /* rebuild and preview: the built size before, zero for none */
    double previous_height;
    SETTLE_UNION {
        /* interactionEnded, and the rebuild that follows it: how long the interaction took; of other decisions zero */
        uint64_t interaction_ns;
        uint64_t feedback; /* rebuild that follows no interaction: 1 if it is feedback, see SETTLE_FEEDBACK_FRAME_NS */
    };
    settle_scene scene;
    uint32_t generation; /* rebuild and preview, each for itself: 1 for the scene's first, then 2, 3 … */
    uint32_t coalesced;  /* rebuild: geometry events since the scene's last one */
    uint8_t kind;        /* enum settle_decision_kind */
    uint8_t reason;      /* enum settle_reason */
    SETTLE_UNION {
        uint8_t locked;   /* lockChanged: 0 or 1 */
        uint8_t prepared; /* rebuild: 1 if work for this size is done or under way since its preview (rule 17) */
    };
    uint8_t follows_interaction; /* rebuild: 1 if it stems from an interaction (rule 6) */
} settle_decision;

/* The durations of the rules, 0 … SETTLE_DELAY_MAX nanoseconds each, and the shares of rules 17 and 18.
 * docs/reference/contract.md says what each is for. SETTLE_NEVER switches off those that may be.
 * Start from settle_policy_default(): it sets `size`, and fields that a later version adds have
 * their defaults. */
typedef struct settle_policy {
    uint64_t size; /* sizeof(settle_policy) as the caller was compiled */
    uint64_t first_delay_ns;
    uint64_t reported_end_delay_ns;
    uint64_t released_end_delay_ns;
    uint64_t discrete_delay_ns;
    uint64_t quiet_delay_ns;
    uint64_t jump_delay_ns; /* or SETTLE_NEVER */
    uint64_t calm_delay_ns;
    uint64_t lock_delay_ns;
    uint64_t pause_delay_ns;         /* or SETTLE_NEVER; needs SETTLE_PREVIEWS in settle_config */
    uint64_t pause_share_percent;    /* 1 … 100, or SETTLE_NEVER */
    uint64_t maximum_wait_ns;        /* or SETTLE_NEVER */
    uint64_t interaction_timeout_ns; /* or SETTLE_NEVER */
    uint64_t live_share_percent;     /* 1 … 100, or SETTLE_NEVER; needs SETTLE_LIVE_REBUILDS in settle_config */
    uint64_t live_limit_ns;          /* or SETTLE_NEVER */
    uint64_t live_interval_ns;
    uint64_t live_pause_ns; /* or SETTLE_NEVER */
} settle_policy;

/* 2^60 ns, about 36 years. Plain literals: Swift does not import a macro with a cast. */
#define SETTLE_DELAY_MAX 1152921504606846976u
/* A handle splits 32 bits between slot and generation. */
#define SETTLE_SCENES_MAX 1048576u
#define SETTLE_POLICIES_MAX 65536u
#define SETTLE_DECISIONS_MAX 16777216u
/* Buttons that can be held at the same time. */
#define SETTLE_BUTTONS_MAX 16

/* What policies may have, each for at most 64 more bytes a scene than 128. */
enum settle_feature {
    SETTLE_PREVIEWS = 1 << 0,     /* pause_delay_ns */
    SETTLE_LIVE_REBUILDS = 1 << 1 /* live_share_percent */
};

/* The bounds of a core. Start from settle_config_default(), which sets `size`. A library that
 * is older than the caller's header rejects a config or policy that is larger than its own;
 * fields that the caller's older header lacks have their defaults. */
typedef struct settle_config {
    uint64_t size;          /* sizeof(settle_config) as the caller was compiled */
    uint32_t scenes_max;    /* connected at the same time: 1 … SETTLE_SCENES_MAX */
    uint32_t decisions_max; /* waiting to be popped: 1 … SETTLE_DECISIONS_MAX */
    uint32_t policies_max;  /* 1 … SETTLE_POLICIES_MAX, the default one included */
    uint32_t features;      /* enum settle_feature, or 0. Those that the default policy needs are implied. */
    settle_policy policy;   /* policy number 0. Last, so that both structs can grow. */
} settle_config;

/* Counters since init. Later versions append some. */
typedef struct settle_stats {
    uint64_t events;         /* applied */
    uint64_t rejected_size;  /* NaN, infinite or negative width or height */
    uint64_t rejected_scene; /* stale or unknown handle */
    uint64_t rejected_event; /* kind, flag or time out of range; more than SETTLE_BUTTONS_MAX held */
    uint64_t regressions;    /* earlier than the core's time, and applied at it */
    uint64_t decisions;
    uint32_t scenes; /* connected now */
    uint32_t decisions_waiting;
    uint64_t feedback; /* rebuilds that are, see SETTLE_FEEDBACK_FRAME_NS */
} settle_stats;

/* The counters of rejected events alone: rejected_size, rejected_scene, rejected_event. */
typedef struct settle_rejections {
    uint64_t size;
    uint64_t scene;
    uint64_t event;
} settle_rejections;

typedef struct settle_core settle_core;

/* Write the contract's default policy, the preset that decides at every event, the one that prepares builds, or
 * the one with live rebuilds, into the first `size` bytes of a policy. For languages that cannot call the inline functions below.
 * SETTLE_INVALID: null, or a size that no version had. */
int settle_policy_init_default(settle_policy *policy, size_t size);
int settle_policy_init_uikit(settle_policy *policy, size_t size);
int settle_policy_init_prepared(settle_policy *policy, size_t size);
int settle_policy_init_live(settle_policy *policy, size_t size);
/* 1,024 scenes, 1,024 decisions, 16 policies, the default policy. `size` and errors as above. */
int settle_config_init_default(settle_config *config, size_t size);

/* The same as values. With a library older than this header the result is all zero, and its
 * `size` of 0 makes every function reject it. */
SETTLE_INLINE settle_policy settle_policy_default(void) {
    settle_policy policy;
    memset(&policy, 0, sizeof policy);
    settle_policy_init_default(&policy, sizeof policy);
    return policy;
}

SETTLE_INLINE settle_policy settle_policy_uikit(void) {
    settle_policy policy;
    memset(&policy, 0, sizeof policy);
    settle_policy_init_uikit(&policy, sizeof policy);
    return policy;
}

SETTLE_INLINE settle_policy settle_policy_prepared(void) {
    settle_policy policy;
    memset(&policy, 0, sizeof policy);
    settle_policy_init_prepared(&policy, sizeof policy);
    return policy;
}

SETTLE_INLINE settle_policy settle_policy_live(void) {
    settle_policy policy;
    memset(&policy, 0, sizeof policy);
    settle_policy_init_live(&policy, sizeof policy);
    return policy;
}

SETTLE_INLINE settle_config settle_config_default(void) {
    settle_config config;
    memset(&config, 0, sizeof config);
    settle_config_init_default(&config, sizeof config);
    return config;
}

/* Bytes of workspace for this configuration; 0 for null or a value out of range, `size` included. */
size_t settle_core_size(const settle_config *config);

/* Makes a core in `workspace`. The workspace must be aligned to 64 bytes, hold at least
 * settle_core_size(config) bytes and outlive the core. Writes only the fixed part of it: the
 * memory of a scene is first written when it connects.
 * SETTLE_INVALID: null, misaligned or too small, or a value out of range. */
int settle_core_init(void *workspace, size_t size, const settle_config *config, settle_core **out);

/* Adds a policy and writes its number, for settle_core_connect and settle_core_set_policy.
 * SETTLE_FULL: policies_max reached. SETTLE_INVALID: null, a duration out of range, a policy
 * larger than this library's, or one that needs a feature that the core does not have. */
int settle_core_add_policy(settle_core *core, const settle_policy *policy, uint32_t *number);

/* Removes a policy; a later one may get its number. Searches all scenes.
 * SETTLE_BUSY: a connected scene uses it. SETTLE_INVALID: number 0, or no such policy. */
int settle_core_remove_policy(settle_core *core, uint32_t number);

/* Gives a scene another policy, from its next event on. An armed deadline stays as it is, except
 * that a policy without interaction_timeout_ns, pause_delay_ns or live_share_percent disarms the
 * watchdog, the preview or the live rebuild. maximum_wait_ns counts from this call for a pending rebuild
 * that had none before, and so does how long the size stands still. The quiet rule starts anew, live rebuilds
 * wait for the next build's report, and previews are forgotten, one in flight as well.
 * SETTLE_STALE: no such scene. SETTLE_INVALID: no such policy. */
int settle_core_set_policy(settle_core *core, settle_scene scene, uint32_t number);

/* Connects a scene, of which nothing is known and nothing is built, and writes its handle.
 * Takes no time: the scene's events do. The handle is valid until the scene's
 * SETTLE_DISCONNECT event is applied, and stale afterwards: see settle_scene. Freed slots are used
 * before new ones, the one freed first before the others; but one whose handles are used up, so that they would repeat,
 * comes after all others.
 * SETTLE_FULL: scenes_max reached. SETTLE_INVALID: null, or no such policy. */
int settle_core_connect(settle_core *core, uint32_t policy, settle_scene *scene);

/* Applies events in order. Before each, all deadlines up to its time fire. Writes to
 * *accepted how many were consumed, rejected ones included.
 * SETTLE_FULL: pop decisions, then submit again from *accepted on, even if no event is left:
 * the last one may have more decisions. */
int settle_core_submit(settle_core *core, const settle_event *events, size_t count, size_t *accepted);

/* Moves time to now_ns, and fires every deadline up to it. A time before the core's changes
 * nothing.
 * SETTLE_FULL: pop decisions, then call again. SETTLE_INVALID: beyond INT64_MAX. */
int settle_core_advance(settle_core *core, uint64_t now_ns);

/* Fires all armed deadlines, each at its own time: the end of a log.
 * SETTLE_FULL: pop decisions, then call again. */
int settle_core_finish(settle_core *core);

/* The time by which settle_core_advance must be called next; SETTLE_NEVER when no deadline is
 * armed. Exact: the earliest armed deadline. */
uint64_t settle_core_next_deadline_ns(settle_core *core);

/* A cheap lower bound of the next deadline, for a loop that is busy; SETTLE_NEVER when none
 * is armed. A loop that wakes at the bound, advances and asks again is never late. A loop
 * that goes to sleep asks settle_core_next_deadline_ns instead. */
uint64_t settle_core_next_wake_ns(const settle_core *core);

/* The core's time: the latest event, advance or fired deadline. */
uint64_t settle_core_now_ns(const settle_core *core);

/* Moves up to `capacity` decisions, oldest first, into `decisions`, and returns how many. */
size_t settle_core_pop_decisions(settle_core *core, settle_decision *decisions, size_t capacity);

/* Whether the handle names a connected scene; false for a stale or unknown one. */
bool settle_core_connected(const settle_core *core, settle_scene scene);

/* Whether a rebuild deadline of the scene is armed, a live one included; false for a stale handle. */
bool settle_core_pending(const settle_core *core, settle_scene scene);

/* Whether the scene is between its interactionBegan and its interactionEnded. */
bool settle_core_interacting(const settle_core *core, settle_scene scene);

/* Whether an event of the scene has said that it is being resized (SETTLE_RESIZING). */
bool settle_core_reports(const settle_core *core, settle_scene scene);

/* Writes the scene's last known size. False, and nothing is written, when it has none or the
 * handle is stale. */
bool settle_core_known_size(const settle_core *core, settle_scene scene, double *width, double *height);

/* How many pointer buttons are held, at most SETTLE_BUTTONS_MAX. */
uint32_t settle_core_buttons_held(const settle_core *core);

/* Whether settle_core_submit would reject the event now, so that it would change nothing and move
 * no time. Deadlines that fire before the event do not change the answer. */
bool settle_core_rejects(const settle_core *core, const settle_event *event);

/* The slot of a handle, also of a stale one: an index for the caller's own tables, below
 * scenes_max. Only for a handle that this core has given out: for any other number the result
 * means nothing, and can be scenes_max or more. */
uint32_t settle_core_slot(const settle_core *core, settle_scene scene);

/* Writes the core's counters into the first `size` bytes of stats. Those that a caller's older header lacks are left out;
 * those that an older library lacks stay as they are. */
void settle_core_read_stats(const settle_core *core, settle_stats *stats, size_t size);

/* The same as a value, with 0 for what an older library lacks. */
SETTLE_INLINE settle_stats settle_core_stats(const settle_core *core) {
    settle_stats stats;
    memset(&stats, 0, sizeof stats);
    settle_core_read_stats(core, &stats, sizeof stats);
    return stats;
}

/* The counters of rejected events. The one that grows when one event is submitted states why it
 * was rejected; reading them costs less than reading all counters. */
settle_rejections settle_core_rejections(const settle_core *core);

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#ifdef __cplusplus
}
#endif

#include "settle_window.h"
#endif
