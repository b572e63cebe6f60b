"""A Spark on this machine: its runs, an executor that is killed, and the processor time of all its processes."""

import json
import os
import signal
import threading
import time
from pathlib import Path

import tables as compared
from pyspark import SparkContext
from pyspark.sql import SparkSession
from settle import Policy, fleet

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


def descendants(pid: int) -> list[int]:
    out = []
    for task in Path(f"/proc/{pid}/task").glob("*/children"):
        try:
            children = [int(child) for child in task.read_text().split()]
        except OSError:
            continue
        for child in children:
            out += [child, *descendants(child)]
    return out


def executors(jvm: int) -> list[int]:
    def is_executor(pid: int) -> bool:
        try:
            words = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
        except OSError:
            return False
        return any(b"CoarseGrainedExecutorBackend" in word for word in words) and words[0].endswith(b"java")

    return [pid for pid in descendants(jvm) if is_executor(pid)]


class Gate:
    """Holds tasks in the middle: each one from a partition on, after its first rows, until the gate opens."""

    def __init__(self, folder: Path, first: int) -> None:
        folder.mkdir()
        self.folder, self.first = folder, first

    def held(self) -> list[str]:
        """The tasks that have been held so far."""
        return [path.name for path in self.folder.glob("task-*")]

    def open(self) -> None:
        (self.folder / "open").touch()

    def around(self, sweep):
        """A function for mapInArrow that does what another does, and stops at the gate. Executors have no module of
        the checks, so it is one that is sent to them with all that it needs."""
        folder, first = str(self.folder), self.first

        def gated(batches):
            import os
            import time

            from pyspark import TaskContext

            def stopping(batches):
                for batch in batches:
                    yield batch
                    task = TaskContext.get()
                    if task.partitionId() < first:
                        continue
                    open(f"{folder}/task-{task.taskAttemptId()}", "w").close()
                    while not os.path.exists(f"{folder}/open"):
                        time.sleep(0.01)

            return sweep(stopping(batches))

        gated.schema = sweep.schema
        return gated


class Killer(threading.Thread):
    """Kills one of two executors when each of them holds a task at the gate, and then opens the gate."""

    def __init__(self, spark: SparkSession, gate: Gate) -> None:
        super().__init__(daemon=True)
        self.gate = gate
        self.tracker, self.jvm = spark.sparkContext.statusTracker(), SparkContext._gateway.proc.pid
        self.said = "no executor was killed, because the tasks had ended"
        self.killed: int | None = None
        self.ended = threading.Event()

    def run(self) -> None:
        # An executor has one core, so two tasks at the gate are one of each.
        while not self.ended.wait(0.02):
            if len(self.gate.held()) < 2:
                continue
            stages = [self.tracker.getStageInfo(number) for number in self.tracker.getActiveStageIds()]
            done = max((stage.numCompletedTasks for stage in stages if stage), default=0)
            running = executors(self.jvm)
            if len(running) == 2:
                self.killed = running[0]
                os.kill(self.killed, signal.SIGKILL)
                self.said = f"{done} tasks had ended, and each executor held one in its middle"
            else:
                self.said = f"no executor was killed, because there are {len(running)}"
            break
        self.gate.open()


def lost(events: Path) -> tuple[int, int, int]:
    """Of the newest event log: executors that were removed, tasks that were lost with one, and tasks that
    succeeded when run again."""
    newest = max(events.iterdir(), key=lambda path: path.stat().st_mtime)
    files = sorted(newest.glob("events*")) if newest.is_dir() else [newest]
    removed = dropped = again = 0
    for line in (line for file in files for line in file.open()):
        event = json.loads(line)
        if event["Event"] == "SparkListenerExecutorRemoved":
            removed += "normal" not in event["Removed Reason"].lower()
        elif event["Event"] == "SparkListenerTaskEnd":
            dropped += event["Task End Reason"]["Reason"] == "ExecutorLostFailure"
            # Spark repeats a task, or the whole stage if it misses what an earlier one left on the executor.
            is_repeated = event["Task Info"]["Attempt"] > 0 or event["Stage Attempt ID"] > 0
            again += event["Task End Reason"]["Reason"] == "Success" and is_repeated
    return removed, dropped, again


def processor_seconds(pid: int) -> float:
    """What a process and its descendants took, those included that have ended and were waited for."""
    total = 0
    for process in [pid, *descendants(pid)]:
        try:
            fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        total += sum(int(value) for value in fields[11:15])
    return total / os.sysconf("SC_CLK_TCK")
