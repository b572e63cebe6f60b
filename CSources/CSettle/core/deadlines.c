/* The deadline queue: exact order by (deadline, arming order), lazy updates.
 *
 * An event that postpones a deadline only writes the scene's own cache line. The scene stays
 * linked under the earlier key, and the queue reads the true key when that one comes up. So a
 * link's key is never later than the scene's true key, and the first entry whose key is still
 * true is the first of all.
 *
 * Far deadlines are unsorted, in buckets (a hierarchical timing wheel). The nearest bucket is
 * poured into the heap only when the heap is empty, so the heap holds hundreds of scenes when
 * a million are armed. */
#include "core_internal.h"

enum { LINKS_FIRST_SCENE = DEADLINE_BUCKETS, PREFETCH_NODES = 6 };

INLINE void keep_earlier(deadline_key *key, uint64_t deadline_ns, uint64_t order, deadline_kind kind) {
    if (deadline_ns > key->deadline_ns || (deadline_ns == key->deadline_ns && order > key->order)) return;
    *key = (deadline_key){deadline_ns, order, kind};
}

/* The deadlines of rules 17 and 18 share STATE_EXTRA_ARMED: a scene's state has no bit left. */

void settle_deadlines_arm_extra(settle_core *core, uint32_t slot) {
    if (has(&core->hot[slot], STATE_EXTRA_ARMED)) return;
    set(&core->hot[slot], STATE_EXTRA_ARMED);
    if (core->previews) core->previews[slot].deadline_ns = SETTLE_NEVER;
    if (core->lives) core->lives[slot].deadline_ns = SETTLE_NEVER;
}

void settle_deadlines_disarm_preview(settle_core *core, uint32_t slot) {
    if (!preview_armed(core, slot)) return;
    core->previews[slot].deadline_ns = SETTLE_NEVER;
    if (!live_armed(core, slot)) clear(&core->hot[slot], STATE_EXTRA_ARMED);
}

void settle_deadlines_disarm_live(settle_core *core, uint32_t slot) {
    if (!live_armed(core, slot)) return;
    core->lives[slot].deadline_ns = SETTLE_NEVER;
    if (!preview_armed(core, slot)) clear(&core->hot[slot], STATE_EXTRA_ARMED);
}

INLINE deadline_key key_of(const settle_core *core, uint32_t slot) {
    const scene_hot *hot = &core->hot[slot];
    deadline_key key = {SETTLE_NEVER, 0, DEADLINE_OF_STATE};
    if (hot->state & STATE_ARMED) {
        key.deadline_ns = hot->deadline_ns;
        key.order = hot->order;
    }
    if (!(hot->state & (STATE_EXTRA_ARMED | STATE_LOCK_ARMED))) return key;
    if (preview_armed(core, slot)) {
        const scene_preview *scene = &core->previews[slot];
        keep_earlier(&key, scene->deadline_ns, scene->order, DEADLINE_OF_PREVIEW);
    }
    if (live_armed(core, slot)) {
        const scene_live *scene = &core->lives[slot];
        keep_earlier(&key, scene->deadline_ns, order_of(core, scene->order), DEADLINE_OF_LIVE);
    }
    if (hot->state & STATE_LOCK_ARMED) {
        const scene_cold *cold = &core->cold[slot];
        keep_earlier(&key, cold->lock_deadline_ns, order_of(core, cold->lock_order), DEADLINE_OF_LOCK);
    }
    return key;
}

deadline_key settle_deadlines_key(const settle_core *core, uint32_t slot) { return key_of(core, slot); }

/* The key to link a scene under. `arm` keeps a link when the new deadline is not before
 * deadline_ns. That requires that deadline_ns is not before the link's key, so the value of a
 * disarmed deadline must not be early. */
INLINE deadline_key link_key(settle_core *core, uint32_t slot) {
    scene_hot *hot = &core->hot[slot];
    if (!(hot->state & STATE_ARMED)) hot->deadline_ns = SETTLE_NEVER;
    return key_of(core, slot);
}

static deadline_entry entry_of(const settle_core *core, deadline_key key, uint32_t slot) {
    deadline_entry entry = {key.deadline_ns, key.order << core->slot_bits | slot};
    return entry;
}

static uint32_t entry_slot(const settle_core *core, deadline_entry entry) {
    return (uint32_t)entry.order_and_slot & core->slot_mask;
}

static bool entry_before(deadline_entry a, deadline_entry b) {
    return a.deadline_ns < b.deadline_ns || (a.deadline_ns == b.deadline_ns && a.order_and_slot < b.order_and_slot);
}

/* The heap: four children per node; a scene's link holds its position. */

static void heap_set(settle_core *core, uint32_t position, deadline_entry entry) {
    core->heap[position] = entry;
    core->links[LINKS_FIRST_SCENE + entry_slot(core, entry)].next = position;
}

