"""scripts/checks/fleet: see there. Prints a line per check, and at the end how many passed and failed."""

import argparse
import copy
import json
import os
import resource
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pyarrow as pa
import results
import sessions as made
import settle
import tables as compared
from cluster import Gate, Killer, lost, processor_seconds
from command import check_command
from hostile import hostile
from pyspark import SparkContext
from pyspark.sql import SparkSession
from results import found, result
from settle import Policy, fleet, fleet_task

ROOT = Path(__file__).resolve().parents[3]
COLUMNS = ("platform", "version")
POLICIES, FEW = 100, 10
#: The least share of the time in a task, of settle tune's on the same sessions.
SPEED_MIN = 0.7
#: How far a time may be from the line through all, as a share of the longest.
RESIDUAL_MAX = 0.08
#: So often the times are measured until they are on a line.
LINE_ATTEMPTS = 3
PARTITIONS = 16


def start(master: str, work: Path, **settings: str) -> SparkSession:
    builder = SparkSession.builder.master(master).appName("check-fleet")
    settings = {
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.driver.memory": "2g",
        "spark.local.dir": str(work / "spark"),
        "spark.eventLog.enabled": "true",
        "spark.eventLog.dir": f"file://{work}/events",
        "spark.eventLog.compress": "false",
        # Short runs: compiling more takes longer than it saves.
        "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1",
        "spark.sql.shuffle.partitions": "8",
        **{name.replace("_", "."): value for name, value in settings.items()},
    }
    for name, value in settings.items():
        builder = builder.config(name, value)
    spark = builder.getOrCreate()
    spark.sparkContext.setLogLevel("OFF")
    return spark


def run(
    spark: SparkSession, source: Path, out: Path, policies: list[Policy], **more
) -> tuple[compared.Tables, dict, float]:
    begin = time.monotonic()
    took = fleet.run(
        spark,
        f"file://{source}",
        f"file://{out}",
        policies,
        cohort=COLUMNS,
        force=True,
        **{"partitions": PARTITIONS, **more},
    )
    return compared.Tables(out), took, time.monotonic() - begin


class Sound:
    """The sound logs as files, in a folder per cohort."""

    def __init__(self, settle_command: str, sessions: list, folder: Path) -> None:
        self.command, self.folder = settle_command, folder
        self.cohorts = {}
        for session in sessions:
            place = self.cohorts.setdefault(session.cohort, folder / f"cohort-{len(self.cohorts)}")
            place.mkdir(parents=True, exist_ok=True)
            if session.damage is None:
                (place / f"{session.session}.settle").write_bytes(session.log)

    def tune(self, folder: Path, policies: Path, jobs: int) -> tuple[dict, float]:
        """What settle tune prints, and its processor time in seconds."""
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        run = subprocess.run(
            [self.command, "tune", "--json", "--jobs", str(jobs), "--policies", str(policies), str(folder)],
            capture_output=True,
            check=True,
        )
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return json.loads(run.stdout), after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

    def tune_all(self, policies: Path) -> dict[tuple, dict]:
        return {cohort: self.tune(folder, policies, 2)[0] for cohort, folder in self.cohorts.items()}


def write_policies(policies: list[Policy], path: Path) -> Path:
    path.write_text("".join(json.dumps(policy.to_json()) + "\n" for policy in policies))
    return path


# MARK: Time against sessions


def off_the_line(points: list[tuple[float, float]]) -> tuple[float, float, float]:
    """The line of least squares through (sessions, seconds): its start, its slope, and the farthest distance of
    a point from it as a share of the longest time."""
    n = len(points)
    mean_x, mean_y = sum(x for x, _ in points) / n, sum(y for _, y in points) / n
    slope = sum((x - mean_x) * (y - mean_y) for x, y in points) / sum((x - mean_x) ** 2 for x, _ in points)
    start = mean_y - slope * mean_x
    return start, slope, max(abs(y - start - slope * x) for x, y in points) / max(y for _, y in points)


def slow_share(sound: Sound, policies: list[Policy], policies_file: Path) -> float:
    """The throughput against settle tune's of a task that decides each log twice."""
    folder = next(iter(sound.cohorts.values()))
    logs = [path.read_bytes() for path in sorted(folder.iterdir())]
    rows = pa.RecordBatch.from_pydict({"session": [str(number) for number in range(len(logs))], "log": logs})

    class Twice(settle.Sweeper):
        def add(self, log, counts, **more):
            super().add(log, self.counts(), **more)
            return super().add(log, counts, **more)

    fleet_task.Sweeper = Twice
    try:
        *_, task = fleet.sweep_batches(policies)([rows])
    finally:
        fleet_task.Sweeper = settle.Sweeper
    return sound.tune(folder, policies_file, 1)[1] / (task.column("busy_ns")[0].as_py() / 1e9)


# MARK: Planted faults


