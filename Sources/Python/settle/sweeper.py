"""Many binary logs decided under many policies, one after the other."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from . import _events, _metadata, _whole
from ._bound import bind
from ._build_cost import build_cost as read_build_cost
from ._library import ffi, lib
from ._log import Log
from ._types import Buffer, Counts
from .policy import Policy

#: The columns of a policy's counts, which are a settle_sweep_counts: rebuilds by reason, previews, wasted rebuilds,
#: rebuilds after a button's release, and the histogram of lags.
_COLUMNS = {name: field.offset // 8 for name, field in ffi.typeof("settle_sweep_counts").fields}
REBUILDS = slice(_COLUMNS["rebuilds"], _COLUMNS["rebuilds"] + lib.SETTLE_SWEEP_REASONS)
PREVIEWS, WASTED, RELEASED = _COLUMNS["previews"], _COLUMNS["wasted"], _COLUMNS["released"]
LAG = slice(_COLUMNS["lag"], _COLUMNS["lag"] + lib.SETTLE_LAG_BUCKETS)
#: What a builder makes of the rebuilds, all 0 without a build cost: builds, the time that they take in ns, the integral
#: of how wrong the size shown was in ns, and connections by the percent that builds took of their busiest half second.
BUILDS, WORK, WRONG = _COLUMNS["builds"], _COLUMNS["work_ns"], _COLUMNS["wrong_ns"]
BUSIEST = slice(_COLUMNS["busiest"], _COLUMNS["busiest"] + lib.SETTLE_BUSY_PERCENTS)
#: Builds for previews that were given up; and interactions by how long the shown size was wrong after their end, whose
#: first column has those that were right at once, and the sum in ns.
GIVEN_UP, RIGHT_AFTER_SUM = _COLUMNS["given_up"], _COLUMNS["right_after_ns"]
RIGHT_AFTER = slice(_COLUMNS["right_after"], _COLUMNS["right_after"] + lib.SETTLE_LAG_BUCKETS)
COLUMNS = ffi.sizeof("settle_sweep_counts") // 8
#: Policies that are decided in one call of the library have together at most so many events, or are one: between calls
#: a thread can be ended.
_EVENTS_MAX = 4 << 20
#: What programs without an engine build, in the order of `Swept.habits`: every size, one build at a time; at once and
#: then every 50 ms; 100 ms after the last change; and every size until a build took more than 16 ms, then by debounce.
HABITS = ("every size", "throttle", "debounce", "live debounce")


@dataclass(frozen=True, slots=True)
class Swept:
    """What was counted of a log beside its policies' counts."""

    #: The events.
    events: int
    #: How many scenes connected; one that disconnects and comes back counts twice.
    connections: int
    #: Rebuilds, and wasted ones of them, of a rebuild at every change and of a 100 ms debounce.
    every_change: int
    every_change_wasted: int
    debounce: int
    debounce_wasted: int
    #: With a build cost, what programs without an engine make of the log: a row of counts for each of `HABITS`, with
    #: the columns `BUILDS`, `WORK`, `WRONG`, `BUSIEST` and `RIGHT_AFTER`. None without one.
    habits: Counts | None = field(compare=False)
    #: What is wrong with a log of which a part was salvaged, None for nothing; and the byte of it.
    problem: str | None
    damaged_at: int | None
    #: True if the log has an index that lists exactly what was read, False after damage, None if unknown: without an
    #: index nobody knows whether a part is missing, as in any text log.
    complete: bool | None


