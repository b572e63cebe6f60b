/* The core for JavaScript: one of up to SCENES scenes, made without a queue (SETTLE_SMALL). Times are in milliseconds,
 * as performance.now() has them. What belongs together comes and goes in two arrays: numbers, and a text. */
#include "core_internal.h"
#include "settle_policy.h"

/* Each byte of a name is sent to browsers: core.mjs gives the letters their names again. */
#define EXPORT(letter, name) __attribute__((export_name(#letter))) name

enum {
    SCENE_BITS = 12,
    SCENES = 1 << SCENE_BITS,
    DECISIONS = 256,
    POLICIES = SCENES + 2,
    NUMBERS = 8,
    TEXT_BYTES = 256
};

static scene_hot hot[SCENES];
static scene_cold cold[SCENES];
static scene_preview previews[SCENES];
static scene_live lives[SCENES];
static policy_row policies[POLICIES];
static settle_decision decisions[DECISIONS];
static settle_core core = {
    .hot = hot,
    .cold = cold,
    .previews = previews,
    .lives = lives,
    .policies = policies,
    .decisions = decisions,
    .scenes_max = SCENES,
    .slot_bits = SCENE_BITS,
    .slot_mask = SCENES - 1,
    .decisions_max = DECISIONS,
    .policies_max = POLICIES,
};

static struct {
    double numbers[NUMBERS];
    char text[TEXT_BYTES];
} exchange;

static settle_policy policy;

/* An event that the core has not consumed, and the time to reach after it. */
static settle_event event;
static size_t events_left;
static uint64_t until_ns;

/* What is no time is later than any, so that the core rejects it; as a cost it is the longest. */
static uint64_t ns_of(double ms) { return ms >= 0 ? (uint64_t)(ms * 1e6 + 0.5) : UINT64_MAX; }
static double ms_of(uint64_t ns) { return ns == SETTLE_NEVER ? __builtin_inf() : (double)ns / 1e6; }

/* Once, before anything else. Returns where the numbers are; the text is behind them. */
double *EXPORT(a, start)(void) {
    policy = settle_policy_default();
    settle_core_start(&core, &policy);
    return exchange.numbers;
}

/* --- Policies. One is made of a preset and of its fields' texts: policy_start, policy_set, policy_number. --- */

/* Takes a preset: 0 the default, 1 prepared, 2 live, 3 uikit. */
void EXPORT(b, policy_start)(int preset) {
    policy = preset == 1   ? settle_policy_prepared()
             : preset == 2 ? settle_policy_live()
             : preset == 3 ? settle_policy_uikit()
                           : settle_policy_default();
}

/* Sets a field; `text` has its name and then its value. False if no field has the name, or it cannot have the value. */
bool EXPORT(c, policy_set)(size_t name_count, size_t value_count) {
    const uint32_t field = settle_policy_find(exchange.text, name_count);
    if (field == SETTLE_POLICY_NO_FIELD) return false;
    return settle_policy_set(&policy, field, exchange.text + name_count, value_count) == SETTLE_POLICY_FINE;
}

/* The number of the policy: of one that is equal, or a new one; negative if it is out of range. There is a row for each
 * scene, and one to change to. */
int EXPORT(d, policy_number)(void) {
    uint32_t number;
    if (settle_policy_check(&policy, &number)) return -1;
    const policy_row row = settle_policy_row(&policy);
    for (number = 0; number < core.policies_count; number++)
        if (memcmp(&policies[number], &row, sizeof row) == 0) return (int)number;
    if (number < POLICIES) {
        core.policies_count++;
    } else {
        for (number = 1; settle_core_remove_policy(&core, number) != SETTLE_OK;) number++;
    }
    policies[number] = row;
    return (int)number;
}

settle_scene EXPORT(e, connect)(uint32_t number) {
    settle_scene scene;
    return settle_core_connect(&core, number, &scene) == SETTLE_OK ? scene : 0;
}
int EXPORT(f, set_policy)(settle_scene scene, uint32_t number) { return settle_core_set_policy(&core, scene, number); }

/* --- Events and time --- */

/* Goes on with the event and the time; true while decisions must be taken first. */
bool EXPORT(g, go_on)(void) {
    size_t accepted;
    const int result = settle_core_submit(&core, &event, events_left, &accepted);
    events_left -= accepted;
    return result == SETTLE_FULL || settle_core_advance(&core, until_ns) == SETTLE_FULL;
}

static uint64_t rejections_now(void) {
    return core.stats.rejected_size + core.stats.rejected_scene + core.stats.rejected_event;
}

_Static_assert(SETTLE_RESIZING_KNOWN == 1 && SETTLE_RESIZING == 2 && SETTLE_LOCKED_KNOWN == 4 && SETTLE_LOCKED == 8 &&
                   SETTLE_SIZE_KNOWN == 128 && SETTLE_PRESSED == 256 && SETTLE_GIVEN_UP == 512,
               "the flags that event in core.mjs makes");

/* An event of a kind and flags of settle_event.h, and what is due at its time. Of a report the width is
 * the generation and the height the cost in ms. 1 while decisions must be taken first, and 2 more for an event that is
 * rejected. */
int EXPORT(h, submit)(unsigned kind, settle_scene scene, double at_ms, double width, double height, unsigned flags) {
    const uint64_t at_ns = ns_of(at_ms);
    if (settle_event_is_report(kind)) {
        event = settle_event_finished(scene, at_ns, (uint32_t)width, ns_of(height));
    } else {
        event = settle_event_make(kind, scene, at_ns);
        event.width = width;
        event.height = height;
    }
    event.kind = settle_event_bits(kind);
    event.flags = settle_event_bits(flags);
    events_left = 1;
    const uint64_t rejections = rejections_now();
    until_ns = at_ns;
    const bool is_full = go_on();
    return is_full + 2 * (rejections_now() != rejections);
}

bool EXPORT(i, advance)(double now_ms) {
    events_left = 0;
    until_ns = ns_of(now_ms);
    return go_on();
}

/* No deadline is earlier. */
double EXPORT(j, next_wake)(void) { return ms_of(settle_core_next_wake_ns(&core)); }

/* Moves the oldest decision into `numbers`; false for none. */
bool EXPORT(k, take)(void) {
    settle_decision decision;
    if (!settle_core_pop_decisions(&core, &decision, 1)) return false;
    double *number = exchange.numbers;
    *number++ = decision.kind;
    *number++ = decision.reason;
    *number++ = decision.scene;
    *number++ = ms_of(decision.at_ns);
    *number++ = decision.width;
    *number++ = decision.height;
    *number++ = decision.generation;
    const bool is_feedback = decision.kind == SETTLE_REBUILD && !decision.follows_interaction && decision.feedback;
    *number = decision.locked + 2 * is_feedback;
    return true;
}
