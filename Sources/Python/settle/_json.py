"""JSON by the library's reader, and strings of JSON."""

from __future__ import annotations

from typing import Any

from ._library import ffi, lib


class Fault(Exception):
    """A problem with a text, and where it is in it, if that is known."""

    def __init__(self, problem: str, at: int | None = None):
        super().__init__(problem)
        self.problem = problem
        self.at = at


def _double(text: Any, count: int) -> float:
    return float(ffi.string(text, count))


#: For a number of JSON's grammar that needs more than exact arithmetic.
parse_double: Any = ffi.callback("double(const char *, size_t)", _double)


class Scanner:
    """A text that the library reads value by value."""

    def __init__(self, text: bytes):
        self._text = text  # What the library points into.
        self.json = ffi.new("settle_json *")
        lib.settle_json_start(self.json, ffi.from_buffer(text), len(text))

    @property
    def at(self) -> int:
        """The byte behind what was read."""
        return int(self.json.at)

    @property
    def is_at_end(self) -> bool:
        return bool(lib.settle_json_peek(self.json) < 0)

    def check(self, is_fine: bool) -> None:
        """Raises the Fault that the library found."""
        if not is_fine:
            problem = bytes(ffi.buffer(self.json.problem, self.json.problem_count)).decode(errors="replace")
            raise Fault(problem, self.at)


def decoded(string: Any) -> bytes:
    """The bytes of a settle_json_string, UTF-8."""
    out = bytearray(string.decoded)
    lib.settle_json_decode(ffi.addressof(string), ffi.from_buffer("unsigned char[]", out))
    return bytes(out)


def quoted(text: str) -> str:
    """The text as a JSON string, with no more escapes than RFC 8259 demands."""
    return '"' + text.translate(_ESCAPES) + '"'


_ESCAPES = {code: f"\\u{code:04x}" for code in range(0x20)} | {
    ord('"'): '\\"', ord("\\"): "\\\\", ord("\n"): "\\n", ord("\t"): "\\t",
}
