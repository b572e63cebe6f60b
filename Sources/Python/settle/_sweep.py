"""Logs decided under many policies, by several threads, and what is read off the counts."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence, Sized
from queue import SimpleQueue
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from ._detection import MAGIC
from ._library import ffi, lib
from ._log import Log, load, read_loaded
from ._types import Counts, Row, Source, Table
from ._workers import Stopped, Workers
from .policy import Policy
from .sweeper import (
    BUSIEST, COLUMNS, HABITS, LAG, REBUILDS, RIGHT_AFTER, RIGHT_AFTER_SUM, WASTED, WORK, WRONG, Sweeper, Swept,
)

_NO_KNEE = lib.SETTLE_FRONT_NO_KNEE
#: How often progress is shown at most.
_SHOWN_EVERY_S = 0.1


def sweep(
    logs: Iterable[Source | Log], policies: Sequence[Policy], *, threads: int = 1, salvage: bool = False,
    build_cost: str | None = None, progress: Callable[[int, int], None] | None = None,
) -> Counts:
    """Decides logs under each policy, and counts. The counts are the same for any number of threads and any order.

    Args:
        logs: Paths, `Log` objects, buffers or binary files, of both encodings; a log in the binary encoding is
            decided without a copy of its bytes.
        policies: The policies to try.
        threads: How many logs are decided at the same time, at least 1; the GIL is released meanwhile.
        salvage: Whether to count what is whole of a damaged log; otherwise such a log is an error.
        build_cost: What a build costs, such as `8ms` or `2ms+3ns/px`; see `Sweeper`.
        progress: Is called on this thread at most ten times a second, and at the end, with how often a policy has
            decided a log and how often it will have: policies × logs. Where `logs` has no length, that is of the logs
            so far.

    An interrupt, as by Ctrl-C, ends it at once; a thread that is within a call of the library ends when that does.

    Returns:
        An int64 array with a row for each policy and the columns `REBUILDS`, `PREVIEWS`, `WASTED` and `LAG`, and, of
        a closed loop, `BUILDS`, `WORK`, `WRONG`, `BUSIEST` and `RIGHT_AFTER`.

    Raises:
        LogError: A log cannot be read; of several the first.
        OSError: A file cannot be read.
        ValueError: Less than one thread, or another text of a cost.
    """
    return _all(logs, policies, threads, salvage, build_cost, progress)[0]


def habits(
    logs: Iterable[Source | Log], build_cost: str, *, threads: int = 1, salvage: bool = False
) -> Counts:
    """What programs without an engine build of logs, for comparison with `sweep(..., build_cost=...)`.

    Returns:
        An int64 array with a row for each of `HABITS`, and the columns `BUILDS`, `WORK`, `WRONG`, `BUSIEST`
        and `RIGHT_AFTER`.

    Raises:
        As `sweep`.
    """
    return _all(logs, (), threads, salvage, build_cost)[1]


def _all(
    logs: Iterable[Source | Log], policies: Sequence[Policy], threads: int, salvage: bool, build_cost: str | None,
    progress: Callable[[int, int], None] | None = None,
) -> tuple[Counts, Counts]:
    """The counts of the policies, and those of the habits."""
    if isinstance(logs, (str, bytes, bytearray, memoryview, Log)):
        raise TypeError("logs must be several: give a list, also of one")
    if threads < 1:
        raise ValueError(f"threads must be at least 1, and is {threads}")
    parts = [_Part(policies, build_cost) for _ in range(threads)]
    work = _Work(logs, parts, salvage, progress)
    work.run()
    return _sum([part.counts for part in parts]), _sum([part.habits for part in parts])


def _sum(parts: Sequence[Counts]) -> Counts:
    return np.asarray(np.sum(parts, axis=0, dtype=np.int64))


class _Part:
    """What one thread counts."""

    def __init__(self, policies: Sequence[Policy], build_cost: str | None) -> None:
        self.sweeper = Sweeper(policies, build_cost=build_cost)
        self.counts, self.habits = self.sweeper.counts(), np.zeros((len(HABITS), COLUMNS), np.int64)


class _Work:
    """Logs that threads decide. The thread that calls `run` takes them from the caller and reports progress: it can be
    interrupted whatever the threads do."""

    def __init__(
        self, logs: Iterable[Source | Log], parts: Sequence[_Part], salvage: bool,
        progress: Callable[[int, int], None] | None,
    ) -> None:
        self._logs = iter(logs)
        self._parts, self._parts_left = list(parts), list(parts)
        self._salvage, self._progress = salvage, progress
        self._waiting: SimpleQueue[tuple[int, Source | Log] | None] = SimpleQueue()
        self._mutex = threading.Lock()
        self._failure: tuple[int, BaseException] | None = None
        self._policies = len(self._parts[0].counts)
        #: The logs that were taken from the caller, and how many there are if that is known.
        self._taken, self._all = 0, len(logs) if isinstance(logs, Sized) else None
        self._has_more = True
        self._done, self._shown, self._shown_at = 0, -1, 0.0
        self._workers = Workers(len(self._parts), self._count)

    def run(self) -> None:
        """Decides all logs. Raises what reading them raises; of several the first."""
        with self._workers:
            try:
                self._workers.wait(self._look)
            finally:
                self._workers.stop()
                self._end()
        if self._failure is not None:
            raise self._failure[1]
        self._show(is_end=True)

    def _look(self) -> None:
        """Takes as many logs as there are threads, so that none waits for the next, and shows the progress."""
        if self._failure is not None and self._has_more:
            self._has_more = False
            self._end()
        while self._has_more and self._waiting.qsize() < len(self._parts):
            try:
                log = next(self._logs)
            except StopIteration:
                self._has_more = False
                self._end()
                break
            self._waiting.put((self._taken, log))
            self._taken += 1
        self._show()

    def _end(self) -> None:
        """Has no thread wait for more."""
        for _ in self._parts:
            self._waiting.put(None)

    def _show(self, *, is_end: bool = False) -> None:
        if self._progress is None or not is_end and time.monotonic() < self._shown_at + _SHOWN_EVERY_S:
            return
        if self._done == self._shown and not is_end:
            return
        self._shown, self._shown_at = self._done, time.monotonic()
        logs = self._taken if self._all is None else self._all
        self._progress(self._shown, max(logs * self._policies, self._shown))

    def _step(self, policies: int) -> None:
        self._workers.check()
        if policies:
            with self._mutex:
                self._done += policies

    def _count(self) -> None:
        """What each thread does."""
        with self._mutex:
            part = self._parts_left.pop()
        part.sweeper._step = self._step
        while (item := self._next()) is not None:
            index, log = item
            try:
                swept = add(part.sweeper, log, part.counts, self._salvage)
            except Stopped:
                raise
            except BaseException as error:  # noqa: BLE001
                self._fail(index, error)
                return
            if swept.habits is not None:
                part.habits += swept.habits

    def _next(self) -> tuple[int, Source | Log] | None:
        if self._waiting.qsize() < len(self._parts):
            self._workers.wake()
        item = self._waiting.get()
        self._workers.check()
        return None if self._failure else item

    def _fail(self, index: int, error: BaseException) -> None:
        """Notes a failure. Logs are given out in order, so the first failing one is among those that were begun."""
        with self._mutex:
            if self._failure is None or index < self._failure[0]:
                self._failure = index, error


def add(sweeper: Sweeper, log: Source | Log, counts: Counts, salvage: bool) -> Swept:
    """Decides one log of any sort; see `sweep`."""
    if isinstance(log, Log):
        return sweeper.add_log(log, counts)
    data, name = load(log)
    if data[: len(MAGIC)] == MAGIC:
        return sweeper.add(data, counts, salvage=salvage, name=name)
    return sweeper.add_log(read_loaded(data, name, salvage), counts, name=name)


@overload
def rebuilds(counts: Table) -> Counts: ...
@overload
def rebuilds(counts: Row) -> int: ...
def rebuilds(counts: Counts) -> int | Counts:
    """All rebuilds of a policy's counts, or of each row of several."""
    found = np.asarray(counts)[..., REBUILDS].sum(axis=-1)
    return int(found) if found.ndim == 0 else found


