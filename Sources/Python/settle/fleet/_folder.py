"""A fleet's output folder while it is written: one that replaces another is beside it until it is complete."""

from __future__ import annotations

import ctypes
import errno
import os
import shutil
from pathlib import Path
from types import TracebackType
from typing import Any

from .._messages import escaped
from ._input import FleetError

#: The file that says what a folder is, the one that says that it is complete, and what the tasks took.
MARK, SUCCESS, TIMES = "_fleet.json", "_SUCCESS", "_times.json"
#: The workers' rows within the output, until its tables are written.
PARTS = "_parts"
#: Behind the name of an output: the new one until it is complete, and the old one while it is replaced.
_PARTIAL, _OLDER = ".partial", ".older"
#: Of Linux: AT_FDCWD and RENAME_EXCHANGE.
_HERE, _RENAME_EXCHANGE = -100, 2
#: What a full file system says.
_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


class Files:
    """The files of this machine."""

    def exists(self, path: str) -> bool:
        return os.path.lexists(path)

    def is_empty(self, path: str) -> bool:
        return os.path.isdir(path) and not os.listdir(path)

    def make(self, path: str) -> None:
        os.makedirs(path, exist_ok=True)

    def write(self, path: str, text: str) -> None:
        Path(path).write_text(text, encoding="utf-8")

    def delete(self, path: str) -> None:
        """Deletes a file or a folder. What is left of an output when that is killed is still known as one."""
        if os.path.isdir(path) and not os.path.islink(path):
            for entry in sorted(os.scandir(path), key=lambda entry: entry.name == MARK):
                if entry.is_dir(follow_symlinks=False):
                    shutil.rmtree(entry.path)
                else:
                    os.unlink(entry.path)
            os.rmdir(path)
        elif os.path.lexists(path):
            os.unlink(path)

    def rename(self, path: str, other: str) -> bool:
        try:
            os.rename(path, other)
        except OSError:
            return False
        return True

    def exchange(self, path: str, other: str) -> bool:
        """Exchanges two folders in one step, so that there is one of each name at any time; False where the system
        cannot."""
        try:
            renameat2 = ctypes.CDLL(None).renameat2
        except AttributeError:
            return False
        return renameat2(_HERE, os.fsencode(path), _HERE, os.fsencode(other), _RENAME_EXCHANGE) == 0


class HadoopFiles:
    """The files of one of Spark's file systems."""

    def __init__(self, spark: Any, name: str) -> None:
        jvm = spark.sparkContext._jvm
        self._path = jvm.org.apache.hadoop.fs.Path
        path = self._path(name)
        self._files = path.getFileSystem(spark.sparkContext._jsc.hadoopConfiguration())
        #: The name with its file system.
        self.name: str = self._files.makeQualified(path).toString()

    def exists(self, path: str) -> bool:
        return self._files.exists(self._path(path))

    def is_empty(self, path: str) -> bool:
        return self._files.isDirectory(self._path(path)) and not self._files.listStatus(self._path(path))

    def make(self, path: str) -> None:
        self._files.mkdirs(self._path(path))

    def write(self, path: str, text: str) -> None:
        out = self._files.create(self._path(path), True)
        try:
            out.write(bytearray(text.encode()))
        finally:
            out.close()

    def delete(self, path: str) -> None:
        if self._files.exists(self._path(f"{path}/{MARK}")):
            for status in self._files.listStatus(self._path(path)):
                if status.getPath().getName() != MARK:
                    self._files.delete(status.getPath(), True)
        self._files.delete(self._path(path), True)

    def rename(self, path: str, other: str) -> bool:
        return self._files.rename(self._path(path), self._path(other))

    def exchange(self, path: str, other: str) -> bool:
        return False

    def copy_output(self, path: str, target: str) -> None:
        """Copies a complete output into a folder on this machine."""
        for name in (MARK, SUCCESS, TIMES, "sums", "cohorts", "damaged"):
            self._files.copyToLocalFile(False, self._path(f"{path}/{name}"), self._path("file://" + target), True)


class Folder:
    """The output, in one of these file systems. A context manager: what raises within it leaves nothing beside the
    output, and an OSError of a full file system names the output.

    Raises:
        FleetError: There is an output that must not be replaced. Nothing was made.
    """

    def __init__(self, name: str, files: Files | HadoopFiles, *, force: bool) -> None:
        self._shown, self._files, self._target = escaped(name), files, name.rstrip("/") or name
        self._target_exists = self._check(self._target, force)
        #: The folder to write. Where folders change their names in one step, there is never an output that is not
        #: complete.
        self.place = self._target
        if self._target_exists or isinstance(files, Files):
            self.place += _PARTIAL
            if self._check(self.place, force=True):
                files.delete(self.place)
        files.make(self.place)

    def __enter__(self) -> Folder:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if error is None:
            return
        try:
            # One that is complete is kept: only its name is not its own.
            if self.place != self._target and not self._files.exists(f"{self.place}/{SUCCESS}"):
                self._files.delete(self.place)
        except Exception:  # noqa: BLE001, S110
            # The next run deletes it.
            pass
        if isinstance(error, OSError) and error.errno in _FULL:
            raise OSError(error.errno, os.strerror(error.errno), self._target) from error

    def _check(self, path: str, force: bool) -> bool:
        """Whether there is an output that may be replaced."""
        files = self._files
        if not files.exists(path):
            return False
        if not files.exists(f"{path}/{MARK}"):
            if files.is_empty(path):
                return False
            shown = escaped(path)
            raise FleetError(f"{shown}: this exists, and settle-fleet did not write it; choose another folder", 3)
        if not force:
            state = "exists" if files.exists(f"{path}/{SUCCESS}") else "is of a run that has not ended"
            error = FleetError(f"{self._shown}: the output {state}; give force=True to replace it", 3)
            error.command_text = f"{self._shown}: the output {state}; give --force to replace it"
            raise error
        return True

    @property
    def uri(self) -> str:
        """The folder to write, under its name for Spark."""
        return f"file://{self.place}" if isinstance(self._files, Files) else self.place

    def write(self, name: str, text: str) -> None:
        self._files.write(f"{self.place}/{name}", text)

    def finish(self, times: str) -> None:
        """Gives the complete folder its name, and deletes the one that had it. Raises FleetError: the file system
        refuses it. Both folders are there."""
        files, place, target = self._files, self.place, self._target
        files.delete(f"{place}/{PARTS}")
        self.write(TIMES, times)
        self.write(SUCCESS, "")
        if place == target:
            return
        old: str | None = place
        if not self._target_exists:
            is_done, old = files.rename(place, target), None
        elif not (is_done := files.exchange(place, target)):
            # Only one of two names can change at once: the older one is under the third meanwhile.
            old = target + _OLDER
            if self._check(old, force=True):
                files.delete(old)
            is_done = files.rename(target, old) and files.rename(place, target)
            if not is_done and not files.exists(target):
                files.rename(old, target)
        if not is_done:
            raise FleetError(f"{self._shown}: it cannot be replaced; the new output is complete in {escaped(place)}", 3)
        if old is not None:
            files.delete(old)
        self.place = target
