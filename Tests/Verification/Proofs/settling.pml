/* Liveness of the core: after the hand's last event its size is built, even if it never lets go,
 * as the watchdog ends its interaction, and then nothing more happens; no rebuild within an
 * interaction, none twice, no preview outside one.
 *
 * A hand sends up to EVENTS events in the first HAND_TICKS ticks, in any order and at any
 * time; a clock ticks beside it. Every order of the two is explored. */
c_decl { \#include "drive.h" };
c_code { drive driven; };
c_track "&driven" "sizeof(driven)" "Matched";

#define EVENTS 4
#define HAND_TICKS 4
/* Long enough after the hand's last event for every delay. */
#define ALL_TICKS 8

byte ticks = 0, sent = 0;
bool is_started = false, is_pressed = false;
bool is_unbuilt = false, is_wrong = false;

inline look() {
    c_code {
        now.is_unbuilt = drive_is_unbuilt();
        now.is_wrong = driven.was_wrong;
    }
}

active proctype hand() {
    d_step { c_code { drive_start(); }; is_started = true };
    do
    :: atomic { sent < EVENTS && ticks < HAND_TICKS ->
        sent++;
        if
        :: true -> c_code { drive_size(1, 0); }
        :: true -> c_code { drive_size(2, 0); }
        :: true -> c_code { drive_size(1, SETTLE_RESIZING_KNOWN | SETTLE_RESIZING); }
        :: true -> c_code { drive_size(2, SETTLE_RESIZING_KNOWN | SETTLE_RESIZING); }
        :: true -> c_code { drive_size(1, SETTLE_RESIZING_KNOWN); }
        :: true -> c_code { drive_size(2, SETTLE_RESIZING_KNOWN); }
        :: true -> c_code { drive_flush(); }
        :: !is_pressed -> is_pressed = true; c_code { drive_button(true); }
        :: is_pressed -> is_pressed = false; c_code { drive_button(false); }
        fi;
        look() }
    :: break
    od
}

active proctype clock() {
    is_started;
    do
    :: d_step { ticks < ALL_TICKS -> ticks++; c_code { drive_tick(); }; look() }
    :: ticks == ALL_TICKS -> break
    od
}

ltl settles { <> [] !is_unbuilt }
ltl keeps { [] !is_wrong }
