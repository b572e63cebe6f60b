"""Which policy for millions of sessions: Apache Spark spreads the logs, and the library decides them.

`sweep_batches` is for one's own PySpark programs, `run` is the whole run, `main` the command `settle-fleet`,
and `Fleet` reads what a run wrote. Needs PyArrow; `run` and `main` need PySpark and Java.
"""

from __future__ import annotations

import ctypes
import json
import os
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

try:
    from .fleet_output import MARK, SUCCESS, VERSION_OF_OUTPUT, Cohort, Fleet
    from .fleet_sums import SUMS, write
    from .fleet_task import COHORT_FIGURES, MEMORY_MAX, SCHEMA, sweep_batches
except ImportError as error:
    if (error.name or "").partition(".")[0] != "pyarrow":
        raise
    raise ImportError("settle.fleet needs pyarrow; install it by: pip install 'settle[fleet]'") from None
from ._library import VERSION
from ._messages import escaped
from .errors import PolicyError
from .fleet_input import FleetError, check_columns
from .fleet_session import is_spark_error, local_python, problem_of
from .policy import Policy

__all__ = ["Cohort", "Fleet", "FleetError", "MEMORY_MAX", "SCHEMA", "main", "run", "sweep_batches"]

#: Names that no cohort column may have, because the outputs' other columns have them.
TAKEN = tuple(dict.fromkeys((*SUMS, *COHORT_FIGURES, "session", "problem", "offset")))
#: The folder of the tasks' rows within the output, and the file with what they took.
PARTS, TIMES = "_parts", "_times.json"
#: Behind the name of an output: the new one until it is complete, and the old one while it is replaced.
_PARTIAL, _OLDER = ".partial", ".older"
#: Of Linux: AT_FDCWD and RENAME_EXCHANGE.
_HERE, _RENAME_EXCHANGE = -100, 2

_PROTOCOLS = "org.apache.spark.sql.execution.datasources"
#: Spark's settings that a run depends on; those of the session are put back after it.
_SETTINGS = {
    # Names as they are written; values of folders such as version=1.10 as they are.
    "spark.sql.caseSensitive": "true",
    "spark.sql.sources.partitionColumnTypeInference.enabled": "false",
    "spark.sql.parquet.binaryAsString": "false",
    # A row is a whole log, so that rows are much larger than those that the defaults are for.
    "spark.sql.execution.arrow.maxRecordsPerBatch": "1000",
    "spark.sql.execution.arrow.maxBytesPerBatch": str(16 << 20),
    "spark.sql.parquet.columnarReaderBatchSize": "256",
    # The second stage's tables are small or sorted, so that plans which change as they run only cost time.
    "spark.sql.adaptive.enabled": "false",
    # A task's files count when its job has ended, and not before.
    "spark.sql.sources.commitProtocolClass": f"{_PROTOCOLS}.SQLHadoopMapReduceCommitProtocol",
}


