/* Calls of one window, and what each answers. */
#include "case_internal.h"
#include "case_pairs.h"

#include "settle_window.h"

#include <stdlib.h>
#include <string.h>

enum { INPUT_MAX = 2000 };

/* Begins the next answer. */
static void answers(const char *what) { case_say("%s%s", case_problem()[0] ? "; " : " ", what); }

/* Builds or previews so many sizes, each at once, one after the other. */
static void take_rounds(settle_window *window, unsigned long rounds, bool is_dragged, uint64_t now_ns) {
    const enum settle_window_action expected = is_dragged ? SETTLE_WINDOW_PREVIEW : SETTLE_WINDOW_REBUILD;
    unsigned long taken = 0;
    for (unsigned long i = 0; i < rounds; i++) {
        settle_window_size size;
        settle_window_resize(window, now_ns, i % 2 ? 700 : 710, 600,
                             is_dragged ? SETTLE_DRAG_YES : SETTLE_DRAG_UNKNOWN);
        if (!is_dragged) settle_window_flush(window, now_ns);
        taken += settle_window_poll(window, now_ns, &size) == expected;
        if (is_dragged) settle_window_previewed(window, now_ns, 0, true);
    }
    if (taken != rounds) answers("");
    if (taken != rounds) case_say("%lu", taken);
}

/* A program whose builds give their window another size, which comes so much later than a call at the build's end:
 * answers the number of the first build that is feedback, of 100. */
static void build_in_a_loop(settle_window *window, uint64_t build_ns, uint64_t later_ns, const char *first_call) {
    settle_window_size size;
    uint64_t now_ns = 0;
    double width = 800;
    unsigned builds = 0;
    settle_window_resize(window, now_ns, width, 600, SETTLE_DRAG_UNKNOWN);
    while (builds < 100 && !settle_window_is_feedback(window)) {
        now_ns += settle_window_timeout_ns(window, now_ns);
        if (settle_window_poll(window, now_ns, &size) != SETTLE_WINDOW_REBUILD) break;
        builds++;
        now_ns += build_ns;
        if (strcmp(first_call, "poll") == 0) settle_window_poll(window, now_ns, &size);
        if (strcmp(first_call, "timeout") == 0) settle_window_timeout_ns(window, now_ns);
        if (strcmp(first_call, "release") == 0) settle_window_button(window, now_ns, 1, false);
        if (strcmp(first_call, "built") == 0) settle_window_really_built(window, now_ns, width, 600);
        if (strcmp(first_call, "wrongSize") == 0) settle_window_resize(window, now_ns, -1, 600, SETTLE_DRAG_UNKNOWN);
        if (strcmp(first_call, "wrongBuilt") == 0) settle_window_really_built(window, now_ns, -1, 600);
        width = width == 800 ? 815 : 800;
        settle_window_resize(window, now_ns += later_ns, width, 600, SETTLE_DRAG_UNKNOWN);
    }
    answers("");
    case_say(settle_window_is_feedback(window) ? "%u" : "none of %u", builds);
}

