"""Policies as JSON objects: a duration's name with a string such as "50ms", or null."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from . import _durations
from ._library import ffi, lib
from ._strict_json import Fault, expect, skip_space, string

if TYPE_CHECKING:
    from .policy import Policy

_MISSING = object()


def _rows() -> list[Any]:
    rows: list[Any] = []
    while row := lib.settle_policy_field_at(len(rows)):
        rows.append(row)
    return rows


ROWS = _rows()
#: The durations' names in texts, in the order of the fields: quietDelay.
NAMES = [ffi.string(row.name).decode() for row in ROWS]


def to_texts(policy: Policy) -> dict[str, str | None]:
    """The durations as a policy file has them."""
    values = policy._values()
    return {name: None if value is None else _durations.text(value) for name, value in zip(NAMES, values)}


def from_members(members: Iterator[tuple[str, object]], cls: type[Policy]) -> Policy:
    """A policy of names and texts.

    Raises:
        Fault: With the name that is wrong.
    """
    raw = ffi.new("settle_policy *")
    lib.settle_policy_init_default(raw, ffi.sizeof("settle_policy"))
    given = 0
    for name, text in members:
        if name not in NAMES:
            guess = difflib.get_close_matches(name, NAMES, 1)
            raise Fault(f"{name} is no duration of a policy" + (f"; did you mean '{guess[0]}'?" if guess else ""))
        field = NAMES.index(name)
        if given >> field & 1:
            raise Fault(f"{name} is given twice")
        if text is not None and type(text) is not str:
            raise Fault(f'{name} must be a string with a unit, such as "50ms"')
        given |= 1 << field
        content = ffi.NULL if text is None else text.encode(errors="surrogatepass")
        count = 0 if text is None else len(content)
        _check(lib.settle_policy_set(raw, field, content, count), raw, field, content, count)
    lib.settle_policy_fit(raw, given)
    at = ffi.new("uint32_t *")
    _check(lib.settle_policy_check(raw, at), raw, at[0], ffi.NULL, 0)
    return cls._read(raw)


def _check(fault: int, raw: Any, field: int, text: Any, count: int) -> None:
    if fault == 0:
        return
    problem = ffi.new("char[]", count + 256)
    length = lib.settle_policy_explain(fault, raw, field, text, count, problem, len(problem))
    raise Fault(f"{NAMES[field]} {bytes(ffi.buffer(problem, length)).decode(errors='surrogatepass')}")


def from_mapping(mapping: Mapping[str, object], cls: type[Policy]) -> Policy:
    """A policy of a mapping from names to texts or None."""
    for name in mapping:
        if not isinstance(name, str):
            raise Fault(f"{name!r} is no duration of a policy")
    return from_members(iter(mapping.items()), cls)


def from_text(text: str, at: int, cls: type[Policy]) -> tuple[Policy, int]:
    """The policy whose object is next in the text, and the place behind it.

    Raises:
        Fault: With the place.
    """
    at = skip_space(text, at)
    if text[at : at + 1] != "{":
        raise Fault('a policy is an object, such as {"lockDelay":"100ms"}', at)
    place = [at]
    try:
        policy = from_members(_members(text, place), cls)
    except Fault as fault:
        fault.at = place[0] if fault.at is None else fault.at
        raise
    return policy, place[0]


def _members(text: str, place: list[int]) -> Iterator[tuple[str, object]]:
    """The members of an object, with `place[0]` behind what was read last."""
    at = expect(text, place[0], "{")
    is_more = text[skip_space(text, at) : skip_space(text, at) + 1] != "}"
    while is_more:
        name, at = string(text, at)
        at = skip_space(text, expect(text, at, ":"))
        value: object = _MISSING
        place[0] = at
        if text[at : at + 1] == '"':
            value, at = string(text, at)
        elif text.startswith("null", at):
            value, at = None, at + 4
        yield name, value
        at = place[0] = skip_space(text, at)
        is_more = text[at : at + 1] == ","
        at += is_more
    place[0] = expect(text, at, "}")
