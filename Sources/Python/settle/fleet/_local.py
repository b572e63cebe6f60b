"""A fleet's run on this machine, without Spark: threads decide, and their partial sums are added up."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from queue import SimpleQueue
from typing import Any
from urllib.parse import unquote

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from .._messages import escaped
from .._workers import Workers
from ._folder import PARTS, Files, Folder
from ._input import FleetError, check_input, check_schema, check_sums, first_line, folder_columns
from ._output import TAKEN, mark_of
from ._sums import COHORTS, DAMAGED, SUMS_ARROW, Part, added, parts_of, sums_rows, texts_of
from ._task import ARROW, MEMORY_MAX, order, sweeping
from ..policy import Policy

#: Sessions that a thread takes at a time: few, so that all threads end at about the same time.
_BATCH_ROWS = 64
#: The rows of `cohorts` and `sums` that are written at once.
_GROUP_ROWS = 65_536
#: The folder's name for a value that is null.
_NULL = "__HIVE_DEFAULT_PARTITION__"


def run_local(
    input: Any, output: str | Path, policies: Sequence[Policy], *, today: int = 0, cohort: Sequence[str] = (),
    session: str = "session", log: str = "log", salvage: bool = False, jobs: int | None = None, force: bool = False,
    memory_max: int = MEMORY_MAX, progress: Callable[[int], None] = lambda sessions: None,
    damaged_names: bool = False, sums: bool = False,
) -> dict[str, int]:
    """Decides all sessions under all policies on this machine, and writes the same folder as `run`.

    Args:
        input: A Parquet file or a folder of them, with a row for each session; or a table, dataset or stream of
            PyArrow, or another object with `__arrow_c_stream__`.
        output: The folder to write.
        policies, today, cohort, session, log, salvage, force, damaged_names, sums: As for `run`.
        jobs: How many threads decide; by default as many as there are processors.
        memory_max: Bytes of counts that each thread keeps; beyond them they go to a file within the output.
        progress: Is called now and then with the number of sessions that have been read, by any thread.

    Returns:
        What the threads took: `tasks`, their number, `sessions` and `busy_ns`, their processor time.

    Raises:
        FleetError: The input cannot be read, or is not as it must be, or the output must not be replaced. There is no
            new output.
        PolicyError: There is no policy, or no one of today.
        OSError: The output cannot be written.
        TypeError: `cohort` is text and no sequence of it.
        ValueError: `jobs` is below 1.
    """
    if jobs is None:
        jobs = len(os.sched_getaffinity(0))
    if jobs < 1:
        raise ValueError(f"jobs is {jobs}; at least one thread decides")
    chosen = list(policies)
    mark = mark_of(chosen, cohort, today, salvage)
    columns = tuple(dict.fromkeys((session, log, *cohort)))
    expected = {"session": session, "log": log, "cohort": cohort, "taken": TAKEN}
    sessions = _Sessions(_batches(input, columns, expected), progress)
    check_sums(len(chosen), sums)
    free: SimpleQueue[str] = SimpleQueue()

    def work() -> None:
        """One worker, whose rows go to a file."""
        with pa.OSFile(free.get(), "wb") as sink, pa.ipc.new_file(sink, ARROW) as writer:
            for batch in sweep(sessions):
                writer.write_batch(batch)

    workers = Workers(jobs, work)
    sweep = sweeping(
        chosen, session, log, cohort, salvage, memory_max, damaged_names=damaged_names, sums=sums,
        step=lambda policies: workers.check(),
    )

    with Folder(os.path.abspath(output), Files(), force=force) as folder:
        folder.write(*mark)
        parts = Path(folder.place, PARTS)
        parts.mkdir()
        files = [str(parts / f"{number}.arrow") for number in range(jobs)]
        for file in files:
            free.put(file)
        with workers:
            workers.wait()
        readers = [pa.ipc.open_file(pa.memory_map(file)) for file in files]
        rows = [reader.get_batch(number) for reader in readers for number in range(reader.num_record_batches)]
        return _finish(folder, rows, chosen, cohort)


def save(
    rows: Iterable[pa.RecordBatch], output: str | Path, policies: Sequence[Policy], *, today: int = 0,
    cohort: Sequence[str] = (), salvage: bool = False, force: bool = False,
) -> dict[str, int]:
    """Adds up what `sweep_batches` with the same policies and columns returned, in any order, and writes the same
    folder as `run`. For Spark Connect and the like: `save(frame.mapInArrow(sweep, sweep.schema).toArrow().to_batches(),
    …)`. All rows are held in memory, some 130 bytes for each task, cohort and policy.

    Returns and raises as `run_local`.
    """
    chosen = list(policies)
    mark = mark_of(chosen, cohort, today, salvage)
    with Folder(os.path.abspath(output), Files(), force=force) as folder:
        folder.write(*mark)
        return _finish(folder, [batch for batch in rows if batch.num_rows], chosen, cohort)


class _Sessions:
    """Batches of sessions, one for each thread that asks."""

    def __init__(self, batches: Iterator[pa.RecordBatch], progress: Callable[[int], None]) -> None:
        self._batches = batches
        self._lock = threading.Lock()
        self._progress, self._rows = progress, 0

    def __iter__(self) -> Iterator[pa.RecordBatch]:
        while True:
            with self._lock:
                batch = next(self._batches, None)
                if batch is None:
                    return
                self._rows += batch.num_rows
                self._progress(self._rows)
            yield batch


def _batches(input: Any, columns: Sequence[str], expected: dict[str, Any]) -> Iterator[pa.RecordBatch]:
    """The input's batches. Raises FleetError: a column is not as expected."""
    if isinstance(input, (str, os.PathLike)):
        path = Path(input)
        return _of_files(check_input(path, **expected)[0], path, columns)
    if hasattr(input, "scanner"):
        check_schema(input.schema, **expected)
        input = input.scanner(columns=list(columns)).to_reader()
    reader = pa.RecordBatchReader.from_stream(input)
    check_schema(reader.schema, **expected)
    return (batch.slice(row, _BATCH_ROWS) for batch in reader for row in range(0, batch.num_rows, _BATCH_ROWS))


