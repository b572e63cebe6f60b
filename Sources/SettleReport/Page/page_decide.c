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
                   offsetof(settle_decision, previous_height) == 32 &&
                   offsetof(settle_decision, interaction_ns) == 40 && offsetof(settle_decision, generation) == 52 &&
                   offsetof(settle_decision, coalesced) == 56 && offsetof(settle_decision, kind) == 60 &&
                   offsetof(settle_decision, reason) == 61 && offsetof(settle_decision, locked) == 62 &&
                   offsetof(settle_decision, follows_interaction) == 63,
               "what the class Decision in engine.mjs reads");
#endif

static settle_policy policy;
static struct page_decisions {
    uint32_t count;
    page_decision *all; /* in order */
    uint32_t *by_name;  /* numbers of decisions, sorted by scene */
    uint32_t *first;    /* by_name[first[name]] … by_name[first[name + 1] − 1] are of a scene */
} decisions;

/* A build that was decided and reported; of a preview, the work for it. */
typedef struct page_build {
    double begins, ends;
    float width, height; /* a negative width: it was given up */
    uint32_t name;
    uint32_t decision; /* its number */
} page_build;

#ifdef __wasm__
_Static_assert(sizeof(page_build) == 32 && offsetof(page_build, width) == 16 && offsetof(page_build, name) == 24 &&
                   offsetof(page_build, decision) == 28,
               "what the class Log in engine.mjs reads");
#endif

/* By scene, and those of a scene by their ends: all[first[name]] … all[first[name + 1] − 1]. */
static struct page_builds {
    page_build *all;
    uint32_t *first;
} builds;
static page_stream stream;
static size_t base_mark;

settle_policy *EXPORT(page_policy)(void) { return &policy; }
void EXPORT(page_policy_default)(void) { policy = settle_policy_default(); }
void EXPORT(page_policy_uikit)(void) { policy = settle_policy_uikit(); }
void EXPORT(page_policy_prepared)(void) { policy = settle_policy_prepared(); }
void EXPORT(page_policy_live)(void) { policy = settle_policy_live(); }
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
    config.features = SETTLE_PREVIEWS | SETTLE_LIVE_REBUILDS;
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
        count = settle_core_pop_decisions(core, popped, 64);
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

/* Where each name's numbers begin, for entries that begin with their name. */
static uint32_t *first_by_name(const uint32_t *name, size_t stride, uint32_t count) {
    uint32_t *first = page_reserve((page.names_count + 2) * sizeof(uint32_t));
    if (!first) return NULL;
    /* One further on than they belong, so that filling moves them into place. */
    memset(first, 0, (page.names_count + 2) * sizeof(uint32_t));
    for (uint32_t i = 0; i < count; i++, name += stride / sizeof *name) first[*name + 2]++;
    for (uint32_t i = 0; i < page.names_count; i++) first[i + 2] += first[i + 1];
    return first;
}

static bool sort_by_name(void) {
    decisions.by_name = page_reserve(decisions.count * sizeof(uint32_t));
    decisions.first = first_by_name(&decisions.all->name, sizeof *decisions.all, decisions.count);
    if (!decisions.by_name || !decisions.first) return false;
    for (uint32_t i = 0; i < decisions.count; i++) {
        decisions.by_name[decisions.first[decisions.all[i].name + 1]++] = i;
    }
    return true;
}

/* The decision of a kind and generation among a connection's, from a number of by_name on; that is moved. */
static bool find_decision(const settle_event *report, uint32_t name, uint32_t number, uint32_t *next, uint32_t *found) {
    const unsigned kind = report->kind == SETTLE_PREVIEWED ? SETTLE_PREVIEW : SETTLE_REBUILD;
    for (uint32_t i = *next; i < decisions.first[name + 1]; i++) {
        const page_decision *row = &decisions.all[decisions.by_name[i]];
        if (row->number > number) return false;
        if (row->number < number || row->decision.kind != kind) continue;
        if (row->decision.generation > report->generation) return false;
        *next = i;
        *found = decisions.by_name[i];
        if (row->decision.generation == report->generation) return true;
    }
    return false;
}

