"""A fleet's output for others: small cohorts are one, and no session is named."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pyarrow as pa

from .._messages import escaped
from ._folder import Files, Folder
from ._input import FleetError
from ._local import write_tables
from ._merge import _added_times, _parts
from ._output import Fleet, mark_of
from ._sums import COHORTS, Part
from ._task import Key, order

#: The value of each column of the cohort that small ones are summed up as.
OTHER = "other"
_SESSIONS, _DAMAGED = COHORTS.index("sessions"), COHORTS.index("damaged")


def publish(folder: str | Path, output: str | Path, *, minimum: int = 1, force: bool = False) -> Fleet:
    """Writes an output without small cohorts, and without the names of damaged sessions. Add up before: sums of
    published outputs have "other" for cohorts that would be large enough by then.

    Args:
        folder: The output of a run, or of outputs that were added up.
        output: The folder to write, another one.
        minimum: The least sessions of a cohort, damaged ones not counted. Smaller ones are summed as one whose
            values are `other`; if that has fewer sessions as well, the next larger cohorts are part of it.
        force: Replaces an output, as `run` does.

    Returns:
        The new output.

    Raises:
        FleetError: The folder is no complete output, it has fewer sessions than `minimum`, or the new one must not be
            replaced. There is no new output.
        OSError: The output cannot be written.
        ValueError: `minimum` is below 1.
    """
    if minimum < 1:
        raise ValueError(f"minimum is {minimum}; a cohort has at least one session")
    fleet = Fleet(folder)
    other = (OTHER,) * len(fleet.columns)
    sizes, damaged = {}, 0
    for key, figures, _ in fleet.sums():
        sizes[key] = int(figures[_SESSIONS])
        damaged += int(figures[_DAMAGED])
    small = _small(sizes, minimum, other)
    if sum(sizes.values()) < minimum:
        raise FleetError(
            f"{escaped(str(output))}: not written: there are {sum(sizes.values())} sessions, and cohorts must have at"
            f" least {minimum}" + f"; {damaged:,} more {'is' if damaged == 1 else 'are'} damaged" * (damaged > 0)
        )
    with Folder(os.path.abspath(output), Files(), force=force) as target:
        target.write(*mark_of(fleet.policies, fleet.columns, fleet.today, fleet.salvaged, fleet.runs))
        write_tables(
            target.place, _renamed(fleet, small, other), _damaged(fleet, small, other), fleet.policies, fleet.columns
        )
        target.finish(json.dumps(_added_times([fleet])))
    return Fleet(output)


def _small(sizes: dict[Key, int], minimum: int, other: Key) -> set[Key]:
    """The cohorts that are not published by themselves."""
    small = {key for key, size in sizes.items() if size < minimum}
    # One that is called so is indistinguishable.
    if small and other in sizes:
        small.add(other)
    for key in sorted(sizes, key=lambda key: (sizes[key], order(key))):
        if not small or sum(sizes[one] for one in small) >= minimum:
            break
        small.add(key)
    return small


def _renamed(fleet: Fleet, small: set[Key], other: Key) -> Iterator[Part]:
    """The partial sums under the names that are published, sorted by those."""
    place = order(other)
    held = [replace(part, key=other) for part in _parts(fleet) if part.key in small]
    held.sort(key=lambda part: part.first)
    for part in _parts(fleet):
        if part.key in small:
            continue
        if held and order(part.key) > place:
            yield from held
            held = []
        yield part
    yield from held


def _damaged(fleet: Fleet, small: set[Key], other: Key) -> pa.Table:
    """The damaged sessions without their names."""
    table = fleet.damaged_table()
    keys = list(zip(*(table[name].to_pylist() for name in fleet.columns))) if fleet.columns else []
    for number, name in enumerate(fleet.columns):
        values = [other[number] if key in small else key[number] for key in keys]
        table = table.set_column(table.schema.get_field_index(name), name, pa.array(values, pa.string()))
    nobody = pa.nulls(table.num_rows, pa.string())
    return table.set_column(table.schema.get_field_index("session"), "session", nobody)
