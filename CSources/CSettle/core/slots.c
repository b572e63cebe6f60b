/* Scenes' slots and handles. */
#include "core_internal.h"

/* The handle of the next generation in the same slot. Generation zero is skipped, so that no
 * handle is ever zero. */
static settle_scene next_handle(const settle_core *core, uint32_t slot, settle_scene handle) {
    uint32_t generation = (handle >> core->slot_bits) + 1;
    uint32_t next = generation << core->slot_bits;
    return (next ? next : (uint32_t)1 << core->slot_bits) | slot;
}

int settle_core_connect(settle_core *core, uint32_t policy, settle_scene *scene) {
    if (!scene || !settle_has_policy(core, policy)) return SETTLE_INVALID;
    uint32_t slot = core->free_first;
    /* An exhausted slot begins anew, as one that was never used. */
    settle_scene last_handle = 0;
    if (slot != NO_SLOT) {
        core->free_first = core->cold[slot].list.next;
        if (core->free_first == NO_SLOT) core->free_last = NO_SLOT;
        last_handle = core->hot[slot].handle;
    } else if (core->slots_used < core->scenes_max) {
        slot = core->slots_used++;
    } else if (core->exhausted_first != NO_SLOT) {
        slot = core->exhausted_first;
        core->exhausted_first = core->cold[slot].list.next;
    } else {
        return SETTLE_FULL;
    }
    memset(&core->hot[slot], 0, sizeof core->hot[slot]);
    memset(&core->cold[slot], 0, sizeof core->cold[slot]);
    settle_quiet_forget(core, slot);
    settle_preview_connect(core, slot);
    settle_live_connect(core, slot);
    core->hot[slot].policy = policy;
    core->hot[slot].handle = next_handle(core, slot, last_handle);
    core->stats.scenes++;
    *scene = core->hot[slot].handle;
    return SETTLE_OK;
}

uint32_t settle_core_slot(const settle_core *core, settle_scene scene) { return scene & core->slot_mask; }

void settle_slot_free(settle_core *core, uint32_t slot) {
    settle_scene handle = core->hot[slot].handle;
    /* The handle of another slot never matches here, so find_scene needs one comparison. */
    core->hot[slot].handle = handle ^ 1;
    /* With few generation bits a handle would soon be valid again. */
    if (next_handle(core, slot, handle) < handle) {
        core->cold[slot].list.next = core->exhausted_first;
        core->exhausted_first = slot;
        return;
    }
    core->cold[slot].list.next = NO_SLOT;
    if (core->free_last == NO_SLOT) core->free_first = slot;
    else core->cold[core->free_last].list.next = slot;
    core->free_last = slot;
}
