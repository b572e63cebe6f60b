"""`settle anonymize` of folders and Parquet. scripts/checks/privacy has the attacks on coarse logs."""

import base64
import datetime
import hashlib
import resource
import shutil
import signal
import subprocess
import sys
import time

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import settle
from conftest import RECORDINGS
from packing import FAULTY, write, write_all
from settle import _anonymize
from settle._command import main

# It ends and begins with what is white space in a text.
KEY = b"\n " + bytes(range(40)) + b"\t\n"
KEYED = hashlib.blake2b(KEY, digest_size=32).digest()


def replaced(name):
    return hashlib.blake2b(name.encode(), digest_size=16, key=KEYED, person=b"settle anonymize").hexdigest()


@pytest.fixture
def work(tmp_path, settle_command, monkeypatch):
    monkeypatch.setenv("SETTLE_COMMAND", str(settle_command.path))
    logs = [settle.to_bytes(settle.read(path)) for path in RECORDINGS]
    names = [path.stem for path in RECORDINGS]
    platforms = ["x11" if name.startswith("r") else "wayland" for name in names]
    table = pa.table({"who": names, "platform": platforms, "secret": names, "bytes": pa.array(logs, pa.binary())})
    pq.write_table(table, tmp_path / "in.parquet", row_group_size=4)
    (tmp_path / "key").write_bytes(KEY)
    return tmp_path


OF_TABLE = "--session=who", "--log=bytes", "--cohort=platform"


def test_a_table_has_new_names_and_the_columns_that_are_asked_for(work, capsys):
    arguments = [*OF_TABLE, "--coarse", f"--key={work / 'key'}", str(work / "in.parquet"), str(work / "out.parquet")]
    assert main(["anonymize", *arguments]) == 0, capsys.readouterr().err
    table = pq.read_table(work / "out.parquet")
    assert table.column_names == ["session", "platform", "log"]
    rows = {row["session"]: row for row in table.to_pylist()}
    assert list(rows) == sorted(rows)
    for path in RECORDINGS:
        row = rows[replaced(path.stem)]
        assert row["platform"] == ("x11" if path.stem.startswith("r") else "wayland")
        before, after = settle.read(path), settle.read(row["log"])
        assert list(after.names) == [replaced(name) for name in before.names]
        policies = [settle.Policy(), settle.Policy.uikit()]
        assert np.array_equal(*(settle.rebuilds(settle.sweep([log], policies)) for log in (before, after)))


def test_without_a_key_nobody_can_link_two_outputs(work):
    outputs = []
    for number in range(2):
        out = work / f"{number}.parquet"
        assert main(["anonymize", *OF_TABLE, str(work / "in.parquet"), str(out)]) == 0
        outputs.append(pq.read_table(out).to_pylist())
    names = [{row["session"] for row in rows} for rows in outputs]
    assert not names[0] & names[1]
    scenes = [name for rows in outputs for row in rows for name in settle.read(row["log"]).names]
    assert len(set(scenes)) == len(scenes)


def test_a_folder_is_packed_on_the_way(work, capsys):
    place = work / "logs/x11"
    place.mkdir(parents=True)
    for path in RECORDINGS[:2]:
        shutil.copy(path, place / path.name)
    out = work / "out.parquet"
    assert main(["anonymize", "--path-pattern={platform}/*", str(work / "logs"), str(out)]) == 0
    table = pq.read_table(out)
    assert table["platform"].to_pylist() == ["x11", "x11"]
    assert "r01" not in capsys.readouterr().out


def test_logs_with_faults_are_left_out_by_their_rows(work, capsys):
    log = settle.to_bytes(settle.read(RECORDINGS[0]))
    table = pa.table({"session": ["alice", "bob", "carol", "dave"], "log": [log, log[:-9], None, log]})
    pq.write_table(table, work / "in.parquet")
    assert main(["anonymize", str(work / "in.parquet"), str(work / "out.parquet")]) == 1
    said = capsys.readouterr()
    assert said.out == "" and f"{work / 'out.parquet'}: 2 of 4 sessions, anonymized" in said.err
    assert f"{work / 'in.parquet'}: row 1: left out for a fault" in said.err
    assert "row 2: left out for a fault: the log is null" in said.err
    assert "bob" not in said.err and pq.read_table(work / "out.parquet").num_rows == 2


