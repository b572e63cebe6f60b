/* The memory: messages, views and clocks. */
#include "explore.h"

#include <stdlib.h>
#include <string.h>

/* What is known of each location and of each thread's past. */
typedef struct view {
    uint8_t seen[LOCATIONS_MAX];        /* the number of a message; nothing before it can be read */
    uint8_t clock[THREADS_MAX];         /* steps of each thread that happened before */
} view;

typedef struct message {
    uint64_t value;
    view carried;
    uint8_t rank;               /* place in the modification order */
    bool is_attached;           /* an exchange's: nothing comes between it and what it read */
} message;

typedef struct location {
    const volatile void *address;
    message messages[MESSAGES_MAX];
    uint8_t order[MESSAGES_MAX];        /* message numbers in modification order */
    unsigned count;
} location;

/* Plain memory: who wrote last, and when each thread last read. */
typedef struct cell {
    const void *address;
    unsigned writer;
    uint8_t written_at, read_at[THREADS_MAX];
} cell;

typedef struct thread_views {
    view current;
    view acquirable;            /* what an acquire fence makes current */
    view released;              /* what a relaxed store passes on: current at the last release fence */
} thread_views;

static struct memory {
    location locations[LOCATIONS_MAX];
    unsigned locations_count;
    cell cells[CELLS_MAX];
    unsigned cells_count;
    thread_views threads[THREADS_MAX];
    view fenced;                /* the sequentially consistent fences' view */
    unsigned signals[SIGNALS_MAX];
} memory;

void memory_reset(void) {
    memory.locations_count = memory.cells_count = 0;
    memset(memory.threads, 0, sizeof memory.threads);
    memset(&memory.fenced, 0, sizeof memory.fenced);
    memset(memory.signals, 0, sizeof memory.signals);
    /* A clock starts at one, so that zero stands for never. */
    for (unsigned thread = 0; thread < THREADS_MAX; thread++) {
        memory.threads[thread].current.clock[thread] = memory.threads[thread].acquirable.clock[thread] = 1;
    }
}

static unsigned location_at(const volatile void *address) {
    for (unsigned i = 0; i < memory.locations_count; i++) {
        if (memory.locations[i].address == address) return i;
    }
    abort();    /* a location that was never initialised is the program's fault */
}

void model_init(const volatile void *at, uint64_t value) {
    if (memory.locations_count == LOCATIONS_MAX) abort();
    location *made = &memory.locations[memory.locations_count++];
    made->address = at;
    made->count = 1;
    made->order[0] = 0;
    made->messages[0] = (message){.value = value};
}

static void join_seen(view *into, const view *from) {
    for (unsigned i = 0; i < memory.locations_count; i++) {
        const message *messages = memory.locations[i].messages;
        if (messages[from->seen[i]].rank > messages[into->seen[i]].rank) into->seen[i] = from->seen[i];
    }
}

static void join(view *into, const view *from) {
    join_seen(into, from);
    for (unsigned i = 0; i < THREADS_MAX; i++) {
        if (from->clock[i] > into->clock[i]) into->clock[i] = from->clock[i];
    }
}

static thread_views *running(void) { return &memory.threads[explore_thread()]; }

/* What the thread does from here on is not part of what it has passed on. */
static void tick(thread_views *me) {
    unsigned thread = explore_thread();
    if (me->current.clock[thread] == UINT8_MAX) abort();
    me->acquirable.clock[thread] = ++me->current.clock[thread];
}

static bool acquires(memory_order order) {
    return order == memory_order_acquire || order == memory_order_acq_rel || order == memory_order_seq_cst;
}

static bool releases(memory_order order) {
    return order == memory_order_release || order == memory_order_acq_rel || order == memory_order_seq_cst;
}

/* Accesses of that order have rules of their own, which nothing here needs. */
static void refuse_seq_cst(memory_order order) {
    if (order == memory_order_seq_cst) abort();
}

static void see(thread_views *me, unsigned where, uint8_t number) {
    me->current.seen[where] = me->acquirable.seen[where] = number;
}

static message *read_message(thread_views *me, unsigned where, unsigned rank, memory_order order) {
    location *at = &memory.locations[where];
    message *read = &at->messages[at->order[rank]];
    see(me, where, at->order[rank]);
    join(&me->acquirable, &read->carried);
    if (acquires(order)) join(&me->current, &read->carried);
    return read;
}

/* A new message right behind the one of a rank. */
static message *insert_message(thread_views *me, unsigned where, unsigned rank, uint64_t value, memory_order order) {
    location *at = &memory.locations[where];
    if (at->count == MESSAGES_MAX) abort();
    uint8_t number = (uint8_t)at->count++;
    for (unsigned i = at->count - 1; i > rank + 1; i--) {
        at->order[i] = at->order[i - 1];
        at->messages[at->order[i]].rank = (uint8_t)i;
    }
    at->order[rank + 1] = number;
    at->messages[number] = (message){.value = value, .rank = (uint8_t)(rank + 1)};
    see(me, where, number);
    at->messages[number].carried = releases(order) ? me->current : me->released;
    return &at->messages[number];
}

static bool is_followed(const location *at, unsigned rank) {
    return rank + 1 < at->count && at->messages[at->order[rank + 1]].is_attached;
}

/* Chooses one of the ranks that a write may follow: none that an exchange is attached to, and none behind what the
 * thread has seen. A compare-exchange may also read any with another value than it expects: it writes nothing. */
