"""The cohort of each session: from a table in CSV, or from the log's path."""

from __future__ import annotations

import csv
import re
from array import array
from collections.abc import Callable, Iterator, Sequence
from itertools import islice

from .errors import Error

#: The values of the cohort columns; None where nothing is known.
Values = tuple[str | None, ...]


class CohortError(Error):
    """A table or pattern of cohorts with a fault."""


def _check_columns(columns: Sequence[str], place: str) -> None:
    """Raises for names that no table can have; Spark compares them without regard to case."""
    seen = {"session": "", "log": ""}
    for column in columns:
        if not column:
            raise CohortError(f"{place}: a column has no name")
        if column.lower() in seen:
            reason = "is given twice" if seen[column.lower()] else "is a column that every pack has; rename it"
            raise CohortError(f"{place}: the column '{column}' {reason}")
        seen[column.lower()] = column


class NoCohorts:
    """Sessions without cohorts."""

    columns: tuple[str, ...] = ()
    #: What a session without values lacks, for a message.
    lacks = ""

    def of(self, session: str, path: str) -> Values | None:
        """The values of a session, None if nothing says them.

        Args:
            session: Its name.
            path: The path of its log, below the folder.
        """
        return ()

    def unused(self) -> tuple[int, list[str]]:
        """How many rows no session has used, and the keys of the first three."""
        return 0, []


class CohortTable(NoCohorts):
    """A CSV file with a header: a column `session` or `path`, and the cohort columns. An empty cell is unknown.

    Held in memory, with about 200 bytes a row.

    Args:
        path: The file, in UTF-8.

    Raises:
        CohortError: The table has a fault; its text names the line.
        OSError: The file cannot be read.
    """

    lacks = "it has no row in the table of cohorts"

    def __init__(self, path: str) -> None:
        self._rows: dict[str, int] = {}
        self._cohorts = array("I")
        self._distinct: dict[Values, int] = {}
        with open(path, encoding="utf-8-sig", errors="surrogateescape", newline="") as file:
            reader = csv.reader(file, strict=True)
            try:
                self._read(self._decoded(reader), lambda: f"{path}: line {max(reader.line_num, 1)}")
            except csv.Error as error:
                raise CohortError(f"{path}: line {reader.line_num}: {error}") from None
            except UnicodeEncodeError:
                raise CohortError(f"{path}: line {reader.line_num}: it is not valid UTF-8") from None
        self._values = list(self._distinct)
        self._used = bytearray(len(self._cohorts))

    @staticmethod
    def _decoded(rows: Iterator[list[str]]) -> Iterator[list[str]]:
        for row in rows:
            "".join(row).encode()
            yield row

    def _read(self, rows: Iterator[list[str]], place: Callable[[], str]) -> None:
        header = next(rows, [])
        keys = [name for name in header if name in ("session", "path")]
        if len(keys) != 1:
            raise CohortError(
                f"{place()}: the table needs a header with one column 'session' or 'path', and has"
                f" {'both' if len(set(keys)) == 2 else 'two of them' if keys else 'none'}"
            )
        key = header.index(keys[0])
        self._by_path = keys[0] == "path"
        self.columns = tuple(header[:key] + header[key + 1:])
        _check_columns(self.columns, place())
        for row in rows:
            if not row:
                continue
            if len(row) != len(header):
                raise CohortError(
                    f"{place()}: it has {len(row)} cells, and the header has {len(header)}"
                )
            name = row.pop(key)
            if not name:
                raise CohortError(f"{place()}: the {keys[0]} is empty")
            if name in self._rows:
                raise CohortError(f"{place()}: the {keys[0]} '{name}' has a row already")
            self._rows[name] = len(self._cohorts)
            values = tuple(value or None for value in row)
            self._cohorts.append(self._distinct.setdefault(values, len(self._distinct)))

    def of(self, session: str, path: str) -> Values | None:
        row = self._rows.get(path if self._by_path else session)
        if row is None:
            return None
        self._used[row] = 1
        return self._values[self._cohorts[row]]

    def unused(self) -> tuple[int, list[str]]:
        names = (name for name, row in self._rows.items() if not self._used[row])
        return self._used.count(0), list(islice(names, 3))


