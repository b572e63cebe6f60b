"""Packing folders of logs, by settle.pack and by the command `python -m settle pack`."""

from __future__ import annotations

import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

pyarrow = pytest.importorskip("pyarrow")
parquet = pytest.importorskip("pyarrow.parquet")

from settle import CohortError, OutputError, PackError, _pack as module, pack  # noqa: E402
from settle._library import ffi, lib  # noqa: E402
from settle._log_files import CommandError  # noqa: E402

HEADER = b'{"settle":"events","version":1}\n'
TEXT = HEADER + b'{"t_ns":0,"scene":"a","width":1,"height":1}\n'
FAULTY = TEXT + b'{"t_ns":1,"scene":"a","kind":"unknown"}\n'
CHECKOUT = Path(__file__).resolve().parents[3]

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


def real_command() -> str | None:
    """The command settle, if there is one: as for the other tests, by SETTLE or of the checkout."""
    built = CHECKOUT / ".build/debug/settle"
    return os.environ.get("SETTLE") or os.environ.get("SETTLE_COMMAND") or (str(built) if built.exists() else None)


REAL = real_command()
needs_command = pytest.mark.skipif(not REAL, reason="there is no command settle (SETTLE_COMMAND)")


def binary_log(metadata: bytes = b"{}") -> bytes:
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


def runs(process: int) -> bool:
    """Whether a process runs; one that ended may still wait for its parent."""
    try:
        return "\nState:\tZ" not in Path(f"/proc/{process}/status").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return False


