/* Reads cases: blocks of lines, each a name and one run or more. */
#include "case_internal.h"

#include "settle_policy.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const case_row_names[CASE_ROWS] = {"button",  "size",    "flag",   "lock",   "call",   "drag",
                                               "rebuild", "preview", "locked", "reason", "pending"};

char *case_word(char **text) {
    char *start = *text + strspn(*text, " ");
    if (*start == 0) return NULL;
    char *end = start + strcspn(start, " ");
    *text = *end ? end + 1 : end;
    *end = 0;
    return start;
}

bool case_time(const char *word, uint64_t *at_ns) {
    if (strcmp(word, "latest") == 0) return *at_ns = INT64_MAX, true;
    char *end;
    uint64_t whole = strtoull(word, &end, 10), fraction = 0, unit = 1000000;
    if (end == word || word[0] == '-') return false;
    if (strcmp(end, "ns") == 0) return *at_ns = whole, true;
    if (*end == '.') {
        for (end++; *end >= '0' && *end <= '9' && unit > 1; end++) fraction += (uint64_t)(*end - '0') * (unit /= 10);
    }
    *at_ns = whole * 1000000 + fraction;
    return *end == 0;
}

bool case_size(const char *word, double *width, double *height) {
    if (word[0] != 0 && word[1] == 0) {
        *width = *height = word[0] == '0' ? 0 : 100;
        if (word[0] == '?') *width = NAN;
        if (word[0] >= 'a' && word[0] <= 'z') *width = 100 + 10 * (word[0] - 'a');
        return strchr("0?", word[0]) || (word[0] >= 'a' && word[0] <= 'z');
    }
    /* Not by strtod alone, to which 0x7 is a number. */
    char sides[2][40], *end;
    const char *second = strchr(word, 'x');
    if (second == NULL || snprintf(sides[1], sizeof sides[1], "%s", second + 1) >= 40 || second - word >= 40)
        return false;
    snprintf(sides[0], sizeof sides[0], "%.*s", (int)(second - word), word);
    for (int side = 0; side < 2; side++) {
        *(side ? height : width) = strtod(sides[side], &end);
        if (end == sides[side] || *end != 0 || strchr(sides[side], 'x')) return false;
    }
    return true;
}

static char problem[4000];

void case_clear(void) { problem[0] = 0; }

static void add_problem(const char *format, va_list list) {
    size_t count = strlen(problem);
    vsnprintf(problem + count, sizeof problem - count, format, list);
}

void case_say(const char *format, ...) {
    va_list list;
    va_start(list, format);
    add_problem(format, list);
    va_end(list);
}

const char *case_problem(void) { return problem; }

static int fault(case_reader *reader, const char *format, ...) {
    va_list list;
    case_clear();
    case_say("line %d: ", reader->line);
    va_start(list, format);
    add_problem(format, list);
    va_end(list);
    return -1;
}

/* 2 steps of a drawing after an end or a discrete change, 4 of quiet and before a first build, 3 for the lock; no
 * jumps, no watchdog. */
static settle_policy drawn_policy(void) {
    settle_policy policy = settle_policy_default();
    policy.first_delay_ns = policy.quiet_delay_ns = 4 * CASE_COLUMN_NS;
    policy.reported_end_delay_ns = policy.released_end_delay_ns = policy.discrete_delay_ns = 2 * CASE_COLUMN_NS;
    policy.lock_delay_ns = 3 * CASE_COLUMN_NS;
    policy.jump_delay_ns = policy.interaction_timeout_ns = SETTLE_NEVER;
    return policy;
}

/* A delay of its own in each line of rule 6, and a watchdog after 300 ms. */
static settle_policy distinct_policy(void) {
    settle_policy policy = drawn_policy();
    policy.first_delay_ns = 11000000;
    policy.reported_end_delay_ns = 12000000;
    policy.released_end_delay_ns = 13000000;
    policy.discrete_delay_ns = 14000000;
    policy.quiet_delay_ns = 15000000;
    policy.lock_delay_ns = 17000000;
    policy.interaction_timeout_ns = 300000000;
    return policy;
}

