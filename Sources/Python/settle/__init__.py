"""Settle: resize events decided by the C core, from Python."""

from .errors import Error, LogError, PolicyError
from .policy import Policy
from .sweeper import COLUMNS, LAG, PREVIEWS, REBUILDS, WASTED, Sweeper, Swept
from ._library import VERSION as __version__

__all__ = [
    "COLUMNS", "Error", "LAG", "LogError", "PREVIEWS", "Policy", "PolicyError", "REBUILDS", "Sweeper", "Swept",
    "WASTED",
]
