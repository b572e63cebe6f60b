"""What one worker of a fleet's run does: it decides sessions, and adds up by cohort.

Executors import this module; a worker on this machine is a thread of `fleet_local`.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence

import numpy as np
import pyarrow as pa

from .._dictionaries import decoded
from .._sums import SumsReader
from ..errors import LogError
from ._input import check_cohort
from ..policy import Policy
from ..sweeper import COLUMNS, Sweeper, Swept

#: Bytes of counts that a worker keeps before it hands them on and begins anew.
MEMORY_MAX = 1 << 30
#: The longest value of a cohort column, in bytes of UTF-8.
VALUE_BYTES_MAX = 1024
#: The most policies of a row of counts.
BLOCK = 256
#: Bytes of counts from which on a batch is handed on.
_BATCH_BYTES = 8 << 20
#: Of what is kept, the part for cohorts whose counts are an array, and what a cohort takes beside its counts.
_DENSE_PART, _COHORT_BYTES = 4, 2048

#: What is counted of a cohort beside its policies' counts.
COHORT_FIGURES = (
    "sessions", "events", "connections", "damaged", "without_index", "every_change", "every_change_wasted", "debounce",
    "debounce_wasted",
)
_OF_SWEPT = ("events", "connections", "every_change", "every_change_wasted", "debounce", "debounce_wasted")

ARROW = pa.schema(
    [
        ("kind", pa.string()), ("cohort", pa.list_(pa.string())), ("policy", pa.int32()),
        *((name, pa.int64()) for name in COHORT_FIGURES), ("cells", pa.binary()), ("counts", pa.binary()),
        ("session", pa.string()), ("problem", pa.string()), ("offset", pa.int64()), ("busy_ns", pa.int64()),
    ]
)

#: Spark's name of each type.
TYPES = {
    pa.string(): "string", pa.int32(): "int", pa.int64(): "bigint", pa.binary(): "binary",
    pa.list_(pa.string()): "array<string>", pa.list_(pa.int32()): "array<int>", pa.list_(pa.int64()): "array<bigint>",
}
#: The rows' columns as Spark writes a schema. `kind` says what a row is: `sums` has a cohort's figures and its counts
#: under at most 256 policies from `policy` on, `session` is a session that is damaged, and `task` what the task took.
#: Counts are sparse: `counts` has those that are not 0 as 64-bit integers, and `cells` where each of them stands in a
#: row-major array of policies × `COLUMNS`, as 32-bit integers; both little-endian.
SCHEMA = ", ".join(f"`{field.name}` {TYPES[field.type]}" for field in ARROW)
CELL, COUNT = np.dtype("<i4"), np.dtype("<i8")

Key = tuple[str | None, ...]


def sweep_batches(
    policies: Sequence[Policy], session: str = "session", log: str = "log", cohort: Sequence[str] = (),
    salvage: bool = False, memory_max: int = MEMORY_MAX, titles: Sequence[str] | None = None, *,
    damaged_names: bool = False, sums: bool = False,
) -> Callable[[Iterable[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    """A function for PySpark: `frame.mapInArrow(sweep, sweep.schema)`.

    Its rows are partial sums, one or several of each cohort: integers, to be added up in any order (see `SCHEMA`). No
    log is an error: a damaged one, or one that is null or empty, is a row with its cohort and what is wrong with it.

    Args:
        policies: The policies, at least one.
        session: The column with the sessions' names.
        log: The column with whole binary logs. They are not copied.
        cohort: The columns whose values make a cohort.
        salvage: Counts the intact parts of damaged logs.
        memory_max: Bytes of counts that a task keeps; at least those of one cohort are kept.
        titles: What messages call the cohort's columns, by default their names.
        damaged_names: Whether a damaged session's row has its name.
        sums: The column has sums of sessions in place of logs (`settle.sums`), under these policies in this order, at
            most 10. A row has those of one session.

    Returns:
        A generator function of record batches, with the attribute `schema`.
    """
    sweep = sweeping(
        policies, session, log, cohort, salvage, memory_max, titles, damaged_names=damaged_names, sums=sums
    )
    setattr(sweep, "schema", SCHEMA)  # noqa: B010
    return sweep


def sweeping(
    policies: Sequence[Policy], session: str, log: str, cohort: Sequence[str], salvage: bool, memory_max: int,
    titles: Sequence[str] | None = None, *, damaged_names: bool, sums: bool,
    step: Callable[[int], None] = lambda policies: None,
) -> Callable[[Iterable[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    """The same function; `step` is called again and again, as a Sweeper does, and what it raises ends the work."""
    check_cohort(cohort)
    columns = tuple(cohort)
    shown = columns if titles is None else tuple(titles)
    chosen = tuple(policies)

    def sweep(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        return _Task(chosen, session, log, columns, salvage, memory_max, shown, damaged_names, sums, step).run(batches)

    return sweep


def order(key: Sequence[str | None]) -> tuple[tuple[bool, str], ...]:
    """Cohorts are sorted as Spark sorts them: null first."""
    return tuple((value is not None, value or "") for value in key)


class _Cohort:
    """What is counted of a cohort."""

    __slots__ = ("figures", "counts", "cells")

    def __init__(self) -> None:
        self.figures = dict.fromkeys(COHORT_FIGURES, 0)
        #: An array of policies × columns; or, with cells, only those that are not 0.
        self.counts = np.empty(0, COUNT)
        self.cells: np.ndarray | None = np.empty(0, CELL)

    def add(self, swept: Swept, sessions: int, without_index: int) -> None:
        figures = self.figures
        figures["sessions"] += sessions
        figures["without_index"] += without_index
        for name in _OF_SWEPT:
            figures[name] += getattr(swept, name)

    def bytes(self) -> int:
        return _COHORT_BYTES + (0 if self.cells is None else self.cells.nbytes + self.counts.nbytes)


class _Counts:
    """The counts of all cohorts. Those of the cohorts that were used last are arrays, the others sparse: of a policy's
    counts few are not 0."""

    def __init__(self, sweeper: Sweeper, memory_max: int) -> None:
        self._sweeper = sweeper
        self._arrays_max = max(1, memory_max // _DENSE_PART // max(8 * COLUMNS * len(sweeper.policies), 1))
        self._sparse_max = memory_max - memory_max // _DENSE_PART
        self._cohorts: dict[Key, _Cohort] = {}
        #: The cohorts with arrays, the one that was used last at the end, and arrays of zeros.
        self._arrays: dict[Key, _Cohort] = {}
        self._zeros: list[np.ndarray] = []
        self._sparse = 0

    def is_full(self) -> bool:
        return self._sparse > self._sparse_max

    def knows(self, key: Key) -> bool:
        return key in self._cohorts

    def of(self, key: Key) -> _Cohort:
        """A cohort, with an array of its counts."""
        cohort = self._arrays.pop(key, None)
        if cohort is None:
            if len(self._arrays) >= self._arrays_max:
                oldest = next(iter(self._arrays))
                self._thin(self._arrays.pop(oldest))
            cohort = self._cohorts.get(key)
            if cohort is None:
                cohort = self._cohorts[key] = _Cohort()
            else:
                self._sparse -= cohort.bytes()
            counts = self._zeros.pop() if self._zeros else self._sweeper.counts()
            counts.reshape(-1)[cohort.cells] = cohort.counts
            cohort.counts, cohort.cells = counts, None
        self._arrays[key] = cohort
        return cohort

    def _thin(self, cohort: _Cohort) -> None:
        """Keeps only the counts that are not 0."""
        flat = cohort.counts.reshape(-1)
        cells = np.flatnonzero(flat != 0)
        self._zeros.append(cohort.counts)
        cohort.cells, cohort.counts = cells.astype(CELL), flat[cells].astype(COUNT)
        flat[cells] = 0
        self._sparse += cohort.bytes()

    def rows(self) -> Iterator[pa.RecordBatch]:
        """The rows of all cohorts in their order, which begin anew."""
        while self._arrays:
            self._thin(self._arrays.popitem()[1])
        cohorts, self._cohorts, self._sparse = self._cohorts, {}, 0
        policies, rows, size = len(self._sweeper.policies), [], 0
        for key in sorted(cohorts, key=order):
            cohort = cohorts.pop(key)
            assert cohort.cells is not None
            firsts = range(0, policies, BLOCK)
            edges = np.searchsorted(cohort.cells, [first * COLUMNS for first in (*firsts, policies)]).tolist()
            for first, start, end in zip(firsts, edges, edges[1:]):
                cells = cohort.cells[start:end] - CELL.type(first * COLUMNS)
                counts = cohort.counts[start:end]
                size += cells.nbytes + counts.nbytes
                rows.append(
                    {
                        "kind": "sums", "cohort": key, "policy": first, **cohort.figures, "cells": cells.tobytes(),
                        "counts": counts.tobytes(),
                    }
                )
                if size > _BATCH_BYTES:
                    yield _batch(rows)
                    rows, size = [], 0
        if rows:
            yield _batch(rows)


class _Task:
    def __init__(
        self, policies: tuple[Policy, ...], session: str, log: str, columns: tuple[str, ...], salvage: bool,
        memory_max: int, titles: tuple[str, ...], damaged_names: bool, sums: bool, step: Callable[[int], None],
    ) -> None:
        self._sweeper = Sweeper(policies)
        self._sweeper._step = self._step = step
        self._session, self._log, self._columns, self._titles = session, log, columns, titles
        self._salvage, self._damaged_names = salvage, damaged_names
        self._sums = SumsReader(policies) if sums else None
        self._counts = _Counts(self._sweeper, memory_max)
        self._damaged: list[dict] = []

    def run(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        rows, busy_ns = 0, 0
        for batch in batches:
            start = time.thread_time_ns()
            sessions = _texts(batch.column(self._session))
            values = [_texts(batch.column(name)) for name in self._columns]
            keys = zip(*values) if values else [()] * batch.num_rows
            for session, key, log in zip(sessions, keys, batch.column(self._log)):
                self._step(0)
                self._add(session, key, log)
                if self._counts.is_full():
                    busy_ns += time.thread_time_ns() - start
                    yield from self._counts.rows()
                    start = time.thread_time_ns()
            rows += batch.num_rows
            busy_ns += time.thread_time_ns() - start
            if self._damaged:
                yield _batch(self._damaged)
                self._damaged = []
        start = time.thread_time_ns()
        for sums in self._counts.rows():
            busy_ns += time.thread_time_ns() - start
            yield sums
            start = time.thread_time_ns()
        yield _batch([{"kind": "task", "sessions": rows, "busy_ns": busy_ns}])

    def _add(self, session: str | None, key: Key, log: pa.Scalar) -> None:
        """Decides a log, and counts it or its damage."""
        problem = None if session else "the session has no name"
        if not self._counts.knows(key):
            # Only a cohort's first session is checked, since the others have the same values.
            long = [
                number
                for number, value in enumerate(key)
                if value is not None and len(value) * 4 > VALUE_BYTES_MAX and len(value.encode()) > VALUE_BYTES_MAX
            ]
            if long:
                problem = (
                    f"the value of the column '{self._titles[long[0]]}' has more than {VALUE_BYTES_MAX} bytes,"
                    " and counts as null"
                )
                key = tuple(None if number in long else value for number, value in enumerate(key))
        cohort = self._counts.of(key)
        offset, events = None, 0
        if problem is None or self._salvage:
            try:
                swept = self._swept(cohort, _buffer(log))
                events = swept.events
                if problem is None:
                    problem, offset = swept.problem, swept.damaged_at
            except LogError as error:
                problem, offset = error.problem, error.offset
            except MemoryError:
                problem = "to read it takes more memory than the task has; split the log"
        if problem is not None:
            cohort.figures["damaged"] += 1
            self._damaged.append(
                {
                    "kind": "session", "session": session if self._damaged_names else None, "cohort": key,
                    "problem": problem, "offset": offset, "events": events,
                }
            )

    def _swept(self, cohort: _Cohort, log: pa.Buffer) -> Swept:
        """Counts a log, or the sums of sessions. Raises LogError: it is damaged."""
        if self._sums is None:
            swept = self._sweeper.add(log, cohort.counts, salvage=self._salvage)
            cohort.add(swept, 1, swept.complete is None)
            return swept
        added = self._sums.add(log, cohort.counts, sessions_max=1)
        cohort.add(added.swept, added.sessions, added.without_index)
        return added.swept


def _batch(rows: list[dict]) -> pa.RecordBatch:
    return pa.RecordBatch.from_pylist([row | {"cohort": list(row.get("cohort", ()))} for row in rows], schema=ARROW)


def _texts(column: pa.Array) -> list[str | None]:
    column = decoded(column, pa.string())
    try:
        return column.to_pylist()
    except UnicodeDecodeError:
        # Parquet does not check what it calls text.
        values = column.cast(pa.binary()).to_pylist()
        return [None if value is None else value.decode(errors="replace") for value in values]


def _buffer(log: pa.Scalar) -> pa.Buffer:
    """A log's bytes where they are. Raises LogError: there are none."""
    if isinstance(log, pa.DictionaryScalar):
        log = log.value
    if not log.is_valid:
        raise LogError("the log is null")
    buffer = log.as_buffer()
    if buffer.size == 0:
        raise LogError("the log is empty")
    return buffer
