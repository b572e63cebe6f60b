"""The events of a log as NumPy has them, and what their numbers mean (settle_event.h)."""

from __future__ import annotations

from enum import IntEnum, IntFlag

import numpy as np

from ._library import layout, lib, word
from .errors import LogError

#: One event, 32 bytes, with the layout of settle_log_event. `scene` is the number of the scene's name, and a
#: pointer event's button. An event without a size has the size 0 × 0.
EVENT = layout("settle_log_event", {
    "t_ns": "at_ns", "width": "width", "height": "height", "scene": "name", "kind": "kind", "flags": "flags",
})
#: The same bytes of a report of a build's or a preview's end, which has the cost and the generation instead of a size.
REPORT = layout("settle_log_event", {
    "t_ns": "at_ns", "cost_ns": "cost_ns", "generation": "generation", "scene": "name", "kind": "kind",
    "flags": "flags",
})
TIME_MAX = 2**63 - 1
NAME_BYTES_MAX = lib.SETTLE_LOG_NAME_MAX
#: The most that a build or a preview's work costs, and its most generations.
COST_NS_MAX, GENERATION_MAX = lib.SETTLE_COST_MAX, 2**32 - 1


class Kind(IntEnum):
    """The kinds of a log's events: the values of `kind`."""

    GEOMETRY = lib.SETTLE_GEOMETRY
    CONNECT = lib.SETTLE_CONNECT
    DISCONNECT = lib.SETTLE_DISCONNECT
    POINTER = lib.SETTLE_POINTER
    FINISHED = lib.SETTLE_FINISHED
    PREVIEWED = lib.SETTLE_PREVIEWED


class Flag(IntFlag):
    """The bits of `flags`."""

    RESIZING_KNOWN = lib.SETTLE_RESIZING_KNOWN
    RESIZING = lib.SETTLE_RESIZING
    LOCKED_KNOWN = lib.SETTLE_LOCKED_KNOWN
    LOCKED = lib.SETTLE_LOCKED
    ORIENTATION_MASK = lib.SETTLE_ORIENTATION_MASK
    SIZE_KNOWN = lib.SETTLE_SIZE_KNOWN
    PRESSED = lib.SETTLE_PRESSED
    GIVEN_UP = lib.SETTLE_GIVEN_UP
    ALL = lib.SETTLE_FLAGS_ALL


#: The number of an orientation in ORIENTATIONS stands in the flags from this bit on.
ORIENTATION_SHIFT = lib.SETTLE_ORIENTATION_SHIFT
#: By number; 0 is none.
ORIENTATIONS = ("", *(word(lib.settle_orientation_name, number) for number in range(1, lib.SETTLE_LANDSCAPE_RIGHT + 1)))
#: The kinds that are reports.
REPORTS = (Kind.FINISHED, Kind.PREVIEWED)
#: The contract's names.
KIND_NAMES = {kind: word(lib.settle_event_kind_name, kind) for kind in Kind}


def check(events: np.ndarray, names: list[str]) -> np.ndarray:
    """Checks events that others made; returns them as the library reads them, copied only if they must be. Raises
    LogError: an event cannot stand in a log; it has the index of the first; TypeError: the array has another dtype or
    more dimensions, or a name is no str."""
    if not isinstance(events, np.ndarray) or events.dtype != EVENT or events.ndim != 1:
        raise TypeError("events must be a NumPy array of one dimension with the dtype settle.EVENT")
    check_names(names)
    has_numbers = sized(events) | is_report(events)
    faults = (
        (events["t_ns"] > TIME_MAX, "a time after 2**63 - 1 ns"),
        (~np.isin(events["kind"], list(Kind)), "an unknown kind"),
        (events["flags"] > Flag.ALL, "an unknown flag"),
        (
            (events["flags"] & Flag.ORIENTATION_MASK) >> ORIENTATION_SHIFT >= len(ORIENTATIONS),
            "an unknown orientation",
        ),
        ((events["kind"] != Kind.POINTER) & (events["scene"] >= len(names)), "the number of a name that is not given"),
        (
            ~has_numbers & ((events["width"] != 0) | (events["height"] != 0)),
            "a size, but not the flag that it is known",
        ),
        (_is_no_report(events), "no cost_ns of 0 … 2**53, or no generation of 0 … 2**32 - 1; see settle.REPORT"),
    )
    for is_fault, what in faults:
        if is_fault.any():
            raise LogError(f"event {int(is_fault.argmax())} has {what}")
    return np.require(events, EVENT, ["C_CONTIGUOUS", "ALIGNED"])


def sized(events: np.ndarray) -> np.ndarray:
    """For each event whether it states a size."""
    return (events["kind"] == Kind.GEOMETRY) & (events["flags"] & Flag.SIZE_KNOWN != 0)


def is_report(events: np.ndarray) -> np.ndarray:
    """For each event whether it is the report of a build's or a preview's end."""
    return np.isin(events["kind"], REPORTS)


def _is_no_report(events: np.ndarray) -> np.ndarray:
    """For each event whether it is a report with a cost or a generation out of range."""
    reports = events.view(REPORT)
    is_over = (reports["cost_ns"] > COST_NS_MAX) | (reports["generation"] > GENERATION_MAX)
    return is_report(events) & is_over


def reported(events: np.ndarray, what: str, dtype: type) -> np.ndarray:
    """The `cost_ns` or `generation` of reports; 0 for other events."""
    return np.where(is_report(events), events.view(REPORT)[what], 0).astype(dtype)


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
