"""The second stage of a fleet's run: the tasks' partial sums are added up and written.

Partial sums of a cohort and a policy are sorted next to each other by Spark, which spills to disk, and
added up as they pass. So neither a task nor the driver keeps more than one cohort's histogram of one
policy, however many tasks, cohorts and policies there are.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from ._library import ffi, lib
from .fleet_task import COHORT_FIGURES, SCHEMA, TYPES
from .policy import Policy
from .sweeper import LAG

#: The reasons of a rebuild in the order of their counts, as the contract names them.
REASONS = tuple(
    ffi.string(lib.settle_reason_name(lib.SETTLE_REBUILD_INTERACTION_ENDED + number)).decode()
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
#: Of the first stage's rows: the integers of a policy's row, and all of its columns.
PARTIAL_FIGURES = ("sessions", "events", "connections", "previews", "wasted", "released")
PARTIAL = ("cohort", "policy", "rebuilds", *PARTIAL_FIGURES, "lag_buckets", "lag_counts")
#: The columns of `cohorts` and of `damaged` after those of the cohort.
COHORTS = COHORT_FIGURES
DAMAGED = ("session", "problem", "offset", "events")
#: Partial sums that one task of this stage adds up.
ROWS_PER_TASK = 500_000
ROWS_PER_BATCH = 256


def quantile_ns(lag: np.ndarray, permille: int) -> int:
    """The largest lag of a quantile's bucket, as `settle_lag_quantile`; -1 for the last bucket."""
    value = lib.settle_lag_quantile(ffi.cast("uint64_t *", ffi.from_buffer(lag)), permille)
    return -1 if value >= 1 << 63 else value


def write(spark: Any, parts: str, output: str, policies: Sequence[Policy], columns: Sequence[str]) -> dict[str, int]:
    """Adds up the rows of the first stage, and writes the tables `sums`, `cohorts` and `damaged`.

    Returns:
        What the tasks of the first stage took: `tasks`, `sessions` and `busy_ns`.
    """
    from pyspark.sql import functions as F

    rows = spark.read.schema(SCHEMA).parquet(parts)
    found = rows.groupBy("kind").agg(
        F.count("*").alias("rows"), *(F.sum(name).alias(name) for name in ("sessions", "busy_ns"))
    )
    kinds = {row["kind"]: row for row in found.collect()}
    numbers = {kind: row["rows"] for kind, row in kinds.items()}
    task = kinds.get("task")
    took = {"tasks": numbers.get("task", 0), **{name: task[name] if task else 0 for name in ("sessions", "busy_ns")}}

    cohorts = rows.where("kind = 'cohort'").groupBy("cohort").agg(*(F.sum(name).alias(name) for name in COHORT_FIGURES))
    _write(_ordered(cohorts, ["cohort"], numbers.get("cohort", 0)), columns, COHORTS, f"{output}/cohorts")
    damaged = rows.where("kind = 'session'").select("cohort", *DAMAGED)
    _write(
        _ordered(damaged, ["session", "cohort", "problem", "offset", "events"], numbers.get("session", 0)), columns,
        DAMAGED, f"{output}/damaged",
    )

    partial = _ordered(rows.where("kind = 'policy'").select(*PARTIAL), ["cohort", "policy"], numbers.get("policy", 0))
    texts = [json.dumps(policy.to_json(), separators=(",", ":")) for policy in policies]
    schema = "`cohort` array<string>, " + ", ".join(f"`{name}` {kind}" for name, kind in SUMS.items())
    _write(partial.mapInArrow(_merging(texts), schema), columns, tuple(SUMS), f"{output}/sums")
    return took


