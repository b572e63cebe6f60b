"""Logs as tables of pyarrow."""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from . import _header
from ._events import (
    COST_NS_MAX, EVENT, Flag, KIND_NAMES, Kind, ORIENTATION_SHIFT, ORIENTATIONS, REPORT, TIME_MAX, is_report,
    sized,
)
from .errors import LogError
from ._log import Log

try:
    import pyarrow as pa
except ImportError:
    raise ImportError(
        "there is no pyarrow, which Arrow tables need; install it with: pip install pyarrow"
    ) from None

from ._dictionaries import decoded, type_of_values  # noqa: E402

_METADATA = b"settle"
#: The units of times and durations, in nanoseconds.
_UNITS = {"s": 1_000_000_000, "ms": 1_000_000, "us": 1_000, "ns": 1}
_TEXT = pa.dictionary(pa.int32(), pa.string())
_SCHEMA = pa.schema(
    [
        pa.field("t_ns", pa.int64(), nullable=False), ("scene", _TEXT), ("width", pa.float64()),
        ("height", pa.float64()), pa.field("kind", _TEXT, nullable=False), ("button", pa.uint32()),
        ("pressed", pa.bool_()), ("resizing", pa.bool_()), ("locked", pa.bool_()), ("orientation", _TEXT),
        ("generation", pa.uint32()), ("cost_ns", pa.int64()), ("kept", pa.bool_()),
    ]
)


def to_table(log: Log) -> pa.Table:
    """See Log.to_arrow."""
    events, flags, kind = log.events, log.events["flags"], log.events["kind"]
    is_pointer, is_geometry, unsized = kind == Kind.POINTER, kind == Kind.GEOMETRY, ~sized(events)
    is_unreported = ~is_report(events)

    def bits(bit: int, is_known: np.ndarray) -> pa.Array:
        return pa.array(flags & bit != 0, pa.bool_(), mask=~is_known)

    def texts(numbers: np.ndarray, words: list[str], is_absent: np.ndarray | None = None) -> pa.Array:
        indices = pa.array(numbers.astype(np.int32), mask=is_absent)
        return pa.DictionaryArray.from_arrays(indices, pa.array(words, pa.string()))

    orientation = (flags & Flag.ORIENTATION_MASK) >> ORIENTATION_SHIFT
    no_orientation = ~is_geometry | (orientation == 0) | (orientation >= len(ORIENTATIONS))
    columns = [
        pa.array(events["t_ns"].astype(np.int64)),
        texts(np.where(is_pointer, 0, events["scene"]), log.names, is_pointer), pa.array(events["width"], mask=unsized),
        pa.array(events["height"], mask=unsized), texts(_places(kind), list(KIND_NAMES.values())),
        pa.array(events["scene"], mask=~is_pointer), bits(Flag.PRESSED, is_pointer),
        bits(Flag.RESIZING, is_geometry & (flags & Flag.RESIZING_KNOWN != 0)),
        bits(Flag.LOCKED, is_geometry & (flags & Flag.LOCKED_KNOWN != 0)),
        texts(np.where(no_orientation, 0, orientation - 1), list(ORIENTATIONS[1:]), no_orientation),
        pa.array(log.generation, mask=is_unreported), pa.array(log.cost_ns.astype(np.int64), mask=is_unreported),
        pa.array(flags & Flag.GIVEN_UP == 0, pa.bool_(), mask=kind != Kind.PREVIEWED),
    ]
    return pa.table(columns, schema=_SCHEMA.with_metadata({_METADATA: json.dumps(log.header)}))


