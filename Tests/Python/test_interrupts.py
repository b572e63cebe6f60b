"""What sweeps say of their progress, and that Ctrl-C ends them whatever their threads do."""

from __future__ import annotations

import signal
import subprocess
import sys
import threading

import numpy as np
import pytest
import settle
from conftest import RECORDINGS, needs_arrow
from settle import _sweep, sweeper
from settle._workers import Workers

POLICIES = settle.Policy.grid()[::300]
LOGS = [settle.read(path) for path in RECORDINGS[:4]]
#: No limit of the tests: a call that Ctrl-C does not end takes an hour.
SOON_S = 20


@pytest.fixture
def every_step(monkeypatch):
    """Policies are decided one by one, and all progress is shown."""
    monkeypatch.setattr(sweeper, "_EVENTS_MAX", 1)
    monkeypatch.setattr(_sweep, "_SHOWN_EVERY_S", 0)


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("cost", [None, "2ms"])
@pytest.mark.parametrize("kind", [list, iter])
def test_progress_grows_to_the_end(every_step, threads, cost, kind):
    seen, callers = [], set()

    def progress(done, of):
        seen.append((done, of))
        callers.add(threading.current_thread())

    expected = settle.sweep(LOGS, POLICIES, build_cost=cost)
    found = settle.sweep(kind(LOGS), POLICIES, build_cost=cost, threads=threads, progress=progress)
    assert np.array_equal(found, expected)
    done, of = zip(*seen)
    every = len(LOGS) * len(POLICIES)
    assert seen[-1] == (every, every) and list(done) == sorted(done) and list(of) == sorted(of)
    assert all(one <= other for one, other in seen) and (kind is iter or set(of) == {every})
    assert callers == {threading.current_thread()}


def test_the_end_is_shown_however_soon_it_comes():
    seen = []
    settle.sweep(LOGS[:2], POLICIES, progress=lambda *given: seen.append(given))
    assert seen[-1] == (2 * len(POLICIES), 2 * len(POLICIES))


def test_progress_moves_within_a_log(every_step, monkeypatch):
    """The thread that decides waits at each policy until that of the one before was shown."""
    decide, seen, decided, shown = settle.Sweeper._decide, threading.Semaphore(0), [], [0]

    def waiting(self, policies, count, counts):
        if decided:
            assert seen.acquire(timeout=SOON_S)
        decided.append(count)
        decide(self, policies, count, counts)

    def progress(done, of):
        for _ in range(done - shown[-1]):
            seen.release()
        shown.append(done)

    monkeypatch.setattr(settle.Sweeper, "_decide", waiting)
    settle.sweep(LOGS[:1], POLICIES[:4], progress=progress)
    assert decided == [1] * 4 and set(shown) == {0, 1, 2, 3, 4}


@pytest.mark.parametrize("cost", [None, "2ms+3ns/px"])
def test_the_counts_do_not_depend_on_how_policies_are_split(monkeypatch, cost):
    found = []
    for most in (1, 5_000, 4 << 20):
        monkeypatch.setattr(sweeper, "_EVENTS_MAX", most)
        found.append(settle.sweep(LOGS, POLICIES, build_cost=cost))
    assert np.array_equal(found[0], found[1]) and np.array_equal(found[1], found[2]) and found[0].any()


@pytest.mark.parametrize("threads", [1, 2])
def test_the_caller_is_the_one_who_takes_logs_and_what_it_raises_ends_the_sweep(threads):
    def logs():
        yield LOGS[0]
        assert threading.current_thread() is threading.main_thread()
        raise ZeroDivisionError

    def progress(done, of):
        raise KeyError

    before = threading.active_count()
    with pytest.raises(ZeroDivisionError):
        settle.sweep(logs(), POLICIES, threads=threads)
    with pytest.raises(KeyError):
        settle.sweep(LOGS, POLICIES, threads=threads, progress=progress)
    with pytest.raises(TypeError, match="a log is a path"):
        settle.sweep([LOGS[0], None], POLICIES, threads=threads)
    assert threading.active_count() == before


