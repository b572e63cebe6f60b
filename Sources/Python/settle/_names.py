"""The table in which the library looks up the names of a text log's scenes."""

from __future__ import annotations

import numpy as np

from ._library import ffi, lib, new_seed

_PLACE = np.dtype([("first", np.uint64), ("start", np.uintp), ("count", np.uintp)])


class NameTable:
    """Names by their numbers, from 0 in order of appearance, as settle_log_names has them."""

    def __init__(self) -> None:
        self.names: list[str] = []
        self.table = ffi.new("settle_log_names *")
        self.table.seed = new_seed()
        self._numbers: dict[str, int] = {}
        self._used = 0
        self._bytes = np.empty(1024, np.uint8)
        self._places = np.zeros(32, _PLACE)
        self._slots = np.zeros(64, np.uint32)
        self._point()

    def number(self, name: str, utf8: bytes) -> int:
        """The number of a name; a new name gets the next."""
        known = self._numbers.get(name)
        if known is not None:
            return known
        number = len(self.names)
        self._make_room(len(utf8))
        self._bytes[self._used : self._used + len(utf8)] = np.frombuffer(utf8, np.uint8)
        self._places[number] = (lib.settle_log_name_first(utf8, len(utf8)), self._used, len(utf8))
        self._used += len(utf8)
        self.names.append(name)
        self._numbers[name] = number
        if 2 * len(self.names) > len(self._slots):
            self._slots = np.zeros(2 * len(self._slots), np.uint32)
            for index in range(len(self.names)):
                self._insert(index)
            self._point()
        else:
            self._insert(number)
        return number

    def _make_room(self, count: int) -> None:
        if self._used + count > len(self._bytes):
            self._bytes = np.resize(self._bytes, 2 * (self._used + count))
        if len(self.names) == len(self._places):
            self._places = np.resize(self._places, 2 * len(self._places))
        self._point()

    def _point(self) -> None:
        """Names the arrays in the table: growing moves them."""
        self.table.bytes = ffi.cast("unsigned char *", self._bytes.ctypes.data)
        self.table.names = ffi.cast("settle_log_name *", self._places.ctypes.data)
        self.table.slots = ffi.cast("uint32_t *", self._slots.ctypes.data)
        self.table.slots_mask = len(self._slots) - 1

    def _insert(self, number: int) -> None:
        utf8 = self.names[number].encode()
        mask = len(self._slots) - 1
        slot = lib.settle_log_name_hash(self.table, utf8, len(utf8)) & mask
        while self._slots[slot]:
            slot = (slot + 1) & mask
        self._slots[slot] = number + 1
