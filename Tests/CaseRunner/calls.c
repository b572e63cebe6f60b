/* Calls of a core but its events' rules: its configuration and memory, policies, handles and counters; and what each
 * answers. */
#include "case_internal.h"
#include "case_pairs.h"

#include "settle_policy.h"

#include <stdlib.h>
#include <string.h>

enum { INPUT_MAX = 2000, SCENES = 16, SPARE = 64 };

/* What a caller has: a configuration and a policy as it was compiled, and a core in memory of exactly its size. */
static struct {
    settle_config config;
    settle_policy policy;
    settle_core *core;
    void *allocated;
    settle_scene scenes[SCENES];
    uint32_t connected;
} caller;

/* Begins the next answer. */
static void answers(const char *what) { case_say("%s%s", case_problem()[0] ? "; " : " ", what); }

static void answers_code(int code) { answers(settle_result_name(code) + strlen("SETTLE_")); }

/* A struct as an older or newer caller has it: of its own size, with nothing valid behind it. */
static void *given(void *copy, const void *value, size_t most, uint64_t size) {
    memset(copy, 0xA5, most + SPARE);
    return memcpy(copy, value, size < most ? (size_t)size : most);
}

static uint64_t number(const char *word) {
    return word == NULL ? 0 : strcmp(word, "never") == 0 ? SETTLE_NEVER : strtoull(word, NULL, 10);
}

/* "NAME NUMBER…" */
static bool set_fields(char *text, settle_config *config, settle_policy *policy) {
    for (char *word; (word = case_word(&text));) {
        const uint32_t field = settle_policy_find(word, strlen(word));
        const uint64_t value = number(case_word(&text));
        if (field != SETTLE_POLICY_NO_FIELD) ((uint64_t *)(void *)policy)[1 + field] = value;
        else if (strcmp(word, "policySize") == 0) policy->size = value;
        else if (strcmp(word, "size") == 0) config->size = value;
        else if (strcmp(word, "scenes") == 0) config->scenes_max = (uint32_t)value;
        else if (strcmp(word, "decisions") == 0) config->decisions_max = (uint32_t)value;
        else if (strcmp(word, "policies") == 0) config->policies_max = (uint32_t)value;
        else if (strcmp(word, "features") == 0) config->features = (uint32_t)value;
        else return false;
    }
    return true;
}

static void say_policy(const settle_policy *policy) {
    for (uint64_t at = 1; at < sizeof *policy / 8 && at < policy->size / 8; at++) {
        const uint64_t value = ((const uint64_t *)(const void *)policy)[at];
        if (value == SETTLE_NEVER) case_say(" never");
        else case_say(" %llu", (unsigned long long)value);
    }
}

/* "NAME SIZE": what is written of a struct of so many bytes, and whether nothing is behind them. */
static bool preset(const char *name, const char *size_word) {
    static const struct {
        const char *name;
        int (*init)(settle_policy *, size_t);
    } presets[] = {{"default", settle_policy_init_default},
                   {"uikit", settle_policy_init_uikit},
                   {"prepared", settle_policy_init_prepared},
                   {"live", settle_policy_init_live}};
    union {
        settle_config config;
        settle_policy policy;
        unsigned char bytes[sizeof(settle_config) + SPARE];
    } written;
    const uint64_t given_size = number(size_word);
    const size_t size = given_size < SIZE_MAX ? (size_t)given_size : SIZE_MAX;
    const bool is_nowhere = strcmp(size_word, "nowhere") == 0;
    int code = 7;
    memset(&written, 0xA5, sizeof written);
    if (strcmp(name, "config") == 0) {
        code =
            settle_config_init_default(is_nowhere ? NULL : &written.config, is_nowhere ? sizeof(settle_config) : size);
    }
    for (size_t i = 0; i < sizeof presets / sizeof *presets; i++) {
        if (strcmp(name, presets[i].name) == 0)
            code = presets[i].init(is_nowhere ? NULL : &written.policy, is_nowhere ? sizeof(settle_policy) : size);
    }
    if (code == 7) return false;
    answers_code(code);
    size_t end = code == SETTLE_OK ? size : 0;
    while (end < sizeof written && written.bytes[end] == 0xA5) end++;
    if (end < sizeof written) case_say(" and writes byte %zu", end);
    if (code != SETTLE_OK) return true;
    if (strcmp(name, "config")) return say_policy(&written.policy), true;
    const settle_config *config = &written.config;
    case_say(" %llu: %u %u %u %u, policy %llu:", (unsigned long long)config->size, config->scenes_max,
             config->decisions_max, config->policies_max, config->features, (unsigned long long)config->policy.size);
    say_policy(&config->policy);
    return true;
}