@pytest.mark.parametrize("slow", ["first", "second"])
def test_of_several_failures_the_first_log_is_raised(monkeypatch, slow):
    begun, noted, fail = threading.Barrier(2), threading.Event(), _sweep._Work._fail

    class Bad:
        def __init__(self, name):
            self.name = name

        def read(self):
            begun.wait(SOON_S)
            assert self.name != slow or noted.wait(SOON_S)
            return b"no log"

    def noting(self, index, error):
        fail(self, index, error)
        noted.set()

    monkeypatch.setattr(_sweep._Work, "_fail", noting)
    with pytest.raises(settle.LogError, match="^first: "):
        settle.sweep([LOGS[0], Bad("first"), Bad("second")], POLICIES[:1], threads=2)


def test_workers_stop_each_other_and_are_waited_for():
    ended = []

    def work():
        if not first.is_set():
            first.set()
            raise ValueError("the first")
        try:
            while True:
                workers.check()
        finally:
            ended.append(1)

    first = threading.Event()
    workers = Workers(3, work)
    with pytest.raises(ValueError, match="the first"), workers:
        workers.wait()
    assert len(ended) == 2


#: A call of the library that takes long, or what else a thread or the caller may be in.
PROGRAM = """
import os, sys, time
import settle

def long(*_):
    os.write(1, b"begun\\n")
    time.sleep(3600)

class File:
    name = "file"
    def read(self):
        long()

log = settle.read(sys.argv[2])
logs = [log] * 4
how, threads = sys.argv[1], int(sys.argv[3])
decide = settle.Sweeper._decide
if how == "decide":
    settle.Sweeper._decide = long
elif how == "read":
    logs = [File()]
elif how == "logs":
    logs = (long() for _ in range(4))
try:
    settle.sweep(logs, [settle.Policy()], threads=threads)
except KeyboardInterrupt:
    settle.Sweeper._decide = decide
    # What is left behind disturbs no other.
    print(settle.rebuilds(settle.sweep([log], [settle.Policy()]))[0], flush=True)
"""


def interrupted(command, number, **more):
    """A command that got a signal once it had begun, and what it said."""
    run = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **more)
    try:
        assert run.stdout.readline() == "begun\n"
        run.send_signal(number)
        return run, *run.communicate(timeout=SOON_S)
    finally:
        run.kill()


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("how", ["decide", "read", "logs"])
def test_an_interrupt_ends_a_sweep(how, threads):
    command = [sys.executable, "-c", PROGRAM, how, RECORDINGS[0], str(threads)]
    run, output, said = interrupted(command, signal.SIGINT)
    rebuilds = settle.rebuilds(settle.sweep([LOGS[0]], [settle.Policy()]))[0]
    assert (run.returncode, output.splitlines()[-1], said) == (0, str(rebuilds), "")


FLEET = """
import os, sys, time
import settle
from settle.fleet._command import main

def long(*_):
    os.write(1, b"begun\\n")
    time.sleep(3600)

settle.Sweeper._decide = long
sys.exit(main(sys.argv[1:]))
"""


@needs_arrow
@pytest.mark.parametrize("options", [[], ["--cohort-minimum", "2"]])
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_a_fleet_on_this_machine(tmp_path, options, number):
    import pyarrow as pa
    import pyarrow.parquet as pq

    logs = [settle.to_bytes(log) for log in LOGS]
    pq.write_table(pa.table({"session": list("abcd"), "log": logs}), tmp_path / "in.parquet")
    command = [sys.executable, "-c", FLEET, "in.parquet", "out", "--jobs", "2", *options]
    run, _, said = interrupted(command, number, cwd=tmp_path)
    expected = (130, "settle-fleet: stopped\n") if number == signal.SIGINT else (-number, "")
    assert (run.returncode, said) == expected
    assert [path.name for path in tmp_path.iterdir()] == ["in.parquet"]