/* When the work began that a report is of. That of a prepared rebuild began before it, unless it was done. */
static double begin_of(const page_decision *row, double ends, uint64_t cost_ns) {
    const double begins = ends - (double)cost_ns;
    const bool is_ahead = row->decision.kind == SETTLE_REBUILD && row->decision.prepared && ends > row->time;
    return is_ahead || begins > row->time ? begins : row->time;
}

/* Finds the builds that reports are of. A scene's reports come in the order of its connections and generations. */
static bool find_builds(const settle_core *core) {
    const size_t names = page.names_count;
    uint32_t count = 0, *next = page_reserve((2 * names + 1) * sizeof *next);
    page_build *found = page_reserve(0);
    if (!next || !found) return false;
    memcpy(next, decisions.first, names * sizeof *next);
    memcpy(next + names, decisions.first, names * sizeof *next);
    for (size_t i = 0; i < stream.count; i++) {
        const settle_event *event = &stream.events[i];
        if (!settle_event_is_report(event->kind) || event->scene == 0 || event->at_ns > INT64_MAX) continue;
        uint32_t number = settle_core_slot(core, event->scene), name = page.bound.scenes[number].name, decision;
        uint32_t *from = event->kind == SETTLE_PREVIEWED ? &next[names + name] : &next[name];
        if (!find_decision(event, name, number, from, &decision)) continue;
        const page_decision *row = &decisions.all[decision];
        double ends = since_start(event->at_ns);
        if (ends < row->time) continue;
        if (!page_extend(sizeof *found)) return false;
        const float width = page_drawn(row->decision.width), height = page_drawn(row->decision.height);
        found[count++] = (page_build){begin_of(row, ends, event->cost_ns), ends,
                                      event->flags & SETTLE_GIVEN_UP ? -width : width, height, name, decision};
    }
    builds.all = page_reserve((count + 1) * sizeof *builds.all);
    builds.first = first_by_name(&found->name, sizeof *found, count);
    if (!builds.all || !builds.first) return false;
    for (uint32_t i = 0; i < count; i++) builds.all[builds.first[found[i].name + 1]++] = found[i];
    return true;
}

/* Decides the whole log under the policy at page_policy(). */
int EXPORT(page_decide)(void) {
    if (base_mark == 0) base_mark = page_mark();
    page_release(base_mark);
    decisions = (struct page_decisions){0, NULL, NULL, NULL};
    if (!is_policy_valid()) return SETTLE_INVALID;
    if (!page_play(&policy, &stream)) return PAGE_NO_MEMORY;
    settle_core *core = new_core();
    settle_sweep_known *known = page_reserve((page.bound.connections + 1) * sizeof *known);
    decisions.all = page_reserve(0);
    if (!core || !known) return PAGE_NO_MEMORY;
    memset(known, 0, page.bound.connections * sizeof *known);
    size_t next = 0, accepted;
    while (settle_core_submit(core, stream.events + next, stream.count - next, &accepted) != SETTLE_OK) {
        next += accepted;
        if (!pop(core, known)) return PAGE_NO_MEMORY;
    }
    while (settle_core_finish(core) != SETTLE_OK) {
        if (!pop(core, known)) return PAGE_NO_MEMORY;
    }
    return pop(core, known) && sort_by_name() && find_builds(core) ? 0 : PAGE_NO_MEMORY;
}

const struct page_decisions *EXPORT(page_decisions_address)(void) { return &decisions; }
const struct page_builds *EXPORT(page_builds_address)(void) { return &builds; }

