"""Folders of logs packed into one Parquet file, a row for each session: what `settle.fleet` reads.

    packed = settle.pack("logs", "sessions.parquet", path_pattern="{platform}/{version}/**")

Needs pyarrow.
"""

from __future__ import annotations

import os
from array import array
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from itertools import accumulate
from typing import TYPE_CHECKING

from ._cohorts import CohortPattern, CohortTable, NoCohorts, Values
from ._library import VERSION
from ._log_files import Ending, File, Finder, Kind, LogFiles, Reading
from ._messages import Tally, counted, escaped
from ._output import Identity, Output, OutputError, identity
from .errors import Error

if TYPE_CHECKING:
    import pyarrow

#: What a session may be named by.
SESSION_FROM = ("path", "name", "stem")
#: What is said of binary logs with a fault.
AS_IT_IS = "damaged, and packed as it is"
#: The most threads that read logs.
JOBS_MAX = 256
#: The most bytes of a log in the binary encoding.
LOG_BYTES_MAX = 512 << 20
#: A row group has at most so many bytes of logs, or one log; and so many sessions.
GROUP_BYTES_MAX = 32 << 20
GROUP_SESSIONS_MAX = 65_536
#: Files that are read side by side have so many bytes together, or are one; and so many files.
_WAVE_BYTES, _WAVE_FILES = 16 << 20, 1024


class PackError(Error):
    """Nothing was packed.

    Attributes:
        status: The exit status of the command: 1 for faults of logs, 2 for what it was given, 3 for reading.
    """

    def __init__(self, problem: str, status: int) -> None:
        super().__init__(problem)
        self.status = status

    def __reduce__(self) -> tuple[type[PackError], tuple[str, int]]:
        return PackError, (str(self), self.status)


@dataclass(slots=True)
class Packed:
    """What was packed."""

    #: The sessions, which are the rows.
    sessions: int = 0
    #: The bytes of their binary logs.
    log_bytes: int = 0
    #: The bytes of the file.
    bytes: int = 0
    #: Binary logs that are damaged; they are packed as they are.
    damaged: int = 0
    #: Logs of other formats with a fault: packed up to it if that was asked for, else left out.
    faulty: int = 0
    #: Logs that are too large, or that could not be read.
    unread: int = 0
    #: Files that are no logs, or that are not looked at.
    skipped: int = 0
    #: Sessions of which nobody says the cohort, and rows of the table that no session has.
    without_cohort: int = 0
    unused_rows: int = 0
    #: What to say about all that, a line for each reason.
    messages: list[str] = field(default_factory=list)

    @property
    def status(self) -> int:
        """The exit status of the command: 0, 1 if logs have faults, or 3 if something could not be read."""
        return 3 if self.unread else 1 if self.damaged or self.faulty else 0


def pack(
    folder: str | os.PathLike[str], output: str | os.PathLike[str], *, cohorts: str | os.PathLike[str] | None = None,
    path_pattern: str | None = None, session_from: str = "path", partial: bool = False, strict: bool = False,
    force: bool = False, jobs: int | None = None, progress: Callable[[Packed], None] | None = None,
    ending: Ending | None = None,
) -> Packed:
    """Packs the logs in a folder, and in the folders in it, into a Parquet file.

    Its columns are `session` (string), the cohort columns (string, null where nothing is known) and `log` (binary:
    a whole log in the binary encoding). Rows are in the order of the paths' bytes; the file is the same for any
    number of threads. A binary log is packed as its bytes are, also if it is damaged. Logs of other formats are
    converted by the command settle: SETTLE_COMMAND of the environment, or else on PATH.

    Memory depends on the largest log and the table of cohorts, not on the number of logs.

    Args:
        folder: The folder.
        output: The Parquet file to write.
        cohorts: A CSV file with a column `session` or `path` and the cohort columns.
        path_pattern: A pattern of paths below the folder whose braces name the cohort columns (CohortPattern).
        session_from: What names a session: "path" below the folder, "name" of the file, or its "stem", the name
            up to the last dot.
        partial: Packs the events before a fault of a log that is not binary; otherwise it is left out.
        strict: Packs nothing if a log has a fault or could not be read, or if cohorts and sessions differ.
        force: Replaces an existing file.
        jobs: Threads, 1 … 256; None is one for each processor.
        progress: Called with what is packed so far, after each part of at most 16 MiB, on this thread.
        ending: Ends the call early with `Ended`, for programs that handle signals.

    Returns:
        What was packed, and what to say about it.

    Raises:
        PackError: There is nothing to pack, or strict forbids it. Nothing was written; nor after the others.
        CohortError: The table or the pattern has a fault.
        OutputError: The output is an input or an existing file, or cannot be written.
        OSError: The folder or the table cannot be read.
        ImportError: pyarrow is missing.
    """
    if session_from not in SESSION_FROM:
        raise PackError(f"a session is named by its {', '.join(SESSION_FROM)}, and not by its {session_from!r}", 2)
    if jobs is not None and not 1 <= jobs <= JOBS_MAX:
        raise PackError(f"there are 1 to {JOBS_MAX} jobs, and not {jobs}", 2)
    if cohorts is not None and path_pattern is not None:
        raise PackError("cohorts come from a table or from a path pattern; give one of them", 2)
    folder = os.fspath(folder)
    with os.scandir(folder):
        pass
    table = os.fspath(cohorts) if cohorts is not None else None
    inputs = {own for own in (identity(table),) if own} if table else set()
    with Output(output, force=force, inputs=inputs) as target:
        finder = _finder(folder, target, inputs)
        source: NoCohorts = NoCohorts()
        if table is not None:
            source = CohortTable(table)
        elif path_pattern is not None:
            source = CohortPattern(path_pattern)
        packing = _Packing(finder, source, session_from, partial, progress, ending or Ending())
        try:
            packing.run(target, jobs or len(os.sched_getaffinity(0)))
            packed = packing.result(strict, folder)
            packed.bytes = target.file.tell()
        except OSError as error:
            raise OutputError(f"{target.path}: cannot write: {error.strerror or error}") from None
        target.finish()
    return packed


