"""Folders of what others must not read: nobody can, and those of processes that were killed are deleted."""

import os
import shutil
import signal
import stat
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest
from settle import _private_folder
from settle._private_folder import private_folder

#: Makes a folder, says where, and lives until its input ends.
PROGRAM = """
import pathlib, sys
from settle._private_folder import private_folder
with private_folder(sys.argv[1], sys.argv[2]) as place:
    pathlib.Path(place, "counts").write_text("1")
    print(place, flush=True)
    sys.stdin.read()
"""


@pytest.fixture
def living(tmp_path):
    """Starts processes that have a folder; returns them with the folders' names."""
    processes = []

    def start(prefix="private-"):
        process = subprocess.Popen(
            [sys.executable, "-c", PROGRAM, prefix, tmp_path], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        processes.append(process)
        return process, os.path.basename(process.stdout.readline().strip())

    yield start
    for process in processes:
        process.kill()
        process.communicate()


def killed(process):
    process.send_signal(signal.SIGKILL)
    process.wait()


def names(place):
    return sorted(entry.name for entry in place.iterdir())


def test_only_its_owner_reads_it_and_it_is_deleted(tmp_path):
    before = os.umask(0)
    try:
        with private_folder("private-", tmp_path) as place:
            assert stat.S_IMODE(place.stat().st_mode) == 0o700
            assert {stat.S_IMODE(path.stat().st_mode) for path in place.iterdir()} == {0o600}
    finally:
        os.umask(before)
    assert names(tmp_path) == []


def test_those_of_killed_processes_are_deleted_and_no_others(tmp_path, living):
    (lives, kept), (dies, left), (other, another) = living(), living(), living("other-")
    killed(dies)
    killed(other)
    (tmp_path / "private-file").write_text("")
    (tmp_path / "private-link").symlink_to(tmp_path / another)
    assert left in names(tmp_path)
    with private_folder("private-", tmp_path) as place:
        expected = sorted([kept, place.name, another, "private-file", "private-link"])
        assert names(tmp_path) == expected and names(tmp_path / kept) == ["counts", "lock"]
    lives.communicate("")
    assert names(tmp_path) == sorted([another, "private-file", "private-link"])


def test_one_that_was_taken_for_left_is_made_again(tmp_path, monkeypatch):
    """Another process may find it before it is locked, or before it has a lock."""
    made, opened, taken = _private_folder.tempfile.mkdtemp, _private_folder._opened, []

    def taking(**more):
        path = made(**more)
        if not taken:
            taken.append(path)
            shutil.rmtree(path)
        return path

    def opening(path):
        lock = opened(path)
        if len(taken) == 1:
            taken.append(path)
            shutil.rmtree(path)
        return lock

    monkeypatch.setattr(_private_folder.tempfile, "mkdtemp", taking)
    monkeypatch.setattr(_private_folder, "_opened", opening)
    with private_folder("private-", tmp_path) as place:
        assert len(taken) == 2 and str(place) not in taken and names(place) == ["lock"]


def test_many_at_once_leave_each_other_alone(tmp_path):
    def one(number):
        with private_folder("private-", tmp_path) as place:
            (place / "counts").write_text(str(number))
            assert (place / "counts").read_text() == str(number)

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(one, range(200)))
    assert names(tmp_path) == []


def test_without_locks_nothing_is_taken_for_left(tmp_path, living, monkeypatch):
    def refuse(*_):
        raise OSError("no locks")

    process, left = living()
    killed(process)
    monkeypatch.setattr(_private_folder.fcntl, "flock", refuse)
    with private_folder("private-", tmp_path) as place:
        assert names(tmp_path) == sorted([left, place.name])


def test_no_descriptor_stays_open(tmp_path, living):
    (_, kept), (dies, _) = living(), living()
    killed(dies)
    before = os.listdir("/proc/self/fd")
    with private_folder("private-", tmp_path):
        pass
    assert os.listdir("/proc/self/fd") == before and names(tmp_path) == [kept]
