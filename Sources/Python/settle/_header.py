"""A log's header: its clock, unit, source and name, and the policy that its sender asks a server for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypedDict, cast

from ._json import Fault, Scanner, decoded, quoted
from ._library import ffi, lib
from .errors import LogError, PolicyError
from .policy import Policy

BYTES_MAX = lib.SETTLE_LOG_METADATA_MAX
_TEXTS = {"clock": "monotonic", "unit": "px", "source": "unknown", "name": ""}


class Header(TypedDict, total=False):
    """What a log says of itself; a log that was read has all but perhaps the policy."""

    clock: str
    unit: str
    source: str
    name: str
    #: As `Policy.to_json` makes it.
    policy: dict[str, str | None]


def of_line(text: bytes) -> Header:
    """The header of a log's first line. Raises Fault: it is no event log's header."""
    scanner, read = Scanner(text), ffi.new("settle_json_header *")
    scanner.check(lib.settle_json_read_header(scanner.json, read))
    texts = {key: getattr(read, key) for key in _TEXTS}
    found = _TEXTS | {key: decoded(value).decode() for key, value in texts.items() if value.bytes}
    header = cast(Header, found)
    if read.has_policy:
        header["policy"] = Policy._read(read.policy).to_json()
    size = len(line(header).encode())
    if size > BYTES_MAX:
        raise Fault(
            f"its clock, unit, source, name and policy make a header of {size} bytes; a log's has at most {BYTES_MAX}"
        )
    return header


def checked(header: Header | None) -> Header:
    """A header with all keys, of what a caller gives; keys that are absent have their defaults. Raises LogError: it has
    an unknown key or a value that a log cannot hold."""
    given = dict(cast("dict[str, object]", header or {}))
    policy = given.pop("policy", None)
    unknown = [key for key in given if key not in _TEXTS]
    if unknown:
        raise LogError(f"a log's header has no key {unknown[0]!r}; it has {', '.join(_TEXTS)} and policy")
    for key, value in given.items():
        if not isinstance(value, str):
            raise LogError(f"the header's {key} must be a str")
    whole = cast(Header, _TEXTS | given)
    if policy is not None:
        try:
            source = cast("Mapping[str, str | None]", policy)
            whole["policy"] = (policy if isinstance(policy, Policy) else Policy.from_json(source)).to_json()
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
    known = cast("dict[str, str]", header)
    texts = ",".join(f'"{key}":{quoted(known[key])}' for key in _TEXTS)
    policy = ""
    if "policy" in header:
        texts_of = {key: "null" if text is None else quoted(text) for key, text in header["policy"].items()}
        policy = ',"policy":{' + ",".join(f'"{key}":{text}' for key, text in texts_of.items()) + "}"
    return f'{{"settle":"events","version":1,{texts}{policy}}}'