def _finder(folder: str, output: Output, inputs: set[Identity]) -> Finder:
    """Finds the files that may be logs; an older pack is none."""
    known = {own: "it is the table of cohorts" for own in inputs}
    for own, reason in ((identity(output.file.fileno()), ""), (identity(1), "standard output goes into it")):
        if own:
            known[own] = reason
    older = identity(output.path)
    if older:
        with open(output.path, "rb") as file:
            if file.read(4) in (b"", b"PAR1"):
                known[older] = "it is the output"
    return Finder(folder, known, older)


class _Packing:
    """One call of `pack`."""

    def __init__(
        self, finder: Finder, cohorts: NoCohorts, session_from: str, partial: bool,
        progress: Callable[[Packed], None] | None, ending: Ending,
    ) -> None:
        self._finder = finder
        self._cohorts = cohorts
        self._session_from = session_from
        self._partial = partial
        self._progress = progress
        self._ending = ending
        self._packed = Packed()
        self._tallies = {kind: Tally() for kind in (Kind.DAMAGED, Kind.BEFORE_FAULT, Kind.TOO_LARGE, Kind.FAILED)}
        self._without_cohort = Tally()
        self._alike = Tally()
        self._names: set[str] = set()

    def run(self, target: Output, jobs: int) -> None:
        """Packs all logs."""
        reader = LogFiles(LOG_BYTES_MAX, self._ending)
        with _Rows(target, self._cohorts.columns) as rows, ThreadPoolExecutor(jobs) as pool:
            try:
                for wave in _waves(self._finder.files()):
                    readings = deque(pool.submit(reader.read, file) for file in wave)
                    for file in wave:
                        reading = readings.popleft()
                        # A signal that comes just before this thread waits, or to another one, does not wake it.
                        while not reading.done():
                            wait([reading], timeout=0.5)
                        self._ending.check()
                        self._add(file, reading.result(), rows)
                    if self._progress:
                        self._progress(self._packed)
            except BaseException:
                pool.shutdown(wait=False, cancel_futures=True)
                self._ending.ask()
                raise

    def _add(self, file: File, reading: Reading, rows: _Rows) -> None:
        kind = reading.kind
        if kind is Kind.NO_LOG:
            return self._finder.skipped.add(reading.problem, file.below)
        if kind is not Kind.WHOLE:
            self._tallies[kind].add(reading.problem, file.below)
        if kind in (Kind.TOO_LARGE, Kind.FAILED) or kind is Kind.BEFORE_FAULT and not self._partial:
            return
        session = self._session(file.below)
        values = self._cohorts.of(session, file.below)
        if values is None:
            self._without_cohort.add(self._cohorts.lacks, session)
            values = (None,) * len(self._cohorts.columns)
        rows.add(session, values, reading.log)
        self._packed.sessions += 1
        self._packed.log_bytes += len(reading.log)

    def _session(self, below: str) -> str:
        if self._session_from == "path":
            return below
        name = below.rpartition("/")[2]
        if self._session_from == "stem":
            name = name.rpartition(".")[0] or name
        if name in self._names:
            self._alike.add(f"another session has the same {self._session_from}; both are packed", below)
        self._names.add(name)
        return name

    def result(self, strict: bool, folder: str) -> Packed:
        """What was packed."""
        packed, tallies = self._packed, self._tallies
        packed.skipped = self._finder.skipped.count
        packed.without_cohort = self._without_cohort.count
        packed.damaged = tallies[Kind.DAMAGED].count
        packed.faulty = tallies[Kind.BEFORE_FAULT].count
        packed.unread = tallies[Kind.TOO_LARGE].count + tallies[Kind.FAILED].count + self._finder.failures.count
        packed.unused_rows, unused = self._cohorts.unused()
        left_out = "packed up to a fault" if self._partial else "left out for a fault"
        packed.messages = [
            *self._finder.skipped.lines("skipped"), *self._without_cohort.lines("without a cohort", "session"),
            *self._alike.lines("not unique", "session"), *tallies[Kind.DAMAGED].lines(AS_IT_IS),
            *tallies[Kind.BEFORE_FAULT].lines(left_out), *tallies[Kind.TOO_LARGE].lines("left out"),
            *tallies[Kind.FAILED].lines("left out"), *self._finder.failures.lines("left out"),
        ]
        if packed.unused_rows:
            names = ", ".join(unused) + (", …" if packed.unused_rows > len(unused) else "")
            packed.messages.append(f"{counted(packed.unused_rows, 'row')} of cohorts without a log: {names}")
        differs = self._without_cohort.count or self._alike.count or packed.unused_rows
        if strict and (packed.status or differs):
            said = [escaped(line) + "\n" for line in packed.messages]
            error = PackError("".join([*said, "nothing is written, as strict=True demands"]), packed.status or 1)
            error.command_text = "".join([*said, "nothing is written, as --strict demands"])
            raise error
        if not packed.sessions:
            said = [*packed.messages, f"there is no log in {folder} to pack"]
            raise PackError("\n".join(map(escaped, said)), packed.status or 2)
        return packed


