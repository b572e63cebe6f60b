/* Random drags through settle_worker.h's machine, in virtual time and without a thread: the builds that it begins take
 * random times, fail, and notice late that they are cancelled. What must hold of it is found here from the decisions and
 * the sizes alone.
 *
 * usage: work [DRAGS [SEED]]   Prints what was reached; status 1 and the first fault if there is one. */
#include "settle.h"
static int report_previewed(settle_window *window, uint64_t now_ns, uint64_t cost_ns, bool is_kept);
#define settle_window_previewed report_previewed
#include "settle_worker.h"
#undef settle_window_previewed
#include "splitmix64.h"

#include <stdio.h>
#include <stdlib.h>

#define MS 1000000u
#define NEVER SETTLE_NEVER
enum { DRAGS_OF_A_WINDOW = 20, WIDTHS = 5, BUTTONS = 0, FLAG, SIZES_ALONE, KINDS };

/* A build that runs, or is kept. */
typedef struct run {
    settle_window_size size;
    uint64_t begun_ns, ends_ns;
    unsigned preview; /* the number of its preview */
    bool is_preparation, is_told, is_done;
    bool is_stale;    /* the size changed while it was a preparation */
    bool is_replaced; /* a rebuild that it is not for came while it ran */
    bool is_taken_over;
} run;

static uint64_t state, now_ns, seed;
static int drag;
static settle_window window;
static settle_work work;
static settle_window_size size, rebuilt;
static bool has_run, has_kept, owes_show; /* a rebuild was returned, and neither shown nor failed */
static run running, kept;
static struct {
    unsigned at_once, taken_over, anew, again, cancelled, ended_though, prepared_failed, failed, unbegun, forgotten,
        begun, shown;
    unsigned held, after_kept, after_cancelled; /* preparations begun after another one of the same drag, by its end */
    unsigned given_up;                          /* by a failed rebuild: in one of some thousand drags */
} reached;
static bool kept_one, cancelled_one; /* in this drag */
static unsigned previews;            /* that were returned */
static bool has_prepared; /* the last one's work has not failed, nor was it forgotten, nor did a rebuild fail */
static bool is_ending;    /* a build's end is being reported */

static uint64_t below(uint64_t limit) { return splitmix64_next(&state) % limit; }

static void must(bool holds, const char *what) {
    if (holds) return;
    printf("wrong in drag %d of seed %llu, at %.3f ms: %s\n", drag, (unsigned long long)seed, (double)now_ns / MS,
           what);
    exit(1);
}

static bool same(settle_window_size a, settle_window_size b) { return a.width == b.width && a.height == b.height; }

static void begin(void) {
    must(!has_run, "two builds at a time");
    must(!has_kept || !same(kept.size, work.size), "a kept result is made twice");
    must(work.size.width > 0, "a build of no size");
    running = (run){.size = work.size,
                    .begun_ns = now_ns,
                    .ends_ns = now_ns + below(4) * below(100 * MS),
                    .is_done = below(20) > 0};
    running.is_preparation = !owes_show;
    running.preview = previews;
    must(same(work.size, owes_show ? rebuilt : size), "a build for a size that nobody asks for");
    has_run = true;
    has_kept = false;
    reached.begun++;
    reached.after_kept += running.is_preparation && kept_one;
    reached.after_cancelled += running.is_preparation && cancelled_one;
    kept_one = cancelled_one = false;
}

/* It notices after a while, or has ended before. */
static void cancel(void) {
    must(has_run && !running.is_told, "nothing is there to cancel, or it is cancelled twice");
    must(running.is_stale || running.is_replaced, "a build is cancelled that is still wanted");
    running.is_told = true;
    const uint64_t notices_ns = now_ns + below(20 * MS);
    if (notices_ns < running.ends_ns) running.ends_ns = notices_ns, running.is_done = false;
    reached.cancelled++;
}

static void show(void) {
    must(owes_show, "something is shown without a rebuild");
    must(same(work.shown, rebuilt), "another size is shown than the last rebuild's");
    must(has_kept && same(kept.size, rebuilt), "what is shown was built for another size");
    must(!kept.is_told && !kept.is_stale && !kept.is_replaced, "cancelled work is shown");
    must(kept.is_done, "a build is shown that failed");
    owes_show = has_kept = false;
    reached.shown++;
}

/* At once or when it ends, without another build, if the decisions say that it is prepared and it was not cut off. */
static void check_takes_over(bool was_kept, bool was_running, unsigned begun) {
    if (was_kept) must(!owes_show && reached.begun == begun, "what is kept is not shown at once");
    if (was_running) must(reached.begun == begun && has_run && !running.is_told, "what is under way is not waited for");
    reached.at_once += was_kept;
    reached.taken_over += was_running;
}