static unsigned choose_rank(const thread_views *me, unsigned where, const uint64_t *expected) {
    const location *at = &memory.locations[where];
    unsigned ranks[MESSAGES_MAX], options = 0;
    for (unsigned rank = at->messages[me->current.seen[where]].rank; rank < at->count; rank++) {
        bool is_other = expected && at->messages[at->order[rank]].value != *expected;
        if (is_other || !is_followed(at, rank)) ranks[options++] = rank;
    }
    return ranks[explore_choose(options)];
}

/* Reads a message and puts another right behind it; what was read. */
static uint64_t replace_message(thread_views *me, unsigned where, unsigned rank, uint64_t value, memory_order order) {
    const message *read = read_message(me, where, rank, order);
    message *written = insert_message(me, where, rank, value, order);
    written->is_attached = true;
    /* The release sequence: whoever acquires this acquires what it replaced. */
    join(&written->carried, &read->carried);
    return read->value;
}

uint64_t model_load(const volatile void *from, memory_order order, const char *by) {
    refuse_seq_cst(order);
    unsigned where = location_at(from);
    explore_step((step){STEP_READ, where});
    thread_views *me = running();
    const location *at = &memory.locations[where];
    unsigned first = at->messages[me->current.seen[where]].rank;
    unsigned rank = first + explore_choose(at->count - first);
    uint64_t value = read_message(me, where, rank, order)->value;
    tick(me);
    explore_tell("%s: load %llu, %u behind the last", by, (unsigned long long)value, at->count - 1 - rank);
    return value;
}

void model_store(const volatile void *to, uint64_t value, memory_order order, const char *by) {
    refuse_seq_cst(order);
    unsigned where = location_at(to);
    explore_step((step){STEP_WRITE, where});
    thread_views *me = running();
    insert_message(me, where, choose_rank(me, where, NULL), value, order);
    tick(me);
    explore_tell("%s: store %llu", by, (unsigned long long)value);
}

uint64_t model_exchange(const volatile void *at, uint64_t value, memory_order order, const char *by) {
    refuse_seq_cst(order);
    unsigned where = location_at(at);
    explore_step((step){STEP_EXCHANGE, where});
    thread_views *me = running();
    uint64_t before = replace_message(me, where, choose_rank(me, where, NULL), value, order);
    tick(me);
    explore_tell("%s: exchange %llu for %llu", by, (unsigned long long)before, (unsigned long long)value);
    return before;
}

bool model_compare_exchange(const volatile void *at, uint64_t *expected, uint64_t value, memory_order order, const char *by) {
    refuse_seq_cst(order);
    unsigned where = location_at(at);
    explore_step((step){STEP_EXCHANGE, where});
    thread_views *me = running();
    unsigned rank = choose_rank(me, where, expected);
    uint64_t before = memory.locations[where].messages[memory.locations[where].order[rank]].value;
    bool is_equal = before == *expected;
    if (is_equal) replace_message(me, where, rank, value, order);
    else read_message(me, where, rank, memory_order_relaxed);
    tick(me);
    explore_tell("%s: %llu for %llu: %s", by, (unsigned long long)value, (unsigned long long)*expected,
                 is_equal ? "exchanged" : "was another");
    *expected = before;
    return is_equal;
}

void model_fence(memory_order order, const char *by) {
    if (order == memory_order_seq_cst) explore_step((step){STEP_FENCE, 0});
    thread_views *me = running();
    if (acquires(order)) me->current = me->acquirable;
    if (order == memory_order_seq_cst) {
        join_seen(&me->current, &memory.fenced);
        join_seen(&memory.fenced, &me->current);
        me->acquirable = me->current;
    }
    if (releases(order)) me->released = me->current;
    tick(me);
    explore_tell("%s: fence", by);
}

static cell *cell_at(const void *address) {
    for (unsigned i = 0; i < memory.cells_count; i++) {
        if (memory.cells[i].address == address) return &memory.cells[i];
    }
    if (memory.cells_count == CELLS_MAX) abort();
    cell *made = &memory.cells[memory.cells_count++];
    *made = (cell){.address = address};
    return made;
}

/* Not a step: a race is one in whatever order the two accesses come. */
void model_copy(void *to, const void *from, size_t bytes) {
    const view *now = &running()->current;
    for (size_t at = 0; at < bytes; at += CELL_BYTES) {
        cell *written = cell_at((const char *)to + at);
        bool is_ordered = written->written_at <= now->clock[written->writer];
        for (unsigned i = 0; i < THREADS_MAX; i++) is_ordered &= written->read_at[i] <= now->clock[i];
        if (!is_ordered) explore_fail("data race: a write beside another access");
        written->writer = explore_thread();
        written->written_at = now->clock[written->writer];
    }
    memcpy(to, from, bytes);
}

void model_reads(const void *from, size_t bytes) {
    const view *now = &running()->current;
    for (size_t at = 0; at < bytes; at += CELL_BYTES) {
        cell *read = cell_at((const char *)from + at);
        bool is_ordered = read->written_at <= now->clock[read->writer];
        if (!is_ordered) explore_fail("data race: a read beside a write");
        read->read_at[explore_thread()] = now->clock[explore_thread()];
    }
}

void model_signal(unsigned number) {
    explore_step((step){STEP_SIGNAL, number});
    memory.signals[number]++;
    explore_tell("signal %u", number);
}

void model_wait(unsigned number) {
    explore_step((step){STEP_WAIT, number});
    memory.signals[number] = 0;
    explore_tell("woken by signal %u", number);
}

bool memory_signalled(unsigned number) { return memory.signals[number] > 0; }

uint64_t model_last(const volatile void *at) {
    const location *asked = &memory.locations[location_at(at)];
    return asked->messages[asked->order[asked->count - 1]].value;
}
