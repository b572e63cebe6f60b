"""Policies as text, until the package has it."""

from __future__ import annotations

import json
import re
from dataclasses import fields
from decimal import ROUND_HALF_UP, Decimal
from pathlib import Path

from .errors import PolicyError
from .policy import OPTIONAL, Policy

NAMES = {
    field.name: re.sub(r"_(.)", lambda found: found[1].upper(), field.name.removesuffix("_ns"))
    for field in fields(Policy)
}
_UNITS = {"ns": 1, "us": 10**3, "µs": 10**3, "ms": 10**6, "s": 10**9, "min": 60 * 10**9, "h": 3600 * 10**9}


def duration_text(ns: int) -> str:
    """`50ms`, `1.5s`, `0s`: exact, as a policy file has it."""
    if ns == 0:
        return "0s"
    unit, name = next(pair for pair in ((10**9, "s"), (10**6, "ms"), (10**3, "us"), (1, "ns")) if ns >= pair[0])
    return f"{Decimal(ns) / unit:f}".rstrip("0").rstrip(".") + name if ns % unit else f"{ns // unit}{name}"


def duration_ns(text: str) -> int | None:
    """Nanoseconds of a text such as `50ms`, None for a text that is no duration."""
    if re.fullmatch(r"0+(\.0*)?|\.0+", text):
        return 0
    found = re.fullmatch(r"([0-9]+\.?[0-9]*|\.[0-9]+)(ns|us|µs|ms|min|s|h)", text, re.A)
    return int((Decimal(found[1]) * _UNITS[found[2]]).to_integral_value(ROUND_HALF_UP)) if found else None


def to_json(policy: Policy) -> dict[str, str | None]:
    values = {NAMES[field.name]: getattr(policy, field.name) for field in fields(Policy)}
    return {name: None if value is None else duration_text(value) for name, value in values.items()}


def from_json(found: dict) -> Policy:
    values = {}
    for name, text in found.items():
        field = next((field for field, known in NAMES.items() if known == name), None)
        if field is None:
            raise PolicyError(f"'{name}' is no duration of a policy")
        if text in (None, "none"):
            if field not in OPTIONAL:
                raise PolicyError(f"{name} cannot be none; give 0s for no wait")
            values[field] = None
            continue
        values[field] = duration_ns(text) if isinstance(text, str) else None
        if values[field] is None:
            raise PolicyError(f"{name} is {text!r}; give a number and a unit (ns, us, ms, s, min, h), as 50ms or 1.5s")
    return Policy(**values)


def read_list(path: str, most: int = 16_384) -> list[Policy]:
    text = Path(path).read_text(encoding="utf-8")
    policies, at, decoder = [], 0, json.JSONDecoder()
    while True:
        at += len(text[at:]) - len(text[at:].lstrip())
        if at == len(text):
            break
        line = text.count("\n", 0, at) + 1
        try:
            found, at = decoder.raw_decode(text, at)
            if not isinstance(found, dict):
                raise PolicyError("this is no policy, which is an object as settle policy writes it")
            policies.append(from_json(found))
        except json.JSONDecodeError as error:
            raise PolicyError(f"{path}: line {error.lineno}: {error.msg}") from None
        except PolicyError as error:
            raise PolicyError(f"{path}: line {line}: {error}") from None
        if len(policies) > most:
            raise PolicyError(f"{path}: there are more than {most} policies")
    return policies