/* Makes a core. Whatever is wrong with its memory, nothing is written; else nothing is behind it. */
static void init(const char *how) {
    unsigned char copy[sizeof(settle_config) + SPARE];
    const settle_config *config = given(copy, &caller.config, sizeof caller.config, caller.config.size);
    const uint64_t policy_bytes = offsetof(settle_config, policy) + caller.config.policy.size;
    if (policy_bytes < sizeof *config) memset(copy + policy_bytes, 0xA5, sizeof copy - (size_t)policy_bytes);
    const size_t size = settle_core_size(config);
    if (strcmp(how, "size") == 0) {
        settle_config other = settle_config_default();
        other.scenes_max = other.decisions_max = other.policies_max = 64;
        if (size == 0) answers("none");
        else case_say("%s%lld", case_problem()[0] ? "; " : " ", (long long)size - (long long)settle_core_size(&other));
        return;
    }
    free(caller.allocated);
    unsigned char *memory = case_memory(size + 2 * SPARE, &caller.allocated);
    settle_core *core = NULL;
    const int code = settle_core_init(strcmp(how, "null") == 0    ? NULL
                                      : strcmp(how, "askew") == 0 ? memory + 8
                                                                  : memory,
                                      strcmp(how, "short") == 0 ? size - 1 : size, config,
                                      strcmp(how, "nowhere") == 0 ? NULL : &core);
    answers_code(code);
    if ((code == SETTLE_OK) != (core != NULL)) case_say(" and a core");
    if (code != SETTLE_OK && memory[0] != 0xA5) case_say(" and writes");
    if (core) caller.core = core;
    caller.connected = 0;
}

static void say_stats(size_t size) {
    union {
        settle_stats stats;
        unsigned char bytes[sizeof(settle_stats) + SPARE];
    } written;
    memset(&written, 0xA5, sizeof written);
    settle_core_read_stats(caller.core, &written.stats, size);
    const settle_rejections rejected = settle_core_rejections(caller.core);
    size_t end = size < sizeof written.stats ? size : sizeof written.stats;
    while (end < sizeof written && written.bytes[end] == 0xA5) end++;
    answers(end < sizeof written ? "writes behind" : "events");
    if (size >= offsetof(settle_stats, feedback))
        case_say(" %llu decisions %llu waiting %u scenes %u", (unsigned long long)written.stats.events,
                 (unsigned long long)written.stats.decisions, written.stats.decisions_waiting, written.stats.scenes);
    case_say(" regressions %llu rejected %llu %llu %llu held %u now ",
             (unsigned long long)settle_core_stats(caller.core).regressions, (unsigned long long)rejected.size,
             (unsigned long long)rejected.scene, (unsigned long long)rejected.event,
             settle_core_buttons_held(caller.core));
    case_say_time(settle_core_now_ns(caller.core));
}

static settle_scene scene_of(const char *word) {
    const uint64_t index = number(word);
    return index < SCENES ? caller.scenes[index] : (settle_scene)index;
}

/* Answers only for what is not accepted at once. */
static void submit(settle_event event) {
    size_t accepted = 0;
    const int code = settle_core_submit(caller.core, &event, 1, &accepted);
    if (code != SETTLE_OK || accepted != 1) answers_code(code);
    if (code != SETTLE_OK && accepted) case_say(" accepted");
}

