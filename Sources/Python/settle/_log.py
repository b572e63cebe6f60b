"""Event logs in memory."""

from __future__ import annotations

import mmap
import os
import stat
import sys
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from . import _detection, _events, _header, _json_lines, _metadata, _whole
from ._events import EVENT, Flag, Kind
from ._header import Header
from ._html import seconds, table
from ._library import ffi
from ._types import ArrowData, Rows, Source

if TYPE_CHECKING:
    import pyarrow


#: The most scenes that a notebook shows.
_SHOWN_MAX = 20


@dataclass(eq=False, slots=True)
class Log:
    """The events of a log.

    Attributes:
        events: A NumPy array of the dtype `settle.EVENT`: `t_ns`, the time in the log's clock in nanoseconds,
            0 … 2**63 - 1; `width` and `height` in the log's unit, 0 × 0 without a size; `scene`, an index into `names`,
            or a pointer event's button; `kind`, see `settle.Kind`; `flags`, see `settle.Flag`. The reports of the ends
            of builds and of work for previews, `Kind.FINISHED` and `Kind.PREVIEWED`, have `cost_ns` and `generation`
            instead of a size: in `events.view(settle.REPORT)`.
        names: The names of the scenes.
        header: The keys `clock`, `unit`, `source` and `name`, each a str, and perhaps `policy`.
        complete: True if the log has an index that lists exactly what was read, False after a fault, None if unknown,
            as for any text log.
        problem: The first fault of a salvaged log, with its line or byte; None for none.
    """

    events: Rows
    names: list[str]
    header: Header = field(default_factory=lambda: _header.checked(None))
    complete: bool | None = None
    problem: str | None = None

    @classmethod
    def from_events(cls, events: Rows, names: Iterable[str], header: Header | None = None) -> Log:
        """A log of events, which are checked and not copied.

        Args:
            events: An array of the dtype `settle.EVENT`, in the log's order.
            names: The names of the scenes, each at most 1,024 bytes of UTF-8.
            header: Keys that are absent have the defaults monotonic, px, unknown and "".

        Raises:
            LogError: An event, a name or the header cannot stand in a log.
            TypeError: The array has another dtype or more dimensions, or a name is no str.
        """
        names = list(names)
        return cls(_events.check(events, names), names, _header.checked(header))

    @property
    def generation(self) -> NDArray[np.uint32]:
        """Beside the events, of each report the number of its scene's rebuild or preview, from 1 on; 0 of others."""
        return _events.reported(self.events, "generation", np.uint32)

    @property
    def cost_ns(self) -> NDArray[np.uint64]:
        """Beside the events, of each report how long the build or the work took, in nanoseconds; 0 of others."""
        return _events.reported(self.events, "cost_ns", np.uint64)

    def _repr_html_(self) -> str:
        """What notebooks show: the first scenes, with their events and sizes."""
        own = self.events[self.events["kind"] != Kind.POINTER]
        took = int(self.events["t_ns"].max() - self.events["t_ns"].min()) if len(self.events) else 0
        rows: list[list[object]] = []
        for number, name in enumerate(self.names[:_SHOWN_MAX]):
            events = own[own["scene"] == number]
            sizes = events[(events["flags"] & Flag.SIZE_KNOWN != 0) & (events["width"] > 0)]
            ends = [f"{size['width']:g} × {size['height']:g}" for size in sizes[[0, -1]]] if len(sizes) else ["–"] * 2
            rows.append([name, len(events), *ends])
        more = len(self.names) - len(rows)
        caption = f"{self.header.get('name') or 'log'}: {len(self.events):,} events in {seconds(took)}"
        caption += f", {len(self.names):,} scenes" + f", {more:,} of them not shown" * (more > 0)
        caption += f"; {self.problem}" if self.problem else ""
        return table(["scene", "events", "first size", "last size"], rows, caption)

    def to_arrow(self) -> pyarrow.Table:
        """The events as a table of pyarrow, with null for what an event does not state: `t_ns` int64, `scene`
        dictionary of string, `width` and `height` double, `kind` dictionary of string, `button` uint32, `pressed`,
        `resizing` and `locked` bool, `orientation` dictionary of string, `generation` uint32, `cost_ns` int64, `kept`
        bool. The header is the schema's metadata.

        Raises:
            ImportError: There is no pyarrow; it is the wheel's extra `arrow`.
        """
        from . import _arrow

        return _arrow.to_table(self)

    @classmethod
    def from_arrow(
        cls, table: ArrowData, header: Header | None = None, *, time: str = "t_ns", unit: str | None = None
    ) -> Log:
        """A log of a table with the columns of `to_arrow`; those that a log's kinds do not need may be absent.

        Args:
            table: The events, in the log's order: a table or a record batch of pyarrow, a DataFrame of pandas or
                Polars, or another object with `__arrow_c_stream__` or `__arrow_c_array__`.
            header: None for that of the schema's metadata, or else the default one.
            time: The column with the times. Timestamps and durations count in their own unit, timestamps from 1970 in
                UTC.
            unit: The unit of whole numbers: `s`, `ms`, `us` or `ns`; None for the one that the column's name ends in,
                as in `t_ns`.

        Raises:
            LogError: A column has another type, or an event cannot stand in a log: it has the column or the row.
            TypeError: The table is something else.
            ValueError: The unit is another one.
            ImportError: There is no pyarrow; it is the wheel's extra `arrow`.
        """
        from . import _arrow

        return _arrow.from_table(table, header, time, unit)


