"""By night: the guide's recipe for a cluster, as it stands there, on a master and two workers of this machine; a table
of Delta; and Spark Connect."""

import os
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pyarrow.dataset as ds
import pyarrow.parquet as pq
import pytest
import tables as compared
from results import report
from settle import Policy, fleet

ROOT = Path(__file__).resolve().parents[3]
COHORT = ("platform", "version")
#: Few, since the recipe tries all policies of the grid.
SESSIONS = 300


pytestmark = pytest.mark.long


def test_recipe(given, work) -> None:
    work = work / "cluster"
    work.mkdir()
    shutil.copy(os.environ["WHEEL"], work)
    sessions = work / "sessions.parquet"
    pq.write_table(pq.read_table(given.source).slice(0, SESSIONS), sessions, row_group_size=100)
    recipe = re.search(r"```sh\n(.*?venv-pack.*?)```", (ROOT / "docs/guide/fleet.md").read_text(), re.S)[1]
    with _Cluster(work) as cluster:
        environment = os.environ | {
            "MASTER": cluster.master, "SESSIONS": f"file://{sessions}", "OUT": f"file://{work}/out",
            "SPARK_HOME": cluster.home, "PATH": f"{cluster.home}/bin:{os.environ['PATH']}",
        }
        # What the check needs itself must not help the recipe.
        for name in ("PYSPARK_PYTHON", "PYSPARK_DRIVER_PYTHON", "PYTHONPATH"):
            environment.pop(name, None)
        command = ["bash", "-euc", recipe]
        ended = subprocess.run(command, cwd=work, env=environment, capture_output=True, text=True, check=False)
        executors = cluster.executors()
    faults = [] if ended.returncode == 0 else [f"status {ended.returncode}: {ended.stderr[-800:]}"]
    report(f"the guide's recipe runs verbatim on a standalone master and {executors} executors", faults or executors == 2)
    if faults:
        return
    command = [sys.executable, "-m", "settle", "fleet", sessions, work / "local", "--master", "local[2]"]
    subprocess.run([*command, "--cohort", ",".join(COHORT)], check=True, capture_output=True)
    report(
        "its values are those of local[2]",
        compared.difference(compared.Tables(work / "out"), compared.Tables(work / "local")),
    )


class _Cluster:
    """A standalone master and two workers of Spark, with one processor each. A context manager."""

    def __init__(self, work: Path) -> None:
        import pyspark

        self.home = str(Path(pyspark.__file__).parent)
        self._work, self._processes = work, []
        self.master = ""

    def __enter__(self) -> "_Cluster":
        self._start("master", "master.Master", "--port", "0", "--webui-port", "0")
        self.master = self._said("master", r"Starting Spark master at (spark://\S+)")
        for number in range(2):
            name = f"worker-{number}"
            own = ["--cores", "1", "--memory", "2g", "--work-dir", str(self._work / name), "--webui-port", "0"]
            self._start(name, "worker.Worker", *own, self.master)
            self._said(name, "Successfully registered with master")
        return self

    def _start(self, name: str, kind: str, *more: str) -> None:
        command = [f"{self.home}/bin/spark-class", f"org.apache.spark.deploy.{kind}", "--host", "127.0.0.1", *more]
        with open(self._work / f"{name}.log", "w") as log:
            self._processes.append(subprocess.Popen(command, stdout=log, stderr=log, start_new_session=True))

    def _said(self, name: str, pattern: str) -> str:
        for _ in range(600):
            found = re.search(pattern, (self._work / f"{name}.log").read_text())
            if found:
                return found[found.re.groups]
            time.sleep(0.1)
        raise TimeoutError(f"{name} of Spark did not start: see {self._work}/{name}.log")

    def executors(self) -> int:
        """The workers that ran one."""
        return sum(any((self._work / f"worker-{number}").glob("app-*/*")) for number in range(2))

    def __exit__(self, *_: object) -> None:
        for process in reversed(self._processes):
            os.killpg(process.pid, signal.SIGTERM)
            process.wait()


#: Spark Connect cannot be in one process with another Spark.
_CONNECT = """
import sys
from pyspark.sql import SparkSession
from settle import fleet, Policy
source, out = sys.argv[1:]
policies, cohort = [Policy(), Policy.uikit()], ["platform", "version"]
spark = SparkSession.builder.remote("local[2]").getOrCreate()
frame = spark.read.parquet(source)
try:
    fleet.run(spark, frame, out, policies)
except fleet.FleetError as error:
    assert "Spark Connect has no JVM" in str(error)
sweep = fleet.sweep_batches(policies, cohort=cohort)
fleet.save(frame.mapInArrow(sweep, sweep.schema).toArrow().to_batches(), out, policies, cohort=cohort)
"""


def test_tables(given, work) -> None:
    """A table of Delta with a filter, and Spark Connect."""
    import deltalake

    policies, table = [Policy(), Policy.uikit()], pq.read_table(given.source).slice(0, 2 * SESSIONS)
    pq.write_table(table.slice(0, SESSIONS), work / "half.parquet")
    fleet.run_local(work / "half.parquet", work / "half", policies, cohort=COHORT)
    wanted = compared.Tables(work / "half")
    for part in (table.slice(0, 100), table.slice(100)):
        deltalake.write_deltalake(work / "delta", part, mode="append")
    dataset = deltalake.DeltaTable(work / "delta").to_pyarrow_dataset()
    rows = dataset.filter(ds.field("session") < table["session"][SESSIONS].as_py())
    fleet.run_local(rows, work / "out-delta", policies, cohort=COHORT)
    faults = compared.difference(compared.Tables(work / "out-delta"), wanted)
    report("a table of Delta with a filter counts as its sessions in Parquet", faults)
    command = [sys.executable, "-c", _CONNECT, work / "half.parquet", work / "out-connect"]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    faults = compared.difference(compared.Tables(work / "out-connect"), wanted) if not ended.returncode else [
        ended.stderr[-800:]
    ]
    report("on Spark Connect a run is refused, and sweep_batches with save counts the same", faults)
