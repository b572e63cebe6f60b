"""Files that this package writes: never an input, never over an existing file unasked, complete or absent.

docs/reference/log-format.md, "Outputs", is the rule; Sources/SettleLog/OutputFile.swift is the same for the command.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterable
from typing import BinaryIO

from .errors import Error

#: The identity of a regular file, whatever name or link it is reached by: its device and its number there.
Identity = tuple[int, int]


class OutputError(Error):
    """An output that the rule or the system refuses."""

    status = 3


def identity(of: str | bytes | int) -> Identity | None:
    """The identity of a path or descriptor; None if there is no such regular file."""
    try:
        status = os.stat(of)
    except OSError:
        return None
    return (status.st_dev, status.st_ino) if stat.S_ISREG(status.st_mode) else None


class Output:
    """A new file under a temporary name. `finish` gives it its own; without that, `close` leaves nothing behind.

    A context manager; leaving it closes the output. Use it from one thread.

    Args:
        path: The file to write.
        force: Replaces an existing file, which keeps its mode. A symbolic link stays, and its file is replaced.
        inputs: Files that are read, which the output must not be.

    Raises:
        OutputError: The rule or the system refuses the output. Nothing was made.
    """

    def __init__(self, path: str | os.PathLike[str], *, force: bool, inputs: Iterable[Identity] = ()) -> None:
        self.path = os.fspath(path)
        self._force = force
        older = self._existing(set(inputs))
        self._target = os.path.realpath(self.path)
        self.temporary: str | None = None
        try:
            self.file: BinaryIO = self._open()
            if older:
                self._keep_mode(older)
        except OSError as error:
            self.close()
            raise self._refusal(f"cannot write into its folder: {error.strerror}") from None

    def __enter__(self) -> Output:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def finish(self) -> None:
        """Gives the complete file its name. Raises OutputError: another file has that name by now and must not be
        replaced, or the system refuses it."""
        assert self.temporary, "an output is finished once"
        try:
            self.file.close()
            if self._force or not self._link():
                os.rename(self.temporary, self._target)
                self.temporary = None
        except FileExistsError:
            raise self._exists() from None
        except OSError as error:
            raise self._refusal(f"cannot write: {error.strerror}") from None
        finally:
            self.close()

    def close(self) -> None:
        """Removes the file unless it is finished. May be called again."""
        if self.temporary is None:
            return
        temporary, self.temporary = self.temporary, None
        try:
            self.file.close()
        except (AttributeError, OSError):
            pass  # A disk that is full; what was written is removed.
        try:
            os.unlink(temporary)
        except OSError:
            pass

    def _existing(self, inputs: set[Identity]) -> os.stat_result | None:
        try:
            self.path.encode()
            status = os.stat(self.path)
        except UnicodeEncodeError:
            raise self._refusal("its name is not valid UTF-8; name another file") from None
        except FileNotFoundError:
            if not self.path:
                raise OutputError("the output's name is empty; name a file") from None
            return None
        except (OSError, ValueError) as error:
            raise self._refusal(f"cannot write: {getattr(error, 'strerror', None) or error}") from None
        own = (status.st_dev, status.st_ino)
        if stat.S_ISDIR(status.st_mode):
            raise self._refusal("is a directory; name a file")
        if not stat.S_ISREG(status.st_mode):
            raise self._refusal("is no regular file; name one")
        if own in inputs:
            raise self._refusal("is the input itself, which it would destroy; name another file")
        if own == identity(1):
            raise self._refusal("is the file that standard output goes into; name another")
        if not self._force:
            raise self._exists()
        if status.st_mode & 0o222 == 0 or not os.access(self.path, os.W_OK):
            raise self._refusal("is read-only; it is left alone")
        return status

    def _open(self) -> BinaryIO:
        folder = os.path.dirname(self._target)
        for number in range(100):
            temporary = os.path.join(folder, f".settle-{os.getpid()}-{number}.partial")
            flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
            try:
                descriptor = os.open(temporary, flags, 0o666)
            except FileExistsError:
                continue
            self.temporary = temporary
            return os.fdopen(descriptor, "wb")
        raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST))

    def _keep_mode(self, older: os.stat_result) -> None:
        descriptor = self.file.fileno()
        try:
            os.fchown(descriptor, older.st_uid, older.st_gid)
        except OSError:
            pass  # Only root can keep the owner.
        os.fchmod(descriptor, stat.S_IMODE(older.st_mode) & 0o777)

    def _link(self) -> bool:
        """Gives the file its name by a hard link, which never replaces a file that was created meanwhile; False on
        a file system without hard links."""
        try:
            assert self.temporary is not None
            os.link(self.temporary, self._target)
        except FileExistsError:
            raise
        except OSError:
            if os.path.lexists(self._target):
                raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST)) from None
            return False
        return True

    def _refusal(self, problem: str) -> OutputError:
        return OutputError(f"{self.path}: {problem}")

    def _exists(self) -> OutputError:
        left = "there is such a file already; it is left alone"
        error = self._refusal(f"{left}; force=True replaces it")
        error.command_text = f"{self.path}: {left}; --force replaces it"
        return error
