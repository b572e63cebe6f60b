"""Durations as text with a unit, in the syntax of the settle command: digits, at most one point, and a unit."""

from __future__ import annotations

_UNITS = (
    ("ns", 1), ("us", 1_000), ("µs", 1_000), ("ms", 1_000_000), ("min", 60_000_000_000), ("s", 1_000_000_000),
    ("h", 3_600_000_000_000),
)
#: Further digits of a fraction are below any unit's rounding.
_FRACTION_DIGITS_MAX = 18
#: What is more is out of every range.
_LARGEST = 2**63 - 1


def nanoseconds(text: str) -> int | None:
    """Whole nanoseconds, rounded to the nearest and at most 2**63 - 1; None for a text that is no duration."""
    if text not in ("", ".") and text.strip("0.") == "":
        return 0 if text.count(".") <= 1 else None
    unit = next((unit for unit in _UNITS if text.endswith(unit[0])), None)
    if unit is None:
        return None
    whole, point, fraction = text[: -len(unit[0])].partition(".")
    digits = whole + fraction
    if not digits or not (digits.isascii() and digits.isdecimal()):
        return None
    whole = whole.lstrip("0") or "0"
    if len(whole) > 19:
        return _LARGEST
    fraction = fraction[:_FRACTION_DIGITS_MAX]
    scale = 10 ** len(fraction)
    below = (2 * int(fraction or "0") * unit[1] + scale) // (2 * scale)
    return min(int(whole) * unit[1] + below, _LARGEST)


def text(value: int) -> str:
    """The duration in this syntax, exact to the nanosecond: `50ms`, `1.5s`, `0s`."""
    if value == 0:
        return "0s"
    shorter = (("ns", 1), ("us", 1_000), ("ms", 1_000_000))
    name, unit = next((known for known in shorter if value < 1_000 * known[1]), ("s", 1_000_000_000))
    whole, below = divmod(value, unit)
    fraction = str(below).rjust(len(str(unit)) - 1, "0").rstrip("0") if below else ""
    return f"{whole}{'.' if fraction else ''}{fraction}{name}"
