"""Settle: resize events decided by the C core, from Python. docs/guide/python.md is the guide."""

from ._cohorts import CohortError
from ._events import EVENT, Flag, Kind, REPORT
from ._library import VERSION as __version__
from ._output import OutputError
from ._writer import to_bytes, write
from ._decisions import DECISION, DecisionKind, decision_kind_name, decisions, decisions_json, reason_name
from .errors import Error, LogError, PolicyError
from ._log import Log, read
from ._pack import Packed, PackError, pack
from .policy import Policy
from ._sums import SUMS_POLICIES_MAX, sums
from ._sweep import at_once, busiest, front, habits, lag_quantile, rebuilds, right_after, sweep
from .results import Results
from .sweeper import (
    BUILDS, BUSIEST, COLUMNS, GIVEN_UP, HABITS, LAG, PREVIEWS, REBUILDS, RELEASED, RIGHT_AFTER, RIGHT_AFTER_SUM, WASTED,
    WORK, WRONG, Sweeper, Swept,
)

__all__ = [
    "BUILDS", "BUSIEST", "COLUMNS", "CohortError", "DECISION", "DecisionKind", "EVENT", "Error", "Flag", "GIVEN_UP",
    "HABITS", "Kind", "LAG", "Log", "LogError", "OutputError", "PREVIEWS", "PackError", "Packed", "Policy",
    "PolicyError", "REBUILDS", "RELEASED", "REPORT", "RIGHT_AFTER", "RIGHT_AFTER_SUM", "Results",
    "SUMS_POLICIES_MAX", "Sweeper", "Swept", "WASTED", "WORK", "WRONG", "__version__", "at_once", "busiest",
    "decision_kind_name", "decisions", "decisions_json", "front", "habits", "lag_quantile", "pack", "read",
    "reason_name", "rebuilds", "right_after", "sums", "sweep", "to_bytes", "write",
]
