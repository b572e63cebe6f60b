"""The command `python -m settle pack`, and packing by the command settle."""

from __future__ import annotations

import re
import resource
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from conftest import RECORDINGS, ROOT
from packing import BINARY, FAULTY, command, names, rows, write, write_all

from settle import pack


def runs(process: int) -> bool:
    """Whether a process runs; one that ended may still wait for its parent."""
    try:
        return "\nState:\tZ" not in Path(f"/proc/{process}/status").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return False


def test_the_command_says_what_it_did(logs):
    write_all(logs, {"a.settle": BINARY, "b.settle": BINARY[:-1]})
    run = command("logs", "out.parquet")
    assert run.returncode == 1
    assert run.stdout == "out.parquet: 2 sessions, 0.0 MB of logs in 0.0 MB\n"
    problem = "the log ends within a chunk, whose events are lost"
    assert run.stderr == f"settle: b.settle: damaged, and packed as it is: {problem}\n"


@pytest.mark.parametrize(("arguments", "status", "problem"), [
    ([], 2, "the following arguments are required: DIR, OUT\nTry 'settle pack --help'."),
    (["logs", "o", "--cohorts", "a", "--path-pattern", "{b}"], 2, "not allowed with"),
    (["logs", "o", "--path-pattern", "x"], 2, "it names no column"),
    (["logs", "o", "--jobs", "0"], 2, "there are 1 to 256 jobs, and not 0"),
    (["logs", "-"], 2, "cannot be written to standard output"),
    (["logs", "o", "--forc"], 2, "unrecognized arguments: --forc"),
    (["missing", "o"], 3, "missing: No such file or directory"),
    (["logs", "o", "--cohorts", "missing.csv"], 3, "missing.csv: No such file or directory"),
    (["logs", "o"], 2, "there is no log in logs to pack"),
])
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


#: Packs, and sends itself SIGTERM in another thread than the one that waits, which the signal does not wake.
UNWOKEN = """
import pathlib, signal, sys, threading, time
from settle._pack_command import main

def end():
    pids = pathlib.Path("pids")
    while not (pids.exists() and pids.read_text().strip()):
        time.sleep(0.01)
    signal.pthread_kill(threading.get_ident(), signal.SIGTERM)

threading.Thread(target=end, daemon=True).start()
sys.exit(main(sys.argv[1:]))
"""


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP, None])
def test_a_signal_leaves_nothing_behind(logs, number):
    write_all(logs, {"a.settle": BINARY, "b.txt": b"wait"})
    program = ["-c", UNWOKEN] if number is None else ["-m", "settle", "pack"]
    run = subprocess.Popen([sys.executable, *program, "logs", "out.parquet"], stderr=subprocess.PIPE, text=True)
    pids, end = Path("pids"), time.monotonic() + 30
    while not (pids.exists() and pids.read_text().strip()):
        assert time.monotonic() < end and run.poll() is None
        time.sleep(0.01)
    if number is not None:
        run.send_signal(number)
    _, errors = run.communicate(timeout=30)
    assert (run.returncode, errors) == (-(number or signal.SIGTERM), "")
    assert not Path("out.parquet").exists() and not list(Path().glob(".settle-*"))
    while runs(int(pids.read_text())):
        assert time.monotonic() < end + 30
        time.sleep(0.01)


def test_the_help_of_both_commands_has_the_same_options():
    verb = (ROOT / "Sources/SettleCommand/PackVerb.swift").read_text()
    run = command("--help")
    assert run.returncode == 0
    own = set(re.findall(r"^  (--[a-z-]+)", run.stdout, re.M))
    assert len(own) > 5 and own == set(re.findall(r"^ +(--[a-z-]+) ", verb, re.M))


def test_a_disk_that_is_full_leaves_nothing_behind(logs):
    write(logs / "a.settle", BINARY)
    write(Path("out.parquet"), b"older")

    def limit():
        resource.setrlimit(resource.RLIMIT_FSIZE, (400, 400))

    run = command("logs", "out.parquet", "--force", preexec_fn=limit)
    assert (run.returncode, run.stdout) == (3, "")
    assert run.stderr == "settle: out.parquet: cannot write: File too large\n"
    assert Path("out.parquet").read_bytes() == b"older" and not list(Path().glob(".settle-*"))


def test_recordings_of_every_format(logs, settle_command, monkeypatch):
    """What the command converts is what is packed."""
    monkeypatch.setenv("SETTLE_COMMAND", str(settle_command.path))
    expected = {}
    for path in RECORDINGS[:3]:
        shutil.copy(path, logs)
        expected[path.name] = {"log": settle_command.convert(path, Path("expected.settle")).read_bytes()}
    write(logs / "r.cast", b'{"version":2,"width":80,"height":24}\n[1.0,"r","90x24"]\n')
    write_all(logs, {"z.jsonl": FAULTY, "notes.txt": b"hello"})
    packed = pack(logs, "out.parquet", partial=True)
    own = rows()
    assert all(own.pop(name)["log"].startswith(b"\x89STL") for name in ("r.cast", "z.jsonl"))
    assert own == expected and packed.faulty == 1
    assert any("z.jsonl: packed up to a fault: line 3: unknown kind" in line for line in packed.messages)
    assert any("notes.txt: skipped: neither the content" in line for line in packed.messages)
