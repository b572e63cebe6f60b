"""The command's Spark session: its start, its progress, and what it says when it fails."""

from __future__ import annotations

import os
import re
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any
from urllib.parse import unquote

from .._messages import escaped

_NO_PACKAGE = (
    "the Python of Spark's executors has no package settle for this version of Python and this platform; give them"
    " an environment that has the wheel by --archives, as docs/guide/fleet.md shows (--py-files does not do, since"
    " libsettle.so must be a file)"
)

_SETTINGS = {
    "spark.app.name": "settle-fleet", "spark.ui.showConsoleProgress": "false",
    "spark.sql.parquet.compression.codec": "zstd",
}
#: Nothing of a run on this machine is reachable from others.
_LOCAL_SETTINGS = {
    "spark.driver.host": "127.0.0.1", "spark.driver.bindAddress": "127.0.0.1", "spark.ui.enabled": "false",
    "spark.driver.memory": "2g",
}


def start(master: str | None, conf: Mapping[str, str], messages: str | None) -> Any:
    """A SparkSession of a master, None for that of spark-submit, with settings that take precedence. What the JVM
    prints goes to a file, or to standard error for None."""
    from pyspark.sql import SparkSession

    settings = dict(_SETTINGS)
    builder = SparkSession.builder
    if master is not None:
        builder = builder.master(master)
        if master.startswith("local"):
            os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
            os.environ.setdefault("PYSPARK_DRIVER_PYTHON", sys.executable)
            os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
            settings |= _LOCAL_SETTINGS
    for name, value in (settings | dict(conf)).items():
        builder = builder.config(name, value)
    with _errors_to(messages):
        spark = builder.getOrCreate()
    spark.sparkContext.setLogLevel("ERROR")
    return spark


@contextmanager
def local_python(context: Any) -> Iterator[None]:
    """Has a local master's workers run this Python, which has the package, unless the SparkContext names another."""
    is_chosen = "PYSPARK_PYTHON" in os.environ or context.getConf().get("spark.pyspark.python") is not None
    before = context.pythonExec
    if context.master.startswith("local") and not is_chosen:
        context.pythonExec = sys.executable
    try:
        yield
    finally:
        context.pythonExec = before


@contextmanager
def _errors_to(file: str | None) -> Iterator[None]:
    """Sends standard error to a file; the JVM that starts meanwhile keeps it."""
    if file is None:
        yield
        return
    before, opened = os.dup(2), os.open(file, os.O_WRONLY | os.O_APPEND)
    os.dup2(opened, 2)
    os.close(opened)
    try:
        yield
    finally:
        os.dup2(before, 2)
        os.close(before)


@contextmanager
def progress() -> Iterator[Callable[[str], None]]:
    """A function that shows on a terminal how far it is, at most twice a second, until the end of the context."""
    if not sys.stderr.isatty():
        yield lambda text: None
        return
    next_at = 0.0

    def show(text: str) -> None:
        nonlocal next_at
        if time.monotonic() >= next_at:
            next_at = time.monotonic() + 0.5
            print(f"\r\x1b[K{text}", end="", file=sys.stderr, flush=True)

    try:
        yield show
    finally:
        print("\r\x1b[K", end="", file=sys.stderr, flush=True)


@contextmanager
def task_progress(spark: Any) -> Iterator[None]:
    """Shows on a terminal how many tasks have ended."""
    ended, tracker = threading.Event(), spark.sparkContext.statusTracker()

    def watch() -> None:
        while not ended.wait(0.5):
            stages = [tracker.getStageInfo(stage) for stage in tracker.getActiveStageIds()]
            tasks = [(stage.numCompletedTasks, stage.numTasks) for stage in stages if stage]
            if tasks:
                show(f"{sum(done for done, _ in tasks):,} of {sum(all for _, all in tasks):,} tasks")

    with progress() as show:
        thread = threading.Thread(target=watch, daemon=True)
        if sys.stderr.isatty():
            thread.start()
        try:
            yield
        finally:
            ended.set()
            if thread.ident is not None:
                thread.join()


def is_spark_error(error: BaseException) -> bool:
    return type(error).__module__.partition(".")[0] in ("pyspark", "py4j")


def problem_of(error: BaseException, messages: str | None, again: str = "--force") -> str:
    """Why Spark failed, in one line: what PySpark raised, the file with Spark's messages if there is one, and what
    replaces the output that is incomplete."""
    text = str(error)
    if re.search(r"No module named '(settle|pyarrow|cffi|numpy)|ImportError: settle: cannot load", text):
        return _NO_PACKAGE
    if "OverflowError: settle fleet: " in text:
        return text.partition("OverflowError: settle fleet: ")[2].split("\n")[0]
    cause = [
        line.strip(" \t:")
        for line in text.split("\n")
        if re.match(r"[\s:]*(Caused by: |\w+(\.\w+)*(Error|Exception): )", line)
    ]
    shown = escaped((cause or text.strip().split("\n"))[-1][:500])
    file = re.search(r"\[FAILED_READ_FILE\S* Encountered error while reading file (\S+)\.\s", text)
    if file:
        shown = f"{escaped(unquote(file[1]))}: this cannot be read: {shown}"
    more = "" if messages is None else f"; Spark's messages are in {messages}"
    return f"Spark failed: {shown}; what was written is incomplete: run it again with {again}{more}"
