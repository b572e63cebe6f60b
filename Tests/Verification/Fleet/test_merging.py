"""What adding up costs: the time of a partial sum, the rows that a worker hands on, and its memory."""

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
from results import report
from settle import fleet
from settle.fleet import _sums as fleet_sums
from settle.fleet._task import BLOCK, order

#: Microseconds of processor time for a partial sum of a cohort and a policy.
MERGE_US_MAX = 2.0
#: Of sessions × policies, the part that a worker may hand on as partial sums; and its memory in bytes.
HANDED_ON_MAX, MEMORY_MAX = 0.1, 1536 << 20
#: Tasks of all stages for a few rows.
TASKS_MAX = 12
#: Partial sums of each cohort and policy.
PARTIALS = 40

#: A worker of its own, which decides sessions of unsorted cohorts: partial sums, seconds, and the peak of its memory.
_WORKER = """
import json, sys, time
import pyarrow as pa, pyarrow.parquet as pq
from settle import fleet
from settle.fleet._task import BLOCK
from settle.policy import Policy
source, cohorts, policies, count, memory_max = sys.argv[1], *map(int, sys.argv[2:])
def batches():
    number = 0
    for batch in pq.ParquetFile(source).iter_batches(64, columns=["session", "log"]):
        batch = batch.slice(0, count - number)
        keys = [str((number + row) * 7919 % cohorts) for row in range(batch.num_rows)]
        number += batch.num_rows
        yield batch.append_column("cohort", pa.array(keys))
rows, begin = 0, time.process_time()
for batch in fleet.sweep_batches(Policy.grid()[:policies], cohort=["cohort"], memory_max=memory_max)(batches()):
    if batch.column("kind")[0].as_py() == "sums":
        rows += sum(min(BLOCK, policies - first) for first in batch.column("policy").to_pylist())
# Not that of getrusage, which begins with the parent's.
peak = next(int(line.split()[1]) << 10 for line in open("/proc/self/status") if line.startswith("VmHWM"))
print(json.dumps([rows, time.process_time() - begin, peak]))
"""


def test_merging(spark, given, work, is_long) -> None:
    source, policies = given.source, given.policies
    _check_time(source, policies)
    # By night with a worker's whole memory, in 12,000 sessions of 32 MB; else a hundredth of all.
    shapes = [(100, 100, 1_200, fleet.MEMORY_MAX // 100)] + [(1_000, 1_000, 12_000, fleet.MEMORY_MAX)] * is_long
    for cohorts, count, sessions, memory_max in shapes:
        rows, seconds, memory = _worker(source, cohorts, count, sessions, memory_max)
        _, least, _ = _worker(source, 1, count, sessions, memory_max)
        report(
            f"{sessions:,} sessions of {cohorts:,} unsorted cohorts × {count:,} policies: a worker hands on {rows:,}"
            f" partial sums, {100 * rows / (sessions * count):.1f} % of sessions × policies (the bound is"
            f" {100 * HANDED_ON_MAX:.0f} %), has at most {memory >> 20:,} MiB, and takes {seconds / least:.2f} times as"
            " long as with one cohort",
            rows <= HANDED_ON_MAX * sessions * count and memory <= MEMORY_MAX,
        )
    few = work / "few.parquet"
    pq.write_table(pq.read_table(source).slice(0, 9), few)
    spark.sparkContext.setJobGroup("few", "nine rows")
    fleet.run(spark, f"file://{few}", f"file://{work}/out-few", policies, cohort=["platform"])
    tracker, tasks = spark.sparkContext.statusTracker(), 0
    for job in tracker.getJobIdsForGroup("few"):
        tasks += sum(tracker.getStageInfo(stage).numTasks for stage in tracker.getJobInfo(job).stageIds)
    report(f"nine rows are {tasks} tasks of Spark; the bound is {TASKS_MAX}", 0 < tasks <= TASKS_MAX)


def _worker(source: Path, *numbers: int) -> tuple[int, float, int]:
    command = [sys.executable, "-c", _WORKER, str(source), *map(str, numbers)]
    return json.loads(subprocess.run(command, capture_output=True, check=True, env=os.environ).stdout)


def _check_time(source: Path, policies: list) -> None:
    table = pq.read_table(source).slice(0, 500)
    rows = fleet.sweep_batches(policies, cohort=["platform", "version"])(table.to_batches(64))
    sums = [batch for batch in rows if batch.column("kind")[0].as_py() == "sums"]
    texts = fleet_sums.texts_of(policies)

    def us(batches: list[pa.RecordBatch]) -> float:
        begin = time.process_time()
        parts = [part for batch in batches for part in fleet_sums.parts_of(batch)]
        parts.sort(key=lambda part: (order(part.key), part.first))
        count = sum(min(BLOCK, len(policies) - part.first) for part in parts)
        for sum_ in fleet_sums.added(parts, len(policies)):
            fleet_sums.sums_rows(sum_, texts)
        return 1e6 * (time.process_time() - begin) / count

    found = min(us(sums * PARTIALS) for _ in range(3))
    alone = min(us(sums) for _ in range(3))
    report(
        f"a partial sum is added up in {found:.2f} µs, of {PARTIALS} for each cohort and policy; the bound is"
        f" {MERGE_US_MAX} µs (of one alone {alone:.2f} µs, with its row of the output)",
        found <= MERGE_US_MAX,
    )