@overload
def lag_quantile(counts: Table, permille: int) -> NDArray[np.uint64]: ...
@overload
def lag_quantile(counts: Row, permille: int) -> int: ...
def lag_quantile(counts: Counts, permille: int) -> int | NDArray[np.uint64]:
    """The lag that so many thousandths of the rebuilds, and at least one, do not exceed.

    Args:
        counts: A policy's counts, or several rows of them.
        permille: 0 … 1,000: 950 for p95.

    Returns:
        The largest lag of the quantile's bucket in nanoseconds, at most 3.2 % too long, and 0 without rebuilds; an
        int for one policy, else a uint64 array. 2**64 - 1 is a lag in the last bucket, of 18 minutes or more.
    """
    if not 0 <= permille <= 1_000:
        raise ValueError(f"permille must be 0 … 1000, and is {permille}")
    return _quantile(counts, LAG, permille)


def _quantile(counts: Counts, columns: slice, permille: int) -> int | NDArray[np.uint64]:
    quantiles = [
        lib.settle_lag_quantile(ffi.cast("uint64_t *", row.ctypes.data), permille)
        for row in np.ascontiguousarray(_rows(counts)[:, columns])
    ]
    return int(quantiles[0]) if np.ndim(counts) == 1 else np.array(quantiles, np.uint64)


