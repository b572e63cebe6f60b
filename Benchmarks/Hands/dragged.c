/* A window that is dragged, whose builds take a while of processor time on settle_worker.h's thread: measures how long
 * after each drag the right picture is there, beside what the closed loop says of the same events.
 *
 * usage: dragged x11|wayland BUILD_MS   Opens the window, and prints its size when it has a picture. Then it reads lines:
 *   naive, debounce, end, prepared      a drag follows, and sizes are built this way
 *   rest                                a drag follows that is not measured
 *   done                                the drag is over: prints its figures once its last size is shown, and otherwise
 *                                       after five seconds: an object of JSON on a line
 * Ends with its standard input. Driven by drag.py. */
#define _GNU_SOURCE
#include "settle_sweep.h"
#include "settle_worker.h"
#include "demo_window.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#define MS 1000000u
enum { EVENTS_MAX = 1 << 16, PATIENCE_MS = 5000, WAYS = 5, CALM_MS = 120, LOG_END_MS = 3000 };
enum way { NAIVE, DEBOUNCE, END, PREPARED, REST };
static const char *const way_names[WAYS] = {"naive", "debounce", "end", "prepared", "rest"};

static demo_window *shown;
static settle_window window;
static settle_worker worker;
static enum way way = REST;
static int bell, build_ms;
static settle_window_size size, picture,
    waiting; /* of the window, what it shows, and what a naive program builds next */
static bool must_present;
/* One drag. */
static settle_log_event events[EVENTS_MAX];
static size_t count;
static uint64_t began_ns, released_ns, changed_ns, changed_after_ns, right_ns, presented_ns;
static unsigned held, sizes, wrong, previews, prepared; /* wrong: shown when the window had another size */
static uint64_t ended_cost_ns;                          /* of the build that ended last */
static unsigned builds;                                 /* begun; atomic */
static uint64_t worked_ns;                              /* atomic */

static uint64_t clock_ns(clockid_t clock) {
    struct timespec now;
    clock_gettime(clock, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}
static uint64_t now_ns(void) { return clock_ns(CLOCK_MONOTONIC); }
static bool is_same(settle_window_size a, settle_window_size b) { return a.width == b.width && a.height == b.height; }
static bool is_habit(void) { return way == NAIVE || way == DEBOUNCE; }

typedef struct made {
    settle_window_size size;
    uint32_t color;
} made;

/* The worker's thread: processor time, and a color that is the picture. */
static void *build(settle_worker *self, settle_window_size of) {
    const uint64_t begun_ns = now_ns(), until_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID) + (uint64_t)build_ms * MS;
    uint32_t color = (uint32_t)of.width * 7919u ^ (uint32_t)of.height;
    __atomic_fetch_add(&builds, 1, __ATOMIC_RELAXED);
    while (clock_ns(CLOCK_THREAD_CPUTIME_ID) < until_ns && !settle_worker_is_cancelled(self))
        for (int i = 0; i < 20000; i++) color = color * 1664525u + 1013904223u;
    __atomic_fetch_add(&worked_ns, now_ns() - begun_ns, __ATOMIC_RELAXED);
    if (settle_worker_is_cancelled(self)) return NULL;
    made *result = malloc(sizeof *result);
    if (result) *result = (made){of, color & 0xffffff};
    return result;
}
static void wake(void *data) { (void)data, eventfd_write(bell, 1); }

static void present(uint32_t color) {
    uint32_t *pixels;
    if (demo_window_begin(shown, (int)picture.width, (int)picture.height, &pixels) != 1) return;
    for (size_t i = 0; i < (size_t)(picture.width * picture.height); i++) pixels[i] = color;
    demo_window_present(shown);
    presented_ns = now_ns();
    must_present = false;
}

/* What a program without an engine does, said as a policy: sizes alone are sent, and every one is an end after a while. */
static settle_policy policy_of(enum way of) {
    settle_policy policy = of == PREPARED ? settle_policy_prepared() : settle_policy_default();
    if (of != NAIVE && of != DEBOUNCE) return policy;
    policy.quiet_delay_ns = of == NAIVE ? 0 : SETTLE_DEBOUNCE_NS;
    policy.jump_delay_ns = SETTLE_NEVER;
    return policy;
}

