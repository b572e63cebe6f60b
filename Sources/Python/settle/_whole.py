"""Binary logs in memory, by the library's reader."""

from __future__ import annotations

from typing import Any

import numpy as np

from ._library import ffi, lib, new_seed
from .errors import LogError

HEADER_DAMAGED, EVENTS_MALFORMED = lib.SETTLE_LOG_HEADER_DAMAGED, lib.SETTLE_LOG_EVENTS_MALFORMED
#: What the bits of enum settle_log_damage mean for a reader. What follows the index may be damaged as well; the first
#: counts.
DAMAGE = (
    (HEADER_DAMAGED, "the file header's checksum differs"), (lib.SETTLE_LOG_FOLLOWED, "something follows the index"),
    (lib.SETTLE_LOG_CHUNK_TORN, "the log ends within a chunk, whose events are lost"),
    (lib.SETTLE_LOG_CHUNK_DAMAGED, "a chunk is damaged, and its events are lost"),
    (EVENTS_MALFORMED, "a chunk's content is malformed"),
    (lib.SETTLE_LOG_INDEX_DIFFERS, "the index contradicts the chunks before it"),
    (lib.SETTLE_LOG_INDEX_DAMAGED, "the index is damaged"),
)


def problem_of(damage: int) -> str | None:
    """What is wrong with a log, None for nothing."""
    return next((text for bit, text in DAMAGE if damage & bit), None)


class Memory:
    """Memory that grows when it must and is used again and again. Aligned to 64 bytes."""

    def __init__(self) -> None:
        self._size = 0
        self._start = 0
        self._block = np.empty(0, np.uint8)
        self.address = ffi.NULL

    def reserve(self, size: int) -> Any:
        """The memory, of at least so many bytes. What it had may be gone. Raises MemoryError: there is not so much."""
        if size > self._size:
            size += size // 4
            self._block = np.empty(0, np.uint8)
            self._block = np.empty(size + 64, np.uint8)
            self._start = -self._block.ctypes.data % 64
            self.address = ffi.cast("void *", self._block.ctypes.data + self._start)
            self._size = size
        return self.address

    def array(self, pointer: Any, dtype: np.dtype, count: int) -> np.ndarray:
        """So many elements at a pointer into the memory, which lives as long as the array."""
        start = int(ffi.cast("uintptr_t", pointer)) - self._block.ctypes.data
        return self._block[start : start + count * dtype.itemsize].view(dtype)


def buffer(log: Any) -> Any:
    """The bytes of a log in memory, for the library; not copied. Raises TypeError: it is no contiguous buffer."""
    try:
        return ffi.from_buffer("unsigned char[]", log)
    except (TypeError, ValueError, BufferError):
        raise TypeError(f"a log is a contiguous buffer of bytes, and no {type(log).__name__} as this is") from None


def measure(buffer: Any, salvage: bool, whole: Any, name: str | None = None) -> None:
    """Finds the chunks of the log in a cffi buffer, which must outlive what is read from it. Raises LogError: the log
    cannot be read at all."""
    result = lib.settle_log_measure(buffer, len(buffer), salvage, whole)
    if result == lib.SETTLE_LOG_NOT_A_LOG:
        raise LogError("this is no binary event log: the magic number is another one", name=name, offset=0)
    if result == lib.SETTLE_LOG_NEWER:
        major = int.from_bytes(bytes(buffer[8:10]), "little")
        raise LogError(
            f"format version {major} is newer than the {lib.SETTLE_LOG_MAJOR} that this package reads; use a newer"
            " settle",
            name=name, offset=8,
        )
    if result != 0:
        raise LogError("the file header is torn or damaged", name=name, offset=0)


def read(whole: Any, memory: Memory, contents: Any, name: str | None = None) -> None:
    """Decodes what was measured. Raises LogError: it does not fit in memory."""
    size = lib.settle_log_whole_size(whole)
    if size == 0:
        raise LogError("it has more scenes than can be numbered; split the log", name=name)
    lib.settle_log_read_whole(whole, new_seed(), memory.reserve(size), size, contents)


def check(read: Any, salvage: bool, name: str | None) -> None:
    """Raises a LogError for a damaged log that is not to be salvaged."""
    problem = problem_of(read.damage)
    if problem and not salvage:
        raise LogError(problem, name=name, offset=read.damaged_at)


def names(contents: Any) -> list[str]:
    """The names of the scenes of a log that was read: valid UTF-8, or the library would have called it damaged."""
    base, places = contents.names.bytes, contents.names.names[0 : contents.names_count]
    return [ffi.buffer(base + getattr(place, "from"), place.count)[:].decode() for place in places]
