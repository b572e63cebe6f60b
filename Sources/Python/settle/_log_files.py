"""The logs in a folder, found and read as `settle tune` does."""

from __future__ import annotations

import os
import re
import shutil
import stat
import subprocess
import tempfile
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from typing import IO

from . import _metadata, _whole
from ._detection import MAGIC
from ._library import ffi, lib
from ._messages import Tally
from ._output import Identity, OutputError
from .errors import Error, LogError

#: How files begin that are compressed by tools which the library does not know.
_COMPRESSED = {"bzip2": re.compile(rb"BZh[1-9]1AY&SY"), "lz4": re.compile(rb"\x04\x22\x4d\x18")}
_START_BYTES = 64
#: Nesting of folders that is followed at most.
DEPTH_MAX = 64


class CommandError(Error):
    """The command settle, which reads the other formats, cannot be run."""

    status = 3


@dataclass(frozen=True, slots=True)
class File:
    """A file in a folder."""

    path: bytes
    #: The path below the folder that was searched, with / between its parts.
    below: str
    #: Its size when it was found.
    size: int


class Finder:
    """Finds the files in a folder and the folders in it, in the order of their names' bytes.

    Memory depends on the largest folder alone. Links are not followed, so that no file is found twice; of several
    hard links in the folder the first is taken.

    Args:
        folder: The folder.
        leaves_out: The files that are no logs, whatever is in them, and why; "" for one that is not counted.
        output: The file that will be replaced, which must be none of the others.
    """

    def __init__(self, folder: str, leaves_out: dict[Identity, str], output: Identity | None) -> None:
        self._root = os.fsencode(folder)
        self._leaves_out = leaves_out
        self._output = output
        self._linked: set[Identity] = set()
        #: By their reasons: files that are left out, and what could not be read.
        self.skipped, self.failures = Tally(), Tally()

    def files(self) -> Iterator[File]:
        """The files, each when it is found. Raises OutputError: one of them is the output."""
        return self._folder(self._root, "", 0)

    def _folder(self, path: bytes, below: str, depth: int) -> Iterator[File]:
        try:
            with os.scandir(path) as entries:
                found = sorted(entries, key=lambda entry: entry.name)
        except OSError as error:
            return self.failures.add(f"cannot read the folder: {error.strerror}", os.fsdecode(path))
        for entry in found:
            name = below + entry.name.decode("utf-8", "replace")
            try:
                status = entry.stat(follow_symlinks=False)
            except OSError as error:
                self.failures.add(f"cannot open: {error.strerror}", name)
                continue
            reason = self._reason_to_skip(entry, status, depth)
            if reason is not None:
                if reason:
                    self.skipped.add(reason, name)
            elif stat.S_ISDIR(status.st_mode):
                yield from self._folder(entry.path, name + "/", depth + 1)
            else:
                yield File(entry.path, name, status.st_size)

    def _reason_to_skip(self, entry: os.DirEntry[bytes], status: os.stat_result, depth: int) -> str | None:
        own = (status.st_dev, status.st_ino)
        if own in self._leaves_out:
            return self._leaves_out[own]
        if entry.name.startswith(b"."):
            return "its name begins with a dot"
        try:
            entry.name.decode()
        except UnicodeDecodeError:
            return "its name is not valid UTF-8"
        if stat.S_ISLNK(status.st_mode):
            return "it is a link; pack what it leads to"
        if stat.S_ISDIR(status.st_mode):
            return f"nested more than {DEPTH_MAX} folders deep" if depth == DEPTH_MAX else None
        if not stat.S_ISREG(status.st_mode):
            return "it is no regular file"
        if status.st_size == 0:
            return "it is empty"
        if own == self._output:
            raise OutputError(f"{os.fsdecode(entry.path)}: is the output, which would destroy it; name another output")
        if status.st_nlink > 1:
            if own in self._linked:
                return "found under another name, and packed once"
            self._linked.add(own)
        return None


class Kind(Enum):
    """What a file was."""

    #: A log in the binary encoding, every checksum right, or one of another format without a fault.
    WHOLE = 1
    #: A binary log with damage, unchanged.
    DAMAGED = 2
    #: The events before the fault of a log of another format.
    BEFORE_FAULT = 3
    NO_LOG = 4
    #: It is too large.
    TOO_LARGE = 5
    #: It cannot be read.
    FAILED = 6


@dataclass(frozen=True, slots=True)
class Reading:
    """What was read of a file."""

    kind: Kind
    #: The log in the binary encoding.
    log: bytes = b""
    #: What is wrong with the file, without its name.
    problem: str = ""


class Ended(BaseException):
    """Packing was ended early."""


class Ending:
    """Ends packing early, from a signal's handler or another thread: the commands that run are ended, no other is
    started, and packing raises Ended soon. Raising an exception in the handler itself might leave a lock locked."""

    def __init__(self) -> None:
        self._running: set[subprocess.Popen[bytes]] = set()
        # The thread that handles signals only takes it in `ask`.
        self._mutex = threading.Lock()
        self._is_asked = False

    def ask(self) -> None:
        """Asks for the end."""
        with self._mutex:
            self._is_asked = True
            for process in self._running:
                process.kill()

    def check(self) -> None:
        """Raises Ended after `ask`."""
        if self._is_asked:
            raise Ended

    def start(
        self, arguments: list[bytes], messages: IO[bytes] | None, stdin: int = subprocess.DEVNULL
    ) -> subprocess.Popen[bytes]:
        """Starts a command whose output is a pipe. To be called in another thread than the one that handles signals,
        with `over` after it. Raises Ended: the end was asked for; OSError: it cannot be started."""
        with self._mutex:
            self.check()
            process = subprocess.Popen(arguments, stdin=stdin, stdout=subprocess.PIPE, stderr=messages)
            self._running.add(process)
            return process

    def over(self, process: subprocess.Popen[bytes]) -> int:
        """Waits for a command whose output was read; returns its status."""
        with self._mutex:
            self._running.discard(process)
        return process.wait()


