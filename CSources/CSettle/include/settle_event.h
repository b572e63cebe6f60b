/* Events: what a core is given. Part of settle.h, which says what times and sizes mean.
 * All functions here may be called from any thread. */
#ifndef SETTLE_EVENT_H
#define SETTLE_EVENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Inline functions have no counters in a build for coverage: the programs that include this
 * header would have them, and Swift's compiler cannot make them. core/inline.c makes them functions of the
 * library as well, for languages that cannot call inline ones: there SETTLE_INLINE is empty. */
#if !defined(SETTLE_INLINE) && defined(__has_attribute)
#if __has_attribute(no_profile_instrument_function)
#define SETTLE_INLINE __attribute__((no_profile_instrument_function)) static inline
#endif
#endif
#ifndef SETTLE_INLINE
#define SETTLE_INLINE static inline
#endif

/* One without a name, which C99 has as an extension only. */
#ifdef __GNUC__
#define SETTLE_UNION __extension__ union
#else
#define SETTLE_UNION union
#endif

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#pragma GCC visibility push(default)
#endif

/* The tables of this library's headers have a row for each constant: its name, its number, and the contract's word.
 * Lists are made from them in every language. */
#define SETTLE_ENUMERATOR(constant, number, word) constant = (number),

/* The kinds of events. Zero is a geometry event, as in the log. Connect, of a connected scene, moves time and changes
 * nothing. After a disconnect the handle is stale. A pointer event is of a button, and not of a scene. Flush decides a
 * pending rebuild now. Cancel drops one; none follows until the size changes. Really built: not the build asked for,
 * width × height is what is built, zero for no size. Finished: a rebuild is built, see settle_event_finished.
 * Previewed: the work for a preview has ended, see settle_event_previewed. */
#define SETTLE_EVENT_KINDS(ROW)                                                                                        \
    ROW(SETTLE_GEOMETRY, 0, "geometry")                                                                                \
    ROW(SETTLE_CONNECT, 1, "connect")                                                                                  \
    ROW(SETTLE_DISCONNECT, 2, "disconnect")                                                                            \
    ROW(SETTLE_POINTER, 3, "pointer")                                                                                  \
    ROW(SETTLE_FLUSH, 4, "flush")                                                                                      \
    ROW(SETTLE_CANCEL, 5, "cancel")                                                                                    \
    ROW(SETTLE_REALLY_BUILT, 6, "reallyBuilt")                                                                         \
    ROW(SETTLE_FINISHED, 7, "finished")                                                                                \
    ROW(SETTLE_PREVIEWED, 8, "previewed")

enum settle_event_kind { SETTLE_EVENT_KINDS(SETTLE_ENUMERATOR) };

/* The contract's name of a kind, such as "geometry"; "unknown" for any other number. Static text. */
const char *settle_event_kind_name(unsigned kind);

/* Whether events of a kind report what a handler did: they have a cost and a generation instead of a size, connect no
 * scene, and a log has them beside what windows report. */
SETTLE_INLINE bool settle_event_is_report(unsigned kind) { return kind == SETTLE_FINISHED || kind == SETTLE_PREVIEWED; }

/* Event flags. A bit counts only together with its KNOWN bit. */
enum settle_event_flag {
    SETTLE_RESIZING_KNOWN = 1 << 0,
    SETTLE_RESIZING = 1 << 1,
    SETTLE_LOCKED_KNOWN = 1 << 2,
    SETTLE_LOCKED = 1 << 3,
    SETTLE_ORIENTATION_SHIFT = 4, /* three bits: enum settle_orientation */
    SETTLE_ORIENTATION_MASK = 7 << 4,
    SETTLE_SIZE_KNOWN = 1 << 7,                  /* for logs; the core reads width and height */
    SETTLE_PRESSED = 1 << 8,                     /* pointer events */
    SETTLE_GIVEN_UP = 1 << 9,                    /* previewed events: the work was not kept */
    SETTLE_NOT_RESIZING = SETTLE_RESIZING_KNOWN, /* no drag, says a source that reports drags */
    SETTLE_FLAGS_ALL = (1 << 10) - 1
};

#define SETTLE_ORIENTATIONS(ROW)                                                                                       \
    ROW(SETTLE_PORTRAIT, 1, "portrait")                                                                                \
    ROW(SETTLE_PORTRAIT_UPSIDE_DOWN, 2, "portraitUpsideDown")                                                          \
    ROW(SETTLE_LANDSCAPE_LEFT, 3, "landscapeLeft")                                                                     \
    ROW(SETTLE_LANDSCAPE_RIGHT, 4, "landscapeRight")

enum settle_orientation { SETTLE_ORIENTATION_NONE = 0, SETTLE_ORIENTATIONS(SETTLE_ENUMERATOR) };

/* The contract's word of an orientation, such as "portrait"; "none" for SETTLE_ORIENTATION_NONE, "unknown" for any other
 * number. Static text. */
const char *settle_orientation_name(unsigned orientation);

/* A scene's handle: its slot in the low `b` bits, its generation above. 2^b is scenes_max,
 * rounded up to a power of two, and at least 2. Never zero for a connected scene.
 *
 * A slot gives out 2^(32 - b) - 1 different handles: 4,194,303 for 1,024 scenes, 4,095 for
 * SETTLE_SCENES_MAX. Then it is used only when no other slot is free, and repeats them. So a
 * stale handle is rejected for at least 2^(32 - b) - 2 more calls of settle_core_connect. */
typedef uint32_t settle_scene;