static void act(void) {
    for (enum settle_work_step step; (step = settle_work_next(&work, &window, now_ns)) != SETTLE_WORK_NOTHING;) {
        if (step == SETTLE_WORK_BEGIN) begin();
        if (step == SETTLE_WORK_CANCEL) cancel();
        if (step == SETTLE_WORK_SHOW) show();
    }
}

static bool is_wanted(void) { return !running.is_told && !running.is_stale && !running.is_replaced; }

static int report_previewed(settle_window *of, uint64_t at_ns, uint64_t cost_ns, bool is_kept) {
    must(at_ns == now_ns, "a report has another time");
    if (is_ending && !running.is_preparation) {
        /* A rebuild has failed, so what is shown counts as built, and no preview of it is of use. */
        must(!running.is_done && is_wanted(), "a build that did not fail drops a preview");
        must(cost_ns == 0 && !is_kept && same(size, work.shown), "a failed rebuild drops the preview of another size");
        reached.given_up++;
    } else if (is_ending) {
        must(running.preview == previews, "a preview's report is another one's");
        must(cost_ns == now_ns - running.begun_ns && is_kept == is_wanted(), "a preview's report is wrong");
    } else {
        const bool is_again = has_kept && same(kept.size, size);
        must(cost_ns == 0 && is_kept == is_again, "the report of a preview that was not begun is wrong");
        reached.again += is_again;
    }
    return settle_window_previewed(of, at_ns, cost_ns, is_kept);
}

static void ended(void) {
    const bool is_wanted_now = is_wanted();
    if (!is_wanted_now) reached.ended_though += running.is_done;
    else if (!running.is_done) *(running.is_preparation ? &reached.prepared_failed : &reached.failed) += 1;
    if (running.is_done && is_wanted_now) kept = running, has_kept = true;
    /* A preparation that fails is built anew; a rebuild that fails is decided again. */
    if (is_wanted_now && !running.is_done && !running.is_preparation && !running.is_taken_over) owes_show = false;
    reached.anew += is_wanted_now && !running.is_done && running.is_taken_over;
    if (running.is_preparation) *(is_wanted_now ? &kept_one : &cancelled_one) = true;
    if (is_wanted_now && !running.is_done) has_prepared = false;
    is_ending = true;
    settle_work_ended(&work, &window, now_ns, running.is_done);
    is_ending = has_run = false;
}

/* A turn of the loop, as settle_worker_turn has it. */
static void turn(void) {
    settle_window_size decided;
    const enum settle_window_action action = settle_window_poll(&window, now_ns, &decided);
    bool was_kept = false, was_running = false;
    const unsigned begun = reached.begun;
    if (action == SETTLE_WINDOW_PREVIEW) {
        must(same(decided, size), "a preview of another size");
        has_kept = has_kept && same(kept.size, decided);
        has_prepared = true;
        previews++;
        if (has_run && running.is_preparation && is_wanted() && same(running.size, decided)) running.preview = previews;
    }
    if (action == SETTLE_WINDOW_REBUILD) {
        must(same(decided, size), "a rebuild of another size");
        was_kept = has_kept && same(kept.size, decided);
        was_running = has_run && running.is_preparation && !running.is_stale && same(running.size, decided);
        if (was_running) running.is_preparation = false, running.is_taken_over = true;
        else running.is_replaced = true;
        has_kept = was_kept;
        rebuilt = decided;
        owes_show = true;
    }
    settle_work_decided(&work, action, decided);
    const bool has_ended = has_run && running.ends_ns <= now_ns;
    if (has_ended) ended();
    act();
    check_takes_over(was_kept, was_running && !has_ended, begun);
}

static void resize(settle_window_size to, enum settle_drag flag) {
    must(settle_window_resize(&window, now_ns, to.width, to.height, flag) == SETTLE_OK, "a size is rejected");
    if (has_run && running.is_preparation && !same(running.size, to)) running.is_stale = true;
    size = to;
    const bool waits = work.preview.width > 0;
    settle_work_resized(&work, &window, now_ns, to);
    reached.unbegun += waits && work.preview.width == 0;
    act();
}

/* The content has changed. */
static void forget(void) {
    settle_work_forget(&work);
    reached.forgotten += has_kept;
    has_kept = has_prepared = false;
    running.is_stale |= running.is_preparation;
    act();
}

/* What the loop does until a time: turns at what is due, a little late. */
static void pass_until(uint64_t until_ns) {
    for (;;) {
        const uint64_t timeout_ns = settle_window_timeout_ns(&window, now_ns);
        uint64_t next_ns = timeout_ns == NEVER ? NEVER : now_ns + timeout_ns;
        if (has_run && running.ends_ns < next_ns) next_ns = running.ends_ns;
        if (next_ns < now_ns) next_ns = now_ns;
        next_ns = next_ns == NEVER ? NEVER : next_ns + below(3 * MS);
        if (next_ns > until_ns) break;
        now_ns = next_ns;
        turn();
    }
    now_ns = until_ns;
}