const char *case_policy(char *text, settle_policy *policy) {
    uint32_t field;
    char *word;
    while ((word = case_word(&text))) {
        if (strcmp(word, "drawn") == 0) *policy = drawn_policy();
        else if (strcmp(word, "distinct") == 0) *policy = distinct_policy();
        else if (strcmp(word, "default") == 0) *policy = settle_policy_default();
        else if (strcmp(word, "uikit") == 0) *policy = settle_policy_uikit();
        else if (strcmp(word, "prepared") == 0) *policy = settle_policy_prepared();
        else if (strcmp(word, "live") == 0) *policy = settle_policy_live();
        else {
            char *value = case_word(&text);
            field = settle_policy_find(word, strlen(word));
            if (field == SETTLE_POLICY_NO_FIELD || value == NULL ||
                settle_policy_set(policy, field, value, strlen(value)) != SETTLE_POLICY_FINE)
                return word;
        }
    }
    return settle_policy_check(policy, &field) == SETTLE_POLICY_FINE ? NULL : settle_policy_field_at(field)->name;
}

static bool read_policy(case_reader *reader, char *text, settle_policy *policy) {
    const char *wrong = case_policy(text, policy);
    if (wrong) fault(reader, "'%s' is neither a preset nor a field with a value in its range", wrong);
    return wrong == NULL;
}

static case_step steps[CASE_STEPS_MAX];

static case_step *add(case_reader *reader, case_run *run, int kind) {
    if (run->count == CASE_STEPS_MAX) return fault(reader, "the run has more than %d steps", CASE_STEPS_MAX), NULL;
    case_step *step = &steps[run->count++];
    *step = (case_step){.kind = kind, .line = reader->line};
    return step;
}

/* The words behind a scene's number that set flags. */
static bool flag_of(const char *word, unsigned *flags) {
    static const struct {
        const char *word;
        unsigned flags;
    } words[] = {{"resizing", SETTLE_RESIZING_KNOWN | SETTLE_RESIZING},
                 {"still", SETTLE_NOT_RESIZING},
                 {"unstated", SETTLE_RESIZING}, /* it is not known */
                 {"locked", SETTLE_LOCKED_KNOWN | SETTLE_LOCKED},
                 {"unlocked", SETTLE_LOCKED_KNOWN},
#define ORIENTATION(constant, number, word) {word, (constant) << SETTLE_ORIENTATION_SHIFT},
                 SETTLE_ORIENTATIONS(ORIENTATION)};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (strcmp(word, words[i].word) == 0) return *flags |= words[i].flags, true;
    }
    return false;
}

/* "SCENE [size] [flag]…", "SCENE REQUEST", "press BUTTON", "release BUTTON", or nothing: time passes. */
static int read_event(case_reader *reader, case_run *run, char *text, uint64_t at_ns) {
    char *word = case_word(&text);
    case_step *step = add(reader, run, word ? CASE_EVENT : CASE_ADVANCE);
    if (step == NULL) return -1;
    settle_event *event = &step->event;
    event->at_ns = at_ns;
    if (word == NULL) return 1;
    if (strcmp(word, "press") == 0 || strcmp(word, "release") == 0) {
        char *button = case_word(&text);
        if (button == NULL) return fault(reader, "'%s' needs a button's number", word);
        *event = settle_event_pointer((uint32_t)strtoul(button, NULL, 10), at_ns, word[0] == 'p');
        return case_word(&text) ? fault(reader, "a button's event has more words than it needs") : 1;
    }
    char *end;
    uint32_t scene = (uint32_t)strtoul(word, &end, 10);
    if (*end || scene < 1 || scene > CASE_SCENES_MAX)
        return fault(reader, "'%s' is no scene: 1 to %d", word, CASE_SCENES_MAX);
    if (scene > run->scenes) run->scenes = scene;
    word = case_word(&text);
    /* Geometry has no word, and pointer events are above. */
    for (unsigned kind = SETTLE_CONNECT; word && kind <= SETTLE_PREVIEWED; kind++) {
        if (kind == SETTLE_POINTER || strcmp(word, settle_event_kind_name(kind))) continue;
        *event = settle_event_make(kind, scene, at_ns);
        if (event->kind == SETTLE_REALLY_BUILT) {
            char *size = case_word(&text);
            double width = 0, height = 0;
            if (size && strcmp(size, "nothing") && !case_size(size, &width, &height)) size = NULL;
            if (size == NULL) return fault(reader, "'reallyBuilt' needs a size, or 'nothing'");
            *event = settle_event_really_built(scene, at_ns, width, height);
        } else if (event->kind == SETTLE_FINISHED) {
            char *generation = case_word(&text), *cost = case_word(&text);
            uint64_t cost_ns;
            if (!cost || !settle_duration_read(cost, strlen(cost), &cost_ns))
                return fault(reader, "'finished' needs a rebuild's number and a cost");
            *event = settle_event_finished(scene, at_ns, (uint32_t)strtoul(generation, NULL, 10), cost_ns);
        } else if (event->kind == SETTLE_PREVIEWED) {
            char *generation = case_word(&text), *cost = case_word(&text), *kept = case_word(&text);
            uint64_t cost_ns;
            if (!cost || !settle_duration_read(cost, strlen(cost), &cost_ns) || (kept && strcmp(kept, "givenUp")))
                return fault(reader, "'previewed' needs a preview's number and a cost, and perhaps 'givenUp'");
            *event = settle_event_previewed(scene, at_ns, (uint32_t)strtoul(generation, NULL, 10), cost_ns, !kept);
        }
        return case_word(&text) ? fault(reader, "'%s' has more words than it needs", word) : 1;
    }
    if (word && strcmp(word, "anew") == 0) {
        step->kind = CASE_CONNECT;
        event->scene = scene;
        return case_word(&text) ? fault(reader, "'anew' has more words than it needs") : 1;
    }
    if (word && strcmp(word, "policy") == 0) {
        step->kind = CASE_POLICY;
        event->scene = scene;
        step->policy = run->policy;
        return read_policy(reader, text, &step->policy) ? 1 : -1;
    }
    double width = 0, height = 0;
    unsigned flags = 0;
    if (word && case_size(word, &width, &height)) {
        flags = SETTLE_SIZE_KNOWN;
        word = case_word(&text);
    }
    for (; word; word = case_word(&text)) {
        if (!flag_of(word, &flags)) return fault(reader, "'%s' is no size, flag or request", word);
    }
    *event = settle_event_flags(scene, at_ns, flags);
    event->width = width;
    event->height = height;
    return 1;
}

