/* The version, and the words for codes. */
#include "settle.h"

#define TEXT_OF(number) #number
#define TEXT(number) TEXT_OF(number)

uint32_t settle_version(void) { return SETTLE_VERSION_HEX; }

const char *settle_version_string(void) {
    return TEXT(SETTLE_VERSION_MAJOR) "." TEXT(SETTLE_VERSION_MINOR) "." TEXT(SETTLE_VERSION_PATCH);
}

static const char *name_in(const char *const *names, size_t count, unsigned number) {
    return number < count ? names[number] : "unknown";
}

#define NAME_IN(names, number) name_in(names, sizeof(names) / sizeof *(names), number)

const char *settle_result_name(int result) {
    static const char *const names[] = {"SETTLE_OK", "SETTLE_FULL", "SETTLE_INVALID", "SETTLE_STALE", "SETTLE_BUSY"};
    return NAME_IN(names, 0u - (unsigned)result);
}

#define WORD(constant, number, word) [number] = (word),

const char *settle_event_kind_name(unsigned kind) {
    static const char *const words[] = {SETTLE_EVENT_KINDS(WORD)};
    return NAME_IN(words, kind);
}

const char *settle_orientation_name(unsigned orientation) {
    static const char *const words[] = {"none", SETTLE_ORIENTATIONS(WORD)};
    return NAME_IN(words, orientation);
}

const char *settle_decision_kind_name(unsigned kind) {
    static const char *const words[] = {SETTLE_DECISION_KINDS(WORD)};
    return NAME_IN(words, kind);
}

const char *settle_reason_name(unsigned reason) {
    static const char *const words[] = {"none", SETTLE_END_REASONS(WORD) SETTLE_REBUILD_REASONS(WORD)};
    return NAME_IN(words, reason);
}
