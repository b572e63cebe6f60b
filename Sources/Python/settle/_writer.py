"""Logs into files, in either encoding, byte for byte as `settle convert` writes them."""

from __future__ import annotations

import math
import os
from collections.abc import Iterator
from typing import Any

import numpy as np

from . import _events, _header
from ._detection import FORMATS
from ._events import Flag, KIND_NAMES, Kind, ORIENTATION_SHIFT, ORIENTATIONS, REPORT, REPORTS
from ._library import ffi, lib
from ._output import Output
from ._json import quoted
from ._log import Log

EVENTS_PER_CHUNK = 1 << 10
#: From here on, a double in text has an exponent; Swift's begin earlier than Python's.
_EXPONENT_FROM = 2.0**53


def write(log: Log, path: str | os.PathLike[str], *, format: str | None = None, force: bool = False) -> None:
    """Writes a log to a file, which gets its name when it is complete.

    JSON has no NaN: in JSON Lines it is `1e999`, which reads as infinite and is rejected as NaN is.

    Args:
        log: The log.
        path: The file. A symbolic link stays, and the file that it names is written.
        format: `jsonl` or `settle`; None for that of the file's extension.
        force: Whether to replace an existing file, which keeps its mode.

    Raises:
        LogError: An event, a name or the header cannot stand in a log.
        OutputError: There is such a file and `force` is false, it is read-only or no regular file, or it cannot be
            made in its folder.
        OSError: Writing failed; no part of the file stays.
        ValueError: There is no such format, or the extension shows none.
    """
    chosen = format or next((known for known in FORMATS if os.fspath(path).endswith("." + known)), None)
    if chosen not in FORMATS:
        raise ValueError(f"{path}: the extension shows no format; name it with format= ({', '.join(FORMATS)})")
    with Output(path, force=force) as output:
        for part in _lines(log) if chosen == "jsonl" else binary_parts(log):
            output.file.write(part)
        output.finish()


def to_bytes(log: Log) -> bytes:
    """The log in the binary encoding.

    Raises:
        LogError: An event, a name or the header cannot stand in a log.
    """
    return b"".join(binary_parts(log))


def binary_parts(log: Log) -> Iterator[bytes]:
    """The binary log: its header, its chunks and its index."""
    events = _events.check(log.events, log.names)
    names = [name.encode() for name in log.names]
    metadata = _header.line(_header.checked(log.header)).encode()
    start = ffi.new("unsigned char[]", lib.SETTLE_LOG_FILE_HEADER_BYTES)
    lib.settle_log_write_file_header(start, len(metadata))
    head = ffi.buffer(start)[:] + metadata
    head += lib.settle_crc32c(0, head, len(head)).to_bytes(4, "little")
    yield head
    at = len(head)
    entries: list[tuple[int, int, int, int, int]] = []
    for first in range(0, len(events), EVENTS_PER_CHUNK):
        part, chunk = _chunk(events[first : first + EVENTS_PER_CHUNK].copy(), names)
        entries.append((at, chunk.first_ns, chunk.last_ns, chunk.events, len(part)))
        at += len(part)
        yield part
    yield _index(entries, len(events))


def _chunk(events: np.ndarray, names: list[bytes]) -> tuple[bytes, Any]:
    """A chunk of events, whose scenes get the chunk's numbers in order of appearance."""
    is_of_scene = events["kind"] != Kind.POINTER
    scenes, first_at, inverse = np.unique(events["scene"][is_of_scene], return_index=True, return_inverse=True)
    order = np.argsort(first_at)
    numbers = np.empty_like(order)
    numbers[order] = np.arange(len(order))
    events["scene"][is_of_scene] = numbers[inverse]
    dictionary = b"".join(len(names[scene]).to_bytes(2, "little") + names[scene] for scene in scenes[order].tolist())

    chunk = ffi.new("settle_log_chunk *")
    chunk.first_ns, chunk.last_ns = int(events["t_ns"].min()), int(events["t_ns"].max())
    chunk.events, chunk.scenes, chunk.dictionary_bytes = len(events), len(scenes), len(dictionary)
    sizes = ffi.new("settle_log_size[]", max(len(scenes), 1))
    out = np.empty(len(events) * lib.SETTLE_LOG_EVENT_BYTES_MAX, np.uint8)
    length = lib.settle_log_encode(
        chunk, ffi.cast("settle_log_event *", events.ctypes.data), sizes, ffi.cast("unsigned char *", out.ctypes.data),
    )
    body = dictionary + out[:length].tobytes()
    chunk.body_bytes, chunk.body_crc = len(body), lib.settle_crc32c(0, body, len(body))
    header = ffi.new("unsigned char[]", lib.SETTLE_LOG_CHUNK_HEADER_BYTES)
    lib.settle_log_write_chunk_header(header, chunk)
    return ffi.buffer(header)[:] + body, chunk


