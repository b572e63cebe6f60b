"""scripts/checks/fleet: see there. Prints a line per check, and at the end how many passed and failed."""

import argparse
import copy
import json
import os
import resource
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import results
import sessions as made
import settle
import tables as compared
from cluster import Gate, Killer, lost, processor_seconds
from command import check_command
from hostile import hostile
from kills import check_kills
from merging import check_merging
from pyspark import SparkContext
from pyspark.sql import SparkSession
from recipe import check_recipe, check_tables
from results import result
from settle import Policy, fleet
from settle.fleet import _local as fleet_local
from settle.fleet import _spark as fleet_spark

ROOT = Path(__file__).resolve().parents[3]
POLICIES, FEW = 100, 10
#: The least share of the time in a task, of settle tune's on the same sessions.
SPEED_MIN = 0.7
#: How far a time may be from the line through all, as a share of the longest.
RESIDUAL_MAX = 0.08
#: How many times faster two threads must be than one.
SCALING_MIN = 1.8
#: So often times are measured until they are as they must be.
ATTEMPTS = 3
PARTITIONS = 16


def start(master: str, work: Path, more: dict[str, str]) -> SparkSession:
    settings = {
        "spark.driver.host": "127.0.0.1", "spark.driver.bindAddress": "127.0.0.1", "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false", "spark.driver.memory": "2g", "spark.local.dir": str(work / "spark"),
        "spark.eventLog.enabled": "true", "spark.eventLog.dir": f"file://{work}/events",
        "spark.eventLog.compress": "false",
        # Short runs: compiling more takes longer than it saves.
        "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1", "spark.sql.shuffle.partitions": "8", **more,
    }
    spark = SparkSession.builder.master(master).appName("check-fleet").config(map=settings).getOrCreate()
    spark.sparkContext.setLogLevel("OFF")
    return spark


def run(
    spark: SparkSession, source: Path, out: Path, policies: list[Policy], **more
) -> tuple[compared.Tables, dict, float]:
    begin = time.monotonic()
    options = {"cohort": ("platform", "version"), "force": True, "partitions": PARTITIONS, "damaged_names": True}
    took = fleet.run(spark, f"file://{source}", f"file://{out}", policies, **options | more)
    return compared.Tables(out), took, time.monotonic() - begin


