/* Policies as text, over the table of their fields, SETTLE_POLICY_FIELDS. */
#include "settle_policy.h"

#define IS_PERCENTAGE(member)                                                                                          \
    (offsetof(settle_policy, member) == offsetof(settle_policy, live_share_percent) ||                                 \
     offsetof(settle_policy, member) == offsetof(settle_policy, pause_share_percent))
/* What is for people and for the grid of sweeps is left out where size counts. */
#ifdef SETTLE_SMALL
#define FOR_PEOPLE(value) 0
#else
#define FOR_PEOPLE(value) value
#endif
#define ROW(member, name, standard, uikit, least, most, none, grid, meaning)                                           \
    {name, FOR_PEOPLE(meaning), least, most, none, FOR_PEOPLE(grid), IS_PERCENTAGE(member)},
static const settle_policy_field rows[] = {SETTLE_POLICY_FIELDS(ROW)};
#define ROWS (sizeof rows / sizeof *rows)
/* A name has fewer characters. */
enum { NAME_MAX_COUNT = 32 };

_Static_assert(sizeof(settle_policy) == (ROWS + 1) * sizeof(uint64_t), "a row for each field");

const settle_policy_field *settle_policy_field_at(uint32_t field) { return field < ROWS ? &rows[field] : NULL; }

static uint64_t value_of(const settle_policy *policy, uint32_t field) {
    uint64_t value;
    memcpy(&value, (const unsigned char *)policy + (field + 1) * sizeof value, sizeof value);
    return value;
}

static void set_value(settle_policy *policy, uint32_t field, uint64_t value) {
    memcpy((unsigned char *)policy + (field + 1) * sizeof value, &value, sizeof value);
}

/* "30%": digits and a sign. */
static bool read_percentage(const char *text, size_t count, uint64_t *value) {
    if (count < 2 || text[count - 1] != '%') return false;
    *value = 0;
    for (size_t i = 0; i < count - 1; i++) {
        if (text[i] < '0' || text[i] > '9') return false;
        *value = *value < INT64_MAX / 10 ? *value * 10 + (uint64_t)(text[i] - '0') : INT64_MAX;
    }
    return true;
}

size_t settle_policy_write(uint32_t field, uint64_t value, char *text) {
    if (value == SETTLE_NEVER) return memcpy(text, "none", 4), 4;
    if (!rows[field].is_percentage) return settle_duration_write(value, text);
    char digits[SETTLE_DURATION_BYTES];
    size_t count = 0, written = 0;
    do digits[count++] = (char)('0' + value % 10);
    while ((value /= 10) > 0);
    while (count > 0) text[written++] = digits[--count];
    text[written++] = '%';
    return written;
}

int settle_policy_set(settle_policy *policy, uint32_t field, const char *text, size_t count) {
    uint64_t value = SETTLE_NEVER;
    if (!text || (count == 4 && memcmp(text, "none", count) == 0)) {
        if (!rows[field].may_be_none) return SETTLE_POLICY_NOT_NONE;
    } else {
        bool is_read = rows[field].is_percentage ? read_percentage(text, count, &value)
                                                 : settle_duration_read(text, count, &value);
        if (!is_read) return SETTLE_POLICY_NO_DURATION;
        /* What 63 bits cannot hold is out of every range, and is not none. */
        if (value > INT64_MAX) value = INT64_MAX;
    }
    set_value(policy, field, value);
    return SETTLE_POLICY_FINE;
}

int settle_policy_check(const settle_policy *policy, uint32_t *field) {
    for (*field = 0; *field < ROWS; ++*field) {
        uint64_t value = value_of(policy, *field);
        if (value >= rows[*field].least && value <= rows[*field].most) continue;
        if (value == SETTLE_NEVER && rows[*field].may_be_none) continue;
        return SETTLE_POLICY_OUT_OF_RANGE;
    }
    return SETTLE_POLICY_FINE;
}

typedef struct sentence {
    char *text;
    size_t capacity, count;
} sentence;

static void add(sentence *said, const char *text, size_t count) {
    for (size_t i = 0; i < count; i++, said->count++) {
        if (said->count < said->capacity) said->text[said->count] = text[i];
    }
}

/* A literal. */
#define SAY(said, literal) add(said, literal, sizeof literal - 1)

static void say_value(sentence *said, uint32_t field, uint64_t value) {
    char text[SETTLE_DURATION_BYTES];
    add(said, text, settle_policy_write(field, value, text));
}

size_t settle_policy_explain(int fault, const settle_policy *policy, uint32_t field, const char *text, size_t count,
                             char *problem, size_t capacity) {
    sentence said = {problem, capacity, 0};
    switch (fault) {
    case SETTLE_POLICY_NOT_NONE: SAY(&said, "cannot be none; give 0s for no wait"); break;
    case SETTLE_POLICY_NO_DURATION:
        SAY(&said, "is '");
        add(&said, text, count);
        if (rows[field].is_percentage) SAY(&said, "'; give a whole percentage, as 30%");
        else SAY(&said, "'; give a number and a unit (ns, us, ms, s, min, h), as 50ms or 1.5s");
        if (rows[field].may_be_none) SAY(&said, ", or none");
        break;
    default:
        SAY(&said, "is ");
        say_value(&said, field, value_of(policy, field));
        SAY(&said, "; it must be from ");
        say_value(&said, field, rows[field].least);
        SAY(&said, " to ");
        say_value(&said, field, rows[field].most);
    }
    return said.count;
}

/* --- Names --- */

static size_t length_of(const char *name) {
    size_t count = 0;
    while (count < NAME_MAX_COUNT && name[count]) count++;
    return count;
}

uint32_t settle_policy_find(const char *name, size_t count) {
    uint32_t field = 0;
    while (field < ROWS && (length_of(rows[field].name) != count || memcmp(rows[field].name, name, count) != 0))
        field++;
    return field < ROWS ? field : SETTLE_POLICY_NO_FIELD;
}

/* The fewest edits that make one name of another. */
static size_t distance(const char *name, size_t count, const char *known) {
    size_t row[NAME_MAX_COUNT + 1], width = length_of(known);
    for (size_t j = 0; j <= width; j++) row[j] = j;
    for (size_t i = 0; i < count; i++) {
        size_t diagonal = row[0];
        row[0] = i + 1;
        for (size_t j = 0; j < width; j++) {
            size_t above = row[j + 1], least = diagonal + (name[i] != known[j]);
            if (least > above + 1) least = above + 1;
            if (least > row[j] + 1) least = row[j] + 1;
            row[j + 1] = least;
            diagonal = above;
        }
    }
    return row[width];
}

size_t settle_policy_explain_name(const char *name, size_t count, char *problem, size_t capacity) {
    sentence said = {problem, capacity, 0};
    SAY(&said, "is no duration of a policy");
    /* A typo has few edits. */
    size_t least = count / 3 > 2 ? count / 3 : 2;
    const char *best = NULL;
    for (uint32_t field = ROWS; field-- > 0 && count <= 2 * NAME_MAX_COUNT;) {
        size_t edits = distance(name, count, rows[field].name);
        if (edits > least) continue;
        least = edits;
        best = rows[field].name;
    }
    if (!best) return said.count;
    SAY(&said, "; did you mean '");
    add(&said, best, length_of(best));
    SAY(&said, "'?");
    return said.count;
}