def _index(entries: list[tuple[int, int, int, int, int]], total: int) -> bytes:
    fixed = lib.SETTLE_LOG_FOOTER_HEADER_BYTES + lib.SETTLE_LOG_FOOTER_TAIL_BYTES
    out = ffi.new("unsigned char[]", fixed + len(entries) * lib.SETTLE_LOG_FOOTER_ENTRY_BYTES)
    lib.settle_log_write_footer(out, ffi.new("settle_log_index_entry[]", entries), len(entries), total)
    return ffi.buffer(out)[:]


def _lines(log: Log) -> Iterator[bytes]:
    """The JSON Lines log, in parts of many lines."""
    events = _events.check(log.events, log.names)
    yield (_header.line(_header.checked(log.header)) + "\n").encode()
    names = [quoted(name) for name in log.names]
    for first in range(0, len(events), 1 << 14):
        part = events[first : first + (1 << 14)]
        reports = part.view(REPORT)[["cost_ns", "generation"]].tolist()
        yield "".join(_line(event, report, names) for event, report in zip(part.tolist(), reports)).encode()


def _line(event: tuple[int, float, float, int, int, int], report: tuple[int, int], names: list[str]) -> str:
    t_ns, width, height, scene, kind, flags = event
    if kind == Kind.POINTER:
        pressed = "true" if flags & Flag.PRESSED else "false"
        return f'{{"t_ns":{t_ns},"kind":"pointer","button":{scene},"pressed":{pressed}}}\n'
    start = f'{{"t_ns":{t_ns},"scene":{names[scene]}'
    if kind in REPORTS:
        cost_ns, generation = report
        kept = ',"kept":false' if kind == Kind.PREVIEWED and flags & Flag.GIVEN_UP else ""
        return f'{start},"kind":"{KIND_NAMES[Kind(kind)]}","generation":{generation},"cost_ns":{cost_ns}{kept}}}\n'
    if kind != Kind.GEOMETRY:
        return f'{start},"kind":"{KIND_NAMES[Kind(kind)]}"}}\n'
    if flags & Flag.SIZE_KNOWN:
        start += f',"width":{length(width)},"height":{length(height)}'
    if flags & Flag.RESIZING_KNOWN:
        start += ',"resizing":true' if flags & Flag.RESIZING else ',"resizing":false'
    if flags & Flag.LOCKED_KNOWN:
        start += ',"locked":true' if flags & Flag.LOCKED else ',"locked":false'
    orientation = (flags & Flag.ORIENTATION_MASK) >> ORIENTATION_SHIFT
    if 0 < orientation < len(ORIENTATIONS):
        start += f',"orientation":"{ORIENTATIONS[orientation]}"'
    return start + "}\n"


def length(value: float) -> str:
    """A length as text: whole numbers without a fraction, others in the shortest form that reads back the same."""
    size = abs(value)
    if size < 1e15 and value.is_integer() and (value or math.copysign(1, value) > 0):
        return str(int(value))
    if not math.isfinite(value):
        return "-1e999" if value == -math.inf else "1e999"
    text = repr(value)
    if size > _EXPONENT_FROM and "e" not in text:
        digits = text.lstrip("-").removesuffix(".0")
        shortest = digits.rstrip("0")
        fraction = f".{shortest[1:]}" if len(shortest) > 1 else ""
        return f"{'-' if value < 0 else ''}{shortest[0]}{fraction}e+{len(digits) - 1}"
    return text