static void record(settle_event event) {
    if (count < EVENTS_MAX) events[count++] = event;
}

/* The window shows its size now: the next drag is measured from here. */
static void begin_drag(enum way next) {
    const settle_policy policy = policy_of(way = next);
    settle_window_size first;
    settle_window_init(&window, &policy);
    began_ns = now_ns();
    settle_window_resize(&window, began_ns, size.width, size.height, SETTLE_DRAG_UNKNOWN);
    settle_window_poll(&window, began_ns, &first);
    settle_window_finished(&window, began_ns, 0);
    memset(&worker.work, 0, sizeof worker.work);
    worker.work.shown = picture = size;
    waiting.width = 0;
    count = 0;
    record(settle_event_geometry(0, began_ns, size.width, size.height, 0));
    released_ns = changed_ns = changed_after_ns = right_ns = presented_ns = ended_cost_ns = worked_ns = 0;
    held = sizes = wrong = previews = prepared = builds = 0;
}

static void resized(uint64_t at_ns, settle_window_size to, bool reports, bool is_resizing) {
    const bool is_other = !is_same(to, size);
    const unsigned flags = !reports ? 0 : is_resizing ? SETTLE_RESIZING_KNOWN | SETTLE_RESIZING : SETTLE_NOT_RESIZING;
    const enum settle_drag flag = !reports || is_habit() ? SETTLE_DRAG_UNKNOWN
                                  : is_resizing          ? SETTLE_DRAG_YES
                                                         : SETTLE_DRAG_NO;
    size = to;
    sizes += is_other;
    if (is_other) changed_ns = at_ns;
    if (is_other && released_ns > 0 && at_ns - released_ns < SETTLE_FOLLOWS_NS) changed_after_ns = at_ns;
    if (reports && is_resizing) held = 1;
    if (reports && !is_resizing && held) held = 0, released_ns = at_ns;
    record(settle_event_geometry(0, at_ns, to.width, to.height, flags));
    settle_window_resize(&window, at_ns, to.width, to.height, flag);
    settle_worker_resized(&worker, &window, at_ns, to.width, to.height);
}

static void button(uint64_t at_ns, unsigned number, bool is_pressed) {
    held = is_pressed ? held + 1 : held - (held > 0);
    if (!is_pressed && held == 0) released_ns = at_ns;
    record(settle_event_pointer(number, at_ns, is_pressed));
    if (!is_habit()) settle_window_button(&window, at_ns, number, is_pressed);
}

static void next_events(void) {
    demo_window_event event;
    const bool reports = demo_window_reports_resizing(shown);
    int result;
    while ((result = demo_window_next(shown, &event)) == 1) {
        if (event.kind == DEMO_WINDOW_SIZE)
            resized(now_ns(), (settle_window_size){event.width_px, event.height_px}, reports, event.resizing);
        if (event.kind == DEMO_WINDOW_BUTTON) button(now_ns(), event.button, event.pressed);
        if (event.kind == DEMO_WINDOW_DAMAGED) must_present = true;
        if (event.kind == DEMO_WINDOW_CLOSE) exit(0);
    }
    if (result < 0) fprintf(stderr, "dragged: %s\n", demo_window_message(shown)), exit(3);
}

/* A naive program ends each build before the next one, which is the last size's. */
static enum settle_window_action hold_back(enum settle_window_action action, settle_window_size *of) {
    if (action == SETTLE_WINDOW_REBUILD) waiting = *of;
    if (waiting.width == 0 || settle_work_runs(&worker.work)) return SETTLE_WINDOW_NOTHING;
    *of = waiting;
    waiting.width = 0;
    return SETTLE_WINDOW_REBUILD;
}

