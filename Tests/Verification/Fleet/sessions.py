"""Sessions for scripts/checks/fleet, made from the recordings: windows of them, with times scaled, sizes
moved and scenes renamed, and some logs damaged. The same number and seed make the same sessions."""

import random
import subprocess
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from settle import _whole
from settle._library import ffi, lib

EVENT = np.dtype([("at_ns", "u8"), ("width", "f8"), ("height", "f8"), ("name", "u4"), ("kind", "u2"), ("flags", "u2")])
HAS_SIZE, POINTER, DISCONNECT = 1 << 7, 3, 2
EVENTS_MEDIAN, EVENTS_MAX = 500, 4000
#: Every so many-th log is damaged, in one of these ways.
DAMAGE_EVERY = 100
DAMAGES = ("cut", "flipped", "newer", "empty", "null", "foreign")
PLATFORMS = (("wayland", ("1.0", "1.1", "1.10")), ("x11", ("1.0", "1.10")), (None, ("1.1",)))
ROWS_PER_GROUP = 1000
METADATA = b'{"settle":"events","version":1,"clock":"monotonic","unit":"px"}'
CHUNKS_AT, CHUNK_HEADER = 16 + len(METADATA) + 4, 48
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


def recordings(settle: str, folder: Path, work: Path) -> list[np.ndarray]:
    """The events of the recordings."""
    out = []
    for path in sorted(folder.glob("*.jsonl")):
        if path.name.endswith(".decisions.jsonl"):
            continue
        binary = work / (path.stem + ".settle")
        subprocess.run([settle, "convert", "--force", str(path), str(binary)], check=True, capture_output=True)
        log = binary.read_bytes()
        whole, contents, memory = ffi.new("settle_log_whole *"), ffi.new("settle_log_contents *"), _whole.Memory()
        buffer = ffi.from_buffer("unsigned char[]", log)
        _whole.measure(buffer, False, whole)
        _whole.read(whole, memory, contents)
        raw = ffi.buffer(contents.events, contents.count * EVENT.itemsize)
        out.append(np.frombuffer(bytes(raw), dtype=EVENT))
    return out


def encode(events: np.ndarray, names: list[bytes]) -> bytes:
    """A binary log with an index, in chunks of 1,024 events."""
    head = ffi.new("unsigned char[16]")
    lib.settle_log_write_file_header(head, len(METADATA))
    out = bytearray(bytes(ffi.buffer(head)) + METADATA)
    out += lib.settle_crc32c(0, bytes(out), len(out)).to_bytes(4, "little")
    entries = []
    for start in range(0, len(events), 1024):
        part = events[start : start + 1024].copy()
        scenes = part["kind"] != POINTER
        used, numbers = np.unique(part["name"][scenes], return_inverse=True)
        part["name"][scenes] = numbers
        dictionary = b"".join(len(names[name]).to_bytes(2, "little") + names[name] for name in used)
        chunk = ffi.new("settle_log_chunk *")
        chunk.first_ns, chunk.last_ns = int(part["at_ns"].min()), int(part["at_ns"].max())
        chunk.events, chunk.scenes, chunk.dictionary_bytes = len(part), len(used), len(dictionary)
        encoded = ffi.new("unsigned char[]", len(part) * 32)
        sizes = ffi.new("settle_log_size[]", max(len(used), 1))
        count = lib.settle_log_encode(chunk, ffi.cast("settle_log_event *", ffi.from_buffer(part)), sizes, encoded)
        body = dictionary + bytes(ffi.buffer(encoded, count))
        chunk.body_bytes, chunk.body_crc = len(body), lib.settle_crc32c(0, body, len(body))
        header = ffi.new("unsigned char[48]")
        lib.settle_log_write_chunk_header(header, chunk)
        entries.append((len(out), chunk.first_ns, chunk.last_ns, len(part), 48 + len(body)))
        out += bytes(ffi.buffer(header)) + body
    footer = ffi.new("unsigned char[]", 32 + 32 * len(entries))
    lib.settle_log_write_footer_header(footer, len(entries), len(events))
    for number, entry in enumerate(entries):
        lib.settle_log_write_footer_entry(footer + 16 + 32 * number, ffi.new("settle_log_index_entry *", entry))
    end = 16 + 32 * len(entries)
    lib.settle_log_write_footer_tail(footer + end, lib.settle_crc32c(0, footer, end), len(entries))
    return bytes(out) + bytes(ffi.buffer(footer))


def window(sources: list[np.ndarray], dice: random.Random) -> bytes:
    """A log of a part of a recording, perturbed."""
    source = dice.choice(sources)
    count = max(1, min(int(dice.lognormvariate(np.log(EVENTS_MEDIAN), 0.8)), EVENTS_MAX, len(source)))
    start = dice.randrange(len(source) - count + 1)
    events = source[start : start + count].copy()
    first = int(events["at_ns"].min())
    scale = dice.uniform(0.7, 1.4)
    events["at_ns"] = ((events["at_ns"] - first).astype(np.float64) * scale).astype(np.uint64) + 10**9
    sized = ((events["flags"] & HAS_SIZE) != 0) & (events["width"] > 100)
    events["width"][sized] += dice.randrange(-90, 300)
    events["height"][sized] += dice.randrange(-40, 200)
    names = [
        b"s%x" % dice.getrandbits(40) for _ in range(int(events["name"][events["kind"] != POINTER].max(initial=0)) + 1)
    ]
    return encode(events, names)


def damaged(log: bytes, how: str, dice: random.Random) -> bytes | None:
    if how == "cut":
        # Within the first chunk: a log that ends between two is whole.
        body = int.from_bytes(log[CHUNKS_AT + 4 : CHUNKS_AT + 8], "little")
        return log[: dice.randrange(CHUNKS_AT + 5, CHUNKS_AT + CHUNK_HEADER + body)]
    if how == "flipped":
        at = dice.randrange(CHUNKS_AT + CHUNK_HEADER, len(log) - 64)
        return log[:at] + bytes([log[at] ^ 1 << dice.randrange(8)]) + log[at + 1 :]
    if how == "newer":
        # With the header's checksum, since a version that merely looks newer is damage.
        head = log[:8] + (2).to_bytes(2, "little") + log[10 : CHUNKS_AT - 4]
        return head + lib.settle_crc32c(0, head, len(head)).to_bytes(4, "little") + log[CHUNKS_AT:]
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
            f"session-{number:07}",
            platform,
            dice.choice(versions),
            log if damage is None else damaged(log, damage, dice),
            damage,
            log,
        )


def write_parquet(found, path: Path) -> None:
    rows = []
    with pq.ParquetWriter(path, SCHEMA, compression="zstd") as writer:

        def flush():
            writer.write_table(pa.Table.from_pylist(rows, schema=SCHEMA))
            rows.clear()

        for session in found:
            rows.append({name: getattr(session, name) for name in SCHEMA.names})
            if len(rows) == ROWS_PER_GROUP:
                flush()
        if rows:
            flush()
