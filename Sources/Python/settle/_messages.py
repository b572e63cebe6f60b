"""Messages for people: control characters escaped, and many alike counted."""

from __future__ import annotations

import re

# As Sources/SettleLog/EscapedText.swift: also what changes the direction of text or ends a line. A byte of a
# name that is not valid UTF-8 is a lone surrogate in Python, which no stream can encode.
_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")


def escaped(text: str) -> str:
    """The text with control characters as in JSON, since a terminal would obey them."""
    return _CONTROL.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


def counted(count: int, one: str, many: str | None = None) -> str:
    """`1 file`, `1,200 files`."""
    return f"{count:,} {one if count == 1 else many or one + 's'}"


class Tally:
    """Counts what happened to files, with the first names of each kind."""

    #: The most kinds, and the most names of each, that are kept.
    KINDS_MAX, NAMES_MAX = 8, 3

    def __init__(self) -> None:
        self._kinds: dict[str, tuple[int, list[str]]] = {}
        self.count = 0

    def add(self, reason: str, name: str) -> None:
        """Counts a file."""
        self.count += 1
        if reason not in self._kinds and len(self._kinds) >= self.KINDS_MAX:
            reason = "other reasons"
        count, names = self._kinds.get(reason, (0, []))
        if len(names) < self.NAMES_MAX:
            names.append(name)
        self._kinds[reason] = (count + 1, names)

    def lines(self, what: str, one: str = "file") -> list[str]:
        """A line for each kind, with what happened to the files (`skipped`) and what one is called."""
        lines = []
        for reason, (count, names) in self._kinds.items():
            shown = ", ".join(names) + (", …" if count > len(names) else "")
            lines.append(f"{names[0]}: {what}: {reason}" if count == 1
                         else f"{counted(count, one)} {what}: {reason}: {shown}")
        return lines
