/* Small programs over the list of ready sources and the token, as SourceList and HeldBack
 * use them: a loop that visits only the listed sources misses no event and never sleeps
 * while one waits, and only one thread has a batch at a time. */
#include "programs.h"

#include "settle_ring.h"

#include <string.h>

enum { SOURCES = 2, CAPACITY = 4, RING_BYTES = 512, BELL_SIGNAL = 0 };

static struct {
    unsigned sources, events;       /* of each source */
    _Alignas(64) unsigned char ring_memory[SOURCES][RING_BYTES];
    _Alignas(64) unsigned char bell_memory[SETTLE_DOORBELL_BYTES];
    _Alignas(64) unsigned char list_memory[SETTLE_READY_LIST_BYTES];
    _Alignas(64) unsigned char node_memory[SOURCES][SETTLE_READY_NODE_BYTES];
    settle_ring *rings[SOURCES];
    settle_ready_node *nodes[SOURCES];
    settle_ready_list *list;
    settle_doorbell *bell;
    bool is_active[SOURCES];
    unsigned taken[SOURCES];
} world;

static void start(unsigned sources, unsigned events) {
    world.sources = sources;
    world.events = events;
    world.bell = settle_doorbell_init(world.bell_memory);
    world.list = settle_ready_list_init(world.list_memory);
    for (unsigned i = 0; i < sources; i++) {
        model_require(settle_ring_init(world.ring_memory[i], CAPACITY, &world.rings[i]) == SETTLE_OK,
                      "the ring refuses its memory");
        world.nodes[i] = settle_ready_node_init(world.node_memory[i], &world.taken[i]);
        world.is_active[i] = false;
        world.taken[i] = 0;
    }
}

static void start_one(void) { start(1, 2); }
static void start_two(void) { start(2, 1); }

static void send(unsigned source) {
    for (unsigned i = 0; i < world.events; i++) {
        settle_event event = {.at_ns = i};
        settle_ring_push(world.rings[source], &event, 1);
        if (settle_ready_announce(world.list, world.nodes[source], world.bell)) model_signal(BELL_SIGNAL);
    }
}

static void send_0(void) { send(0); }
static void send_1(void) { send(1); }

static void take_listed(void) {
    for (settle_ready_node *node = settle_ready_pop_all(world.list); node;) {
        model_reads(node, sizeof(uintptr_t));
        unsigned source = (unsigned)((unsigned *)settle_ready_owner(node) - world.taken);
        model_require(!world.is_active[source], "a source is listed twice");
        world.is_active[source] = true;
        node = settle_ready_next(node);
    }
}

/* Takes what is there; true if that was anything. */
static bool take_events(unsigned source) {
    const settle_event *events;
    size_t count = settle_ring_count(world.rings[source]);
    if (count == 0) return false;
    model_require(settle_ring_peek(world.rings[source], &events) == count, "peek and count disagree");
    model_reads(events, count * sizeof *events);
    for (size_t i = 0; i < count; i++) {
        model_require(events[i].at_ns == world.taken[source] + i, "an event is lost, comes twice or out of order");
    }
    settle_ring_pop(world.rings[source], count);
    world.taken[source] += (unsigned)count;
    return true;
}

static void pass(void) {
    take_listed();
    for (unsigned i = 0; i < world.sources; i++) {
        if (!world.is_active[i] || take_events(i)) continue;
        settle_ready_release(world.nodes[i]);
        world.is_active[i] = settle_ring_count(world.rings[i]) > 0 && settle_ready_reclaim(world.nodes[i]);
    }
}

static bool is_idle(void) {
    if (settle_ready_any(world.list)) return false;
    for (unsigned i = 0; i < world.sources; i++) {
        if (world.is_active[i] && settle_ring_count(world.rings[i]) > 0) return false;
    }
    return true;
}

static bool has_all(void) {
    for (unsigned i = 0; i < world.sources; i++) {
        if (world.taken[i] < world.events) return false;
    }
    return true;
}

static void loop(void) {
    for (;;) {
        pass();
        if (has_all()) return;
        settle_doorbell_prepare(world.bell);
        if (is_idle()) model_wait(BELL_SIGNAL);
        settle_doorbell_awake(world.bell);
    }
}

/* A node that is let go as soon as it was taken may be pushed again at once. */
static void announce_twice(void) {
    for (unsigned i = 0; i < 2; i++) settle_ready_announce(world.list, world.nodes[0], world.bell);
}

static void take_and_forget(void) {
    for (settle_ready_node *node = settle_ready_pop_all(world.list); node;) {
        settle_ready_node *taken = node;
        model_reads(node, sizeof(uintptr_t));
        node = settle_ready_next(node);
        settle_ready_release(taken);
    }
}

/* Two batches in turn, as plain memory: the producer adds one to its own, offers it, and
 * goes on with the other once the consumer has taken it. */
enum { BATCHES = 2, ADDITIONS = 4, TRIES = 3 };

static struct {
    _Alignas(64) unsigned char memory[SETTLE_TOKEN_BYTES];
    settle_token *token;
    _Alignas(CELL_BYTES) unsigned char batches[BATCHES][CELL_BYTES];
    unsigned taken;
} held;

static void start_token(void) {
    held.token = settle_token_init(held.memory);
    memset(held.batches, 0, sizeof held.batches);
    held.taken = 0;
}

static void set_batch(unsigned number, unsigned char value) {
    unsigned char batch[CELL_BYTES] = {value};
    model_copy(held.batches[number % BATCHES], batch, sizeof batch);
}

static unsigned char batch_value(unsigned number) {
    model_reads(held.batches[number % BATCHES], CELL_BYTES);
    return held.batches[number % BATCHES][0];
}

static void hold_back(void) {
    unsigned number = 0;
    for (unsigned i = 0; i < ADDITIONS; i++) {
        if (i > 0 && !settle_token_acquire(held.token)) {
            number++;
            model_require(batch_value(number) == 0, "a batch is used again that was not emptied");
        }
        set_batch(number, (unsigned char)(batch_value(number) + 1));
        settle_token_offer(held.token);
    }
}

static void take_held(void) {
    unsigned number = 0;
    for (unsigned i = 0; i < TRIES; i++) {
        if (!settle_token_offered(held.token) || !settle_token_acquire(held.token)) continue;
        held.taken += batch_value(number);
        set_batch(number++, 0);
    }
}

static void end_token(void) {
    unsigned left = 0;
    for (unsigned i = 0; i < BATCHES; i++) left += held.batches[i][0];
    model_require(held.taken + left == ADDITIONS, "what was held back is lost or comes twice");
}

const model_program list_one_source = {"one source", 2, {loop, send_0}, start_one, NULL};
const model_program list_two_sources = {"two sources", 3, {loop, send_0, send_1}, start_two, NULL};
const model_program list_node_reused = {"reuse", 2, {take_and_forget, announce_twice}, start_one, NULL};
const model_program token_passes = {"token", 2, {take_held, hold_back}, start_token, end_token};