def names(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*"))


def test_the_log_of_these_tests_is_whole():
    assert not lib.settle_log_measure(BINARY, len(BINARY), False, whole := ffi.new("settle_log_whole *"))
    assert whole.events == 1 and whole.damage == 1 << 7


# What is packed


def test_rows_are_the_logs_in_the_order_of_their_paths(logs):
    write(logs / "b.settle", BINARY)
    write(logs / "a" / "z" / "c.jsonl", TEXT)
    write(logs / "a-" / "no extension", BINARY)
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


def test_damaged_binary_logs_are_packed_as_they_are(logs):
    newer = BINARY[:8] + b"\x02" + BINARY[9:]
    cases = {"cut": BINARY[:-1], "flipped": BINARY[:-1] + bytes([BINARY[-1] ^ 1]), "newer": newer, "torn": BINARY[:12]}
    for name, log in cases.items():
        write(logs / name, log)
    write(logs / "whole", BINARY)
    packed = pack(logs, "out.parquet")
    assert (packed.sessions, packed.damaged, packed.status) == (5, 4, 1)
    assert {name: row["log"] for name, row in rows().items()} == cases | {"whole": BINARY}
    said = "\n".join(packed.messages)
    for text in ("cut: damaged, and packed as it is: the log ends within a chunk", "format version 2 is newer",
                 "flipped: damaged, and packed as it is: a chunk is damaged", "torn: damaged, and packed"):
        assert text in said


def test_other_logs_with_a_fault_are_left_out_unless_partial(logs):
    write(logs / "a.jsonl", FAULTY)
    write(logs / "b.jsonl", TEXT)
    packed = pack(logs, "out.parquet")
    assert list(rows()) == ["b.jsonl"]
    assert (packed.faulty, packed.status) == (1, 1)
    assert packed.messages == ["a.jsonl: left out, since it has a fault: line 3: unknown kind"]
    packed = pack(logs, "out.parquet", partial=True, force=True)
    assert list(rows()) == ["a.jsonl", "b.jsonl"]
    assert (packed.faulty, packed.status) == (1, 1)
    assert packed.messages == ["a.jsonl: packed up to a fault: line 3: unknown kind"]


def test_what_cannot_be_read_is_left_out_and_named(logs, monkeypatch):
    write(logs / "a.settle", BINARY)
    write(logs / "b.txt", b"refuse")
    write(logs / "c.settle", BINARY + bytes(2000))
    monkeypatch.setattr(module, "LOG_BYTES_MAX", 1000)
    packed = pack(logs, "out.parquet")
    assert list(rows()) == ["a.settle"]
    assert (packed.unread, packed.status) == (2, 3)
    assert packed.messages[0].startswith("c.settle: left out: as a binary log it is larger than")
    assert packed.messages[1] == "b.txt: left out: Input/output error"


def test_a_text_log_whose_binary_log_is_too_large_is_left_out(logs, monkeypatch):
    write(logs / "a.jsonl", TEXT)
    write(logs / "b.settle", binary_log())
    write(Path("binary"), bytes(3 << 20))
    monkeypatch.setattr(module, "LOG_BYTES_MAX", 1 << 20)
    packed = pack(logs, "out.parquet")
    assert list(rows()) == ["b.settle"] and packed.unread == 1


def test_files_that_are_no_logs_are_skipped_with_their_reasons(logs):
    write(logs / "a.settle", BINARY)
    os.link(logs / "a.settle", logs / "b.settle")
    os.symlink(logs, logs / "folder")
    os.symlink("a.settle", logs / "link")
    os.symlink("nowhere", logs / "gone")
    write(logs / ".hidden", BINARY)
    write(logs / ".folder" / "c.settle", BINARY)
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
    assert packed.skipped == 11 and packed.status == 0
    said = "\n".join(packed.messages)
    for text in (
        "2 files skipped: its name begins with a dot: .folder, .hidden",
        "b.settle: skipped: found under another name",
        "3 files skipped: it is a link; pack what it leads to: folder, gone, link",
        "empty.settle: skipped: it is empty",
        "notes.txt: skipped: this is no log", "pipe: skipped: it is no regular file", "its name is not valid UTF-8",
        "nested more than 64 folders deep",
    ):
        assert text in said, said


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
        write(logs / f"{number % 7}" / f"{number}.settle", binary_log(b'{"name":"%d"}' % number))
        write(logs / f"{number % 5}" / f"{number}.jsonl", TEXT)
    for jobs in (1, 3, 16):
        pack(logs, f"{jobs}.parquet", jobs=jobs)
    assert Path("1.parquet").read_bytes() == Path("3.parquet").read_bytes() == Path("16.parquet").read_bytes()
    assert list(rows("1.parquet")) == sorted(rows("1.parquet"), key=os.fsencode)


def test_row_groups_are_bounded(logs, monkeypatch):
    for number in range(10):
        write(logs / f"{number}", BINARY)
    write(logs / "5", BINARY + bytes(5 * len(BINARY)))
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


def test_progress_is_reported(logs):
    write(logs / "a.settle", BINARY)
    seen = []
    pack(logs, "out.parquet", progress=lambda packed: seen.append(packed.sessions))
    assert seen == [1]


# Cohorts


def test_cohorts_of_a_table(logs):
    for name in ("a/1.settle", "a/2.settle", "b/3.settle", "b/4.settle"):
        write(logs / name, BINARY)
    text = "\ufeffplatform,session,version\nx11,a/1.settle,1.2\n,a/2.settle,\n\n"
    text += '"way,land",b/3.settle,"é"\nx,y,z\n'
    write(Path("c.csv"), text.encode())
    packed = pack(logs, "out.parquet", cohorts="c.csv")
    assert rows() == {
        "a/1.settle": {"platform": "x11", "version": "1.2", "log": BINARY},
        "a/2.settle": {"platform": None, "version": None, "log": BINARY},
        "b/3.settle": {"platform": "way,land", "version": "é", "log": BINARY},
        "b/4.settle": {"platform": None, "version": None, "log": BINARY},
    }
    assert (packed.without_cohort, packed.unused_rows, packed.status) == (1, 1, 0)
    assert packed.messages == [
        "b/4.settle: without a cohort: it has no row in the table of cohorts", "1 row of cohorts without a log: y",
    ]
    write(Path("c.csv"), b"path,os\na/1.settle,p\n")
    pack(logs, "out.parquet", cohorts="c.csv", session_from="stem", force=True)
    assert [(name, row["os"]) for name, row in rows().items()] == [("1", "p"), ("2", None), ("3", None), ("4", None)]


def test_sessions_by_name_and_stem(logs):
    for name in ("a/s.1.settle", "b/s.1.settle", "b/t"):
        write(logs / name, BINARY)
    packed = pack(logs, "out.parquet", session_from="stem")
    assert parquet.read_table("out.parquet")["session"].to_pylist() == ["s.1", "s.1", "t"]
    assert packed.messages == ["b/s.1.settle: not unique: another session has the same stem; both are packed"]
    pack(logs, "out.parquet", session_from="name", force=True)
    assert parquet.read_table("out.parquet")["session"].to_pylist() == ["s.1.settle", "s.1.settle", "t"]


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (b"", "line 1: the table needs a header with one column 'session' or 'path', and has none"),
        (b"os\nx\n", "has none"),
        (b"session,path\n", "has both"),
        (b"session,session\n", "has two of them"),
        (b"session,log\n", "line 1: the column 'log' is a column that every pack has; rename it"),
        (b"session,Session\n", "'Session' is a column that every pack has"),
        (b"session,os,OS\n", "the column 'OS' is given twice"),
        (b"session,\n", "a column has no name"),
        (b"session,os\na,b\nc\n", "line 3: it has 1 cells, and the header has 2"),
        (b"session,os\n,b\n", "line 2: the session is empty"),
        (b"session,os\na,b\na,c\n", "line 3: the session 'a' has a row already"),
        (b"session,os\na,\"b\"c\n", "line 2: "),
        (b"session,os\na,\"b\n", "line 2: "),
        (b"session,os\na,\xff\n", "line 2: it is not valid UTF-8"),
        (b"session,os\na," + b"x" * 200_000 + b"\n", "line 2: field larger than"),
    ],
)
def test_faults_of_a_table_name_the_line(logs, text, problem):
    write(logs / "a.settle", BINARY)
    write(Path("c.csv"), text)
    with pytest.raises(CohortError) as caught:
        pack(logs, "out.parquet", cohorts="c.csv")
    assert str(caught.value).startswith("c.csv: line ") and problem in str(caught.value)
    assert not Path("out.parquet").exists()


