"""JSON by RFC 8259 alone: what Python's json also accepts (NaN, lone surrogates) is a fault here."""

from __future__ import annotations

import json
# Not in the types of Python's library, but in its documentation of the module.
from json.decoder import scanstring as scanstring  # type: ignore[attr-defined]
from typing import Any, NoReturn

#: The deepest nesting of values below a key.
DEPTH_MAX = 64
SPACE = " \t\r\n"


class Fault(Exception):
    """A problem with a text, and where it is in it, if that is known."""

    def __init__(self, problem: str, at: int | None = None):
        super().__init__(problem)
        self.problem = problem
        self.at = at


class Number(str):
    """A number's text."""


class Members(list):
    """An object's members in order, as pairs of a key and a value; keys may be given twice."""


def _no_constant(text: str) -> NoReturn:
    raise Fault(f"{text} is no JSON")


_DECODER = json.JSONDecoder(
    object_pairs_hook=Members, parse_int=Number, parse_float=Number, parse_constant=_no_constant
)


def members(text: str) -> Members:
    """The members of the object that the text is.

    Raises:
        Fault: The text is something else, or a value is nested too deep.
    """
    try:
        value = _DECODER.decode(text)
    except json.JSONDecodeError as error:
        raise Fault(f"{error.msg} at column {error.colno}", error.pos) from None
    except RecursionError:
        raise Fault(f"values are nested more than {DEPTH_MAX} deep") from None
    if not isinstance(value, Members):
        raise Fault("expected '{' at column 1")
    if "\\u" in text:
        _check_strings(value)
    for _, member in value:
        if isinstance(member, list):
            check_depth(member)
    return value


def check_depth(value: object) -> None:
    """Raises a Fault if a value has values more than 64 deep."""
    level = [value]
    for _ in range(DEPTH_MAX):
        if not level:
            return
        level = [inner for outer in level if isinstance(outer, list) for inner in _values(outer)]
    if level:
        raise Fault(f"values are nested more than {DEPTH_MAX} deep")


def _values(outer: list) -> list:
    return [value for _, value in outer] if isinstance(outer, Members) else outer


def _check_strings(value: object) -> None:
    """Half a character must not become any character: names would merge."""
    rest: list[Any] = [value]
    while rest:
        item = rest.pop()
        if isinstance(item, Members):
            for key, inner in item:
                rest.extend((key, inner))
        elif isinstance(item, list):
            rest.extend(item)
        elif isinstance(item, str):
            check_string(item)


def check_string(text: str) -> str:
    """The text itself, which has no half of a character."""
    try:
        text.encode()
    except UnicodeEncodeError:
        raise Fault("a string has a bad escape, a lone surrogate, which is half a character") from None
    return text


def skip_space(text: str, at: int) -> int:
    """The place of the next character that is no space."""
    while at < len(text) and text[at] in SPACE:
        at += 1
    return at


def expect(text: str, at: int, character: str) -> int:
    """The place behind a character that must be next."""
    at = skip_space(text, at)
    if text[at : at + 1] != character:
        raise Fault(f"expected '{character}'" if at < len(text) else f"the text ends early: expected '{character}'", at)
    return at + 1


def string(text: str, at: int) -> tuple[str, int]:
    """The string that is next, and the place behind it."""
    at = expect(text, at, '"')
    try:
        value, end = scanstring(text, at, True)
    except json.JSONDecodeError as error:
        raise Fault(error.msg, error.pos) from None
    return check_string(value), end


def quoted(text: str) -> str:
    """The text as a JSON string, with no more escapes than RFC 8259 demands."""
    return '"' + text.translate(_ESCAPES) + '"'


_ESCAPES = {code: f"\\u{code:04x}" for code in range(0x20)} | {
    ord('"'): '\\"', ord("\\"): "\\\\", ord("\n"): "\\n", ord("\t"): "\\t",
}