@pytest.mark.parametrize(
    ("arguments", "status", "problem"),
    [
        (["{in}", "{out}"], 2, "no column 'session'"),
        (["--session=who", "--log=secret", "{in}", "{out}"], 2, "--log names a binary column"),
        (["--session=who", "--log=bytes", "--cohort=no", "{in}", "{out}"], 2, "no column 'no'"),
        (["--path-pattern={{a}}", *OF_TABLE, "{in}", "{out}"], 2, "--path-pattern is for a folder"),
        (["--cohort=a", "{work}", "{out}"], 2, "a folder has no columns for --cohort to name"),
        (["--session=a", "--log=b", "{work}", "{out}"], 2, "no columns for --session and --log to name"),
        (["{work}/none", "-"], 2, "OUT is '-', but many logs become a Parquet file; give a name that ends in .parquet"),
        ([*OF_TABLE, "{in}", "{work}/z.settle"], 2, "z.settle', but many logs become a Parquet file"),
        (["{work}/none.parquet", "{out}"], 3, "no such file"),
        (["{work}/key", "{out}"], 3, "cannot be read as Parquet"),
        ([*OF_TABLE, "--step=0", "{in}", "{out}"], 2, "settle ended early"),
        ([*OF_TABLE, "{in}", "{in}"], 3, "is the input itself"),
    ],
)
def test_what_cannot_be_done_is_said(work, capfd, arguments, status, problem):
    names = {"in": work / "in.parquet", "out": work / "out.parquet", "work": work}
    assert main(["anonymize", *(word.format(**names) for word in arguments)]) == status
    said = capfd.readouterr().err
    assert problem in said
    assert said.count("--help'.") <= 1, "each processor's command says it"
    assert not (work / "out.parquet").exists()


def test_the_command_hands_tables_over(work, settle_command, monkeypatch):
    monkeypatch.setenv("SETTLE_PYTHON", sys.executable)
    arguments = ["anonymize", *OF_TABLE, work / "in.parquet", work / "out.parquet"]
    run = subprocess.run([settle_command.path, *arguments], capture_output=True, text=True)
    assert (run.returncode, run.stdout) == (0, "")
    assert f"{len(RECORDINGS)} of {len(RECORDINGS)} sessions, anonymized" in run.stderr


def test_a_command_that_is_not_there_is_named(work, monkeypatch, capsys):
    monkeypatch.setenv("SETTLE_COMMAND", "/nowhere/settle")
    assert main(["anonymize", *OF_TABLE, str(work / "in.parquet"), str(work / "out.parquet")]) != 0
    assert "/nowhere/settle: No such file or directory; SETTLE_COMMAND must name" in capsys.readouterr().err


def test_rows_alike_are_counted(work, capsys):
    pq.write_table(pa.table({"session": list("abcd"), "log": [b"hello"] * 4}), work / "in.parquet")
    assert main(["anonymize", str(work / "in.parquet"), str(work / "out.parquet")]) == 1
    said = capsys.readouterr().err
    assert "in.parquet: 4 rows left out for a fault: " in said and ": row 0, row 1, row 2, …\n" in said
    assert "--format" not in said


def test_logs_of_a_folder_with_faults_are_left_out_and_counted(work, capsys):
    place = work / "logs"
    whole = settle.to_bytes(settle.read(RECORDINGS[0]))
    handlers = [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)]
    write_all(place, {"a.settle": whole, "b.settle": whole[:-9], "c.jsonl": FAULTY, "notes.txt": b"hello"})
    assert main(["anonymize", str(place), str(work / "out.parquet")]) == 1
    said = capsys.readouterr()
    assert said.out == "" and "out.parquet: 1 of 3 sessions, anonymized\n" in said.err
    assert "settle: b.settle: left out for a fault: " in said.err
    assert "settle: c.jsonl: left out for a fault: line 3" in said.err
    assert "notes.txt: skipped" in said.err and "packed" not in said.err
    (place / "b.settle").unlink()
    assert main(["anonymize", "--force", str(place), str(work / "out.parquet")]) == 1
    assert "1 of 2 sessions" in capsys.readouterr().err
    write_all(place, {"d.zip": b"PK\x03\x04"})
    assert main(["anonymize", "--force", str(place), str(work / "out.parquet")]) == 3
    assert "1 of 3 sessions" in capsys.readouterr().err
    assert handlers == [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)]