static settle_window_size random_size(void) {
    return (settle_window_size){300 + 10 * (double)below(WIDTHS), 200 + 10 * (double)below(2)};
}

static settle_policy random_policy(void) {
    settle_policy policy = below(8) == 0 ? settle_policy_live() : settle_policy_prepared();
    policy.pause_delay_ns = below(80) * MS;
    policy.pause_share_percent = below(10) == 0 ? NEVER : 10 + below(91);
    policy.released_end_delay_ns = below(3) * 16 * MS;
    policy.reported_end_delay_ns = below(2) * 10 * MS;
    policy.quiet_delay_ns = below(200) * MS;
    return policy;
}

/* The hand holds still for so long that the last preview is paid for. */
static void hold(unsigned kind, bool is_owed) {
    const settle_window_size held = size;
    pass_until(now_ns + 6000 * (uint64_t)MS);
    if (!is_owed || kind == SIZES_ALONE || same(held, work.shown) || work.shown.width == 0) return;
    if (!has_prepared) return;
    must(work.phase == SETTLE_WORK_PREPARED && same(work.size, held), "a size that is held is not prepared");
    reached.held++;
}

static void drag_once(unsigned kind, bool pays) {
    const enum settle_drag flag = kind == FLAG ? SETTLE_DRAG_YES : SETTLE_DRAG_UNKNOWN;
    kept_one = cancelled_one = false;
    const settle_window_size first = size;
    bool is_changed = false;
    if (kind == BUTTONS) settle_window_button(&window, now_ns, 1, true);
    for (uint64_t sizes = 1 + below(12); sizes > 0; sizes--) {
        resize(random_size(), flag);
        turn();
        pass_until(now_ns + (below(3) == 0 ? below(400 * MS) : below(20 * MS)));
        if (!same(size, first)) is_changed = true;
        /* A loop that is busy: sizes come without a turn, and previews of them that no turn sees. */
        if (below(6) == 0) {
            const settle_window_size before = size;
            resize(random_size(), flag);
            now_ns += below(150 * MS);
            resize(below(2) ? before : random_size(), flag);
        }
        if (below(40) == 0) forget();
        if (below(20) == 0) hold(kind, pays && is_changed);
    }
    if (kind == BUTTONS) settle_window_button(&window, now_ns, 1, false);
    if (kind == FLAG) resize(size, SETTLE_DRAG_NO);
    turn();
    pass_until(now_ns + below(2) * below(600 * MS));
}

/* Nothing runs, and the last size is shown; what failed, after it was asked for again. */
static void rest(void) {
    for (int tries = 0; tries < 50; tries++) {
        pass_until(now_ns + 5000 * (uint64_t)MS);
        if (!has_run && same(work.shown, size)) return;
        must(!has_run && !owes_show, "a build does not end");
        settle_window_flush(&window, now_ns);
        turn();
    }
    must(false, "the last size is never shown");
}

int main(int argc, char **argv) {
    const int drags = argc > 1 ? atoi(argv[1]) : 10000;
    state = seed = argc > 2 ? strtoull(argv[2], NULL, 0) : 1;
    while (drag < drags) {
        const settle_policy policy = random_policy();
        must(settle_window_init(&window, &policy) == SETTLE_OK, "a policy is rejected");
        memset(&work, 0, sizeof work);
        has_run = has_kept = owes_show = false;
        now_ns = below(1000) * MS;
        const unsigned kind = (unsigned)below(KINDS);
        resize(random_size(), SETTLE_DRAG_UNKNOWN);
        turn();
        for (int i = 0; i < DRAGS_OF_A_WINDOW && drag < drags; i++, drag++) {
            drag_once(kind, policy.pause_share_percent != NEVER);
            if (below(3) == 0) rest();
        }
        rest();
    }
    printf("%d drags: %u builds begun, %u shown; prepared, %u at once and %u when they ended, %u built anew, %u "
           "previewed again; %u cancelled, %u of them had ended; "
           "%u preparations and %u rebuilds failed; %u were not begun, %u forgotten; another one after %u kept and %u "
           "cancelled; %u held; %u given up after a failure\n",
           drag, reached.begun, reached.shown, reached.at_once, reached.taken_over, reached.anew, reached.again,
           reached.cancelled, reached.ended_though, reached.prepared_failed, reached.failed, reached.unbegun,
           reached.forgotten, reached.after_kept, reached.after_cancelled, reached.held, reached.given_up);
    for (const unsigned *each = &reached.at_once; each <= &reached.after_cancelled; each++)
        must(drags < 1000 || *each > 0, "a case was never reached");
    return 0;
}