/* "@TIME EVENT; @TIME EVENT; end" */
static int read_events(case_reader *reader, case_run *run, char *text) {
    uint64_t at_ns;
    while (text) {
        char *rest = strchr(text, ';');
        if (rest) *rest++ = 0;
        char *word = case_word(&text);
        if (word && strcmp(word, "end") == 0) {
            if (!add(reader, run, CASE_FINISH)) return -1;
        } else if (word == NULL || word[0] != '@' || !case_time(word + 1, &at_ns)) {
            return fault(reader, "'%s' is neither @ with a time in milliseconds nor 'end'", word ? word : "");
        } else if (read_event(reader, run, text, at_ns) < 0) {
            return -1;
        }
        text = rest;
    }
    return 1;
}

static int read_drawing(case_reader *reader, case_run *run, char *const rows[CASE_ROWS], size_t columns) {
    for (size_t column = 0; column < columns; column++) {
        uint64_t at_ns = CASE_COLUMN_NS * column;
        char cells[CASE_ROWS];
        for (int row = 0; row < CASE_ROWS; row++) cells[row] = rows[row] ? rows[row][column] : '.';
        case_step *step;
        if (cells[CASE_BUTTON] != '.') {
            if (!strchr("v^", cells[CASE_BUTTON]))
                return fault(reader, "a button is v or ^, not %c", cells[CASE_BUTTON]);
            if (!(step = add(reader, run, CASE_EVENT))) return -1;
            step->event = settle_event_pointer(1, at_ns, cells[CASE_BUTTON] == 'v');
        }
        char size[2] = {cells[CASE_SIZE], 0};
        if (cells[CASE_SIZE] != '.' || cells[CASE_FLAG] != '.' || cells[CASE_LOCK] != '.') {
            if (!(step = add(reader, run, CASE_EVENT))) return -1;
            unsigned flags = cells[CASE_SIZE] == '.' ? 0 : SETTLE_SIZE_KNOWN;
            if (!strchr(".Rr", cells[CASE_FLAG]) || !strchr(".Ll", cells[CASE_LOCK]))
                return fault(reader, "a flag is R or r, a lock L or l");
            if (cells[CASE_FLAG] != '.')
                flags |= cells[CASE_FLAG] == 'R' ? SETTLE_RESIZING_KNOWN | SETTLE_RESIZING : SETTLE_NOT_RESIZING;
            if (cells[CASE_LOCK] != '.') flags |= SETTLE_LOCKED_KNOWN | (cells[CASE_LOCK] == 'L' ? SETTLE_LOCKED : 0);
            step->event = settle_event_flags(1, at_ns, flags);
            if (cells[CASE_SIZE] != '.' && !case_size(size, &step->event.width, &step->event.height))
                return fault(reader, "no size is drawn as %s", size);
        }
        if (cells[CASE_CALL] != '.') {
            if (!(step = add(reader, run, CASE_EVENT))) return -1;
            switch (cells[CASE_CALL]) {
            case 'f': step->event = settle_event_flush(1, at_ns); break;
            case 'c': step->event = settle_event_cancel(1, at_ns); break;
            case 'x': step->event = settle_event_really_built(1, at_ns, 0, 0); break;
            case 'D': step->event = settle_event_disconnect(1, at_ns); break;
            default: return fault(reader, "no call is drawn as %c", cells[CASE_CALL]);
            }
        }
        if (!(step = add(reader, run, CASE_ADVANCE))) return -1;
        step->event.at_ns = at_ns;
        if (!(step = add(reader, run, CASE_LOOK))) return -1;
        step->event.at_ns = at_ns;
    }
    run->scenes = 1;
    run->columns = columns;
    memcpy(run->drawn, rows, sizeof run->drawn);
    return 1;
}