def run(
    spark: Any, input: str, output: str, policies: Sequence[Policy], *, today: int = 0, cohort: Sequence[str] = (),
    session: str = "session", log: str = "log", salvage: bool = False, partitions: int | None = None,
    force: bool = False, memory_max: int = MEMORY_MAX,
) -> dict[str, int]:
    """Decides all sessions under all policies, and writes the sums by cohort to a folder.

    Every sum is of integers, and a task's rows count when Spark has committed the task. So the sums are the
    same for any number of partitions, retries and speculative tasks. docs/guide/fleet.md describes the tables.

    Args:
        spark: A SparkSession.
        input: Parquet with a row for each session, under a name that Spark reads.
        output: The folder to write, under a name that Spark writes.
        policies: The policies, at least one.
        today: The index of today's policy.
        cohort: The columns whose values make a cohort.
        session: The column with the sessions' names.
        log: The column with whole binary logs.
        salvage: Counts the intact parts of damaged logs.
        partitions: Distributes the sessions anew into so many partitions, by their names.
        force: Replaces an output of an earlier run, also one that has not ended, once the new one is complete. All of
            the folder is deleted then, also files of others in it. Until then the new one is `output` with `.partial`
            behind it.
        memory_max: As for `sweep_batches`.

    Returns:
        What the tasks took: `tasks`, `sessions` and `busy_ns`, the processor time within them.

    Raises:
        FleetError: The input or the output is not as it must be, and nothing was written; or Spark failed, and what
            was written is incomplete.
        PolicyError: There is no policy, or no one of today.
    """
    from pyspark.sql import functions as F

    chosen = list(policies)
    if not chosen or not 0 <= today < len(chosen):
        raise PolicyError(f"there must be a policy, and today's index {today} below their number {len(chosen)}")
    with _spark_errors(), local_python(spark.sparkContext), _settings(spark, _SETTINGS):
        frame = _frame(spark, input)
        # Spark knows the columns from a file's end, before any task.
        found = [(field.name, field.dataType.simpleString()) for field in frame.schema.fields]
        check_columns(found, session=session, log=log, cohort=cohort, taken=TAKEN, where=escaped(input))
        folder = _Folder(spark, output)
        folder.begin(force)
        mark = {
            "settle": "fleet-output", "version": VERSION_OF_OUTPUT, "generator": f"settle {VERSION}",
            "columns": list(cohort), "policies": [policy.to_json() for policy in chosen], "today": today,
            "salvaged": salvage,
        }
        folder.write(MARK, json.dumps(mark, ensure_ascii=False))
        place = folder.place
        # Names of one's own, whatever the columns are called.
        values = [F.col(_quoted(name)).cast("string").alias(f"cohort_{number}") for number, name in enumerate(cohort)]
        frame = frame.select(
            F.col(_quoted(session)).cast("string").alias("session"), F.col(_quoted(log)).alias("log"), *values
        )
        if partitions is not None:
            # By a hash and not in turn: a task that is run again must get the same rows.
            frame = frame.repartition(partitions, "session")
        sweep = sweep_batches(
            chosen, cohort=[f"cohort_{number}" for number in range(len(cohort))], salvage=salvage,
            memory_max=memory_max, titles=cohort,
        )
        # The rows are kept, since three tables are made of them, and deciding takes the most time.
        frame.mapInArrow(sweep, SCHEMA).write.mode("overwrite").parquet(f"{place}/{PARTS}")
        took = write(spark, _escaped_glob(f"{place}/{PARTS}"), place, chosen, cohort)
        folder.delete(PARTS)
        folder.write(TIMES, json.dumps(took))
        folder.write(SUCCESS, "")
        folder.finish()
    return took


@contextmanager
def _spark_errors() -> Iterator[None]:
    """Raises what Spark raises as a FleetError of one line, with the exception of Spark's as its cause."""
    try:
        yield
    except Exception as error:
        if not is_spark_error(error):
            raise
        raise FleetError(problem_of(error, None, "force=True"), 3) from error


