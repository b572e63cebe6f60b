"""Events bound to connected scenes, for a core of as many scenes."""

from __future__ import annotations

from typing import Any

from ._library import ffi, lib
from ._whole import Memory
from .errors import LogError

#: The most scenes that connect in a log that is decided at once.
SCENES_MAX = lib.SETTLE_SCENES_MAX


def bind(events: Any, count: int, names: int, scratch: Memory, memory: Memory, log: Any, name: str | None) -> None:
    """Binds events in place. Raises LogError: the log has too many scenes or events."""
    flags = ffi.cast("bool *", scratch.reserve(max(names, 1)))
    connections = lib.settle_sweep_connections(events, count, names, flags)
    if connections > SCENES_MAX:
        raise LogError(
            f"its scenes connect {connections} times, and at most {SCENES_MAX} can be tried at once; split the log",
            name=name,
        )
    size = lib.settle_sweep_log_size(count, names, connections)
    if size == 0:
        raise LogError("it has more than 4294967295 events; split the log", name=name)
    result = lib.settle_sweep_bind(events, count, names, connections, memory.reserve(size), size, log)
    assert result == 0, "the events' names are below the number of names"
