"""`python -m settle anonymize`, which `settle anonymize` starts for a folder of logs and for Parquet: a row for each
session, without its name, of logs that the command settle anonymizes. Needs pyarrow."""

from __future__ import annotations

import argparse
import hashlib
import os
import secrets
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from queue import SimpleQueue
from typing import IO, TYPE_CHECKING

from ._messages import Tally
from ._output import Output, identity
from ._pack import pack
from .errors import Error

if TYPE_CHECKING:
    import pyarrow

#: As the command settle makes replacements of names.
_PURPOSE = b"settle anonymize"
_FAULT = 1 << 63
#: A row group has at least so many sessions, or so many bytes, but for the last.
_GROUP_SESSIONS, _GROUP_BYTES = 4096, 64 << 20


class AnonymizeError(Error):
    """Nothing was written.

    Attributes:
        status: The command's exit status: 2 for a wrong command line, 3 for what cannot be read or started.
    """

    def __init__(self, problem: str, status: int = 3) -> None:
        super().__init__(problem)
        self.status = status


def main(arguments: list[str]) -> int:
    """Runs the command; returns its exit status: 0, or 1 if logs with a fault were left out."""
    options = _parser().parse_args(arguments)
    try:
        import pyarrow.parquet  # noqa: F401
    except ImportError:
        raise AnonymizeError("Parquet needs pyarrow, which this Python does not have: pip install pyarrow") from None
    source = Path(options.input)
    if not source.exists():
        raise AnonymizeError(f"{source}: there is no such file or folder")
    with tempfile.TemporaryDirectory(prefix="settle-anonymize-") as work:
        kept = options.cohort.split(",") if options.cohort else []
        if source.is_dir() and source.suffix != ".parquet":
            if kept or options.session != "session" or options.log != "log":
                raise AnonymizeError("a folder has no columns; --path-pattern makes cohorts of its folders' names", 2)
            packed = Path(work) / "sessions.parquet"
            for line in pack(source, packed, path_pattern=options.path_pattern).messages:
                print(f"settle: {line}", flush=True)
            source = packed
            kept = [name for name in _schema(source).names if name not in ("session", "log")]
        elif options.path_pattern:
            raise AnonymizeError("--path-pattern is for a folder of logs; --cohort names a Parquet file's columns", 2)
        return _anonymize(source, kept, options)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="settle anonymize", allow_abbrev=False,
        description="Writes a Parquet file of anonymized logs. Sessions get new names, and rows of a row group their"
        " order. Columns that no option names are left out, and so are logs with a fault.",
    )
    parser.add_argument("input", metavar="IN", help="a folder of logs, or Parquet with a row for each session")
    parser.add_argument("output", metavar="OUT", help="the Parquet file to write")
    parser.add_argument("--coarse", action="store_true", help="keep only what rebuilds depend on")
    parser.add_argument("--step", metavar="N", help="round sizes to multiples of N (8)")
    parser.add_argument("--key", metavar="FILE", help="the same key gives the same names, of sessions and scenes")
    parser.add_argument("--cohort", metavar="COLUMN,…", help="the columns to keep as they are")
    parser.add_argument("--session", metavar="COLUMN", default="session", help="the sessions' names (session)")
    parser.add_argument("--log", metavar="COLUMN", default="log", help="whole binary logs (log)")
    parser.add_argument("--path-pattern", metavar="PATTERN", help="cohorts of a folder, as for settle pack")
    parser.add_argument("--force", action="store_true", help="replace OUT if it exists")
    return parser


def _schema(source: Path) -> pyarrow.Schema:
    import pyarrow as pa
    import pyarrow.dataset

    try:
        return pyarrow.dataset.dataset(str(source), format="parquet").schema
    except (pa.ArrowException, OSError) as error:
        raise AnonymizeError(f"{source}: this cannot be read as Parquet: {str(error).splitlines()[0]}") from None


