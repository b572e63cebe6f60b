/* One window: the rules of settle.h for programs that have a single one, in a value of 1.5 KiB without a
 * workspace, events or handles.
 *
 *     settle_window window;
 *     settle_window_init(&window, NULL);                                        // the default policy
 *     settle_window_resize(&window, now_ns, width, height, SETTLE_DRAG_UNKNOWN); // at each size
 *     settle_window_button(&window, now_ns, button, pressed);                   // at each button, if you see them
 *     if (settle_window_poll(&window, now_ns, &size) == SETTLE_WINDOW_REBUILD) rebuild(size.width, size.height);
 *
 * Times are nanoseconds on any clock, 0 … INT64_MAX; one before the latest counts as the latest. Nothing is allocated, no clock is read, and a window may be copied and moved like an int.
 * Calls on one window must not overlap; they may come from different threads. */
#ifndef SETTLE_WINDOW_H
#define SETTLE_WINDOW_H

#include "settle.h"

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#pragma GCC visibility push(default)
#define SETTLE_MAY_ALIAS __attribute__((may_alias))
#else
#define SETTLE_MAY_ALIAS
#endif

/* Its words are private; a third of them is for later versions. */
typedef struct SETTLE_MAY_ALIAS settle_window {
    uint64_t words[192];
} settle_window;

/* What a size's source says of a drag (rules 3 to 5, 11). Without another size for 10 seconds, the policy's
 * interaction_timeout_ns, a drag counts as ended, though the hand may hold still. */
enum settle_drag {
    SETTLE_DRAG_UNKNOWN =
        0, /* nothing, which leaves a drag as it is; if nothing ever does, buttons or a quiet time end one */
    SETTLE_DRAG_YES = 1, /* a drag goes on. From the first one on, this source is relied on, and buttons are ignored */
    SETTLE_DRAG_NO = 2   /* after SETTLE_DRAG_YES: the drag has ended. Before any: nothing */
};

enum settle_window_action {
    SETTLE_WINDOW_NOTHING = 0,
    SETTLE_WINDOW_PREVIEW = 1, /* the size stands still: begin work for it, or something cheaper (rule 17) */
    SETTLE_WINDOW_REBUILD = 2
};

typedef struct settle_window_size {
    double width, height; /* in the unit of settle_window_resize */
} settle_window_size;

/* Makes a window of which nothing is built. NULL is the default policy.
 * SETTLE_INVALID: a policy out of range; the window then takes no event. */
int settle_window_init(settle_window *window, const settle_policy *policy);

/* The window's size now, and what is known of a drag. A zero width or height keeps the size: so
 * (0, 0, SETTLE_DRAG_NO) is the end of a drag alone.
 * SETTLE_INVALID, and nothing changes: NaN, infinite or negative, or a time beyond INT64_MAX. */
int settle_window_resize(settle_window *window, uint64_t now_ns, double width, double height, enum settle_drag drag);

/* A pointer button anywhere on the screen, as the source numbers them. A size that changes while one is held
 * is part of a drag, which ends with the last button's release; not once a size came with SETTLE_DRAG_YES, nor
 * before the first build.
 * SETTLE_INVALID, and nothing changes: more than SETTLE_BUTTONS_MAX are held, or a time beyond INT64_MAX. */
int settle_window_button(settle_window *window, uint64_t now_ns, uint32_t button, bool is_pressed);

/* What to do now, once for each decision; writes its size unless it is SETTLE_WINDOW_NOTHING. Call it at every
 * turn of the program's loop, and after settle_window_timeout_ns. Whoever asks late gets the latest alone: a rebuild
 * that was decided, but not returned before its size changed or was dragged again, is dropped (rule 13). */
enum settle_window_action settle_window_poll(settle_window *window, uint64_t now_ns, settle_window_size *size);

/* How long settle_window_poll returns nothing for sure, unless something is sent: 0 if it has something now,
 * SETTLE_NEVER if it never will. Then ask; there may be nothing after all. For the timeout of poll(2) and the like. */
uint64_t settle_window_timeout_ns(settle_window *window, uint64_t now_ns);

/* The build of the rebuild returned last is done, and took so long: rebuilds within a drag need it (rule 18), also
 * of a build that failed, before settle_window_really_built. Without live_share_percent in the policy it changes nothing. */
int settle_window_finished(settle_window *window, uint64_t now_ns, uint64_t cost_ns);

/* The work for the preview returned last is done and kept, or was cancelled, and took so long: with
 * pause_share_percent in the policy the next preview waits for it. Cancel work as soon as the window has another size.
 * Once a prepared rebuild was returned, settle_window_finished says it instead. */
int settle_window_previewed(settle_window *window, uint64_t now_ns, uint64_t cost_ns, bool is_kept);

/* Whether work for the rebuild returned last is done or under way, begun when settle_window_poll returned its preview:
 * show it now, or when it is done. Only with pause_share_percent in the policy. */
bool settle_window_is_prepared(const settle_window *window);

/* Whether the rebuild returned last is feedback: builds have followed one another for 5 s, each of a size that came with
 * the build before (SETTLE_FEEDBACK_FRAME_NS; without a report a build ends at the program's next call). The build gives the
 * window another size: call settle_window_really_built with it, within the build. */
bool settle_window_is_feedback(const settle_window *window);

/* What is really built has this size, zero by zero for nothing. For three kinds of builds:
 * - One that failed. It is decided again at the next change, the end of a drag, or by settle_window_flush.
 * - One within which the program gave its window another size, as programs that keep an aspect ratio do. The size event
 *   that follows is then no change. Without this call it is one as any other, built once more after a quiet time.
 * - One that the program did by itself, as its first picture. Call it before the size's event.
 * SETTLE_INVALID as above. */
int settle_window_really_built(settle_window *window, uint64_t now_ns, double width, double height);

/* Decides now what is still to be built, unless the window is dragged: a retry, or a program that cannot wait. */
int settle_window_flush(settle_window *window, uint64_t now_ns);

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#ifdef __cplusplus
}
#endif
#endif
