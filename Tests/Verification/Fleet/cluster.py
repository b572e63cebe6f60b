"""The processes of a Spark on this machine: an executor that is killed, and the processor time of all."""

import json
import os
import signal
import threading
from pathlib import Path

from pyspark import SparkContext
from pyspark.sql import SparkSession


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


class Killer(threading.Thread):
    """Kills an executor when some tasks of the deciding stage have ended and two are running."""

    def __init__(self, spark: SparkSession, tasks: int) -> None:
        super().__init__(daemon=True)
        # Of the deciding stage; no other has as many.
        self.tasks = tasks
        self.tracker, self.jvm = spark.sparkContext.statusTracker(), SparkContext._gateway.proc.pid
        self.said = "no executor was killed, because the tasks had ended"
        self.killed: int | None = None
        self.ended = threading.Event()

    def run(self) -> None:
        while not self.ended.wait(0.02):
            for number in self.tracker.getActiveStageIds():
                stage = self.tracker.getStageInfo(number)
                if (
                    stage
                    and stage.numTasks == self.tasks
                    and 2 <= stage.numCompletedTasks <= self.tasks - 4
                    and stage.numActiveTasks == 2
                ):
                    running = executors(self.jvm)
                    if len(running) != 2:
                        continue
                    self.killed = running[0]
                    os.kill(self.killed, signal.SIGKILL)
                    self.said = f"{stage.numCompletedTasks} of {stage.numTasks} tasks had ended, 2 were running"
                    return


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