/* An event of any kind of the first scene. */
static settle_event event_of(const char *kind, const char *size_word) {
    settle_event event = settle_event_geometry(caller.scenes[0], settle_core_now_ns(caller.core), 1, 1, 0);
    if (size_word) case_size(size_word, &event.width, &event.height);
    event.kind = (unsigned char)number(kind);
    return event;
}

static void answers_scene(settle_scene scene) {
    case_say("%s%u in %u", case_problem()[0] ? "; " : " ", scene, settle_core_slot(caller.core, scene));
}

/* So many scenes in all; the last one is answered, and has the last number. */
static void connect_many(uint64_t times) {
    settle_scene scene = 0;
    int code = SETTLE_OK;
    for (uint64_t i = 0; i < times && code == SETTLE_OK; i++) code = settle_core_connect(caller.core, 0, &scene);
    caller.scenes[caller.connected++ % SCENES] = scene;
    if (code != SETTLE_OK) answers_code(code);
    else answers_scene(scene);
}

/* Disconnects and connects a scene again, so many times; the last one is answered, and has its number. */
static void renew(settle_scene *scene, uint64_t times) {
    for (uint64_t i = 0; i < times; i++) {
        submit(settle_event_disconnect(*scene, settle_core_now_ns(caller.core)));
        const int code = settle_core_connect(caller.core, 0, scene);
        if (code != SETTLE_OK) answers_code(code);
    }
    answers_scene(*scene);
}

