/* Settle's decision core: geometry events in, decisions out.
 *
 * The core is a plain state machine. It reads no clock, does no I/O, starts no
 * thread and never allocates: the caller owns one workspace, and time is an
 * argument. Everything below is for one thread at a time; a core may move
 * between threads as long as no two calls overlap.
 *
 * Times are absolute nanoseconds on any clock that starts at or after zero.
 * Sizes are in whatever unit the producer uses, pixels or points.
 *
 *     settle_config config = settle_config_default();
 *     void *workspace = my_alloc(settle_core_size(&config));
 *     settle_core *core;
 *     settle_core_init(workspace, settle_core_size(&config), &config, &core);
 *     settle_core_connect(core, 0, &scene);
 *     settle_core_submit(core, events, count, &accepted);
 *     settle_core_advance(core, now_ns);
 *     settle_core_take_decisions(core, decisions, capacity, &taken);
 */
#ifndef SETTLE_H
#define SETTLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The version of this header; settle_version() is that of the library. */
#define SETTLE_VERSION_MAJOR 0
#define SETTLE_VERSION_MINOR 1
#define SETTLE_VERSION_PATCH 0
#define SETTLE_VERSION_HEX ((SETTLE_VERSION_MAJOR << 16) | (SETTLE_VERSION_MINOR << 8) | SETTLE_VERSION_PATCH)

/* The library's version in the form of SETTLE_VERSION_HEX, and as text ("0.1.0"). Any thread. */
uint32_t settle_version(void);
const char *settle_version_string(void);

/* A duration that never ends, and the deadline of a core that owes nothing. */
#define SETTLE_NEVER UINT64_MAX

/* Result codes. Zero is success; a negative code says what was refused. */
enum settle_result {
    SETTLE_OK = 0,
    SETTLE_FULL = -1,       /* a bound was reached: decisions, scenes or policies */
    SETTLE_INVALID = -2,    /* an argument is out of its range; nothing changed */
    SETTLE_STALE = -3,      /* the scene handle is unknown or of an earlier life */
    SETTLE_BUSY = -4        /* in use: a policy that a scene has */
};

/* A code's name as it stands in this header, such as "SETTLE_FULL"; "unknown" for any other
 * number. Static text. Any thread. */
const char *settle_result_name(int result);

/* What an event says. Zero is a geometry event, as in the log. */
enum settle_event_kind {
    SETTLE_GEOMETRY = 0,
    SETTLE_CONNECT = 1,     /* of a connected scene: moves time, changes nothing */
    SETTLE_DISCONNECT = 2,
    SETTLE_POINTER = 3,     /* `scene` carries the button's number */
    SETTLE_FLUSH = 4,       /* decide what the scene owes now */
    SETTLE_CANCEL = 5,      /* forget what the scene owes until its next change */
    SETTLE_BUILT = 6        /* a rebuild failed: width × height is what is really
                               built, zero for nothing */
};

/* Event flags. A bit without its KNOWN partner says nothing. */
enum settle_event_flag {
    SETTLE_RESIZING_KNOWN = 1 << 0,
    SETTLE_RESIZING = 1 << 1,
    SETTLE_LOCKED_KNOWN = 1 << 2,
    SETTLE_LOCKED = 1 << 3,
    SETTLE_ORIENTATION_SHIFT = 4,         /* three bits: 0 none, else settle_orientation */
    SETTLE_ORIENTATION_MASK = 7 << 4,
    SETTLE_SIZE_KNOWN = 1 << 7,           /* for logs; the core reads width and height */
    SETTLE_PRESSED = 1 << 8,              /* pointer events */
    SETTLE_FLAGS_ALL = (1 << 9) - 1
};

enum settle_orientation {
    SETTLE_ORIENTATION_NONE = 0,
    SETTLE_PORTRAIT = 1,
    SETTLE_PORTRAIT_UPSIDE_DOWN = 2,
    SETTLE_LANDSCAPE_LEFT = 3,
    SETTLE_LANDSCAPE_RIGHT = 4
};

/* A scene's handle: slot and generation. Never zero for a live scene. */
typedef uint32_t settle_scene;

