/* Sleep and wake, again and again: a producer publishes one event at a time, a
 * consumer sleeps on an eventfd whenever the ring is empty. A lost wake-up leaves
 * both waiting; the consumer's polls then time out, which fails the run. Prints the
 * wake-ups that were lost.
 *
 *     wakeup PAIRS     stops at the first wake-up that is lost
 *
 * For scripts/checks/races, which runs it under the thread sanitizer. */
#define _GNU_SOURCE
#include "settle_ring.h"

#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

enum { CAPACITY = 64, TIMEOUT_MS = 200, HELD_UP_MS = 3000 };

static settle_ring *ring;
static settle_doorbell *bell;
static int descriptor;
static long pairs;
static _Atomic long popped;

static void *produce(void *unused) {
    (void)unused;
    unsigned noise = 1;
    for (long i = 0; i < pairs; i++) {
        settle_event event = settle_event_make(SETTLE_GEOMETRY, 1, (uint64_t)i);
        while (settle_ring_push(ring, &event, 1) == 0) sched_yield();
        if (settle_doorbell_ring(bell)) {
            uint64_t one = 1;
            if (write(descriptor, &one, sizeof one) != sizeof one) abort();
        }
        /* Wait until the event is received and then for a varying time, so that nearly
         * every event finds the consumer asleep. */
        while (atomic_load_explicit(&popped, memory_order_acquire) <= i) {}
        noise = noise * 1664525u + 1013904223u;
        unsigned most = 16u << (i / 512 % 5);
        for (volatile unsigned spin = (noise >> 16) % most; spin > 0; spin--) {}
    }
    return NULL;
}

int main(int argc, char **argv) {
    pairs = argc > 1 ? atol(argv[1]) : 100000;
    void *memory = aligned_alloc(64, settle_ring_size(CAPACITY));
    if (settle_ring_init(memory, CAPACITY, &ring) != SETTLE_OK) return 2;
    bell = settle_doorbell_init(aligned_alloc(64, SETTLE_DOORBELL_BYTES));
    descriptor = eventfd(0, EFD_CLOEXEC);
    pthread_t producer;
    pthread_create(&producer, NULL, produce, NULL);

    long lost = 0, seen = 0;
    while (seen < pairs && lost == 0) {
        const settle_event *events;
        size_t count = settle_ring_peek(ring, &events);
        if (count > 0) {
            for (size_t i = 0; i < count; i++) {
                if (events[i].at_ns != (uint64_t)seen + i) abort();
            }
            settle_ring_pop(ring, count);
            seen += (long)count;
            atomic_store_explicit(&popped, seen, memory_order_release);
            continue;
        }
        settle_doorbell_prepare(bell);
        if (settle_ring_peek(ring, &events) == 0) {
            struct pollfd waiting = {descriptor, POLLIN, 0};
            uint64_t rings;
            int woken = poll(&waiting, 1, TIMEOUT_MS);
            /* The producer may have been preempted between its event and its ring. */
            if (woken == 0 && settle_ring_peek(ring, &events) > 0) {
                woken = poll(&waiting, 1, HELD_UP_MS);
                if (woken == 0) lost++;
            }
            if (woken == 1 && read(descriptor, &rings, sizeof rings) != sizeof rings) abort();
        }
        settle_doorbell_awake(bell);
    }
    if (lost == 0) pthread_join(producer, NULL);
    printf("%ld pairs, %ld wake-ups lost\n", seen, lost);
    return lost == 0 ? 0 : 1;
}
