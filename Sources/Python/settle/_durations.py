"""Durations as text with a unit, in the syntax of the settle command: digits, at most one point, and a unit."""

from __future__ import annotations

from ._library import ffi, lib


def nanoseconds(text: str) -> int | None:
    """Whole nanoseconds, rounded to the nearest and at most 2**63 - 1; None for a text that is no duration."""
    content = text.encode(errors="surrogatepass")
    found = ffi.new("uint64_t *")
    return min(int(found[0]), 2**63 - 1) if lib.settle_duration_read(content, len(content), found) else None


def text(ns: int) -> str:
    """A duration for people, rounded: `50.3 ms`, `1.01 s`, `3 min 20 s`."""
    out = ffi.new("char[]", lib.SETTLE_DURATION_BYTES)
    return ffi.buffer(out, lib.settle_duration_say(ns, lib.SETTLE_DURATION_ROUNDED, out))[:].decode()