static void heap_up(settle_core *core, uint32_t position, deadline_entry entry) {
    while (position > 0) {
        uint32_t parent = (position - 1) / 4;
        if (!entry_before(entry, core->heap[parent])) break;
        heap_set(core, position, core->heap[parent]);
        position = parent;
    }
    heap_set(core, position, entry);
}

static void heap_down(settle_core *core, uint32_t position, deadline_entry entry) {
    for (;;) {
        uint32_t child = 4 * position + 1;
        if (child >= core->heap_count) break;
        uint32_t end = child + 4 < core->heap_count ? child + 4 : core->heap_count;
        uint32_t least = child;
        for (uint32_t i = child + 1; i < end; i++) {
            if (entry_before(core->heap[i], core->heap[least])) least = i;
        }
        if (!entry_before(core->heap[least], entry)) break;
        heap_set(core, position, core->heap[least]);
        position = least;
    }
    heap_set(core, position, entry);
}

static void heap_remove(settle_core *core, uint32_t position) {
    deadline_entry last = core->heap[--core->heap_count];
    if (position == core->heap_count) return;
    if (position > 0 && entry_before(last, core->heap[(position - 1) / 4])) {
        heap_up(core, position, last);
    } else {
        heap_down(core, position, last);
    }
}

/* The buckets: circular lists, whose heads precede the scenes' links. */

static void list_append(settle_core *core, uint32_t head, uint32_t node) {
    deadline_link *links = core->links;
    uint32_t last = links[head].prev;
    links[node].next = head;
    links[node].prev = last;
    links[last].next = node;
    links[head].prev = node;
}

static void list_remove(settle_core *core, uint32_t node) {
    deadline_link *links = core->links;
    links[links[node].prev].next = links[node].next;
    links[links[node].next].prev = links[node].prev;
}

static unsigned level_shift(unsigned level) { return DEADLINE_SHIFT + level * DEADLINE_RADIX_BITS; }

static void bucket_append(settle_core *core, uint32_t slot, uint64_t deadline_ns) {
    uint64_t differing = deadline_ns ^ core->heap_end_ns;
    unsigned level = 0;
    while (level + 1 < DEADLINE_LEVELS && differing >> level_shift(level + 1)) level++;
    uint32_t index = (uint32_t)(deadline_ns >> level_shift(level)) % DEADLINE_SLOTS;
    core->bucket_bits[level][index / 64] |= (uint64_t)1 << (index % 64);
    list_append(core, level * DEADLINE_SLOTS + index, LINKS_FIRST_SCENE + slot);
}

/* The nearest bucket that holds a scene. Lower levels precede higher ones, as a level holds
 * only deadlines that share their upper bits with heap_end_ns; except that heap_end_ns may
 * just have reached the start of a higher level's bucket. */
static bool bucket_nearest(settle_core *core, unsigned *level_out, uint64_t *start_ns) {
    for (unsigned level = DEADLINE_LEVELS - 1; level > 0; level--) {
        uint64_t here = core->heap_end_ns >> level_shift(level);
        uint32_t head = level * DEADLINE_SLOTS + (uint32_t)here % DEADLINE_SLOTS;
        if (core->links[head].next == head) continue;
        *level_out = level;
        *start_ns = here << level_shift(level);
        return true;
    }
    for (unsigned level = 0; level < DEADLINE_LEVELS; level++) {
        unsigned shift = level_shift(level);
        uint64_t here = core->heap_end_ns >> shift;
        uint32_t first = (uint32_t)here % DEADLINE_SLOTS;
        for (uint32_t word = first / 64; word < DEADLINE_SLOTS / 64; word++) {
            uint64_t bits = core->bucket_bits[level][word];
            if (word == first / 64) bits &= ~(uint64_t)0 << (first % 64);
            while (bits) {
                uint32_t index = word * 64 + (uint32_t)__builtin_ctzll(bits);
                uint32_t head = level * DEADLINE_SLOTS + index;
                if (core->links[head].next != head) {
                    *level_out = level;
                    *start_ns = (here - first + index) << shift;
                    return true;
                }
                core->bucket_bits[level][word] &= ~((uint64_t)1 << (index % 64));
                bits &= bits - 1;
            }
        }
    }
    return false;
}

static void unlink(settle_core *core, uint32_t slot) {
    scene_hot *hot = &core->hot[slot];
    if (hot->state & STATE_IN_HEAP) {
        heap_remove(core, core->links[LINKS_FIRST_SCENE + slot].next);
    } else {
        list_remove(core, LINKS_FIRST_SCENE + slot);
    }
    clear(hot, STATE_LINKED | STATE_IN_HEAP);
    core->linked_count--;
}

void settle_deadlines_remove(settle_core *core, uint32_t slot) {
    if (!has_queue(core)) clear(&core->hot[slot], STATE_LINKED);
    else if (core->hot[slot].state & STATE_LINKED) unlink(core, slot);
}

