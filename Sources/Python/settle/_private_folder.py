"""Folders for what others must not read, which last as long as the process that made them."""

from __future__ import annotations

import fcntl
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

#: In each such folder: locked by the process that uses it, so that others know that it lives.
_LOCK = "lock"


@contextmanager
def private_folder(prefix: str, parent: str | os.PathLike[str] | None = None) -> Iterator[Path]:
    """Makes a folder that only its owner can read, and deletes it at the end; and first those of the same owner and
    prefix whose processes were killed.

    Args:
        prefix: What its name begins with.
        parent: The folder that it is in; None for the system's one for temporary files.

    Raises:
        OSError: It cannot be made.
    """
    place = os.path.abspath(parent or tempfile.gettempdir())
    delete_left(prefix, place)
    path, lock = _made(place, prefix)
    try:
        yield Path(path)
    finally:
        # Still locked: nobody else deletes it meanwhile.
        shutil.rmtree(path, ignore_errors=True)
        os.close(lock)


def _made(parent: str, prefix: str) -> tuple[str, int]:
    """A new folder, and the descriptor of its lock."""
    while True:
        path = tempfile.mkdtemp(prefix=prefix, dir=parent)
        try:
            lock = _opened(path)
        except FileNotFoundError:
            continue  # Another process took it for one that was left.
        try:
            fcntl.flock(lock, fcntl.LOCK_EX)
        except OSError:
            pass  # A file system without locks, on which nothing is taken for left.
        if _is_in(path, lock):
            return path, lock
        os.close(lock)


def _opened(path: str) -> int:
    flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
    return os.open(os.path.join(path, _LOCK), flags, 0o600)


def _is_in(path: str, lock: int) -> bool:
    try:
        return os.path.samestat(os.fstat(lock), os.stat(os.path.join(path, _LOCK)))
    except FileNotFoundError:
        return False


def delete_left(prefix: str, parent: str | os.PathLike[str]) -> None:
    """Deletes the folders whose processes were killed. What cannot be deleted stays: it harms no run."""
    try:
        with os.scandir(parent) as entries:
            found = [entry.path for entry in entries if entry.name.startswith(prefix) and _is_own(entry)]
    except OSError:
        return
    for path in found:
        try:
            lock = _opened(path)
        except OSError:
            continue
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            pass  # Its process lives.
        else:
            shutil.rmtree(path, ignore_errors=True)
        finally:
            os.close(lock)


def _is_own(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir(follow_symlinks=False) and entry.stat(follow_symlinks=False).st_uid == os.geteuid()
    except OSError:
        return False
