"""What policies decide about logs, for notebooks: a table of the front, and a picture of it where there is matplotlib.

    settle.Results(policies, settle.sweep(logs, policies))
"""

from __future__ import annotations

import base64
import importlib.util
import io
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from . import _html
from ._sweep import front, lag_quantile, rebuilds
from ._types import Counts
from .policy import Policy
from .sweeper import WASTED

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_NEVER_NS = 2**40


class Results:
    """Policies with their counts.

    Attributes:
        policies: The policies.
        counts: A row for each of them, as `sweep` returns them.
        today: The index of today's policy.
        front: The indices of the policies that no other is better than, by rising rebuilds.
        knee: The index at the front's knee, or None.

    Raises:
        ValueError: There is not a row for each policy, or no policy with the index `today`.
    """

    def __init__(self, policies: Sequence[Policy], counts: Counts, today: int = 0) -> None:
        self.policies, self.counts, self.today = tuple(policies), counts, today
        self.front, self.knee = front(counts, self.policies, today)

    def __len__(self) -> int:
        return len(self.policies)

    def plot(self, axes: Axes | None = None) -> Axes:
        """Draws rebuilds against p95 lag: all policies, the front, its knee, and today's.

        Args:
            axes: Where to draw; None for new ones of matplotlib.pyplot.

        Raises:
            ImportError: There is no matplotlib.
        """
        if axes is None:
            from matplotlib import pyplot

            axes = pyplot.subplots()[1]
        lag_ms = np.minimum(np.asarray(lag_quantile(self.counts, 950)), _NEVER_NS) / 1e6
        every = np.asarray(rebuilds(self.counts))
        axes.plot(every, lag_ms, ".", color="0.75", label="policies", gid="policies")
        axes.plot(every[self.front], lag_ms[self.front], "o-", markersize=4, label="front", gid="front")
        marked = [("today", self.today, "s")] + ([("knee", self.knee, "D")] if self.knee is not None else [])
        for label, index, marker in marked:
            axes.plot(every[index], lag_ms[index], marker, label=label, gid=label)
        axes.set_xlabel("rebuilds")
        axes.set_ylabel("p95 lag, ms")
        axes.legend()
        return axes

    def _repr_html_(self) -> str:
        """The front's policies by what differs from today's, and the picture."""
        now = self.policies[self.today].to_json()
        rows: list[list[object]] = []
        bold: set[int] = set()
        for index in [self.today, *(own for own in self.front if own != self.today)]:
            own = self.policies[index].to_json()
            changed = [f"{name} {value or 'none'}" for name, value in own.items() if value != now[name]]
            names = ["today"] * (index == self.today) + ["knee"] * (index == self.knee)
            lags = [_html.seconds(int(lag_quantile(self.counts[index], permille))) for permille in (500, 950)]
            if index == self.knee:
                bold.add(len(rows))
            rows.append(
                [index, ", ".join([*names, *changed]), int(rebuilds(self.counts[index])),
                 int(self.counts[index, WASTED]), *lags]
            )
        head = ["policy", "what differs from today's", "rebuilds", "wasted", "p50 lag", "p95 lag"]
        title = f"{len(self):,} policies, {len(self.front)} on the front"
        return _html.table(head, rows, title, frozenset(bold)) + self._picture()

    def _picture(self) -> str:
        if importlib.util.find_spec("matplotlib") is None:
            return ""
        from matplotlib.figure import Figure

        figure, file = Figure(figsize=(6, 3.5), layout="constrained"), io.BytesIO()
        self.plot(figure.subplots())
        figure.savefig(file, format="png", dpi=100)
        data = base64.b64encode(file.getvalue()).decode()
        return f'<img alt="rebuilds against p95 lag" src="data:image/png;base64,{data}">'
