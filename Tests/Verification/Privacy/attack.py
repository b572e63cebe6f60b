"""Attacks on anonymized sessions: whoever knows how a session began looks for it among the anonymized ones."""

from collections.abc import Callable

import numpy as np
import settle
from settle import Flag

#: So many gaps or sizes are known.
KNOWN = 10


def gaps(log: bytes) -> np.ndarray:
    """The first gaps between events, on a scale on which 10 ms are as far from 20 ms as 1 s from 2 s."""
    times = settle.read(log).events["t_ns"].astype(np.int64)
    return _padded(np.log10(np.maximum(np.diff(times), 0) / 1e6 + 1), KNOWN)


def sizes(log: bytes) -> np.ndarray:
    """The first sizes, in both directions."""
    events = settle.read(log).events
    sized = events[(events["flags"] & Flag.SIZE_KNOWN) != 0][:KNOWN]
    return _padded(np.stack([sized["width"], sized["height"]], axis=1).ravel(), 2 * KNOWN)


def _padded(values: np.ndarray, count: int) -> np.ndarray:
    padded = np.full(count, -1.0)
    padded[: min(len(values), count)] = values[:count]
    return padded


def found(anonymized: list[bytes], known: list[bytes], seen: Callable[[bytes], np.ndarray]) -> float:
    """The share of the anonymized sessions whose nearest known one is their own; of k that are as near, 1 / k."""
    there, here = (np.round(np.stack([seen(log) for log in logs]), 9) for logs in (anonymized, known))
    distances = np.abs(there[:, None] - here[None]).sum(2)
    nearest = distances <= distances.min(1, keepdims=True) + 1e-9
    return float(np.where(nearest.diagonal(), 1 / nearest.sum(1), 0).mean())
