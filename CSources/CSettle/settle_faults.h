/* Planted faults: single wrong steps that the project's checks must find. A normal build
 * has none: FAULT is then the constant 0 and leaves no code.
 *
 *   -DSETTLE_FAULT=FAULT_NAME   plants one fault when compiling
 *   -DSETTLE_FAULTS             plants the fault whose number the environment variable
 *                               SETTLE_FAULT holds when the process starts
 *
 * Sources/Settle/Planted*.swift list the faults of the Swift sources. scripts/checks/faults
 * compares the lists with the markers, and scripts/faults prints them.
 *
 * Not a part of the API, so not in include/. */
#ifndef SETTLE_FAULTS_HEADER_H
#define SETTLE_FAULTS_HEADER_H

enum settle_fault {
    FAULT_NONE = 0,

    /* The ring and the doorbell. */
    FAULT_FENCES_MISSING = 1,        /* a wake-up can pass the sleeper's last look at the rings */
    FAULT_PUBLISHED_RELAXED = 2,     /* an event is published before it is written */
    FAULT_READY_SOURCE_UNLISTED = 3, /* a source that has events is not listed */

    /* The rules. */
    FAULT_FIRES_EARLY = 10,              /* the core fires a microsecond early */
    FAULT_DEADLINE_UNCHECKED = 11,       /* the first deadline fires though it is not due */
    FAULT_BUILT_SIZE_REBUILT = 12,       /* a size that is built already is built again */
    FAULT_FLUSH_INTERACTING = 13,        /* a flush rebuilds within an interaction */
    FAULT_CHANGE_UNSCHEDULED = 14,       /* a change outside interactions schedules no rebuild */
    FAULT_END_UNSCHEDULED = 15,          /* the end of an interaction schedules no rebuild */
    FAULT_LATER_LINK_KEPT = 16,          /* an earlier deadline keeps its scene's later link */
    FAULT_LINK_MISSING = 17,             /* an armed deadline is not linked */
    FAULT_PENDING_TIME_MOVED = 18,       /* maximumWait counts from the latest change, not from the first */
    FAULT_DECISION_INDEX_UNBOUNDED = 19, /* a decision is written behind the last one's slot */
    FAULT_BUTTONS_UNBOUNDED = 20,        /* a button beyond the bound is accepted */
    FAULT_RUN_PASSES_DEADLINE = 21,      /* a run goes on at the time at which a deadline is due */
    FAULT_POSTPONE_PASSES_DEADLINE = 22, /* the common event is applied at the time of a deadline */
    FAULT_QUIET_UNBOUNDED = 23,          /* a long cadence makes rule 16's wait longer than quietMaximum */
    FAULT_POSTPONE_BUILT_SIZE = 24,      /* the common event postpones a rebuild of the built size */
    FAULT_NEW_CORE_LISTS_UNSET = 25,     /* the lists of free slots of a new core begin at slot 0 */
    FAULT_FREE_LIST_END_KEPT = 26,       /* the list of free slots keeps its end when it gets empty */
    FAULT_DECISIONS_REPEATED = 27,       /* decisions that were read are returned again */
    FAULT_PREVIEW_BUILT = 28,            /* a preview counts as built */
    FAULT_PREVIEW_REPEATED = 29,         /* a size is previewed again in the same interaction */
    FAULT_POINTER_UNWATCHED = 30,        /* an interaction from the pointer has no watchdog */
    FAULT_FIXED_QUIET_SKIPPED = 31,      /* a fixed quiet wait is none */
    FAULT_WATCHDOG_KEPT = 32,            /* a policy without a watchdog leaves the old one's armed */
    FAULT_MICROSECOND_ROUNDED_UP = 33,   /* a flood counts a microsecond too many from 500 ns */
    FAULT_MAXIMUM_CUT_SHORT = 34,        /* a rebuild with a maximumWait waits for nothing */
    FAULT_WATCHDOG_MOVED = 35,           /* a change of policy makes the watchdog wait longer */

    /* The deadline queue. */
    FAULT_DISARMED_KEY_KEPT = 40,      /* a disarmed deadline keeps its key */
    FAULT_REACHED_BUCKET_SKIPPED = 41, /* a bucket whose start is reached is skipped */
    FAULT_BOUND_NOT_LOWERED = 42,      /* the next wake-up stays later than an earlier deadline */