def plant_faults(
    spark: SparkSession,
    source: Path,
    out: Path,
    policies: list[Policy],
    tables: compared.Tables,
    tuned: dict,
    sessions: list,
) -> None:
    wrong = copy.copy(tables)
    column = tables.sums.schema.get_field_index("wasted")
    values = tables.sums.column(column).to_pylist()
    values[len(values) // 2] += 1
    wrong.sums = tables.sums.set_column(column, tables.sums.schema.field(column), pa.array(values, pa.int64()))
    found("a sum that is off by one, against another run", compared.difference(tables, wrong))
    found("a sum that is off by one, against tune", compared.against_tune(wrong, tuned))
    wrong = copy.copy(tables)
    wrong.damaged = pa.concat_tables([tables.damaged.slice(0, 3), tables.damaged.slice(4)])
    found("a damaged session that is not named", compared.against_damage(wrong, sessions))
    # A task's rows that count twice, as a second attempt's would without Spark's commit.
    write = fleet.write

    def twice(spark, parts, *rest):
        folder = Path(parts.removeprefix("file://"))
        file = sorted(folder.glob("part-*.parquet"))[0]
        shutil.copy(file, file.with_name(file.name.replace("part-00000", "part-00099")))
        return write(spark, parts, *rest)

    fleet.write = twice
    try:
        doubled, _, _ = run(spark, source, out, policies)
    finally:
        fleet.write = write
    found("a task that counts twice", compared.difference(tables, doubled))
    found("a task that counts twice, against tune", compared.against_tune(doubled, tuned))


def zeros(value):
    """The same JSON without a count."""
    if isinstance(value, dict):
        return {name: one if name == "policy" else zeros(one) for name, one in value.items()}
    return [zeros(one) for one in value] if isinstance(value, list) else 0


def check_salvage(
    spark: SparkSession, sound: Sound, sessions: list, policies: list[Policy], policies_file: Path, work: Path
) -> None:
    """Damaged sessions alone, with what settle recover saves of each and settle tune."""
    broken = [session for session in sessions if session.damage]
    made.write_parquet(broken, work / "broken.parquet")
    tables, _, _ = run(spark, work / "broken.parquet", work / "out-broken", policies, salvage=True, partitions=2)
    saved = work / "saved"
    numbers: dict[tuple, Path] = {}
    for session in broken:
        folder = numbers.setdefault(session.cohort, saved / str(len(numbers)))
        folder.mkdir(parents=True, exist_ok=True)
        if session.damage not in ("cut", "flipped"):
            continue
        (work / "one.settle").write_bytes(session.log)
        subprocess.run(
            [sound.command, "recover", "--force", str(work / "one.settle"), str(folder / f"{session.session}.settle")],
            capture_output=True,
            check=False,
        )
    tuned = {
        cohort: sound.tune(folder, policies_file, 2)[0] for cohort, folder in numbers.items() if any(folder.iterdir())
    }
    count = sum(one["logs"] for one in tuned.values())
    # Of a cohort without a saved log nothing may count.
    tuned |= {cohort: zeros(next(iter(tuned.values()))) for cohort in numbers if cohort not in tuned}
    result(
        f"--salvage counts of {len(broken)} damaged sessions what settle recover saves ({count} logs,"
        f" {sum(one['events'] for one in tuned.values()):,} events)",
        compared.against_tune(tables, tuned) or count > 0,
    )
    result("--salvage names each damaged session", compared.against_damage(tables, broken))


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--settle", required=True)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--sessions", type=int, default=20_000)
    parser.add_argument("--long", action="store_true")
    options = parser.parse_args()
    work, command = options.work.resolve(), options.settle
    for name in ("events", "spark", "recordings"):
        (work / name).mkdir(parents=True, exist_ok=True)
    os.environ |= {
        "PYSPARK_PYTHON": sys.executable,
        "PYSPARK_DRIVER_PYTHON": sys.executable,
        "SPARK_LOCAL_IP": "127.0.0.1",
    }
    # Spark's own messages, which the checks do not need.
    said = sys.stderr.fileno()
    log = open(work / "spark.log", "w")
    os.dup2(log.fileno(), said)

    begin = time.monotonic()
    count = options.sessions
    sessions = list(made.sessions(made.recordings(command, ROOT / "Tests/Recordings", work / "recordings"), count))
    source = work / "sessions.parquet"
    made.write_parquet(sessions, source)
    sound = Sound(command, sessions, work / "logs")
    print(
        f"check-fleet: {count:,} sessions with {sum(len(session.whole) for session in sessions):,} bytes of logs made"
        f" in {time.monotonic() - begin:.1f} s",
        flush=True,
    )
    grid = Policy.grid()
    policies = list(dict.fromkeys([Policy(), *grid[:: len(grid) // POLICIES]]))[:POLICIES]
    policies_file = write_policies(policies, work / "policies.json")

    begin = time.monotonic()
    spark = start("local[2]", work)
    jvm_s = time.monotonic() - begin
    sizes = [count // 10, count * 2 // 5, count] + ([10 * count] if options.long else [])

    def measure(size):
        """The processor time of a run with so many sessions, and its duration."""
        part = work / "part.parquet"
        if size <= count:
            made.write_parquet(sessions[:size], part)
        else:
            made.write_parquet(
                made.sessions(made.recordings(command, ROOT / "Tests/Recordings", work / "recordings"), size), part
            )
        before = processor_seconds(SparkContext._gateway.proc.pid)
        _, _, wall = run(spark, part, work / "out-part", policies[:FEW], partitions=8)
        return processor_seconds(SparkContext._gateway.proc.pid) - before, wall

    # The first run warms the JVM up; beside other work it is not warm after one.
    measure(sizes[0])
    for _ in range(LINE_ATTEMPTS):
        times, walls = zip(*map(measure, sizes))
        points = list(zip(sizes, times))
        first, slope, residual = off_the_line(points)
        if residual <= RESIDUAL_MAX:
            break
    shown = ", ".join(
        f"{size:,} sessions {cpu:.1f} s ({wall:.1f} s of time)" for (size, cpu), wall in zip(points, walls)
    )
    result(
        f"processor time against sessions is a line, {first:.2f} s + {1e6 * slope:.0f} µs each, with {FEW} policies: {shown};"
        f" off by {100 * residual:.1f} % of the longest at most, the bound is {100 * RESIDUAL_MAX:.0f} %",
        residual <= RESIDUAL_MAX,
    )
    bent = off_the_line([(size, size**2) for size in sizes[:3]])[2]
    found("time that grows with the square", [f"off by {100 * bent:.1f} %"] if bent > RESIDUAL_MAX else [])

    tables, took, wall = run(spark, source, work / "out-local", policies)
    tuned = sound.tune_all(policies_file)
    result(
        f"{count:,} sessions × {len(policies)} policies on local[2] are what settle tune counts, in each of {len(tuned)} cohorts",
        compared.against_tune(tables, tuned),
    )
    broken = sum(session.damage is not None for session in sessions)
    result(
        f"{broken} damaged logs are counted and named, each with its cohort and what is wrong",
        compared.against_damage(tables, sessions),
    )
    _, tune_s = sound.tune(sound.folder, policies_file, 1)
    busy_s = took["busy_ns"] / 1e9
    share = tune_s / busy_s
    result(
        f"throughput per core is {share:.2f} of settle tune's on the same sessions ({busy_s:.1f} s in tasks, {tune_s:.1f} s in"
        f" tune, processor time); the gate is {SPEED_MIN}",
        share >= SPEED_MIN,
    )
    print(
        f"check-fleet: Spark's own share of two cores: {100 * (1 - busy_s / 2 / wall):.0f} % of {wall:.1f} s without the JVM's start,"
        f" {100 * (1 - busy_s / 2 / (wall + jvm_s)):.0f} % of {wall + jvm_s:.1f} s with it",
        flush=True,
    )
    slow = slow_share(sound, policies, policies_file)
    found("tasks that decide each log twice", [f"{slow:.2f}"] if slow < SPEED_MIN else [])
    plant_faults(spark, source, work / "out-planted", policies, tables, tuned, sessions)
    check_salvage(spark, sound, sessions, policies, policies_file, work)
    for what, faults in hostile(spark, work, sessions):
        result(what, faults)
    spark.stop()

    spark = start("local-cluster[2,1,1024]", work, spark_executor_memory="1g")
    # The tasks before the gate end, so that some have committed when the executor is killed.
    gate = Gate(work / "gate", first=PARTITIONS // 4)
    killer = Killer(spark, gate)
    killer.start()
    sweep_batches, fleet.sweep_batches = fleet.sweep_batches, lambda *all, **more: gate.around(sweep_batches(*all, **more))
    try:
        killed, _, wall = run(spark, source, work / "out-cluster", policies)
    finally:
        fleet.sweep_batches = sweep_batches
        killer.ended.set()
        killer.join()
    spark.stop()
    removed, dropped, again = lost(work / "events")
    result(
        f"an executor of local-cluster[2,1,1024] was killed in the middle: {killer.said}; Spark reports {removed} lost executor,"
        f" {dropped} lost tasks, {again} that succeeded when run again ({wall:.1f} s)",
        killer.killed is not None and removed >= 1 and dropped >= 1 and again >= 1,
    )
    result(
        f"the tables have the same bytes as those of local[2]: {killed.digest()[:16]}",
        compared.difference(killed, tables),
    )
    check_command(source, policies_file, work, tables, COLUMNS)
    print(f"{results.passed} passed, {results.failed} failed", flush=True)
    sys.exit(results.failed > 0)


if __name__ == "__main__":
    main()
