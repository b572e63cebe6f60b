"""Settle: resize events decided by the C core, from Python. docs/guide/python.md is the guide."""

from ._cohorts import CohortError
from ._events import EVENT, Flag, Kind
from ._library import VERSION as __version__
from ._output import OutputError
from ._writer import to_bytes, write
from ._decisions import DECISION, DecisionKind, decision_kind_name, decisions, decisions_json, reason_name
from .errors import Error, LogError, PolicyError
from ._log import Log, read
from ._pack import Packed, PackError, pack
from .policy import Policy
from ._sweep import front, lag_quantile, rebuilds, sweep
from .sweeper import COLUMNS, LAG, PREVIEWS, REBUILDS, RELEASED, WASTED, Sweeper, Swept

__all__ = [
    "COLUMNS", "CohortError", "DECISION", "DecisionKind", "EVENT", "Error", "Flag", "Kind", "LAG", "Log", "LogError",
    "OutputError", "PREVIEWS", "PackError", "Packed", "Policy", "PolicyError", "REBUILDS", "RELEASED", "Sweeper",
    "Swept", "WASTED", "__version__", "decision_kind_name", "decisions", "decisions_json", "front", "lag_quantile",
    "pack", "read", "reason_name", "rebuilds", "sweep", "to_bytes", "write",
]
