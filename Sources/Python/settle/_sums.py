"""Sums of sessions in place of their logs (settle_sums.h)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from . import _events, _whole
from ._library import ffi, lib
from ._log import Log
from ._types import Buffer, Counts
from .errors import LogError
from .policy import Policy
from .sweeper import COLUMNS, Swept

#: The most policies of sums.
SUMS_POLICIES_MAX = int(lib.SETTLE_SUMS_POLICIES_MAX)
_PROBLEMS = {
    lib.SETTLE_SUMS_DAMAGED: "these are no sums, or they are cut or changed",
    lib.SETTLE_SUMS_NEWER: "the sums have a newer version; update settle",
    lib.SETTLE_SUMS_OTHERS: "the sums are of other policies, or of these in another order",
}


def sums(log: Log, policies: Sequence[Policy]) -> bytes:
    """What a session adds to a fleet's sums, in place of its log: what `settle-fleet --sums` reads.

    Args:
        log: The session's log.
        policies: At most 10, in the order of the run, of which the first is today's.

    Returns:
        Records of at most 1,024 bytes each, most often one.

    Raises:
        LogError: An event cannot stand in a log, or the log has too many scenes.
        ValueError: There is no policy, or there are more than 10.
    """
    raw = _raw_policies(policies)
    events = _events.check(log.events, log.names).copy()
    address, count, names = ffi.cast("settle_log_event *", events.ctypes.data), len(events), len(log.names)
    scratch = ffi.new("bool[]", max(names, 1))
    connections = lib.settle_sweep_connections(address, count, names, scratch)
    size = lib.settle_sums_size(count, names, connections)
    if size == 0:
        raise LogError(f"its scenes connect {connections} times, which is too often to sum it up; split the log")
    memory = _whole.Memory()
    figures, counts = ffi.new("settle_sums *"), ffi.new("settle_sweep_counts[]", len(policies))
    result = lib.settle_sums_count(
        address, count, names, connections, raw, len(policies), memory.reserve(size), size, figures, counts
    )
    assert result == 0, "the events and the policies were checked"
    figures.without_index = log.complete is None
    records, start, record = [], ffi.new("uint32_t *"), ffi.new("unsigned char[]", lib.SETTLE_SUMS_BYTES_MAX)
    while size := lib.settle_sums_write(figures, counts, raw, len(policies), start, record):
        records.append(bytes(ffi.buffer(record, size)))
    return b"".join(records)


@dataclass(frozen=True, slots=True)
class AddedSums:
    """What records of sums added beside the policies' counts."""

    sessions: int
    without_index: int
    #: As of a log that was decided, of all sessions together.
    swept: Swept


class SumsReader:
    """Adds up records of the same policies.

    Args:
        policies: The policies of the records, in their order.

    Raises:
        ValueError: There is no policy, or there are more than 10.
    """

    def __init__(self, policies: Sequence[Policy]) -> None:
        self._count = len(policies)
        self._policies = _raw_policies(policies)
        self._own = np.zeros((self._count, COLUMNS), np.int64)

    def add(self, records: Buffer, counts: Counts, *, sessions_max: int | None = None) -> AddedSums:
        """Adds one record or several to counts, as `Sweeper.counts` returns them.

        Args:
            records: The records.
            counts: What they are added to.
            sessions_max: The most sessions that they are of.

        Raises:
            LogError: They are damaged, newer, of other policies, or of more sessions. Nothing was added.
        """
        if counts.shape != (self._count, COLUMNS) or counts.dtype != np.int64 or not counts.flags.c_contiguous:
            raise ValueError(f"counts are an int64 array of {self._count} × {COLUMNS} in C order")
        data, figures = _whole.buffer(records), ffi.new("settle_sums *")
        self._own[...] = 0
        into = ffi.cast("settle_sweep_counts *", ffi.from_buffer(self._own))
        result = lib.settle_sums_add(data, len(data), self._policies, self._count, figures, into)
        if result != lib.SETTLE_SUMS_ADDED:
            raise LogError(_PROBLEMS[result])
        if sessions_max is not None and figures.sessions > sessions_max:
            raise LogError(f"these are sums of {figures.sessions} sessions; a row has those of one")
        counts += self._own
        own = figures.baselines
        baselines = own.every_change, own.every_change_wasted, own.debounce, own.debounce_wasted
        swept = Swept(figures.events, figures.connections, *baselines, None, None, None, True)
        return AddedSums(figures.sessions, figures.without_index, swept)


def _raw_policies(policies: Sequence[Policy]) -> Any:
    if not 0 < len(policies) <= SUMS_POLICIES_MAX:
        raise ValueError(f"sums have 1 to {SUMS_POLICIES_MAX} policies, and not {len(policies)}")
    raw = ffi.new("settle_policy[]", len(policies))
    for number, policy in enumerate(policies):
        policy._write(raw + number)
    return raw
