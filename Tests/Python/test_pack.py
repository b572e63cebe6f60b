"""What settle.pack packs, and where it writes."""

from __future__ import annotations

import bz2
import gzip
import lzma
import os
from pathlib import Path

import pyarrow
import pytest
from packing import BINARY, FAULTY, HEADER, TEXT, binary_log, names, parquet, rows, write, write_all

from settle import OutputError, PackError, _pack as module, pack
from settle._library import ffi, lib
from settle._log_files import CommandError
from settle._messages import Tally


def test_the_log_of_these_tests_is_whole():
    assert not lib.settle_log_measure(BINARY, len(BINARY), False, whole := ffi.new("settle_log_whole *"))
    assert whole.events == 1 and whole.damage == 1 << 7


def test_rows_are_the_logs_in_the_order_of_their_paths(logs):
    write_all(logs, {"b.settle": BINARY, "a/z/c.jsonl": TEXT, "a-/no extension": BINARY})
    packed = pack(logs, "out.parquet")
    assert (packed.sessions, packed.log_bytes, packed.status, packed.messages) == (3, 3 * len(BINARY), 0, [])
    assert packed.bytes == Path("out.parquet").stat().st_size
    assert list(rows()) == ["a/z/c.jsonl", "a-/no extension", "b.settle"]
    assert all(row == {"log": BINARY} for row in rows().values())
    file = parquet.ParquetFile("out.parquet")
    assert [(field.name, field.type, field.nullable) for field in file.schema_arrow] == [
        ("session", pyarrow.string(), False), ("log", pyarrow.binary(), False),
    ]
    assert file.metadata.row_group(0).column(1).compression == "ZSTD"


@pytest.mark.parametrize("body", ["exit 1", "echo no log; exit 0"])
def test_a_converter_that_writes_no_log_is_a_failure(logs, monkeypatch, body):
    write_all(logs, {"a.jsonl": TEXT, "b.settle": BINARY})
    command = write(logs.parent / "other", b"#!/bin/sh\n" + body.encode() + b"\n")
    command.chmod(0o755)
    monkeypatch.setenv("SETTLE_COMMAND", str(command))
    packed = pack(logs, "out.parquet")
    assert (list(rows()), packed.unread, packed.status) == (["b.settle"], 1, 3)
    with pytest.raises(PackError, match="and wrote no log"):
        pack(logs, "strict.parquet", strict=True)


def test_damaged_binary_logs_are_packed_as_they_are(logs):
    newer = BINARY[:8] + b"\x04" + BINARY[9:]
    cases = {"cut": BINARY[:-1], "flipped": BINARY[:-1] + bytes([BINARY[-1] ^ 1]), "newer": newer, "torn": BINARY[:12]}
    cases["foreign"] = binary_log(b'{"settle":"decisions","version":1}')
    write_all(logs, {**cases, "whole": BINARY})
    packed = pack(logs, "out.parquet")
    assert (packed.sessions, packed.damaged, packed.status) == (6, 5, 1)
    assert {name: row["log"] for name, row in rows().items()} == cases | {"whole": BINARY}
    said = "\n".join(packed.messages)
    for text in ("cut: damaged, and packed as it is: the log ends within a chunk", "format version 4 is newer",
                 "flipped: damaged, and packed as it is: a chunk is damaged", "torn: damaged, and packed",
                 "this is no event log's header"):
        assert text in said


def test_other_logs_with_a_fault_are_left_out_unless_partial(logs):
    write_all(logs, {"a.jsonl": FAULTY, "b.jsonl": TEXT})
    for partial, packs, said in (
        (False, ["b.jsonl"], "left out for a fault"), (True, ["a.jsonl", "b.jsonl"], "packed up to a fault"),
    ):
        packed = pack(logs, "out.parquet", partial=partial, force=True)
        assert list(rows()) == packs and (packed.faulty, packed.status) == (1, 1)
        assert packed.messages == [f"a.jsonl: {said}: line 3: unknown kind"]


def test_what_cannot_be_read_is_left_out_and_named(logs, monkeypatch):
    write_all(logs, {"a.settle": BINARY, "b.txt": b"refuse", "c.settle": BINARY + bytes(2000), "d.jsonl": TEXT})
    write(Path("binary"), bytes(3 << 20))
    monkeypatch.setattr(module, "LOG_BYTES_MAX", 1000)
    packed = pack(logs, "out.parquet")
    assert list(rows()) == ["a.settle"]
    assert (packed.unread, packed.status) == (3, 3)
    assert packed.messages[0].startswith("2 files left out: as a binary log it is larger than 0 MiB")
    assert packed.messages[1] == "b.txt: left out: Input/output error"


