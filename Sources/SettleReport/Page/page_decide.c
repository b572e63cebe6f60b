/* Decides the log under a policy with the core, for display, and explains a decision by deciding
 * again up to it, event by event. */
#include "page_wasm.h"

enum { DECISIONS = 4096 };

/* A decision as the page shows it. */
typedef struct page_decision {
    settle_decision decision;
    double time;
    /* The later of the scene's last size change and its last interaction's end. */
    double since;
    uint32_t name;
    uint32_t number; /* of the connection */
} page_decision;

#ifdef __wasm__
_Static_assert(sizeof(page_decision) == 88 && offsetof(page_decision, time) == 64 &&
                   offsetof(page_decision, since) == 72 && offsetof(page_decision, name) == 80 &&
                   offsetof(settle_decision, at_ns) == 0 && offsetof(settle_decision, width) == 8 &&
                   offsetof(settle_decision, height) == 16 && offsetof(settle_decision, previous_width) == 24 &&
                   offsetof(settle_decision, previous_height) == 32 && offsetof(settle_decision, interaction_ns) == 40 &&
                   offsetof(settle_decision, generation) == 52 && offsetof(settle_decision, coalesced) == 56 &&
                   offsetof(settle_decision, kind) == 60 && offsetof(settle_decision, reason) == 61 &&
                   offsetof(settle_decision, locked) == 62 && offsetof(settle_decision, follows_interaction) == 63,
               "what the class Decision in engine.mjs reads");
#endif

static settle_policy policy, grid_policy;
static struct page_decisions {
    uint32_t count;
    page_decision *all; /* in order */
    uint32_t *by_name;  /* numbers of decisions, sorted by scene */
    uint32_t *first;    /* by_name[first[name]] … by_name[first[name + 1] − 1] are of a scene */
} decisions;
static size_t base_mark;

settle_policy *EXPORT(page_policy)(void) { return &policy; }
void EXPORT(page_policy_default)(void) { policy = settle_policy_default(); }
void EXPORT(page_policy_uikit)(void) { policy = settle_policy_uikit(); }
/* Whether every core accepts the policy. */
static bool is_policy_valid(void) {
    settle_config config = settle_config_default();
    config.policy = policy;
    return settle_core_size(&config) != 0;
}

static double since_start(uint64_t at_ns) { return at_ns > page.start_ns ? (double)(at_ns - page.start_ns) : 0; }

static settle_core *new_core(void) {
    settle_config config = settle_config_default();
    config.scenes_max = page.bound.connections > 0 ? page.bound.connections : 1;
    config.decisions_max = DECISIONS;
    config.policies_max = 1;
    config.previews = 1;
    config.policy = policy;
    size_t size = settle_core_size(&config);
    settle_core *core = NULL;
    void *workspace = size > 0 ? page_reserve(size) : NULL;
    if (!workspace || settle_core_init(workspace, size, &config, &core) != SETTLE_OK) return NULL;
    settle_scene scene;
    for (uint32_t number = 0; number < page.bound.connections; number++) settle_core_connect(core, 0, &scene);
    return core;
}

static bool pop(settle_core *core, settle_sweep_known *known) {
    settle_decision popped[64];
    size_t count;
    do {
        settle_core_pop_decisions(core, popped, 64, &count);
        if (!page_extend(count * sizeof(page_decision))) return false;
        for (size_t i = 0; i < count; i++) {
            page_decision *row = &decisions.all[decisions.count++];
            row->decision = popped[i];
            row->number = settle_core_slot(core, popped[i].scene);
            row->name = page.bound.scenes[row->number].name;
            row->time = since_start(popped[i].at_ns);
            row->since =
                since_start(settle_sweep_since_ns(&page.bound, row->number, &row->decision, &known[row->number]));
        }
    } while (count > 0);
    return true;
}

static bool sort_by_name(void) {
    decisions.by_name = page_reserve(decisions.count * sizeof(uint32_t));
    decisions.first = page_reserve((page.names_count + 2) * sizeof(uint32_t));
    if (!decisions.by_name || !decisions.first) return false;
    /* One further on than they belong, so that filling moves them into place. */
    uint32_t *next = decisions.first + 1;
    memset(decisions.first, 0, (page.names_count + 2) * sizeof(uint32_t));
    for (uint32_t i = 0; i < decisions.count; i++) decisions.first[decisions.all[i].name + 2]++;
    for (uint32_t name = 0; name < page.names_count; name++) next[name + 1] += next[name];
    for (uint32_t i = 0; i < decisions.count; i++) decisions.by_name[next[decisions.all[i].name]++] = i;
    return true;
}

/* Decides the whole log under the policy at page_policy(). */
int EXPORT(page_decide)(void) {
    if (base_mark == 0) base_mark = page_mark();
    page_release(base_mark);
    decisions = (struct page_decisions){0, NULL, NULL, NULL};
    if (!is_policy_valid()) return SETTLE_INVALID;
    settle_core *core = new_core();
    settle_sweep_known *known = page_reserve((page.bound.connections + 1) * sizeof *known);
    decisions.all = page_reserve(0);
    if (!core || !known) return PAGE_NO_MEMORY;
    memset(known, 0, page.bound.connections * sizeof *known);
    size_t next = 0, accepted;
    while (settle_core_submit(core, page.bound.events + next, page.bound.count - next, &accepted) != SETTLE_OK) {
        next += accepted;
        if (!pop(core, known)) return PAGE_NO_MEMORY;
    }
    while (settle_core_finish(core) != SETTLE_OK) {
        if (!pop(core, known)) return PAGE_NO_MEMORY;
    }
    return pop(core, known) && sort_by_name() ? 0 : PAGE_NO_MEMORY;
}

