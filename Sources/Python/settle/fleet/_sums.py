"""Partial sums of a fleet's run are added up, and become the rows of its tables.

They are sorted by cohort and policy, so that only one cohort's counts under at most 256 policies are kept, however
many tasks, cohorts and policies there are.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from .._library import ffi, lib, word
from ._task import BLOCK, CELL, COHORT_FIGURES, COUNT, TYPES, Key
from ..policy import Policy
from ..sweeper import COLUMNS, LAG, PREVIEWS, REBUILDS, RELEASED, WASTED

#: The reasons of a rebuild in the order of their counts, as the contract names them.
REASONS = tuple(
    word(lib.settle_reason_name, lib.SETTLE_REBUILD_INTERACTION_ENDED + number)
    for number in range(lib.SETTLE_SWEEP_REASONS)
)
LAG_BUCKETS = LAG.stop - LAG.start
QUANTILES = (("p50_ns", 500), ("p95_ns", 950), ("p99_ns", 990))
#: The columns of the table `sums` after those of the cohort.
SUMS = {
    "policy": "int", "policy_json": "string", "sessions": "bigint", "events": "bigint", "connections": "bigint",
    "rebuilds": "bigint", **{f"rebuilds_{reason}": "bigint" for reason in REASONS}, "previews": "bigint",
    "wasted": "bigint", "released": "bigint", "lag_buckets": "array<int>", "lag_counts": "array<bigint>",
    **{name: "bigint" for name, _ in QUANTILES},
}
#: The columns of `cohorts` and of `damaged` after those of the cohort.
COHORTS = COHORT_FIGURES
DAMAGED = ("session", "problem", "offset", "events")
#: The counts of a policy that have columns of their own in `sums`.
_COUNTED = (
    *((f"rebuilds_{reason}", REBUILDS.start + number) for number, reason in enumerate(REASONS)),
    ("previews", PREVIEWS), ("wasted", WASTED), ("released", RELEASED),
)
_ARROW_TYPES = {spark: arrow for arrow, spark in TYPES.items()}
SUMS_ARROW = pa.schema([(name, _ARROW_TYPES[kind]) for name, kind in SUMS.items()])


@dataclass(slots=True)
class Part:
    """A partial sum: a cohort's figures, and its counts under some policies."""

    key: Key
    #: The first of at most `BLOCK` policies.
    first: int
    #: By `COHORT_FIGURES`.
    figures: np.ndarray
    #: Counts that are not 0, and where each stands in the row-major array of policies × `COLUMNS`.
    cells: np.ndarray
    counts: np.ndarray


def parts_of(batch: pa.RecordBatch) -> Iterator[Part]:
    """The partial sums of a worker's rows, without those of other kinds."""
    if "kind" in batch.schema.names:
        is_sum = pc.equal(batch.column("kind"), "sums")
        if not pc.all(is_sum).as_py():
            batch = batch.filter(is_sum)
    figures = np.stack([batch.column(name).to_numpy() for name in COHORT_FIGURES], axis=1)
    columns = (batch.column(name) for name in ("cells", "counts"))
    keys, firsts = batch.column("cohort").to_pylist(), batch.column("policy").to_pylist()
    for key, first, own, cells, counts in zip(keys, firsts, figures, *columns):
        yield Part(
            tuple(key), first, own, np.frombuffer(cells.as_buffer(), CELL), np.frombuffer(counts.as_buffer(), COUNT)
        )


def added(parts: Iterable[Part], policies: int) -> Iterator[Part]:
    """Adds up partial sums that are sorted by cohort and policy. The sums' counts are arrays of policies × columns,
    which the next sum overwrites; `cells` has where they are not 0."""
    sum_: Part | None = None
    array = np.zeros((BLOCK, COLUMNS), np.int64)

    def finished(sum_: Part) -> Part:
        (sum_.cells,) = np.nonzero(sum_.counts.reshape(-1) != 0)
        return sum_

    for part in parts:
        if sum_ is None or (sum_.key, sum_.first) != (part.key, part.first):
            if sum_ is not None:
                yield finished(sum_)
                sum_.counts.reshape(-1)[sum_.cells] = 0
            counts = array[: min(BLOCK, policies - part.first)]
            sum_ = Part(part.key, part.first, np.zeros(len(COHORT_FIGURES), np.int64), part.cells[:0], counts)
        flat = sum_.counts.reshape(-1)
        values = flat[part.cells] + part.counts
        flat[part.cells] = values
        sum_.figures += part.figures
        # All are at least 0, so that a sum below it has passed 2^63.
        if sum_.figures.min() < 0 or values.min(initial=0) < 0:
            raise OverflowError(
                f"settle fleet: the sums of cohort {list(part.key)} and the policies from {part.first} on exceed"
                " 2^63 - 1; split the sessions into several runs"
            )
    if sum_ is not None:
        yield finished(sum_)


