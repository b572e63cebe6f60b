"""A log's header: its clock, unit, source and name, and the policy that its sender asks a server for."""

from __future__ import annotations

from typing import Any

from . import _strict_json
from ._strict_json import Fault, Number, quoted
from .errors import LogError, PolicyError
from .policy import Policy
from . import _policy_text

BYTES_MAX = 65_536
#: Keys `clock`, `unit`, `source`, `name`, each a str, and perhaps `policy`, as `Policy.to_json` makes it.
Header = dict[str, Any]
_TEXTS = {"clock": "monotonic", "unit": "px", "source": "unknown", "name": ""}


def from_members(members: _strict_json.Members) -> Header:
    """The header of its line's members.

    Raises:
        Fault: It is no event log's header.
    """
    header: Header = dict(_TEXTS)
    content, version = "", None
    for key, value in members:
        if key in _TEXTS or key == "settle":
            if type(value) is not str:
                raise Fault(f'"{key}" must be a string')
            if key == "settle":
                content = value
            else:
                header[key] = value
        elif key == "version":
            if not isinstance(value, Number) or not value.isdecimal() or len(value) > 20 or int(value) >= 2**64:
                raise Fault(f"version {value!s:.40} is not a whole number")
            version = int(value)
        elif key == "policy":
            header["policy"] = _policy(value)
    if content != "events" or version is None:
        example = '{"settle":"events","version":1,…}'
        raise Fault(f"this is no event log's header; the first line must be {example}")
    if version != 1:
        raise Fault(f"version {version} is not known here; this package reads version 1")
    size = len(line(header).encode())
    if size > BYTES_MAX:
        raise Fault(
            f"its clock, unit, source, name and policy make a header of {size} bytes; a log's has at most {BYTES_MAX}"
        )
    return header


def _policy(value: object) -> dict[str, str | None]:
    if not isinstance(value, _strict_json.Members):
        raise Fault('policy: a policy is an object, such as {"lockDelay":"100ms"}')
    try:
        return _policy_text.from_members(iter(value), Policy).to_json()
    except Fault as fault:
        raise Fault(f"policy: {fault.problem}") from None


def checked(header: Header | None) -> Header:
    """A header with all keys, of what a caller gives; keys that are absent have their defaults.

    Raises:
        LogError: It has an unknown key or a value that a log cannot hold.
    """
    given = dict(header or {})
    policy = given.pop("policy", None)
    unknown = [key for key in given if key not in _TEXTS]
    if unknown:
        raise LogError(f"a log's header has no key {unknown[0]!r}; it has {', '.join(_TEXTS)} and policy")
    whole: Header = {**_TEXTS, **given}
    for key in _TEXTS:
        if not isinstance(whole[key], str):
            raise LogError(f"the header's {key} must be a str")
    if policy is not None:
        try:
            whole["policy"] = (policy if isinstance(policy, Policy) else Policy.from_json(policy)).to_json()
        except PolicyError as error:
            raise LogError(f"the header's policy: {error}") from None
    try:
        size = len(line(whole).encode())
    except UnicodeEncodeError:
        raise LogError("the header has half a character, a lone surrogate") from None
    if size > BYTES_MAX:
        raise LogError(f"the header has {size} bytes; a log's has at most {BYTES_MAX}")
    return whole


def line(header: Header) -> str:
    """The header as the first line of a JSON Lines log, without the line's end."""
    texts = ",".join(f'"{key}":{quoted(header[key])}' for key in _TEXTS)
    policy = ""
    if "policy" in header:
        texts_of = {key: "null" if text is None else quoted(text) for key, text in header["policy"].items()}
        policy = ',"policy":{' + ",".join(f'"{key}":{text}' for key, text in texts_of.items()) + "}"
    return f'{{"settle":"events","version":1,{texts}{policy}}}'
