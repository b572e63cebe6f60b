"""Columns that are encoded by dictionaries, as pandas' and Polars' categories are. Needs pyarrow."""

from __future__ import annotations

import pyarrow as pa


def type_of_values(kind: pa.DataType) -> pa.DataType:
    """The type of a column's values."""
    return kind.value_type if pa.types.is_dictionary(kind) else kind


def decoded(column: pa.Array | pa.ChunkedArray, kind: pa.DataType) -> pa.Array:
    """The values of a column as an array of a type, without a dictionary: the values that it lists and no row has are
    gone. Raises pyarrow.ArrowException: they cannot have that type."""
    if isinstance(column, pa.ChunkedArray):
        return pa.concat_arrays([decoded(chunk, kind) for chunk in column.chunks] or [pa.array([], kind)])
    if isinstance(column, pa.DictionaryArray):
        # pyarrow cannot decode all types of values, but cast them.
        return column.dictionary.cast(kind).take(column.indices)
    return column.cast(kind)
