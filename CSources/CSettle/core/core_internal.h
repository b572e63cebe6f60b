/* The core's state, and the functions that its sources share. Rule numbers are those of
 * docs/reference/contract.md. */
#ifndef SETTLE_CORE_INTERNAL_H
#define SETTLE_CORE_INTERNAL_H

#include "settle.h"

#include <string.h>

/* Stops a debug build at a programming error; a release build trusts its caller. */
#if defined(DEBUG) && !defined(SETTLE_NO_ASSERTS)
#include <assert.h>
#define SETTLE_ASSERT(condition) assert(condition)
#else
#define SETTLE_ASSERT(condition) ((void)0)
#endif

/* No library exports what is declared below. */
#if defined(__GNUC__)
#pragma GCC visibility push(hidden)
#endif

/* With SETTLE_SMALL, for a program whose size counts more than its speed, the compiler leaves out the short paths of
 * submit.c and the queue of deadlines.c; no core may have `links` then. */
#ifdef SETTLE_SMALL
enum { IS_SMALL = 1 };
#else
enum { IS_SMALL = 0 };
#endif

/* COLD: out of line, for what few events need. */
#if defined(__GNUC__) && !defined(SETTLE_SMALL)
#define NOINLINE __attribute__((noinline))
#define COLD __attribute__((noinline, cold))
#define INLINE static inline __attribute__((always_inline))
#else
#define NOINLINE
#define COLD
#define INLINE static inline
#endif

/* Deadlines are kept unsorted in a hierarchy of buckets; only those of the nearest bucket
 * are in a heap. A bucket of level 0 spans 2^18 ns (262 µs), a bucket of each next level
 * 1,024 times as much. */
enum {
    DEADLINE_SHIFT = 18,
    DEADLINE_RADIX_BITS = 10,
    DEADLINE_SLOTS = 1 << DEADLINE_RADIX_BITS,
    DEADLINE_LEVELS = 5,
    DEADLINE_BUCKETS = DEADLINE_LEVELS * DEADLINE_SLOTS
};

/* A scene's state: bits beside its sizes, so that an event touches one cache line. */
enum scene_state {
    /* The first three choose what an event does to the interaction: see interaction_flags.h. */
    STATE_STUCK = 1 << 0,   /* rule 4: the watchdog ended a reported interaction, and no event has said false since */
    STATE_REPORTS = 1 << 1, /* rule 3 */
    STATE_INTERACTING = 1 << 2, /* without STATE_REPORTS: by the pointer */
    STATE_DISCRETE = 1 << 3,    /* rule 6: the scene reports, or the pointer has dragged it */
    /* Rule 6: how the interaction ended that the pending rebuild follows. Two bits, a number. */
    STATE_AFTER_REPORTED = 1 << 4,
    STATE_AFTER_RELEASED = 2 << 4,
    STATE_AFTER_TIMEOUT = 3 << 4,
    STATE_AFTER = 3 << 4,
    STATE_ARMED = 1 << 6,                 /* deadline_ns is armed: the rebuild's, or the watchdog's while interacting */
    STATE_LINKED = IS_SMALL ? 0 : 1 << 7, /* in the deadline queue */
    STATE_IN_HEAP = IS_SMALL ? 0 : 1 << 8, /* in its heap rather than in a bucket */
    STATE_LOCK_RAW = 1 << 9,
    STATE_LOCK_DELIVERED = 1 << 10,
    STATE_LOCK_ARMED = 1 << 11,
    STATE_EXTRA_ARMED = 1 << 12, /* the preview's deadline, or the live one's, or both */
    STATE_CANCELLED = 1 << 13,   /* no rebuild until the next change */
    STATE_CAPPED = 1 << 14,      /* the rebuild's deadline is that of maximumWait */
    STATE_FIRST = 1 << 15,       /* it is that of firstDelay */
    /* Armed, and the next new size that is not built only moves the deadline: to its time plus
     * the same delay, delay_of. So the last change was that delay before the deadline. */
    STATE_STEADY = IS_SMALL ? 0 : 1 << 16,
    /* Steady by rule 16, which counts the change before the deadline as the one consulted last. */
    STATE_CONSULTED = IS_SMALL ? 0 : 1 << 17,
    /* feedback.c: no interaction has begun since the last rebuild. The bits above are its row, in ms. */
    STATE_FOLLOWED = 1 << 18,
    FEEDBACK_SHIFT = 19,

