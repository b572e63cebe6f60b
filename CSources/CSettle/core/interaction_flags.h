/* Rules 3 to 5 for most events: whether one may begin or end its scene's interaction. In a header,
 * so that the path of every event inlines it. */
#ifndef SETTLE_INTERACTION_FLAGS_H
#define SETTLE_INTERACTION_FLAGS_H

#include "core_internal.h"

/* Rules 3 to 5 by cases: a bit per pair of an event's flags (SETTLE_RESIZING_KNOWN,
 * SETTLE_RESIZING) and a scene's state (STATE_REPORTS, STATE_INTERACTING), set where the event
 * neither begins nor ends an interaction, and takes none over. The flag counts only if it is
 * known; "off" says nothing of a scene that does not report, and nothing new of one that does not
 * interact. A held button may begin an interaction of a scene that does not report. */
enum {
    FLAG_SHIFT = 2,
    UNAFFECTED_UNKNOWN = 0xF,
    UNAFFECTED_OFF = 0x7, /* all but a reported interaction */
    UNAFFECTED_ON = 0x8,  /* a reported interaction alone */
    UNAFFECTED = UNAFFECTED_UNKNOWN | UNAFFECTED_OFF << 4 | UNAFFECTED_UNKNOWN << 8 | UNAFFECTED_ON << 12,
    /* … while a button is held: not the scenes that neither report nor interact. */
    UNAFFECTED_HELD = UNAFFECTED & ~0x111,
    RESIZING_FLAGS = SETTLE_RESIZING_KNOWN | SETTLE_RESIZING,
    RESIZING_STATE = STATE_REPORTS | STATE_INTERACTING
};

_Static_assert((int)RESIZING_STATE == 3 && (int)RESIZING_FLAGS == 3, "flags and state index four bits each");

INLINE unsigned unaffected_pairs(const settle_core *core) {
    return core->buttons_held > 0 ? (unsigned)UNAFFECTED_HELD : (unsigned)UNAFFECTED;
}

INLINE bool affects_interaction(unsigned pairs, unsigned state, unsigned flags) {
    return !(pairs >> ((state & RESIZING_STATE) | (flags & RESIZING_FLAGS) << FLAG_SHIFT) & 1);
}

#endif
