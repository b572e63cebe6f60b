"""What a build costs, as text: a fixed time, one for each pixel of the size, or both, and how often one is slow."""

from __future__ import annotations

import math
import re
from typing import Any

from ._library import ffi

#: The most that a build costs, an hour, in ns.
_MOST_NS = 3_600_000_000_000
_UNITS = {"ns": 1.0, "us": 1e3, "µs": 1e3, "ms": 1e6, "s": 1e9}
#: Every so many-th build may be slow, up to this one.
_SLOW_MOST = 1_000_000
_NUMBER = re.compile(r"([0-9]*\.?[0-9]+)(ns|us|µs|ms|s)", re.ASCII)


def build_cost(text: str) -> Any:
    """The settle_build_cost of a text such as `8ms`, `3ns/px`, `2ms+3ns/px` or `8ms+slow/20`, as `settle tune
    --build-cost` reads it. Raises ValueError: it is none."""
    if not isinstance(text, str):
        raise TypeError(f"build_cost is a text, as 8ms, and not {text!r}")
    found: dict[bool, float] = {}
    slow_every = 0
    for part in (part.strip(" ") for part in text.split("+")):
        if slow := re.fullmatch("slow/([0-9]{1,9})", part, re.ASCII):
            if slow_every > 0 or not 0 < int(slow[1]) <= _SLOW_MOST:
                raise _fault(text)
            slow_every = int(slow[1])
            continue
        number = _NUMBER.fullmatch(part.removesuffix("/px"))
        if number is None or part.endswith("/px") in found:
            raise _fault(text)
        found[part.endswith("/px")] = float(number[1]) * _UNITS[number[2]]
    fixed = found.get(False, 0.0)
    if fixed > _MOST_NS:
        raise _fault(text)
    fixed, per_pixel = _rounded(fixed), _rounded(min(found.get(True, 0.0), float(_MOST_NS)) * 1e6) / 1e6
    if fixed == 0 and per_pixel == 0:
        raise _fault(text)
    return ffi.new("settle_build_cost *", (fixed, per_pixel, slow_every))


def _fault(text: str) -> ValueError:
    return ValueError(
        f"build_cost is {text!r}; give a time above 0s and up to 1h as 8ms, one for each pixel as 3ns/px, their sum as"
        " 2ms+3ns/px, each with slow builds as 8ms+slow/20, where every 20th takes four times as long"
    )


def _rounded(value: float) -> float:
    """To the nearest whole number, of two the larger one."""
    whole = math.floor(value)
    return float(whole + (value - whole >= 0.5))