    /* The bits that choose a delay: a number from DELAY_SHIFT on. */
    DELAY_SHIFT = 2,
    STATE_DELAY_BITS = STATE_INTERACTING | STATE_DISCRETE | STATE_AFTER,
    /* Cleared when no rebuild is pending any more. */
    STATE_PENDING_ALL = STATE_ARMED | STATE_AFTER | STATE_CAPPED | STATE_FIRST | STATE_STEADY | STATE_CONSULTED
};

/* A size as the bits of its doubles. A known size is finite and above zero, "none" is plus
 * zero. So equal sizes have equal bits, and comparing them needs no floating point. */
typedef struct size_bits {
    uint64_t width, height;
} size_bits;

static inline size_bits bits_of(double width, double height) {
    size_bits bits;
    memcpy(&bits.width, &width, sizeof width);
    memcpy(&bits.height, &height, sizeof height);
    return bits;
}

/* An event's size. Read as doubles, which no store of an integer changes, and not as members of unions: otherwise
 * compilers load it again after each store. */
static inline size_bits stated_size(const settle_event *event) {
    const double *width = &event->width, *height = &event->height;
    return bits_of(*width, *height);
}

static inline void lengths_of(size_bits bits, double *width, double *height) {
    memcpy(width, &bits.width, sizeof *width);
    memcpy(height, &bits.height, sizeof *height);
}

static inline bool same_size(size_bits a, size_bits b) { return ((a.width ^ b.width) | (a.height ^ b.height)) == 0; }

static inline bool is_known(size_bits size) { return size.width != 0; }

/* The bits of infinity; those of every finite length from plus zero are smaller. */
#define INFINITE_LENGTH 0x7FF0000000000000u

/* Whether a length is plus or minus zero. */
static inline bool zero_length(uint64_t bits) { return bits << 1 == 0; }

/* Rule 2: whether a length is finite and not negative. */
static inline bool valid_length(uint64_t bits) { return bits < INFINITE_LENGTH || zero_length(bits); }

/* Whether kind, flags and time are in their ranges, whatever the state of a core. */
static inline bool known_event(const settle_event *event) {
    return event->kind <= SETTLE_PREVIEWED && !(event->flags & ~SETTLE_FLAGS_ALL) && event->at_ns <= INT64_MAX;
}

static inline bool valid_size(const settle_event *event) {
    size_bits size = stated_size(event);
    bool has_size = event->kind == SETTLE_GEOMETRY || event->kind == SETTLE_REALLY_BUILT;
    return !has_size || (valid_length(size.width) && valid_length(size.height));
}

/* The part of a scene that each of its events reads and writes: one cache line. */
typedef struct scene_hot {
    size_bits size;       /* last known, zero for none */
    size_bits built;      /* rule 3, zero for none */
    uint64_t deadline_ns; /* see STATE_ARMED; keeps its value when disarmed */
    uint64_t order;       /* arming order of deadline_ns */
    settle_scene handle;  /* of a free slot: see settle_slot_free */
    uint32_t coalesced;   /* geometry events since the last rebuild */
    uint32_t state;       /* enum scene_state */
    uint32_t policy;
} scene_hot;

/* The time of no change: 2^63 − 1 ns or more before any. */
#define NO_CHANGE_NS ((uint64_t)INT64_MAX + 1)

