"""Tables for notebooks."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape


def table(
    head: Sequence[str], rows: Iterable[Sequence[object]], caption: str, bold: frozenset[int] = frozenset()
) -> str:
    """A table of HTML, whose texts are escaped. Numbers stand on the right; the rows `bold` are bold."""
    parts = [f"<table><caption>{escape(caption)}</caption><thead>{_row(head, 'th')}</thead><tbody>"]
    for number, row in enumerate(rows):
        parts.append(_row(row, "th" if number in bold else "td"))
    return "".join(parts) + "</tbody></table>"


def _row(cells: Sequence[object], kind: str) -> str:
    return "<tr>" + "".join(_cell(cell, kind) for cell in cells) + "</tr>"


def _cell(value: object, kind: str) -> str:
    if isinstance(value, int):
        return f'<{kind} style="text-align: right">{value:,}</{kind}>'
    return f'<{kind} style="text-align: left">{escape(str(value))}</{kind}>'


def seconds(ns: int) -> str:
    """`16 ms`, `1.5 s`."""
    return f"{ns / 1e9:,.4g} s" if ns >= 10**9 else f"{ns / 1e6:.4g} ms"