def _of_files(files: Sequence[str], root: Path, columns: Sequence[str]) -> Iterator[pa.RecordBatch]:
    for file in files:
        # What stands in folders' names, such as platform=x11, is text.
        of_folders = {
            name: None if value == _NULL else unquote(value) for name, value in folder_columns(file, root)
        }
        try:
            # Not more of a large row group in memory than is decoded.
            with pq.ParquetFile(file, page_checksum_verification=True, buffer_size=1 << 20) as opened:
                own = [name for name in columns if name in opened.schema_arrow.names]
                for batch in opened.iter_batches(_BATCH_ROWS, columns=own, use_threads=False):
                    arrays = [
                        batch.column(name) if name in own else _repeated(of_folders[name], batch.num_rows)
                        for name in columns
                    ]
                    yield pa.RecordBatch.from_arrays(arrays, columns)
        except (pa.ArrowException, OSError) as error:
            raise FleetError(f"{escaped(file)}: the file is damaged: {first_line(error)}") from None


def write_tables(
    place: str, parts: Iterable[Part], damaged: pa.Table, policies: Sequence[Policy], columns: Sequence[str]
) -> None:
    """Writes the tables of an output.

    Args:
        place: The folder.
        parts: The partial sums, sorted by cohort and policy.
        damaged: The damaged sessions, with the cohort's columns.
    """
    texts = texts_of(policies)
    values = [pa.field(name, pa.string()) for name in columns]
    with (
        _Table(place, "sums", [*values, *SUMS_ARROW]) as sums,
        _Table(place, "cohorts", [*values, *(pa.field(name, pa.int64()) for name in COHORTS)]) as cohorts,
        _Table(place, "damaged", [*values, *(ARROW.field(name) for name in DAMAGED)]) as sessions,
    ):
        for sum_ in added(parts, len(policies)):
            rows = sums_rows(sum_, texts)
            sums.add([*(_repeated(value, len(rows[0])) for value in sum_.key), *rows])
            if sum_.first == 0:
                figures = [pa.array([figure]) for figure in sum_.figures]
                cohorts.add([*(_repeated(value, 1) for value in sum_.key), *figures])
        for batch in _sorted(damaged.select([*columns, *DAMAGED]), columns).to_batches(_GROUP_ROWS):
            sessions.add(batch.columns)


def _sorted(damaged: pa.Table, columns: Sequence[str]) -> pa.Table:
    """The damaged sessions by name, cohort, problem, offset and events, null first."""
    keys: list[pa.ChunkedArray] = []
    for name in ("session", *columns, *DAMAGED[1:]):
        keys += [pc.is_valid(damaged[name]), damaged[name]]
    names = [str(number) for number in range(len(keys))]
    indices = pc.sort_indices(pa.table(keys, names), sort_keys=[(name, "ascending") for name in names])
    return damaged.take(indices)


def _finish(
    folder: Folder, batches: Sequence[pa.RecordBatch], policies: Sequence[Policy], columns: Sequence[str]
) -> dict[str, int]:
    """Adds up the rows of all workers, and writes the tables; returns what the workers took."""
    parts = [part for batch in batches for part in parts_of(batch)]
    parts.sort(key=lambda part: (order(part.key), part.first))
    others = [one.filter(pc.not_equal(one.column("kind"), "sums")) for one in batches]
    rows = pa.Table.from_batches(others, ARROW)
    whole = rows.filter(pc.equal(rows["kind"], "session"))
    damaged = whole.select(DAMAGED)
    for number, name in enumerate(columns):
        damaged = damaged.append_column(name, pc.list_element(whole["cohort"], number))
    write_tables(folder.place, parts, damaged, policies, columns)
    tasks = rows.filter(pc.equal(rows["kind"], "task"))
    took = {"tasks": len(tasks), **{name: pc.sum(tasks[name]).as_py() or 0 for name in ("sessions", "busy_ns")}}
    folder.finish(json.dumps(took))
    return took


def _repeated(value: str | None, count: int) -> pa.Array:
    return pa.repeat(pa.scalar(value, pa.string()), count)


class _Table:
    """A table's file, with row groups of some size. A context manager."""

    def __init__(self, place: str, name: str, fields: list[pa.Field]) -> None:
        self._schema = pa.schema(fields)
        os.mkdir(f"{place}/{name}")
        # As Spark writes it, with the types of Parquet alone.
        self._writer = pq.ParquetWriter(
            f"{place}/{name}/part-00000.parquet", self._schema, compression="zstd", store_schema=False,
            write_page_checksum=True,
        )
        self._held: list[pa.RecordBatch] = []
        self._rows = 0

    def add(self, columns: list[pa.Array]) -> None:
        self._held.append(pa.RecordBatch.from_arrays(columns, schema=self._schema))
        self._rows += len(columns[0])
        if self._rows >= _GROUP_ROWS:
            self._flush()

    def _flush(self) -> None:
        self._writer.write_table(pa.Table.from_batches(self._held, self._schema))
        self._held, self._rows = [], 0

    def __enter__(self) -> _Table:
        return self

    def __exit__(self, *_: object) -> None:
        self._flush()
        self._writer.close()
