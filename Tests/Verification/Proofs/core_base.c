/* The base of core_step.c's induction: the core that settle_core_init makes, with each kind
 * of policy, fulfils the invariant. Every input is fixed, so the program is run instead of
 * proved. Prints the number of cores; exits with 1 when one does not fulfil it. */
#define PROVER_ABSENT
#include "prover.h"

#include <stdio.h>

#include "settle.h"

static int due_first(struct settle_core *core, uint64_t to_ns);
static bool next_pass(void);
static uint64_t end_of_pass(struct settle_core *core, uint64_t to_ns);
static uint64_t whole_tail(const settle_event *event) { return event->scene; }
static uint64_t any_pay_ns(uint64_t cost_ns, uint64_t times, uint64_t percent) { return cost_ns + times + percent; }

#include "core_sources.h"
#include "init.c"

#include "core_invariant.h"

static _Alignas(64) unsigned char workspace[1 << 14];
#define THE_CORE ((settle_core *)(void *)workspace)

static inline scene_hot *at_hot(uint32_t slot) { return THE_CORE->hot + slot; }
static inline scene_cold *at_cold(uint32_t slot) { return THE_CORE->cold + slot; }
static inline scene_preview *at_previews(uint32_t slot) { return THE_CORE->previews + slot; }
static inline scene_live *at_lives(uint32_t slot) { return THE_CORE->lives + slot; }
static inline policy_row *at_policies(uint32_t number) { return THE_CORE->policies + number; }
static inline settle_decision *at_decisions(uint32_t index) { return THE_CORE->decisions + index; }
static inline uint32_t *at_buttons(uint32_t index) { return THE_CORE->buttons + index; }
static inline uint64_t *at_pressed_ns(uint32_t index) { return THE_CORE->pressed_ns + index; }

/* No event comes: these are never called. */
static int due_first(settle_core *core, uint64_t to_ns) { return settle_run_due(core, to_ns); }
static bool next_pass(void) { return true; }
static uint64_t end_of_pass(settle_core *core, uint64_t to_ns) { return later(core->now_ns, to_ns); }

/* The step begins with rows that are computed from their policies. */
static bool has_row_of_its_policy(const settle_core *core) {
    policy_row expected = settle_policy_row(at_given(0));
    return memcmp(&core->policies[0], &expected, sizeof expected) == 0;
}

int main(void) {
#define ONE_MORE(member, ...) small.member = ++delay;
#define LONGEST(member, name, standard, uikit, least, most, ...) large.member = most;
    settle_policy small = settle_policy_default(), large = small;
    uint64_t delay = 0;
    SETTLE_POLICY_FIELDS(ONE_MORE)
    SETTLE_POLICY_FIELDS(LONGEST)
    const settle_policy policies[] = {settle_policy_default(), settle_policy_uikit(), settle_policy_prepared(),
                                      settle_policy_live(), small, large};
    int count = sizeof policies / sizeof *policies;
    for (int i = 0; i < count; i++) {
        settle_config config = settle_config_default();
        config.scenes_max = SCENES;
        config.decisions_max = DECISIONS;
        config.policies_max = POLICIES;
        config.policy = *at_given(0) = policies[i];
        settle_core *core;
        if (settle_core_init(workspace, sizeof workspace, &config, &core) != SETTLE_OK || !invariant(core) ||
            !has_row_of_its_policy(core)) {
            printf("fault: the invariant does not hold of a new core, policy %d\n", i);
            return 1;
        }
    }
    printf("%d cores in all\n", count);
    return 0;
}
