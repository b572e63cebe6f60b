"""A fleet's output folder: its tables, read cohort by cohort, with the front of each.

Needs PyArrow, and no Spark.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import repeat
from pathlib import Path
from typing import Any, TextIO
from uuid import uuid4

import numpy as np
import pyarrow as pa
import pyarrow.parquet

from .._html import seconds, table
from .._library import VERSION, ffi, lib
from .._messages import escaped
from .._sweep import bucket_of, front_of, points_of
from ..errors import PolicyError
from ._folder import MARK, SUCCESS, TIMES
from ._input import FleetError, check_cohort, first_line
from ._sums import COHORTS, DAMAGED, LAG_BUCKETS, QUANTILES, REASONS, SUMS, SUMS_ARROW, lags_of, quantile_ns
from ._task import ARROW, Key
from ..policy import NEVER, Policy

#: Names that no cohort column may have, because the outputs' other columns have them.
TAKEN = tuple(dict.fromkeys((*SUMS, *COHORTS, *DAMAGED)))
VERSION_OF_OUTPUT = 3
_AGAIN = "run settle-fleet again with --force"
#: A policy's figures, in the order of the export's keys.
FIGURES = ("rebuilds", "previews", "wasted", *(name for name, _ in QUANTILES))
#: The tables, and the columns of each after those of the cohort.
_TABLES = {"sums": tuple(SUMS), "cohorts": COHORTS, "damaged": DAMAGED}
_TYPES_READ = {field.name: field.type for field in (*ARROW, *SUMS_ARROW) if field.name in TAKEN}
_READ_ROWS = 1024
#: The most cohorts that a notebook shows.
_SHOWN_MAX = 20
#: A policy's rebuilds by what they waited for.
_WAITED = (*(f"rebuilds_{reason}" for reason in REASONS), "released")
_NOTHING = 2**32 - 1


@dataclass(frozen=True, slots=True)
class Cohort:
    """The sums of some sessions.

    Attributes:
        values: The values of the cohort's columns; None for all cohorts together.
        sessions: The sessions that count, whole or in part.
        events: Their events.
        connections: How many scenes connected.
        damaged: The sessions with damage.
        without_index: The sessions that count and have no index, so that nobody knows whether they are whole.
        baselines: Rebuilds and wasted ones of them: of a rebuild at every change, and of a 100 ms debounce.
        figures: By the names in `FIGURES`, for each policy an int64; lags in ns, -1 for 18 minutes or more.
        front: The indices of the policies that no other is better than, by rising rebuilds.
        knee: The index of the policy at the front's knee, or None.
        unexercised: The durations that fewer than 30 rebuilds under today's policy waited for, by their names in a
            policy file. They stay as they are in what is advised.
    """

    values: tuple[str | None, ...] | None
    sessions: int
    events: int
    connections: int
    damaged: int
    without_index: int
    baselines: tuple[int, int, int, int]
    figures: dict[str, np.ndarray]
    front: list[int]
    knee: int | None
    unexercised: tuple[str, ...]


class Fleet:
    """The output folder of a fleet's run.

    Args:
        folder: The folder, on this machine.

    Raises:
        FleetError: It is none, or the run has not ended. The methods raise one for a table that is damaged, or
            lacks files.
    """

    def __init__(self, folder: str | Path) -> None:
        self.folder = Path(folder)
        shown = escaped(str(folder))
        try:
            mark = json.loads((self.folder / MARK).read_text(encoding="utf-8"))
        except (OSError, ValueError):
            raise FleetError(f"{shown}: this is no output folder of settle-fleet") from None
        version = mark.get("version") if isinstance(mark, dict) else None
        if version != VERSION_OF_OUTPUT:
            raise FleetError(
                f"{shown}: the output has version {escaped(str(version)[:40])}, and this package reads"
                f" {VERSION_OF_OUTPUT}"
            )
        if not (self.folder / SUCCESS).exists():
            raise FleetError(f"{shown}: the run that wrote this folder has not ended; run it again with --force")
        try:
            self.columns: tuple[str, ...] = tuple(mark["columns"])
            self.policies: tuple[Policy, ...] = tuple(Policy.from_json(policy) for policy in mark["policies"])
            self.today: int = mark["today"]
            self.policies[self.today]
            self.salvaged: bool = mark["salvaged"]
            #: The runs whose sessions are in it; none is known of an output before there were such names.
            self.runs: tuple[str, ...] = tuple(mark.get("runs", ()))
        except (PolicyError, KeyError, TypeError, IndexError):
            raise FleetError(f"{shown}: the file {MARK} is damaged; {_AGAIN}") from None
        self._changes = [policy._changes(self.policies[self.today]) for policy in self.policies]
        self._names = tuple(self.policies[self.today].to_json())
        self.total: Cohort | None = None

    def _repr_html_(self) -> str:
        """What notebooks show: the first cohorts, and all together."""
        rows: list[list[object]] = []
        found = 0
        for cohort in self.cohorts():
            found += 1
            if found <= _SHOWN_MAX:
                rows.append(self._shown(cohort))
        total = self.total
        assert total is not None
        rows.append(self._shown(total))
        more = f", {found - _SHOWN_MAX:,} of them not shown" if found > _SHOWN_MAX else ""
        caption = f"{total.sessions:,} sessions under {len(self.policies):,} policies; {found:,} cohorts{more}"
        head = ["cohort", "sessions", "damaged", "rebuilds today", "p95 lag today", "on the front", "rebuilds at knee"]
        return table(head, rows, caption, frozenset([len(rows) - 1]))

    def _shown(self, cohort: Cohort) -> list[object]:
        values = ["null" if value is None else value for value in cohort.values or ()]
        lag_ns = int(cohort.figures["p95_ns"][self.today])
        return [
            "all" if cohort.values is None else ", ".join(values), cohort.sessions, cohort.damaged,
            int(cohort.figures["rebuilds"][self.today]), "18 min or more" if lag_ns < 0 else seconds(lag_ns),
            len(cohort.front), "–" if cohort.knee is None else int(cohort.figures["rebuilds"][cohort.knee]),
        ]

    def damaged(self) -> Iterator[dict]:
        """The damaged sessions by their names: `session`, `problem`, `offset`, `events`, and the cohort's columns."""
        for batch in self._batches("damaged"):
            yield from batch.to_pylist()

    def damaged_table(self) -> pa.Table:
        """The same as a table."""
        names = [*self.columns, *DAMAGED]
        return pa.Table.from_batches([batch.select(names) for batch in self._batches("damaged")], _schema(names))

    def sessions_read(self) -> int:
        """The rows of the input, with those of damaged sessions. Raises FleetError: nobody knows."""
        try:
            return int(json.loads((self.folder / TIMES).read_text(encoding="utf-8"))["sessions"])
        except (OSError, ValueError, KeyError, TypeError):
            raise FleetError(f"{escaped(str(self.folder))}: the file {TIMES} is damaged; {_AGAIN}") from None

    def cohorts(self) -> Iterator[Cohort]:
        """The cohorts by their values, null first. After the last one `total` is all cohorts together."""
        policies = len(self.policies)
        total = np.zeros((policies, LAG_BUCKETS), dtype=np.int64)
        sums = {name: np.zeros(policies, dtype=np.int64) for name in FIGURES[:3]}
        others = np.zeros(len(COHORTS), dtype=np.int64)
        waited = np.zeros(len(_WAITED), dtype=np.int64)
        for values, numbers, rows in self.sums():
            figures = {name: rows.column(name).to_numpy().copy() for name in FIGURES}
            places, counts = lags_of(rows, LAG_BUCKETS, 0)
            total.reshape(-1)[places] += counts
            own = np.array([rows.column(name)[self.today].as_py() for name in _WAITED], np.int64)
            for name, sum_ in sums.items():
                sum_ += figures[name]
            others += numbers
            waited += own
            yield self._cohort(values, numbers.tolist(), figures, own)
        figures = sums | {
            name: np.array([quantile_ns(lag, permille) for lag in total], dtype=np.int64)
            for name, permille in QUANTILES
        }
        all_together = self._cohort(None, others.tolist(), figures, waited)
        if sum(batch.num_rows for batch in self._batches("damaged")) != all_together.damaged:
            raise self._contradiction("damaged")
        self.total = all_together

    def sums(self) -> Iterator[tuple[Key, np.ndarray, pa.RecordBatch]]:
        """The cohorts by their values, null first: those values, the figures by `COHORTS`, and the rows of the table
        `sums`, one for each policy."""
        rows = self._rows_of_cohorts()
        expected = pa.array(np.arange(len(self.policies), dtype=np.int32))
        for batch in self._batches("cohorts"):
            figures = np.stack([batch.column(name).to_numpy() for name in COHORTS], axis=1)
            keys = zip(*(batch.column(name).to_pylist() for name in self.columns)) if self.columns else repeat(())
            for key, own in zip(keys, figures):
                found = next(rows, None)
                if (
                    found is None
                    or not found.column("policy").equals(expected)
                    or any(
                        found.column(name).unique().to_pylist() != [value] for name, value in zip(self.columns, key)
                    )
                ):
                    raise self._contradiction("sums")
                yield key, own, found
        if next(rows, None) is not None:
            raise self._contradiction("sums")

    def _rows_of_cohorts(self) -> Iterator[pa.RecordBatch]:
        """As many rows of `sums` at a time as there are policies."""
        held: list[pa.RecordBatch] = []
        lacking = len(self.policies)
        for batch in self._batches("sums"):
            while batch.num_rows:
                held.append(batch.slice(0, lacking))
                batch = batch.slice(lacking)
                lacking -= held[-1].num_rows
                if not lacking:
                    yield _joined(held)
                    held, lacking = [], len(self.policies)
        if held:
            yield _joined(held)

    def _contradiction(self, table: str) -> FleetError:
        return FleetError(
            f"{escaped(str(self.folder))}: the tables {table} and cohorts contradict each other, as if files were"
            f" missing; {_AGAIN}"
        )

    def write_json(self, output: TextIO) -> None:
        """Writes the export that `settle report` reads: one JSON object."""
        # The sums of all are in its head, so the cohorts are read twice.
        for _ in self.cohorts():
            pass
        total = self.total
        assert total is not None
        head = {
            "settle": "fleet", "version": 1, "generator": f"settle {VERSION}", "columns": list(self.columns),
            "policies": [policy.to_json() for policy in self.policies], "today": self.today, "sessions": total.sessions,
            "damaged": total.damaged, "withoutIndex": total.without_index,
        }
        output.write(_json(head)[:-1] + ',"cohorts":[')
        for number, cohort in enumerate(self.cohorts()):
            output.write((",\n" if number else "\n") + _json(_object(cohort)))
        output.write('],\n"total":' + _json(_object(total)) + "}\n")

    def advised(self, cohort: Cohort, p95_lag_ns: int | None = None) -> int | None:
        """The index of the policy to take, as `settle tune` advises.

        Args:
            cohort: One of `cohorts()`, or `total`.
            p95_lag_ns: The longest p95 lag. Without it the policy has neither more rebuilds nor more wasted ones than
                today's.

        Returns:
            None if no policy that leaves `cohort.unexercised` as today is within the bound.
        """
        bound = _NOTHING if p95_lag_ns is None else bucket_of(p95_lag_ns)
        unexercised = sum(1 << number for number, name in enumerate(self._names) if name in cohort.unexercised)
        points = points_of(cohort.figures, self._changes)
        index = lib.settle_advise(points, len(self._changes), self.today, unexercised, bound, NEVER)
        return None if index == _NOTHING else index

    def _unexercised(self, waited: np.ndarray) -> tuple[str, ...]:
        counts = ffi.new("settle_sweep_counts *")
        counts.rebuilds, counts.released = waited[:-1].tolist(), int(waited[-1])
        bits = lib.settle_unexercised(counts)
        return tuple(name for number, name in enumerate(self._names) if bits >> number & 1)

    def _cohort(
        self, values: tuple[str | None, ...] | None, numbers: list[int], figures: dict[str, np.ndarray],
        waited: np.ndarray,
    ) -> Cohort:
        front, knee = front_of(figures, self._changes)
        sessions, events, connections, damaged, without_index, *others = numbers
        every, every_wasted, debounce, debounce_wasted = others
        baselines = (every, every_wasted, debounce, debounce_wasted)
        return Cohort(
            values, sessions, events, connections, damaged, without_index, baselines, figures, front, knee,
            self._unexercised(waited),
        )

    def _batches(self, table: str) -> Iterator[Any]:
        files = sorted((self.folder / table).glob("part-*.parquet"))
        if not files:
            raise FleetError(f"{escaped(str(self.folder / table))}: this table has no files; {_AGAIN}")
        for file in files:
            shown = escaped(str(file))
            try:
                opened = pyarrow.parquet.ParquetFile(file, page_checksum_verification=True)
                names = opened.schema_arrow.names
                lacks = next((name for name in (*self.columns, *_TABLES[table]) if name not in names), None)
                if lacks is not None:
                    raise FleetError(f"{shown}: there is no column '{escaped(lacks)}'; {_AGAIN}")
                for batch in opened.iter_batches(_READ_ROWS):
                    _check_values(batch, table)
                    yield batch
            except (pa.ArrowException, OSError, ValueError, OverflowError) as error:
                raise FleetError(f"{shown}: the table is damaged: {first_line(error)}; {_AGAIN}") from None


