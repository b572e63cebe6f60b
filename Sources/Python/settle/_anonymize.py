"""`python -m settle anonymize`, which `settle anonymize` starts for a folder of logs and for Parquet: a row for each
session, without its name, of logs that the command settle anonymizes. Needs pyarrow."""

from __future__ import annotations

import argparse
import hashlib
import os
import secrets
import shutil
import subprocess
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from pathlib import Path
from queue import SimpleQueue
from typing import IO, TYPE_CHECKING

from ._command import say
from ._log_files import Ending, Finder
from ._messages import Tally
from ._output import Output, OutputError, identity
from ._pack import AS_IT_IS, Packed, pack
from ._private_folder import private_folder
from ._signals import ending_by_signals
from .errors import Error
from .fleet._input import TEXT

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
    """Runs the command; returns its exit status: 0; 1 if logs with a fault were left out, or 3 if some could not be
    read."""
    return ending_by_signals(lambda ending: _run(arguments, ending))


def _run(arguments: list[str], ending: Ending) -> int:
    try:
        return _many(_parser().parse_args(arguments), ending)
    except (AnonymizeError, OSError):
        # A signal may end the commands as well.
        ending.check()
        raise


def _many(options: argparse.Namespace, ending: Ending) -> int:
    if not options.output.endswith(".parquet"):
        raise AnonymizeError(
            f"OUT is '{options.output}', but many logs become a Parquet file; give a name that ends in .parquet", 2
        )
    try:
        import pyarrow.parquet  # noqa: F401
    except ImportError:
        raise AnonymizeError("Parquet needs pyarrow, which this Python does not have: pip install pyarrow") from None
    source = Path(options.input)
    if not source.exists():
        raise AnonymizeError(f"{source}: there is no such file or folder")
    with private_folder("settle-anonymize-") as work:
        kept = options.cohort.split(",") if options.cohort else []
        if source.is_dir() and source.suffix != ".parquet":
            given = [f"--{name}" for name in ("cohort", "session", "log") if getattr(options, name) is not None]
            if given:
                raise AnonymizeError(
                    f"{source}: a folder has no columns for {' and '.join(given)} to name; --path-pattern makes columns"
                    " of its folders' names", 2
                )
            _check_not_in(source, options.output)
            file = work / "sessions.parquet"
            packed = pack(source, file, path_pattern=options.path_pattern, ending=ending)
            for line in packed.messages:
                # Here those are left out, and said to be so.
                if AS_IT_IS not in line:
                    say(line, 0)
            return _anonymize(file, None, options, ending, packed)
        if options.path_pattern:
            raise AnonymizeError("--path-pattern is for a folder of logs; --cohort names a Parquet file's columns", 2)
        return _anonymize(source, kept, options, ending, Packed())


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
    parser.add_argument("--cohort", metavar="COLUMN,…", help="the columns to keep, of text, whole numbers and the like")
    parser.add_argument("--session", metavar="COLUMN", help="the sessions' names (session)")
    parser.add_argument("--log", metavar="COLUMN", help="whole binary logs (log)")
    parser.add_argument("--path-pattern", metavar="PATTERN", help="cohorts of a folder, as for settle pack")
    parser.add_argument("--force", action="store_true", help="replace OUT if it exists")
    return parser


def _check_not_in(folder: Path, output: str) -> None:
    """Raises OutputError: the output is one of the folder's logs. An older output may be in it."""
    older = identity(output)
    if older is None:
        return
    with open(output, "rb") as file:
        if file.read(4) != b"PAR1":
            for _ in Finder(str(folder), {}, older).files():
                pass


def _dataset(source: Path) -> pyarrow.dataset.Dataset:
    import pyarrow as pa
    import pyarrow.dataset

    try:
        return pyarrow.dataset.dataset(str(source), format="parquet")
    except (pa.ArrowException, OSError) as error:
        raise _unreadable(source, error) from None


def _unreadable(source: Path, error: Exception) -> AnonymizeError:
    return AnonymizeError(f"{source}: this cannot be read as Parquet: {str(error).splitlines()[0]}")


