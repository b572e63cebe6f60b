"""What the tests of packing share: logs, a command that stands in for settle, and what a pack has."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

pyarrow = pytest.importorskip("pyarrow")
parquet = pytest.importorskip("pyarrow.parquet")

from settle._library import ffi, lib  # noqa: E402

HEADER = b'{"settle":"events","version":1}\n'
TEXT = HEADER + b'{"t_ns":0,"scene":"a","width":1,"height":1}\n'
FAULTY = TEXT + b'{"t_ns":1,"scene":"a","kind":"unknown"}\n'
CHECKOUT = Path(__file__).resolve().parents[2]

# Stands in for the command settle: the tests are about packing, not about reading formats. What begins with the
# header is a log, "unknown" is a fault, "refuse" cannot be read.
COMMAND = r"""#!/usr/bin/env bash
[ "${*:1:5}" = "convert --partial --to settle --" ] && [ "$7" = - ] || { echo "arguments: $*" >&2; exit 2; }
read -r -n 20 start <"$6" || true
case $start in
    '{"settle":"events","'*) ;;
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
    header, head = ffi.new("unsigned char[16]"), ffi.new("unsigned char[48]")
    lib.settle_log_write_file_header(header, len(metadata))
    start = bytes(header) + metadata
    start += lib.settle_crc32c(0, start, len(start)).to_bytes(4, "little")
    event = ffi.new("settle_log_event *", {"width": 3, "height": 2})
    names = b"\x01a"
    out = ffi.new("unsigned char[]", 64)
    chunk = ffi.new("settle_log_chunk *", {"events": 1, "scenes": 1, "dictionary_bytes": len(names)})
    size = lib.settle_log_encode(chunk, event, ffi.new("settle_log_size[1]"), out)
    body = names + bytes(out)[:size]
    chunk.body_bytes, chunk.body_crc = len(body), lib.settle_crc32c(0, body, len(body))
    lib.settle_log_write_chunk_header(head, chunk)
    return start + bytes(head) + body


BINARY = binary_log()


@pytest.fixture
def logs(tmp_path, monkeypatch):
    """A folder for logs, beside a command that stands in."""
    binary = tmp_path / "binary"
    binary.write_bytes(BINARY)
    command = tmp_path / "command"
    command.write_text(COMMAND)
    command.chmod(0o755)
    monkeypatch.setenv("SETTLE_COMMAND", str(command))
    monkeypatch.setenv("BINARY", str(binary))
    monkeypatch.setenv("PIDS", str(tmp_path / "pids"))
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "logs"
    folder.mkdir()
    return folder


def write(path: Path, content: bytes = b"") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    return path


def rows(path="out.parquet") -> dict[str, dict]:
    """The rows of a pack by session."""
    table = parquet.read_table(path).to_pylist()
    return {row.pop("session"): row for row in table}


def command(*arguments: str, **options) -> subprocess.CompletedProcess:
    return subprocess.run(
        [sys.executable, "-m", "settle", "pack", *arguments], capture_output=True, text=True, timeout=60, **options
    )


def names(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*"))
