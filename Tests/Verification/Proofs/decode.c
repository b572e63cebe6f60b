/* The log's decoders on every input of a few bytes: no access outside the caller's buffers, and exactly the
 * reported number of events is decoded. */
#include "any_bytes.h"

#include "settle_log.h"

/* Any checksum: a right one can be made for any bytes. */
uint32_t settle_crc32c(uint32_t crc, const void *bytes, size_t count) {
    (void)crc;
    const unsigned char *last = (const unsigned char *)bytes + count - 1;
    if (count > 0 && *last == 0) return 0;
    return nondet_uint();
}

#include "events.c"
#include "frames.c"

#if defined(DECODE_EVENTS)
/* Any run that keeps what DECODE_RUN proves. */
static run_state any_run(run_state run, const run_end *end) {
    prove(run.at <= end->at && run.last < end->events && run.at_ns <= end->last_ns, "a run begins in its chunk");
    while (nondet_uint() && run.last + 1 < end->events && run.at < end->at) {
        settle_log_event event = *run.last;
        uint64_t at_ns = nondet_ulong();
        assume(at_ns >= run.at_ns && at_ns <= end->last_ns);
        event.at_ns = run.at_ns = at_ns;
        *++run.last = event;
        size_t bytes = nondet_ulong();
        assume(bytes >= 1 && bytes <= (size_t)(end->at - run.at));
        run.at += bytes;
    }
    return run;
}

/* A header as settle_log_read_chunk_header lets it pass, and a body of its length. */
int main(void) {
    unsigned char body[BODY_BYTES];
    settle_log_size sizes[1];
    settle_log_event events[EVENTS];
    any_bytes(body, BODY_BYTES);
    settle_log_chunk chunk = {nondet_ulong(), nondet_ulong(), BODY_BYTES, nondet_uint(), nondet_uint(), nondet_uint(), 0};
    assume(chunk.events <= EVENTS && chunk.scenes <= 1 && chunk.scenes <= chunk.events);
    assume(chunk.dictionary_bytes <= BODY_BYTES);
    assume(chunk.first_ns <= chunk.last_ns && chunk.last_ns <= INT64_MAX);
    uint32_t decoded = 0;
    int result = settle_log_decode(&chunk, body, sizes, events, &decoded);
    prove(decoded <= chunk.events, "no more events than the header says");
    prove(result != SETTLE_LOG_OK || decoded == chunk.events, "fine is all of them");
    for (uint32_t i = 0; i < EVENTS; i++) {
        if (i >= decoded) continue;
        prove(events[i].kind <= SETTLE_POINTER && has_known_flags(&events[i]), "kinds and flags are known");
        prove(events[i].at_ns >= chunk.first_ns && events[i].at_ns <= chunk.last_ns, "times are the chunk's");
        prove(events[i].kind == SETTLE_POINTER || events[i].name < chunk.scenes, "scenes are the dictionary's");
    }
    return 0;
}
#elif defined(DECODE_RUN)
/* The loops over the events of one tag, from any place in a body. */
int main(void) {
    unsigned char body[BODY_BYTES];
    settle_log_event events[EVENTS];
    any_bytes(body, BODY_BYTES);
    size_t at = nondet_ulong();
    uint32_t decoded = nondet_uint();
    assume(at <= BODY_BYTES && decoded >= 1 && decoded <= EVENTS);
    run_end end = {body + BODY_BYTES, events + EVENTS, nondet_ulong()};
    run_state run = {body + at, nondet_ulong(), {0, 0}, events + decoded - 1};
    assume(run.at_ns <= end.last_ns && end.last_ns <= INT64_MAX);
    run_state after = decode_run(run, &end);
    prove(after.last >= run.last && after.last < events + EVENTS, "no more events than the header says");
    prove(after.at >= run.at && after.at <= body + BODY_BYTES, "a run ends within its chunk");
    prove(after.at_ns >= run.at_ns && after.at_ns <= end.last_ns, "times are the chunk's");
    const bool is_longer = after.last > run.last;
    prove(!is_longer || after.last->at_ns == after.at_ns, "the last event has the run's time");
    prove(!is_longer || (after.last->name == run.last->name && after.last->kind == run.last->kind), "a run repeats");
    return 0;
}
#elif defined(DECODE_NAMES)
int main(void) {
    unsigned char body[BODY_BYTES];
    any_bytes(body, BODY_BYTES);
    settle_log_chunk chunk = {0, 0, BODY_BYTES, 1, 1, nondet_uint(), 0};
    assume(chunk.dictionary_bytes <= BODY_BYTES);
    size_t offset = nondet_ulong(), before = offset, name_bytes;
    const unsigned char *name;
    if (settle_log_next_name(&chunk, body, &offset, &name, &name_bytes) == SETTLE_LOG_OK) {
        prove(offset > before && offset <= chunk.dictionary_bytes, "names move on within the dictionary");
        prove(name == body + before + 2 && before + 2 + name_bytes == offset, "a name lies within the dictionary");
    }
    return 0;
}
#elif defined(DECODE_HEADERS)
int main(void) {
    unsigned char file[SETTLE_LOG_FILE_HEADER_BYTES], bytes[SETTLE_LOG_CHUNK_HEADER_BYTES];
    unsigned char entry[SETTLE_LOG_FOOTER_ENTRY_BYTES], tail[SETTLE_LOG_FOOTER_TAIL_BYTES];
    any_bytes(file, sizeof file);
    any_bytes(bytes, sizeof bytes);
    any_bytes(entry, sizeof entry);
    any_bytes(tail, sizeof tail);
    settle_log_file_header header;
    if (settle_log_read_file_header(file, &header) == SETTLE_LOG_OK) {
        prove(header.major >= 1 && header.major <= SETTLE_LOG_MAJOR, "a header is of a known version");
        prove(header.metadata_bytes <= SETTLE_LOG_METADATA_MAX, "a header's text fits");
    }
    settle_log_chunk chunk;
    if (settle_log_read_chunk_header(bytes, &chunk) == SETTLE_LOG_OK) {
        prove(chunk.dictionary_bytes <= chunk.body_bytes && chunk.body_bytes <= SETTLE_LOG_BODY_MAX, "a chunk's lengths fit");
        prove(chunk.scenes <= chunk.events && chunk.events <= SETTLE_LOG_EVENTS_MAX, "a chunk's counts fit");
        prove(chunk.first_ns <= chunk.last_ns && chunk.last_ns <= INT64_MAX, "a chunk's times are times");
    }
    uint32_t crc, footer_bytes, chunks;
    uint64_t events;
    if (settle_log_read_footer_tail(tail, &crc, &footer_bytes) == SETTLE_LOG_OK) {
        prove((footer_bytes - 32) % SETTLE_LOG_FOOTER_ENTRY_BYTES == 0, "a footer has whole entries");
    }
    settle_log_read_footer_header(tail, &chunks, &events);
    settle_log_index_entry index;
    settle_log_read_footer_entry(entry, &index);
    return 0;
}
#endif