@overload
def right_after(counts: Table, permille: int | None = None) -> NDArray[np.float64]: ...
@overload
def right_after(counts: Row, permille: int | None = None) -> float: ...
def right_after(counts: Counts, permille: int | None = None) -> float | NDArray[np.float64]:
    """How long the shown size is wrong after an interaction's end, or after the last change that follows it.

    Args:
        counts: A policy's counts of a closed loop, or several rows of them.
        permille: None for the mean; else what so many thousandths of the ends do not exceed, 900 for p90, as
            `lag_quantile`.

    Returns:
        Nanoseconds, and NaN where no interaction ended at another size: a float for one policy, else an array.
    """
    if permille is not None and not 0 <= permille <= 1_000:
        raise ValueError(f"permille must be 0 … 1000, and is {permille}")
    found = np.asarray(counts)[..., RIGHT_AFTER_SUM] if permille is None else _quantile(counts, RIGHT_AFTER, permille)
    ends = np.asarray(counts)[..., RIGHT_AFTER].sum(axis=-1)
    values = np.asarray(found) / np.where(ends > 0, ends if permille is None else 1, np.nan)
    return float(values) if values.ndim == 0 else values


@overload
def at_once(counts: Table) -> NDArray[np.float64]: ...
@overload
def at_once(counts: Row) -> float: ...
def at_once(counts: Counts) -> float | NDArray[np.float64]:
    """The share of interactions' ends at which the size is shown already, 0 to 1, of a policy's counts of a closed
    loop or of each row of several; NaN where no interaction ended at another size."""
    ends = np.asarray(counts)[..., RIGHT_AFTER].sum(axis=-1)
    values = np.asarray(counts)[..., RIGHT_AFTER.start] / np.where(ends > 0, ends, np.nan)
    return float(values) if values.ndim == 0 else values


@overload
def busiest(counts: Table) -> Counts: ...
@overload
def busiest(counts: Row) -> int: ...
def busiest(counts: Counts) -> int | Counts:
    """The most that builds took of any half second of any connection, in percent, of a policy's counts or of each row
    of several; 0 without a build cost."""
    percents = np.asarray(counts)[..., BUSIEST] > 0
    found = np.where(percents.any(axis=-1), percents.shape[-1] - 1 - percents[..., ::-1].argmax(axis=-1), 0)
    return int(found) if found.ndim == 0 else found


