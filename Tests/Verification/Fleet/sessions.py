"""Sessions for scripts/checks/fleet, made from the recordings: windows of them, with times scaled, sizes
moved and scenes renamed, and some logs damaged. The same number and seed make the same sessions."""

import random
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import settle
from settle import Flag, Kind
from settle._library import lib

EVENTS_MEDIAN, EVENTS_MAX = 500, 4000
#: Every so many-th log is damaged, in one of these ways.
DAMAGE_EVERY = 100
DAMAGES = ("cut", "flipped", "newer", "empty", "null", "foreign")
PLATFORMS = (("wayland", ("1.0", "1.1", "1.10")), ("x11", ("1.0", "1.10")), (None, ("1.1",)))
ROWS_PER_GROUP = 1000
SCHEMA = pa.schema(
    [("session", pa.string()), ("platform", pa.string()), ("version", pa.string()), ("log", pa.binary())]
)


@dataclass
class Session:
    session: str
    platform: str | None
    version: str | None
    log: bytes | None
    #: How the log was damaged, None for a sound one; and the log before.
    damage: str | None
    whole: bytes

    @property
    def cohort(self):
        return (self.platform, self.version)


def recordings(folder: Path) -> list[np.ndarray]:
    """The events of the recordings."""
    paths = (path for path in sorted(folder.glob("*.jsonl")) if not path.name.endswith(".decisions.jsonl"))
    return [settle.read(path).events for path in paths]


def window(sources: list[np.ndarray], dice: random.Random) -> bytes:
    """A log of a part of a recording, perturbed."""
    source = dice.choice(sources)
    count = max(1, min(int(dice.lognormvariate(np.log(EVENTS_MEDIAN), 0.8)), EVENTS_MAX, len(source)))
    start = dice.randrange(len(source) - count + 1)
    events = source[start : start + count].copy()
    first = int(events["t_ns"].min())
    scale = dice.uniform(0.7, 1.4)
    events["t_ns"] = ((events["t_ns"] - first).astype(np.float64) * scale).astype(np.uint64) + 10**9
    sized = ((events["flags"] & Flag.SIZE_KNOWN) != 0) & (events["width"] > 100)
    events["width"][sized] += dice.randrange(-90, 300)
    events["height"][sized] += dice.randrange(-40, 200)
    scenes = int(events["scene"][events["kind"] != Kind.POINTER].max(initial=0)) + 1
    return settle.to_bytes(settle.Log(events, [f"s{number:x}-{dice.getrandbits(40):x}" for number in range(scenes)]))


def damaged(log: bytes, how: str, dice: random.Random) -> bytes | None:
    chunk = log.index(b"CHNK")
    if how == "cut":
        # Within the first chunk: a log that ends between two is whole.
        body = int.from_bytes(log[chunk + 4 : chunk + 8], "little")
        return log[: dice.randrange(chunk + 5, chunk + lib.SETTLE_LOG_CHUNK_HEADER_BYTES + body)]
    if how == "flipped":
        at = dice.randrange(chunk + lib.SETTLE_LOG_CHUNK_HEADER_BYTES, len(log) - 64)
        return log[:at] + bytes([log[at] ^ 1 << dice.randrange(8)]) + log[at + 1 :]
    if how == "newer":
        # With the header's checksum, since a version that merely looks newer is damage.
        head = log[:8] + (lib.SETTLE_LOG_MAJOR + 1).to_bytes(2, "little") + log[10 : chunk - 4]
        return head + lib.settle_crc32c(0, head, len(head)).to_bytes(4, "little") + log[chunk:]
    return {"empty": b"", "null": None, "foreign": b"not a log, but text\n"}[how]


def sessions(sources: list[np.ndarray], count: int, seed: int = 1):
    """So many sessions; the first of a larger number are those of a smaller one."""
    for number in range(count):
        dice = random.Random(seed * 10**9 + number)
        platform, versions = dice.choice(PLATFORMS)
        log = window(sources, dice)
        is_damaged = number % DAMAGE_EVERY == DAMAGE_EVERY // 2
        damage = DAMAGES[number // DAMAGE_EVERY % len(DAMAGES)] if is_damaged else None
        yield Session(
            f"session-{number:07}", platform, dice.choice(versions),
            log if damage is None else damaged(log, damage, dice), damage, log,
        )


def write_parquet(found: Iterable[Session], path: Path) -> None:
    found = iter(found)
    with pq.ParquetWriter(path, SCHEMA, compression="zstd") as writer:
        while group := list(islice(found, ROWS_PER_GROUP)):
            rows = [{name: getattr(session, name) for name in SCHEMA.names} for session in group]
            writer.write_table(pa.Table.from_pylist(rows, schema=SCHEMA))
