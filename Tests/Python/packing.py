"""What the tests of packing share: logs, a command that stands in for settle, and what a pack has."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pyarrow.parquet as parquet
import settle
from test_sweep import with_metadata

HEADER = b'{"settle":"events","version":1}\n'
TEXT = HEADER + b'{"t_ns":0,"scene":"a","width":1,"height":1}\n'
FAULTY = TEXT + b'{"t_ns":1,"scene":"a","kind":"unknown"}\n'

# Stands in for the command settle: the tests are about packing, not about reading formats. What begins with the
# header is a log, "unknown" is a fault, "refuse" cannot be read.
COMMAND = rb"""#!/usr/bin/env bash
[ "${*:1:5}" = "convert --partial --to settle --" ] && [ "$7" = - ] || { echo "arguments: $*" >&2; exit 2; }
read -r -n 20 start <"$6" || true
case $start in
    '{"settle":"events",'*) ;;
    refuse*) echo "settle: $6: Input/output error" >&2; exit 3 ;;
    wait*) echo $$ >"$PIDS"; exec sleep 1000 ;;
    *) echo "settle: $6: this is no log; name its format" >&2; exit 1 ;;
esac
cat "$BINARY"
if grep -q unknown "$6"; then
    echo "settle: $6: line 3: unknown kind; 1 event before it is written" >&2
    echo "settle: note: something" >&2
    exit 1
fi
"""


def binary_log(metadata: bytes = HEADER[:-1]) -> bytes:
    """A binary log of one event, without an index."""
    events = np.array([(0, 3, 2, 0, settle.Kind.GEOMETRY, settle.Flag.SIZE_KNOWN)], settle.EVENT)
    return with_metadata(settle.to_bytes(settle.Log(events, ["a"])), metadata)


BINARY = binary_log()


def write(path: Path, content: bytes = b"") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    return path


def write_all(folder: Path, contents: dict[str, bytes]) -> None:
    for name, content in contents.items():
        write(folder / name, content)


def rows(path="out.parquet") -> dict[str, dict]:
    """The rows of a pack by session."""
    return {row.pop("session"): row for row in parquet.read_table(path).to_pylist()}


def command(*arguments: str, **options) -> subprocess.CompletedProcess:
    return subprocess.run(
        [sys.executable, "-m", "settle", "pack", *arguments], capture_output=True, text=True, timeout=60, **options
    )


def names(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*"))
