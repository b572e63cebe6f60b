"""Inputs that a fleet's run must refuse in words, or count."""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import tables as compared
from settle import Policy, fleet

POLICIES = [Policy(), Policy.uikit(), Policy(quiet_delay_ns=0), Policy(discrete_delay_ns=0)]


def hostile(spark, work: Path, sessions: list):
    """Yields what is checked, and the faults found."""
    some = sessions[:40] + [
        next(session for session in sessions if session.damage == how)
        for how in compared.PROBLEMS
        if any(session.damage == how for session in sessions)
    ]
    names = [session.session for session in some]
    logs = pa.array([session.log for session in some], pa.binary())
    platform = pa.array([session.platform for session in some])
    plain = pa.table({"session": names, "platform": platform, "log": logs})

    def run(source, cohort=("platform",), name="source.parquet", **more):
        place = work / "hostile" / name
        place.parent.mkdir(exist_ok=True)
        if isinstance(source, pa.Table):
            pq.write_table(source, place)
        out = work / "hostile" / "out"
        fleet.run(spark, f"file://{place}", f"file://{out}", POLICIES, cohort=cohort, force=True, **more)
        return compared.Tables(out)

    def refused(source, *parts, **more):
        try:
            run(source, **more)
        except fleet.FleetError as error:
            return [] if all(part in str(error) for part in parts) else [str(error)]
        return ["it is not refused"]

    def values(table, column):
        return [row[column] for row in table.to_pylist()]

    wanted = run(plain)

    def same(tables):
        return compared.difference(tables, wanted)

    yield (
        "a log column of text is refused with its name and type",
        refused(plain.set_column(2, "log", pa.array(names)), "'log' (--log) is of type string", "binary"),
    )
    yield (
        "a log column of lists is refused",
        refused(
            plain.set_column(2, "log", pa.array([[1, 2]] * len(some), pa.list_(pa.int8()))), "'log'", "array<tinyint>"
        ),
    )
    yield (
        "a cohort column of numbers with a point is refused",
        refused(
            plain.append_column("scale", pa.array([1.5] * len(some))),
            "'scale' (--cohort) is of type double",
            cohort=["scale"],
        ),
    )
    yield (
        "a missing column is refused, with what may be meant",
        refused(plain, "'platfrom'", "did you mean 'platform'", cohort=["platfrom"]),
    )
    yield (
        "a cohort column named as one of the output's is refused",
        refused(plain.append_column("Policy", platform), "'Policy'", "rename it", cohort=["Policy"]),
    )
    yield "a folder that no run wrote is not replaced", _not_replaced(spark, work, plain)
    yield "a run that fails leaves the last good output", _kept(run, work, plain, wanted)

    yield (
        "dictionaries count the same",
        same(
            run(
                plain.set_column(1, "platform", platform.dictionary_encode()).set_column(
                    2, "log", logs.dictionary_encode()
                )
            )
        ),
    )
    yield (
        "large values count the same",
        same(
            run(
                plain.set_column(0, "session", pa.array(names, pa.large_string())).set_column(
                    2, "log", logs.cast(pa.large_binary())
                )
            )
        ),
    )
    yield "more partitions than rows count the same", same(run(plain, partitions=64))
    yield "a task with memory for one cohort counts the same", same(run(plain, memory_max=1))
    yield "a name with brackets, spaces and dots counts the same", same(run(plain, name="a [b] {c}*.d?.parquet"))
    odd = plain.rename_columns(["Session ID", "a.b`c", "log"])
    tables = run(odd, cohort=["a.b`c"], session="Session ID")
    yield (
        "columns with points, quotes and spaces count the same",
        (
            []
            if values(tables.sums, "rebuilds") == values(wanted.sums, "rebuilds")
            and "a.b`c" in tables.sums.column_names
            else ["other sums"]
        ),
    )
    both = plain.append_column("Platform", pa.array(["x"] * len(some)))
    yield "columns that differ by case are told apart", same(run(both))

    tables = run(plain.slice(0, 0))
    yield (
        "no rows are no sums",
        [] if len(tables.sums) == len(tables.cohorts) == len(tables.damaged) == 0 else ["there are some"],
    )
    tables = run(pa.concat_tables([plain, plain]))
    yield (
        "a session that is there twice counts twice",
        (
            []
            if values(tables.sums, "rebuilds") == [2 * count for count in values(wanted.sums, "rebuilds")]
            else ["it does not"]
        ),
    )

    long = "x" * (1 << 20)
    tables = run(plain.set_column(1, "platform", pa.array([long] + [None] * (len(some) - 1))))
    row = next((row for row in tables.damaged.to_pylist() if row["session"] == names[0]), None)
    yield (
        "a cohort of 1 MB is a damaged session",
        (
            []
            if row
            and "'platform' has more than 1024 bytes" in row["problem"]
            and values(tables.cohorts, "platform") == [None]
            else [str(row)]
        ),
    )
    tables = run(plain.set_column(0, "session", pa.array([None, *names[1:]])))
    yield (
        "a session without a name is a damaged one",
        ([] if [row["problem"] for row in tables.damaged.to_pylist()][0] == "the session is null" else ["it is not"]),
    )

    # Values of folders stay text: 1.10 is not 1.1.
    folder = work / "hostile" / "parted"
    for number, version in enumerate(("1.1", "1.10", "2")):
        place = folder / f"version={version}"
        place.mkdir(parents=True, exist_ok=True)
        pq.write_table(plain.slice(number * 10, 10), place / "a.parquet")
    tables = run(folder, cohort=["version"], name="parted")
    yield (
        "cohorts by the names of folders are text",
        ([] if values(tables.cohorts, "version") == ["1.1", "1.10", "2"] else [str(values(tables.cohorts, "version"))]),
    )
    whole = run(plain.append_column("number", pa.array(np.arange(len(some)) % 3)), cohort=["number"])
    yield (
        "cohorts by whole numbers are text",
        ([] if values(whole.cohorts, "number") == ["0", "1", "2"] else [str(values(whole.cohorts, "number"))]),
    )


def _not_replaced(spark, work: Path, plain: pa.Table) -> list[str]:
    place = work / "hostile" / "other"
    place.mkdir(parents=True, exist_ok=True)
    (place / "precious").write_text("precious")
    source = work / "hostile" / "plain.parquet"
    pq.write_table(plain, source)
    try:
        fleet.run(spark, f"file://{source}", f"file://{place}", POLICIES, force=True)
    except fleet.FleetError as error:
        return [] if (place / "precious").exists() and "did not write it" in str(error) else [str(error)]
    return ["it is replaced"]


def _kept(run, work: Path, plain: pa.Table, wanted: compared.Tables) -> list[str]:
    """Fails when all tasks have ended and their sums are to be written."""
    write = fleet.write

    def failing(*_):
        raise RuntimeError("planted")

    fleet.write = failing
    try:
        run(plain)
        return ["the run does not fail"]
    except RuntimeError:
        pass
    finally:
        fleet.write = write
    faults = compared.difference(compared.Tables(work / "hostile/out"), wanted)
    again = compared.difference(run(plain), wanted)
    left = [path.name for path in (work / "hostile").glob("out?*")]
    return faults + again + [f"it leaves {name}" for name in left]