/* Calls what a verb and its value say; false for no call. */
static bool call(settle_window *window, const char *verb, char *rest, uint64_t now_ns) {
    static const char *const actions[] = {"nothing", "preview", "rebuild"};
    settle_window_size size = {0, 0};
    uint64_t cost_ns = 0;
    char *value = case_word(&rest), *behind = value ? case_word(&rest) : NULL;
    uint64_t later_ns;
    int result = SETTLE_OK;
    if (strcmp(verb, "poll") == 0) {
        const enum settle_window_action action = settle_window_poll(window, now_ns, &size);
        answers(actions[action]);
        if (action != SETTLE_WINDOW_NOTHING) case_say(" "), case_say_size(size.width, size.height);
        if (action == SETTLE_WINDOW_REBUILD && settle_window_is_prepared(window)) case_say(" prepared");
        if (action == SETTLE_WINDOW_NOTHING && size.width + size.height > 0) case_say(", with a size");
    } else if (strcmp(verb, "timeout") == 0) {
        const uint64_t timeout_ns = settle_window_timeout_ns(window, now_ns);
        answers(timeout_ns == SETTLE_NEVER ? "never" : "");
        if (timeout_ns != SETTLE_NEVER) case_say_time(timeout_ns);
    } else if (strcmp(verb, "prepared") == 0) {
        answers(settle_window_is_prepared(window) ? "prepared" : "unprepared");
    } else if (strcmp(verb, "flush") == 0) {
        result = settle_window_flush(window, now_ns);
    } else if (value == NULL) {
        return false;
    } else if (strcmp(verb, "size") == 0 || strcmp(verb, "built") == 0) {
        const enum settle_drag drag = !behind                        ? SETTLE_DRAG_UNKNOWN
                                      : strcmp(behind, "drag") == 0  ? SETTLE_DRAG_YES
                                      : strcmp(behind, "still") == 0 ? SETTLE_DRAG_NO
                                                                     : (enum settle_drag)strtoul(behind, NULL, 10);
        if (!case_size(value, &size.width, &size.height)) return false;
        result = verb[0] == 's' ? settle_window_resize(window, now_ns, size.width, size.height, drag)
                                : settle_window_really_built(window, now_ns, size.width, size.height);
    } else if (strcmp(verb, "loop") == 0 && behind && case_time(value, &cost_ns) && case_time(behind, &later_ns)) {
        build_in_a_loop(window, cost_ns, later_ns, (value = case_word(&rest)) ? value : "");
    } else if (strcmp(verb, "rounds") == 0) {
        take_rounds(window, strtoul(value, NULL, 10), behind != NULL, now_ns);
    } else if (strcmp(verb, "press") == 0 || strcmp(verb, "release") == 0) {
        result = settle_window_button(window, now_ns, (uint32_t)strtoul(value, NULL, 10), verb[0] == 'p');
    } else if (strcmp(verb, "finished") == 0 && case_time(value, &cost_ns)) {
        result = settle_window_finished(window, now_ns, cost_ns);
    } else if (strcmp(verb, "previewed") == 0 && case_time(value, &cost_ns)) {
        result = settle_window_previewed(window, now_ns, cost_ns, behind == NULL);
    } else {
        return false;
    }
    if (result != SETTLE_OK) answers(result == SETTLE_INVALID ? "invalid" : "another code");
    return true;
}

/* "[policy POLICY; | refused; | nowhere;] @TIME CALL; @TIME CALL…" The window is at another place at each call. */
void case_window_answer(const char *input, char *answer, size_t size) {
    static settle_window windows[2];
    char copy[INPUT_MAX], *text = copy, *wrong = NULL;
    uint64_t now_ns;
    unsigned place = 0;
    snprintf(copy, sizeof copy, "%s", input);
    case_clear();
    settle_window_init(&windows[0], NULL);
    for (char *item = text; item && !wrong; item = text) {
        if ((text = strchr(item, ';'))) *text++ = 0;
        char *word = case_word(&item), *verb;
        settle_window *window = &windows[place];
        if (word && (strcmp(word, "policy") == 0 || strcmp(word, "refused") == 0 || strcmp(word, "nowhere") == 0)) {
            settle_policy policy = settle_policy_default();
            if (word[0] == 'r') policy.first_delay_ns = SETTLE_NEVER;
            else if (word[0] == 'p' && case_policy(item, &policy)) wrong = word;
            memset(window, 0xA5, sizeof *window);
            const bool is_nowhere = word[0] == 'n';
            const int result = settle_window_init(is_nowhere ? NULL : window, is_nowhere ? NULL : &policy);
            if (result != SETTLE_OK) answers(result == SETTLE_INVALID ? "refused" : "another code");
            continue;
        }
        place = 1 - place;
        windows[place] = *window;
        memset(window, 0xA5, sizeof *window);
        if (!word || word[0] != '@' || !case_time(word + 1, &now_ns) || !(verb = case_word(&item)) ||
            !call(&windows[place], verb, item, now_ns))
            wrong = word ? word : "";
    }
    if (wrong) snprintf(answer, size, "no call is '%s'", wrong);
    else snprintf(answer, size, "=%s", case_problem());
}
