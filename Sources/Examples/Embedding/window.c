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

    settle_window_button(&window, 10 * MS, 1, true);
    for (unsigned i = 1; i <= 100; i++) settle_window_resize(&window, i * MS, 800 + i, 600, SETTLE_DRAG_UNKNOWN);
    settle_window_button(&window, 2100 * MS, 1, false);
    for (uint64_t now_ns = 0; now_ns <= 3000 * MS; now_ns += MS) turn(&window, now_ns);
    return 0;
}
