/* Builds on a thread, begun at a preview and shown at the rebuild, under a policy with pause_share_percent such as
 * settle_policy_prepared(). Under any other one, builds begin at their rebuilds.
 *
 *     static void *build(settle_worker *worker, settle_window_size size) { return draw(worker, size); }
 *
 *     settle_worker worker;                                            // build runs on its thread, wake ends the loop's wait
 *     settle_worker_open(&worker, build, free, wake, NULL);
 *     settle_worker_resized(&worker, &window, now_ns, width, height);  // at each size, after settle_window_resize
 *     enum settle_window_action action = settle_window_poll(&window, now_ns, &size);  // at each turn of the loop
 *     void *picture = settle_worker_turn(&worker, &window, now_ns, action, &size);
 *     if (picture) present(picture, size.width, size.height);
 *
 * A preparation is idle, preparing, kept, and then shown or dropped. A change of size cancels what is being prepared;
 * the build stops as soon as settle_worker_is_cancelled says so. What has ended is kept for one size. A rebuild of that
 * size shows it immediately, or when it ends; any other one drops it, and so does a preview of another size. What failed is
 * built anew at its rebuild. One build runs at a time. The thread's pictures are the loop's: all functions but
 * settle_worker_is_cancelled belong to one thread. Link pthread. */
#ifndef SETTLE_WORKER_H
#define SETTLE_WORKER_H

#include "settle.h"

#include <pthread.h>
#include <string.h>

/* The machine, without a thread or a clock, for programs that have threads of their own: after each of its events they do
 * what settle_work_next says until it says nothing. */

enum settle_work_phase {
    SETTLE_WORK_IDLE = 0,
    SETTLE_WORK_PREPARING, /* a build runs for a preview */
    SETTLE_WORK_PREPARED,  /* it has ended, and is kept */
    SETTLE_WORK_BUILDING,  /* a build runs for a rebuild, or for what a rebuild has replaced */
    SETTLE_WORK_BUILT      /* it has ended, and is to be shown */
};

enum settle_work_step {
    SETTLE_WORK_NOTHING = 0,
    SETTLE_WORK_BEGIN,  /* begin a build for work->size; what is kept, if anything, is dropped */
    SETTLE_WORK_CANCEL, /* stop the build; settle_work_ended follows as for any other */
    SETTLE_WORK_SHOW    /* show what was built for work->size */
};

/* All zero at first. */
typedef struct settle_work {
    enum settle_work_phase phase;
    settle_window_size size;             /* of what runs or is kept */
    settle_window_size rebuild, preview; /* what is to be begun next, a width of zero for none; rebuilds first */
    settle_window_size shown;
    uint64_t begun_ns, cost_ns;
    bool is_cancelled, is_told; /* the build that runs is to stop, and knows */
    bool is_taken_over;         /* it was begun for a preview, and is for a rebuild now */
} settle_work;

static inline bool settle_work_has(settle_window_size has, settle_window_size size) {
    return has.width == size.width && has.height == size.height;
}

static inline bool settle_work_runs(const settle_work *work) {
    return work->phase == SETTLE_WORK_PREPARING || work->phase == SETTLE_WORK_BUILDING;
}

/* The preview that waits is not begun. */
static inline void settle_work_forgo(settle_work *work, settle_window *window, uint64_t now_ns) {
    work->preview.width = 0;
    settle_window_previewed(window, now_ns, 0, false);
}

/* The window has a size: what is being prepared for another one, or was to be, is cancelled. */
static inline void settle_work_resized(settle_work *work, settle_window *window, uint64_t now_ns,
                                       settle_window_size size) {
    if (work->phase == SETTLE_WORK_PREPARING && !settle_work_has(work->size, size)) work->is_cancelled = true;
    if (work->preview.width > 0 && !settle_work_has(work->preview, size)) settle_work_forgo(work, window, now_ns);
}

/* What settle_window_poll has returned. */
static inline void settle_work_decided(settle_work *work, enum settle_window_action action, settle_window_size size) {
    const bool is_same = settle_work_has(work->size, size) && !work->is_cancelled;
    const bool is_begun = is_same && work->phase == SETTLE_WORK_PREPARING;
    const bool is_ready = is_same && work->phase == SETTLE_WORK_PREPARED;
    /* By its size, and not by settle_window_is_prepared: a preview that no turn has seen may have come between. */
    const bool is_prepared = is_begun || is_ready;
    if (action == SETTLE_WINDOW_PREVIEW) {
        if (is_begun) return;
        work->preview = size;
        /* The last preview is over, by a rebuild that settle_window_poll has dropped: its end is not this one's. */
        if (work->phase != SETTLE_WORK_PREPARING) return;
        work->phase = SETTLE_WORK_BUILDING;
        work->is_cancelled = true;
        return;
    }
    if (action != SETTLE_WINDOW_REBUILD) return;
    work->preview.width = work->rebuild.width = 0;
    if (!is_prepared) work->rebuild = size;
    /* The core gets no preview's end any more. */
    if (settle_work_runs(work)) {
        work->phase = SETTLE_WORK_BUILDING;
        work->is_cancelled = !is_prepared;
        work->is_taken_over = is_prepared;
    } else {
        work->phase = is_prepared ? SETTLE_WORK_BUILT : SETTLE_WORK_IDLE;
    }
}