def _packed(start: bytes) -> str:
    """Why a file that begins so cannot be read although a log may be in it: it is compressed, or text in another
    encoding; "" for any other file."""
    foreign = lib.settle_log_find_foreign(start, len(start), True)
    if foreign >= lib.SETTLE_FOREIGN_ARCHIVE:
        return str(ffi.string(lib.settle_log_foreign_problem(foreign)).decode())
    tool = next((tool for tool, known in _COMPRESSED.items() if known.match(start)), None)
    return f"this is compressed by {tool}; decompress it first, with '{tool} -dc'" if tool else ""


class LogFiles:
    """Reads files as binary logs of at most so many bytes: those of other formats by the command `settle`, which
    `ending` ends early. From any thread."""

    def __init__(self, largest: int, ending: Ending) -> None:
        self._largest = largest
        self._ending = ending
        self._command = os.environ.get("SETTLE_COMMAND") or shutil.which("settle")

    def read(self, file: File) -> Reading:
        """Reads a file. Raises CommandError: it is no binary log, and there is no command that could read it; Ended:
        the end was asked for."""
        self._ending.check()
        try:
            with open(file.path, "rb", buffering=0) as source:
                start = source.read(_START_BYTES)
                if not start.startswith(MAGIC):
                    packed = _packed(start)
                    return Reading(Kind.FAILED, problem=packed) if packed else self._convert(file)
                if os.fstat(source.fileno()).st_size > self._largest:
                    return self._too_large()
                source.seek(0)
                return self._binary(source.readall())
        except OSError as error:
            return Reading(Kind.FAILED, problem=f"cannot read: {error.strerror}")

    def _too_large(self) -> Reading:
        return Reading(
            Kind.TOO_LARGE,
            problem=f"as a binary log it is larger than {self._largest >> 20} MiB, the most of one session; split it",
        )

    def _binary(self, log: bytes) -> Reading:
        whole = ffi.new("settle_log_whole *")
        try:
            _metadata.measure(_whole.buffer(log), False, whole, None)
        except LogError as error:
            return Reading(Kind.DAMAGED, log, error.problem)
        return Reading(Kind.WHOLE, log)

    def _convert(self, file: File) -> Reading:
        if not self._command:
            raise CommandError(
                f"{file.below}: it is no binary log, and logs of other formats are converted by the command settle,"
                " which is not on PATH; install it, or name it in the environment variable SETTLE_COMMAND"
            )
        arguments = [os.fsencode(self._command), b"convert", b"--partial", b"--to", b"settle", b"--", file.path, b"-"]
        with tempfile.TemporaryFile() as messages:
            process = self._start(arguments, messages)
            pipe = process.stdout
            assert pipe, "the process was started with a pipe"
            try:
                log = self._output(pipe)
                if len(log) > self._largest:
                    process.kill()
            finally:
                pipe.close()
                status = self._ending.over(process)
            if len(log) > self._largest:
                return self._too_large()
            if status == 0 and log.startswith(MAGIC):
                return Reading(Kind.WHOLE, log)
            messages.seek(0)
            problem = self._problem(messages.read(1 << 16), file)
            if status != 1 or not problem:
                said = problem or f"{self._command} convert ended with status {status}, and wrote no log"
                return Reading(Kind.FAILED, problem=said)
            # The header is written once the beginning is that of a log.
            return Reading(Kind.BEFORE_FAULT, log, problem) if log else Reading(Kind.NO_LOG, problem=problem)

    def _start(self, arguments: list[bytes], messages: IO[bytes]) -> subprocess.Popen[bytes]:
        try:
            return self._ending.start(arguments, messages)
        except OSError as error:
            raise CommandError(
                f"{self._command}: {error.strerror}; SETTLE_COMMAND or PATH must name the command settle"
            ) from None

    def _output(self, pipe: IO[bytes]) -> bytes:
        """All that comes from a pipe, or a little more than the largest log."""
        parts, size = [pipe.read(1 << 20)], 0
        while len(parts[-1]) == 1 << 20 and size <= self._largest:
            size += len(parts[-1])
            parts.append(pipe.read(1 << 20))
        return parts[0] if len(parts) == 1 else b"".join(parts)

    @staticmethod
    def _problem(messages: bytes, file: File) -> str:
        """The last message, without the program's and the file's name and what the command did about it."""
        lines = messages.decode("utf-8", "replace").splitlines()
        line = next((line for line in reversed(lines) if line and not line.startswith("settle: note: ")), "")
        name = file.below.rpartition("/")[2]
        _, found, problem = line.partition(f"{name}: ")
        return (problem if found else line.removeprefix("settle: ")).partition(";")[0]
