"""Policies as JSON objects: a duration's name with a string such as "50ms", or null."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping
from dataclasses import fields
from typing import TYPE_CHECKING

from . import _durations
from ._strict_json import Fault, expect, skip_space, string

if TYPE_CHECKING:
    from .policy import Policy

NONE = "none"
_MISSING = object()


def camel(name: str) -> str:
    """A duration's name in texts: quietDelay for quiet_delay_ns."""
    first, *others = name.removesuffix("_ns").split("_")
    return first + "".join(word.capitalize() for word in others)


def to_texts(policy: Policy) -> dict[str, str | None]:
    """The durations as a policy file has them."""
    values = {field.name: getattr(policy, field.name) for field in fields(policy)}
    return {camel(name): None if value is None else _durations.text(value) for name, value in values.items()}


def from_members(members: Iterator[tuple[str, object]], cls: type[Policy], optional: tuple[str, ...]) -> Policy:
    """A policy of names and texts.

    Raises:
        Fault: With the name that is wrong.
    """
    from .policy import STANDARD, fit_quiet_times

    names = {camel(field.name): field.name for field in fields(cls)}
    given: dict[str, int | None] = {}
    for name, text in members:
        if name not in names:
            guess = difflib.get_close_matches(name, names, 1)
            raise Fault(f"{name} is no duration of a policy" + (f"; did you mean '{guess[0]}'?" if guess else ""))
        if names[name] in given:
            raise Fault(f"{name} is given twice")
        given[names[name]] = _duration(name, text, names[name] in optional)
    given |= fit_quiet_times(given.get("quiet_delay_ns", STANDARD), given.get("quiet_maximum_ns", STANDARD))
    _check(cls, given)
    return cls(**given)  # type: ignore[arg-type]  # Only those that may be are None.


def _duration(name: str, text: object, is_optional: bool) -> int | None:
    if text is None or text == NONE:
        if not is_optional:
            raise Fault(f"{name} cannot be none; give 0s for no wait")
        return None
    if type(text) is not str:
        raise Fault(f'{name} must be a string with a unit, such as "50ms"')
    value = _durations.nanoseconds(text)
    if value is None:
        none = ", or none" if is_optional else ""
        raise Fault(f"{name} is '{text}'; give a number and a unit (ns, us, ms, s, min, h), as 50ms or 1.5s{none}")
    return value


def _check(cls: type[Policy], given: dict[str, int | None]) -> None:
    """Checks ranges in the words of a policy's text; the class checks them again."""
    from .policy import DELAY_MAX, QUIET_MAXIMUM_MAX

    default = cls()
    quiet = given["quiet_maximum_ns"] or 0
    for field in fields(cls):
        value: int | None = given[field.name] if field.name in given else getattr(default, field.name)
        most, bound = DELAY_MAX, ""
        if field.name == "quiet_maximum_ns":
            most = QUIET_MAXIMUM_MAX
        elif field.name == "quiet_delay_ns" and quiet <= QUIET_MAXIMUM_MAX:
            most, bound = quiet, "" if quiet == QUIET_MAXIMUM_MAX else ", its quietMaximum"
        if value is not None and value > most:
            texts = _durations.text(value), _durations.text(most)
            raise Fault(f"{camel(field.name)} is {texts[0]}; it must be from 0s to {texts[1]}{bound}")


def from_mapping(mapping: Mapping[str, object], cls: type[Policy], optional: tuple[str, ...]) -> Policy:
    """A policy of a mapping from names to texts or None."""
    for name in mapping:
        if not isinstance(name, str):
            raise Fault(f"{name!r} is no duration of a policy")
    return from_members(iter(mapping.items()), cls, optional)


def from_text(text: str, at: int, cls: type[Policy], optional: tuple[str, ...]) -> tuple[Policy, int]:
    """The policy whose object is next in the text, and the place behind it.

    Raises:
        Fault: With the place.
    """
    at = skip_space(text, at)
    if text[at : at + 1] != "{":
        raise Fault('a policy is an object, such as {"lockDelay":"100ms"}', at)
    place = [at]
    try:
        policy = from_members(_members(text, place), cls, optional)
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
