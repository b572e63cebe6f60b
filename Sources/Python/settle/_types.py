"""The types of the public functions."""

from __future__ import annotations

import mmap
import os
from typing import Any, BinaryIO, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

#: What a log is read from: a path, a buffer, or a file that is open in binary mode.
Source: TypeAlias = "str | os.PathLike[str] | bytes | bytearray | memoryview | mmap.mmap | BinaryIO"
#: A whole log in memory.
Buffer: TypeAlias = "bytes | bytearray | memoryview | mmap.mmap | NDArray[np.uint8]"
#: Events or decisions, of the dtypes EVENT and DECISION.
Rows: TypeAlias = "NDArray[np.void]"
#: Counts, a row for each policy; or one policy's.
Counts: TypeAlias = "NDArray[np.int64]"
#: One policy's counts, and those of several. An array of which the type leaves the dimensions open passes for several.
Row: TypeAlias = "np.ndarray[tuple[int], np.dtype[np.int64]]"
Table: TypeAlias = "np.ndarray[tuple[int, int], np.dtype[np.int64]]"


class ArrowStream(Protocol):
    """A table that gives its columns as a stream of Arrow: of pyarrow, pandas, Polars and others."""

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any: ...


class ArrowArray(Protocol):
    """One that gives them as an array of structs."""

    def __arrow_c_array__(self, requested_schema: Any = None) -> Any: ...


#: What a log of a table is made of.
ArrowData: TypeAlias = "ArrowStream | ArrowArray"
