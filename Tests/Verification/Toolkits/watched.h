/* What the programs of this folder share. Each is called with what its build number N does, and N:
 *
 *     window | adapter | both N    destroys these, and runs on
 *     order 0                      does nothing: each size must have been delivered before its build
 *     shown 0                      is watched only once the window is shown
 *     drag 0                       previews and live builds, from outside of a build
 *
 * Each prints its builds, and ends with status 1 if one is not as it must be. */
#ifndef WATCHED_H
#define WATCHED_H

#include "settle_x11.h"

#include <stdio.h>
#include <string.h>

enum { WATCHED_SIZES = 4 };
static const char *watched_action;
static int watched_number, watched_builds, watched_previews, watched_faults, watched_is_ended;
/* An adapter that is closed, in a loop that goes on to ask it: it decides as before, without buttons. */
static int watched_goes_on;
/* The last size that the toolkit has delivered to the program itself. */
static int watched_width, watched_height;

static inline int watched_is(const char *action) { return !strcmp(watched_action, action); }

static inline void watched_begin(int count, char **words) {
    watched_action = count == 3 ? words[1] : "";
    watched_number = count == 3 ? atoi(words[2]) : 0;
    setvbuf(stdout, NULL, _IOLBF, 0);
}

/* Everything is decided at its size event, so whatever builds within one is found. */
static inline settle_policy watched_policy(void) {
    settle_policy policy = settle_policy_uikit();
    if (watched_is("drag")) {
        policy.live_share_percent = 100;
        policy.live_interval_ns = 0;
        policy.pause_delay_ns = 20000000;
    }
    return policy;
}

static inline void watched_verify(int is_right, const char *what) {
    if (is_right) return;
    printf("wrong: %s\n", what);
    watched_faults++;
}

/* Whether this build destroys something. */
static inline int watched_build(int width, int height) {
    printf("build %dx%d\n", width, height);
    watched_builds++;
    watched_verify(!watched_is_ended || watched_goes_on, "a build after the end");
    watched_verify(width == watched_width && height == watched_height, "a build before its size was delivered");
    if (watched_builds != watched_number) return 0;
    return watched_is_ended = 1;
}

/* Within a build that ends its watch: another one is due at once, and so would be a use of what is freed. */
static inline void watched_owe(settle_window *window) {
    settle_window_really_built(window, settle_x11_now_ns(), 0, 0);
    settle_window_flush(window, settle_x11_now_ns());
    watched_verify(settle_window_timeout_ns(window, settle_x11_now_ns()) == 0, "nothing is owed");
}

static inline void watched_preview(int width, int height) {
    printf("preview %dx%d\n", width, height);
    watched_previews++;
}

/* Whether a window has the policy that is taken without one: its release is an end after 50 ms. */
static inline int watched_waits_as_toolkits(settle_window window) {
    settle_window_size size;
    const uint64_t now_ns = settle_x11_now_ns();
    settle_window_resize(&window, now_ns, 100, 100, SETTLE_DRAG_UNKNOWN);
    settle_window_poll(&window, now_ns, &size);
    settle_window_button(&window, now_ns, 1, true);
    settle_window_resize(&window, now_ns, 200, 100, SETTLE_DRAG_UNKNOWN);
    settle_window_button(&window, now_ns, 1, false);
    return settle_window_timeout_ns(&window, now_ns) == 50000000;
}

/* Called every WATCHED_STEP_MS or more often: what the program is to do now. */
enum watched_step { WATCHED_WAIT, WATCHED_RESIZE, WATCHED_UPDATE, WATCHED_END };
enum { WATCHED_STEP_MS = 20, WATCHED_WAITS_MAX = 500, WATCHED_HEIGHT = 200 };

/* `width` becomes the one that the program gives its window now. With "drag" the window receives the sizes of a drag and
 * the reports of builds here instead, and the adapter is to be updated. `window` is null once the watch has ended. */
static inline enum watched_step watched_step(settle_window *window, int *width) {
    static int step, waits;
    const uint64_t now_ns = settle_x11_now_ns();
    /* Once what the last step must lead to is there; too few are found at the end. After the end there is nothing. */
    const int is_there = watched_is("drag") ? watched_builds >= 1 + step / 2 && watched_previews >= (step + 1) / 2
                                            : watched_builds > step || (watched_is_ended && !watched_goes_on);
    if (!is_there && waits++ < WATCHED_WAITS_MAX) return WATCHED_WAIT;
    *width = 300 + 40 * ++step;
    if (step > WATCHED_SIZES) return WATCHED_END;
    if (!watched_is("drag") || !window) return WATCHED_RESIZE;
    /* A size that is held for a step is previewed, and built at the report that the last build has ended. */
    if (step % 2) {
        watched_width = *width, watched_height = WATCHED_HEIGHT;
        watched_verify(settle_window_resize(window, now_ns, *width, WATCHED_HEIGHT, SETTLE_DRAG_YES) == 0, "the drag");
    } else {
        watched_verify(settle_window_finished(window, now_ns, 1000000) == 0, "the report");
    }
    return WATCHED_UPDATE;
}

/* The status of the program, after all steps. */
static inline int watched_status(void) {
    const int is_drag = watched_is("drag"), previews = is_drag ? WATCHED_SIZES / 2 : 0;
    const int builds = is_drag ? 1 + previews : !watched_number || watched_goes_on ? 1 + WATCHED_SIZES : watched_number;
    watched_verify(watched_builds == builds, "another number of builds");
    watched_verify(watched_previews == previews, "another number of previews");
    printf("%d builds, %d previews, %d wrong\n", watched_builds, watched_previews, watched_faults);
    return watched_faults > 0;
}

#endif