def sums_rows(sum_: Part, texts: pa.Array) -> list[pa.Array]:
    """The columns of `sums` without those of the cohort, a row for each policy of a sum. `texts` are all policies."""
    counts = sum_.counts
    count, first = len(counts), sum_.first
    rows, at = np.divmod(sum_.cells.astype(np.int32), np.int32(COLUMNS))
    is_lag = at >= LAG.start
    rows, lags = rows[is_lag], pa.array(counts.reshape(-1)[sum_.cells[is_lag]])
    ends = np.zeros(count + 1, np.int32)
    np.cumsum(np.bincount(rows, minlength=count), out=ends[1:])
    figures = dict(zip(COHORT_FIGURES, sum_.figures.tolist()))
    base, quantile = ffi.cast("uint64_t *", ffi.from_buffer(counts)) + LAG.start, lib.settle_lag_quantile
    columns = {
        "policy": pa.array(np.arange(first, first + count, dtype=np.int32)),
        "policy_json": texts.slice(first, count),
        **{name: pa.array(np.full(count, figures[name])) for name in ("sessions", "events", "connections")},
        "rebuilds": pa.array(counts[:, REBUILDS].sum(axis=1)),
        **{name: pa.array(np.ascontiguousarray(counts[:, column])) for name, column in _COUNTED},
        "lag_buckets": pa.ListArray.from_arrays(pa.array(ends), pa.array(at[is_lag] - np.int32(LAG.start))),
        "lag_counts": pa.ListArray.from_arrays(pa.array(ends), lags),
        **{
            # As int64, in which the last bucket is -1.
            name: pa.array(
                np.array([quantile(base + row * COLUMNS, permille) for row in range(count)], np.uint64).view(np.int64)
            )
            for name, permille in QUANTILES
        },
    }
    return [columns[name] for name in SUMS]


def parts_of_rows(key: Key, figures: np.ndarray, table: pa.RecordBatch) -> Iterator[Part]:
    """The inverse of `sums_rows`: the rows of `sums` of one cohort, from policy 0 on."""
    for first in range(0, table.num_rows, BLOCK):
        rows = table.slice(first, BLOCK)
        counts = np.zeros((rows.num_rows, COLUMNS), np.int64)
        for name, column in _COUNTED:
            counts[:, column] = rows.column(name).to_numpy()
        places, values = lags_of(rows)
        counts.reshape(-1)[places] = values
        flat = counts.reshape(-1)
        (cells,) = np.nonzero(flat != 0)
        yield Part(key, first, figures, cells, flat[cells])


def lags_of(rows: pa.RecordBatch, columns: int = COLUMNS, lag: int = LAG.start) -> tuple[np.ndarray, np.ndarray]:
    """The histograms of rows of `sums`: where each count stands in a row-major array of rows × columns whose lags begin
    at the column `lag`, and the counts."""
    lengths = rows.column("lag_buckets").value_lengths().to_numpy()
    starts = np.repeat(np.arange(rows.num_rows) * columns + lag, lengths)
    return starts + rows.column("lag_buckets").flatten().to_numpy(), rows.column("lag_counts").flatten().to_numpy()


def texts_of(policies: Sequence[Policy]) -> pa.Array:
    return pa.array([json.dumps(policy.to_json(), separators=(",", ":")) for policy in policies], pa.string())


def quantile_ns(lag: np.ndarray, permille: int) -> int:
    """The largest lag of a quantile's bucket, as `settle_lag_quantile`; -1 for the last bucket."""
    value = lib.settle_lag_quantile(ffi.cast("uint64_t *", ffi.from_buffer(lag)), permille)
    return -1 if value >= 1 << 63 else value