/* A policy, and what most events need of it. */
typedef struct policy_row {
    /* By the scene's STATE_DELAY_BITS: the delay of rule 6, quietDelay for rule 16, the watchdog's
     * while interacting. See delay_of. */
    uint64_t delay_ns[(STATE_DELAY_BITS >> DELAY_SHIFT) + 1];
    uint64_t quiet_is_fixed;  /* rule 16 has no jumps: the wait is always quietDelay, and nothing is remembered */
    uint64_t quiet_is_steady; /* a change before the quiet time's end is never out of calm */
    uint64_t extras;          /* enum policy_extra; 0: the row is free */
    /* The policy's other fields. */
    uint64_t first_delay_ns;
    uint64_t quiet_delay_ns;
    uint64_t jump_delay_ns;
    uint64_t calm_delay_ns;
    uint64_t lock_delay_ns;
    uint64_t pause_delay_ns;
    uint64_t pause_share_percent;
    uint64_t maximum_wait_ns;
    uint64_t interaction_timeout_ns;
    uint64_t live_share_percent;
    uint64_t live_limit_ns;
    uint64_t live_interval_ns;
    uint64_t live_pause_ns;
} policy_row;

/* What a policy has that most have not. */
enum policy_extra {
    EXTRA_PREVIEW = 1 << 0,                       /* pauseDelay */
    EXTRA_LIVE = 1 << 1,                          /* liveShare */
    EXTRA_MAXIMUM_WAIT = 1 << 2,                  /* maximumWait */
    EXTRA_USED = 1 << 3,                          /* every row that is not free */
    EXTRA_AT_CHANGES = EXTRA_PREVIEW | EXTRA_LIVE /* what a size change may arm beside the deadline */
};

/* The part of a scene that only transitions touch. */
typedef struct scene_cold {
    uint64_t lock_deadline_ns;
    /* Interacting: when it began; afterwards: how long it took. With STATE_FOLLOWED: when the last rebuild was decided, or
     * the end of its build was reported. */
    uint64_t interaction_ns;
    /* Rule 16: the change consulted last, NO_CHANGE_NS, or see STATE_CONSULTED. Once the pointer has dragged the scene,
     * which ends that rule, of an interaction that is not steady: its last change (rule 11). */
    uint64_t change_ns;
    SETTLE_UNION {
        uint64_t pending_since_ns; /* rule 6: maximumWait counts from here */
        struct {
            uint32_t next, prev; /* in the list of pointer interactions, or of free slots */
        } list;
    };
    uint32_t lock_order; /* its low bits: see order_of */
    uint32_t rebuilds;
} scene_cold;

/* Rule 17. Only in a core whose policies may have a pauseDelay. */
typedef struct scene_preview {
    uint64_t deadline_ns; /* SETTLE_NEVER: disarmed, as without STATE_EXTRA_ARMED */
    uint64_t order;
    size_bits previewed; /* the remembered size, zero for none */
    uint64_t paid_ns;    /* when the work reported last is paid for */
    uint64_t change_ns;  /* of the size, last */
    uint32_t previews;   /* decided so far */
    uint32_t in_flight;  /* the work for the last one is not reported yet, and no rebuild was decided */
} scene_preview;

/* Rule 18. Only in a core whose policies may have a liveShare. */
typedef struct scene_live {
    uint64_t deadline_ns;  /* SETTLE_NEVER: disarmed, as without STATE_EXTRA_ARMED */
    uint64_t paid_ns;      /* when the build reported last is paid for n times; SETTLE_NEVER: none was reported */
    uint64_t paid_once_ns; /* … once */
    uint64_t rebuilt_ns;   /* when the last rebuild was decided */
    uint64_t change_ns;    /* of the size, last; see STATE_STEADY */
    uint32_t order;        /* its low bits: see order_of */
    uint32_t in_flight;    /* the last rebuild's build has neither ended nor been given up */
} scene_live;

/* Links of a bucket's list. While in the heap, `next` is the position there. */
typedef struct deadline_link {
    uint32_t next, prev;
} deadline_link;

typedef struct deadline_entry {
    uint64_t deadline_ns;
    uint64_t order_and_slot; /* arming order above, scene slot in the low bits */
} deadline_entry;

_Static_assert(sizeof(settle_event) == 32, "an event is half a cache line");
_Static_assert(sizeof(settle_decision) == 64, "a decision is one cache line");
_Static_assert(sizeof(scene_hot) == 64, "a scene's hot state is one cache line");
_Static_assert(sizeof(policy_row) % 64 == 0, "a policy is whole cache lines");
_Static_assert(sizeof(scene_preview) <= 64, "a scene takes at most 64 bytes more for previews");
_Static_assert(sizeof(scene_live) <= 64, "a scene takes at most 64 bytes more for live rebuilds");
_Static_assert(sizeof(scene_cold) + sizeof(deadline_link) + sizeof(deadline_entry) == 64,
               "a scene takes 128 bytes in all");