class CohortPattern(NoCohorts):
    """A pattern of paths below the folder, as `{platform}/{version}/**`. It is compared part by part:

    - `{name}` is the value of the column `name`: one or more characters of one part,
    - `*` is any characters of one part, also none,
    - `**` as a part of its own is any number of parts, also none; as the last one, at least one,
    - everything else stands for itself.

    Where a path can be read in several ways, the first ones take as few characters as they can.

    Args:
        pattern: The pattern.

    Raises:
        CohortError: The pattern has a fault.
    """

    lacks = "its path does not match the pattern"

    def __init__(self, pattern: str) -> None:
        place = f"the path pattern '{pattern}'"
        columns: list[str] = []
        # Runs of parts, with ** between them.
        self._runs: list[list[_Part]] = [[]]
        parts = pattern.split("/")
        for part in parts:
            if not part:
                raise CohortError(f"{place}: a part is empty; it is a path below the folder, without / at the ends")
            if part == "**":
                self._runs.append([])
            else:
                self._runs[-1].append(_Part(part, columns, place))
        # Of the parts after the last run.
        self._least = 1 if parts[-1] == "**" else 0
        if not columns:
            raise CohortError(f"{place}: it names no column; write one as {{platform}}")
        _check_columns(columns, place)
        self.columns = tuple(columns)

    def of(self, session: str, path: str) -> Values | None:
        parts = path.split("/")
        first, *rest = self._runs
        values = _values(first, parts, 0)
        if values is None or not rest and len(parts) != len(first):
            return None
        start = len(first)
        # The first place for a run leaves the most to those after it, so no other need be tried.
        for run in rest[:-1]:
            found = None
            while found is None:
                if start + len(run) > len(parts):
                    return None
                found = _values(run, parts, start)
                start += 1
            start += len(run) - 1
            values += found
        if rest:
            end = len(parts) - len(rest[-1])
            last = _values(rest[-1], parts, end) if end >= start + self._least else None
            if last is None:
                return None
            values += last
        return tuple(values)


class _Part:
    """A part of a pattern: text, and after each wildcard text again. Takes linear time."""

    def __init__(self, part: str, columns: list[str], place: str) -> None:
        #: Whether each wildcard is a column.
        self._are_columns: list[bool] = []
        self._texts = [""]
        was_column = False
        for token in re.findall(r"\{\w+\}|\*+|[{}]|[^{}*]+", part):
            is_column = token[0] == "{" and len(token) > 2
            if is_column and was_column:
                raise CohortError(f"{place}: nothing separates {{{columns[-1]}}} from {token}")
            was_column = is_column
            if is_column:
                columns.append(token[1:-1])
            elif token in "{}":
                raise CohortError(f"{place}: braces hold the name of a column: letters, digits and _")
            elif token[0] == "*" and len(token) > 1:
                raise CohortError(f"{place}: '{token}' is no part of its own; write * for characters of one part")
            if is_column or token == "*":
                self._are_columns.append(is_column)
                self._texts.append("")
            else:
                self._texts[-1] += token

    def values(self, part: str) -> list[str] | None:
        """The values of the columns; None if the part is another."""
        if not self._are_columns:
            return [] if part == self._texts[0] else None
        if not part.startswith(self._texts[0]):
            return None
        values = []
        start, last = len(self._texts[0]), len(self._are_columns) - 1
        for number, (is_column, text) in enumerate(zip(self._are_columns, self._texts[1:], strict=True)):
            least = start + is_column
            # A wildcard takes as few characters as it can, which leaves the most to those after it.
            if number == last:
                end = len(part) - len(text) if part.endswith(text) else -1
            else:
                end = part.find(text, least)
            if end < least:
                return None
            if is_column:
                values.append(part[start:end])
            start = end + len(text)
        return values


def _values(run: list[_Part], parts: list[str], start: int) -> list[str | None] | None:
    """The values of a run of parts from `start` on; None if they are others."""
    if start + len(run) > len(parts):
        return None
    values: list[str | None] = []
    for pattern, part in zip(run, parts[start:]):
        found = pattern.values(part)
        if found is None:
            return None
        values += found
    return values