class Sweeper:
    """Decides binary logs under the same policies, and uses its memory again for each.

    Use one from one thread at a time; the library's part of the work is done without the GIL.

    Args:
        policies: The policies.
        build_cost: What a build costs: `8ms`, `3ns/px` for each pixel, or `2ms+3ns/px`; with `8ms+slow/20` every 20th
            build of a connection takes four times as long. Logs are then decided as a closed loop: a builder for each
            connection builds one size at a time, and its reports take the place of the log's. None for no builder: a
            log's own reports are those of the rebuilds when it was recorded.

    Raises:
        PolicyError: For a policy that no engine accepts.
        ValueError: For another text of a cost.
    """

    def __init__(self, policies: Sequence[Policy], *, build_cost: str | None = None) -> None:
        self._cost_text = build_cost
        self._cost = None if build_cost is None else read_build_cost(build_cost)
        self.policies = tuple(policies)
        self._policies = ffi.new("settle_policy[]", max(len(self.policies), 1))
        for number, policy in enumerate(self.policies):
            if not isinstance(policy, Policy):
                raise TypeError(f"policies are settle.Policy, and policy {number} is {policy!r}")
            policy._write(self._policies + number)
        self._whole = ffi.new("settle_log_whole *")
        self._contents = ffi.new("settle_log_contents *")
        self._log = ffi.new("settle_sweep_log *")
        self._baselines = ffi.new("settle_baselines *")
        self._events = _whole.Memory()
        self._scenes = _whole.Memory()
        self._bound = _whole.Memory()
        self._workspace = _whole.Memory()
        #: Called within the work on a log, with how many more policies decided it; what it raises ends the work.
        self._step: Callable[[int], None] = _go_on

    def __reduce__(self) -> tuple[Callable[..., Sweeper], tuple[tuple[Policy, ...], str | None]]:
        return _sweeper, (self.policies, self._cost_text)

    def counts(self) -> Counts:
        """Counts of nothing: int64, a row for each policy."""
        return np.zeros((len(self.policies), COLUMNS), dtype=np.int64)

    def add(self, log: Buffer, counts: Counts, *, salvage: bool = False, name: str | None = None) -> Swept:
        """Decides a log under all policies, and adds what was decided to `counts`.

        Args:
            log: The log in the binary encoding: bytes or another contiguous buffer, which is not copied.
            counts: As `counts()` returns them. Sums beyond 2**63 - 1 are not noticed.
            salvage: Counts the intact parts of a damaged log; otherwise such a log is an error.
            name: The log's name in an error.

        Raises:
            LogError: The log cannot be read, or it is damaged and not salvaged. Nothing was added.
            KeyboardInterrupt: Between policies; some are added, and others not.
        """
        self._check(counts)
        buffer, contents = _whole.buffer(log), self._contents
        found, complete = _metadata.read(buffer, salvage, self._whole, contents, self._events, name)
        self._add(contents.events, contents.count, contents.names_count, counts, name)
        problem, damaged_at = found or (None, None)
        return self._swept(contents.count, problem, damaged_at, complete)

    def add_log(self, log: Log, counts: Counts, *, name: str | None = None) -> Swept:
        """Decides a log that was read under all policies, and adds what was decided to `counts`.

        Args:
            log: The log, which is not changed: its events are copied.
            counts: As `counts()` returns them.
            name: The log's name in an error.

        Raises:
            LogError: An event cannot stand in a log, or the log has too many scenes. Nothing was added.
        """
        self._check(counts)
        events = _events.check(log.events, log.names).copy()
        address = ffi.cast("settle_log_event *", events.ctypes.data)
        self._add(address, len(events), len(log.names), counts, name)
        return self._swept(len(events), log.problem, None, log.complete)

    def _check(self, counts: Counts) -> None:
        is_shaped = counts.shape == (len(self.policies), COLUMNS) and counts.dtype == np.int64
        if not is_shaped or not counts.flags.c_contiguous or not counts.flags.writeable:
            raise ValueError(f"counts are a writable int64 array of {len(self.policies)} × {COLUMNS} in C order")

    def _add(self, events: Any, count: int, names: int, counts: Counts, name: str | None) -> None:
        """Binds the events in place, and counts what is decided about them."""
        self._step(0)
        self._count_baselines(events, count, names)
        self._step(0)
        bind(events, count, names, self._scenes, self._bound, self._log, name)
        at_once = max(_EVENTS_MAX // max(count, 1), 1)
        for first in range(0, len(self.policies), at_once):
            some = min(at_once, len(self.policies) - first)
            self._step(0)
            self._decide(self._policies + first, some, _raw(counts) + first)
            self._step(some)

    def _decide(self, policies: Any, count: int, counts: Any) -> None:
        """Counts what some policies decide about the log that is bound."""
        if self._cost is None:
            size = lib.settle_sweep_size(self._log)
            result = lib.settle_sweep_run(self._workspace.reserve(size), size, self._log, policies, count, counts)
        else:
            size = lib.settle_sweep_play_size(self._log)
            memory = self._workspace.reserve(size)
            result = lib.settle_sweep_play(memory, size, self._log, self._cost, policies, count, counts)
        assert result == 0, "the workspace and the policies were checked"

    def _swept(self, events: int, problem: str | None, damaged_at: int | None, complete: bool | None) -> Swept:
        own = self._baselines
        baselines = (own.every_change, own.every_change_wasted, own.debounce, own.debounce_wasted)
        return Swept(events, self._log.connections, *baselines, self._habits(), problem, damaged_at, complete)

    def _habits(self) -> Counts | None:
        if self._cost is None:
            return None
        counts = np.zeros((len(HABITS), COLUMNS), dtype=np.int64)
        for habit in range(len(HABITS)):
            lib.settle_sweep_habit(self._log, self._cost, habit, _raw(counts[habit]))
        return counts

    def _count_baselines(self, events: Any, count: int, names: int) -> None:
        counts = self._baselines
        ffi.memmove(counts, bytes(ffi.sizeof("settle_baselines")), ffi.sizeof("settle_baselines"))
        memory = self._scenes.reserve(max(names, 1) * ffi.sizeof("settle_baseline_scene"))
        scenes = ffi.cast("settle_baseline_scene *", memory)
        lib.settle_baselines_start(scenes, names)
        lib.settle_baselines_add(scenes, events, count, counts)
        lib.settle_baselines_finish(scenes, names, counts)


def _sweeper(policies: Sequence[Policy], build_cost: str | None) -> Sweeper:
    """What `pickle` calls."""
    return Sweeper(policies, build_cost=build_cost)


def _go_on(policies: int) -> None:
    pass


def _raw(counts: Counts) -> Any:
    """Counts as the library has them."""
    return ffi.cast("settle_sweep_counts *", ffi.from_buffer(counts))