def test_a_disk_that_is_full_is_that_of_the_output(work):
    def limit():
        resource.setrlimit(resource.RLIMIT_FSIZE, (400, 400))

    arguments = [*OF_TABLE, "in.parquet", "out.parquet"]
    run = subprocess.run(
        [sys.executable, "-m", "settle", "anonymize", *arguments], capture_output=True, text=True, cwd=work,
        preexec_fn=limit,
    )
    assert (run.returncode, run.stdout) == (3, "")
    assert run.stderr == "settle: out.parquet: cannot write: File too large\n"
    assert not list(work.glob(".settle-*")) and not (work / "out.parquet").exists()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
@pytest.mark.parametrize("given", ["in.parquet", "logs"])
def test_a_signal_leaves_nothing_behind(work, monkeypatch, number, given):
    write_all(work / "logs", {"a.jsonl": FAULTY})
    # Stands in for a command that takes long.
    write(work / "command", b'#!/bin/sh\necho $$ >>"$PIDS"\nexec sleep 1000\n').chmod(0o755)
    monkeypatch.setenv("SETTLE_COMMAND", str(work / "command"))
    monkeypatch.setenv("PIDS", str(work / "pids"))
    monkeypatch.setenv("TMPDIR", str(work / "temporary"))
    (work / "temporary").mkdir()
    options = OF_TABLE if given == "in.parquet" else ()
    run = subprocess.Popen(
        [sys.executable, "-m", "settle", "anonymize", *options, given, "out.parquet"], cwd=work,
        stderr=subprocess.PIPE, text=True,
    )
    end = time.monotonic() + 30
    while not ((work / "pids").exists() and (work / "pids").read_text().strip()):
        assert time.monotonic() < end and run.poll() is None
        time.sleep(0.01)
    assert list((work / "temporary").glob("settle-anonymize-*"))
    run.send_signal(number)
    _, errors = run.communicate(timeout=120)
    assert (run.returncode, errors) == (-number, "")
    assert not list((work / "temporary").iterdir()) and not list(work.glob(".settle-*"))
    assert not (work / "out.parquet").exists()


# A signal to another thread does not interrupt the main one, as one that comes just before that begins to wait.
UNNOTICED = """
import signal, sys, threading
from concurrent.futures import ThreadPoolExecutor
from settle._signals import ending_by_signals

def run(ending):
    def work():
        process = ending.start([b"sleep", b"1000"], None)
        signal.pthread_kill(threading.get_ident(), signal.SIGTERM)
        process.stdout.read()
        return ending.over(process)
    with ThreadPoolExecutor(1) as pool:
        pool.submit(work).result()
    ending.check()
    return 0

sys.exit(ending_by_signals(run))
"""


def test_a_signal_ends_the_commands_while_the_main_thread_waits():
    run = subprocess.run([sys.executable, "-c", UNNOTICED], capture_output=True, text=True, timeout=60)
    assert (run.returncode, run.stdout, run.stderr) == (-signal.SIGTERM, "", "")


SECRET = "alice@example.org"


def planted(logs):
    """A table that has the secret wherever Parquet and Arrow have a place for it, but in no row that is kept."""
    sessions = ["a", "b", "c", "d"]
    logs = pa.array([logs[0], logs[0][:-9], None, logs[1]], pa.binary())
    platforms = ["x11", SECRET, SECRET + "2", "wayland"]
    columns = {
        "platform": pa.array(platforms).dictionary_encode(), "plain": pa.array(platforms),
        "version": pa.DictionaryArray.from_arrays([0, 1, 0, 0], [1, int.from_bytes(SECRET[:8].encode(), "little")]),
        "view": pa.array(platforms).cast(pa.string_view()), "absent": pa.array([None] * 4, pa.string()),
        "number": pa.array([1, 2, 3, 4], pa.int8()), "day": pa.array([0, 1, 2, 3], pa.date32()),
        "early": pa.array([True, False, True, None]),
    }
    note = {"path": f"/home/{SECRET}", "PARQUET:field_id": "7"}
    fields = [pa.field(name, values.type, metadata=note) for name, values in columns.items()]
    schema = pa.schema(
        [pa.field("session", pa.string(), metadata=note), *fields, pa.field("log", pa.binary(), metadata=note)],
        metadata={"pandas": SECRET, "who": SECRET},
    )
    return pa.Table.from_arrays([pa.array(sessions), *columns.values(), logs], schema=schema), list(columns)