/* One event, 32 bytes, no padding. A zero width or height keeps the size. */
typedef struct settle_event {
    uint64_t at_ns;     /* 0 … INT64_MAX */
    double width;
    double height;
    settle_scene scene;
    uint16_t kind;      /* enum settle_event_kind */
    uint16_t flags;     /* enum settle_event_flag */
} settle_event;

/* Events, made. Nothing is checked here: settle_core_submit does. */
static inline settle_event settle_event_make(unsigned kind, settle_scene scene, uint64_t at_ns) {
    settle_event event;
    event.at_ns = at_ns;
    event.width = event.height = 0;
    event.scene = scene;
    event.kind = (uint16_t)kind;
    event.flags = 0;
    return event;
}

/* A size; add the flags that the source states, such as
 * SETTLE_RESIZING_KNOWN | SETTLE_RESIZING. */
static inline settle_event settle_event_geometry(settle_scene scene, uint64_t at_ns, double width, double height,
                                                 unsigned flags) {
    settle_event event = settle_event_make(SETTLE_GEOMETRY, scene, at_ns);
    event.width = width;
    event.height = height;
    event.flags = (uint16_t)(SETTLE_SIZE_KNOWN | flags);
    return event;
}

/* Flags alone: the size stays as it is. */
static inline settle_event settle_event_flags(settle_scene scene, uint64_t at_ns, unsigned flags) {
    settle_event event = settle_event_make(SETTLE_GEOMETRY, scene, at_ns);
    event.flags = (uint16_t)flags;
    return event;
}

static inline settle_event settle_event_pointer(uint32_t button, bool is_pressed, uint64_t at_ns) {
    settle_event event = settle_event_make(SETTLE_POINTER, button, at_ns);
    event.flags = is_pressed ? (uint16_t)SETTLE_PRESSED : (uint16_t)0;
    return event;
}

static inline settle_event settle_event_disconnect(settle_scene scene, uint64_t at_ns) {
    return settle_event_make(SETTLE_DISCONNECT, scene, at_ns);
}

static inline settle_event settle_event_flush(settle_scene scene, uint64_t at_ns) {
    return settle_event_make(SETTLE_FLUSH, scene, at_ns);
}

static inline settle_event settle_event_cancel(settle_scene scene, uint64_t at_ns) {
    return settle_event_make(SETTLE_CANCEL, scene, at_ns);
}

/* What is really built after a failed rebuild; zero by zero for nothing. */
static inline settle_event settle_event_built(settle_scene scene, uint64_t at_ns, double width, double height) {
    settle_event event = settle_event_make(SETTLE_BUILT, scene, at_ns);
    event.width = width;
    event.height = height;
    event.flags = width != 0 && height != 0 ? (uint16_t)SETTLE_SIZE_KNOWN : (uint16_t)0;
    return event;
}

enum settle_decision_kind {
    SETTLE_INTERACTION_BEGAN = 0,
    SETTLE_INTERACTION_ENDED = 1,
    SETTLE_REBUILD = 2,
    SETTLE_LOCK_CHANGED = 3
};

enum settle_reason {
    SETTLE_REASON_NONE = 0,
    /* Why an interaction ended. */
    SETTLE_ENDED_REPORTED = 1,
    SETTLE_ENDED_RELEASED = 2,
    SETTLE_ENDED_DISCONNECTED = 3,
    SETTLE_ENDED_TIMEOUT = 4,
    /* Why a rebuild is due. */
    SETTLE_REBUILD_INTERACTION_ENDED = 5,
    SETTLE_REBUILD_TIMEOUT = 6,
    SETTLE_REBUILD_DISCRETE = 7,
    SETTLE_REBUILD_QUIET = 8,
    SETTLE_REBUILD_MAXIMUM_WAIT = 9,
    SETTLE_REBUILD_FLUSH = 10
};

/* The contract's words for these, such as "geometry", "rebuild" or "interactionEnded";
 * SETTLE_REASON_NONE is "none", a number that the header does not name "unknown". Static
 * text. Any thread. */
const char *settle_event_kind_name(unsigned kind);
const char *settle_decision_kind_name(unsigned kind);
const char *settle_reason_name(unsigned reason);