class _Folder:
    """The output, in whichever file system of Spark's it is. One that replaces another is written beside it, and takes
    its place when it is complete."""

    def __init__(self, spark: Any, name: str) -> None:
        self._name = escaped(name)
        #: The folder to write, under a name that Spark writes.
        self.place = name
        self._jvm = spark.sparkContext._jvm
        self._path = self._target = self._jvm.org.apache.hadoop.fs.Path(name)
        self._files = self._path.getFileSystem(spark.sparkContext._jsc.hadoopConfiguration())

    def _of(self, name: str) -> Any:
        return self._jvm.org.apache.hadoop.fs.Path(self._path, name)

    def begin(self, force: bool) -> None:
        """Makes the folder to write, empty. Raises FleetError: there is one that must not be replaced."""
        if self._check(force):
            self.place = self.place.rstrip("/") + _PARTIAL
            self._path = self._jvm.org.apache.hadoop.fs.Path(self.place)
            if self._check(force=True):
                self._files.delete(self._path, True)
        self._files.mkdirs(self._path)

    def _check(self, force: bool) -> bool:
        """Whether there is an output that may be replaced."""
        if not self._files.exists(self._path):
            return False
        if not self._files.exists(self._of(MARK)):
            if self._files.isDirectory(self._path) and not self._files.listStatus(self._path):
                return False
            shown = escaped(self.place)
            raise FleetError(f"{shown}: this exists, and settle-fleet did not write it; choose another folder", 3)
        if not force:
            state = "exists" if self._files.exists(self._of(SUCCESS)) else "is of a run that has not ended"
            raise FleetError(f"{self._name}: the output {state}; give --force to replace it", 3)
        return True

    def finish(self) -> None:
        """Gives the complete folder its name, and deletes the one that had it. Raises FleetError: the file system
        refuses it. Both folders are there."""
        if self._path is self._target:
            return
        old = self._path
        if not _exchange(str(self._path), str(self._target)):
            # Only one of two names can change at once: the older one is under the third meanwhile.
            old = self._jvm.org.apache.hadoop.fs.Path(str(self._target).rstrip("/") + _OLDER)
            self._files.delete(old, True)
            if not self._files.rename(self._target, old) or not self._files.rename(self._path, self._target):
                if not self._files.exists(self._target):
                    self._files.rename(old, self._target)
                shown = escaped(self.place)
                raise FleetError(f"{self._name}: it cannot be replaced; the new output is complete in {shown}", 3)
        self._files.delete(old, True)
        self._path = self._target

    def write(self, name: str, text: str) -> None:
        out = self._files.create(self._of(name), True)
        try:
            out.write(bytearray(text.encode()))
        finally:
            out.close()

    def delete(self, name: str) -> None:
        self._files.delete(self._of(name), True)

    def copy_tables(self, target: str) -> None:
        """Copies the output to a folder on this machine, without the first stage's rows."""
        path = self._jvm.org.apache.hadoop.fs.Path("file://" + target)
        for name in (MARK, SUCCESS, TIMES, "sums", "cohorts", "damaged"):
            self._files.copyToLocalFile(False, self._of(name), path, True)


def _exchange(one: str, other: str) -> bool:
    """Exchanges two folders of this machine in one step, so that there is one of each name at any time; False where
    the system cannot."""
    paths = [os.fsencode(re.sub("^file:/+", "/", name)) for name in (one, other)]
    if not all(path.startswith(b"/") and os.path.isdir(path) for path in paths):
        return False
    try:
        renameat2 = ctypes.CDLL(None).renameat2
    except AttributeError:
        return False
    return renameat2(_HERE, paths[0], _HERE, paths[1], _RENAME_EXCHANGE) == 0


def _frame(spark: Any, input: str) -> Any:
    from pyspark.errors import AnalysisException

    try:
        return spark.read.parquet(_escaped_glob(input))
    except AnalysisException as error:
        text = escaped(str(error).strip().split("\n")[0][:300])
        raise FleetError(f"{escaped(input)}: this cannot be read as Parquet: {text}") from None


@contextmanager
def _settings(spark: Any, settings: dict[str, str]) -> Iterator[None]:
    before = {name: spark.conf.get(name, None) for name in settings}
    try:
        for name, value in settings.items():
            spark.conf.set(name, value)
        yield
    finally:
        for name, value in before.items():
            spark.conf.unset(name) if value is None else spark.conf.set(name, value)


def _quoted(name: str) -> str:
    return "`" + name.replace("`", "``") + "`"


def _escaped_glob(name: str) -> str:
    """A name for Spark's readers, which otherwise take brackets and the like for a pattern."""
    return re.sub(r"([{}\[\]*?\\])", r"\\\1", name)


def main(arguments: Sequence[str] | None = None) -> int:
    """The command `settle-fleet`; returns its exit status."""
    from .fleet_command import main as command

    return command(arguments)
