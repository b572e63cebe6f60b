"""The cases of Tests/Cases, whose README.md describes them, that are inputs with their answers."""

from __future__ import annotations

import re
from collections.abc import Iterator

from conftest import ROOT

_PICTURES = {0x2400 + code: code for code in range(1, 33)}


def pairs(layer: str) -> Iterator[tuple[str, str, str]]:
    """Each input of a layer, its answer's sign and the answer."""
    for path in sorted((ROOT / "Tests/Cases" / layer).glob("*.cases")):
        name, inputs = "", []
        for line in path.read_text().split("\n"):
            if line.startswith("#"):
                continue
            if not line or not name:
                name = line
                continue
            answer = re.search(r"(?:^|  )([=~!])(?: (.*))?$", line)
            given = line[: answer.start()] if answer else line
            inputs += [given.translate(_PICTURES)] if given else []
            if answer:
                yield from ((each, answer[1], answer[2] or "") for each in inputs)
                inputs = []
