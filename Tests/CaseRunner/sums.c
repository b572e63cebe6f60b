/* Records of sums: written, added and refused. */
#include "case_internal.h"
#include "case_pairs.h"

#include "settle_log.h"
#include "settle_sums.h"

#include <stdlib.h>
#include <string.h>

enum {
    INPUT_MAX = 2000,
    POLICIES = 2, /* that records are of: the default and uikit */
    CELLS = offsetof(settle_sweep_counts, builds) / 8,
    FIGURES = 6,
    HEADER = 14,
    RECORDS_MAX = 64
};

/* Sums with as many counts as there can be policies, and one more. */
typedef struct summed {
    settle_sums sums;
    settle_sweep_counts counts[SETTLE_SUMS_POLICIES_MAX + 1];
} summed;

static settle_policy policies[SETTLE_SUMS_POLICIES_MAX + 1];

static uint64_t *cell_of(summed *of, uint64_t cell) { return &((uint64_t *)&of->counts[cell / CELLS])[cell % CELLS]; }

static uint64_t *figure_of(settle_sums *sums, size_t number) {
    uint64_t *figures[FIGURES] = {&sums->events,
                                  &sums->connections,
                                  &sums->baselines.every_change,
                                  &sums->baselines.every_change_wasted,
                                  &sums->baselines.debounce,
                                  &sums->baselines.debounce_wasted};
    return figures[number];
}

/* Bytes, and what is known of the record that is made. */
typedef struct record {
    unsigned char bytes[2 * SETTLE_SUMS_BYTES_MAX];
    size_t count;
    bool is_signed; /* it has its length and checksum */
} record;

static void put_varint(record *to, uint64_t value) {
    for (; value >= 0x80; value >>= 7) to->bytes[to->count++] = (unsigned char)(value | 0x80);
    to->bytes[to->count++] = (unsigned char)value;
}

static void put_le(unsigned char *to, uint64_t value, unsigned count) {
    for (unsigned i = 0; i < count; i++) to[i] = (unsigned char)(value >> 8 * i);
}

static void sign(record *to) {
    if (to->is_signed) return;
    put_le(to->bytes + 12, to->count + 4, 2);
    put_le(to->bytes + to->count, settle_crc32c(0, to->bytes, to->count), 4);
    to->count += 4;
    to->is_signed = true;
}

/* A record of words: "E/C/S/SW/D/DW" are its figures, and "-" is that it has none; "CELL:COUNT" or "FIRST-LAST:COUNT", "withoutIndex"; then
 * "hex:…" behind the cells, "@AT=VALUE", a byte; and of the signed record "^AT", a bit that is turned, "<N", its first
 * bytes, and ">N", a byte behind it. */
static bool read_record(char *text, record *to) {
    uint64_t cell = 0;
    *to = (record){{'S', 'U', 'M', 'S', 1, 0, POLICIES, 0}, HEADER, false};
    put_le(to->bytes + 8, settle_sums_fingerprint(policies, POLICIES), 4);
    for (char *word, *end; (word = case_word(&text));) {
        if (strchr("^<>", word[0])) sign(to);
        if (strcmp(word, "-") == 0) continue;
        if (strcmp(word, "withoutIndex") == 0) {
            to->bytes[5] |= 2;
        } else if (strncmp(word, "hex:", 4) == 0) {
            for (word += 4; word[0] && word[1]; word += 2)
                to->bytes[to->count++] = (unsigned char)strtoul((char[3]){word[0], word[1], 0}, NULL, 16);
        } else if (word[0] == '@') {
            const size_t at = strtoul(word + 1, &end, 10);
            if (*end != '=') return false;
            to->bytes[at] = (unsigned char)strtoul(end + 1, NULL, 10);
            to->is_signed |= at == 12; /* its length stays as it is */
        } else if (word[0] == '^') {
            to->bytes[strtoul(word + 1, NULL, 10)] ^= 1;
        } else if (word[0] == '<') {
            to->count = strtoul(word + 1, NULL, 10);
        } else if (word[0] == '>') {
            to->bytes[to->count++] = (unsigned char)strtoul(word + 1, NULL, 10);
        } else if (strchr(word, '/')) {
            to->bytes[5] |= 1;
            for (; word; word = strchr(word, '/') ? strchr(word, '/') + 1 : NULL)
                put_varint(to, strtoull(word, NULL, 10));
        } else {
            const uint64_t first = strtoull(word, &end, 10), last = *end == '-' ? strtoull(end + 1, &end, 10) : first;
            if (*end != ':') return false;
            for (uint64_t next = first; next <= last; cell = next++) {
                put_varint(to, next - cell);
                put_varint(to, strtoull(end + 1, NULL, 10));
            }
        }
    }
    sign(to);
    return true;
}

/* "E/C/S/SW/D/DW; CELL:COUNT…", with the sessions before. */
static void say_summed(summed *of, char *answer, size_t size) {
    int used = snprintf(answer, size, "= %llu", (unsigned long long)of->sums.sessions);
    if (of->sums.without_index)
        used += snprintf(answer + used, size - (size_t)used, " withoutIndex %llu",
                         (unsigned long long)of->sums.without_index);
    for (size_t i = 0; i < FIGURES; i++)
        used += snprintf(answer + used, size - (size_t)used, "%c%llu", i ? '/' : ' ',
                         (unsigned long long)*figure_of(&of->sums, i));
    for (uint64_t cell = 0, last; cell < POLICIES * CELLS; cell = last + 1) {
        const unsigned long long count = *cell_of(of, last = cell);
        while (last + 1 < POLICIES * CELLS && *cell_of(of, last + 1) == count) last++;
        if (count == 0) continue;
        used += snprintf(answer + used, size - (size_t)used, " %llu", (unsigned long long)cell);
        if (last > cell) used += snprintf(answer + used, size - (size_t)used, "-%llu", (unsigned long long)last);
        used += snprintf(answer + used, size - (size_t)used, ":%llu", count);
    }
}

