"""What test_aftermath.py and test_fleet_aftermath.py share: numbers of what follows are kept in
Tests/Cases/python/aftermath.txt. They are figures of this implementation; with AFTERMATH=write they are written anew,
with AFTERMATH=print the texts that they are made of are printed."""

from __future__ import annotations

import os
import zlib

import pyarrow.parquet as pq
import settle
from conftest import ROOT
from settle import Policy

NUMBERS = ROOT / "Tests/Cases/python/aftermath.txt"
WISH = os.environ.get("AFTERMATH")
LOG = (ROOT / "Tests/Cases/command/aftermath/rich.jsonl").read_bytes()
POLICIES = [Policy(), Policy.live(), Policy.prepared(), Policy(quiet_delay_ns=90_000_000), Policy(jump_delay_ns=None)]


def check(title, texts):
    """Compares the number of these texts with that of the title."""
    text = "\n".join(texts)
    line = f"{zlib.crc32(text.encode(errors='surrogateescape')):08x} {title}"
    known = NUMBERS.read_text().splitlines() if NUMBERS.exists() else []
    if WISH == "print":
        print(f"{line}\n{text}")
    if WISH == "write":
        others = [own for own in known if own.partition(" ")[2] != title]
        NUMBERS.write_text("\n".join(sorted([*others, line], key=lambda own: own.partition(" ")[2])) + "\n")
    elif WISH is None:
        assert line in known, "what this gives is not as before; see Tests/Cases/README.md"


def said(call, *given, **named):
    """What a call gives, or the error that it raises."""
    try:
        return str(call(*given, **named))
    except (settle.Error, ValueError, TypeError, OSError) as error:
        return f"{type(error).__name__}: {error}"


def run(main, arguments, capsys):
    """What a command prints, and its status."""
    try:
        status = main(arguments)
    except SystemExit as exit:
        status = exit.code
    printed = capsys.readouterr()
    return f"$ {' '.join(arguments)}\n{printed.out}{printed.err}? {status}\n"


def tables(folder):
    """What is in a folder of tables; it is removed."""
    found = ""
    for path in sorted(folder.rglob("*.parquet")) if folder.is_dir() else [folder] if folder.exists() else []:
        found += f"{path.relative_to(folder.parent)}: {pq.read_table(path).to_pylist()}\n"
    for path in sorted([*folder.rglob("*"), folder] if folder.exists() else [], reverse=True):
        path.rmdir() if path.is_dir() else path.unlink()
    return found
