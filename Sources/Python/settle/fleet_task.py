"""What one task of a fleet's run does: it decides the sessions of its partition, and adds up by cohort.

Executors import this module and no other of the fleet's.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence

import numpy as np
import pyarrow as pa

from .errors import LogError
from .policy import Policy
from .sweeper import COLUMNS, LAG, PREVIEWS, REBUILDS, RELEASED, WASTED, Sweeper, Swept

#: Bytes of counts that a task keeps before it hands them on and begins anew.
MEMORY_MAX = 1 << 30
#: The longest value of a cohort column, in bytes of UTF-8.
VALUE_BYTES_MAX = 1024

#: What is counted of a cohort beside its policies' counts, and the type of each.
COHORT_FIGURES = (
    "sessions", "events", "connections", "damaged", "without_index", "every_change", "every_change_wasted", "debounce",
    "debounce_wasted",
)

_ARROW = pa.schema(
    [
        ("kind", pa.string()), ("cohort", pa.list_(pa.string())), ("policy", pa.int32()),
        *((name, pa.int64()) for name in COHORT_FIGURES), ("rebuilds", pa.list_(pa.int64())), ("previews", pa.int64()),
        ("wasted", pa.int64()), ("released", pa.int64()), ("lag_buckets", pa.list_(pa.int32())),
        ("lag_counts", pa.list_(pa.int64())), ("session", pa.string()), ("problem", pa.string()),
        ("offset", pa.int64()), ("busy_ns", pa.int64()),
    ]
)

#: Spark's name of each type.
TYPES = {
    pa.string(): "string", pa.int32(): "int", pa.int64(): "bigint", pa.list_(pa.string()): "array<string>",
    pa.list_(pa.int32()): "array<int>", pa.list_(pa.int64()): "array<bigint>",
}
#: The rows' columns as Spark writes a schema. `kind` says which of them a row has:
#: `policy` is a cohort's counts under one policy, `cohort` what else is counted of it, `session` a
#: session that is damaged, and `task` what the task took.
SCHEMA = ", ".join(f"`{field.name}` {TYPES[field.type]}" for field in _ARROW)


def sweep_batches(
    policies: Sequence[Policy], session: str = "session", log: str = "log", cohort: Sequence[str] = (),
    salvage: bool = False, memory_max: int = MEMORY_MAX, titles: Sequence[str] | None = None,
) -> Callable[[Iterable[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    """A function for PySpark: `frame.mapInArrow(sweep, sweep.schema)`.

    Its rows are partial sums, one or several of each cohort and policy: integers, to be added up in any
    order. No log is an error: a damaged one, or one that is null or empty, is a row with its session, its
    cohort and what is wrong with it.

    Args:
        policies: The policies, at least one.
        session: The column with the sessions' names.
        log: The column with whole binary logs. They are not copied.
        cohort: The columns whose values make a cohort.
        salvage: Counts the intact parts of damaged logs.
        memory_max: Bytes of counts that a task keeps, some 10,100 for each cohort and policy; at least
            those of one cohort are kept.
        titles: What messages call the cohort's columns, by default their names.

    Returns:
        A generator function of record batches, with the attribute `schema`.
    """
    columns = tuple(cohort)
    shown = columns if titles is None else tuple(titles)
    chosen = tuple(policies)

    def sweep(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        return _Task(chosen, session, log, columns, salvage, memory_max, shown).run(batches)

    setattr(sweep, "schema", SCHEMA)  # noqa: B010
    return sweep


class _Cohort:
    """What is counted of a cohort."""

    __slots__ = ("figures", "counts")

    def __init__(self, counts: np.ndarray) -> None:
        self.figures = dict.fromkeys(COHORT_FIGURES, 0)
        self.counts = counts

    def add(self, swept: Swept) -> None:
        figures = self.figures
        figures["sessions"] += 1
        figures["without_index"] += swept.complete is None
        for name in ("events", "connections", "every_change", "every_change_wasted", "debounce", "debounce_wasted"):
            figures[name] += getattr(swept, name)


class _Task:
    def __init__(
        self, policies: tuple[Policy, ...], session: str, log: str, columns: tuple[str, ...], salvage: bool,
        memory_max: int, titles: tuple[str, ...],
    ) -> None:
        self._sweeper = Sweeper(policies)
        self._session, self._log, self._columns, self._titles = session, log, columns, titles
        self._salvage = salvage
        self._cohorts: dict[tuple[str | None, ...], _Cohort] = {}
        self._cohorts_max = max(1, memory_max // (max(len(policies), 1) * COLUMNS * 8 + 1024))
        self._damaged: list[dict] = []

    def run(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        rows, busy_ns = 0, 0
        for batch in batches:
            start = time.thread_time_ns()
            sessions = _texts(batch.column(self._session))
            values = [_texts(batch.column(name)) for name in self._columns]
            keys = zip(*values) if values else [()] * batch.num_rows
            for session, key, log in zip(sessions, keys, batch.column(self._log)):
                cohort = self._cohorts.get(key)
                if cohort is None and len(self._cohorts) >= self._cohorts_max:
                    busy_ns += time.thread_time_ns() - start
                    yield from self._sums()
                    start = time.thread_time_ns()
                self._add(session, key, log)
            rows += batch.num_rows
            busy_ns += time.thread_time_ns() - start
            if self._damaged:
                yield _batch(self._damaged)
                self._damaged = []
        start = time.thread_time_ns()
        for sums in self._sums():
            busy_ns += time.thread_time_ns() - start
            yield sums
            start = time.thread_time_ns()
        yield _batch([{"kind": "task", "sessions": rows, "busy_ns": busy_ns}])

    def _add(self, session: str | None, key: tuple[str | None, ...], log: pa.Scalar) -> None:
        """Decides a log, and counts it or its damage."""
        problem = "the session is null" if session is None else None
        cohort = self._cohorts.get(key)
        if cohort is None:
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
                cohort = self._cohorts.get(key)
            if cohort is None:
                cohort = self._cohorts[key] = _Cohort(self._sweeper.counts())
        offset, events = None, 0
        if problem is None or self._salvage:
            try:
                swept = self._sweeper.add(_buffer(log), cohort.counts, salvage=self._salvage)
                cohort.add(swept)
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
                    "kind": "session", "session": session, "cohort": key, "problem": problem, "offset": offset,
                    "events": events,
                }
            )

    def _sums(self) -> Iterator[pa.RecordBatch]:
        """The rows of all cohorts, which begin anew."""
        cohorts, self._cohorts = self._cohorts, {}
        if cohorts:
            yield _batch([{"kind": "cohort", "cohort": key, **cohort.figures} for key, cohort in cohorts.items()])
        while cohorts:
            key, cohort = cohorts.popitem()
            yield _policy_rows(key, cohort)


def _policy_rows(key: tuple[str | None, ...], cohort: _Cohort) -> pa.RecordBatch:
    """The counts of one cohort, with the histograms' buckets that have any."""
    counts = cohort.counts
    policies = len(counts)
    rows, buckets = np.nonzero(counts[:, LAG])
    ends = np.zeros(policies + 1, dtype=np.int32)
    np.cumsum(np.bincount(rows, minlength=policies), out=ends[1:])
    reasons = np.ascontiguousarray(counts[:, REBUILDS])
    columns = {
        "kind": pa.array(["policy"] * policies, pa.string()),
        "cohort": pa.array([list(key)] * policies, pa.list_(pa.string())),
        "policy": pa.array(np.arange(policies, dtype=np.int32)),
        **{name: pa.array(np.full(policies, cohort.figures[name])) for name in ("sessions", "events", "connections")},
        "rebuilds": pa.ListArray.from_arrays(
            pa.array(np.arange(policies + 1, dtype=np.int32) * reasons.shape[1]), pa.array(reasons.ravel())
        ),
        "previews": pa.array(np.ascontiguousarray(counts[:, PREVIEWS])),
        "wasted": pa.array(np.ascontiguousarray(counts[:, WASTED])),
        "released": pa.array(np.ascontiguousarray(counts[:, RELEASED])),
        "lag_buckets": pa.ListArray.from_arrays(pa.array(ends), pa.array(buckets.astype(np.int32))),
        "lag_counts": pa.ListArray.from_arrays(pa.array(ends), pa.array(counts[:, LAG][rows, buckets])),
    }
    return pa.RecordBatch.from_arrays(
        [columns[field.name] if field.name in columns else pa.nulls(policies, field.type) for field in _ARROW],
        schema=_ARROW,
    )


def _batch(rows: list[dict]) -> pa.RecordBatch:
    for row in rows:
        if "cohort" in row:
            row["cohort"] = list(row["cohort"])
    return pa.RecordBatch.from_pylist(rows, schema=_ARROW)


def _texts(column: pa.Array) -> list[str | None]:
    return column.cast(pa.string()).to_pylist()


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
