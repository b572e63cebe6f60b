"""Logs decided under many policies, by several threads, and what is read off the counts."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from ._detection import MAGIC
from ._library import ffi, lib
from ._log import Log, load, read_loaded
from ._types import Counts, Row, Source, Table
from .policy import Policy
from .sweeper import BUSIEST, COLUMNS, HABITS, LAG, REBUILDS, WASTED, WORK, WRONG, Sweeper, Swept

_NO_KNEE = 2**32 - 1


def sweep(
    logs: Iterable[Source | Log], policies: Sequence[Policy], *, threads: int = 1, salvage: bool = False,
    build_cost: str | None = None,
) -> Counts:
    """Decides logs under each policy, and counts. The counts are the same for any number of threads and any order.

    Args:
        logs: Paths, `Log` objects, buffers or binary files, of both encodings; a log in the binary encoding is
            decided without a copy of its bytes.
        policies: The policies to try.
        threads: How many logs are decided at the same time, at least 1; the GIL is released meanwhile.
        salvage: Whether to count what is whole of a damaged log; otherwise such a log is an error.
        build_cost: What a build costs, such as `8ms` or `2ms+3ns/px`; see `Sweeper`.

    Returns:
        An int64 array with a row for each policy and the columns `REBUILDS`, `PREVIEWS`, `WASTED` and `LAG`, and, of
        a closed loop, `BUILDS`, `WORK`, `WRONG` and `BUSIEST`.

    Raises:
        LogError: A log cannot be read; of several the first.
        OSError: A file cannot be read.
        ValueError: Less than one thread, or another text of a cost.
    """
    return _all(logs, policies, threads, salvage, build_cost)[0]


def habits(
    logs: Iterable[Source | Log], build_cost: str, *, threads: int = 1, salvage: bool = False
) -> Counts:
    """What programs without an engine build of logs, for comparison with `sweep(..., build_cost=...)`.

    Returns:
        An int64 array with a row for each of `HABITS`, and the columns `BUILDS`, `WORK`, `WRONG` and `BUSIEST`.

    Raises:
        As `sweep`.
    """
    return _all(logs, (), threads, salvage, build_cost)[1]


def _all(
    logs: Iterable[Source | Log], policies: Sequence[Policy], threads: int, salvage: bool, build_cost: str | None
) -> tuple[Counts, Counts]:
    """The counts of the policies, and those of the habits."""
    if isinstance(logs, (str, bytes, bytearray, memoryview, Log)):
        raise TypeError("logs must be several: give a list, also of one")
    if threads < 1:
        raise ValueError(f"threads must be at least 1, and is {threads}")
    work = _Work(logs)
    if threads == 1:
        parts = [_count(work, policies, salvage, build_cost)]
    else:
        with ThreadPoolExecutor(threads) as pool:
            parts = list(pool.map(lambda _: _count(work, policies, salvage, build_cost), range(threads)))
    if work.failure is not None:
        raise work.failure[1]
    counts, of_habits = zip(*parts)
    return _sum(counts), _sum(of_habits)


def _sum(parts: Sequence[Counts]) -> Counts:
    return np.asarray(np.sum(parts, axis=0, dtype=np.int64))


class _Work:
    """Logs, one for each thread that asks, until one fails."""

    def __init__(self, logs: Iterable[Source | Log]) -> None:
        self._logs = enumerate(logs)
        self._lock = threading.Lock()
        self.failure: tuple[int, BaseException] | None = None

    def __iter__(self) -> Iterator[tuple[int, Source | Log]]:
        while True:
            with self._lock:
                item = None if self.failure else next(self._logs, None)
            if item is None:
                return
            yield item

    def fail(self, index: int, error: BaseException) -> None:
        """Notes a failure. Logs are given out in order, so the first failing one is among those that were begun."""
        with self._lock:
            if self.failure is None or index < self.failure[0]:
                self.failure = index, error


def _count(
    work: _Work, policies: Sequence[Policy], salvage: bool, build_cost: str | None
) -> tuple[Counts, Counts]:
    sweeper = Sweeper(policies, build_cost=build_cost)
    counts, of_habits = sweeper.counts(), np.zeros((len(HABITS), COLUMNS), np.int64)
    for index, log in work:
        try:
            swept = add(sweeper, log, counts, salvage)
        except BaseException as error:
            work.fail(index, error)
            break
        if swept.habits is not None:
            of_habits += swept.habits
    return counts, of_habits


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
    rows = _rows(counts)
    quantiles = [
        lib.settle_lag_quantile(ffi.cast("uint64_t *", row.ctypes.data), permille)
        for row in np.ascontiguousarray(rows[:, LAG])
    ]
    return int(quantiles[0]) if np.ndim(counts) == 1 else np.array(quantiles, np.uint64)


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
