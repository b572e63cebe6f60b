"""The header that a binary log's metadata is, and what is wrong with a log first."""

from __future__ import annotations

import copy
from functools import lru_cache
from typing import Any

from . import _json_lines, _whole
from ._header import Header
from ._library import ffi, lib
from .errors import LogError

#: How many different headers are kept. Each has at most 64 KiB, and the logs of a fleet have few.
_KEPT = 64


@lru_cache(_KEPT)
def _read(metadata: bytes) -> tuple[Header | None, LogError | None]:
    try:
        return _json_lines.read_header(metadata, None), None
    except LogError as error:
        return None, error


def _of(whole: Any) -> tuple[Header | None, LogError | None]:
    """The header of a measured log, or what is wrong with it; neither if its checksum is wrong."""
    if whole.damage & _whole.HEADER_DAMAGED:
        return None, None
    return _read(ffi.buffer(whole.metadata, whole.metadata_bytes)[:])


def header(whole: Any) -> Header | None:
    """The header of a measured log; None for a damaged one."""
    return copy.deepcopy(_of(whole)[0])


def measure(buffer: Any, salvage: bool, whole: Any, name: str | None) -> None:
    """Measures the log in a cffi buffer; raises a LogError if it is damaged, unless it is to be salvaged."""
    _whole.measure(buffer, salvage, whole, name)
    _, error = _of(whole)
    if error and not salvage:
        raise LogError(error.problem, name=name, offset=error.offset)
    _whole.check(whole, salvage, name)


def read(
    buffer: Any, salvage: bool, whole: Any, contents: Any, memory: _whole.Memory, name: str | None
) -> tuple[tuple[str, int] | None, bool | None]:
    """Measures and decodes the log in a cffi buffer.

    Returns:
        The first that is wrong with a salvaged log, and its byte; and whether the log is complete, None if unknown.
    """
    measure(buffer, salvage, whole, name)
    _whole.read(whole, memory, contents, name)
    _whole.check(contents, salvage, name)
    problem = _first_problem(whole, contents) if salvage else None
    return problem, False if problem else None if contents.damage & lib.SETTLE_LOG_NO_INDEX else True


def _first_problem(whole: Any, contents: Any) -> tuple[str, int] | None:
    _, error = _of(whole)
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
