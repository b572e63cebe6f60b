"""The events of a log as NumPy has them, and what their numbers mean (settle_event.h)."""

from __future__ import annotations

import numpy as np

from .errors import LogError

#: One event, 32 bytes, with the layout of settle_log_event. `scene` is the number of the scene's name, and a
#: pointer event's button. An event without a size has the size 0 × 0; the report of a build's end has its cost in ns
#: as its width and the rebuild's generation as its height, as settle_event_finished has them.
EVENT = np.dtype(
    [
        ("t_ns", np.uint64), ("width", np.float64), ("height", np.float64), ("scene", np.uint32), ("kind", np.uint16),
        ("flags", np.uint16),
    ]
)
TIME_MAX = 2**63 - 1
NAME_BYTES_MAX = 1024
#: The most that a build costs, and its most generations.
COST_NS_MAX, GENERATION_MAX = 2**53, 2**32 - 1
#: By number; 0 is none.
ORIENTATIONS = ("", "portrait", "portraitUpsideDown", "landscapeLeft", "landscapeRight")


class Kind:
    """The kinds of events: the values of `kind`."""

    GEOMETRY, CONNECT, DISCONNECT, POINTER, FINISHED = 0, 1, 2, 3, 7
    #: The contract's names.
    NAMES = {GEOMETRY: "geometry", CONNECT: "connect", DISCONNECT: "disconnect", POINTER: "pointer",
             FINISHED: "finished"}


class Flag:
    """The bits of `flags`."""

    RESIZING_KNOWN = 1 << 0
    RESIZING = 1 << 1
    LOCKED_KNOWN = 1 << 2
    LOCKED = 1 << 3
    ORIENTATION_SHIFT = 4
    ORIENTATION_MASK = 7 << 4
    SIZE_KNOWN = 1 << 7
    PRESSED = 1 << 8
    ALL = (1 << 9) - 1


def check(events: np.ndarray, names: list[str]) -> np.ndarray:
    """Checks events that others made; returns them as the library reads them, copied only if they must be. Raises
    LogError: an event cannot stand in a log; it has the index of the first; TypeError: the array has another dtype or
    more dimensions, or a name is no str."""
    if not isinstance(events, np.ndarray) or events.dtype != EVENT or events.ndim != 1:
        raise TypeError("events must be a NumPy array of one dimension with the dtype settle.EVENT")
    check_names(names)
    has_numbers = sized(events) | (events["kind"] == Kind.FINISHED)
    faults = (
        (events["t_ns"] > TIME_MAX, "a time after 2**63 - 1 ns"),
        (~np.isin(events["kind"], list(Kind.NAMES)), "an unknown kind"),
        (events["flags"] > Flag.ALL, "an unknown flag"),
        (events["flags"] & Flag.ORIENTATION_MASK > 4 << Flag.ORIENTATION_SHIFT, "an unknown orientation"),
        ((events["kind"] != Kind.POINTER) & (events["scene"] >= len(names)), "the number of a name that is not given"),
        (
            ~has_numbers & ((events["width"] != 0) | (events["height"] != 0)),
            "a size, but not the flag that it is known",
        ),
        (_is_no_report(events), "a width that is no cost of 0 … 2**53 ns, or a height that is no generation"),
    )
    for is_fault, what in faults:
        if is_fault.any():
            raise LogError(f"event {int(is_fault.argmax())} has {what}")
    return np.require(events, EVENT, ["C_CONTIGUOUS", "ALIGNED"])


def sized(events: np.ndarray) -> np.ndarray:
    """For each event whether it states a size."""
    return (events["kind"] == Kind.GEOMETRY) & (events["flags"] & Flag.SIZE_KNOWN != 0)


def _is_no_report(events: np.ndarray) -> np.ndarray:
    """For each event whether it is the report of a build's end without a cost or a generation."""
    is_whole = np.ones(len(events), bool)
    for side, most in (("width", COST_NS_MAX), ("height", GENERATION_MAX)):
        is_whole &= (events[side] >= 0) & (events[side] <= most) & (np.floor(events[side]) == events[side])
    return (events["kind"] == Kind.FINISHED) & ~is_whole


def reported(events: np.ndarray, side: str, dtype: type) -> np.ndarray:
    """The costs (`width`) or generations (`height`) of the reports of builds' ends; 0 for other events."""
    return np.where(events["kind"] == Kind.FINISHED, events[side], 0).astype(dtype)


def check_names(names: list[str]) -> None:
    """Checks the names of scenes. Raises LogError: two are equal, or one is no valid Unicode or too long; TypeError:
    one is no str."""
    for name in names:
        if not isinstance(name, str):
            raise TypeError(f"a scene's name must be a str, and one is a {type(name).__name__}")
        if not is_name(name):
            raise LogError(f"a scene's name must be valid UTF-8 of at most {NAME_BYTES_MAX} bytes")
    if len(set(names)) != len(names):
        raise LogError("two scenes have the same name")


def is_name(name: str) -> bool:
    """Whether a log can have a scene of this name."""
    try:
        return len(name.encode()) <= NAME_BYTES_MAX
    except UnicodeEncodeError:
        return False
