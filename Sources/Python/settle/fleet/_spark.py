"""A fleet's run on Apache Spark, which spreads, retries and stores."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import pyarrow as pa

from .._messages import escaped
from ._folder import PARTS, Files, Folder, HadoopFiles
from ._input import FleetError, check_columns, check_sums, local_path
from ._output import TAKEN, mark_of
from ._session import is_spark_error, local_python, problem_of
from ._sums import COHORTS, DAMAGED, SUMS, added, parts_of, sums_rows, texts_of
from ._task import BLOCK, COHORT_FIGURES, MEMORY_MAX, SCHEMA, sweep_batches
from ..policy import Policy

#: Partial sums of one policy that one task of the second stage adds up.
_SUMS_PER_TASK = 500_000
#: Damaged sessions and cohorts that one task of the second stage sorts.
_ROWS_PER_TASK = 500_000

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
    # The second stage's tables are small or sorted, so that plans which change as they run only cost time; it says
    # itself how many tasks it has, by the number of rows.
    "spark.sql.adaptive.enabled": "false", "spark.sql.shuffle.partitions": "1",
}


def run(
    spark: Any, input: Any, output: str, policies: Sequence[Policy], *, today: int = 0, cohort: Sequence[str] = (),
    session: str = "session", log: str = "log", salvage: bool = False, partitions: int | None = None,
    force: bool = False, memory_max: int = MEMORY_MAX, damaged_names: bool = False, sums: bool = False,
) -> dict[str, int]:
    """Decides all sessions under all policies, and writes the sums by cohort to a folder.

    Every sum is of integers, and a task's rows count when Spark has committed the task. So the sums are the
    same for any number of partitions, retries and speculative tasks. docs/guide/fleet.md describes the tables.

    Args:
        spark: A SparkSession with a JVM, so none of Spark Connect.
        input: Parquet with a row for each session, under a name that Spark reads; or a DataFrame, of a table with a
            filter for instance.
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
        damaged_names: Whether the table `damaged` has the sessions' names.
        sums: The column `log` has sums of sessions (`settle.sums`) under `policies`, at most 10, in their order.

    Returns:
        What the tasks took: `tasks`, `sessions` and `busy_ns`, the processor time within them.

    Raises:
        FleetError: The input or the output is not as it must be, and nothing was written; or Spark failed, and what
            was written is incomplete.
        PolicyError: There is no policy, or no one of today.
    """
    from pyspark.sql import functions as F

    chosen = list(policies)
    check_sums(len(chosen), sums)
    mark = mark_of(chosen, cohort, today, salvage)
    if type(spark).__module__.startswith("pyspark.sql.connect"):
        raise FleetError("Spark Connect has no JVM, which a run needs; see settle.fleet.save", 3)
    with _spark_errors(), local_python(spark.sparkContext), _settings(spark, _SETTINGS):
        frame, where = (_frame(spark, input), escaped(input)) if isinstance(input, str) else (input, "the input")
        # Spark knows the columns from a file's end, before any task.
        found = [(field.name, field.dataType.simpleString()) for field in frame.schema.fields]
        check_columns(found, session=session, log=log, cohort=cohort, taken=TAKEN, where=where)
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
            memory_max=memory_max, titles=cohort, damaged_names=damaged_names, sums=sums,
        )
        # The rows are kept, since three tables are made of them, and deciding takes the most time.
        with folder_of(spark, output, force=force) as folder:
            folder.write(*mark)
            frame.mapInArrow(sweep, SCHEMA).write.mode("overwrite").parquet(f"{folder.uri}/{PARTS}")
            took = _write(spark, folder.uri, chosen, cohort)
            folder.finish(json.dumps(took))
    return took


def folder_of(spark: Any, output: str, *, force: bool) -> Folder:
    """The output of a run. Raises FleetError: there is one that must not be replaced."""
    files = HadoopFiles(spark, output)
    path = local_path(files.name, master_is_local=False)
    return Folder(files.name, files, force=force) if path is None else Folder(str(path), Files(), force=force)


def _write(spark: Any, place: str, policies: Sequence[Policy], columns: Sequence[str]) -> dict[str, int]:
    """Adds up the rows of the first stage, and writes the tables `sums`, `cohorts` and `damaged`.

    Returns:
        What the tasks of the first stage took: `tasks`, `sessions` and `busy_ns`.
    """
    from pyspark.sql import functions as F

    rows = spark.read.schema(SCHEMA).parquet(_escaped_glob(f"{place}/{PARTS}"))
    found = rows.groupBy("kind").agg(
        F.count("*").alias("rows"), *(F.sum(name).alias(name) for name in ("sessions", "busy_ns"))
    )
    kinds = {row["kind"]: row for row in found.collect()}
    numbers = {kind: row["rows"] for kind, row in kinds.items()}
    task = kinds.get("task")
    took = {"tasks": numbers.get("task", 0), **{name: task[name] if task else 0 for name in ("sessions", "busy_ns")}}

    def write(frame: Any, table: str, names: Iterable[str]) -> None:
        values = [F.col("cohort")[number].alias(name) for number, name in enumerate(columns)]
        frame.select(*values, *names).write.mode("overwrite").parquet(f"{place}/{table}")

    sums = rows.where("kind = 'sums'")
    cohorts = _divided(sums.where("policy = 0"), ["cohort"], numbers.get("sums", 0), _ROWS_PER_TASK)
    cohorts = cohorts.groupBy("cohort").agg(*(F.sum(name).alias(name) for name in COHORT_FIGURES))
    write(cohorts.sortWithinPartitions("cohort"), "cohorts", COHORTS)
    keys = ["session", "cohort", "problem", "offset", "events"]
    damaged = _divided(rows.where("kind = 'session'"), keys, numbers.get("session", 0), _ROWS_PER_TASK)
    write(damaged.select("cohort", *DAMAGED).sortWithinPartitions(*keys), "damaged", DAMAGED)

    partial = sums.select("cohort", "policy", *COHORT_FIGURES, "cells", "counts")
    rows_per_task = _SUMS_PER_TASK // min(BLOCK, len(policies))
    keys = ["cohort", "policy"]
    partial = _divided(partial, keys, numbers.get("sums", 0), rows_per_task).sortWithinPartitions(*keys)
    schema = "`cohort` array<string>, " + ", ".join(f"`{name}` {kind}" for name, kind in SUMS.items())
    write(partial.mapInArrow(_adding(texts_of(policies)), schema), "sums", SUMS)
    return took


def _adding(texts: pa.Array) -> Callable[[Iterable[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    """A function for mapInArrow that adds up rows which are sorted by cohort and policy."""

    def add(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        parts = (part for batch in batches for part in parts_of(batch))
        for sum_ in added(parts, len(texts)):
            rows = sums_rows(sum_, texts)
            cohorts = pa.array([list(sum_.key)] * len(rows[0]), pa.list_(pa.string()))
            yield pa.RecordBatch.from_arrays([cohorts, *rows], ["cohort", *SUMS])

    return add


def _divided(frame: Any, keys: Sequence[str], rows: int, rows_per_task: int) -> Any:
    """The rows in as many partitions as their number asks for, which follow each other by the keys. Rows that have the
    keys in common are in one partition."""
    partitions = -(-rows // rows_per_task)
    return frame.repartitionByRange(partitions, *keys) if partitions > 1 else frame.repartition(1)


@contextmanager
def _spark_errors() -> Iterator[None]:
    """Raises what Spark raises as a FleetError of one line, with the exception of Spark's as its cause."""
    try:
        yield
    except Exception as error:
        if not is_spark_error(error):
            raise
        raise FleetError(problem_of(error, None, "force=True"), 3) from error


def _frame(spark: Any, input: str) -> Any:
    from pyspark.errors import AnalysisException

    try:
        # With the checksums of pages, where a file has some.
        return spark.read.option("parquet.page.verify-checksum.enabled", "true").parquet(_escaped_glob(input))
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