/* A turn of the loop. */
static void turn(void) {
    const uint64_t at_ns = now_ns();
    settle_window_size of = size;
    enum settle_window_action action = settle_window_poll(&window, at_ns, &of);
    if (way == REST) action = SETTLE_WINDOW_NOTHING;
    previews += action == SETTLE_WINDOW_PREVIEW;
    if (action == SETTLE_WINDOW_REBUILD) prepared += settle_window_is_prepared(&window);
    if (is_habit()) action = hold_back(action, &of);
    const bool ran = settle_work_runs(&worker.work);
    made *shows = settle_worker_turn(&worker, &window, at_ns, action, &of);
    if (ran && (shows || worker.work.phase == SETTLE_WORK_PREPARED)) ended_cost_ns = worker.work.cost_ns;
    static uint32_t color;
    if (shows) {
        wrong += !is_same(shows->size, size);
        picture = shows->size;
        color = shows->color;
        must_present = true;
        free(shows);
    }
    if (way == REST && !is_same(picture, size)) picture = size, must_present = true;
    if (!is_same(picture, size)) right_ns = 0;
    else if (right_ns == 0) right_ns = now_ns();
    if (must_present) present(color);
    if (waiting.width > 0 && !settle_work_runs(&worker.work)) wake(NULL);
}

static void *reserve(size_t bytes) {
    void *memory = aligned_alloc(64, (bytes + 64) / 64 * 64);
    if (!memory) abort();
    return memory;
}

/* What the closed loop says of the drag's events, with builds that take so long. */
static settle_sweep_counts predicted(uint64_t cost_ns) {
    settle_sweep_counts counts;
    memset(&counts, 0, sizeof counts);
    settle_log_event *log_events = reserve((count + 1) * sizeof *log_events);
    memcpy(log_events, events, count * sizeof *events);
    const uint64_t last_ns = events[count - 1].at_ns + LOG_END_MS * (uint64_t)MS;
    log_events[count] = settle_event_geometry(0, last_ns, size.width, size.height, 0);
    const size_t log_count = count + 1;
    const settle_build_cost cost = {(double)cost_ns, 0, 0};
    settle_sweep_log log;
    bool scratch[1];
    const size_t connections = settle_sweep_connections(log_events, log_count, 1, scratch);
    const size_t bytes = settle_sweep_log_size(log_count, 1, connections);
    void *memory = reserve(bytes);
    if (settle_sweep_bind(log_events, log_count, 1, connections, memory, bytes, &log) != SETTLE_OK) abort();
    if (is_habit()) {
        settle_sweep_habit(&log, &cost, way == NAIVE ? SETTLE_HABIT_EVERY_SIZE : SETTLE_HABIT_DEBOUNCE, &counts);
    } else {
        const settle_policy policy = policy_of(way);
        void *workspace = reserve(settle_sweep_play_size(&log));
        settle_sweep_play(workspace, settle_sweep_play_size(&log), &log, &cost, &policy, 1, &counts);
        free(workspace);
    }
    free(memory);
    free(log_events);
    return counts;
}

static double ms(uint64_t ns) { return (double)ns / MS; }

static void report(void) {
    const bool is_right = is_same(picture, size) && right_ns > 0;
    const uint64_t end_ns = changed_after_ns > 0 ? changed_after_ns : released_ns;
    const uint64_t cost_ns = ended_cost_ns > 0 ? ended_cost_ns : (uint64_t)build_ms * MS;
    const uint64_t right_after_ns = right_ns > end_ns ? right_ns - end_ns : 0;
    /* As long as the build that ended last, which is shown; and as long as all should take, to compare the ways. */
    const settle_sweep_counts counts = predicted(cost_ns), alike = predicted((uint64_t)build_ms * MS);
    unsigned interactions = 0;
    for (int i = 0; i < SETTLE_LAG_BUCKETS; i++) interactions += (unsigned)counts.right_after[i];
    printf("{\"way\":\"%s\",\"sizes\":%u,\"width\":%g,\"height\":%g,\"drags\":%u,\"right\":%s,\"wrong\":%u,"
           "\"right_after_ms\":%.3f,\"predicted_ms\":%.3f,\"alike_ms\":%.3f,\"present_ms\":%.3f,\"still_ms\":%.1f,"
           "\"cost_ms\":%.3f,"
           "\"builds\":%u,\"predicted_builds\":%llu,\"work_ms\":%.1f,\"predicted_work_ms\":%.1f,\"previews\":%u,"
           "\"prepared\":%u}\n",
           way_names[way], sizes, size.width, size.height, interactions, is_right && released_ns > 0 ? "true" : "false",
           wrong, ms(right_after_ns), ms(counts.right_after_ns), ms(alike.right_after_ns),
           presented_ns > right_ns ? ms(presented_ns - right_ns) : 0,
           ms(end_ns - changed_ns < (uint64_t)1 << 62 ? end_ns - changed_ns : 0), ms(cost_ns), builds,
           (unsigned long long)counts.builds - 1, ms(worked_ns), ms(counts.work_ns - cost_ns), previews, prepared);
    fflush(stdout);
}

