"""The cohort of each session: from a table in CSV, or from the log's path."""

from __future__ import annotations

import csv
import re
from array import array
from collections.abc import Callable, Iterator, Sequence
from itertools import count, islice

from .errors import Error

#: The values of the cohort columns; None where nothing is known.
Values = tuple[str | None, ...]


class CohortError(Error):
    """A table or pattern of cohorts with a fault."""

    status = 2


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
        """The values of a session by its name or its log's path below the folder; None if nothing says them."""
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
                raise CohortError(f"{place()}: it has {len(row)} cells, and the header has {len(header)}")
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
        # Regular expressions of parts, in runs with ** between them.
        runs: list[list[str]] = [[]]
        for part in pattern.split("/"):
            if not part:
                raise CohortError(f"{place}: a part is empty; it is a path below the folder, without / at the ends")
            if part == "**":
                runs.append([])
            else:
                runs[-1].append(_part(part, columns, place))
        if not columns:
            raise CohortError(f"{place}: it names no column; write one as {{platform}}")
        _check_columns(columns, place)
        self.columns = tuple(columns)
        first, *between = (("/".join(run) + "/") * bool(run) for run in runs)
        if between:
            # The first place for a run leaves the most to those after it, so no other need be tried.
            last = between.pop()
            first += "".join(_once(_ANY_PARTS + run) for run in between) + _ANY_PARTS + (last or "[^/]+/")
        self._expression = re.compile(first)

    def of(self, session: str, path: str) -> Values | None:
        match = self._expression.fullmatch(path + "/")
        return tuple(match[f"c{number}"] for number in range(len(self.columns))) if match else None


_ANY_PARTS = "(?:[^/]+/)*?"
_numbers = count()


def _once(expression: str) -> str:
    """An expression whose first match counts: no other is tried if what follows does not match."""
    name = f"once{next(_numbers)}"
    return f"(?=(?P<{name}>{expression}))(?P={name})"


def _part(part: str, columns: list[str], place: str) -> str:
    """A part of a pattern as a regular expression, which takes linear time; adds its columns to those before."""
    texts, wildcards = [""], []
    was_column = False
    for token in re.findall(r"\{\w+\}|\*+|[{}]|[^{}*]+", part):
        is_column = token[0] == "{" and len(token) > 2
        if is_column and was_column:
            raise CohortError(f"{place}: nothing separates {{{columns[-1]}}} from {token}")
        was_column = is_column
        if token in "{}":
            raise CohortError(f"{place}: braces hold the name of a column: letters, digits and _")
        if token[0] == "*" and len(token) > 1:
            raise CohortError(f"{place}: '{token}' is no part of its own; write * for characters of one part")
        if not is_column and token != "*":
            texts[-1] += re.escape(token)
            continue
        wildcards.append(f"(?P<c{len(columns)}>[^/]+?)" if is_column else "[^/]*?")
        texts.append("")
        if is_column:
            columns.append(token[1:-1])
    # A wildcard takes as few characters as it can, which leaves the most to those after it.
    pieces = list(map(str.__add__, wildcards, texts[1:]))
    return texts[0] + "".join(map(_once, pieces[:-1])) + "".join(pieces[-1:])