class Sound:
    """The sound logs as files, in a folder per cohort."""

    def __init__(self, settle_command: str, sessions: list, folder: Path, policies: Path) -> None:
        self.command, self.folder, self.policies = settle_command, folder, policies
        self.cohorts = {}
        for session in sessions:
            place = self.cohorts.setdefault(session.cohort, folder / f"cohort-{len(self.cohorts)}")
            place.mkdir(parents=True, exist_ok=True)
            if session.damage is None:
                (place / f"{session.session}.settle").write_bytes(session.log)

    def tune(self, folder: Path, jobs: int) -> tuple[dict, float]:
        """What settle tune prints, and its processor time in seconds."""
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        command = [self.command, "tune", "--json", "--jobs", str(jobs), "--policies", self.policies, folder]
        run = subprocess.run(command, capture_output=True, check=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return json.loads(run.stdout), after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

    def tune_all(self) -> dict[tuple, dict]:
        return {cohort: self.tune(folder, 2)[0] for cohort, folder in self.cohorts.items()}


def off_the_line(sizes: list[int], times: list[float]) -> tuple[float, float, float]:
    """The line of least squares through (sessions, seconds): its slope, its start, and the farthest distance of
    a point from it as a share of the longest time."""
    line = np.polyfit(sizes, times, 1)
    return *line, float(np.abs(times - np.polyval(line, sizes)).max() / max(times))


def check_line(spark: SparkSession, sizes: list[int], policies: list[Policy], sessions_of, work: Path) -> None:
    """The processor time of runs grows as a line with their sessions."""
    part = work / "part.parquet"

    def measure(size: int) -> float:
        made.write_parquet(sessions_of(size), part)
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
    result(
        f"processor time against sessions is a line, {first:.2f} s + {1e6 * slope:.0f} µs each, with {len(policies)}"
        f" policies: {shown}; off by {100 * residual:.1f} % of the longest, the bound is {100 * RESIDUAL_MAX:.0f} %",
        residual <= RESIDUAL_MAX,
    )
    bent = off_the_line(sizes, [float(size**2) for size in sizes])[2]
    result("a planted fault is found: time that grows with the square", bent > RESIDUAL_MAX)


def run_threads(source: Path, out: Path, policies: list[Policy], jobs: int, **more) -> tuple[dict, float, float]:
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


def check_local(source: Path, work: Path, policies: list[Policy], wanted: compared.Tables, tune_s: float) -> None:
    """A run on this machine without Spark, beside settle tune: the same values, as fast, and faster on two cores."""
    own, walls, faults = {}, {}, []
    for _ in range(ATTEMPTS):
        for jobs in (1, 2):
            took, walls[jobs], own[jobs] = run_threads(source, work / "threads", policies, jobs, cohort=wanted.columns)
            faults += compared.difference(compared.Tables(work / "threads"), wanted)
        if own[1] / own[2] >= SCALING_MIN:
            break
    result("without Spark, by one thread and by two, the tables have the same values", faults)
    busy_s = took["busy_ns"] / 1e9
    result(
        f"throughput per core is {tune_s / busy_s:.2f} of settle tune's ({busy_s:.1f} s and {tune_s:.1f} s of processor"
        f" time); the gate is {SPEED_MIN}",
        tune_s / busy_s >= SPEED_MIN,
    )
    result(
        f"two threads are {own[1] / own[2]:.2f} times as fast as one: {own[2]:.1f} s and {own[1]:.1f} s without waiting"
        f" for a processor, {walls[2]:.1f} s and {walls[1]:.1f} s with it; the gate is {SCALING_MIN}",
        own[1] / own[2] >= SCALING_MIN,
    )


def check_days(source: Path, work: Path, policies: list[Policy]) -> None:
    """Seven days that are added up are one run over all of them."""
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
    result(f"seven days of {sessions} sessions add up to the run over all", compared.difference(merged, wanted))
    fleet.merge(days[1:], work / "week", force=True)
    result(
        "a planted fault is found: a day that is missing",
        bool(compared.difference(compared.Tables(work / "week"), wanted)),
    )


def check_planted(tables: compared.Tables, tuned: dict, sessions: list) -> None:
    """The comparisons see a sum that is off by one, and a damaged session that is not named."""
    wrong = copy.copy(tables)
    column = tables.sums.schema.get_field_index("wasted")
    values = tables.sums.column(column).to_numpy().copy()
    values[len(values) // 2] += 1
    wrong.sums = tables.sums.set_column(column, tables.sums.schema.field(column), pa.array(values))
    wrong.damaged = pa.concat_tables([tables.damaged.slice(0, 3), tables.damaged.slice(4)])
    for what, faults in (
        ("a sum that is off by one, against another run", compared.difference(tables, wrong)),
        ("a sum that is off by one, against tune", compared.against_tune(wrong, tuned)),
        ("a damaged session that is not named", compared.against_damage(wrong, sessions)),
    ):
        result(f"a planted fault is found: {what}", bool(faults))


def check_salvage(spark: SparkSession, sessions: list, policies: list[Policy], work: Path) -> None:
    """Damaged sessions alone, against a sweep that salvages them."""
    broken = [session for session in sessions if session.damage]
    made.write_parquet(broken, work / "broken.parquet")
    tables, _, _ = run(spark, work / "broken.parquet", work / "out-broken", policies, salvage=True, partitions=2)
    sweeper = settle.Sweeper(policies)
    counts = sweeper.counts()
    logs = [session.log for session in broken if session.damage in ("cut", "flipped")]
    events = sum(sweeper.add(log, counts, salvage=True).events for log in logs)
    rebuilds = np.bincount(tables.sums["policy"], tables.sums["rebuilds"])
    result(
        f"--salvage counts what is whole of {len(logs)} damaged logs, {events:,} events",
        0 < events == sum(tables.cohorts["events"].to_pylist()) and np.array_equal(rebuilds, settle.rebuilds(counts)),
    )
    result("--salvage names each damaged session", compared.against_damage(tables, broken))


def check_killed(
    spark: SparkSession, source: Path, work: Path, policies: list[Policy], wanted: compared.Tables
) -> None:
    """One of two executors is killed in the middle."""
    # The tasks before the gate end, so that some have committed when the executor is killed.
    gate = Gate(work / "gate", first=PARTITIONS // 4)
    killer = Killer(spark, gate)
    killer.start()
    sweep_batches = fleet_spark.sweep_batches
    fleet_spark.sweep_batches = lambda *all, **more: gate.around(sweep_batches(*all, **more))
    try:
        killed, _, _ = run(spark, source, work / "out-cluster", policies)
    finally:
        fleet_spark.sweep_batches = sweep_batches
        killer.ended.set()
        killer.join()
    spark.stop()
    removed, dropped, again = lost(work / "events")
    result(
        f"an executor of local-cluster[2,1,1024] was killed in the middle: {killer.said}; Spark reports {removed} lost"
        f" executor, {dropped} lost tasks, {again} that succeeded when run again",
        killer.killed is not None and removed >= 1 and dropped >= 1 and again >= 1,
    )
    result("the tables have the same bytes as those of local[2]", compared.difference(killed, wanted))


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--settle", required=True)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--wheel", type=Path, help="with --long: the package's wheel")
    parser.add_argument("--sessions", type=int, default=20_000)
    parser.add_argument("--long", action="store_true")
    options = parser.parse_args()
    work, count = options.work.resolve(), options.sessions
    for name in ("events", "spark"):
        (work / name).mkdir(parents=True, exist_ok=True)
    os.environ |= {
        "PYSPARK_PYTHON": sys.executable, "PYSPARK_DRIVER_PYTHON": sys.executable, "SPARK_LOCAL_IP": "127.0.0.1",
    }
    # Spark's own messages, which the checks do not need.
    log = open(work / "spark.log", "w")
    os.dup2(log.fileno(), sys.stderr.fileno())

    sources = made.recordings(ROOT / "Tests/Recordings")
    sessions = list(made.sessions(sources, count))
    source = work / "sessions.parquet"
    made.write_parquet(sessions, source)
    grid = Policy.grid()
    policies = list(dict.fromkeys([Policy(), *grid[:: len(grid) // POLICIES]]))[:POLICIES]
    policies_file = work / "policies.json"
    policies_file.write_text("".join(json.dumps(policy.to_json()) + "\n" for policy in policies))
    sound = Sound(options.settle, sessions, work / "logs", policies_file)

    spark = start("local[2]", work, {})
    # Not one of them far from all others, or any curve would be near the line.
    more = [count, 5 * count, 10 * count] if options.long else [count * 2 // 5, count]
    check_line(
        spark, [count // 10, *more], policies[:FEW],
        lambda size: sessions[:size] if size <= count else made.sessions(sources, size), work,
    )
    tables, took, wall = run(spark, source, work / "out-local", policies)
    tuned = sound.tune_all()
    result(
        f"{count:,} sessions × {len(policies)} policies on local[2] are what settle tune counts, in each of"
        f" {len(tuned)} cohorts",
        compared.against_tune(tables, tuned),
    )
    result(
        "damaged logs are counted and named, each with its cohort and what is wrong",
        compared.against_damage(tables, sessions),
    )
    tune_s, busy_s = sound.tune(sound.folder, 1)[1], took["busy_ns"] / 1e9
    result(
        f"throughput per core is {tune_s / busy_s:.2f} of settle tune's on the same sessions ({busy_s:.1f} s in tasks,"
        f" {tune_s:.1f} s in tune, processor time; {wall:.1f} s of time); the gate is {SPEED_MIN}",
        tune_s / busy_s >= SPEED_MIN,
    )
    check_local(source, work, policies, tables, tune_s)
    check_days(source, work, policies[:FEW])
    check_kills(source, work, long=options.long)
    check_planted(tables, tuned, sessions)
    check_salvage(spark, sessions, policies, work)
    check_merging(spark, source, work, policies, long=options.long)
    for what, faults in hostile(spark, work, sessions):
        result(what, faults)
    spark.stop()
    spark = start("local-cluster[2,1,1024]", work, {"spark.executor.memory": "1g"})
    check_killed(spark, source, work, policies, tables)
    check_command(source, policies_file, work, tables)
    if options.long:
        check_recipe(source, options.wheel.resolve(), work)
        check_tables(source, work)
    print(f"{results.passed} passed, {results.failed} failed", flush=True)
    sys.exit(results.failed > 0)


if __name__ == "__main__":
    main()
