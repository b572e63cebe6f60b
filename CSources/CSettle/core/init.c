/* A new core in the caller's workspace. */
#include "core_internal.h"

enum { LINE_BYTES = 64 };

/* Reserves the next part of the workspace, in whole cache lines; returns its offset. */
static size_t reserve(size_t *used, size_t count, size_t size) {
    size_t offset = *used;
    *used += (count * size + LINE_BYTES - 1) / LINE_BYTES * LINE_BYTES;
    return offset;
}

typedef struct layout {
    size_t core, policies, decisions, hot, cold, previews, lives, links, heap, bits, total;
} layout;

static bool has_previews(const settle_config *config, const settle_policy *policy) {
    return (config->features & SETTLE_PREVIEWS) || policy->pause_delay_ns != SETTLE_NEVER;
}

static bool has_lives(const settle_config *config, const settle_policy *policy) {
    return (config->features & SETTLE_LIVE_REBUILDS) || policy->live_share_percent != SETTLE_NEVER;
}

static layout layout_of(const settle_config *config, const settle_policy *policy) {
    size_t scenes = config->scenes_max;
    layout at = {0};
    at.core = reserve(&at.total, 1, sizeof(settle_core));
    at.policies = reserve(&at.total, config->policies_max, sizeof(policy_row));
    at.decisions = reserve(&at.total, config->decisions_max, sizeof(settle_decision));
    at.hot = reserve(&at.total, scenes, sizeof(scene_hot));
    at.cold = reserve(&at.total, scenes, sizeof(scene_cold));
    at.previews = reserve(&at.total, has_previews(config, policy) ? scenes : 0, sizeof(scene_preview));
    at.lives = reserve(&at.total, has_lives(config, policy) ? scenes : 0, sizeof(scene_live));
    at.links = reserve(&at.total, DEADLINE_BUCKETS + scenes, sizeof(deadline_link));
    at.heap = reserve(&at.total, scenes, sizeof(deadline_entry));
    at.bits = reserve(&at.total, DEADLINE_BUCKETS / 64, sizeof(uint64_t));
    return at;
}

size_t settle_core_size(const settle_config *config) {
    settle_policy policy;
    return settle_read_config(config, &policy) ? layout_of(config, &policy).total : 0;
}

void settle_core_start(settle_core *core, const settle_policy *policy) {
    core->next_due_ns = NOTHING_DUE_NS;
    core->free_first = core->free_last = core->exhausted_first = NO_SLOT;
    core->pointer_first = core->pointer_last = NO_SLOT;
    core->policies[0] = settle_policy_row(policy);
    core->policies_count = 1;
}

int settle_core_init(void *workspace, size_t size, const settle_config *config, settle_core **out) {
    settle_policy policy;
    if (!workspace || !out || !settle_read_config(config, &policy)) return SETTLE_INVALID;
    layout at = layout_of(config, &policy);
    if ((uintptr_t)workspace % LINE_BYTES || size < at.total) return SETTLE_INVALID;

    unsigned char *bytes = workspace;
    settle_core *core = (settle_core *)(void *)(bytes + at.core);
    memset(core, 0, sizeof *core);
    core->policies = (policy_row *)(void *)(bytes + at.policies);
    core->decisions = (settle_decision *)(void *)(bytes + at.decisions);
    core->hot = (scene_hot *)(void *)(bytes + at.hot);
    core->cold = (scene_cold *)(void *)(bytes + at.cold);
    if (has_previews(config, &policy)) core->previews = (scene_preview *)(void *)(bytes + at.previews);
    if (has_lives(config, &policy)) core->lives = (scene_live *)(void *)(bytes + at.lives);
    core->links = (deadline_link *)(void *)(bytes + at.links);
    core->heap = (deadline_entry *)(void *)(bytes + at.heap);
    core->bucket_bits = (uint64_t(*)[DEADLINE_SLOTS / 64])(void *)(bytes + at.bits);

    core->decisions_max = config->decisions_max;
    core->policies_max = config->policies_max;
    core->scenes_max = config->scenes_max;
    core->slot_bits = 1;
    while ((uint32_t)1 << core->slot_bits < config->scenes_max) core->slot_bits++;
    core->slot_mask = ((uint32_t)1 << core->slot_bits) - 1;
    settle_deadlines_init(core);
    settle_core_start(core, &policy);
    *out = core;
    return SETTLE_OK;
}

int settle_core_restart(settle_core *core, const settle_policy *policy) {
    settle_policy read;
    if (!settle_read_policy(policy, &read)) return SETTLE_INVALID;
    /* The queue holds no scene, so every bucket is empty. */
    SETTLE_ASSERT(core->linked_count == 0 && !core->releasing && core->previews && core->lives);
    core->now_ns = 0;
    core->order = 0;
    core->slots_used = core->decisions_waiting = core->decisions_first = 0;
    core->buttons_held = 0;
    memset(&core->stats, 0, sizeof core->stats);
    settle_core_start(core, &read);
    return SETTLE_OK;
}