def read(source: Source, *, salvage: bool = False, format: str | None = None) -> Log:
    """Reads a log.

    A file is mapped into memory: while it is read, nobody may make it shorter.

    Args:
        source: A path, `-` for standard input, a buffer with the log, or a binary file.
        salvage: Whether to read what is whole of a damaged log; its first fault is then `Log.problem`.
        format: `jsonl` or `settle`; None to detect it by the content, or else by the file's extension.

    Raises:
        LogError: The log cannot be read, or it is damaged and not salvaged. It has the line or the byte.
        OSError: The file cannot be read.
        TypeError: The source is something else.
        ValueError: The format is another one.
    """
    if format is not None and format not in _detection.FORMATS:
        raise ValueError(f"format must be one of {', '.join(_detection.FORMATS)}, and is {format!r}")
    data, name = load(source)
    return read_loaded(data, name, salvage, format)


def read_loaded(data: Any, name: str | None, salvage: bool, format: str | None = None) -> Log:
    """Reads a log that `load` returned."""
    if _detection.detect(data, name, format, salvage) == "settle":
        return _read_binary(data, salvage, name)
    if isinstance(data, memoryview):
        data = data.tobytes()
    start = len(_detection.MARK) if data[:3] == _detection.MARK else 0
    reader = _json_lines.Reader(data, start, salvage, name)
    reader.read()
    return Log(reader.events, reader.names, reader.header, False if reader.problem else None, reader.problem)


def load(source: Source) -> tuple[Any, str | None]:
    """The bytes of a source, copied only if they must be, and its name."""
    if isinstance(source, (bytes, bytearray, mmap.mmap)):
        return source, None
    if isinstance(source, (str, os.PathLike)):
        path = os.fspath(source)
        if path == "-":
            return sys.stdin.buffer.read(), "standard input"
        with Path(path).open("rb") as file:
            status = os.fstat(file.fileno())
            if not stat.S_ISREG(status.st_mode) or status.st_size == 0:
                return file.read(), str(path)
            return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ), str(path)
    if hasattr(source, "read"):
        content = source.read()
        if not isinstance(content, bytes):
            raise TypeError("a log's file must be open in binary mode, as by open(path, 'rb')")
        name = getattr(source, "name", None)
        return content, name if isinstance(name, str) else None
    try:
        view = memoryview(source)
    except TypeError:
        raise TypeError(f"a log is a path, a buffer or a binary file, and no {type(source).__name__}") from None
    return (view.cast("B") if view.c_contiguous and view.nbytes else view.tobytes()), None


def _read_binary(data: Any, salvage: bool, name: str | None) -> Log:
    whole, contents = ffi.new("settle_log_whole *"), ffi.new("settle_log_contents *")
    memory, buffer = _whole.Memory(), _whole.buffer(data)
    problem, complete = _metadata.read(buffer, salvage, whole, contents, memory, name)
    header = _metadata.header(whole) or _header.checked(None)
    events = memory.array(contents.events, EVENT, contents.count)
    names = _whole.names(contents)
    return Log(events, names, header, complete, f"byte {problem[1]}: {problem[0]}" if problem else None)