def _anonymize(source: Path, kept: list[str], options: argparse.Namespace) -> int:
    import pyarrow as pa
    import pyarrow.dataset
    import pyarrow.parquet

    found = _schema(source)
    for name in (options.session, options.log, *kept):
        if name not in found.names:
            raise AnonymizeError(f"{source}: there is no column '{name}'", 2)
    if found.field(options.log).type not in (pa.binary(), pa.large_binary()) or "session" in kept or "log" in kept:
        raise AnonymizeError("--log names a binary column, and --cohort neither the sessions nor the logs", 2)
    schema = pa.schema([("session", pa.string()), *(found.field(name) for name in kept), ("log", pa.binary())])
    schema = schema.remove_metadata()
    key = _key(options.key)
    inputs = {own for own in (identity(name) for name in (str(source), options.key) if name) if own}
    faults, rows, sessions = Tally(), 0, 0
    settings = [f"--{name}={value}" for name, value in (("step", options.step), ("key", options.key)) if value]
    settings += ["--coarse"] if options.coarse else []
    with ExitStack() as stack:
        target = stack.enter_context(Output(options.output, force=options.force, inputs=inputs))
        commands = stack.enter_context(_Commands(settings))
        writer = stack.enter_context(pyarrow.parquet.ParquetWriter(target.file, schema, compression="zstd"))
        for batch in _groups(source, [options.session, options.log, *kept]):
            names = [_name(value, key) for value in batch.column(0).cast(pa.string()).to_pylist()]
            logs = commands.anonymized(batch.column(1))
            good = []
            for number, (log, fault) in enumerate(logs):
                if log is None:
                    # By its row: a name would identify the session.
                    faults.add(fault, f"row {rows + number}")
                else:
                    good.append((names[number], number, log))
            rows, sessions = rows + batch.num_rows, sessions + len(good)
            good.sort(key=lambda row: row[0])
            order = pa.array([number for _, number, _ in good], pa.int64())
            columns_kept = [batch.column(2 + number).take(order) for number in range(len(kept))]
            values = [pa.array([row[0] for row in good], pa.string()), *columns_kept]
            values.append(pa.array([row[2] for row in good], pa.binary()))
            writer.write_batch(pa.record_batch(values, schema=schema))
        writer.close()
        target.finish()
    for line in faults.lines("left out, since it has a fault"):
        print(f"settle: {line}", flush=True)
    print(f"{options.output}: {sessions:,} of {rows:,} sessions, anonymized")
    return 1 if faults.count else 0


def _groups(source: Path, columns: list[str]) -> Iterator[pyarrow.RecordBatch]:
    """The input's rows, many at a time: within each they lose their order."""
    import pyarrow as pa
    import pyarrow.dataset

    held: list[pyarrow.RecordBatch] = []
    data = pyarrow.dataset.dataset(str(source), format="parquet")
    for batch in data.to_batches(columns=columns, batch_size=256, batch_readahead=1, fragment_readahead=1):
        held.append(batch)
        if sum(map(len, held)) >= _GROUP_SESSIONS or sum(one.nbytes for one in held) >= _GROUP_BYTES:
            yield pa.Table.from_batches(held).combine_chunks().to_batches()[0]
            held = []
    if sum(map(len, held)):
        yield pa.Table.from_batches(held).combine_chunks().to_batches()[0]


def _key(file: str | None) -> bytes:
    """The key for the sessions' names; the command checks the file."""
    if file is None:
        return secrets.token_bytes(32)
    return hashlib.blake2b(Path(file).read_bytes(), digest_size=32).digest()


def _name(session: str | None, key: bytes) -> str:
    if session is None:
        return secrets.token_hex(16)
    return hashlib.blake2b(session.encode(), digest_size=16, key=key, person=_PURPOSE).hexdigest()


class _Commands:
    """A command for each processor that anonymizes one log after the other."""

    def __init__(self, settings: list[str]) -> None:
        command = os.environ.get("SETTLE_COMMAND") or shutil.which("settle")
        if not command:
            raise AnonymizeError(
                "logs are anonymized by the command settle, which is not on PATH; install it, or name it in the"
                " environment variable SETTLE_COMMAND"
            )
        self._arguments = [command, "anonymize", "--framed", *settings]
        self._idle: SimpleQueue[subprocess.Popen[bytes]] = SimpleQueue()
        self._all: list[subprocess.Popen[bytes]] = []

    def __enter__(self) -> _Commands:
        self._pool = ThreadPoolExecutor(len(os.sched_getaffinity(0)))
        for _ in os.sched_getaffinity(0):
            pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
            process = subprocess.Popen(self._arguments, **pipes)  # type: ignore[call-overload]
            self._all.append(process)
            self._idle.put(process)
        return self

    def __exit__(self, *_: object) -> None:
        self._pool.shutdown(cancel_futures=True)
        for process in self._all:
            process.kill()
            process.communicate()

    def anonymized(self, logs: pyarrow.Array) -> Iterator[tuple[bytes | None, str]]:
        """Each log anonymized, or None and its fault."""
        return self._pool.map(self._one, logs.to_pylist())

    def _one(self, log: bytes | None) -> tuple[bytes | None, str]:
        if not log:
            return None, "the log is null or empty"
        process = self._idle.get()
        try:
            stdin, stdout = process.stdin, process.stdout
            assert stdin and stdout, "the process was started with pipes"
            stdin.write(len(log).to_bytes(8, "little") + log)
            stdin.flush()
            length = int.from_bytes(_exactly(stdout, 8), "little")
            answer = _exactly(stdout, length & ~_FAULT)
        except (OSError, EOFError):
            raise AnonymizeError("the command settle ended early; its message says why", process.wait() or 3) from None
        finally:
            self._idle.put(process)
        return (None, answer.decode()) if length & _FAULT else (answer, "")


def _exactly(stream: IO[bytes], count: int) -> bytes:
    data = stream.read(count)
    if len(data) < count:
        raise EOFError
    return data
