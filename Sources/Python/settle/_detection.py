"""Which format a log has, by its content or else by its name, as docs/reference/log-format.md says."""

from __future__ import annotations

import re
from typing import Any

from ._json import Scanner, decoded
from ._library import ffi, lib
from .errors import LogError

MAGIC = b"\x89STL\r\n\x1a\n"
MARK = b"\xef\xbb\xbf"
FORMATS = ("jsonl", "settle")
IMPORTED = ("wayland-debug", "xev", "rrweb", "asciicast")
#: A format must show within this many bytes and lines.
_OPENING_BYTES, _OPENING_LINES, _LINE_BYTES = 1 << 16, 200, 512
_EXTENSIONS = {".jsonl": "jsonl", ".settle": "settle", ".cast": "asciicast"}
_FOREIGN = (
    (b"<!DOCTYPE html>", "this is a web page; give the log itself"),
    (b"<svg", "this is a picture; give the log that it shows"),
    (b"\x1f\x8b", "this is compressed by gzip; decompress it first, with 'gzip -dc'"),
    (b"\x28\xb5\x2f\xfd", "this is compressed by zstd; decompress it first, with 'zstd -dc'"),
    (b"\xfd7zXZ\0", "this is compressed by xz; decompress it first, with 'xz -dc'"),
    (b"PK\x03\x04", "this is a ZIP archive; extract the log from it first, with 'unzip'"),
)
_WAYLAND = re.compile(r"\[ *[0-9]*\.[0-9]{3}\].*\(")


def detect(data: Any, name: str | None, wanted: str | None, salvage: bool) -> str:
    """The format of a log: jsonl or settle.

    Args:
        data: The log, a buffer.
        name: The file's name, whose extension decides if the content does not.
        wanted: The format that the caller names, or None.
        salvage: Whether a log whose beginning is lost may still have whole chunks.

    Raises:
        LogError: It is no log, or one that must be converted first.
    """
    start = bytes(data[:_OPENING_BYTES])
    _refuse_foreign(start, name)
    found = wanted or _recognize(start.removeprefix(MARK)) or _by_extension(name)
    if found is None and salvage and b"CHNK" in bytes(data):
        found = "settle"
    if found is None:
        raise LogError(
            f"neither the content nor the file name shows the format; name it with format= ({', '.join(FORMATS)})",
            name=name,
        )
    if found not in FORMATS:
        raise LogError(f"this is a log of the format {found}; convert it first, with 'settle convert'", name=name)
    return found


def _by_extension(name: str | None) -> str | None:
    return next((found for end, found in _EXTENSIONS.items() if name and name.endswith(end)), None)


def _refuse_foreign(start: bytes, name: str | None) -> None:
    if not start:
        raise LogError("the log is empty: it has 0 bytes", name=name)
    for magic, problem in _FOREIGN:
        if start.startswith(magic):
            raise LogError(problem, name=name)
    wide = _wide(start)
    if wide:
        raise LogError(
            f"this is {wide[:6]} text, and a log is UTF-8; convert it first, with 'iconv -f {wide} -t UTF-8'", name=name
        )


def _wide(start: bytes) -> str | None:
    """The encoding of text in UTF-16 or UTF-32, None for any other."""
    if len(start) < 2:
        return None
    first, second, rest = start[0], start[1], start[2:4]
    if (first, second) == (0xFF, 0xFE):
        return "UTF-32" if rest == b"\0\0" else "UTF-16"
    if (first, second) == (0xFE, 0xFF):
        return "UTF-16"
    if (first, second) == (0, 0):
        if rest == b"\xfe\xff":
            return "UTF-32"
        return "UTF-32BE" if len(rest) == 2 and rest[0] == 0 and 1 <= rest[1] <= 0x7F else None
    if first == 0 and 1 <= second <= 0x7F:
        return "UTF-16BE"
    if 1 <= first <= 0x7F and second == 0:
        return "UTF-32LE" if rest == b"\0\0" else "UTF-16LE"
    return None


def _recognize(start: bytes) -> str | None:
    """The format that the first lines show."""
    if start.startswith(MAGIC):
        return "settle"
    at = 0
    for line in start.split(b"\n", _OPENING_LINES)[:_OPENING_LINES]:
        text = line.lstrip(b" \t\r")
        begin = at + len(line) - len(text)
        at += len(line) + 1
        if not text or text.startswith(b"#"):
            continue
        if text.startswith(b"{"):
            # A format must show in the first object.
            return _of_object(_keys(start[begin:]))
        found = _of_line(text[:_LINE_BYTES].decode(errors="replace"), start[begin:])
        if found:
            return found
    return None


def _of_line(line: str, rest: bytes) -> str | None:
    if line.startswith("["):
        element = rest[1:].lstrip(b" \t\r\n")
        if element.startswith(b"{") and _is_rrweb(_keys(element)):
            return "rrweb"
    if _WAYLAND.match(line):
        return "wayland-debug"
    return "xev" if " event, serial " in line and "synthetic " in line else None


def _of_object(keys: dict[str, str]) -> str | None:
    if "settle" in keys or "t_ns" in keys:
        return "jsonl"
    if _is_rrweb(keys) or keys.get("events") == "[":
        return "rrweb"
    return "asciicast" if keys.get("version", " ") in "-0123456789" else None


def _is_rrweb(keys: dict[str, str]) -> bool:
    return "data" in keys and keys.get("type", " ") in "0123456789"


def _keys(text: bytes) -> dict[str, str]:
    """The keys of the object that a text begins with, each with the first character of its value, up to where the
    object ends or is cut off."""
    keys: dict[str, str] = {}
    scanner, is_first, key = Scanner(text), ffi.new("bool *", True), ffi.new("settle_json_string *")
    while lib.settle_json_next_member(scanner.json, is_first, key):
        keys[decoded(key[0]).decode()] = chr(max(lib.settle_json_peek(scanner.json), 0))
        lib.settle_json_skip_value(scanner.json)
    return keys
