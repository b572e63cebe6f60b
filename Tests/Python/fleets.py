"""What the tests of fleets share: workers' rows, and outputs that are made of them."""

from __future__ import annotations

import pyarrow as pa
from settle import Policy, fleet
from settle.fleet import _sums as fleet_sums
from settle.fleet import _task as fleet_task

POLICIES = [Policy(), Policy.uikit(), Policy.live(), *Policy.grid()[::500]]


def batch(logs, sessions=None, **columns):
    logs = logs if isinstance(logs, pa.Array) else pa.array(logs, pa.binary())
    sessions = sessions or [f"s{number}" for number in range(len(logs))]
    return pa.RecordBatch.from_pydict({"session": sessions, "log": logs, **columns})


def rows(batches, **more):
    sweep = fleet.sweep_batches(POLICIES, damaged_names=True, **more)
    return [row for one in sweep(batches) for row in one.to_pylist()]


def of(kind, found):
    return [row for row in found if row["kind"] == kind]


def added(batches, policies=POLICIES):
    """The table `sums` of workers' rows, with the cohort in one column."""
    parts = [part for one in batches for part in fleet_sums.parts_of(one)]
    parts.sort(key=lambda part: (fleet_task.order(part.key), part.first))
    texts = fleet_sums.texts_of(policies)
    found = []
    for sum_ in fleet_sums.added(parts, len(policies)):
        part = pa.table(fleet_sums.sums_rows(sum_, texts), list(fleet_sums.SUMS))
        found.append(part.append_column("cohort", pa.array([list(sum_.key)] * len(part), pa.list_(pa.string()))))
    return pa.concat_tables(found).combine_chunks()


def output(folder, batches, columns, policies=POLICIES):
    """An output's folder, as a run writes it."""
    fleet.save(batches, folder, policies, cohort=columns)
    return folder