/* The drag is over: nothing is decided or built any more. */
static bool is_over(uint64_t asked_ns) {
    const uint64_t at_ns = now_ns();
    if (at_ns - asked_ns > PATIENCE_MS * (uint64_t)MS) return true;
    if (at_ns - changed_ns < CALM_MS * (uint64_t)MS || at_ns - asked_ns < CALM_MS * (uint64_t)MS) return false;
    return (way == REST || released_ns > 0) && is_same(picture, size) && !must_present &&
           !settle_work_runs(&worker.work) && waiting.width == 0;
}

/* Reads a word from the driver; false at the end. */
static bool read_word(char *word, size_t capacity) {
    for (size_t length = 0; length + 1 < capacity;) {
        if (read(STDIN_FILENO, &word[length], 1) != 1) return false;
        if (word[length] == '\n') return word[length] = 0, true;
        length++;
    }
    return false;
}

int main(int argc, char **argv) {
    char message[DEMO_WINDOW_MESSAGE_MAX], word[16];
    if (argc != 3 || (build_ms = atoi(argv[2])) < 1) return fprintf(stderr, "usage: dragged x11|wayland BUILD_MS\n"), 2;
    const demo_window_options options = {"dragged", 700, 620, 120, 120};
    if (demo_window_open(argv[1][0] == 'w' ? DEMO_WINDOW_WAYLAND : DEMO_WINDOW_X11, &options, &shown, message))
        return fprintf(stderr, "dragged: %s\n", message), 3;
    bell = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    settle_window_init(&window, NULL);
    if (settle_worker_open(&worker, build, free, wake, NULL)) return 3;
    uint64_t asked_ns = 0;
    bool is_announced = false;
    struct pollfd pollers[] = {
        {demo_window_descriptor(shown), POLLIN, 0}, {bell, POLLIN, 0}, {STDIN_FILENO, POLLIN, 0}};
    for (;;) {
        next_events();
        if (size.width > 0) turn();
        if (!is_announced && size.width > 0 && is_same(picture, size) && !must_present) {
            is_announced = true;
            printf("%g %g\n", size.width, size.height), fflush(stdout);
        }
        if (asked_ns > 0 && is_over(asked_ns)) report(), asked_ns = 0;
        uint64_t timeout_ns = settle_window_timeout_ns(&window, now_ns());
        if (asked_ns > 0 && timeout_ns > 10 * MS) timeout_ns = 10 * MS;
        const struct timespec timeout = {(time_t)(timeout_ns / 1000000000u), (long)(timeout_ns % 1000000000u)};
        ppoll(pollers, 3, timeout_ns == SETTLE_NEVER ? NULL : &timeout, NULL);
        if (pollers[1].revents) eventfd_read(bell, &(eventfd_t){0});
        if (!pollers[2].revents) continue;
        if (!read_word(word, sizeof word)) break;
        if (strcmp(word, "done") == 0) asked_ns = now_ns();
        for (int i = 0; i < WAYS; i++)
            if (strcmp(word, way_names[i]) == 0) begin_drag((enum way)i);
    }
    settle_worker_close(&worker);
    demo_window_close(shown);
    return 0;
}
