/* One window: a drag of 100 sizes, the hand held still for two seconds, the button released. Two builds. */
#include "settle.h" /* one of the two files that scripts/amalgamate writes */

#include <stdio.h>

#define MS 1000000u

static void turn(settle_window *window, uint64_t now_ns) {
    settle_window_size size;
    if (settle_window_poll(window, now_ns, &size) == SETTLE_WINDOW_REBUILD) {
        printf("build %gx%g at %g ms\n", size.width, size.height, (double)now_ns / MS);
    }
}

int main(void) {
    settle_window window;
    settle_window_init(&window, NULL);
    settle_window_resize(&window, 0, 800, 600, SETTLE_DRAG_UNKNOWN);
    turn(&window, 0);

    for (uint64_t ms = 0; ms <= 3000; ms++) {
        if (ms == 10) settle_window_button(&window, ms * MS, 1, true);
        if (ms > 10 && ms <= 110) settle_window_resize(&window, ms * MS, 790 + (double)ms, 600, SETTLE_DRAG_UNKNOWN);
        if (ms == 2100) settle_window_button(&window, ms * MS, 1, false);
        turn(&window, ms * MS);
    }
    return 0;
}
