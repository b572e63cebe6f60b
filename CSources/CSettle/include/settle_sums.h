/* Sums in place of logs: what a session's events result in under at most ten policies, in few bytes. A
 * client that must not or will not send its log sends these, and settle-fleet --sums adds them up; the sums are those
 * of the logs.
 *
 * No I/O and no allocation. Calls that share no memory that is written may run at the same time.
 *
 *     settle_sums_count(events, count, names, connections, policies, 2, memory, settle_sums_size(…), &sums, counts);
 *     for (uint32_t from = 0; (size = settle_sums_write(&sums, counts, policies, 2, &from, bytes)) > 0;)
 *         send(bytes, size);
 *
 * A record, which docs/reference/sums-format.md describes, has at most SETTLE_SUMS_BYTES_MAX bytes. A session is one
 * record, or several where one has not enough room; records of any sessions may be concatenated, in any order. */
#ifndef SETTLE_SUMS_H
#define SETTLE_SUMS_H

#include "settle_sweep.h"

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#pragma GCC visibility push(default)
#endif

enum { SETTLE_SUMS_BYTES_MAX = 1024, SETTLE_SUMS_POLICIES_MAX = 10 };

/* What is counted of sessions beside their policies' counts. */
typedef struct settle_sums {
    uint64_t sessions;
    uint64_t events;
    uint64_t connections;
    uint64_t without_index; /* sessions of which nobody knows whether they are whole */
    settle_baselines baselines;
} settle_sums;

/* A number for policies in their order, which stands in each record: records of others are not added. */
uint32_t settle_sums_fingerprint(const settle_policy *policies, size_t count);

/* Bytes of memory for settle_sums_count, aligned to 64; 0 where settle_sweep_log_size is. */
size_t settle_sums_size(size_t count, uint32_t names, size_t connections);

/* Decides a session's events under each policy, and adds what they result in, which is zero before the first: a
 * session, its events, and counts[i] for policies[i]. `events` are bound in place, and must not be used afterwards;
 * `connections` is settle_sweep_connections or more. SETTLE_INVALID: memory or an event is not as settle_sweep_bind
 * wants it, or a policy is out of range; what was added means nothing. */
int settle_sums_count(settle_log_event *events, size_t count, uint32_t names, size_t connections,
                      const settle_policy *policies, size_t policies_count, void *memory, size_t size,
                      settle_sums *sums, settle_sweep_counts *counts);

/* Writes the next record of one session: *from is 0 for the first, and is moved behind what the record has. Returns
 * the record's bytes, and 0 when there is no further one; also for no policies or more than SETTLE_SUMS_POLICIES_MAX,
 * for more sessions than one, and for a number of 2^32 or more. What a builder makes of it is not written. */
size_t settle_sums_write(const settle_sums *sums, const settle_sweep_counts *counts, const settle_policy *policies,
                         size_t policies_count, uint32_t *from, unsigned char bytes[SETTLE_SUMS_BYTES_MAX]);

enum settle_sums_result {
    SETTLE_SUMS_ADDED = 0,
    SETTLE_SUMS_DAMAGED = -1, /* they are no records, or are cut or changed */
    SETTLE_SUMS_NEWER = -2,   /* a later version wrote them */
    SETTLE_SUMS_OTHERS = -3   /* they are of other policies, or of these in another order */
};

/* Adds records, one or several, to sums and to counts[i] for policies[i]. Nothing is added unless all are sound.
 * Whoever sends records may send any numbers: they are below 2^32 each, and only that is verified. */
int settle_sums_add(const void *bytes, size_t size, const settle_policy *policies, size_t policies_count,
                    settle_sums *sums, settle_sweep_counts *counts);

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#ifdef __cplusplus
}
#endif
#endif