    /* The log's decoders. */
    FAULT_EVENT_LENGTH_UNCHECKED = 50, /* an event that ends behind its chunk is decoded */
    FAULT_EVENT_KIND_UNCHECKED = 51,   /* an event of an unknown kind is decoded */
    FAULT_LOADED_BYTES_CHANGED = 52,   /* a load of eight bytes changes a bit */
    FAULT_SCENE_NUMBER_UNCHECKED = 53, /* a scene number one beyond the dictionary is decoded */
    FAULT_NAME_LENGTH_UNCHECKED = 54,  /* a name that ends behind its dictionary is returned */
    FAULT_DICTIONARY_UNCHECKED = 55,   /* a dictionary longer than its chunk is accepted */
    FAULT_RUN_END_UNCHECKED = 56,      /* a run of events of one tag goes on at the end of its chunk */
    FAULT_JSON_STRING_UNBOUNDED = 57,  /* a string is searched for its end behind the buffer */
    FAULT_JSON_DIGITS_ROUNDED = 58,    /* a length of more digits than a double holds is divided */
    FAULT_JSON_KEY_REPEATED = 59,      /* a line with a key twice is plain */

    /* The sweep of policies. */
    FAULT_RESTART_KEEPS_TIME = 60,     /* the next policy begins at the time at which the one before ended */
    FAULT_RESTART_KEEPS_BUTTONS = 61,  /* the next policy begins with the buttons that the log leaves held */
    FAULT_LAG_WITHOUT_END = 62,        /* a lag counts from the last size change alone */
    FAULT_LAG_EVENTS_FORGOTTEN = 63,   /* a lag counts from a change before the rebuild before */
    FAULT_LAG_LAST_BUCKET_EARLY = 64,  /* the last bucket of lags begins at half its lag */
    FAULT_QUANTILE_RANK_LOWER = 65,    /* a quantile leaves out the lag that it ends in */
    FAULT_WASTED_SECOND_LEFT_OUT = 66, /* a rebuild that another follows after just a second is not wasted */
    FAULT_RECONNECTION_MISSED = 67,    /* events after a disconnect keep the handle of the scene before */
    FAULT_CHANGE_TIME_EARLIER = 68,    /* a change that is earlier than the core's time counts from its own */
    FAULT_CONNECTIONS_UNCHECKED = 69,  /* more connections than given are written behind their memory */
    FAULT_DEBOUNCE_NOT_CANCELLED = 70, /* the fixed debounce rebuilds for a scene that has disconnected */
    FAULT_GRID_DIGIT_REPEATED = 71,    /* the grid has policies twice, and lacks others */
    FAULT_FRONT_WASTED_IGNORED = 72,   /* of equal points on the front, wasted rebuilds do not count */
    FAULT_KNEE_LAST_TAKEN = 73,        /* of points at the same distance, the knee is the last */

    /* A whole log in memory. */
    FAULT_EVENTS_UNDERCOUNTED = 80,   /* a chunk's last event has no memory of its own */
    FAULT_EVENTS_CLAIM_BELIEVED = 81, /* a chunk that claims more events than it has is whole */
    FAULT_INDEX_BELIEVED = 82,        /* an index is not compared with the chunks */
    FAULT_DAMAGE_NOT_PASSED = 83,     /* nothing behind damage is read */
    FAULT_NAME_SLOT_OVERWRITTEN = 84, /* a new name takes another's slot */
    FAULT_NAME_BYTES_UNCHECKED = 85   /* a name that is no UTF-8 is taken */
};

#if defined(SETTLE_FAULTS)
#include <stdlib.h>

static inline int settle_planted_fault(void) {
    static int planted = -1;
    if (planted < 0) planted = getenv("SETTLE_FAULT") ? atoi(getenv("SETTLE_FAULT")) : FAULT_NONE;
    return planted;
}
#define SETTLE_FAULT settle_planted_fault()
#elif !defined(SETTLE_FAULT)
#define SETTLE_FAULT FAULT_NONE
#endif

/* Whether this fault is planted: FAULT(FIRES_EARLY). */
#define FAULT(name) (SETTLE_FAULT == FAULT_##name)

#endif