def _ordered(frame: Any, keys: Sequence[str], rows: int) -> Any:
    """The rows sorted by some columns, over all files in the order of their names. Rows that have the keys
    in common are in one partition."""
    partitions = -(-rows // ROWS_PER_TASK)
    if partitions <= 1:
        return frame.repartition(1).sortWithinPartitions(*keys)
    return frame.repartitionByRange(partitions, *keys).sortWithinPartitions(*keys)


def _write(frame: Any, columns: Sequence[str], names: Sequence[str], path: str) -> None:
    """Writes a table with a column for each of the cohort's values."""
    from pyspark.sql import functions as F

    values = [F.col("cohort")[number].alias(name) for number, name in enumerate(columns)]
    frame.select(*values, *names).write.mode("overwrite").parquet(path)


def _merging(texts: Sequence[str]) -> Callable[[Iterable[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    """A function for mapInArrow that adds up rows which are sorted by cohort and policy."""

    def merge(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        done: list[dict] = []
        sums: _Sums | None = None
        for batch in batches:
            for row in _rows(batch):
                if sums is None or (sums.cohort, sums.policy) != row[:2]:
                    if sums is not None:
                        done.append(sums.row(texts))
                    sums = _Sums(*row[:2])
                sums.add(*row[2:])
                if len(done) >= ROWS_PER_BATCH:
                    yield _batch(done)
                    done = []
        if sums is not None:
            done.append(sums.row(texts))
        yield _batch(done)

    return merge


def _rows(batch: pa.RecordBatch) -> Iterator[tuple]:
    """Cohort, policy, the integers, and the histogram of each row, as views of the batch's memory."""
    cohorts = batch.column("cohort").to_pylist()
    policies = batch.column("policy").to_pylist()
    reasons = batch.column("rebuilds")
    reasons = reasons.flatten().to_numpy().reshape(batch.num_rows, len(REASONS))
    others = np.stack([batch.column(name).to_numpy() for name in PARTIAL_FIGURES], axis=1)
    integers = np.concatenate([others, reasons], axis=1)
    for row, (buckets, counts) in enumerate(histograms(batch)):
        yield cohorts[row], policies[row], integers[row], buckets, counts


def histograms(batch: pa.RecordBatch) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """The buckets and counts of each row."""
    lag = batch.column("lag_buckets")
    buckets, counts = lag.flatten().to_numpy(), batch.column("lag_counts").flatten().to_numpy()
    ends = np.cumsum(lag.value_lengths().to_numpy())[:-1]
    return zip(np.split(buckets, ends), np.split(counts, ends)) if batch.num_rows else iter(())


class _Sums:
    """The sums of a cohort and a policy so far."""

    __slots__ = ("cohort", "policy", "_integers", "_lag")

    def __init__(self, cohort: list[str | None], policy: int) -> None:
        self.cohort, self.policy = cohort, policy
        self._integers = np.zeros(len(PARTIAL_FIGURES) + len(REASONS), dtype=np.int64)
        self._lag = np.zeros(LAG_BUCKETS, dtype=np.int64)

    def add(self, integers: np.ndarray, buckets: np.ndarray, counts: np.ndarray) -> None:
        self._integers += integers
        self._lag[buckets] += counts
        # All are at least 0, so that a sum below it has passed 2^63.
        if self._integers.min() < 0 or self._lag.min() < 0:
            raise OverflowError(
                f"settle fleet: the sums of cohort {self.cohort} and policy {self.policy} exceed 2^63 - 1; split the"
                " sessions into several runs"
            )

    def row(self, texts: Sequence[str]) -> dict:
        others = dict(zip(PARTIAL_FIGURES, self._integers.tolist()))
        reasons = self._integers[len(PARTIAL_FIGURES) :]
        (buckets,) = np.nonzero(self._lag)
        return {
            "cohort": self.cohort, "policy": self.policy, "policy_json": texts[self.policy], **others,
            "rebuilds": int(reasons.sum()),
            **{f"rebuilds_{reason}": count for reason, count in zip(REASONS, reasons.tolist())}, "lag_buckets": buckets,
            "lag_counts": self._lag[buckets],
            **{name: quantile_ns(self._lag, permille) for name, permille in QUANTILES},
        }


_TYPES = {spark: arrow for arrow, spark in TYPES.items()}
_ARROW = pa.schema([("cohort", pa.list_(pa.string())), *((name, _TYPES[kind]) for name, kind in SUMS.items())])


def _batch(rows: list[dict]) -> pa.RecordBatch:
    return pa.RecordBatch.from_pylist(rows, schema=_ARROW)