static void enqueue(settle_core *core, uint32_t slot, deadline_key key) {
    core->linked_count++;
    if (key.deadline_ns < core->heap_end_ns) {
        set(&core->hot[slot], STATE_IN_HEAP);
        heap_up(core, core->heap_count++, entry_of(core, key, slot));
    } else {
        bucket_append(core, slot, key.deadline_ns);
    }
}

void settle_deadlines_link(settle_core *core, uint32_t slot) {
    scene_hot *hot = &core->hot[slot];
    if (core->linked_count == 0) {
        core->heap_end_ns = core->now_ns >> DEADLINE_SHIFT << DEADLINE_SHIFT;
    }
    settle_deadlines_remove(core, slot);
    deadline_key key = link_key(core, slot);
    if (key.deadline_ns == SETTLE_NEVER) return;

    hot->state |= STATE_LINKED;
    if (has_queue(core)) enqueue(core, slot, key);
    if (key.deadline_ns < core->next_due_ns) core->next_due_ns = key.deadline_ns;
}

/* Pours the nearest bucket into the heap, or one of a higher level into lower ones. */
static bool pour_nearest_bucket(settle_core *core) {
    unsigned level;
    uint64_t start_ns;
    if (!bucket_nearest(core, &level, &start_ns)) return false;
    uint32_t head = level * DEADLINE_SLOTS + (uint32_t)(start_ns >> level_shift(level)) % DEADLINE_SLOTS;
    core->heap_end_ns = level == 0 ? start_ns + ((uint64_t)1 << DEADLINE_SHIFT) : start_ns;

    uint32_t ahead = core->links[head].next;
    for (int i = 0; i < PREFETCH_NODES && ahead != head; i++) ahead = core->links[ahead].next;
    for (uint32_t node = core->links[head].next; node != head;) {
        uint32_t next = core->links[node].next;
        if (ahead != head) {
            __builtin_prefetch(&core->hot[ahead - LINKS_FIRST_SCENE], 1);
            ahead = core->links[ahead].next;
        }
        settle_deadlines_link(core, node - LINKS_FIRST_SCENE);
        node = next;
    }
    return true;
}

/* Prefetches the heap's next scenes, one of which is the second, while the first is handled. */
static void prefetch_next(const settle_core *core) {
    uint32_t end = core->heap_count < 5 ? core->heap_count : 5;
    for (uint32_t i = 1; i < end; i++) __builtin_prefetch(&core->hot[entry_slot(core, core->heap[i])], 1);
}

/* Of a core without a queue. */
static uint32_t first_of_all(settle_core *core, deadline_key *key) {
    uint32_t first = NO_SLOT;
    *key = (deadline_key){SETTLE_NEVER, 0, DEADLINE_OF_STATE};
    for (uint32_t slot = 0; slot < core->slots_used; slot++) {
        const deadline_key other = link_key(core, slot);
        if (other.deadline_ns > key->deadline_ns || other.deadline_ns == SETTLE_NEVER) continue;
        if (other.deadline_ns == key->deadline_ns && other.order > key->order) continue;
        *key = other;
        first = slot;
    }
    return first;
}

uint32_t settle_deadlines_first(settle_core *core, deadline_key *key) {
    if (!has_queue(core)) return first_of_all(core, key);
    for (;;) {
        if (core->heap_count == 0) {
            if (pour_nearest_bucket(core)) continue;
            return NO_SLOT;
        }
        deadline_entry top = core->heap[0];
        uint32_t slot = entry_slot(core, top);
        prefetch_next(core);
        *key = link_key(core, slot);
        if (key->deadline_ns == top.deadline_ns && entry_of(core, *key, slot).order_and_slot == top.order_and_slot) {
            return slot;
        }
        if (key->deadline_ns < core->heap_end_ns) {
            heap_down(core, 0, entry_of(core, *key, slot));
        } else {
            settle_deadlines_link(core, slot);
        }
    }
}

void settle_deadlines_update_bound(settle_core *core) {
    unsigned level;
    uint64_t start_ns;
    deadline_key key;
    if (!has_queue(core)) {
        core->next_due_ns = first_of_all(core, &key) == NO_SLOT ? NOTHING_DUE_NS : key.deadline_ns;
    } else if (core->heap_count > 0) {
        core->next_due_ns = core->heap[0].deadline_ns;
    } else if (bucket_nearest(core, &level, &start_ns)) {
        core->next_due_ns = start_ns;
    } else {
        core->next_due_ns = NOTHING_DUE_NS;
    }
}

void settle_deadlines_init(settle_core *core) {
    memset(core->bucket_bits, 0, DEADLINE_BUCKETS / 8);
    for (uint32_t head = 0; head < DEADLINE_BUCKETS; head++) {
        core->links[head].next = head;
        core->links[head].prev = head;
    }
}
