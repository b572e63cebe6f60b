"""Policies as JSON objects: a duration's name with a string such as "50ms", or null."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from . import _durations
from ._library import ffi, lib
from ._json import Fault, Scanner

if TYPE_CHECKING:
    from .policy import Policy


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


def from_mapping(mapping: Mapping[str, object], cls: type[Policy]) -> Policy:
    """A policy of a mapping from names to texts or None.

    Raises:
        Fault: With the name that is wrong.
    """
    raw = ffi.new("settle_policy *")
    lib.settle_policy_init_default(raw, ffi.sizeof("settle_policy"))
    given = 0
    for name, text in mapping.items():
        if not isinstance(name, str):
            raise Fault(f"{name!r} is no duration of a policy")
        key = name.encode(errors="replace")
        if name not in NAMES:
            problem = ffi.new("char[]", 256)
            count = lib.settle_policy_explain_name(key, len(key), problem, len(problem))
            raise Fault(f"{name} {bytes(ffi.buffer(problem, count)).decode()}")
        if text is not None and type(text) is not str:
            raise Fault(f'{name} must be a string with a unit, such as "50ms"')
        field = NAMES.index(name)
        given |= 1 << field
        content = ffi.NULL if text is None else text.encode(errors="replace")
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
    raise Fault(f"{NAMES[field]} {bytes(ffi.buffer(problem, length)).decode(errors='replace')}")


def read_next(scanner: Scanner, cls: type[Policy]) -> Policy:
    """The policy whose object is next.

    Raises:
        Fault: With the place.
    """
    raw = ffi.new("settle_policy *")
    scanner.check(lib.settle_json_read_policy(scanner.json, raw))
    return cls._read(raw)