def front(
    counts: Counts, policies: Sequence[Policy] | None = None, today: Policy | int | None = None, *,
    by_builds: bool = False,
) -> tuple[list[int], int | None]:
    """The Pareto front of rebuilds against p95 lag: the policies that no other is better than.

    Args:
        counts: A row for each policy.
        policies: The policies. With `today`, of policies with the same rebuilds and p95 lag, wasted rebuilds and p50
            lag the one with the fewest durations that differ from it is on the front; without it, the first.
        today: Today's policy, or its index in `policies`.
        by_builds: Judges counts of a closed loop as `settle tune --build-cost` does: work against wrong time, each
            within 3.2 %, and the busiest half second in place of wasted rebuilds.

    Returns:
        The indices by rising rebuilds, and the index at the front's knee, None if the front has no point below the
        line between its ends.
    """
    rows = _rows(counts)
    if policies is not None and len(policies) != len(rows):
        raise ValueError(f"there are {len(policies)} policies and {len(rows)} rows of counts")
    if isinstance(today, int):
        if policies is None:
            raise ValueError("today is an index, and there are no policies")
        if not 0 <= today < len(policies):
            raise ValueError(f"today is {today}, and there are {len(policies)} policies")
        today = policies[today]
    figures: dict[str, np.ndarray] = {
        "rebuilds": np.asarray(rebuilds(rows)), "wasted": rows[:, WASTED],
        "p50_ns": np.asarray(lag_quantile(rows, 500)), "p95_ns": np.asarray(lag_quantile(rows, 950)),
    }
    if by_builds:
        work = [_bucket_ns(int(ns) // 1000) for ns in rows[:, WORK]]
        figures = {
            "rebuilds": np.array(work, np.int64), "wasted": np.asarray(busiest(rows)),
            "p50_ns": np.zeros(len(rows), np.int64), "p95_ns": rows[:, WRONG] // 1000,
        }
    changes = [0] * len(rows)
    if policies is not None and today is not None:
        changes = [policy._changes(today) for policy in policies]
    return front_of(figures, changes)


def bucket_of(lag_ns: int) -> int:
    """The bucket of a lag, of the last one for -1."""
    return int(lib.SETTLE_LAG_BUCKETS) - 1 if lag_ns < 0 else int(lib.settle_lag_bucket(lag_ns))


def _bucket_ns(value: int) -> int:
    """The first value of a value's bucket."""
    return int(lib.settle_lag_bucket_first_ns(lib.settle_lag_bucket(value)))


def front_of(figures: Mapping[str, np.ndarray], changes: list[int]) -> tuple[list[int], int | None]:
    """The Pareto front of policies with these figures (rebuilds, wasted, p50_ns and p95_ns, each by policy), and the
    index of its knee. `changes` has for each policy the durations that differ from today's, as bits."""
    points = points_of(figures, changes)
    indices, knee = ffi.new("uint32_t[]", lib.SETTLE_LAG_BUCKETS), ffi.new("uint32_t *")
    found = lib.settle_front(points, len(changes), indices, knee)
    return list(indices[0:found]), None if knee[0] == _NO_KNEE else knee[0]


def points_of(figures: Mapping[str, np.ndarray], changes: list[int]) -> Any:
    """The same as settle_front_point[]."""
    points = ffi.new("settle_front_point[]", max(len(changes), 1))
    for number in range(len(changes)):
        point = points[number]
        point.rebuilds, point.wasted = int(figures["rebuilds"][number]), int(figures["wasted"][number])
        point.lag_bucket = bucket_of(int(figures["p95_ns"][number]))
        point.median_lag_bucket = bucket_of(int(figures["p50_ns"][number]))
        point.changes = changes[number]
    return points


def _rows(counts: Counts) -> Counts:
    rows = np.atleast_2d(np.asarray(counts, dtype=np.int64))
    if rows.ndim != 2 or rows.shape[1] != COLUMNS:
        raise ValueError(f"counts have {COLUMNS} columns, and these have the shape {np.shape(counts)}")
    return rows
