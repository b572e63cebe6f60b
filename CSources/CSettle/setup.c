/* Making a core: policies, the workspace's layout, and scenes' slots. */
#include "core_internal.h"

#include <string.h>

enum { LINE_BYTES = 64 };

#define MILLISECONDS ((uint64_t)1000000)

settle_policy settle_policy_default(void) {
    settle_policy policy = {50 * MILLISECONDS, 150 * MILLISECONDS, 100 * MILLISECONDS,
                            SETTLE_NEVER, SETTLE_NEVER};
    return policy;
}

settle_policy settle_policy_uikit(void) {
    settle_policy policy = {0, 0, 0, SETTLE_NEVER, SETTLE_NEVER};
    return policy;
}

settle_config settle_config_default(void) {
    settle_config config = {1024, 1024, 16, settle_policy_default()};
    return config;
}

static bool valid_policy(const settle_policy *policy) {
    return policy->settle_delay_ns <= SETTLE_DELAY_MAX &&
           policy->quiet_delay_ns <= SETTLE_DELAY_MAX &&
           policy->lock_delay_ns <= SETTLE_DELAY_MAX &&
           (policy->maximum_wait_ns <= SETTLE_DELAY_MAX || policy->maximum_wait_ns == SETTLE_NEVER) &&
           (policy->interaction_timeout_ns <= SETTLE_DELAY_MAX ||
            policy->interaction_timeout_ns == SETTLE_NEVER);
}

static policy_row row_of(const settle_policy *policy) {
    policy_row row = {*policy, {POSTPONES_NOT, POSTPONES_NOT}, 0};
    if (policy->maximum_wait_ns == SETTLE_NEVER) {
        row.postponing_ns[0] = policy->settle_delay_ns;
        row.postponing_ns[1] = policy->quiet_delay_ns;
    }
    return row;
}

static bool valid_config(const settle_config *config) {
    return config->scenes_max >= 1 && config->scenes_max <= SETTLE_SCENES_MAX &&
           config->decisions_max >= 1 && config->decisions_max <= SETTLE_DECISIONS_MAX &&
           config->policies_max >= 1 && config->policies_max <= SETTLE_POLICIES_MAX &&
           valid_policy(&config->policy);
}

/* Takes the next part of the workspace, whole cache lines each. */
static size_t part(size_t *used, size_t count, size_t size) {
    size_t offset = *used;
    *used += (count * size + LINE_BYTES - 1) / LINE_BYTES * LINE_BYTES;
    return offset;
}

typedef struct layout {
    size_t core, policies, decisions, hot, cold, links, heap, total;
} layout;

static layout layout_of(const settle_config *config) {
    size_t scenes = config->scenes_max;
    layout at = {0};
    at.core = part(&at.total, 1, sizeof(settle_core));
    at.policies = part(&at.total, config->policies_max, sizeof(policy_row));
    at.decisions = part(&at.total, config->decisions_max, sizeof(settle_decision));
    at.hot = part(&at.total, scenes, sizeof(scene_hot));
    at.cold = part(&at.total, scenes, sizeof(scene_cold));
    at.links = part(&at.total, DEADLINE_BUCKETS + scenes, sizeof(deadline_link));
    at.heap = part(&at.total, scenes, sizeof(deadline_entry));
    return at;
}

size_t settle_core_size(const settle_config *config) {
    return config && valid_config(config) ? layout_of(config).total : 0;
}