@pytest.mark.parametrize(
    ("pattern", "path", "values"),
    [
        ("{platform}/{version}/*", "x11/1.2/a.settle", ("x11", "1.2")),
        ("{platform}/{version}/*", "x11/1.2/b/a.settle", None),
        ("{platform}/{version}/*", "x11/a.settle", None),
        ("{platform}/**", "x11/1.2/b/a.settle", ("x11",)),
        ("{platform}/**", "x11", None),
        ("**/{a}", "x", ("x",)),
        ("**/{a}", "x/y/z", ("z",)),
        ("**/{a}/*", "x/y/z", ("y",)),
        ("v{a}-{b}.*", "v1.2-3-4.settle", ("1.2", "3-4")),
        ("{a}-*/**", "x-y-z/1", ("x",)),
        ("(.+){a}", "(.+)x", ("x",)),
        ("(.+){a}", "yyx", None),
        ("{a}*", "x", ("x",)),
        ("{größe}/*", "ö\n/x", ("ö\n",)),
    ],
)
def test_path_patterns(pattern, path, values):
    assert module.CohortPattern(pattern).of("", path) == values


@pytest.mark.parametrize(
    ("pattern", "problem"),
    [
        ("*/x", "it names no column"), ("/{a}", "a part is empty"), ("{a}/", "a part is empty"),
        ("{a}{b}", "nothing separates {a} from {b}"), ("x**/{a}", "'**' is no part of its own"),
        ("{a", "braces hold"), ("a}", "braces hold"), ("{}", "braces hold"), ("{a b}", "braces hold"),
        ("{a}/{A}", "'A' is given twice"), ("{session}/*", "every pack has"), ("***/{a}", "'***' is no part"),
        ("", "a part is empty"),
    ],
)
def test_faults_of_patterns(pattern, problem):
    with pytest.raises(CohortError) as caught:
        module.CohortPattern(pattern)
    assert problem in str(caught.value)


def test_a_path_that_does_not_match_is_packed_without_a_cohort(logs):
    write(logs / "x11" / "a.settle", BINARY)
    write(logs / "b.settle", BINARY)
    packed = pack(logs, "out.parquet", path_pattern="{platform}/*")
    assert {name: row["platform"] for name, row in rows().items()} == {"b.settle": None, "x11/a.settle": "x11"}
    assert packed.messages == ["b.settle: without a cohort: its path does not match the pattern"]


