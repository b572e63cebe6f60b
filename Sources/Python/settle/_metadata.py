"""The header that a binary log's metadata is, and what is wrong with a log first."""

from __future__ import annotations

import copy
from functools import lru_cache
from typing import Any

from . import _json_lines, _whole
from ._header import Header
from ._library import ffi
from .errors import LogError

#: How many different headers are kept. Each has at most 64 KiB, and the logs of a fleet have few.
_KEPT = 64


@lru_cache(_KEPT)
def _read(metadata: bytes) -> tuple[Header | None, LogError | None]:
    try:
        return _json_lines.read_header(metadata, None), None
    except LogError as error:
        return None, error


def fault(whole: Any) -> LogError | None:
    """What is wrong with the header of a measured log whose checksum is right, None for nothing."""
    if whole.damage & _whole.HEADER_DAMAGED:
        return None
    return _read(ffi.buffer(whole.metadata, whole.metadata_bytes)[:])[1]


def header(whole: Any) -> Header | None:
    """The header of a measured log; None for a damaged one."""
    if whole.damage & _whole.HEADER_DAMAGED:
        return None
    return copy.deepcopy(_read(ffi.buffer(whole.metadata, whole.metadata_bytes)[:])[0])


def check(whole: Any, salvage: bool, name: str | None) -> None:
    """Raises a LogError for a log that was measured and is damaged, unless it is to be salvaged."""
    error = fault(whole)
    if error and not salvage:
        raise LogError(error.problem, name=name, offset=error.offset)
    _whole.check(whole, salvage, name)


def first_problem(whole: Any, contents: Any) -> tuple[str, int] | None:
    """The first that is wrong with a salvaged log, and its byte; None for nothing.

    Args:
        whole: The log as it was measured.
        contents: What was read of it.
    """
    error = fault(whole)
    if error:
        return error.problem, error.offset or 0
    if not _whole.problem_of(contents.damage):
        return None
    if contents.damaged_at < whole.damaged_at:
        return str(_whole.problem_of(_whole.EVENTS_MALFORMED)), contents.damaged_at
    # The damage of all parts is together in one number; without salvaging there is only that of the first.
    first = ffi.new("settle_log_whole *")
    try:
        _whole.measure(_whole.buffer(ffi.buffer(whole.bytes, whole.count)), False, first)
    except LogError as unreadable:
        return unreadable.problem, whole.damaged_at
    return str(_whole.problem_of(first.damage)), whole.damaged_at