int settle_core_init(void *workspace, size_t size, const settle_config *config, settle_core **out) {
    if (!workspace || !config || !out || !valid_config(config)) return SETTLE_INVALID;
    if ((uintptr_t)workspace % LINE_BYTES || size < settle_core_size(config)) return SETTLE_INVALID;

    layout at = layout_of(config);
    unsigned char *bytes = workspace;
    settle_core *core = (settle_core *)(void *)(bytes + at.core);
    memset(core, 0, sizeof *core);
    core->policies = (policy_row *)(void *)(bytes + at.policies);
    core->decisions = (settle_decision *)(void *)(bytes + at.decisions);
    core->hot = (scene_hot *)(void *)(bytes + at.hot);
    core->cold = (scene_cold *)(void *)(bytes + at.cold);
    core->links = (deadline_link *)(void *)(bytes + at.links);
    core->heap = (deadline_entry *)(void *)(bytes + at.heap);

    core->next_due_ns = NOTHING_DUE_NS;
    core->decisions_max = config->decisions_max;
    core->policies_max = config->policies_max;
    core->scenes_max = config->scenes_max;
    core->slot_bits = 1;
    while ((uint32_t)1 << core->slot_bits < config->scenes_max) core->slot_bits++;
    core->slot_mask = ((uint32_t)1 << core->slot_bits) - 1;
    if (!FAULT(NEW_CORE_LISTS_UNSET)) core->free_first = core->free_last = core->worn_first = NO_SLOT;
    core->pointer_first = core->pointer_last = NO_SLOT;
    core->policies[0] = row_of(&config->policy);
    core->policies_count = 1;
    settle_deadlines_init(core);
    *out = core;
    return SETTLE_OK;
}

int settle_core_add_policy(settle_core *core, const settle_policy *policy, uint32_t *number) {
    if (!policy || !number || !valid_policy(policy)) return SETTLE_INVALID;
    if (core->policies_count == core->policies_max) return SETTLE_FULL;
    core->policies[core->policies_count] = row_of(policy);
    *number = core->policies_count++;
    return SETTLE_OK;
}

/* The generation after `handle`'s in the same slot; zero is left out, so that no
 * handle is ever zero. */
static settle_scene next_life(const settle_core *core, uint32_t slot, settle_scene handle) {
    uint32_t generation = (handle >> core->slot_bits) + 1;
    uint32_t next = generation << core->slot_bits;
    return (next ? next : (uint32_t)1 << core->slot_bits) | slot;
}

int settle_core_connect(settle_core *core, uint32_t policy, settle_scene *scene) {
    if (policy >= core->policies_count) return SETTLE_INVALID;
    uint32_t slot = core->free_first;
    settle_scene last_life = 0;
    if (slot != NO_SLOT) {
        core->free_first = core->cold[slot].list_next;
        if (!FAULT(FREE_LIST_END_KEPT) && core->free_first == NO_SLOT) core->free_last = NO_SLOT;
        last_life = core->hot[slot].handle ^ 1;
    } else if (core->slots_used < core->scenes_max) {
        slot = core->slots_used++;
    } else if (core->worn_first != NO_SLOT) {
        slot = core->worn_first;
        core->worn_first = core->cold[slot].list_next;
        last_life = core->hot[slot].handle ^ 1;
    } else {
        return SETTLE_FULL;
    }
    memset(&core->hot[slot], 0, sizeof core->hot[slot]);
    memset(&core->cold[slot], 0, sizeof core->cold[slot]);
    core->hot[slot].state = STATE_CONNECTED;
    core->hot[slot].policy = (uint16_t)policy;
    core->hot[slot].handle = next_life(core, slot, last_life);
    core->stats.scenes++;
    *scene = core->hot[slot].handle;
    return SETTLE_OK;
}

uint32_t settle_core_slot(const settle_core *core, settle_scene scene) {
    return scene & core->slot_mask;
}

void settle_slot_free(settle_core *core, uint32_t slot) {
    settle_scene handle = core->hot[slot].handle;
    /* A handle of another slot matches nothing here, so find_scene needs one test. */
    core->hot[slot].handle = handle ^ 1;
    /* With few generation bits a handle would soon come back to life. */
    if (next_life(core, slot, handle) < handle) {
        core->cold[slot].list_next = core->worn_first;
        core->worn_first = slot;
        return;
    }
    core->cold[slot].list_next = NO_SLOT;
    if (core->free_last == NO_SLOT) core->free_first = slot;
    else core->cold[core->free_last].list_next = slot;
    core->free_last = slot;
}
