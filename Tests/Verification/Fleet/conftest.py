"""The sessions, policies and counts that the tests of fleets share, and Spark."""

import json
import os
import resource
import subprocess
import sys
from pathlib import Path

import pytest
import sessions as made
from cluster import run, start
from settle import Policy

SESSIONS, POLICIES, FEW = 20_000, 100, 10


class Given:
    """Sessions, in a file and the sound ones in a folder per cohort, and policies."""

    def __init__(self, work: Path) -> None:
        self.sources = made.recordings(Path(__file__).resolve().parents[2] / "Recordings")
        self.sessions, self.source = list(made.sessions(self.sources, SESSIONS)), work / "sessions.parquet"
        made.write_parquet(self.sessions, self.source)
        grid = Policy.grid()
        self.policies = list(dict.fromkeys([Policy(), *grid[:: len(grid) // POLICIES]]))[:POLICIES]
        self.few, self.policies_file = self.policies[:FEW], work / "policies.json"
        self.policies_file.write_text("".join(json.dumps(policy.to_json()) + "\n" for policy in self.policies))
        self.folder, self.cohorts = work / "logs", {}
        for session in self.sessions:
            place = self.cohorts.setdefault(session.cohort, self.folder / f"cohort-{len(self.cohorts)}")
            place.mkdir(parents=True, exist_ok=True)
            if session.damage is None:
                (place / f"{session.session}.settle").write_bytes(session.log)

    def tune(self, folder: Path, jobs: int) -> tuple[dict, float]:
        """What settle tune prints, and its processor time in seconds."""
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        command = [os.environ["SETTLE"], "tune", "--json", "--jobs", str(jobs), "--policies", self.policies_file, folder]
        run = subprocess.run(command, capture_output=True, check=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return json.loads(run.stdout), after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


@pytest.fixture(scope="session")
def given(work):
    for name in ("events", "spark"):
        (work / name).mkdir()
    os.environ |= {
        "PYSPARK_PYTHON": sys.executable, "PYSPARK_DRIVER_PYTHON": sys.executable, "SPARK_LOCAL_IP": "127.0.0.1",
    }
    return Given(work)


@pytest.fixture
def spark(given, work):
    """The Spark that runs, or a new one."""
    return start("local[2]", work, {})


@pytest.fixture(scope="session")
def counted(given, work):
    """The tables on local[2], what their run says of itself, and its time."""
    return run(start("local[2]", work, {}), given.source, work / "out-local", given.policies)


@pytest.fixture(scope="session")
def tuned(given):
    return {cohort: given.tune(folder, 2)[0] for cohort, folder in given.cohorts.items()}


@pytest.fixture(scope="session")
def tune_s(given):
    return given.tune(given.folder, 1)[1]