/* One event, 32 bytes, no padding. A zero width or height keeps the size. */
typedef struct settle_event {
    uint64_t at_ns; /* 0 … INT64_MAX */
    SETTLE_UNION {
        double width;
        uint64_t cost_ns; /* SETTLE_FINISHED, SETTLE_PREVIEWED: how long the build or the work took */
    };
    SETTLE_UNION {
        double height;
        uint64_t generation; /* SETTLE_FINISHED, SETTLE_PREVIEWED: that of the rebuild's or the preview's decision */
    };
    SETTLE_UNION {
        settle_scene scene;
        uint32_t button; /* SETTLE_POINTER */
        uint32_t name;   /* of a log's event: the number of its scene's name */
    };
    uint16_t kind;  /* enum settle_event_kind */
    uint16_t flags; /* enum settle_event_flag */
} settle_event;

/* A kind or flags for an event. More than 16 bits become UINT16_MAX, which is invalid as both. */
SETTLE_INLINE uint16_t settle_event_bits(unsigned value) {
    return value > UINT16_MAX ? UINT16_MAX : value & UINT16_MAX;
}

/* Constructors, of a scene or a button at a time. They check nothing: settle_core_submit does, also for more than 16
 * bits. */
SETTLE_INLINE settle_event settle_event_make(unsigned kind, settle_scene scene, uint64_t at_ns) {
    settle_event event;
    event.at_ns = at_ns;
    event.width = event.height = 0;
    event.scene = scene;
    event.kind = settle_event_bits(kind);
    event.flags = 0;
    return event;
}

/* A size. `flags` are those that the source states, such as SETTLE_RESIZING_KNOWN | SETTLE_RESIZING, or
 * SETTLE_NOT_RESIZING. */
SETTLE_INLINE settle_event settle_event_geometry(settle_scene scene, uint64_t at_ns, double width, double height,
                                                 unsigned flags) {
    settle_event event = settle_event_make(SETTLE_GEOMETRY, scene, at_ns);
    event.width = width;
    event.height = height;
    event.flags = settle_event_bits(SETTLE_SIZE_KNOWN | flags);
    return event;
}

/* Flags alone; the size is kept. */
SETTLE_INLINE settle_event settle_event_flags(settle_scene scene, uint64_t at_ns, unsigned flags) {
    settle_event event = settle_event_make(SETTLE_GEOMETRY, scene, at_ns);
    event.flags = settle_event_bits(flags);
    return event;
}

SETTLE_INLINE settle_event settle_event_pointer(uint32_t button, uint64_t at_ns, bool is_pressed) {
    settle_event event = settle_event_make(SETTLE_POINTER, 0, at_ns);
    event.button = button;
    if (is_pressed) event.flags = SETTLE_PRESSED;
    return event;
}

SETTLE_INLINE settle_event settle_event_disconnect(settle_scene scene, uint64_t at_ns) {
    return settle_event_make(SETTLE_DISCONNECT, scene, at_ns);
}

SETTLE_INLINE settle_event settle_event_flush(settle_scene scene, uint64_t at_ns) {
    return settle_event_make(SETTLE_FLUSH, scene, at_ns);
}

SETTLE_INLINE settle_event settle_event_cancel(settle_scene scene, uint64_t at_ns) {
    return settle_event_make(SETTLE_CANCEL, scene, at_ns);
}

/* The built size after a failed rebuild; zero by zero for none. */
SETTLE_INLINE settle_event settle_event_really_built(settle_scene scene, uint64_t at_ns, double width, double height) {
    settle_event event = settle_event_make(SETTLE_REALLY_BUILT, scene, at_ns);
    event.width = width;
    event.height = height;
    if (width != 0 && height != 0) event.flags = SETTLE_SIZE_KNOWN;
    return event;
}

/* The most that the cost of a build can be: 2^53 ns, about 104 days. */
#define SETTLE_COST_MAX 9007199254740992u

/* The build of a scene's rebuild `generation` (settle_decision) is done, and took so long; a longer cost
 * than SETTLE_COST_MAX is that. Rule 18. */
SETTLE_INLINE settle_event settle_event_finished(settle_scene scene, uint64_t at_ns, uint32_t generation,
                                                 uint64_t cost_ns) {
    settle_event event = settle_event_make(SETTLE_FINISHED, scene, at_ns);
    event.cost_ns = cost_ns < SETTLE_COST_MAX ? cost_ns : SETTLE_COST_MAX;
    event.generation = generation;
    return event;
}

/* The work for a scene's preview `generation` (settle_decision) is done and kept, or was cancelled after so much of
 * it; `cost_ns` as above. Rule 17. */
SETTLE_INLINE settle_event settle_event_previewed(settle_scene scene, uint64_t at_ns, uint32_t generation,
                                                  uint64_t cost_ns, bool is_kept) {
    settle_event event = settle_event_finished(scene, at_ns, generation, cost_ns);
    event.kind = SETTLE_PREVIEWED;
    if (!is_kept) event.flags = SETTLE_GIVEN_UP;
    return event;
}

/* Why every core rejects an event, whatever its state. */
enum settle_rejection {
    SETTLE_NOT_REJECTED = 0,   /* a core may still reject it, for its scene or a button */
    SETTLE_REJECTED_EVENT = 1, /* unknown kind or flag, or a time beyond INT64_MAX */
    SETTLE_REJECTED_SIZE = 2   /* rule 2: settle_size_valid is false */
};
int settle_event_rejection(const settle_event *event);

/* Rule 2: whether both sides are finite and not negative. A zero side keeps the size. */
bool settle_size_valid(double width, double height);

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#ifdef __cplusplus
}
#endif
#endif