const struct page_decisions *EXPORT(page_decisions_address)(void) { return &decisions; }

/* What was armed before a decision, as the core states it after each event. */
static struct explanation {
    double pending_since; /* since when a rebuild was pending, without a break; NaN for never */
    double event;         /* the scene's last event before the decision; NaN for none */
    uint32_t changes;     /* of the size while it was pending: each postponed it */
    uint32_t reports;     /* whether the scene had reported that it is being resized */
    uint32_t reports_now; /* the same, after the event that the decision was made at */
} explanation;

/* Submits one event. Returns how many decisions were made; `rebuilt`: one was a rebuild of the scene. */
static uint32_t step(settle_core *core, const settle_event *event, settle_scene scene, bool *rebuilt) {
    settle_decision popped[64];
    size_t accepted = 0, count = 0;
    uint32_t made = 0;
    int result;
    do {
        result = settle_core_submit(core, event, accepted ? 0 : 1, &accepted);
        do {
            settle_core_pop_decisions(core, popped, 64, &count);
            made += (uint32_t)count;
            for (size_t i = 0; i < count; i++) {
                *rebuilt |= popped[i].kind == SETTLE_REBUILD && popped[i].scene == scene;
            }
        } while (count > 0);
    } while (result != SETTLE_OK);
    return made;
}

/* Notes what an event of the log, which was just submitted, changed for the scene. */
static void observe(const settle_core *core, settle_scene scene, bool is_of_scene, bool was_pending, bool is_new_size) {
    double now = since_start(settle_core_now_ns(core));
    if (is_of_scene) explanation.event = now;
    explanation.reports = settle_core_reports(core, scene);
    if (!settle_core_pending(core, scene)) {
        explanation.pending_since = __builtin_nan("");
    } else if (!was_pending) {
        explanation.pending_since = now;
        explanation.changes = 0;
    } else if (is_new_size) {
        explanation.changes++;
    }
}

_Static_assert(offsetof(struct explanation, event) == 8 && offsetof(struct explanation, changes) == 16 &&
                   offsetof(struct explanation, reports) == 20 && offsetof(struct explanation, reports_now) == 24,
               "what Log.explain in engine.mjs reads");

/* Explains a decision of the last page_decide. Null if there is no memory. */
const struct explanation *EXPORT(page_explain)(uint32_t number) {
    size_t mark = page_mark();
    settle_core *core = number < decisions.count ? new_core() : NULL;
    if (!core) return NULL;
    settle_scene scene = decisions.all[number].decision.scene;
    explanation = (struct explanation){__builtin_nan(""), __builtin_nan(""), 0, 0, 0};
    uint32_t made = 0;
    for (size_t i = 0; i < page.bound.count; i++) {
        const settle_event *event = &page.bound.events[i];
        bool is_of_scene = event->kind != SETTLE_POINTER && event->scene == scene;
        bool was_pending = settle_core_pending(core, scene), rebuilt = false;
        double width = 0, height = 0, new_width = 0, new_height = 0;
        settle_core_known_size(core, scene, &width, &height);
        made += step(core, event, scene, &rebuilt);
        if (made > number) break;
        settle_core_known_size(core, scene, &new_width, &new_height);
        bool is_new_size = width != new_width || height != new_height;
        observe(core, scene, is_of_scene, was_pending && !rebuilt, is_new_size);
    }
    explanation.reports_now = settle_core_reports(core, scene);
    page_release(mark);
    return &explanation;
}

/* Rebuilds, wasted ones, previews, lags in ns (p50, p95), then the rebuilds by reason. */
enum { ROW_DOUBLES = 12 };
static double row[ROW_DOUBLES];
static settle_sweep_counts counts;
static void *workspace;

static bool sweep(const settle_policy *swept, double *into) {
    memset(&counts, 0, sizeof counts);
    if (settle_sweep_run(workspace, settle_sweep_size(&page.bound), &page.bound, swept, 1, &counts) != SETTLE_OK)
        return false;
    into[0] = 0;
    for (int i = 0; i < SETTLE_SWEEP_REASONS; i++) {
        into[0] += (double)counts.rebuilds[i];
        into[5 + i] = (double)counts.rebuilds[i];
    }
    into[1] = (double)counts.wasted;
    into[2] = (double)counts.previews;
    into[3] = (double)settle_lag_quantile(counts.lag, 500);
    into[4] = (double)settle_lag_quantile(counts.lag, 950);
    return true;
}

/* Prepares for counting, once, before page_decide. */
bool EXPORT(page_prepare_counts)(void) { return (workspace = page_reserve(settle_sweep_size(&page.bound))) != NULL; }
/* Counts what the policy at page_policy() decides; null for one that is out of range. */
const double *EXPORT(page_count)(void) { return sweep(&policy, row) ? row : NULL; }

/* The durations that few of the rebuilds waited for that were counted last. */
uint32_t EXPORT(page_unexercised)(void) { return settle_unexercised(&counts); }

uint32_t EXPORT(page_grid_count)(void) { return settle_grid_count(); }
/* Writes a policy of the grid around the one at page_policy() into another place, and returns it. */
const settle_policy *EXPORT(page_grid_policy)(uint32_t index) {
    return settle_grid_policy(&policy, index, &grid_policy) ? &grid_policy : NULL;
}
/* Counts a policy of the grid; null for one that is out of range. */
const double *EXPORT(page_grid_counts)(uint32_t index) {
    if (!settle_grid_policy(&policy, index, &grid_policy)) return NULL;
    return sweep(&grid_policy, row) ? row : NULL;
}