/* "RECORD + RECORD…" */
static bool add(char *text, char *answer, size_t size) {
    static const char *const results[] = {"", "damaged", "newer", "others"};
    static unsigned char all[RECORDS_MAX * SETTLE_SUMS_BYTES_MAX];
    static summed sum, nothing;
    static record one;
    size_t count = 0;
    for (char *end; text; text = end) {
        if ((end = strstr(text, " + "))) *end = 0, end += 3;
        if (!read_record(text, &one) || count + one.count > sizeof all) return false;
        memcpy(all + count, one.bytes, one.count);
        count += one.count;
    }
    sum = nothing;
    const int result =
        settle_sums_add(memcpy(case_guarded(count), all, count), count, policies, POLICIES, &sum.sums, sum.counts);
    if (result == SETTLE_SUMS_ADDED) say_summed(&sum, answer, size);
    else snprintf(answer, size, "! %s%s", results[-result], memcmp(&sum, &nothing, sizeof sum) ? ", and adds" : "");
    /* No beginning of a record is one, and nothing is read behind it. */
    for (size_t cut = count == one.count && result == SETTLE_SUMS_ADDED ? count : 0; cut-- > 0;) {
        const unsigned char *bytes = memcpy(case_guarded(cut), all, cut);
        if (settle_sums_add(bytes, cut, policies, POLICIES, NULL, NULL) != SETTLE_SUMS_DAMAGED)
            snprintf(answer, size, "! the first %zu bytes are not damaged", cut);
    }
    return true;
}

/* "[sessions N] [policies N] [full] E/C/S/SW/D/DW CELL:COUNT…" */
static bool write(char *text, char *answer, size_t size) {
    static summed given, sum;
    static unsigned char records[RECORDS_MAX][SETTLE_SUMS_BYTES_MAX];
    size_t sizes[RECORDS_MAX], count = 0, of = POLICIES, number = 0;
    given = (summed){0};
    sum = given;
    given.sums.sessions = 1;
    memset(records, 0xA5, sizeof records);
    for (char *word, *end; (word = case_word(&text));) {
        if (strcmp(word, "sessions") == 0 && (word = case_word(&text))) given.sums.sessions = strtoull(word, NULL, 10);
        else if (strcmp(word, "policies") == 0 && (word = case_word(&text))) of = strtoul(word, NULL, 10);
        else if (strcmp(word, "withoutIndex") == 0) given.sums.without_index = 1;
        else if (strcmp(word, "full") == 0) {
            for (uint64_t cell = 0; cell < POLICIES * CELLS; cell++) *cell_of(&given, cell) = UINT32_MAX - cell;
        } else if (strchr(word, '/')) {
            for (; word && number < FIGURES; word = strchr(word, '/') ? strchr(word, '/') + 1 : NULL)
                *figure_of(&given.sums, number++) = strtoull(word, NULL, 10);
        } else {
            const uint64_t cell = strtoull(word, &end, 10);
            if (*end != ':' || cell >= (SETTLE_SUMS_POLICIES_MAX + 1) * CELLS) return false;
            *cell_of(&given, cell) = strtoull(end + 1, NULL, 10);
        }
    }
    if (of > SETTLE_SUMS_POLICIES_MAX + 1) return false;
    for (uint32_t from = 0; count < RECORDS_MAX; count++) {
        sizes[count] = settle_sums_write(&given.sums, given.counts, policies, of, &from, records[count]);
        if (sizes[count] == 0) break;
    }
    int used = snprintf(answer, size, count == 0 ? "!" : count == 1 ? "= " : "= %zu records", count);
    for (size_t i = 0; count == 1 && i < sizes[0]; i++)
        used += snprintf(answer + used, size - (size_t)used, "%02x", records[0][i]);
    for (size_t i = count; i-- > 0;) {
        if (settle_sums_add(records[i], sizes[i], policies, of, &sum.sums, sum.counts) != SETTLE_SUMS_ADDED) break;
    }
    if (count > 0 && memcmp(&given, &sum, sizeof sum))
        snprintf(answer + used, size - (size_t)used, ", which add up otherwise");
    return true;
}

/* "POLICY, POLICY…" */
static bool fingerprint(char *text, char *answer, size_t size) {
    settle_policy of[SETTLE_SUMS_POLICIES_MAX];
    size_t count = 0;
    for (char *end; text; text = end) {
        if ((end = strchr(text, ','))) *end++ = 0;
        of[count] = settle_policy_default();
        if (count == SETTLE_SUMS_POLICIES_MAX || case_policy(text, &of[count++])) return false;
    }
    snprintf(answer, size, "= %08lx", (unsigned long)settle_sums_fingerprint(of, count));
    return true;
}

void case_sums_answer(const char *input, char *answer, size_t size) {
    char copy[INPUT_MAX], *text = copy;
    for (size_t i = 0; i < sizeof policies / sizeof *policies; i++) policies[i] = settle_policy_uikit();
    policies[0] = settle_policy_default();
    snprintf(copy, sizeof copy, "%s", input);
    const char *verb = case_word(&text);
    const bool is_answered = strcmp(verb, "add") == 0           ? add(text, answer, size)
                             : strcmp(verb, "write") == 0       ? write(text, answer, size)
                             : strcmp(verb, "fingerprint") == 0 ? fingerprint(text, answer, size)
                                                                : false;
    if (!is_answered) snprintf(answer, size, "! no question of sums");
}
