"""Inputs that a fleet's run must refuse in words, or count. What tasks do about damaged sessions, long values and
kinds of columns is in Tests/Python/test_fleet.py; here is what Spark makes of them."""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import tables as compared
from results import report
from settle import Policy, fleet
from settle.fleet import _spark as fleet_spark

POLICIES = [Policy(), Policy.uikit(), Policy(quiet_delay_ns=0), Policy(discrete_delay_ns=0)]


def test_hostile(spark, given, work):
    work = work / "hostile"
    some = given.sessions[:40] + [next(one for one in given.sessions if one.damage == how) for how in compared.PROBLEMS]
    names, platform = [one.session for one in some], pa.array([one.platform for one in some])
    plain = pa.table({"session": names, "platform": platform, "log": pa.array([one.log for one in some], pa.binary())})

    def run(source, cohort=("platform",), name="source.parquet", out="out", **more):
        work.mkdir(exist_ok=True)
        if isinstance(source, pa.Table):
            pq.write_table(source, work / name)
        fleet.run(spark, f"file://{work / name}", f"file://{work / out}", POLICIES, cohort=cohort, force=True, **more)
        return compared.Tables(work / out)

    def refused(source, *parts, **more):
        try:
            run(source, **more)
        except fleet.FleetError as error:
            return [] if all(part in str(error) for part in parts) else [str(error)]
        return ["it is not refused"]

    def values(table, column):
        return [row[column] for row in table.to_pylist()]

    wanted = run(plain)
    rebuilds = values(wanted.sums, "rebuilds")
    lists, points = pa.array([[1, 2]] * len(some), pa.list_(pa.int8())), pa.array([1.5] * len(some))
    for what, source, parts, more in (
        ("a log column of text", plain.set_column(2, "log", pa.array(names)),
         ("'log' (--log) is of type string", "binary"), {}),
        ("a log column of lists", plain.set_column(2, "log", lists), ("'log'", "array<tinyint>"), {}),
        ("a cohort column of numbers with a point", plain.append_column("scale", points),
         ("'scale' (--cohort) is of type double",), {"cohort": ["scale"]}),
        ("a missing column", plain, ("'platfrom'", "did you mean 'platform'"), {"cohort": ["platfrom"]}),
        ("a cohort column named as one of the output's", plain.append_column("Policy", platform),
         ("'Policy'", "rename it"), {"cohort": ["Policy"]}),
    ):
        report(f"{what} is refused, with what to do", refused(source, *parts, **more))
    (work / "other").mkdir()
    (work / "other/precious").write_text("precious")
    faults = refused(plain, "did not write it", out="other")
    report("a folder that no run wrote is not replaced", faults or (work / "other/precious").exists())
    report("a run that fails leaves the last good output", _kept(run, work, plain, wanted))
    (work / "parts").mkdir()
    for name in ("a b", "c"):
        pq.write_table(plain, work / f"parts/{name}.parquet", write_page_checksum=True)
    content = bytearray((work / "parts/a b.parquet").read_bytes())
    content[len(content) // 2 : len(content) // 2 + 100] = bytes(100)
    (work / "parts/a b.parquet").write_bytes(content)
    report("a damaged page names its file", refused(None, "parts/a b.parquet: this cannot be read: ", name="parts"))

    both = plain.append_column("Platform", pa.array(["x"] * len(some)))
    for what, source, more in (
        ("more partitions than rows", plain, {"partitions": 64}),
        ("a name with brackets, spaces and dots", plain, {"name": "a [b] {c}*.d?.parquet"}),
        ("columns that differ by case", both, {}),
    ):
        report(f"{what}: the sums are the same", compared.difference(run(source, **more), wanted))
    tables = run(plain.rename_columns(["Session ID", "a.b`c", "log"]), cohort=["a.b`c"], session="Session ID")
    report(
        "columns with points, quotes and spaces count the same",
        values(tables.sums, "rebuilds") == rebuilds and "a.b`c" in tables.sums.column_names,
    )
    run(plain)
    frame = spark.read.parquet(f"file://{work}/source.parquet").where("platform is not null")
    fleet.run(spark, frame, f"file://{work / 'framed'}", POLICIES, cohort=["platform"])
    some_rows = plain.filter(pc.is_valid(plain["platform"]))
    report(
        "a DataFrame with a filter counts as its rows",
        compared.difference(compared.Tables(work / "framed"), run(some_rows, out="some")),
    )
    report("a site's committer is left alone", _committed(run, spark, plain))
    tables = run(plain.slice(0, 0))
    report("no rows are no sums", len(tables.sums) == len(tables.cohorts) == len(tables.damaged) == 0)
    tables = run(pa.concat_tables([plain, plain]))
    report("a session that is there twice counts twice", values(tables.sums, "rebuilds") == [2 * one for one in rebuilds])

    # Values of folders stay text: 1.10 is not 1.1.
    for number, version in enumerate(("1.1", "1.10", "2")):
        place = work / f"parted/version={version}"
        place.mkdir(parents=True)
        pq.write_table(plain.slice(number * 10, 10), place / "a.parquet")
    tables = run(None, cohort=["version"], name="parted")
    report("cohorts by the names of folders are text", values(tables.cohorts, "version") == ["1.1", "1.10", "2"])
    tables = run(plain.append_column("number", pa.array(np.arange(len(some)) % 3)), cohort=["number"])
    report("cohorts by whole numbers are text", values(tables.cohorts, "number") == ["0", "1", "2"])


def _committed(run, spark, plain: pa.Table) -> bool:
    """The committer that the session has is the one of the run's writing."""
    name, site = "spark.sql.sources.commitProtocolClass", "org.apache.spark.internal.io.HadoopMapReduceCommitProtocol"
    write, seen = fleet_spark._write, []
    spark.conf.set(name, site)
    fleet_spark._write = lambda *all: (seen.append(spark.conf.get(name)), write(*all))[1]
    try:
        run(plain)
    finally:
        fleet_spark._write = write
        spark.conf.unset(name)
    return seen == [site]


def _kept(run, work: Path, plain: pa.Table, wanted: compared.Tables) -> list[str]:
    """Fails when all tasks have ended and their sums are to be written."""
    write, fleet_spark._write = fleet_spark._write, lambda *_: 1 / 0
    try:
        run(plain)
        return ["the run does not fail"]
    except ZeroDivisionError:
        pass
    finally:
        fleet_spark._write = write
    faults = compared.difference(compared.Tables(work / "out"), wanted) + compared.difference(run(plain), wanted)
    return faults + [f"it leaves {path.name}" for path in work.glob("out?*")]
