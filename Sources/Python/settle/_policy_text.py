"""Policies as JSON objects: a duration's name with a string such as "50ms", or null."""

from __future__ import annotations

import json
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
    try:
        text = json.dumps(dict(mapping))
    except (TypeError, ValueError):
        raise Fault("a policy is a mapping from names to strings, or None") from None
    return read_next(Scanner(text.encode()), cls)


def read_next(scanner: Scanner, cls: type[Policy]) -> Policy:
    """The policy whose object is next.

    Raises:
        Fault: With the place.
    """
    raw = ffi.new("settle_policy *")
    scanner.check(lib.settle_json_read_policy(scanner.json, raw))
    return cls._read(raw)