/* One decision, 64 bytes. */
typedef struct settle_decision {
    uint64_t at_ns;             /* the deadline or the event's time, never the wake-up's */
    double width;               /* rebuild: the size to build */
    double height;
    double previous_width;      /* rebuild: the size built before, zero for none */
    double previous_height;
    uint64_t interaction_ns;    /* interactionEnded, and a rebuild that stems from one:
                                   how long the interaction took; else zero */
    settle_scene scene;
    uint32_t generation;        /* rebuild: 1 for the scene's first, then 2, 3 … */
    uint32_t coalesced;         /* rebuild: geometry events since the scene's last one */
    uint8_t kind;               /* enum settle_decision_kind */
    uint8_t reason;             /* enum settle_reason */
    uint8_t locked;             /* lockChanged: 0 or 1 */
    uint8_t reserved;
} settle_decision;

/* How long to wait for what, in nanoseconds: at most SETTLE_DELAY_MAX each, or
 * SETTLE_NEVER for maximum_wait_ns and interaction_timeout_ns to switch them off.
 * Start from settle_policy_default(): it sets `size`, and fields that a later version
 * adds have their defaults. */
typedef struct settle_policy {
    uint64_t size;              /* sizeof(settle_policy) as the caller was compiled */
    uint64_t settle_delay_ns;
    uint64_t quiet_delay_ns;
    uint64_t lock_delay_ns;
    uint64_t maximum_wait_ns;
    uint64_t interaction_timeout_ns;
} settle_policy;

/* Plain literals: Swift does not import a macro with a cast. */
/* 2^60 ns, about 36 years. */
#define SETTLE_DELAY_MAX 1152921504606846976u
/* A handle splits 32 bits between slot and generation. */
#define SETTLE_SCENES_MAX 1048576u
#define SETTLE_POLICIES_MAX 65536u
#define SETTLE_DECISIONS_MAX 16777216u
/* Buttons that can be held down at the same time. */
#define SETTLE_BUTTONS_MAX 32

/* The bounds of a core. Start from settle_config_default(), which sets `size`. A library
 * older than the caller's header refuses a config or a policy that is larger than its own;
 * what a caller's older header lacks has its default. */
typedef struct settle_config {
    uint64_t size;              /* sizeof(settle_config) as the caller was compiled */
    uint32_t scenes_max;        /* connected at the same time: 1 … SETTLE_SCENES_MAX */
    uint32_t decisions_max;     /* waiting to be taken: 1 … SETTLE_DECISIONS_MAX */
    uint32_t policies_max;      /* 1 … SETTLE_POLICIES_MAX, the default one included */
    uint32_t reserved;          /* zero */
    settle_policy policy;       /* number 0: what a scene gets unless told otherwise.
                                   Last, so that both can grow. */
} settle_config;

/* What was counted since init. */
typedef struct settle_stats {
    uint64_t events;            /* applied */
    uint64_t rejected_size;     /* NaN, infinite or negative width or height */
    uint64_t rejected_scene;    /* stale or unknown handle */
    uint64_t rejected_event;    /* unknown kind or flag, time above INT64_MAX,
                                   or a button beyond SETTLE_BUTTONS_MAX held */
    uint64_t regressions;       /* applied at the core's time because theirs was earlier */
    uint64_t decisions;
    uint32_t scenes;            /* connected now */
    uint32_t decisions_waiting;
} settle_stats;

typedef struct settle_core settle_core;

/* Writes the contract's default policy, or the preset that decides at every event, into the
 * first `size` bytes of a policy: what the two functions below are made of, for languages
 * that cannot call them. SETTLE_INVALID: null, or a size that no version had. Any thread. */
int settle_policy_init_default(settle_policy *policy, size_t size);
int settle_policy_init_uikit(settle_policy *policy, size_t size);
/* 1,024 scenes, 1,024 decisions, 16 policies, the default policy. The same for `size`. */
int settle_config_init_default(settle_config *config, size_t size);

static inline settle_policy settle_policy_default(void) {
    settle_policy policy;
    settle_policy_init_default(&policy, sizeof policy);
    return policy;
}

static inline settle_policy settle_policy_uikit(void) {
    settle_policy policy;
    settle_policy_init_uikit(&policy, sizeof policy);
    return policy;
}

static inline settle_config settle_config_default(void) {
    settle_config config;
    settle_config_init_default(&config, sizeof config);
    return config;
}

