/* Plays drawings of preparations, as run.py passes them, by settle_worker.h without its thread. */
#include "settle.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

static int report_previewed(settle_window *window, uint64_t now_ns, uint64_t cost_ns, bool is_kept);
static int report_finished(settle_window *window, uint64_t now_ns, uint64_t cost_ns);
static int note_really_built(settle_window *window, uint64_t now_ns, double width, double height);
#define settle_window_really_built note_really_built
#define settle_window_previewed report_previewed
#define settle_window_finished report_finished
/* The drawing ends what the thread would build. */
#define pthread_create(...) 0
#include "settle_worker.h"
#undef settle_window_previewed
#undef settle_window_finished
#undef settle_window_really_built

#define COLUMN_NS 10000000u
enum { COLUMNS_MAX = 63, BUILDS_MAX = 32 };
enum { BEGIN, CANCEL, SHOW, DROP, ROWS };

typedef struct build {
    char size;
    bool is_cancelled;
} build;

static settle_window window;
static settle_worker worker;
static build builds[BUILDS_MAX];
static int count, left; /* builds that were begun, and results that are neither shown nor dropped */
static size_t column;
static uint64_t returned_ns; /* when a failed build's size was returned last */
static char seen[ROWS][COLUMNS_MAX + 1];
static char reports[400];

static void report(const char *kind, uint64_t cost_ns, const char *more) {
    const size_t used = strlen(reports);
    snprintf(reports + used, sizeof reports - used, "%s%s %llums%s", used ? "; " : "", kind,
             (unsigned long long)(cost_ns / 1000000), more);
}

static int report_previewed(settle_window *of, uint64_t now_ns, uint64_t cost_ns, bool is_kept) {
    report("previewed", cost_ns, is_kept ? "" : " givenUp");
    return settle_window_previewed(of, now_ns, cost_ns, is_kept);
}

static int note_really_built(settle_window *of, uint64_t now_ns, double width, double height) {
    returned_ns = now_ns;
    return settle_window_really_built(of, now_ns, width, height);
}

static int report_finished(settle_window *of, uint64_t now_ns, uint64_t cost_ns) {
    report("finished", cost_ns, "");
    /* Rule 13. */
    if (returned_ns == now_ns && now_ns > 0) report("its size was returned before", 0, "");
    return settle_window_finished(of, now_ns, cost_ns);
}

/* What was cancelled is no loss. */
static void drop(void *built) {
    left--;
    if (!((build *)built)->is_cancelled) seen[DROP][column] = ((build *)built)->size;
}

/* What the worker has asked of its thread. */
static void look(void) {
    build *running = &builds[count];
    if (left != (worker.work.phase == SETTLE_WORK_PREPARED)) report("a result is held in vain", 0, "");
    if (worker.is_cancelled && !running->is_cancelled) {
        running->is_cancelled = true;
        seen[CANCEL][column] = running->size;
    }
    if (worker.ordered.width == 0) return;
    builds[++count] = (build){.size = (char)('a' + (worker.ordered.width - 100) / 10)};
    seen[BEGIN][column] = builds[count].size;
    worker.ordered.width = 0;
}

static void turn(uint64_t now_ns, char end) {
    settle_window_size size;
    worker.has_ended = end != '.';
    worker.built = end == '1' ? &builds[count] : NULL;
    left += end == '1';
    const enum settle_window_action action = settle_window_poll(&window, now_ns, &size);
    const build *shown = settle_worker_turn(&worker, &window, now_ns, action, &size);
    if (shown) {
        left--;
        seen[SHOW][column] = (char)('a' + (size.width - 100) / 10);
        if (seen[SHOW][column] != shown->size) report("what is shown was built for another size", 0, "");
    }
    look();
}

static void resize(uint64_t now_ns, char size) {
    const double width = 100 + 10 * (size - 'a');
    settle_window_resize(&window, now_ns, width, 100, SETTLE_DRAG_UNKNOWN);
    settle_worker_resized(&worker, &window, now_ns, width, 100);
    look();
}

/* The size a is built and shown long before. */
static void start(void) {
    settle_policy policy = settle_policy_prepared();
    policy.pause_delay_ns = 3 * COLUMN_NS;
    policy.released_end_delay_ns = 2 * COLUMN_NS;
    policy.discrete_delay_ns = 4 * COLUMN_NS;
    policy.quiet_delay_ns = 8 * COLUMN_NS;
    policy.jump_delay_ns = policy.interaction_timeout_ns = SETTLE_NEVER;
    returned_ns = 0;
    settle_window_init(&window, &policy);
    settle_worker_open(&worker, NULL, drop, NULL, NULL);
    count = left = 0;
    column = 0;
    resize(0, 'a');
    turn(100 * COLUMN_NS, '.');
    turn(100 * COLUMN_NS, '1');
    memset(seen, '.', sizeof seen);
    reports[0] = 0;
}

int main(void) {
    char button[COLUMNS_MAX + 1], size[COLUMNS_MAX + 1], call[COLUMNS_MAX + 1], end[COLUMNS_MAX + 1];
    while (scanf("%63s %63s %63s %63s", button, size, call, end) == 4) {
        start();
        for (column = 0; size[column]; column++) {
            const uint64_t now_ns = (200 + column) * COLUMN_NS;
            if (button[column] != '.') settle_window_button(&window, now_ns, 1, button[column] == 'v');
            if (size[column] != '.') resize(now_ns, size[column]);
            if (call[column] == 'f') settle_window_flush(&window, now_ns);
            if (call[column] == 'd') settle_worker_forget(&worker, &window, now_ns), look();
            if (call[column] != 'z') turn(now_ns, end[column]);
        }
        for (int row = 0; row < ROWS; row++) printf("%.*s|", (int)column, seen[row]);
        printf("%s\n", reports);
    }
    return 0;
}
