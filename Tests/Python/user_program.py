"""A small program of somebody who uses the package, for mypy: its types are known, and a mistake is found."""

from __future__ import annotations

import numpy as np
import settle
from numpy.typing import NDArray


def fewest(paths: list[str]) -> tuple[settle.Policy, int]:
    policies = [settle.Policy(), *settle.Policy.grid()[::500]]
    counts: NDArray[np.int64] = settle.sweep(paths, policies, threads=2)
    indices, knee = settle.front(counts, policies, today=0)
    chosen: int = indices[0] if knee is None else knee
    results = settle.Results(policies, counts)
    html: str = results._repr_html_()
    print(html, results.front, settle.lag_quantile(counts[0], 950) / 1e6)
    several: list[int] = settle.rebuilds(counts).tolist() + settle.busiest(counts).tolist()
    lags: NDArray[np.uint64] = settle.lag_quantile(counts, 950)
    one = np.zeros(counts.shape[1], np.int64)
    first: int = settle.rebuilds(one) + settle.busiest(one) + settle.lag_quantile(one, 950)
    waits: NDArray[np.float64] = settle.right_after(counts, 900) + settle.at_once(counts)
    wait: float = settle.right_after(one) + settle.at_once(one)
    print(several, lags.max(), first.bit_length(), waits.max(), wait.is_integer())
    return policies[chosen], settle.rebuilds(counts[chosen])


def wide(log: settle.Log) -> NDArray[np.uint64]:
    name: str = log.header["name"]
    decided = settle.decisions(log, settle.Policy.uikit())
    print(name, len(decided), log.names[0].upper(), log.complete, log.cost_ns.sum())
    return log.cost_ns


def add(sweeper: settle.Sweeper, log: bytes) -> settle.Swept:
    swept = sweeper.add(log, sweeper.counts(), salvage=True)
    problem: str | None = swept.problem
    print(problem, swept.events + 1)
    return swept


def mistakes(log: settle.Log, sweeper: settle.Sweeper) -> None:
    sweeper.add(5, sweeper.counts())  # type: ignore[arg-type]
    settle.rebuilds(sweeper.counts()).upper()  # type: ignore[attr-defined]
    log.header["nam"]  # type: ignore[typeddict-item]
    settle.sweep([1], [settle.Policy()])  # type: ignore[list-item]
    settle.Policy(quiet_delay_ns="5ms")  # type: ignore[arg-type]
    log.cost_ns + "1"  # type: ignore[operator]
    settle.read(log)  # type: ignore[arg-type]
    settle.Log.from_arrow(5)  # type: ignore[arg-type]
    settle.sweep([log], [settle.Policy()], progress=print)
    settle.sweep([log], [settle.Policy()], progress=lambda done: None)  # type: ignore[arg-type,misc]
