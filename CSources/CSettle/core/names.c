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

const char *settle_event_kind_name(unsigned kind) {
    static const char *const names[] = {
        [SETTLE_GEOMETRY] = "geometry",        [SETTLE_CONNECT] = "connect",   [SETTLE_DISCONNECT] = "disconnect",
        [SETTLE_POINTER] = "pointer",          [SETTLE_FLUSH] = "flush",       [SETTLE_CANCEL] = "cancel",
        [SETTLE_REALLY_BUILT] = "reallyBuilt", [SETTLE_FINISHED] = "finished",
    };
    return NAME_IN(names, kind);
}

const char *settle_decision_kind_name(unsigned kind) {
    static const char *const names[] = {
        [SETTLE_INTERACTION_BEGAN] = "interactionBegan",
        [SETTLE_INTERACTION_ENDED] = "interactionEnded",
        [SETTLE_REBUILD] = "rebuild",
        [SETTLE_LOCK_CHANGED] = "lockChanged",
        [SETTLE_PREVIEW] = "preview",
    };
    return NAME_IN(names, kind);
}

const char *settle_reason_name(unsigned reason) {
    static const char *const names[] = {
        [SETTLE_REASON_NONE] = "none",        [SETTLE_ENDED_REPORTED] = "reported",
        [SETTLE_ENDED_RELEASED] = "released", [SETTLE_ENDED_DISCONNECTED] = "disconnected",
        [SETTLE_ENDED_TIMEOUT] = "timeout",   [SETTLE_REBUILD_INTERACTION_ENDED] = "interactionEnded",
        [SETTLE_REBUILD_TIMEOUT] = "timeout", [SETTLE_REBUILD_DISCRETE] = "discrete",
        [SETTLE_REBUILD_QUIET] = "quiet",     [SETTLE_REBUILD_MAXIMUM_WAIT] = "maximumWait",
        [SETTLE_REBUILD_FLUSH] = "flush",     [SETTLE_REBUILD_FIRST] = "first",
        [SETTLE_REBUILD_LIVE] = "live",
    };
    return NAME_IN(names, reason);
}
