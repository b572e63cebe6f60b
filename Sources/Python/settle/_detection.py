"""Which format a log has, by its content or else by its name: the library decides, as docs/reference/log-format.md
says."""

from __future__ import annotations

from typing import Any

from ._library import ffi, lib
from .errors import LogError

MAGIC = b"\x89STL\r\n\x1a\n"
MARK = b"\xef\xbb\xbf"
#: A format shows within this many bytes.
_OPENING_BYTES = 1 << 16


def _text(text: Any) -> str:
    return str(ffi.string(text).decode()) if text else ""


#: The formats' names and extensions, each at its number.
_NAMES = [_text(lib.settle_log_format_name(number)) for number in range(lib.SETTLE_FORMATS)]
_EXTENSIONS = [_text(lib.settle_log_format_extension(number)) for number in range(lib.SETTLE_FORMATS)]
#: The formats that are read here.
FORMATS = (_NAMES[lib.SETTLE_FORMAT_JSON_LINES], _NAMES[lib.SETTLE_FORMAT_BINARY])


def detect(data: Any, name: str | None, wanted: str | None, salvage: bool) -> str:
    """The format of a log in a buffer, jsonl or settle: the one that is wanted, that of its content, or that of its
    name's extension. To salvage, also of a log whose beginning is lost. Raises LogError: it is no log, or one that must
    be converted first.
    """
    start = bytes(data[: _OPENING_BYTES + len(MARK)])
    foreign = lib.settle_log_find_foreign(start, len(start), True)
    if foreign:
        raise LogError(_text(lib.settle_log_foreign_problem(foreign)), name=name)
    start = start.removeprefix(MARK)
    found = wanted or _NAMES[lib.settle_log_format_detect(start, len(start), True)] or _by_extension(name)
    if not found and salvage and b"CHNK" in bytes(data):
        found = "settle"
    if not found:
        raise LogError(
            f"neither the content nor the file name shows the format; name it with format= ({', '.join(FORMATS)})",
            name=name,
        )
    if found not in FORMATS:
        raise LogError(f"this is a log of the format {found}; convert it first, with 'settle convert'", name=name)
    return found


def _by_extension(name: str | None) -> str:
    known = zip(_NAMES, _EXTENSIONS)
    return next((format for format, end in known if name and end and name.endswith("." + end)), "")
