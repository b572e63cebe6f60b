"""What the tests of fleets share: a run without Spark."""

from __future__ import annotations

import json

import pyarrow as pa
import pyarrow.parquet as pq
from settle import Policy, fleet, fleet_sums, fleet_task

POLICIES = [Policy(), Policy.uikit(), Policy.live(), *Policy.grid()[::500]]


def batch(logs, sessions=None, **columns):
    logs = logs if isinstance(logs, pa.Array) else pa.array(logs, pa.binary())
    sessions = sessions or [f"s{number}" for number in range(len(logs))]
    return pa.RecordBatch.from_pydict({"session": sessions, "log": logs, **columns})


def rows(batches, **more):
    return [row for one in fleet.sweep_batches(POLICIES, **more)(batches) for row in one.to_pylist()]


def of(kind, found):
    return [row for row in found if row["kind"] == kind]


def order(cohort):
    """As Spark sorts cohorts."""
    return [(value is not None, value or "") for value in cohort]


def added(batches, policies=POLICIES):
    """The second stage of a task's rows."""
    table = pa.Table.from_batches(list(batches))
    found = sorted(of("policy", table.to_pylist()), key=lambda row: (order(row["cohort"]), row["policy"]))
    table = pa.Table.from_pylist(found, table.schema).select(fleet_sums.PARTIAL)
    texts = [json.dumps(policy.to_json()) for policy in policies]
    return pa.Table.from_batches(fleet_sums._merging(texts)(table.to_batches(max_chunksize=7)))


def output(folder, batches, columns, policies=POLICIES):
    """An output's folder, as a run writes it."""
    table = pa.Table.from_batches(list(batches))
    found, cohorts = table.to_pylist(), {}
    for row in of("cohort", found):
        sums = cohorts.setdefault(tuple(row["cohort"]), dict.fromkeys(fleet_task.COHORT_FIGURES, 0))
        for name in sums:
            sums[name] += row[name]
    in_order = [{"cohort": key, **cohorts[key]} for key in sorted(cohorts, key=order)]
    for name, part in (
        ("sums", added(table.to_batches(), policies)), ("cohorts", pa.Table.from_pylist(in_order, table.schema)),
        ("damaged", pa.Table.from_pylist(of("session", found), table.schema)),
    ):
        for number, column in enumerate(columns):
            values = [key[number] for key in part["cohort"].to_pylist()]
            part = part.append_column(column, pa.array(values, pa.string()))
        (folder / name).mkdir(parents=True)
        pq.write_table(part, folder / name / "part-00000.parquet")
    texts = [policy.to_json() for policy in policies]
    mark = {"version": fleet.VERSION_OF_OUTPUT, "columns": columns, "policies": texts, "today": 0}
    (folder / "_fleet.json").write_text(json.dumps(mark))
    (folder / "_SUCCESS").touch()
    return folder