def test_nothing_leaves_but_the_values_of_rows_that_are_kept(work, monkeypatch):
    table, kept = planted([settle.to_bytes(settle.read(path)) for path in RECORDINGS[:2]])
    with pq.ParquetWriter(work / "in.parquet", table.schema, write_page_index=True) as writer:
        writer.write_table(table)
        writer.add_key_value_metadata({"origin": SECRET})
    assert SECRET.encode() in (work / "in.parquet").read_bytes()
    # What is compressed would not be found.
    made = pq.ParquetWriter
    monkeypatch.setattr(pq, "ParquetWriter", lambda *given, **more: made(*given, **more | {"compression": "none"}))
    arguments = [f"--cohort={','.join(kept)}", str(work / "in.parquet"), str(work / "out.parquet")]
    assert main(["anonymize", *arguments]) == 1
    content, found = (work / "out.parquet").read_bytes(), pq.ParquetFile(work / "out.parquet")
    arrow = base64.b64decode(found.metadata.metadata[b"ARROW:schema"])
    assert not [text for text in (SECRET[:8], SECRET) if text.encode() in content + arrow]
    assert list(found.metadata.metadata) == [b"ARROW:schema"]
    assert found.schema_arrow.remove_metadata().equals(found.schema_arrow, check_metadata=True)
    rows = sorted(found.read().drop_columns(["session", "log"]).to_pylist(), key=lambda row: row["number"])
    alike = {name: "x11" for name in ("platform", "plain", "view")}
    others = {"version": 1, "absent": None, "number": 1, "day": datetime.date(1970, 1, 1), "early": True}
    assert rows[0] == alike | others
    assert (len(rows), rows[1]["platform"], rows[1]["early"]) == (2, "wayland", None)


@pytest.mark.parametrize(
    "values",
    [
        pa.array([{SECRET: 1}]), pa.array([[1]]), pa.array([0], pa.timestamp("us", "Europe/Berlin")), pa.array([1.5]),
        pa.array([0], pa.duration("s")), pa.array([b"x"]), pa.array([[("a", 1)]], pa.map_(pa.string(), pa.int8())),
        pa.array([b"x"]).dictionary_encode(),
    ],
    ids=lambda values: str(values.type),
)
def test_columns_that_are_no_cohorts_are_refused(work, capsys, values):
    log = settle.to_bytes(settle.read(RECORDINGS[0]))
    pq.write_table(pa.table({"session": ["a"], "kept": values, "log": [log]}), work / "in.parquet")
    assert main(["anonymize", "--cohort=kept", str(work / "in.parquet"), str(work / "out.parquet")]) == 2
    assert "the column 'kept' (--cohort) is of type " in capsys.readouterr().err
    assert not (work / "out.parquet").exists()


@pytest.mark.parametrize("how", ["itself", "link", "hard link", "a file of a folder", "a log of a folder"])
def test_what_is_read_is_no_output(work, capfd, how):
    key, out, source, table = work / "key", work / "out.parquet", work / "in.parquet", OF_TABLE
    if how == "itself":
        out = key = key.rename(work / "key.parquet")
    elif how == "link":
        out.symlink_to(key)
    elif how == "hard link":
        out.hardlink_to(key)
    elif how == "a file of a folder":
        source = work / "folder.parquet"
        source.mkdir()
        out = shutil.copy(work / "in.parquet", source / "0.parquet")
    else:
        source, table = work / "logs", ()
        source.mkdir()
        out = shutil.copy(RECORDINGS[0], source / "log.parquet")
    before = out.read_bytes()
    arguments = [*table, "--force", f"--key={key}", str(source), str(out)]
    assert main(["anonymize", *arguments]) == 3
    assert "which " in (said := capfd.readouterr().err) and "destroy" in said and out.read_bytes() == before
    assert key.read_bytes() == KEY


@pytest.mark.parametrize("group_rows", [1, 2, 3, 5])
def test_rows_are_those_of_the_whole_table(work, capsys, monkeypatch, group_rows):
    """Whatever the row groups of the input, and those of the output."""
    log = settle.to_bytes(settle.read(RECORDINGS[3]))
    logs = [None if row in (1, 4, 8) else log for row in range(10)]
    table = pa.table({"session": list("abcdefghij"), "log": logs})
    pq.write_table(table, work / "in.parquet", row_group_size=group_rows)
    for number, most in enumerate((3, 4096)):
        monkeypatch.setattr(_anonymize, "_GROUP_SESSIONS", most)
        assert main(["anonymize", str(work / "in.parquet"), str(work / f"{number}.parquet")]) == 1
        said = capsys.readouterr().err
        assert "in.parquet: 3 rows left out for a fault: the log is null or empty: row 1, row 4, row 8\n" in said
        assert "7 of 10 sessions" in said
