"""Which policy for millions of sessions: Apache Spark or this machine's threads spread the logs, and the library
decides them.

`run_local` is a run on this machine, `run` one on Spark, `sweep_batches` is for one's own PySpark programs, `Fleet`
reads what a run wrote, `merge` adds such outputs up, `publish` makes one for others, and `main` is the command
`settle-fleet`. Needs PyArrow; `run` needs PySpark and Java.
"""

from __future__ import annotations

from collections.abc import Sequence

try:
    from .fleet_local import run_local, save
    from .fleet_merge import merge
    from .fleet_output import Cohort, Fleet
    from .fleet_publish import publish
    from .fleet_spark import run
    from .fleet_task import MEMORY_MAX, SCHEMA, sweep_batches
except ImportError as error:
    if (error.name or "").partition(".")[0] != "pyarrow":
        raise
    raise ImportError("settle.fleet needs pyarrow; install it by: pip install pyarrow") from None
from .fleet_input import FleetError

__all__ = [
    "Cohort", "Fleet", "FleetError", "MEMORY_MAX", "SCHEMA", "main", "merge", "publish", "run", "run_local", "save",
    "sweep_batches",
]


def main(arguments: Sequence[str] | None = None) -> int:
    """The command `settle-fleet`; returns its exit status."""
    from .fleet_command import main as command

    return command(arguments)