/* Bytes of workspace for this configuration; 0 when a bound is out of range. */
size_t settle_core_size(const settle_config *config);

/* Makes a core in `workspace`, which must be aligned to 64 bytes, hold at least
 * settle_core_size(config) bytes and outlive the core. Touches only the fixed
 * part: the memory of scenes is first written when they connect.
 * SETTLE_INVALID: null, misaligned or too small, or a value out of range. */
int settle_core_init(void *workspace, size_t size, const settle_config *config, settle_core **core);

/* Adds a policy and writes its number for settle_core_connect and settle_core_set_policy.
 * SETTLE_FULL: policies_max reached. SETTLE_INVALID: null, a delay out of range, or a
 * policy larger than this library's. */
int settle_core_add_policy(settle_core *core, const settle_policy *policy, uint32_t *number);

/* Forgets a policy; its number may then name another.
 * SETTLE_BUSY: a connected scene has it. SETTLE_INVALID: number 0, or no such policy. */
int settle_core_remove_policy(settle_core *core, uint32_t number);

/* Gives a scene another policy. It holds from the scene's next event on: a deadline that is
 * armed stays where it is.
 * SETTLE_STALE: no such scene. SETTLE_INVALID: no such policy. */
int settle_core_set_policy(settle_core *core, settle_scene scene, uint32_t policy);

/* Gives a fresh scene, with nothing known and nothing built. Takes no time: the
 * scene's events do. It lives until its SETTLE_DISCONNECT event is applied.
 * SETTLE_FULL: scenes_max reached. SETTLE_INVALID: no such policy. */
int settle_core_connect(settle_core *core, uint32_t policy, settle_scene *scene);

/* Applies events in order; before each, all deadlines up to its time fire.
 * *accepted says how many were consumed, rejected ones included.
 * SETTLE_FULL: decisions must be taken first; then submit from *accepted on, even
 * if that is nothing: the last event's decisions may still want room. */
int settle_core_submit(settle_core *core, const settle_event *events, size_t count, size_t *accepted);

/* Moves time to now_ns (0 … INT64_MAX) and fires every deadline up to it. An
 * earlier time than the core's changes nothing.
 * SETTLE_FULL: decisions must be taken first, then call again. */
int settle_core_advance(settle_core *core, uint64_t now_ns);

/* Fires all armed deadlines at their own times: the end of a log.
 * SETTLE_FULL: decisions must be taken first, then call again. */
int settle_core_finish(settle_core *core);

/* False for an event that every core refuses whatever its state: for its kind, its flags,
 * its time or its size. Whoever merges events must not let one spoil another. Any thread. */
bool settle_event_valid(const settle_event *event);

/* The time by which settle_core_advance must be called next; SETTLE_NEVER when
 * nothing is due. Exact: not before the earliest armed deadline. */
uint64_t settle_core_next_deadline_ns(settle_core *core);

/* A cheap bound for a loop that is busy: nothing is due before it, though perhaps
 * nothing is due at it either, as events may have postponed the deadline it stands
 * for. A loop that wakes for it, advances and asks again is never late; one that goes
 * to sleep asks settle_core_next_deadline_ns. SETTLE_NEVER when nothing is due. */
uint64_t settle_core_next_wake_ns(const settle_core *core);

/* The core's time: the latest event, advance or fired deadline. */
uint64_t settle_core_now_ns(const settle_core *core);

/* Moves up to `capacity` decisions, oldest first, into `decisions`. */
int settle_core_take_decisions(settle_core *core, settle_decision *decisions, size_t capacity, size_t *taken);

/* True exactly while a rebuild deadline of the scene is armed; false for a
 * stale handle. */
bool settle_core_pending(const settle_core *core, settle_scene scene);

/* True between the scene's interactionBegan and its interactionEnded. */
bool settle_core_interacting(const settle_core *core, settle_scene scene);

/* The scene's last known size. False, with nothing written, while it has none and for
 * a stale handle. */
bool settle_core_known_size(const settle_core *core, settle_scene scene, double *width, double *height);

/* The slot of a handle, 0 … scenes_max-1: an index for the caller's own tables. */
uint32_t settle_core_slot(const settle_core *core, settle_scene scene);

settle_stats settle_core_stats(const settle_core *core);

#ifdef __cplusplus
}
#endif
#endif
