/* What core.c (the contract's rules) and deadlines.c (their order) share. */
#ifndef SETTLE_CORE_INTERNAL_H
#define SETTLE_CORE_INTERNAL_H

#include "faults.h"
#include "settle.h"

#include <string.h>

/* A programmer's error stops a debug build where it is made; a release build trusts its caller. */
#if defined(DEBUG) && !defined(SETTLE_NO_ASSERTS)
#include <assert.h>
#define SETTLE_ASSERT(condition) assert(condition)
#else
#define SETTLE_ASSERT(condition) ((void)0)
#endif

/* What few events need, kept out of the way of those that do not. */
#if defined(__GNUC__)
#define COLD __attribute__((noinline, cold))
#define INLINE static inline __attribute__((always_inline))
#else
#define COLD
#define INLINE static inline
#endif

/* Deadlines wait in a hierarchy of buckets, unsorted; only those of the nearest
 * bucket stand in a heap. A bucket of level 0 spans 2^18 ns (262 µs), one of the
 * next level 1,024 times as much. */
enum {
    DEADLINE_SHIFT = 18,
    DEADLINE_RADIX_BITS = 10,
    DEADLINE_SLOTS = 1 << DEADLINE_RADIX_BITS,
    DEADLINE_LEVELS = 5,
    DEADLINE_BUCKETS = DEADLINE_LEVELS * DEADLINE_SLOTS
};

/* A scene's state: sixteen bits beside its sizes, so that an event touches one
 * cache line. */
enum scene_state {
    STATE_REPORTS = 1 << 0,         /* rule 3; in the place of SETTLE_RESIZING_KNOWN */
    STATE_INTERACTING = 1 << 1,     /* in the place of SETTLE_RESIZING */
    STATE_CONNECTED = 1 << 2,
    STATE_BY_POINTER = 1 << 3,      /* interacting, and in the released-together list */
    STATE_ARMED = 1 << 4,           /* deadline_ns holds: rebuild, or watchdog while interacting */
    STATE_LINKED = 1 << 5,          /* known to the deadline queue */
    STATE_IN_HEAP = 1 << 6,         /* in its heap rather than in a bucket */
    STATE_LOCK_RAW = 1 << 7,
    STATE_LOCK_DELIVERED = 1 << 8,
    STATE_LOCK_ARMED = 1 << 9,
    STATE_OWED = 1 << 10,           /* a debt stands since debt_since_ns */
    STATE_FORGOTTEN = 1 << 11,      /* cancelled: nothing is owed until the next change */
    STATE_STEM_ENDED = 1 << 12,     /* rule 6: the debt stems from an interaction … */
    STATE_STEM_TIMEOUT = 1 << 13,   /* … that the watchdog ended */
    STATE_CAPPED = 1 << 14,         /* the deadline is maximumWait's */
    STATE_QUIET = 1 << 15,          /* armed while the scene did not report */

    /* What goes when nothing is owed any more. */
    STATE_DEBT = STATE_ARMED | STATE_OWED | STATE_STEM_ENDED | STATE_STEM_TIMEOUT | STATE_CAPPED | STATE_QUIET
};

/* A size as the bits of its doubles. Known sizes are finite and above zero, and none
 * is plus zero, so equal sizes have equal bits and comparing costs no floating
 * point. */
typedef struct size_bits {
    uint64_t width, height;
} size_bits;

static inline size_bits bits_of(double width, double height) {
    size_bits bits;
    memcpy(&bits.width, &width, sizeof width);
    memcpy(&bits.height, &height, sizeof height);
    return bits;
}

static inline void lengths_of(size_bits bits, double *width, double *height) {
    memcpy(width, &bits.width, sizeof *width);
    memcpy(height, &bits.height, sizeof *height);
}

static inline bool same_size(size_bits a, size_bits b) {
    return ((a.width ^ b.width) | (a.height ^ b.height)) == 0;
}

static inline bool is_known(size_bits size) { return size.width != 0; }

/* The bits of infinity: those of all finite lengths from plus zero are below. */
#define INFINITE_LENGTH 0x7FF0000000000000u

/* Whether it is plus or minus zero. */
static inline bool zero_length(uint64_t bits) { return bits << 1 == 0; }

/* Whether a width or height is finite and not negative. */
static inline bool valid_length(uint64_t bits) { return bits < INFINITE_LENGTH || zero_length(bits); }

/* Rule 2 and what settle_stats calls rejected_event, as far as no state matters. */
static inline bool known_event(const settle_event *event) {
    return event->kind <= SETTLE_BUILT && !(event->flags & ~SETTLE_FLAGS_ALL) && event->at_ns <= INT64_MAX;
}

static inline bool valid_size(const settle_event *event) {
    size_bits size = bits_of(event->width, event->height);
    bool has_size = event->kind == SETTLE_GEOMETRY || event->kind == SETTLE_BUILT;
    return !has_size || (valid_length(size.width) && valid_length(size.height));
}

/* What every event of the scene reads and writes: one cache line. */
typedef struct scene_hot {
    size_bits size;             /* last known, zero for none */
    size_bits built;            /* rule 3, zero for none */
    uint64_t deadline_ns;       /* see STATE_ARMED; a disarmed one keeps its value */
    uint64_t order;             /* arming order of deadline_ns */
    settle_scene handle;        /* of a free slot: see settle_slot_free */
    uint32_t coalesced;         /* geometry events since the last rebuild */
    uint32_t rebuilds;
    uint16_t state;             /* enum scene_state */
    uint16_t policy;
} scene_hot;

/* A policy, and what most events need of it in one look. */
typedef struct policy_row {
    settle_policy policy;       /* of size 0: the row is free */
    /* By quiet_state, 0 or 1: how far a change moves the deadline, POSTPONES_NOT where that is not
     * all there is to it. */
    uint64_t postponing_ns[2];
} policy_row;

