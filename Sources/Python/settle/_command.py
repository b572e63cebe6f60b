"""The command line of the package. Its exit status is that of the settle command: 1 for a fault of what it was given,
2 for a wrong command line, 3 for what could not be read or written."""

from __future__ import annotations

import argparse
import importlib
import os
import sys
from collections.abc import Callable, Sequence

from ._library import VERSION
from ._messages import escaped
from .errors import Error

#: Each subcommand's module, whose `main(arguments)` runs it and returns the exit status, and a line of help.
SUBCOMMANDS = {
    "decisions": ("_decisions_command", "print what is decided about a log, as JSON Lines"),
    "pack": ("_pack_command", "pack folders of logs into a Parquet file, for settle-fleet"),
    "anonymize": ("_anonymize", "write a Parquet file of anonymized logs, of a folder or of Parquet"),
    "json": ("_json_command", "print the JSON export of a fleet's output, for settle report"),
    "fleet": ("fleet._command", "decide the logs of a Parquet file under many policies, here or on Apache Spark"),
}
FINE, FINDINGS, USAGE, IO = range(4)


def main(arguments: Sequence[str]) -> int:
    """Runs the command; returns its exit status."""
    lines = "\n".join(f"  {name:<12}{line}" for name, (_, line) in SUBCOMMANDS.items())
    parser = argparse.ArgumentParser(
        prog="python -m settle", usage="python -m settle COMMAND [OPTION]... | --version | --help",
        description="Settle's Python package. COMMAND --help explains a command.",
        epilog=f"commands:\n{lines}", formatter_class=argparse.RawDescriptionHelpFormatter, allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=f"settle {VERSION}")
    parser.add_argument("command", choices=SUBCOMMANDS, metavar="COMMAND", help=argparse.SUPPRESS)
    try:
        name = parser.parse_args(arguments[:1]).command
    except SystemExit as end:
        return int(end.code or 0)
    return reporting(lambda: importlib.import_module(f".{SUBCOMMANDS[name][0]}", __package__).main(list(arguments[1:])))


def reporting(run: Callable[[], int]) -> int:
    """Runs something, and reports an exception that a user can cause in one line."""
    try:
        status = run()
        sys.stdout.flush()
        return status
    except SystemExit as end:
        return int(end.code or 0)
    except Error as error:
        return say(error.in_command(), error.status)
    except BrokenPipeError:
        # What Python writes at its end must not fail again.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return IO
    except ImportError as error:
        return say(str(error), IO)
    except OSError as error:
        name, reason = error.filename, error.strerror
        return say(f"{name}: {reason}" if name and reason else f"standard output: cannot write: {reason or error}", IO)
    except ValueError as error:
        return say(str(error), USAGE)


def say(problem: str, status: int) -> int:
    """Prints a problem, with control characters escaped, since a terminal would obey them; returns the status."""
    print(f"settle: {escaped(problem)}", file=sys.stderr)
    return status