@pytest.mark.parametrize("fault", ["damaged", "faulty", "row", "cohort", "unread"])
def test_strict_packs_all_or_nothing(logs, fault):
    write(logs / "a.settle", BINARY)
    write(Path("c.csv"), b"session,os\na.settle,x\n" + (b"b,y\n" if fault == "row" else b""))
    assert fault == "row" or pack(logs, "out.parquet", cohorts="c.csv", strict=True).sessions == 1
    Path("out.parquet").unlink(missing_ok=True)
    content = {"damaged": BINARY[:-1], "faulty": FAULTY, "cohort": BINARY, "unread": b"refuse"}.get(fault)
    if content:
        write(logs / "other", content)
    with pytest.raises(PackError, match="nothing is written, as --strict demands") as caught:
        pack(logs, "out.parquet", cohorts="c.csv", strict=True)
    assert caught.value.status == (3 if fault == "unread" else 1)
    assert not Path("out.parquet").exists()


# Outputs


def test_the_output_is_never_an_input_and_replaces_only_by_force(logs):
    log = write(logs / "a.settle", BINARY)
    table = write(Path("c.csv"), b"session\na.settle\n")
    out = write(Path("out.parquet"), b"older")
    out.chmod(0o640)
    os.symlink("out.parquet", "link")
    os.link(log, "hard")
    read_only = write(Path("read-only"), b"older")
    read_only.chmod(0o444)
    os.mkfifo("pipe")
    for path, force, problem in [
        (out, False, "there is such a file already; it is left alone; --force replaces it"),
        (log, True, "is the output, which would destroy it"),
        (table, True, "is the input itself"),
        ("c.csv", True, "is the input itself"),
        (logs, True, "is a directory"),
        ("pipe", True, "is no regular file"),
        ("missing/out.parquet", True, "cannot write into its folder"),
        (read_only, True, "is read-only"),
        ("", True, "the output's name is empty"),
        ("a\0b", True, "cannot write"),
        ("\udcff", True, "not valid UTF-8"),
    ]:
        with pytest.raises(OutputError) as caught:
            pack(logs, path, cohorts=table, force=force)
        assert problem in str(caught.value), path
    assert log.read_bytes() == BINARY and out.read_bytes() == b"older" and names(logs) == ["a.settle"]
    pack(logs, "link", force=True)
    assert len(rows()) == 1 and Path("link").is_symlink() and out.stat().st_mode & 0o777 == 0o640
    assert not list(Path().glob(".settle-*"))


def test_a_log_that_the_output_would_replace_is_never_lost(logs):
    """Under another name outside the folder."""
    os.link(write(logs / "a.settle", BINARY), "hard")
    write(logs / "b.settle", BINARY)
    with pytest.raises(OutputError, match="a.settle: is the output, which would destroy it"):
        pack(logs, "hard", force=True)
    assert Path("hard").read_bytes() == BINARY and (logs / "a.settle").samefile("hard")


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


def test_a_disk_that_is_full_leaves_nothing_behind(logs):
    write(logs / "a.settle", BINARY)
    write(Path("out.parquet"), b"older")

    def limit():
        resource.setrlimit(resource.RLIMIT_FSIZE, (400, 400))

    run = command("logs", "out.parquet", "--force", preexec_fn=limit)
    assert (run.returncode, run.stdout) == (3, "")
    assert run.stderr == "settle: out.parquet: cannot write: File too large\n"
    assert Path("out.parquet").read_bytes() == b"older" and not list(Path().glob(".settle-*"))


# The command


def test_the_command_says_what_it_did(logs):
    write(logs / "a.settle", BINARY)
    write(logs / "b.settle", BINARY[:-1])
    run = command("logs", "out.parquet")
    assert run.returncode == 1
    assert run.stdout == "out.parquet: 2 sessions, 0.0 MB of logs in 0.0 MB\n"
    problem = "the log ends within a chunk, whose events are lost"
    assert run.stderr == f"settle: b.settle: damaged, and packed as it is: {problem}\n"