/* Takes the next line, without its newline; null at the end. */
static char *take_line(case_reader *reader) {
    if (*reader->next == 0) return NULL;
    char *line = reader->next, *end = strchr(line, '\n');
    reader->next = end ? end + 1 : line + strlen(line);
    if (end) *end = 0;
    reader->line++;
    return line;
}

void case_start(case_reader *reader, char *text) { *reader = (case_reader){.next = text}; }

int case_next(case_reader *reader, case_run *run) {
    char *rows[CASE_ROWS] = {0}, *line;
    bool expects = false;
    *run = (case_run){.policy = drawn_policy(), .steps = steps};
    while ((line = take_line(reader))) {
        if (line[0] == '#') continue;
        bool ends = line[0] == 0 || strcmp(line, "-") == 0;
        if (reader->name == NULL) {
            if (line[0] == 0) continue;
            if (ends) return fault(reader, "a case begins with what it shows, in words");
            reader->name = line;
            continue;
        }
        if (ends) break;
        if (run->line == 0) run->line = reader->line;
        if (line[0] == '@' || strcmp(line, "end") == 0) {
            if (read_events(reader, run, line) < 0) return -1;
        } else if (line[0] == '=') {
            case_step *step = add(reader, run, CASE_LOOK);
            if (step == NULL) return -1;
            step->text = line + 1;
            expects = true;
        } else {
            char *word = case_word(&line);
            int row = 0;
            if (strcmp(word, "without") == 0) {
                word = case_word(&line);
                if (word == NULL || strcmp(word, "window")) return fault(reader, "'without' needs: window");
                run->is_without_window = true;
                continue;
            }
            if (strcmp(word, "policy") == 0) {
                if (!read_policy(reader, line, &run->policy)) return -1;
                continue;
            }
            while (row < CASE_ROWS && strcmp(word, case_row_names[row])) row++;
            if (row == CASE_ROWS) return fault(reader, "'%s' is no row, and no line of events", word);
            if (rows[row]) return fault(reader, "the row %s is drawn twice", word);
            rows[row] = case_word(&line);
            if (rows[row] == NULL || case_word(&line))
                return fault(reader, "a row is a name and a drawing without spaces");
            expects |= row >= CASE_DRAG;
        }
    }
    if (reader->name == NULL) return 0;
    run->name = reader->name;
    if (line == NULL || line[0] == 0) reader->name = NULL;
    size_t columns = 0;
    for (int row = 0; row < CASE_ROWS; row++) {
        if (rows[row] && columns && strlen(rows[row]) != columns)
            return fault(reader, "the row %s is not as long as those above", case_row_names[row]);
        if (rows[row]) columns = strlen(rows[row]);
    }
    if (columns && run->count) return fault(reader, "a run is a drawing or lines of events, not both");
    if (columns && read_drawing(reader, run, rows, columns) < 0) return -1;
    if (run->count == 0) return fault(reader, "the case '%s' has nothing to run", run->name);
    if (!expects) return fault(reader, "the case '%s' expects nothing", run->name);
    return 1;
}
