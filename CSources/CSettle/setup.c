/* Making a core: policies, the workspace's layout, and scenes' slots. */
#include "core_internal.h"

#include <string.h>

enum { LINE_BYTES = 64 };

#define MILLISECONDS ((uint64_t)1000000)

static const settle_policy default_policy = {sizeof(settle_policy), 50 * MILLISECONDS, 150 * MILLISECONDS,
                                             100 * MILLISECONDS, SETTLE_NEVER, SETTLE_NEVER};
static const settle_policy uikit_policy = {sizeof(settle_policy), 0, 0, 0, SETTLE_NEVER, SETTLE_NEVER};

/* The sizes of the first version; a caller cannot have less. */
#define FIRST_POLICY_BYTES (offsetof(settle_policy, interaction_timeout_ns) + sizeof(uint64_t))
#define FIRST_CONFIG_BYTES (offsetof(settle_config, policy) + FIRST_POLICY_BYTES)

static int init_policy(settle_policy *policy, size_t size, const settle_policy *values) {
    if (!policy || size < FIRST_POLICY_BYTES || size > sizeof *policy) return SETTLE_INVALID;
    memcpy(policy, values, size);
    policy->size = size;
    return SETTLE_OK;
}

int settle_policy_init_default(settle_policy *policy, size_t size) {
    return init_policy(policy, size, &default_policy);
}

int settle_policy_init_uikit(settle_policy *policy, size_t size) {
    return init_policy(policy, size, &uikit_policy);
}

int settle_config_init_default(settle_config *config, size_t size) {
    if (!config || size < FIRST_CONFIG_BYTES || size > sizeof *config) return SETTLE_INVALID;
    settle_config values = {size, 1024, 1024, 16, 0, default_policy};
    values.policy.size = size - offsetof(settle_config, policy);
    memcpy(config, &values, size);
    return SETTLE_OK;
}

/* A policy as a caller of this version or an older one has it: what it lacks is default. */
static bool read_policy(const settle_policy *given, settle_policy *policy) {
    if (!given || given->size < FIRST_POLICY_BYTES || given->size > sizeof *policy) return false;
    *policy = default_policy;
    memcpy(policy, given, given->size);
    return policy->settle_delay_ns <= SETTLE_DELAY_MAX &&
           policy->quiet_delay_ns <= SETTLE_DELAY_MAX &&
           policy->lock_delay_ns <= SETTLE_DELAY_MAX &&
           (policy->maximum_wait_ns <= SETTLE_DELAY_MAX || policy->maximum_wait_ns == SETTLE_NEVER) &&
           (policy->interaction_timeout_ns <= SETTLE_DELAY_MAX ||
            policy->interaction_timeout_ns == SETTLE_NEVER);
}

static policy_row row_of(const settle_policy *policy) {
    policy_row row = {*policy, {POSTPONES_NOT, POSTPONES_NOT}};
    if (policy->maximum_wait_ns == SETTLE_NEVER) {
        row.postponing_ns[0] = policy->settle_delay_ns;
        row.postponing_ns[1] = policy->quiet_delay_ns;
    }
    return row;
}

/* Whether a config is one that this version understands; then also its policy. */
static bool read_config(const settle_config *config, settle_policy *policy) {
    return config && config->size >= FIRST_CONFIG_BYTES && config->size <= sizeof *config &&
           config->scenes_max >= 1 && config->scenes_max <= SETTLE_SCENES_MAX &&
           config->decisions_max >= 1 && config->decisions_max <= SETTLE_DECISIONS_MAX &&
           config->policies_max >= 1 && config->policies_max <= SETTLE_POLICIES_MAX &&
           config->reserved == 0 && config->policy.size <= config->size - offsetof(settle_config, policy) &&
           read_policy(&config->policy, policy);
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
    settle_policy policy;
    return read_config(config, &policy) ? layout_of(config).total : 0;
}

int settle_core_init(void *workspace, size_t size, const settle_config *config, settle_core **out) {
    settle_policy policy;
    if (!workspace || !out || !read_config(config, &policy)) return SETTLE_INVALID;
    layout at = layout_of(config);
    if ((uintptr_t)workspace % LINE_BYTES || size < at.total) return SETTLE_INVALID;

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
    core->policies[0] = row_of(&policy);
    core->policies_count = 1;
    settle_deadlines_init(core);
    *out = core;
    return SETTLE_OK;
}

static bool has_policy(const settle_core *core, uint32_t number) {
    return number < core->policies_count && core->policies[number].policy.size != 0;
}

int settle_core_add_policy(settle_core *core, const settle_policy *given, uint32_t *number) {
    settle_policy policy;
    if (!number || !read_policy(given, &policy)) return SETTLE_INVALID;
    uint32_t free_row = 1;
    while (has_policy(core, free_row)) free_row++;
    if (free_row == core->policies_max) return SETTLE_FULL;
    if (free_row == core->policies_count) core->policies_count++;
    core->policies[free_row] = row_of(&policy);
    *number = free_row;
    return SETTLE_OK;
}

/* Looks at every scene: policies rarely go, scenes often connect. */
int settle_core_remove_policy(settle_core *core, uint32_t number) {
    if (number == 0 || !has_policy(core, number)) return SETTLE_INVALID;
    for (uint32_t slot = 0; slot < core->slots_used; slot++) {
        if (has(&core->hot[slot], STATE_CONNECTED) && core->hot[slot].policy == number) return SETTLE_BUSY;
    }
    core->policies[number].policy.size = 0;
    return SETTLE_OK;
}

int settle_core_set_policy(settle_core *core, settle_scene scene, uint32_t number) {
    uint32_t slot;
    if (!find_scene(core, scene, &slot)) return SETTLE_STALE;
    if (!has_policy(core, number)) return SETTLE_INVALID;
    core->hot[slot].policy = (uint16_t)number;
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
    if (!scene || !has_policy(core, policy)) return SETTLE_INVALID;
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