def test_a_folder_that_cannot_be_read_is_named_and_counted(logs, monkeypatch):
    write_all(logs, {"a.settle": BINARY, "b/c.settle": BINARY, "d.settle": BINARY})
    scandir = os.scandir

    def scan(path="."):
        if os.fsencode(path).endswith(b"/b"):
            raise PermissionError(13, "Permission denied")
        return scandir(path)

    monkeypatch.setattr(os, "scandir", scan)
    packed = pack(logs, "out.parquet")
    assert (list(rows()), packed.unread, packed.status) == (["a.settle", "d.settle"], 1, 3)
    assert packed.messages == [f"{logs / 'b'}: left out: cannot read the folder: Permission denied"]
    with pytest.raises(PackError, match="nothing is written, as strict=True demands"):
        pack(logs, "strict.parquet", strict=True)


def test_files_that_are_no_logs_are_skipped_with_their_reasons(logs):
    write(logs / "a.settle", BINARY)
    for name in ("b.settle", ".a.settle"):
        os.link(logs / "a.settle", logs / name)
    os.symlink(logs, logs / "folder")
    os.symlink("a.settle", logs / "link")
    os.symlink("nowhere", logs / "gone")
    write_all(logs, {".hidden": BINARY, ".folder/c.settle": BINARY})
    write(logs / "empty.settle")
    write(logs / "notes.txt", b"hello")
    os.mkfifo(logs / "pipe")
    Path(os.fsdecode(bytes(logs) + b"/\xff.settle")).write_bytes(BINARY)
    deep = logs
    for _ in range(65):
        deep = deep / "d"
    write(deep / "e.settle", BINARY)
    packed = pack(logs, "out.parquet")
    assert list(rows()) == ["a.settle"]
    assert packed.skipped == 12 and packed.status == 0
    said = "\n".join(packed.messages)
    for text in (
        "3 files skipped: its name begins with a dot: .a.settle, .folder, .hidden",
        "b.settle: skipped: found under another name",
        "3 files skipped: it is a link; pack what it leads to: folder, gone, link",
        "empty.settle: skipped: it is empty", "notes.txt: skipped: this is no log",
        "pipe: skipped: it is no regular file", "its name is not valid UTF-8", "nested more than 64 folders deep",
    ):
        assert text in said, said


def test_reasons_beyond_the_most_are_one():
    tally = Tally()
    for number in range(14):
        tally.add(f"r{number}", f"f{number}")
    tally.add("r0", "f14")
    lines = tally.lines("skipped")
    assert len(lines) == 9 and lines[7] == "f7: skipped: r7" and lines[0] == "2 files skipped: r0: f0, f14"
    assert lines[8] == "6 files skipped: other reasons: f8, f9, f10, …"


def test_nothing_to_pack(logs):
    with pytest.raises(PackError, match="there is no log in .*logs to pack") as caught:
        pack(logs, "out.parquet")
    assert caught.value.status == 2
    with pytest.raises(FileNotFoundError):
        pack(logs / "missing", "out.parquet")
    with pytest.raises(NotADirectoryError):
        pack(write(logs / "file"), "out.parquet")
    assert names(logs) == ["file"] and not Path("out.parquet").exists()


def test_without_the_command_other_formats_are_an_error(logs, monkeypatch):
    write(logs / "a.settle", BINARY)
    monkeypatch.delenv("SETTLE_COMMAND")
    monkeypatch.setenv("PATH", "")
    assert pack(logs, "out.parquet").sessions == 1
    write(logs / "b.jsonl", TEXT)
    with pytest.raises(CommandError, match="b.jsonl: it is no binary log.*SETTLE_COMMAND"):
        pack(logs, "other.parquet")
    monkeypatch.setenv("SETTLE_COMMAND", "/nowhere")
    with pytest.raises(CommandError, match="/nowhere: No such file"):
        pack(logs, "other.parquet")
    assert not Path("other.parquet").exists()


def test_the_file_does_not_depend_on_the_number_of_threads(logs):
    for number in range(20):
        write(logs / f"{number % 7}" / f"{number}.settle", binary_log(HEADER[:-2] + b',"name":"%d"}' % number))
        write(logs / f"{number % 5}" / f"{number}.jsonl", TEXT)
    for jobs in (1, 3, 16):
        pack(logs, f"{jobs}.parquet", jobs=jobs)
    assert Path("1.parquet").read_bytes() == Path("3.parquet").read_bytes() == Path("16.parquet").read_bytes()
    assert list(rows("1.parquet")) == sorted(rows("1.parquet"), key=os.fsencode)