/* What was armed before a decision, as the core states it after each event. */
static struct explanation {
    double pending_since; /* since when a rebuild was pending, without a break; NaN for never */
    double event;         /* the scene's last event before the decision; NaN for none */
    uint32_t changes;     /* of the size while it was pending: each postponed it */
    uint32_t reports;     /* whether the scene had reported that it is being resized */
    uint32_t reports_now; /* the same, after the event that the decision was made at */
    /* Of the scene's last rebuild before: its time, and its build's cost and the time of its report; NaN for none. */
    double rebuilt, cost, reported;
    double changed; /* the last change of the size before the decision; NaN for none */
} explanation;
static uint32_t in_flight; /* the generation that is, 0 for none */

/* Notes a rebuild of the scene, which is in flight from then on, and leaves nothing pending. */
static void observe_rebuild(const settle_decision *decision) {
    explanation.pending_since = __builtin_nan("");
    explanation.rebuilt = since_start(decision->at_ns);
    in_flight = decision->generation;
}

/* Submits one event. Returns how many decisions were made, of which the first `left` are noted; `rebuilt`: one was a
 * rebuild of the scene. */
static uint32_t step(settle_core *core, const settle_event *event, settle_scene scene, uint32_t left, bool *rebuilt) {
    settle_decision popped[64];
    size_t accepted = 0, count = 0;
    uint32_t made = 0;
    int result;
    do {
        result = settle_core_submit(core, event, accepted ? 0 : 1, &accepted);
        do {
            count = settle_core_pop_decisions(core, popped, 64);
            for (size_t i = 0; i < count; i++, made++) {
                if (popped[i].kind != SETTLE_REBUILD || popped[i].scene != scene) continue;
                if (made < left) observe_rebuild(&popped[i]);
                *rebuilt = true;
            }
        } while (count > 0);
    } while (result != SETTLE_OK);
    return made;
}

/* Notes what an event of the log, which was just submitted, changed for the scene. */
static void observe(const settle_core *core, const settle_event *event, settle_scene scene, bool was_pending,
                    bool is_new_size) {
    bool is_of_scene = event->kind != SETTLE_POINTER && event->scene == scene;
    double now = since_start(settle_core_now_ns(core));
    if (is_of_scene) explanation.event = now;
    if (is_new_size) explanation.changed = now;
    if (is_of_scene && event->kind == SETTLE_FINISHED && in_flight == event->generation) {
        explanation.cost = (double)event->cost_ns;
        explanation.reported = now;
        in_flight = 0;
    }
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
                   offsetof(struct explanation, reports) == 20 && offsetof(struct explanation, reports_now) == 24 &&
                   offsetof(struct explanation, rebuilt) == 32 && offsetof(struct explanation, changed) == 56,
               "what Log.explain in engine.mjs reads");

/* Explains a decision of the last page_decide. Null if there is no memory. */
const struct explanation *EXPORT(page_explain)(uint32_t number) {
    size_t mark = page_mark();
    settle_core *core = number < decisions.count ? new_core() : NULL;
    if (!core) return NULL;
    settle_scene scene = decisions.all[number].decision.scene;
    const double none = __builtin_nan("");
    explanation = (struct explanation){none, none, 0, 0, 0, none, none, none, none};
    in_flight = 0;
    uint32_t made = 0;
    for (size_t i = 0; i < stream.count; i++) {
        const settle_event *event = &stream.events[i];
        bool was_pending = settle_core_pending(core, scene), rebuilt = false;
        double width = 0, height = 0, new_width = 0, new_height = 0;
        settle_core_known_size(core, scene, &width, &height);
        made += step(core, event, scene, number - made, &rebuilt);
        if (made > number) break;
        settle_core_known_size(core, scene, &new_width, &new_height);
        bool is_new_size = width != new_width || height != new_height;
        observe(core, event, scene, was_pending && !rebuilt, is_new_size);
    }
    explanation.reports_now = settle_core_reports(core, scene);
    page_release(mark);
    return &explanation;
}
