"""`python -m settle pack`, which `settle pack` starts."""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Callable
from typing import NoReturn

from ._log_files import Ended, Ending
from ._messages import counted, escaped
from ._pack import JOBS_MAX, SESSION_FROM, Packed, pack
from ._signals import ending_by_signals
from .errors import Error

DESCRIPTION = """\
Packs the logs in a folder, and in the folders in it, into a Parquet file with a row for each session: the columns
session, the cohort columns, and log, a whole log in the binary encoding. Damaged binary logs are packed as they are;
other logs with a fault are left out. Files that are no logs are skipped."""


class _Usage(Exception):
    """The command line is wrong."""


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise _Usage(message)


def parser() -> argparse.ArgumentParser:
    """The options."""
    options = _Parser(
        prog="settle pack", description=DESCRIPTION, formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    options.add_argument("folder", metavar="DIR", help="the folder")
    options.add_argument("output", metavar="OUT", help="the Parquet file to write")
    of_cohorts = options.add_mutually_exclusive_group()
    of_cohorts.add_argument(
        "--cohorts", metavar="FILE", help="cohorts from a CSV file with a column session or path and the cohort columns"
    )
    of_cohorts.add_argument(
        "--path-pattern", metavar="PATTERN",
        help="cohorts from the path below DIR: {platform}/{version}/** names two columns",
    )
    options.add_argument(
        "--session-from", choices=SESSION_FROM, default="path",
        help="what names a session: its path below DIR, its file's name, or its stem: the name up to the last dot"
        " (path)",
    )
    options.add_argument("--partial", action="store_true", help="pack the events before a fault of a log")
    options.add_argument(
        "--strict", action="store_true", help="pack nothing if a log has a fault, or if sessions and cohorts differ"
    )
    options.add_argument("--force", action="store_true", help="replace OUT if it exists")
    options.add_argument("--jobs", metavar="N", type=int, help=f"threads, 1 to {JOBS_MAX} (one for each processor)")
    return options


def main(arguments: list[str]) -> int:
    """Runs the command with the arguments after `pack`. Returns the exit status: 0; 1 if logs have faults; 2 for a
    wrong command line, or if there is nothing to pack; 3 if something could not be read or written."""
    return ending_by_signals(lambda ending: _cleared(arguments, ending))


def _cleared(arguments: list[str], ending: Ending) -> int:
    try:
        return _run(arguments, ending)
    except Ended:
        _clear_progress()
        raise


def _run(arguments: list[str], ending: Ending) -> int:
    try:
        options = parser().parse_args(arguments)
        if options.output == "-":
            raise _Usage("a Parquet file cannot be written to standard output; name a file")
        packed = pack(**vars(options), progress=_progress(), ending=ending)
    except _Usage as error:
        return _fail(f"{error}\nTry 'settle pack --help'.", 2)
    except Error as error:
        return _fail(error.in_command(), error.status)
    except OSError as error:
        return _fail(f"{os.fsdecode(error.filename or '')}: {error.strerror}", 3)
    except ImportError as error:
        if (error.name or "").partition(".")[0] != "pyarrow":
            raise
        return _fail("packing needs pyarrow, which this Python does not have: pip install pyarrow", 3)
    _clear_progress()
    for line in packed.messages:
        _say(f"settle: {line}")
    try:
        print(escaped(_summary(packed, options.output)), flush=True)
    except OSError as error:
        # What is buffered is not tried again when the process ends.
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        return _fail(f"standard output: cannot write: {error.strerror}", 3)
    return packed.status


def _summary(packed: Packed, output: str) -> str:
    return (
        f"{output}: {counted(packed.sessions, 'session')}, {_megabytes(packed.log_bytes)} of logs in"
        f" {_megabytes(packed.bytes)}"
    )


def _megabytes(count: int) -> str:
    return f"{count / 1e6:,.1f} MB"


def _fail(text: str, status: int) -> int:
    _clear_progress()
    for line in text.splitlines():
        _say(line if line.startswith("Try ") else f"settle: {line}")
    return status


def _say(line: str) -> None:
    try:
        print(escaped(line), file=sys.stderr, flush=True)
    except OSError:
        pass  # There is nowhere left to report it.


def _progress() -> Callable[[Packed], None] | None:
    """Shows what is packed so far, at most ten times per second; only on a terminal."""
    if not sys.stderr.isatty():
        return None
    shown = 0.0

    def show(packed: Packed) -> None:
        nonlocal shown
        if time.monotonic() - shown < 0.1:
            return
        shown = time.monotonic()
        text = f"{counted(packed.sessions, 'session')}, {_megabytes(packed.log_bytes)} of logs"
        print(f"\r\x1b[K{text}", end="", file=sys.stderr, flush=True)

    return show


def _clear_progress() -> None:
    if sys.stderr.isatty():
        print("\r\x1b[K", end="", file=sys.stderr, flush=True)