/* Moves every time beyond the latest. */
#define POSTPONES_NOT ((uint64_t)INT64_MAX + 1)

/* What only transitions touch. */
typedef struct scene_cold {
    uint64_t lock_deadline_ns;
    uint64_t lock_order;
    uint64_t interaction_ns;    /* interacting: when it began; afterwards: how long it took */
    uint64_t debt_since_ns;     /* rule 6: what maximumWait counts from */
    uint32_t list_next;         /* pointer interactions, oldest first; or free slots */
    uint32_t list_prev;
} scene_cold;

/* Bucket list links; while in the heap, `next` is the position there. */
typedef struct deadline_link {
    uint32_t next, prev;
} deadline_link;

typedef struct deadline_entry {
    uint64_t deadline_ns;
    uint64_t order_and_slot;    /* arming order above, scene slot in the low bits */
} deadline_entry;

_Static_assert(sizeof(settle_event) == 32, "an event is half a cache line");
_Static_assert(sizeof(settle_decision) == 64, "a decision is one cache line");
_Static_assert(sizeof(scene_hot) == 64, "a scene's hot state is one cache line");
_Static_assert(sizeof(policy_row) == 64, "a policy is one cache line");
_Static_assert(sizeof(scene_cold) + sizeof(deadline_link) + sizeof(deadline_entry) == 64,
               "a scene takes 128 bytes in all");

#define NO_SLOT UINT32_MAX
/* Later than every event and deadline. */
#define NOTHING_DUE_NS ((uint64_t)INT64_MAX + 1)

struct settle_core {
    /* Read by every event. */
    uint64_t now_ns;
    uint64_t next_due_ns;       /* no armed deadline is earlier; NOTHING_DUE_NS for none,
                                   zero while a release is not finished */
    scene_hot *hot;
    uint32_t slots_used;        /* slots below were connected at least once */
    uint32_t slot_mask;
    uint32_t decisions_waiting;
    uint32_t decisions_max;
    uint32_t buttons_held;
    bool releasing;             /* the last button is up, pointer interactions still to end */
    uint64_t order;             /* arming order of the last armed deadline */

    scene_cold *cold;
    policy_row *policies;
    settle_decision *decisions;
    uint32_t decisions_first;
    uint32_t policies_count, policies_max;
    uint32_t scenes_max, slot_bits;
    uint32_t free_first, free_last;         /* freed slots, reused oldest first */
    uint32_t worn_first;                    /* freed slots whose handles would repeat: the last resort */
    uint32_t pointer_first, pointer_last;   /* pointer interactions in order of their begin */
    uint32_t buttons[SETTLE_BUTTONS_MAX];
    settle_stats stats;

    /* The deadline queue. */
    deadline_link *links;       /* bucket heads first, then one per slot */
    deadline_entry *heap;
    uint32_t heap_count;
    uint32_t linked_count;
    uint64_t heap_end_ns;       /* the heap holds what is linked earlier, buckets the rest */
    uint64_t bucket_bits[DEADLINE_LEVELS][DEADLINE_SLOTS / 64];
};

static inline bool has(const scene_hot *hot, unsigned state) { return (hot->state & state) != 0; }
static inline void set(scene_hot *hot, unsigned state) { hot->state |= (uint16_t)state; }
static inline void clear(scene_hot *hot, unsigned state) { hot->state &= (uint16_t)~state; }

static inline bool decisions_full(const settle_core *core) {
    return core->decisions_waiting == core->decisions_max;
}

static inline const settle_policy *policy_of(const settle_core *core, const scene_hot *hot) {
    return &core->policies[hot->policy].policy;
}

/* Rule 10: the slot of a living scene; false for a handle that is stale or made up. */
static inline bool find_scene(const settle_core *core, settle_scene scene, uint32_t *slot) {
    *slot = scene & core->slot_mask;
    return *slot < core->slots_used && core->hot[*slot].handle == scene;
}

/* A scene's earlier armed deadline. */
typedef struct deadline_key {
    uint64_t deadline_ns;       /* SETTLE_NEVER: none is armed */
    uint64_t order;
    bool is_lock;
} deadline_key;

/* Rules of rules.c; callers see to the room for a decision. */
COLD void settle_apply_interaction(settle_core *core, uint32_t slot, unsigned flags, bool changed);
COLD void settle_apply_lock(settle_core *core, uint32_t slot, bool locked);
void settle_apply_disconnect(settle_core *core, uint32_t slot);
void settle_apply_flush(settle_core *core, uint32_t slot);
void settle_apply_cancel(scene_hot *hot);
void settle_apply_built(scene_hot *hot, const settle_event *event);
void settle_apply_pointer(settle_core *core, const settle_event *event);
uint32_t settle_button_index(const settle_core *core, uint32_t button);
/* SETTLE_FULL: goes on where it stopped. */
int settle_finish_release(settle_core *core);
void settle_fire(settle_core *core, uint32_t slot, deadline_key key);

/* Gives a disconnected scene's slot back. */
void settle_slot_free(settle_core *core, uint32_t slot);

void settle_deadlines_init(settle_core *core);
deadline_key settle_deadlines_key(const settle_core *core, uint32_t slot);
/* Links the scene, or moves it after one of its deadlines became earlier. */
void settle_deadlines_place(settle_core *core, uint32_t slot);
void settle_deadlines_remove(settle_core *core, uint32_t slot);
/* The scene whose armed deadline is the first of all by (deadline, arming
 * order), NO_SLOT when none is armed. */
uint32_t settle_deadlines_first(settle_core *core, deadline_key *key);
/* Refreshes next_due_ns without sorting anything. */
void settle_deadlines_update_bound(settle_core *core);

#endif