def _anonymize(
    source: Path, kept: list[str] | None, options: argparse.Namespace, ending: Ending, packed: Packed
) -> int:
    """Anonymizes Parquet.

    Args:
        source: The Parquet file, or a folder of such.
        kept: The columns to keep; None if it is the pack of a folder, of which all are.
        packed: What was left out of the pack.
    """
    import pyarrow as pa
    import pyarrow.parquet

    from ._dictionaries import decoded

    data = _dataset(source)
    found = data.schema
    is_folder = kept is None
    if kept is None:
        kept = [name for name in found.names if name not in ("session", "log")]
    session, log_column = options.session or "session", options.log or "log"
    for name in (session, log_column, *kept):
        if name not in found.names:
            raise AnonymizeError(f"{source}: there is no column '{name}'", 2)
    if found.field(log_column).type not in (pa.binary(), pa.large_binary()) or "session" in kept or "log" in kept:
        raise AnonymizeError("--log names a binary column, and --cohort neither the sessions nor the logs", 2)
    # Made anew, so that nothing leaves but these names, types and the values of rows.
    schema = pa.schema(
        [("session", pa.string()), *((name, _type_kept(found.field(name))) for name in kept), ("log", pa.binary())]
    )
    key = _key(options.key)
    inputs = {own for own in map(identity, [*data.files, *filter(None, [options.key])]) if own}
    faults, rows, sessions = Tally(), 0, 0
    settings = [f"--{name}={value}" for name, value in (("step", options.step), ("key", options.key)) if value]
    settings += ["--coarse"] if options.coarse else []
    with ExitStack() as stack, _naming(options.output):
        target = stack.enter_context(Output(options.output, force=options.force, inputs=inputs))
        commands = stack.enter_context(_Commands(settings, ending))
        writer = pyarrow.parquet.ParquetWriter(
            target.file, schema, compression="zstd", use_dictionary=kept, write_statistics=["session", *kept]
        )
        # Otherwise the writer writes the end when it is deleted, into a file that is closed.
        stack.callback(setattr, writer, "is_open", False)
        for batch in _groups(source, data, [session, log_column, *kept]):
            sessions_given = decoded(batch.column(0), pa.string()).to_pylist()
            names = [_name(value, key) for value in sessions_given]
            logs = commands.anonymized(batch.column(1))
            good = []
            for number, (log, fault) in enumerate(logs):
                ending.check()
                if log is None:
                    # A name would identify the session; of a folder's log it is that of the file.
                    faults.add(fault, sessions_given[number] if is_folder else f"row {rows + number}")
                else:
                    good.append((names[number], number, log))
            rows, sessions = rows + batch.num_rows, sessions + len(good)
            good.sort(key=lambda row: row[0])
            order = pa.array([number for _, number, _ in good], pa.int64())
            columns_kept = [
                decoded(batch.column(2 + number), schema.field(1 + number).type).take(order)
                for number in range(len(kept))
            ]
            values = [pa.array([row[0] for row in good], pa.string()), *columns_kept]
            values.append(pa.array([row[2] for row in good], pa.binary()))
            writer.write_batch(pa.record_batch(values, schema=schema))
        writer.close()
        ending.check()
        target.finish()
    for line in faults.lines("left out for a fault", "file" if is_folder else "row"):
        say(line if is_folder else f"{source}: {line}", 0)
    left_out = packed.faulty + packed.unread
    say(f"{options.output}: {sessions:,} of {rows + left_out:,} sessions, anonymized", 0)
    return 3 if packed.unread else 1 if faults.count or packed.faulty else 0


@contextmanager
def _naming(output: str) -> Iterator[None]:
    """Says which file cannot be written."""
    try:
        yield
    except OSError as error:
        raise OutputError(f"{output}: cannot write: {error.strerror or error}") from None


def _type_kept(field: pyarrow.Field) -> pyarrow.DataType:
    """The type of a column that is kept. Of nested types, timestamps and the like names would leave with the type; and
    those are no cohorts for settle-fleet either."""
    import pyarrow as pa

    from ._dictionaries import type_of_values

    kind, types = type_of_values(field.type), pa.types
    if str(kind) in TEXT or types.is_null(kind):
        return pa.string()
    if types.is_integer(kind) or types.is_boolean(kind) or types.is_date(kind):
        return kind
    raise AnonymizeError(
        f"the column '{field.name}' (--cohort) is of type {str(field.type)[:100]}; expected is text, a whole number, a"
        " boolean or a date", 2
    )


def _groups(source: Path, data: pyarrow.dataset.Dataset, columns: list[str]) -> Iterator[pyarrow.RecordBatch]:
    """The input's rows, many at a time: within each they lose their order."""
    import pyarrow as pa

    held: list[pyarrow.RecordBatch] = []
    batches = data.to_batches(columns=columns, batch_size=256, batch_readahead=1, fragment_readahead=1)
    while True:
        try:
            batch = next(batches, None)
        except (pa.ArrowException, OSError) as error:
            raise _unreadable(source, error) from None
        if batch is None:
            break
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

    def __init__(self, settings: list[str], ending: Ending) -> None:
        command = os.environ.get("SETTLE_COMMAND") or shutil.which("settle")
        if not command:
            raise AnonymizeError(
                "logs are anonymized by the command settle, which is not on PATH; install it, or name it in the"
                " environment variable SETTLE_COMMAND"
            )
        self._arguments = [os.fsencode(word) for word in (command, "anonymize", "--framed", *settings)]
        self._ending = ending
        self._idle: SimpleQueue[subprocess.Popen[bytes]] = SimpleQueue()
        self._all: list[subprocess.Popen[bytes]] = []

    def __enter__(self) -> _Commands:
        self._pool = ThreadPoolExecutor(len(os.sched_getaffinity(0)))
        # In other threads, as Ending.start demands.
        self._pool.submit(self._check_options).result()
        list(self._pool.map(lambda _: self._start(), os.sched_getaffinity(0)))
        return self

    def _check_options(self) -> None:
        """Starts a command that gets no log: each would say what is wrong with the options."""
        process = self._launch(subprocess.DEVNULL)
        assert process.stdout, "the process was started with a pipe"
        with process.stdout:
            process.stdout.read()
        if status := self._ending.over(process):
            raise self._failure(status)

    def _launch(self, stdin: int) -> subprocess.Popen[bytes]:
        try:
            return self._ending.start(self._arguments, None, stdin)
        except OSError as error:
            command = os.fsdecode(self._arguments[0])
            raise AnonymizeError(f"{command}: {error.strerror}; SETTLE_COMMAND must name the command settle") from None

    def _failure(self, status: int) -> AnonymizeError:
        self._ending.check()
        return AnonymizeError("the command settle ended early; its message says why", max(status, 0) or 3)

    def _start(self) -> None:
        process = self._launch(subprocess.PIPE)
        self._all.append(process)
        self._idle.put(process)

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
            raise self._failure(process.wait()) from None
        finally:
            self._idle.put(process)
        # No option names the format of a row.
        return (None, answer.decode().partition("; name it with --format")[0]) if length & _FAULT else (answer, "")


def _exactly(stream: IO[bytes], count: int) -> bytes:
    data = stream.read(count)
    if len(data) < count:
        raise EOFError
    return data
