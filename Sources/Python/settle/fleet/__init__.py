"""Which policy for millions of sessions: Apache Spark or this machine's threads spread the logs, and the library
decides them.

`run_local` is a run on this machine, `run` one on Spark, `sweep_batches` is for one's own PySpark programs, `Fleet`
reads what a run wrote, `merge` adds such outputs up, `publish` makes one for others, and `main` is the command
`settle-fleet`. Needs PyArrow; `run` needs PySpark and Java.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

from ._command import main
from ._input import FleetError

__all__ = [
    "Cohort", "Fleet", "FleetError", "MEMORY_MAX", "SCHEMA", "main", "merge", "publish", "run", "run_local", "save",
    "sweep_batches",
]

if TYPE_CHECKING:
    from ._local import run_local, save
    from ._merge import merge
    from ._output import Cohort, Fleet
    from ._publish import publish
    from ._spark import run
    from ._task import MEMORY_MAX, SCHEMA, sweep_batches
else:
    #: What needs PyArrow. It is imported when it is used, as the command's help and messages do without.
    _HOMES = {
        "Cohort": "_output",
        "Fleet": "_output",
        "MEMORY_MAX": "_task",
        "SCHEMA": "_task",
        "merge": "_merge",
        "publish": "_publish",
        "run": "_spark",
        "run_local": "_local",
        "save": "_local",
        "sweep_batches": "_task",
    }

    def __getattr__(name: str) -> object:
        if name not in _HOMES:
            raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
        try:
            return getattr(importlib.import_module(f".{_HOMES[name]}", __name__), name)
        except ImportError as error:
            if (error.name or "").partition(".")[0] != "pyarrow":
                raise
            raise ImportError("settle.fleet needs pyarrow; install it by: pip install pyarrow") from None