/* What is prepared, or was, is not what a build would make now: the content has changed, or memory is short. */
static inline void settle_work_forget(settle_work *work) {
    if (work->phase == SETTLE_WORK_PREPARED) work->phase = SETTLE_WORK_IDLE;
    if (work->phase == SETTLE_WORK_PREPARING) work->is_cancelled = true;
}

/* The build that was begun has ended; not `is_done`: it was stopped, or failed. */
static inline void settle_work_ended(settle_work *work, settle_window *window, uint64_t now_ns, bool is_done) {
    const bool is_preparation = work->phase == SETTLE_WORK_PREPARING, is_cancelled = work->is_cancelled;
    const bool is_taken_over = work->is_taken_over;
    work->cost_ns = now_ns - work->begun_ns;
    work->is_cancelled = work->is_told = work->is_taken_over = false;
    work->phase = !is_done || is_cancelled ? SETTLE_WORK_IDLE
                  : is_preparation         ? SETTLE_WORK_PREPARED
                                           : SETTLE_WORK_BUILT;
    /* A preparation that failed counts as kept: the rebuild tries again, and no other preview of its size. */
    if (is_preparation) settle_window_previewed(window, now_ns, work->cost_ns, !is_cancelled);
    if (is_preparation || is_cancelled || is_done) return;
    if (is_taken_over) {
        work->rebuild = work->size; /* a preparation that failed: the rebuild builds anew */
        return;
    }
    settle_window_finished(window, now_ns, work->cost_ns);
    settle_window_really_built(window, now_ns, work->shown.width, work->shown.height);
    /* The size that is shown is not owed any more. */
    if (work->preview.width > 0 && settle_work_has(work->preview, work->shown)) settle_work_forgo(work, window, now_ns);
}

/* What to do now, if anything: once for each. */
static inline enum settle_work_step settle_work_next(settle_work *work, settle_window *window, uint64_t now_ns) {
    settle_window_size *next = work->rebuild.width > 0 ? &work->rebuild : &work->preview;
    if (work->phase == SETTLE_WORK_BUILT) {
        work->phase = SETTLE_WORK_IDLE;
        work->shown = work->size;
        settle_window_finished(window, now_ns, work->cost_ns);
        return SETTLE_WORK_SHOW;
    }
    if (settle_work_runs(work)) {
        if (!work->is_cancelled || work->is_told) return SETTLE_WORK_NOTHING;
        work->is_told = true;
        return SETTLE_WORK_CANCEL;
    }
    if (work->phase == SETTLE_WORK_PREPARED && settle_work_has(work->preview, work->size)) {
        work->preview.width = 0; /* made already, and kept since */
        settle_window_previewed(window, now_ns, 0, true);
        return SETTLE_WORK_NOTHING;
    }
    if (next->width == 0) return SETTLE_WORK_NOTHING;
    work->phase = next == &work->rebuild ? SETTLE_WORK_BUILDING : SETTLE_WORK_PREPARING;
    work->size = *next;
    work->begun_ns = now_ns;
    next->width = 0;
    return SETTLE_WORK_BEGIN;
}

/* The thread. */

typedef struct settle_worker settle_worker;
/* Runs on the thread: what was built for a size, or NULL if it was cancelled or failed. */
typedef void *(*settle_worker_build)(settle_worker *worker, settle_window_size size);

struct settle_worker {
    settle_work work;
    settle_worker_build build;
    void (*drop)(void *built);
    void (*wake)(void *data);
    void *data; /* for wake, and for the program's build */
    void *kept;
    pthread_t thread;
    pthread_mutex_t mutex; /* of what follows */
    pthread_cond_t changed;
    settle_window_size ordered; /* a width of zero for nothing */
    void *built;
    bool has_ended, is_closing;
    bool is_cancelled; /* atomic */
};

/* Whether the build that runs is to stop, which calls it: return NULL then, soon. */
static inline bool settle_worker_is_cancelled(const settle_worker *worker) {
    return __atomic_load_n(&worker->is_cancelled, __ATOMIC_RELAXED);
}

static inline void *settle_worker_run(void *pointer) {
    settle_worker *worker = (settle_worker *)pointer;
    pthread_mutex_lock(&worker->mutex);
    for (;;) {
        settle_window_size size;
        void *built;
        while (worker->ordered.width == 0 && !worker->is_closing) pthread_cond_wait(&worker->changed, &worker->mutex);
        if (worker->is_closing) break;
        size = worker->ordered;
        worker->ordered.width = 0;
        pthread_mutex_unlock(&worker->mutex);
        built = worker->build(worker, size);
        pthread_mutex_lock(&worker->mutex);
        worker->built = built;
        worker->has_ended = true;
        pthread_mutex_unlock(&worker->mutex);
        worker->wake(worker->data);
        pthread_mutex_lock(&worker->mutex);
    }
    pthread_mutex_unlock(&worker->mutex);
    return NULL;
}