def _waves(files: Iterator[File]) -> Iterator[list[File]]:
    """Files to be read side by side."""
    wave: list[File] = []
    size = 0
    for file in files:
        if wave and (size + file.size > _WAVE_BYTES or len(wave) == _WAVE_FILES):
            yield wave
            wave, size = [], 0
        wave.append(file)
        size += file.size
    if wave:
        yield wave


class _Rows:
    """The rows of the table, written in groups."""

    def __init__(self, target: Output, cohorts: tuple[str, ...]) -> None:
        import pyarrow
        import pyarrow.parquet

        self._arrow = pyarrow
        self._schema = pyarrow.schema(
            [
                pyarrow.field("session", pyarrow.string(), nullable=False),
                *(pyarrow.field(name, pyarrow.string()) for name in cohorts),
                pyarrow.field("log", pyarrow.binary(), nullable=False),
            ],
            metadata={"settle": "pack", "generator": f"settle {VERSION}"},
        )
        self._writer = pyarrow.parquet.ParquetWriter(
            target.file,
            self._schema,
            compression="zstd",
            use_dictionary=list(cohorts),
            write_statistics=["session", *cohorts],
            # A page has a multiple of so many rows, and logs are long.
            write_batch_size=16,
        )
        self._start()

    def _start(self) -> None:
        self._names: list[list[str | None]] = [[] for _ in range(len(self._schema) - 1)]
        self._logs: list[bytes] = []
        self._bytes = 0

    def add(self, session: str, values: Values, log: bytes) -> None:
        """Adds a row. Writes a group when it is full."""
        if self._bytes and self._bytes + len(log) > GROUP_BYTES_MAX or len(self._logs) == GROUP_SESSIONS_MAX:
            self._write()
        for column, value in zip(self._names, (session, *values), strict=True):
            column.append(value)
        self._logs.append(log)
        self._bytes += len(log)

    def _write(self) -> None:
        names, logs = self._names, self._logs
        self._start()
        arrays = [self._arrow.array(values, self._arrow.string()) for values in names]
        arrays.append(self._array(logs))
        rows = len(logs)
        # The logs are in the array now.
        logs.clear()
        self._writer.write_table(self._arrow.Table.from_arrays(arrays, schema=self._schema), rows)

    def _array(self, logs: list[bytes]) -> pyarrow.Array:
        """An array of exactly as many bytes as the logs have; one that grows would have up to twice as many."""
        offsets = array("i", accumulate(map(len, logs), initial=0))
        data = logs[0] if len(logs) == 1 else b"".join(logs)
        buffers = [None, self._arrow.py_buffer(offsets), self._arrow.py_buffer(data)]
        return self._arrow.Array.from_buffers(self._arrow.binary(), len(logs), buffers)

    def __enter__(self) -> _Rows:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        """Writes the last group and the end of the file, unless something failed."""
        try:
            if kind is None:
                if self._logs:
                    self._write()
                self._writer.close()
        finally:
            # Otherwise the writer writes the end when it is deleted, into a file that is closed.
            self._writer.is_open = False
