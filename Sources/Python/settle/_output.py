"""Files that are written completely or not at all, and never over another without a request."""

from __future__ import annotations

import contextlib
import errno
import os
import stat
from collections.abc import Iterator
from typing import BinaryIO

Path = str | os.PathLike[str]


@contextlib.contextmanager
def replacing(path: Path, force: bool) -> Iterator[BinaryIO]:
    """A file that gets its name when the block ends without an exception; otherwise nothing of it stays, and an older
    file is as it was. A replaced file keeps its mode; a symbolic link stays, and the file that it names is replaced.
    A pipe or a device is written as it is.

    Raises:
        FileExistsError: There is such a file, and it is not to be replaced.
        PermissionError: It is read-only.
        ValueError: The name is not valid UTF-8.
        OSError: It cannot be written.
    """
    name = os.fspath(path)
    try:
        name.encode()
    except UnicodeEncodeError:
        raise ValueError(f"the file name {name!r} is not valid UTF-8") from None
    older = _existing(name, force)
    if older is not None and not stat.S_ISREG(older.st_mode):
        with open(name, "wb") as device:
            yield device
        return
    target = os.path.realpath(name)
    file, temporary = _create(target)
    try:
        with file:
            if older is not None:
                _keep_mode(file.fileno(), older)
            yield file
        _rename(temporary, target, force)
    finally:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(temporary)


def _existing(name: str, force: bool) -> os.stat_result | None:
    """The status of a file that may be written, None for a new one."""
    try:
        older = os.stat(name)
    except FileNotFoundError:
        return None
    if stat.S_ISDIR(older.st_mode):
        raise IsADirectoryError(errno.EISDIR, "is a directory; name a file", name)
    if stat.S_ISREG(older.st_mode) or stat.S_ISBLK(older.st_mode):
        if not force:
            raise _exists_already(name)
        # The folder's mode or root's rights would allow to replace it.
        if not older.st_mode & 0o222 or not os.access(name, os.W_OK):
            raise PermissionError(errno.EACCES, "is read-only; it is left alone", name)
    return older


def _exists_already(name: str) -> FileExistsError:
    return FileExistsError(errno.EEXIST, "there is such a file already; it is left alone", name)


def _create(target: str) -> tuple[BinaryIO, str]:
    for number in range(1_000):
        temporary = os.path.join(os.path.dirname(target), f".settle-{os.getpid()}-{number}.partial")
        try:
            return open(temporary, "xb"), temporary
        except FileExistsError:
            continue
        except OSError as error:
            raise OSError(error.errno, error.strerror, target) from None
    raise OSError(errno.EEXIST, "cannot write into its folder", target)


def _keep_mode(descriptor: int, older: os.stat_result) -> None:
    # Only root can keep the owner.
    with contextlib.suppress(PermissionError):
        os.fchown(descriptor, older.st_uid, older.st_gid)
    os.fchmod(descriptor, older.st_mode & 0o777)


def _rename(temporary: str, target: str, force: bool) -> None:
    if not force:
        # A hard link never replaces a file that was made meanwhile.
        try:
            os.link(temporary, target)
            return
        except FileExistsError:
            raise _exists_already(target) from None
        except OSError:
            # Some file systems have no hard links.
            if os.path.exists(target):
                raise _exists_already(target) from None
    os.replace(temporary, target)