def from_table(data: Any, header: _header.Header | None, time: str, unit: str | None) -> Log:
    """See Log.from_arrow."""
    if unit not in (None, *_UNITS):
        raise ValueError(f"unit must be one of {', '.join(_UNITS)}, and is {unit!r}")
    table = _table(data)
    if header is None:
        metadata = (table.schema.metadata or {}).get(_METADATA)
        header = _metadata(metadata) if metadata else None
    events = np.zeros(table.num_rows, EVENT)
    if time not in table.column_names:
        raise LogError(f'the table has no column "{time}"; time= names the one with the times')
    times, has_time, ns = _times(table, time, unit)
    _demand(has_time, np.ones(len(events), bool), time)
    is_outside = (times < 0) | (times > TIME_MAX // ns)
    if is_outside.any():
        raise LogError(f'column "{time}", row {int(is_outside.argmax())}: it must be 0 … 2**63 - 1 ns')
    events["t_ns"] = times * ns
    places, has_kind = _numbers(table, "kind", tuple(KIND_NAMES.values()))
    events["kind"] = np.where(has_kind, np.array(list(Kind))[places], Kind.GEOMETRY)
    is_pointer, is_geometry = events["kind"] == Kind.POINTER, events["kind"] == Kind.GEOMETRY
    names, scenes, has_scene = _words(table, "scene")
    _demand(has_scene, ~is_pointer, "scene")
    button, has_button = _values(table, "button", np.uint32)
    _demand(has_button, is_pointer, "button")
    events["scene"] = np.where(is_pointer, button, scenes)
    flags = _bits(table, "pressed", is_pointer, 0, Flag.PRESSED, demanded=True)
    flags |= _bits(table, "resizing", is_geometry, Flag.RESIZING_KNOWN, Flag.RESIZING)
    flags |= _bits(table, "locked", is_geometry, Flag.LOCKED_KNOWN, Flag.LOCKED)
    orientation, is_turned = _numbers(table, "orientation", ORIENTATIONS[1:])
    flags |= np.where(is_turned & is_geometry, (orientation + 1) << ORIENTATION_SHIFT, 0).astype(np.uint16)
    (widths, has_width), (heights, has_height) = (_values(table, side, np.float64) for side in ("width", "height"))
    differs = is_geometry & (has_width != has_height)
    if differs.any():
        raise LogError(f'row {int(differs.argmax())} has one of "width" and "height", but not the other')
    has_size = is_geometry & has_width
    if has_size.any():
        events["width"], events["height"] = np.where(has_size, widths, 0), np.where(has_size, heights, 0)
    is_reported = is_report(events)
    costs, has_cost, ns = _times(table, "cost_ns", None)
    generations, has_generation = _values(table, "generation", np.uint32)
    _demand(has_cost, is_reported, "cost_ns")
    _demand(has_generation, is_reported, "generation")
    if (is_reported & (costs < 0)).any():
        raise LogError(f'column "cost_ns", row {int((is_reported & (costs < 0)).argmax())}: it must not be negative')
    # A longer cost is the longest, as a text log's is.
    reports = events.view(REPORT)
    costs_ns = np.minimum(costs[is_reported].astype(np.float64) * ns, COST_NS_MAX)
    reports["cost_ns"][is_reported] = costs_ns.astype(np.uint64)
    reports["generation"][is_reported] = generations[is_reported]
    kept, has_kept = _values(table, "kept", np.bool_)
    flags |= np.where((events["kind"] == Kind.PREVIEWED) & has_kept & ~kept, Flag.GIVEN_UP, 0).astype(np.uint16)
    events["flags"] = flags | np.where(has_size, Flag.SIZE_KNOWN, 0).astype(np.uint16)
    return Log.from_events(events, names, header)


def _places(kind: np.ndarray) -> np.ndarray:
    """The place of each kind in Kind."""
    return np.select([kind == known for known in Kind], range(len(Kind)), len(Kind))


def _metadata(text: bytes) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        raise LogError("the schema's metadata has no header that can be read; give header=") from None


def _table(data: Any) -> pa.Table:
    """A table of what gives Arrow data. Raises TypeError: it gives none; LogError: a column has values of several
    types."""
    if isinstance(data, pa.Table):
        return data
    if not hasattr(data, "__arrow_c_stream__") and not hasattr(data, "__arrow_c_array__"):
        raise TypeError(
            f"a table is one of pyarrow, pandas or Polars, or has __arrow_c_stream__, and is no {type(data).__name__}"
        )
    try:
        return pa.table(data)
    except pa.ArrowException as error:
        raise LogError(f"this cannot be made a table of Arrow: {error}") from None


def _column(table: pa.Table, name: str, kind: pa.DataType, expected: str, *are: Any) -> tuple[Any, np.ndarray]:
    """A column, which has nothing but null if there is none, and where it has a value.

    Args:
        kind: The type to have it as.
        expected: What a message calls the types that it may have, and `are`, which say of a type whether it is one.
    """
    if table.column_names.count(name) > 1:
        raise LogError(f'column "{name}" is there twice')
    found = table.column(name) if name in table.column_names else pa.nulls(table.num_rows)
    own = type_of_values(found.type)
    if not pa.types.is_null(own) and not any(is_one(own) for is_one in are):
        raise LogError(f'column "{name}" is of type {found.type}; it must be {expected}')
    try:
        column = decoded(found, kind)
    except pa.ArrowException as error:
        raise LogError(f'column "{name}" is no {kind}: {error}') from None
    return column, column.is_valid().to_numpy(zero_copy_only=False)


def _values(table: pa.Table, name: str, dtype: type) -> tuple[np.ndarray, np.ndarray]:
    """A column's values, 0 for null, and where it has some. pandas has whole numbers with a null as floating ones."""
    if dtype is np.bool_:
        column, has_value = _column(table, name, pa.bool_(), "truth values", pa.types.is_boolean)
    else:
        kind = pa.from_numpy_dtype(dtype)
        column, has_value = _column(table, name, kind, "numbers", pa.types.is_integer, pa.types.is_floating)
    return column.fill_null(pa.scalar(dtype(0))).to_numpy(zero_copy_only=False), has_value


def _times(table: pa.Table, name: str, unit: str | None) -> tuple[np.ndarray, np.ndarray, int]:
    """A column of timestamps or durations in its own unit, or of whole numbers in that of its name; where it has a
    value; and the nanoseconds of the unit."""
    types = pa.types
    kind = type_of_values(table.schema.field(name).type) if table.column_names.count(name) == 1 else pa.null()
    has_unit = types.is_timestamp(kind) or types.is_duration(kind)
    of_name = name.rpartition("_")[2]
    if has_unit and unit not in (None, kind.unit):
        raise LogError(f'column "{name}" is of type {kind}, which has a unit; leave out unit={unit!r}')
    unit = kind.unit if has_unit else unit or of_name
    if unit not in _UNITS and types.is_integer(kind):
        raise LogError(
            f'column "{name}" has whole numbers of an unknown unit; give unit= ({", ".join(_UNITS)}), or a name that'
            " ends in one, as t_us"
        )
    are = [types.is_timestamp, types.is_duration, types.is_integer]
    if name == "cost_ns":
        are.append(types.is_floating)
    column, has_value = _column(table, name, pa.int64(), "timestamps, durations or whole numbers", *are)
    return column.fill_null(0).to_numpy(zero_copy_only=False), has_value, _UNITS.get(unit, 1)


def _words(table: pa.Table, name: str) -> tuple[list[str], np.ndarray, np.ndarray]:
    """A column's words in order of appearance, their numbers, and where there is one."""
    types = pa.types
    are = [types.is_string, types.is_large_string, types.is_integer, getattr(types, "is_string_view", types.is_string)]
    column, has_value = _column(table, name, pa.string(), "text", *are)
    encoded = column.dictionary_encode()
    return encoded.dictionary.to_pylist(), encoded.indices.fill_null(0).to_numpy(zero_copy_only=False), has_value


def _numbers(table: pa.Table, name: str, words: tuple[str, ...]) -> tuple[np.ndarray, np.ndarray]:
    """The numbers of a column's words, and where it has some."""
    found, indices, has_value = _words(table, name)
    for word in found:
        if word not in words:
            raise LogError(f'column "{name}" has the unknown {name} "{word}"; known are {", ".join(words)}')
    return np.array([words.index(word) for word in found] or [0], np.uint16)[indices], has_value


def _bits(
    table: pa.Table, name: str, is_of_kind: np.ndarray, known: int, value: int, demanded: bool = False
) -> np.ndarray:
    """The flags of a column of truth values."""
    values, has_value = _values(table, name, np.bool_)
    if demanded:
        _demand(has_value, is_of_kind, name)
    is_known = has_value & is_of_kind
    return (np.where(is_known, known, 0) | np.where(is_known & values, value, 0)).astype(np.uint16)


def _demand(has_value: np.ndarray, is_needed: np.ndarray, name: str) -> None:
    missing = is_needed & ~has_value
    if missing.any():
        raise LogError(f'column "{name}" is missing or null in row {int(missing.argmax())}')
