"""Event logs in the JSON Lines encoding, by the library's readers."""

from __future__ import annotations

from typing import Any

import numpy as np

from ._events import EVENT, Kind
from ._header import Header, of_line
from ._json import Fault, Scanner, decoded, parse_double
from ._library import ffi, lib
from ._names import NameTable
from .errors import LogError

LINE_BYTES_MAX = 1 << 20
#: The bytes of the shortest line of an event, `{"t_ns":0,"scene":""}`, with its end.
_EVENT_BYTES_MIN = 22
#: Where a binary log has its metadata.
_METADATA_OFFSET = 16


class Reader:
    """Reads a log in memory (bytes, a bytearray or a memory map) from a byte on. To salvage is to go on after a fault,
    without its line."""

    def __init__(self, data: Any, start: int, salvage: bool, name: str | None) -> None:
        self.header: Header = {}
        self.problem: str | None = None
        self._data, self._at = data, start
        self._buffer = ffi.from_buffer("unsigned char[]", data)
        self._size = len(self._buffer)
        self._salvage, self._name = salvage, name
        self._line = 0
        self._table = NameTable()
        self._count = 0
        self._events = np.empty((self._size - start) // _EVENT_BYTES_MIN + 1, EVENT)

    @property
    def events(self) -> np.ndarray:
        """The events that were read."""
        return self._events[: self._count]

    @property
    def names(self) -> list[str]:
        """The names of their scenes."""
        return self._table.names

    def read(self) -> None:
        """Reads the whole log. Raises LogError: the header cannot be read, or, unless salvaging, a line."""
        self._read_header()
        used = ffi.new("size_t *")
        events = ffi.cast("settle_log_event *", self._events.ctypes.data)
        while self._at < self._size:
            lines = lib.settle_log_read_json_lines(
                self._buffer + self._at, self._size - self._at, LINE_BYTES_MAX, self._table.table,
                events + self._count, len(self._events) - self._count, used,
            )
            self._count += lines
            self._line += lines
            self._at += used[0]
            if self._at < self._size:
                self._read_other()

    def _next(self) -> bytes:
        """The next line without its end."""
        self._line += 1
        end = self._data.find(b"\n", self._at)
        start, self._at = self._at, self._size if end < 0 else end + 1
        end = self._size if end < 0 else end
        if end - start > LINE_BYTES_MAX:
            raise Fault(f"the line is longer than {LINE_BYTES_MAX} bytes")
        line = self._data[start:end]
        return line[:-1] if line.endswith(b"\r") else line

    def _fault(self, problem: str) -> LogError:
        return LogError(problem, name=self._name, line=self._line)

    def _read_header(self) -> None:
        while self._at < self._size:
            try:
                line = self._next()
                if line.startswith(b"#") or not line.strip(b" \t\r"):
                    continue
                self.header = of_line(line)
                return
            except Fault as fault:
                raise self._fault(f"the header cannot be read: {fault.problem}") from None
        problem = 'the log is empty; its first line must be {"settle":"events","version":1,…}'
        raise LogError(problem, name=self._name)

    def _read_other(self) -> None:
        """Reads a line that is not plain."""
        try:
            line = self._next()
            if line.startswith(b"#") or not line.strip(b" \t\r"):
                return
            self._add(line)
        except Fault as fault:
            error = self._fault(fault.problem)
            if not self._salvage:
                raise error from None
            self.problem = self.problem or f"line {self._line}: {fault.problem}"

    def _add(self, line: bytes) -> None:
        scanner, read = Scanner(line), ffi.new("settle_json_event *")
        scanner.check(lib.settle_json_read_event(scanner.json, parse_double, read))
        event = read.event
        if event.kind != Kind.POINTER:
            name = decoded(read.scene)
            event.name = self._table.number(name.decode(), name)
        made = (event.at_ns, event.width, event.height, event.name, event.kind, event.flags)
        self._events[self._count] = made
        self._count += 1


def read_header(metadata: bytes, name: str | None) -> Header:
    """The header of a binary log's metadata. Raises LogError: it is none."""
    reader = Reader(metadata, 0, False, name)
    try:
        reader._read_header()
    except LogError as error:
        raise LogError(error.problem, name=name, offset=_METADATA_OFFSET) from None
    return reader.header
