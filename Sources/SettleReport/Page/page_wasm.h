/* What the sources of the page's WebAssembly share: one log, and what was decided about it. A
 * module's instance shows one log, so all state is static. JavaScript reads the arrays in place. */
#ifndef SETTLE_PAGE_WASM_H
#define SETTLE_PAGE_WASM_H

#include "settle_sweep.h"

#define EXPORT(name) __attribute__((export_name(#name))) name

/* Codes that settle_log_result and settle_result do not have. */
enum { PAGE_NO_MEMORY = -20, PAGE_TORN = -21, PAGE_CHUNK = -22 };

/* page_memory.c. Memory only grows. `page_release` releases all that was reserved after a mark. */
void *page_reserve(size_t bytes);
size_t page_mark(void);
void page_release(size_t mark);
/* Makes the block that was reserved last longer, in place. */
bool page_extend(size_t bytes);

typedef struct page_name {
    const unsigned char *bytes;
    uint32_t count;
} page_name;

/* What an event of a scene does, for its curve. */
enum page_mark_bits {
    PAGE_CHANGED = 1 << 0, /* the size differs from the last one: every size is rebuilt */
    PAGE_GONE = 1 << 1,    /* disconnected: no size from here on */
    PAGE_LOCK_KNOWN = 1 << 2,
    PAGE_LOCKED = 1 << 3
};

/* A log: its events, and the same sorted by the names of their scenes, for the lanes. Times are
 * nanoseconds after start_ns, in doubles and never decreasing. */
typedef struct page_log {
    settle_log_event *events; /* bound in place after page_open */
    uint32_t count;
    uint32_t names_count;
    page_name *names;
    int fault;             /* why decoding stopped, 0 at the log's end */
    uint32_t fault_offset; /* where */
    uint32_t metadata_bytes;
    const unsigned char *metadata;
    uint64_t start_ns;
    double end; /* the last event's time */
    /* By scene: entries first[name] … first[name + 1]. */
    uint32_t *first;
    double *times;
    float *widths, *heights; /* after the event; NaN while unknown */
    uint8_t *marks;          /* enum page_mark_bits */
    double *fired;           /* the fixed debounce's rebuilds, from fired[first[name]] on */
    uint32_t *fired_counts;
    /* Pointer events, and how many buttons are held after each. */
    uint32_t pointers;
    double *pointer_times;
    uint8_t *pointer_held;
    settle_baselines baselines;
    settle_sweep_log bound;
} page_log;

#ifdef __wasm__
_Static_assert(offsetof(page_log, count) == 4 && offsetof(page_log, names_count) == 8 &&
                   offsetof(page_log, names) == 12 && offsetof(page_log, fault) == 16 &&
                   offsetof(page_log, fault_offset) == 20 && offsetof(page_log, start_ns) == 32 &&
                   offsetof(page_log, end) == 40 && offsetof(page_log, first) == 48 &&
                   offsetof(page_log, pointers) == 76 && offsetof(page_log, pointer_held) == 84 &&
                   offsetof(page_log, baselines) == 88 && offsetof(page_log, bound.connections) == 140 &&
                   offsetof(page_log, bound.reports) == 144,
               "what Log.readLog in engine.mjs reads");
#endif

extern page_log page;

/* page_open.c: decodes the binary log that `bytes` has, which must stay. A negative code, or 0 also for
 * a log of which only a part could be decoded. */
int page_decode(const unsigned char *bytes, size_t count, const uint64_t seed[2]);
/* A length as the lanes draw it. */
static inline float page_drawn(double length) { return length < 1e38 ? (float)length : 1e38f; }

/* What a core is given: the events of the bound log, and reports. */
typedef struct page_stream {
    const settle_event *events;
    size_t count;
} page_stream;

/* page_decide.c: the policy that decides. */
settle_policy *page_policy(void);
/* page_count.c: with a cost of builds, the log's events with the reports of those that a policy's rebuilds make;
 * else those that it has. False if there is no memory. */
bool page_play(const settle_policy *policy, page_stream *stream);

/* page_lanes.c: sorts the events by scene and counts the baselines, before the events are bound. */
int page_sort(void);

#endif