static bool call(const char *verb, char *rest) {
    unsigned char copy[sizeof(settle_policy) + SPARE];
    settle_decision decisions[8];
    uint32_t added = 0;
    uint64_t at_ns = 0;
    double width, height;
    if (strcmp(verb, "config") == 0) return set_fields(rest, &caller.config, &caller.config.policy);
    if (strcmp(verb, "policy") == 0) {
        caller.policy = settle_policy_default();
        return set_fields(rest, &caller.config, &caller.policy);
    }
    char *value = case_word(&rest), *behind = case_word(&rest);
    const settle_policy *policy = given(copy, &caller.policy, sizeof caller.policy, caller.policy.size);
    if (value && strcmp(value, "null") == 0) policy = NULL;
    if (strcmp(verb, "preset") == 0) return value && behind && preset(value, behind);
    if (strcmp(verb, "init") == 0) return init(value ? value : ""), true;
    if (caller.core == NULL) return false;
    if (strcmp(verb, "add") == 0) {
        const int code = settle_core_add_policy(caller.core, policy, value && policy ? NULL : &added);
        answers_code(code);
        if (code == SETTLE_OK || added) case_say(" %u", added);
    } else if (strcmp(verb, "remove") == 0) {
        answers_code(settle_core_remove_policy(caller.core, (uint32_t)number(value)));
    } else if (strcmp(verb, "give") == 0) {
        answers_code(settle_core_set_policy(caller.core, scene_of(value), (uint32_t)number(behind)));
    } else if (strcmp(verb, "connect") == 0) {
        settle_scene scene = 0;
        const bool is_nowhere = value && strcmp(value, "nowhere") == 0;
        const int code = settle_core_connect(caller.core, (uint32_t)number(value), is_nowhere ? NULL : &scene);
        if (code == SETTLE_OK) caller.scenes[caller.connected++ % SCENES] = scene;
        if (code != SETTLE_OK) answers_code(code);
        else answers_scene(scene);
    } else if (strcmp(verb, "connectMany") == 0) {
        connect_many(number(value));
    } else if (strcmp(verb, "renew") == 0 && value) {
        renew(&caller.scenes[number(value) % SCENES], number(behind));
    } else if (strcmp(verb, "state") == 0) {
        const settle_scene scene = scene_of(value);
        answers(settle_core_pending(caller.core, scene) ? "pending" : "idle");
        case_say(settle_core_interacting(caller.core, scene) ? " interacting" : " still");
        case_say(settle_core_reports(caller.core, scene) ? " reports" : " silent");
    } else if (strcmp(verb, "valid") == 0 && value && case_size(value, &width, &height)) {
        answers(settle_size_valid(width, height) ? "yes" : "no");
    } else if (strcmp(verb, "rejects") == 0) {
        const settle_event event = event_of(value, behind);
        static const char *const why[] = {"nothing", "event", "size"};
        const int rejection = settle_event_rejection(&event);
        answers(rejection >= 0 && rejection < 3 ? why[rejection] : "?");
        case_say(settle_core_rejects(caller.core, &event) ? " yes" : " no");
    } else if (strcmp(verb, "event") == 0) {
        submit(event_of(value, behind));
    } else if (strcmp(verb, "connected") == 0) {
        answers(settle_core_connected(caller.core, scene_of(value)) ? "yes" : "no");
    } else if (strcmp(verb, "known") == 0) {
        width = height = 7;
        answers(settle_core_known_size(caller.core, scene_of(value), &width, &height) ? "yes " : "no ");
        case_say_size(width, height);
    } else if (strcmp(verb, "disconnect") == 0) {
        submit(settle_event_disconnect(scene_of(value), settle_core_now_ns(caller.core)));
    } else if (strcmp(verb, "press") == 0) {
        submit(settle_event_pointer((uint32_t)number(value), settle_core_now_ns(caller.core), true));
    } else if (strcmp(verb, "release") == 0) {
        submit(settle_event_pointer((uint32_t)number(value), settle_core_now_ns(caller.core), false));
    } else if (strcmp(verb, "size") == 0 && behind && case_size(behind, &width, &height)) {
        submit(settle_event_geometry(scene_of(value), settle_core_now_ns(caller.core), width, height, 0));
    } else if (strcmp(verb, "resizing") == 0 && behind && case_size(behind, &width, &height)) {
        submit(settle_event_geometry(scene_of(value), settle_core_now_ns(caller.core), width, height,
                                     SETTLE_RESIZING_KNOWN | SETTLE_RESIZING));
    } else if (strcmp(verb, "advance") == 0 && value && case_time(value, &at_ns)) {
        const int code = settle_core_advance(caller.core, at_ns);
        if (code != SETTLE_OK) answers_code(code);
    } else if (strcmp(verb, "pop") == 0) {
        const size_t count = settle_core_pop_decisions(caller.core, decisions, number(value) & 7);
        answers("");
        for (size_t i = 0; i < count; i++) {
            case_say(i ? ", " : ""), case_say_time(decisions[i].at_ns);
            case_say(" %u %s", decisions[i].scene, settle_decision_kind_name(decisions[i].kind));
        }
        if (count == 0) case_say("nothing");
    } else if (strcmp(verb, "next") == 0 || strcmp(verb, "wake") == 0) {
        const uint64_t next_ns =
            *verb == 'n' ? settle_core_next_deadline_ns(caller.core) : settle_core_next_wake_ns(caller.core);
        answers(next_ns == SETTLE_NEVER ? "never" : "");
        if (next_ns != SETTLE_NEVER) case_say_time(next_ns);
    } else if (strcmp(verb, "finish") == 0) {
        const int code = settle_core_finish(caller.core);
        if (code != SETTLE_OK) answers_code(code);
    } else if (strcmp(verb, "stats") == 0) {
        say_stats(value ? (size_t)number(value) : sizeof(settle_stats));
    } else {
        return false;
    }
    return true;
}

/* "CALL; CALL…" */
void case_call_answer(const char *input, char *answer, size_t size) {
    char copy[INPUT_MAX], *text = copy, *wrong = NULL;
    snprintf(copy, sizeof copy, "%s", input);
    case_clear();
    free(caller.allocated);
    memset(&caller, 0, sizeof caller);
    caller.config = settle_config_default();
    caller.policy = settle_policy_default();
    for (char *item = text; item && !wrong; item = text) {
        if ((text = strchr(item, ';'))) *text++ = 0;
        char *verb = case_word(&item);
        if (!verb || !call(verb, item)) wrong = verb ? verb : item;
    }
    if (wrong) snprintf(answer, size, "no call is '%s'", wrong);
    else snprintf(answer, size, "=%s", case_problem());
}