/* Starts the thread. `drop` frees what was built and is not shown, on the loop's thread. `wake` is called on the worker's
 * at the end of each build, with `data`: it ends the loop's wait and nothing else, as by SDL_PushEvent, glfwPostEmptyEvent,
 * g_main_context_wakeup or a byte in a pipe. Not 0, pthread_create's: there is no thread. */
static inline int settle_worker_open(settle_worker *worker, settle_worker_build build, void (*drop)(void *built),
                                     void (*wake)(void *data), void *data) {
    memset(worker, 0, sizeof *worker);
    worker->build = build;
    worker->drop = drop;
    worker->wake = wake;
    worker->data = data;
    pthread_mutex_init(&worker->mutex, NULL);
    pthread_cond_init(&worker->changed, NULL);
    return pthread_create(&worker->thread, NULL, settle_worker_run, worker);
}

static inline void settle_worker_free_kept(settle_worker *worker) {
    if (worker->kept) worker->drop(worker->kept);
    worker->kept = NULL;
}

/* Does what the machine says; what is to be shown, if anything. */
static inline void *settle_worker_act(settle_worker *worker, settle_window *window, uint64_t now_ns) {
    void *shown = NULL;
    for (enum settle_work_step step; (step = settle_work_next(&worker->work, window, now_ns)) != SETTLE_WORK_NOTHING;) {
        if (step == SETTLE_WORK_CANCEL) __atomic_store_n(&worker->is_cancelled, true, __ATOMIC_RELAXED);
        if (step == SETTLE_WORK_SHOW) {
            shown = worker->kept;
            worker->kept = NULL;
        }
        if (step != SETTLE_WORK_BEGIN) continue;
        settle_worker_free_kept(worker);
        __atomic_store_n(&worker->is_cancelled, false, __ATOMIC_RELAXED);
        pthread_mutex_lock(&worker->mutex);
        worker->ordered = worker->work.size;
        pthread_cond_signal(&worker->changed);
        pthread_mutex_unlock(&worker->mutex);
    }
    return shown;
}

/* The window has a size. */
static inline void settle_worker_resized(settle_worker *worker, settle_window *window, uint64_t now_ns, double width,
                                         double height) {
    const settle_window_size size = {width, height};
    settle_work_resized(&worker->work, window, now_ns, size);
    settle_worker_act(worker, window, now_ns); /* it may cancel, and shows nothing */
}

/* At each turn of the loop, with what settle_window_poll has returned, also for SETTLE_WINDOW_NOTHING: a build may have
 * ended. What is to be shown now, and in `size` for which size; NULL for nothing. Ask settle_window_timeout_ns after it. */
static inline void *settle_worker_turn(settle_worker *worker, settle_window *window, uint64_t now_ns,
                                       enum settle_window_action action, settle_window_size *size) {
    bool has_ended;
    void *shown;
    if (action != SETTLE_WINDOW_NOTHING) settle_work_decided(&worker->work, action, *size);
    pthread_mutex_lock(&worker->mutex);
    has_ended = worker->has_ended;
    if (has_ended) worker->kept = worker->built;
    worker->has_ended = false;
    pthread_mutex_unlock(&worker->mutex);
    if (has_ended) settle_work_ended(&worker->work, window, now_ns, worker->kept != NULL);
    if (worker->work.phase == SETTLE_WORK_IDLE) settle_worker_free_kept(worker);
    shown = settle_worker_act(worker, window, now_ns);
    if (shown) *size = worker->work.shown;
    return shown;
}

/* What is kept is dropped, and built anew at its rebuild: the content has changed, or memory is short. */
static inline void settle_worker_forget(settle_worker *worker, settle_window *window, uint64_t now_ns) {
    settle_work_forget(&worker->work);
    if (!settle_work_runs(&worker->work)) settle_worker_free_kept(worker);
    settle_worker_act(worker, window, now_ns);
}

/* Cancels what runs, waits for its end, and drops what is kept. */
static inline void settle_worker_close(settle_worker *worker) {
    __atomic_store_n(&worker->is_cancelled, true, __ATOMIC_RELAXED);
    pthread_mutex_lock(&worker->mutex);
    worker->is_closing = true;
    pthread_cond_signal(&worker->changed);
    pthread_mutex_unlock(&worker->mutex);
    pthread_join(worker->thread, NULL);
    settle_worker_free_kept(worker);
    if (worker->has_ended && worker->built) worker->drop(worker->built);
    pthread_cond_destroy(&worker->changed);
    pthread_mutex_destroy(&worker->mutex);
}

#endif
