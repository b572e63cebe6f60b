"""The tables of a fleet's output, and what may be wrong with them: each function returns the faults it finds."""

import hashlib
import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

#: What a damaged session's row must say, by how its log was damaged.
PROBLEMS = {
    "cut": ("ends within a chunk",), "flipped": ("chunk is damaged", "ends within a chunk", "index"),
    "newer": ("format version 4 is newer",), "empty": ("the log is empty",), "null": ("the log is null",),
    "foreign": ("this is no binary event log",),
}
TUNE = (
    ("rebuilds", "rebuilds"), ("previews", "previews"), ("wasted", "wasted"), ("p50_ns", "p50Lag_ns"),
    ("p95_ns", "p95Lag_ns"),
)


NAMES = ("sums", "cohorts", "damaged")


class Tables:
    """The tables `sums`, `cohorts` and `damaged`, in the order of their files."""

    def __init__(self, folder: Path) -> None:
        self.columns = json.loads((folder / "_fleet.json").read_text())["columns"]
        for name in NAMES:
            files = sorted((folder / name).glob("part-*.parquet"))
            setattr(self, name, pa.concat_tables([pq.read_table(file) for file in files]).combine_chunks())

    def tables(self) -> list[pa.Table]:
        return [getattr(self, name) for name in NAMES]

    def digest(self) -> str:
        """Of the bytes of all values."""
        hashed = hashlib.sha256()
        for table in self.tables():
            sink = pa.BufferOutputStream()
            table = table.replace_schema_metadata(None)
            with pa.ipc.new_stream(sink, table.schema) as writer:
                writer.write_table(table)
            hashed.update(sink.getvalue())
        return hashed.hexdigest()

    def key(self, row: dict) -> tuple:
        return tuple(row[name] for name in self.columns)


def difference(one: Tables, other: Tables) -> list[str]:
    pairs = zip(one.tables(), other.tables())
    differing = [f"the tables {name} differ" for name, (mine, theirs) in zip(NAMES, pairs) if not mine.equals(theirs)]
    return differing or ([] if one.digest() == other.digest() else ["the bytes of the tables differ"])


def against_tune(tables: Tables, tuned: dict[tuple, dict]) -> list[str]:
    """Compares each cohort's sums with what `settle tune --json` prints of its sound logs."""
    faults = []
    rows: dict[tuple, list[dict]] = {}
    for row in tables.sums.to_pylist():
        rows.setdefault(tables.key(row), []).append(row)
    if set(rows) != set(tuned):
        return [f"the cohorts are {sorted(rows, key=repr)}, and should be {sorted(tuned, key=repr)}"]
    for row in tables.cohorts.to_pylist():
        key = tables.key(row)
        wanted = tuned[key]
        pairs = [
            ("sessions", wanted["logs"]), ("events", wanted["events"]), ("connections", wanted["connections"]),
            ("every_change", wanted["everyChange"]["rebuilds"]),
            ("every_change_wasted", wanted["everyChange"]["wasted"]),
            ("debounce", wanted["fixedDebounce100ms"]["rebuilds"]),
            ("debounce_wasted", wanted["fixedDebounce100ms"]["wasted"]),
        ]
        faults += [
            f"{key}: {name} is {row[name]}, and should be {value}" for name, value in pairs if row[name] != value
        ]
    for key, found in rows.items():
        wanted = tuned[key]["policies"]
        if len(found) != len(wanted):
            faults.append(f"{key}: {len(found)} policies, and should be {len(wanted)}")
        for row, policy in zip(found, wanted):
            names = [*TUNE, *((name.replace(".", "_"), name) for name in policy if name.startswith("rebuilds."))]
            for mine, theirs in names:
                value = -1 if policy[theirs] is None else policy[theirs]
                if row[mine] != value:
                    faults.append(f"{key}, policy {row['policy']}: {mine} is {row[mine]}, and should be {value}")
            if json.loads(row["policy_json"]) != policy["policy"]:
                faults.append(f"{key}: policy {row['policy']} is another one")
            if sum(row["lag_counts"]) != row["rebuilds"]:
                faults.append(f"{key}, policy {row['policy']}: the lags are not those of all rebuilds")
    return faults


def against_damage(tables: Tables, sessions: list) -> list[str]:
    """Compares the damaged sessions with those that were damaged."""
    wanted = {session.session: session for session in sessions if session.damage}
    faults = []
    rows = tables.damaged.to_pylist()
    for row in rows:
        session = wanted.pop(row["session"], None)
        if session is None:
            faults.append(f"{row['session']} is called damaged, or twice")
        elif tables.key(row) != session.cohort:
            faults.append(f"{row['session']} is of another cohort")
        elif not any(part in row["problem"] for part in PROBLEMS[session.damage]):
            faults.append(f"{row['session']}, {session.damage}: is called: {row['problem']}")
    faults += [f"{name} is not called damaged" for name in wanted]
    counted = sum(row["damaged"] for row in tables.cohorts.to_pylist())
    if counted != len(rows):
        faults.append(f"{counted} sessions are counted as damaged, and {len(rows)} are named")
    return faults
