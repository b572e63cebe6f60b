"""Event logs in the JSON Lines encoding: plain lines by the library's reader, the others by the rules of
docs/reference/log-format.md."""

from __future__ import annotations

from typing import Any

import numpy as np

from . import _strict_json
from ._events import EVENT, Flag, Kind, NAME_BYTES_MAX, ORIENTATIONS, TIME_MAX
from ._header import Header, from_members
from ._library import ffi, lib
from ._names import NameTable
from ._strict_json import Fault, Number
from .errors import LogError

LINE_BYTES_MAX = 1 << 20
#: The bytes of the shortest line of an event, `{"t_ns":0,"scene":""}`, with its end.
_EVENT_BYTES_MIN = 22
#: Where a binary log has its metadata.
_METADATA_OFFSET = 16


class Reader:
    """Reads a log in memory.

    Args:
        data: The log: bytes, a bytearray or a memory map.
        start: The first byte behind a byte order mark.
        salvage: Whether to go on after a fault, without its line.
        name: The log's name in an error.
    """

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
        """Reads the whole log.

        Raises:
            LogError: The header cannot be read, or, unless salvaging, a line.
        """
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
                self.header = from_members(_strict_json.members(_text(line)))
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
            self._add(_strict_json.members(_text(line)))
        except Fault as fault:
            error = self._fault(fault.problem)
            if not self._salvage:
                raise error from None
            self.problem = self.problem or f"line {self._line}: {fault.problem}"

    def _add(self, members: _strict_json.Members) -> None:
        # The last of two equal keys counts, but each must have a value of its kind.
        fields: dict[str, Any] = {}
        for key, value in members:
            check = _VALUES.get(key)
            if check is not None:
                fields[key] = check(key, value)
        self._events[self._count] = self._event(fields)
        self._count += 1

    def _event(self, fields: dict[str, Any]) -> tuple:
        kind = fields.get("kind", Kind.GEOMETRY)
        _require(fields, "t_ns")
        if kind == Kind.POINTER:
            _require(fields, "button")
            _require(fields, "pressed")
            return fields["t_ns"], 0, 0, fields["button"], kind, Flag.PRESSED if fields["pressed"] else 0
        _require(fields, "scene")
        if kind != Kind.GEOMETRY:
            return fields["t_ns"], 0, 0, self._table.number(*fields["scene"]), kind, 0
        has_size = "width" in fields
        if has_size != ("height" in fields):
            raise Fault('"width" without "height"' if has_size else '"height" without "width"')
        flags = Flag.SIZE_KNOWN if has_size else 0
        for key, known, value in (
            ("resizing", Flag.RESIZING_KNOWN, Flag.RESIZING), ("locked", Flag.LOCKED_KNOWN, Flag.LOCKED)
        ):
            if key in fields:
                flags |= known | (value if fields[key] else 0)
        flags |= fields.get("orientation", 0) << Flag.ORIENTATION_SHIFT
        width, height = fields.get("width", 0.0), fields.get("height", 0.0)
        return fields["t_ns"], width, height, self._table.number(*fields["scene"]), kind, flags


def read_header(metadata: bytes, name: str | None) -> Header:
    """The header of a binary log's metadata.

    Raises:
        LogError: It is none.
    """
    reader = Reader(metadata, 0, False, name)
    try:
        reader._read_header()
    except LogError as error:
        raise LogError(error.problem, name=name, offset=_METADATA_OFFSET) from None
    return reader.header


def _text(line: bytes) -> str:
    try:
        return line.decode()
    except UnicodeDecodeError:
        raise Fault("a string is not valid UTF-8") from None


def _require(fields: dict[str, Any], key: str) -> None:
    if key not in fields:
        raise Fault(f'"{key}" is missing')


def whole_number(value: object, most: int) -> int:
    """A number that is written as digits alone, at most 20 of them."""
    if not isinstance(value, Number):
        raise Fault("expected a number")
    if not value.isdecimal() or len(value) > 20 or int(value) > most:
        raise Fault(f"{value[:40]} is not a whole number from 0 to {most}")
    return int(value)


def _time(_key: str, value: object) -> int:
    return whole_number(value, TIME_MAX)


def _button(_key: str, value: object) -> int:
    return whole_number(value, 2**32 - 1)


def _length(key: str, value: object) -> float:
    if not isinstance(value, Number):
        raise Fault(f'"{key}" must be a number')
    return float(value)


def _bool(key: str, value: object) -> bool:
    if not isinstance(value, bool):
        raise Fault(f'"{key}" must be true or false')
    return value


def _string(key: str, value: object) -> str:
    if type(value) is not str:
        raise Fault(f'"{key}" must be a string')
    return value


def _scene(key: str, value: object) -> tuple[str, bytes]:
    text = _string(key, value)
    utf8 = text.encode()
    if len(utf8) > NAME_BYTES_MAX:
        raise Fault(f"a scene's name must be valid UTF-8 of at most {NAME_BYTES_MAX} bytes")
    return text, utf8


def _kind(key: str, value: object) -> int:
    text = _string(key, value)
    if text not in Kind.NAMES:
        raise Fault(f'unknown kind "{text}"; known are geometry, connect, disconnect and pointer')
    return Kind.NAMES.index(text)


def _orientation(key: str, value: object) -> int:
    text = _string(key, value)
    if text not in ORIENTATIONS[1:]:
        raise Fault(f'unknown orientation "{text}"; known are {", ".join(ORIENTATIONS[1:])}')
    return ORIENTATIONS.index(text)


_VALUES = {
    "t_ns": _time, "scene": _scene, "width": _length, "height": _length, "resizing": _bool, "kind": _kind,
    "locked": _bool, "orientation": _orientation, "button": _button, "pressed": _bool,
}
