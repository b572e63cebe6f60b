"""Sums of a fleet are those of settle tune: on Spark, on this machine without it, and with an executor killed."""

import copy
import json
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import sessions as made
import settle
import tables as compared
from cluster import PARTITIONS, Gate, Killer, lost, processor_seconds, run, start
from pyspark import SparkContext
from results import report
from settle import fleet
from settle.fleet import _local as fleet_local
from settle.fleet import _spark as fleet_spark

#: The least share of the time in a task, of settle tune's on the same sessions.
SPEED_MIN = 0.7
#: How far a time may be from the line through all, as a share of the longest.
RESIDUAL_MAX = 0.08
#: How many times faster two threads must be than one.
SCALING_MIN = 1.8
#: So often times are measured until they are as they must be.
ATTEMPTS = 3


def off_the_line(sizes: list[int], times: list[float]) -> tuple[float, float, float]:
    """The line of least squares through (sessions, seconds): its slope, its start, and the farthest distance of
    a point from it as a share of the longest time."""
    line = np.polyfit(sizes, times, 1)
    return *line, float(np.abs(times - np.polyval(line, sizes)).max() / max(times))


def test_line(spark, given, work, is_long) -> None:
    """The processor time of runs grows as a line with their sessions."""
    part, count, policies = work / "part.parquet", len(given.sessions), given.few
    # Not one of them far from all others, or any curve would be near the line.
    sizes = [count // 10, *([count, 5 * count, 10 * count] if is_long else [count * 2 // 5, count])]

    def measure(size: int) -> float:
        made.write_parquet(given.sessions[:size] if size <= count else made.sessions(given.sources, size), part)
        before = processor_seconds(SparkContext._gateway.proc.pid)
        run(spark, part, work / "out-part", policies, partitions=8)
        return processor_seconds(SparkContext._gateway.proc.pid) - before

    # The first run warms the JVM up; beside other work it is not warm after one.
    measure(sizes[0])
    for _ in range(ATTEMPTS):
        times = list(map(measure, sizes))
        slope, first, residual = off_the_line(sizes, times)
        if residual <= RESIDUAL_MAX:
            break
    shown = ", ".join(f"{size:,} sessions {time:.1f} s" for size, time in zip(sizes, times))
    report(
        f"processor time against sessions is a line, {first:.2f} s + {1e6 * slope:.0f} µs each, with {len(policies)}"
        f" policies: {shown}; off by {100 * residual:.1f} % of the longest, the bound is {100 * RESIDUAL_MAX:.0f} %",
        residual <= RESIDUAL_MAX,
    )
    bent = off_the_line(sizes, [float(size**2) for size in sizes])[2]
    report("a planted fault is found: time that grows with the square", bent > RESIDUAL_MAX)


def run_threads(source: Path, out: Path, policies: list, jobs: int, **more) -> tuple[dict, float, float]:
    """A run without Spark: what it took, its time, and that without what its threads waited for a processor that
    other work had."""
    waited, sweeping = [], fleet_local.sweeping

    def sweep_and_note(*all, **more):
        sweep = sweeping(*all, **more)

        def noting(batches):
            yield from sweep(batches)
            # Of Linux: the nanoseconds on a processor, and those in its queue.
            waited.append(int(Path("/proc/thread-self/schedstat").read_text().split()[1]) / 1e9)

        return noting

    fleet_local.sweeping = sweep_and_note
    begin = time.monotonic()
    try:
        took = fleet.run_local(source, out, policies, jobs=jobs, force=True, damaged_names=True, **more)
    finally:
        fleet_local.sweeping = sweeping
    wall = time.monotonic() - begin
    return took, wall, wall - sum(waited) / jobs


def test_counts(given, counted, tuned, tune_s) -> None:
    tables, took, wall = counted
    report(
        f"{len(given.sessions):,} sessions × {len(given.policies)} policies on local[2] are what settle tune counts, in"
        f" each of {len(tuned)} cohorts",
        compared.against_tune(tables, tuned),
    )
    report(
        "damaged logs are counted and named, each with its cohort and what is wrong",
        compared.against_damage(tables, given.sessions),
    )
    busy_s = took["busy_ns"] / 1e9
    report(
        f"throughput per core is {tune_s / busy_s:.2f} of settle tune's on the same sessions ({busy_s:.1f} s in tasks,"
        f" {tune_s:.1f} s in tune, processor time; {wall:.1f} s of time); the gate is {SPEED_MIN}",
        tune_s / busy_s >= SPEED_MIN,
    )


def test_local(given, work, counted, tune_s) -> None:
    """A run on this machine without Spark, beside settle tune: the same values, as fast, and faster on two cores."""
    wanted = counted[0]
    own, walls, faults = {}, {}, []
    for _ in range(ATTEMPTS):
        for jobs in (1, 2):
            took, walls[jobs], own[jobs] = run_threads(given.source, work / "threads", given.policies, jobs, cohort=wanted.columns)
            faults += compared.difference(compared.Tables(work / "threads"), wanted)
        if own[1] / own[2] >= SCALING_MIN:
            break
    report("without Spark, by one thread and by two, the tables have the same values", faults)
    busy_s = took["busy_ns"] / 1e9
    report(
        f"throughput per core is {tune_s / busy_s:.2f} of settle tune's ({busy_s:.1f} s and {tune_s:.1f} s of processor"
        f" time); the gate is {SPEED_MIN}",
        tune_s / busy_s >= SPEED_MIN,
    )
    report(
        f"two threads are {own[1] / own[2]:.2f} times as fast as one: {own[2]:.1f} s and {own[1]:.1f} s without waiting"
        f" for a processor, {walls[2]:.1f} s and {walls[1]:.1f} s with it; the gate is {SCALING_MIN}",
        own[1] / own[2] >= SCALING_MIN,
    )


def test_days(given, work) -> None:
    """Seven days that are added up are one run over all of them."""
    source, policies = given.source, given.few
    table, days = pq.read_table(source), []
    columns = ("platform", "version")
    for day in range(7):
        days.append(work / f"day-{day}")
        part = table.take([row for row in range(len(table)) if row * 2654435761 % 2**32 % 7 == day])
        fleet.run_local(part, days[-1], policies, cohort=columns)
    fleet.merge(days, work / "week")
    fleet.run_local(source, work / "at-once", policies, cohort=columns)
    merged, wanted = compared.Tables(work / "week"), compared.Tables(work / "at-once")
    sessions = ", ".join(f"{json.loads((day / '_times.json').read_text())['sessions']:,}" for day in days)
    report(f"seven days of {sessions} sessions add up to the run over all", compared.difference(merged, wanted))
    fleet.merge(days[1:], work / "week", force=True)
    report(
        "a planted fault is found: a day that is missing",
        bool(compared.difference(compared.Tables(work / "week"), wanted)),
    )


def test_planted(given, counted, tuned) -> None:
    """The comparisons see a sum that is off by one, and a damaged session that is not named."""
    tables = counted[0]
    wrong = copy.copy(tables)
    column = tables.sums.schema.get_field_index("wasted")
    values = tables.sums.column(column).to_numpy().copy()
    values[len(values) // 2] += 1
    wrong.sums = tables.sums.set_column(column, tables.sums.schema.field(column), pa.array(values))
    wrong.damaged = pa.concat_tables([tables.damaged.slice(0, 3), tables.damaged.slice(4)])
    for what, faults in (
        ("a sum that is off by one, against another run", compared.difference(tables, wrong)),
        ("a sum that is off by one, against tune", compared.against_tune(wrong, tuned)),
        ("a damaged session that is not named", compared.against_damage(wrong, given.sessions)),
    ):
        report(f"a planted fault is found: {what}", bool(faults))


def test_salvage(spark, given, work) -> None:
    """Damaged sessions alone, against a sweep that salvages them."""
    policies, broken = given.policies, [session for session in given.sessions if session.damage]
    made.write_parquet(broken, work / "broken.parquet")
    tables, _, _ = run(spark, work / "broken.parquet", work / "out-broken", policies, salvage=True, partitions=2)
    sweeper = settle.Sweeper(policies)
    counts = sweeper.counts()
    logs = [session.log for session in broken if session.damage in ("cut", "flipped")]
    events = sum(sweeper.add(log, counts, salvage=True).events for log in logs)
    rebuilds = np.bincount(tables.sums["policy"], tables.sums["rebuilds"])
    report(
        f"--salvage counts what is whole of {len(logs)} damaged logs, {events:,} events",
        0 < events == sum(tables.cohorts["events"].to_pylist()) and np.array_equal(rebuilds, settle.rebuilds(counts)),
    )
    report("--salvage names each damaged session", compared.against_damage(tables, broken))


def test_killed(spark, given, work, counted) -> None:
    """One of two executors is killed in the middle."""
    spark.stop()
    spark = start("local-cluster[2,1,1024]", work, {"spark.executor.memory": "1g"})
    # The tasks before the gate end, so that some have committed when the executor is killed.
    gate = Gate(work / "gate", first=PARTITIONS // 4)
    killer = Killer(spark, gate)
    killer.start()
    sweep_batches = fleet_spark.sweep_batches
    fleet_spark.sweep_batches = lambda *all, **more: gate.around(sweep_batches(*all, **more))
    try:
        killed, _, _ = run(spark, given.source, work / "out-cluster", given.policies)
    finally:
        fleet_spark.sweep_batches = sweep_batches
        killer.ended.set()
        killer.join()
    spark.stop()
    removed, dropped, again = lost(work / "events")
    report(
        f"an executor of local-cluster[2,1,1024] was killed in the middle: {killer.said}; Spark reports {removed} lost"
        f" executor, {dropped} lost tasks, {again} that succeeded when run again",
        killer.killed is not None and removed >= 1 and dropped >= 1 and again >= 1,
    )
    report("the tables have the same bytes as those of local[2]", compared.difference(killed, counted[0]))