@pytest.mark.parametrize(
    ("arguments", "status", "problem"),
    [
        ([], 2, "the following arguments are required: DIR, OUT\nTry 'settle pack --help'."),
        (["logs"], 2, "required: OUT"),
        (["logs", "o", "p"], 2, "unrecognized arguments: p"),
        (["logs", "o", "--cohorts", "a", "--path-pattern", "{b}"], 2, "not allowed with"),
        (["logs", "o", "--path-pattern", "x"], 2, "it names no column"),
        (["logs", "o", "--jobs", "0"], 2, "there are 1 to 256 jobs, and not 0"),
        (["logs", "o", "--jobs", "x"], 2, "invalid int value"),
        (["logs", "o", "--session-from", "x"], 2, "invalid choice"),
        (["missing", "o"], 3, "missing: No such file or directory"),
        (["logs", "o", "--cohorts", "missing.csv"], 3, "missing.csv: No such file or directory"),
        (["logs", "o"], 2, "there is no log in logs to pack"),
    ],
)
def test_faults_of_the_command_line(logs, arguments, status, problem):
    run = command(*arguments)
    assert (run.returncode, run.stdout) == (status, "")
    assert run.stderr.startswith("settle: ") and problem in run.stderr and "Traceback" not in run.stderr
    assert names(logs) == [] and not Path("o").exists()


def test_nothing_of_a_name_commands_the_terminal(logs):
    write(logs / "a\x1b[2J\n\u202eb.settle", BINARY[:-1])
    run = command("logs", "o\x1b[2J")
    assert run.returncode == 1
    assert "\x1b" not in run.stdout + run.stderr and "\u202e" not in run.stderr
    assert r"a\u001b[2J\u000a\u202eb.settle" in run.stderr


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_a_signal_leaves_nothing_behind(logs, number):
    write(logs / "a.settle", BINARY)
    write(logs / "b.txt", b"wait")
    run = subprocess.Popen(
        [sys.executable, "-m", "settle", "pack", "logs", "out.parquet"], stderr=subprocess.PIPE, text=True
    )
    pids, end = Path("pids"), time.monotonic() + 30
    while not (pids.exists() and pids.read_text().strip()):
        assert time.monotonic() < end and run.poll() is None
        time.sleep(0.01)
    run.send_signal(number)
    _, errors = run.communicate(timeout=30)
    assert (run.returncode, errors) == (-number, "")
    assert not Path("out.parquet").exists() and not list(Path().glob(".settle-*"))
    while runs(int(pids.read_text())):
        assert time.monotonic() < end + 30
        time.sleep(0.01)


def test_the_help_of_both_commands_has_the_same_options():
    verb = (CHECKOUT / "Sources/SettleCommand/PackVerb.swift").read_text()
    run = command("--help")
    assert run.returncode == 0
    own = set(re.findall(r"^  (--[a-z-]+)", run.stdout, re.M))
    assert len(own) > 5 and own == set(re.findall(r"^ +(--[a-z-]+) ", verb, re.M))


# With the command settle


@needs_command
def test_recordings_of_every_format(logs, monkeypatch):
    """What the command converts is what is packed."""
    monkeypatch.setenv("SETTLE_COMMAND", str(REAL))
    recordings = CHECKOUT / "Tests" / "Recordings"
    expected = {}
    for path in sorted(recordings.glob("w0*[!s].jsonl")):
        shutil.copy(path, logs)
        subprocess.run([REAL, "convert", path, "expected.settle", "--force"], check=True)
        expected[path.name] = {"log": Path("expected.settle").read_bytes()}
    write(logs / "r.cast", b'{"version":2,"width":80,"height":24}\n[1.0,"r","90x24"]\n')
    write(logs / "z.jsonl", FAULTY)
    write(logs / "notes.txt", b"hello")
    packed = pack(logs, "out.parquet", partial=True)
    own = rows()
    assert own.pop("r.cast")["log"].startswith(b"\x89STL")
    assert own.pop("z.jsonl")["log"].startswith(b"\x89STL")
    expected = {name: row for name, row in expected.items() if ".decisions." not in name}
    assert own == expected and len(expected) > 2
    assert packed.faulty == 1
    assert any("z.jsonl: packed up to a fault: line 3: unknown kind" in line for line in packed.messages)
    assert any("notes.txt: skipped: neither the content" in line for line in packed.messages)
