"""Outputs of a fleet's runs that are added up."""

from __future__ import annotations

import heapq
import json
import os
from collections.abc import Iterator, Sequence
from pathlib import Path

import pyarrow as pa

from .._messages import escaped
from ._folder import TIMES, Files, Folder
from ._input import FleetError
from ._local import write_tables
from ._output import Fleet, mark_of
from ._sums import Part, parts_of_rows
from ._task import order


def merge(folders: Sequence[str | Path], output: str | Path, *, force: bool = False) -> Fleet:
    """Adds up outputs of the same policies and cohort columns, as if one run had decided all their sessions.

    Args:
        folders: The outputs, at least one.
        output: The folder to write. With `force` it may be one of `folders`: a sum that is brought up to date.
        force: Replaces an output, as `run` does.

    Returns:
        The new output.

    Raises:
        FleetError: A folder is no complete output, two of them do not fit together or have sessions of the same run,
            or the output must not be replaced. There is no new output.
        OverflowError: A sum exceeds 2**63 - 1.
        OSError: The output cannot be written.
    """
    fleets = [Fleet(folder) for folder in folders]
    if not fleets:
        raise FleetError("there is nothing to add up: give the folders that settle-fleet wrote")
    first = fleets[0]
    runs: dict[str, Fleet] = {}
    for one in fleets:
        for what, is_same in (
            ("policies", (one.policies, one.today) == (first.policies, first.today)),
            ("cohort columns", one.columns == first.columns),
            ("ways with damaged logs (--salvage)", one.salvaged == first.salvaged),
        ):
            if not is_same:
                raise FleetError(f"{_shown(one)}: its {what} differ from those of {_shown(first)}; they do not add up")
        for run in one.runs:
            if run in runs:
                raise FleetError(
                    f"{_shown(one)}: it has sessions that {_shown(runs[run])} has as well, of the same run; add it once"
                )
            runs[run] = one
    with Folder(os.path.abspath(output), Files(), force=force) as folder:
        folder.write(*mark_of(first.policies, first.columns, first.today, first.salvaged, [*runs]))
        parts = heapq.merge(*map(_parts, fleets), key=lambda part: (order(part.key), part.first))
        damaged = pa.concat_tables([one.damaged_table() for one in fleets])
        write_tables(folder.place, parts, damaged, first.policies, first.columns)
        folder.finish(json.dumps(_added_times(fleets)))
    return Fleet(output)


def _shown(fleet: Fleet) -> str:
    return escaped(str(fleet.folder))


def _parts(fleet: Fleet) -> Iterator[Part]:
    for key, figures, rows in fleet.sums():
        yield from parts_of_rows(key, figures, rows)


def _added_times(fleets: Sequence[Fleet]) -> dict[str, int]:
    times = [json.loads((fleet.folder / TIMES).read_text()) for fleet in fleets]
    return {name: sum(one[name] for one in times) for name in ("tasks", "sessions", "busy_ns")}