#define NO_SLOT UINT32_MAX
/* Rules 17 and 18: a cost counts up to an hour, and so long may paying for it take. */
#define HOUR_NS 3600000000000u
/* Later than every event and deadline. */
#define NOTHING_DUE_NS ((uint64_t)INT64_MAX + 1)

struct settle_core {
    /* Read for every event. */
    uint64_t now_ns;
    /* No armed deadline is earlier. NOTHING_DUE_NS for none, zero while `releasing`. */
    uint64_t next_due_ns;
    scene_hot *hot;
    uint32_t slots_used; /* slots below were connected at least once */
    uint32_t slot_mask;
    uint32_t decisions_waiting;
    uint32_t decisions_max;
    uint32_t buttons_held;
    bool releasing; /* the last button is up, and pointer interactions are still to end */
    uint64_t order; /* arming order of the latest armed deadline */

    scene_cold *cold;
    scene_preview *previews; /* null: no policy may have a pauseDelay */
    scene_live *lives;       /* null: no policy may have a liveShare */
    policy_row *policies;
    settle_decision *decisions;
    uint32_t decisions_first;
    uint32_t policies_count, policies_max;
    uint32_t scenes_max, slot_bits;
    uint32_t free_first, free_last;       /* freed slots, reused oldest first */
    uint32_t exhausted_first;             /* freed slots whose handles would repeat: reused last */
    uint32_t pointer_first, pointer_last; /* pointer interactions, oldest first */
    uint32_t buttons[SETTLE_BUTTONS_MAX];
    uint64_t pressed_ns[SETTLE_BUTTONS_MAX]; /* of each held button */
    uint64_t release_order;                  /* while `releasing`: the arming order of the previews it arms */
    settle_stats stats;

    /* The deadline queue. */
    deadline_link *links; /* bucket heads first, then one per slot; null: no queue (has_queue) */
    deadline_entry *heap;
    uint64_t (*bucket_bits)[DEADLINE_SLOTS / 64];
    uint32_t heap_count;
    uint32_t linked_count;
    uint64_t heap_end_ns; /* earlier links are in the heap, the others in buckets */
};

/* Whether deadlines are in a queue. Without one, all scenes are looked at for the first: a window (window.c), or few. */
static inline bool has_queue(const settle_core *core) { return !IS_SMALL && core->links; }

static inline bool has(const scene_hot *hot, unsigned state) { return (hot->state & state) != 0; }
static inline void set(scene_hot *hot, unsigned state) { hot->state |= state; }
static inline void clear(scene_hot *hot, unsigned state) { hot->state &= ~state; }

static inline bool decisions_full(const settle_core *core) { return core->decisions_waiting == core->decisions_max; }

static inline const policy_row *row_of(const settle_core *core, const scene_hot *hot) {
    return &core->policies[hot->policy];
}

/* Rules 6, 11 and 16: the delay after a change of a scene in a state. */
static inline uint64_t delay_of(const policy_row *row, unsigned state) {
    return row->delay_ns[(state & STATE_DELAY_BITS) >> DELAY_SHIFT];
}

/* Rule 10: finds the slot of a connected scene; false for a stale or unknown handle. */
static inline bool find_scene(const settle_core *core, settle_scene scene, uint32_t *slot) {
    *slot = scene & core->slot_mask;
    return *slot < core->slots_used && core->hot[*slot].handle == scene;
}

static inline bool slot_connected(const settle_core *core, uint32_t slot) {
    /* A free slot has the handle of another one: see settle_slot_free. */
    return slot < core->slots_used && (core->hot[slot].handle & core->slot_mask) == slot;
}

/* Rules 17 and 18. */
static inline bool preview_armed(const settle_core *core, uint32_t slot) {
    return has(&core->hot[slot], STATE_EXTRA_ARMED) && core->previews &&
           core->previews[slot].deadline_ns != SETTLE_NEVER;
}