def test_row_groups_are_bounded(logs, monkeypatch):
    write_all(logs, {str(number): BINARY for number in range(10)} | {"5": BINARY + bytes(5 * len(BINARY))})
    monkeypatch.setattr(module, "GROUP_BYTES_MAX", 3 * len(BINARY))
    pack(logs, "out.parquet")

    def groups():
        metadata = parquet.ParquetFile("out.parquet").metadata
        return [metadata.row_group(number).num_rows for number in range(metadata.num_row_groups)]

    assert groups() == [3, 2, 1, 3, 1]
    monkeypatch.setattr(module, "GROUP_SESSIONS_MAX", 2)
    pack(logs, "out.parquet", force=True)
    assert groups() == [2, 2, 1, 1, 2, 2]
    assert len(rows()) == 10


def test_the_output_is_never_an_input(logs):
    log, table = write(logs / "a.settle", BINARY), write(Path("c.csv"), b"session\na.settle\n")
    os.link(log, "hard")
    for path, problem in [
        (log, "is the output, which would destroy it"), ("hard", "is the output, which would destroy it"),
        (table, "is the input itself"), (logs, "is a directory"),
    ]:
        with pytest.raises(OutputError, match=problem):
            pack(logs, path, cohorts=table, force=True)
    assert log.read_bytes() == BINARY and log.samefile("hard") and names(logs) == ["a.settle"]
    assert not list(Path().glob(".settle-*"))


def test_an_output_within_the_folder_is_not_packed(logs):
    write(logs / "a.settle", BINARY)
    for skipped in (0, 1):
        packed = pack(logs, logs / "out.parquet", force=True)
        assert (packed.sessions, packed.skipped) == (1, skipped)
    assert packed.messages == ["out.parquet: skipped: it is the output"]
    write(logs / "c.csv", b"session\na.settle\n")
    packed = pack(logs, "out.parquet", cohorts=logs / "c.csv")
    assert "c.csv: skipped: it is the table of cohorts" in packed.messages


def test_a_file_that_appears_meanwhile_is_left_alone(logs):
    write(logs / "a.settle", BINARY)
    out = Path("out.parquet")
    with pytest.raises(OutputError, match="there is such a file already"):
        pack(logs, out, progress=lambda _: out.write_bytes(b"other"))
    assert out.read_bytes() == b"other"
    assert not list(Path().glob(".settle-*"))


COMPRESSED = {
    "gzip": gzip.compress, "xz": lzma.compress, "bzip2": bz2.compress, "zstd": lambda data: b"\x28\xb5\x2f\xfd" + data,
    "lz4": lambda data: b"\x04\x22\x4d\x18" + data,
}


@pytest.mark.parametrize("tool", COMPRESSED)
@pytest.mark.parametrize("log", [TEXT, BINARY], ids=["jsonl", "settle"])
def test_compressed_logs_are_not_silently_left_out(logs, tool, log):
    write_all(logs, {"a.settle": BINARY, "b": COMPRESSED[tool](log)})
    packed = pack(logs, "out.parquet")
    assert (list(rows()), packed.unread, packed.skipped, packed.status) == (["a.settle"], 1, 0, 3)
    assert packed.messages == [
        f"b: left out: this is compressed by {tool}; decompress it first, with '{tool} -dc'"
    ]
    with pytest.raises(PackError, match="nothing is written, as strict=True demands"):
        pack(logs, "strict.parquet", strict=True)


def test_archives_and_text_of_another_encoding_are_not_silently_left_out(logs):
    write_all(logs, {"a.settle": BINARY, "b.zip": b"PK\x03\x04" + TEXT, "c.jsonl": TEXT.decode().encode("utf-16")})
    packed = pack(logs, "out.parquet")
    assert (list(rows()), packed.unread, packed.status) == (["a.settle"], 2, 3)
    assert packed.messages[0].startswith("b.zip: left out: this is a ZIP archive; extract the log from it first")
    assert packed.messages[1].startswith("c.jsonl: left out: this is UTF-16 text, and a log is UTF-8; convert it")


def test_opening_bytes_alike_are_no_compression(logs):
    write_all(logs, {"a.settle": BINARY, "b.txt": b"BZh is how bzip2 begins", "c.txt": b"\x04\x22", "d.txt": b"P"})
    packed = pack(logs, "out.parquet")
    assert (packed.skipped, packed.unread, packed.status) == (3, 0, 0)
