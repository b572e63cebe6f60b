"""Settle: resize events decided by the C core, from Python."""

from .errors import Error, LogError, PolicyError
from .policy import Policy
from ._cohorts import CohortError
from ._output import OutputError
from ._pack import Packed, PackError, pack
from .sweeper import COLUMNS, LAG, PREVIEWS, REBUILDS, WASTED, Sweeper, Swept
from ._library import VERSION as __version__

__all__ = [
    "COLUMNS", "CohortError", "Error", "LAG", "LogError", "OutputError", "PREVIEWS", "PackError", "Packed", "Policy",
    "PolicyError", "REBUILDS", "Sweeper", "Swept", "WASTED", "pack",
]
