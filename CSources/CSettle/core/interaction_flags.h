/* Rules 3 to 5 for most events: whether one may begin or end its scene's interaction. In a header,
 * so that the path of every event inlines it. */
#ifndef SETTLE_INTERACTION_FLAGS_H
#define SETTLE_INTERACTION_FLAGS_H

#include "core_internal.h"

/* Rules 3 to 5 by cases: a bit per pair of an event's flags (SETTLE_RESIZING_KNOWN,
 * SETTLE_RESIZING) and a scene's state (STATE_STUCK, STATE_REPORTS, STATE_INTERACTING), set where the event
 * neither begins nor ends an interaction, takes none over, and leaves a stuck flag as it is. The flag counts only if it
 * is known; "off" says nothing of a scene that does not report, and nothing new of one that does not
 * interact. A held button may begin an interaction of a scene that does not report. A byte for each pair of flags. */
enum {
    FLAG_SHIFT = 3,
    UNAFFECTED_UNKNOWN = 0xFF,
    UNAFFECTED_OFF = 0x15, /* all but a reported interaction, and a stuck flag */
    UNAFFECTED_ON = 0x40,  /* a reported interaction alone */
    UNAFFECTED = UNAFFECTED_UNKNOWN | UNAFFECTED_OFF << 8 | UNAFFECTED_UNKNOWN << 16 | UNAFFECTED_ON << 24,
    /* … while a button is held: not the scenes that neither report nor interact. */
    UNAFFECTED_HELD = UNAFFECTED & ~0x010101,
    RESIZING_FLAGS = SETTLE_RESIZING_KNOWN | SETTLE_RESIZING,
    RESIZING_STATE = STATE_STUCK | STATE_REPORTS | STATE_INTERACTING
};

_Static_assert((int)RESIZING_STATE == 7 && (int)RESIZING_FLAGS == 3, "state and flags index eight bits of four bytes");

INLINE unsigned unaffected_pairs(const settle_core *core) {
    return core->buttons_held > 0 ? (unsigned)UNAFFECTED_HELD : (unsigned)UNAFFECTED;
}

INLINE bool affects_interaction(unsigned pairs, unsigned state, unsigned flags) {
    return !(pairs >> ((state & RESIZING_STATE) | (flags & RESIZING_FLAGS) << FLAG_SHIFT) & 1);
}

#endif