static inline bool live_armed(const settle_core *core, uint32_t slot) {
    return has(&core->hot[slot], STATE_EXTRA_ARMED) && core->lives && core->lives[slot].deadline_ns != SETTLE_NEVER;
}

/* An arming order by its low bits: it is one of the latest 2^32. */
static inline uint64_t order_of(const settle_core *core, uint32_t low_bits) {
    return core->order - (uint32_t)((uint32_t)core->order - low_bits);
}

typedef enum deadline_kind { DEADLINE_OF_STATE, DEADLINE_OF_PREVIEW, DEADLINE_OF_LIVE, DEADLINE_OF_LOCK } deadline_kind;

/* The earliest one of a scene's armed deadlines. */
typedef struct deadline_key {
    uint64_t deadline_ns; /* SETTLE_NEVER: none is armed */
    uint64_t order;
    deadline_kind kind;
} deadline_key;

/* config.c: copies a struct of the caller, of this version or an older one, and sets what it
 * lacks to the default. False when its size or a value is out of range. */
bool settle_read_policy(const settle_policy *given, settle_policy *policy);
/* The same check for a config; copies only its policy. */
bool settle_read_config(const settle_config *config, settle_policy *policy);

policy_row settle_policy_row(const settle_policy *policy);

/* policies.c */
bool settle_has_policy(const settle_core *core, uint32_t number);

/* quiet.c. Rule 16 under a policy whose wait is not fixed: the wait after a change from the size
 * `before`, with the state that the scene had before it. */
COLD uint64_t settle_quiet_wait(settle_core *core, uint32_t slot, unsigned state, size_bits before);
/* A deadline that is steady no more: keeps the time of the change before it, for rules 11, 16 and 18. */
COLD void settle_leave_steady(settle_core *core, uint32_t slot);
/* No change was consulted yet. */
void settle_quiet_forget(settle_core *core, uint32_t slot);

/* decisions.c: appends a decision with the fields that all kinds share. The caller checks
 * decisions_full first. */
settle_decision *settle_decision_append(settle_core *core, uint32_t slot, unsigned kind, unsigned reason);
/* The same, about the known size. */
settle_decision *settle_decide_size(settle_core *core, uint32_t slot, unsigned kind, unsigned reason);

/* rules.c. The caller has checked decisions_full for each decision. */
COLD void settle_apply_interaction(settle_core *core, uint32_t slot, unsigned flags, bool changed);
COLD void settle_apply_lock(settle_core *core, uint32_t slot, bool locked);
void settle_apply_disconnect(settle_core *core, uint32_t slot);
void settle_apply_flush(settle_core *core, uint32_t slot);
void settle_apply_cancel(settle_core *core, uint32_t slot);
void settle_apply_really_built(settle_core *core, uint32_t slot, const settle_event *event);
/* Rules 17 and 18: after a size change, of a policy with EXTRA_AT_CHANGES. */
COLD void settle_apply_extras(settle_core *core, uint32_t slot);

/* preview.c: rule 17. All but settle_preview_decide do nothing in a core without `previews`. */
void settle_preview_connect(settle_core *core, uint32_t slot);
/* A size change. */
void settle_preview_changed(settle_core *core, uint32_t slot);
void settle_preview_decide(settle_core *core, uint32_t slot);
/* Rule 5: the pointer's last button is up, and the scene's rebuild is armed or not. */
void settle_preview_released(settle_core *core, uint32_t slot);
/* Whether a policy's work is paid for, and the scene's size is the remembered one. */
bool settle_preview_is_remembered(const settle_core *core, uint32_t slot);
/* Nothing is owed any more. */
void settle_preview_forget(settle_core *core, uint32_t slot);
/* A rebuild of any reason was decided. */
void settle_preview_rebuilt(settle_core *core, uint32_t slot);
/* The scene has another policy. */
void settle_preview_new_policy(settle_core *core, uint32_t slot);
void settle_apply_previewed(settle_core *core, uint32_t slot, const settle_event *event);

