"""What this package raises for bad input."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


class Error(Exception):
    """The base of this package's exceptions. Its text says what is wrong, where, and what to do."""

    #: The exit status of a command that it ends: 1 for a fault of what it was given, 2 for a wrong command line, 3 for
    #: what cannot be read, written or started.
    status = 1
    #: Its text in a command, where an argument that it names is an option; None if it names none.
    command_text: str | None = None

    def in_command(self) -> str:
        """What a command says of it: `--force` and not `force=True`."""
        return self.command_text or str(self)


class LogError(Error):
    """A log that cannot be read, or that is damaged.

    Attributes:
        problem: What is wrong, without the place.
        name: The log's file or a name for it, or None.
        offset: The byte of the problem, or None.
        line: The line of the problem in a text log, counted from 1, or None.
    """

    def __init__(self, problem: str, *, name: str | None = None, offset: int | None = None, line: int | None = None):
        self.problem = problem
        self.name = name
        self.offset = offset
        self.line = line
        place = f"line {line}" if line is not None else f"byte {offset}" if offset is not None else ""
        super().__init__(": ".join(part for part in (name, place, problem) if part))

    def __reduce__(self) -> tuple[Callable[..., LogError], tuple[str, dict[str, Any]]]:
        arguments = {"name": self.name, "offset": self.offset, "line": self.line}
        return _log_error, (self.problem, arguments)


def _log_error(problem: str, arguments: dict[str, Any]) -> LogError:
    return LogError(problem, **arguments)


class PolicyError(Error):
    """A policy that no engine accepts, or a policy's text with a fault."""
