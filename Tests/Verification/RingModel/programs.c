/* Small programs over the real ring and doorbell, as SourceChannel and the live engine's
 * loop use them: events arrive once, whole and in order, and no thread sleeps without end. */
#include "programs.h"

#include "settle_ring.h"

enum { PRODUCERS_MAX = 2, CAPACITY_MAX = 4, RING_BYTES = 512 };

/* What the eventfds are for. */
enum { LOOP_SIGNAL, ROOM_SIGNAL };

static struct {
    plan plan;
    _Alignas(64) unsigned char memory[PRODUCERS_MAX][RING_BYTES];
    _Alignas(64) unsigned char bell_memory[2][SETTLE_DOORBELL_BYTES];
    settle_ring *rings[PRODUCERS_MAX];
    settle_doorbell *bell, *room;
    unsigned sleeps, wakes;
} world;

static void start(void) {
    for (unsigned i = 0; i < world.plan.producers; i++) {
        bool fits = settle_ring_size(world.plan.capacity) <= RING_BYTES;
        model_require(fits && settle_ring_init(world.memory[i], world.plan.capacity, &world.rings[i]) == SETTLE_OK,
                      "the ring refuses its memory");
    }
    world.bell = settle_doorbell_init(world.bell_memory[0]);
    world.room = settle_doorbell_init(world.bell_memory[1]);
    world.sleeps = world.wakes = 0;
}

static void end(void) {
    model_require(world.wakes <= world.sleeps, "two callers wake one sleep");
}

static void prepare(settle_doorbell *bell) {
    world.sleeps++;
    settle_doorbell_prepare(bell);
}

static void ring(settle_doorbell *bell, unsigned signal) {
    if (!settle_doorbell_ring(bell)) return;
    world.wakes++;
    model_signal(signal);
}

static size_t push(unsigned producer, unsigned first, unsigned count) {
    settle_event events[CAPACITY_MAX] = {{0}};
    for (unsigned i = 0; i < count; i++) events[i].at_ns = first + i;
    size_t pushed = settle_ring_push(world.rings[producer], events, count);
    model_require(pushed <= count, "more is pushed than was given");
    return pushed;
}

static unsigned batch_from(unsigned next) {
    unsigned left = world.plan.events - next;
    return left < world.plan.batch ? left : world.plan.batch;
}

/* A batch after the other; the producer sleeps while there is no room. */
static void send_all(unsigned producer) {
    for (unsigned next = 0; next < world.plan.events;) {
        unsigned end = next + batch_from(next);
        next += (unsigned)push(producer, next, end - next);
        while (next < end) {
            ring(world.bell, LOOP_SIGNAL);
            prepare(world.room);
            size_t pushed = push(producer, next, end - next);
            next += (unsigned)pushed;
            if (pushed == 0) model_wait(ROOM_SIGNAL);
            settle_doorbell_awake(world.room);
        }
        ring(world.bell, LOOP_SIGNAL);
    }
}

/* Takes what is there, whose numbers must be the next ones. */
static unsigned take(unsigned producer, unsigned next) {
    const settle_event *events;
    size_t count = settle_ring_peek(world.rings[producer], &events);
    if (count == 0) return 0;
    model_require(count <= world.plan.events - next, "events come that were never sent");
    model_reads(events, count * sizeof *events);
    for (size_t i = 0; i < count; i++) {
        model_require(events[i].at_ns == next + i, "an event is lost, comes twice or out of order");
    }
    settle_ring_pop(world.rings[producer], count);
    return (unsigned)count;
}

static bool is_empty(void) {
    const settle_event *events;
    for (unsigned i = 0; i < world.plan.producers; i++) {
        if (settle_ring_peek(world.rings[i], &events) > 0) return false;
    }
    return true;
}

/* The loop: takes all there is, then sleeps. */
static void take_all(void) {
    unsigned next[PRODUCERS_MAX] = {0}, left = world.plan.producers * world.plan.events;
    while (left > 0) {
        bool took = false;
        for (unsigned i = 0; i < world.plan.producers; i++) {
            unsigned taken = take(i, next[i]);
            if (taken == 0) continue;
            next[i] += taken;
            left -= taken;
            took = true;
            if (world.plan.events > world.plan.capacity) ring(world.room, ROOM_SIGNAL);
        }
        if (took) continue;
        prepare(world.bell);
        if (is_empty()) model_wait(LOOP_SIGNAL);
        settle_doorbell_awake(world.bell);
    }
}

static void produce_0(void) {
    if (world.plan.tries == 0) {
        send_all(0);
        return;
    }
    for (unsigned i = 0, next = 0; i < world.plan.tries; i++) {
        size_t waiting = world.plan.measures ? settle_ring_waiting(world.rings[0]) : 0;
        model_require(waiting <= next, "more events wait than were pushed");
        next += (unsigned)push(0, next, batch_from(next));
    }
}

static void produce_1(void) { send_all(1); }

static void consume(void) {
    if (world.plan.tries == 0) {
        take_all();
        return;
    }
    for (unsigned i = 0, next = 0; i < world.plan.tries; i++) next += take(0, next);
}

static const model_program one_producer = {"one producer", 2, {consume, produce_0}, start, end};
static const model_program two_producers = {"two producers", 3, {consume, produce_0, produce_1}, start, end};

/* From the smallest to the largest. */
const ring_program ring_programs[] = {
    {"capacity 1, 3 events, 4 tries", {1, 3, 1, 4, 1, false}, NULL},
    {"capacity 2, 5 events by two, 4 tries", {2, 5, 2, 4, 1, false}, NULL},
    {"capacity 1, 3 events, 4 tries, measured", {1, 3, 1, 4, 1, true}, NULL},
    {"a source is listed again as it is let go", {0}, &list_node_reused},
    {"a token that goes back and forth", {0}, &token_passes},
    {"capacity 4, 8 events by three, 4 tries", {4, 8, 3, 4, 1, false}, NULL},
    {"capacity 4, sleep and wake, 2 batches", {4, 2, 1, 0, 1, false}, NULL},
    {"a source is listed, forgotten and listed again", {0}, &list_one_source},
    {"capacity 2, both sleep, 3 events in one batch", {2, 3, 3, 0, 1, false}, NULL},
    {"two producers, one loop that sleeps", {1, 1, 1, 0, 2, false}, NULL},
    {"capacity 4, sleep and wake, 3 batches", {4, 3, 1, 0, 1, false}, NULL},
    {"capacity 1, both sleep, 2 events", {1, 2, 1, 0, 1, false}, NULL},
    {"two sources are listed, one loop that sleeps", {0}, &list_two_sources},
};
const size_t ring_programs_count = sizeof ring_programs / sizeof *ring_programs;

static const model_program *program_of(const ring_program *program) {
    if (program->other) return program->other;
    world.plan = program->plan;
    return program->plan.producers == 1 ? &one_producer : &two_producers;
}

model_result ring_program_run(const ring_program *program) {
    return model_explore(program_of(program));
}

void ring_program_tell(const ring_program *program) {
    model_tell(program_of(program));
}