/* feedback.c. A rebuild is decided, and nothing of it is cleared yet: whether it is marked. */
bool settle_feedback_rebuilt(settle_core *core, uint32_t slot, unsigned reason);
/* The build of the scene's last rebuild has ended by a time. */
void settle_feedback_finished(settle_core *core, uint32_t slot, uint64_t at_ns);
/* An interaction begins, or another policy counts. */
static inline void settle_feedback_forget(scene_hot *hot) { hot->state &= (unsigned)STATE_FOLLOWED - 1; }

/* live.c: rule 18. All but settle_live_rebuilt do nothing in a core without `lives`. */
void settle_live_connect(settle_core *core, uint32_t slot);
/* After a size change, or a report that ended a flight: arms, moves or disarms the live deadline. */
void settle_live_consider(settle_core *core, uint32_t slot);
/* A size change: the same. */
void settle_live_changed(settle_core *core, uint32_t slot);
/* Whether further changes, but to the built size, do not move the live deadline. */
bool settle_live_is_fixed(const settle_core *core, uint32_t slot);
/* A rebuild of any reason was decided. */
void settle_live_rebuilt(settle_core *core, uint32_t slot);
/* Rule 13: the built size was returned. */
void settle_live_returned(settle_core *core, uint32_t slot);
/* The scene has another policy. */
void settle_live_new_policy(settle_core *core, uint32_t slot);
void settle_apply_finished(settle_core *core, uint32_t slot, const settle_event *event);
/* Rules 17 and 18: how long after its report work must wait that counts so many times, as a share of the time. */
uint64_t settle_pay_ns(uint64_t cost_ns, uint64_t times, uint64_t percent);
void settle_apply_pointer(settle_core *core, const settle_event *event);
/* Applies one deadline, at its own time. */
void settle_apply_deadline(settle_core *core, uint32_t slot, deadline_key key);
/* Whether a pointer event presses one button more than may be held. */
bool settle_too_many_buttons(const settle_core *core, const settle_event *event);
/* Rule 5: ends all pointer interactions after the last button's release. SETTLE_FULL: call
 * again when decisions were popped; it resumes where it stopped. */
int settle_end_pointer_interactions(settle_core *core);

/* submit.c: applies a geometry event that causes no decision; false, without an effect, for any other. */
bool settle_submit_plain(settle_core *core, const settle_event *event);

/* advance.c. Rule 1: applies the deadlines up to now_ns in order, then moves time there.
 * SETTLE_FULL: call again when decisions were popped. */
COLD int settle_run_due(settle_core *core, uint64_t now_ns);

/* slots.c: frees a disconnected scene's slot. */
void settle_slot_free(settle_core *core, uint32_t slot);

/* init.c. What a core without scenes has that is not zero, but for its bounds and pointers. */
void settle_core_start(settle_core *core, const settle_policy *policy);
/* Makes a core with all features as new, with another policy 0, after settle_core_finish: no
 * deadline is armed. Cheaper than settle_core_init, which writes every bucket. SETTLE_INVALID: a
 * policy out of range; the core is as it was. */
int settle_core_restart(settle_core *core, const settle_policy *policy);

/* deadlines.c. A scene's extra deadlines, in its `previews` and `lives`. */
void settle_deadlines_arm_extra(settle_core *core, uint32_t slot);
void settle_deadlines_disarm_preview(settle_core *core, uint32_t slot);
void settle_deadlines_disarm_live(settle_core *core, uint32_t slot);
void settle_deadlines_init(settle_core *core);
deadline_key settle_deadlines_key(const settle_core *core, uint32_t slot);
/* Links the scene under its earliest deadline; also after one of them became earlier. */
void settle_deadlines_link(settle_core *core, uint32_t slot);
void settle_deadlines_remove(settle_core *core, uint32_t slot);
/* The scene with the first armed deadline of all, by (deadline, arming order); NO_SLOT when
 * none is armed. */
uint32_t settle_deadlines_first(settle_core *core, deadline_key *key);
/* Refreshes next_due_ns without sorting anything. */
void settle_deadlines_update_bound(settle_core *core);

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#endif