def _check_values(batch: pa.RecordBatch, table: str) -> None:
    """Checks what is read of a table. Raises ValueError: text is no UTF-8, or a column has another type than was
    written, or lacks numbers."""
    batch.validate(full=True)
    for field, column in zip(batch.schema, batch.columns):
        expected, values, inner = _TYPES_READ.get(field.name, pa.string()), column, field
        if pa.types.is_list(expected) and pa.types.is_list(field.type):
            expected, values, inner = expected.value_type, column.flatten(), field.type.value_field
        # If nulls were not allowed, the levels that say where they are would be read as values.
        if values.type != expected or not (field.nullable and inner.nullable):
            raise ValueError(f"the column '{escaped(field.name)}' is another one than was written")
        if table != "damaged" and expected != pa.string() and column.null_count + values.null_count:
            raise ValueError(f"the column '{escaped(field.name)}' lacks numbers")


def _schema(names: Sequence[str]) -> pa.Schema:
    return pa.schema([(name, pa.int64() if name in ("offset", "events") else pa.string()) for name in names])


def _joined(batches: list[pa.RecordBatch]) -> pa.RecordBatch:
    return pa.Table.from_batches(batches).combine_chunks().to_batches()[0]


def mark_of(
    policies: Sequence[Policy], cohort: Sequence[str], today: int, salvage: bool, runs: Sequence[str] | None = None
) -> tuple[str, str]:
    """The file that says what a folder is, of a new run or of several. Raises PolicyError: there is no policy, or no
    one of today; TypeError: the cohort is text."""
    check_cohort(cohort)
    if not policies or not 0 <= today < len(policies):
        raise PolicyError(f"there must be a policy, and today's index {today} below their number {len(policies)}")
    mark = {
        "settle": "fleet-output", "version": VERSION_OF_OUTPUT, "generator": f"settle {VERSION}",
        "columns": list(cohort), "policies": [policy.to_json() for policy in policies], "today": today,
        "salvaged": salvage, "runs": [uuid4().hex] if runs is None else list(runs),
    }
    return MARK, json.dumps(mark, ensure_ascii=False)


def _object(cohort: Cohort) -> dict:
    every, every_wasted, debounce, debounce_wasted = cohort.baselines
    return {
        **({} if cohort.values is None else {"cohort": list(cohort.values)}), "sessions": cohort.sessions,
        "events": cohort.events, "damaged": cohort.damaged, "withoutIndex": cohort.without_index,
        "everyChange": {"rebuilds": every, "wasted": every_wasted},
        "debounce": {"rebuilds": debounce, "wasted": debounce_wasted},
        **{name: cohort.figures[name].tolist() for name in FIGURES}, "front": cohort.front, "knee": cohort.knee,
        "unexercised": list(cohort.unexercised),
    }


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
