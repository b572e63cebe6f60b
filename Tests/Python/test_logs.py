"""Logs in both encodings, whole and damaged, as arrays and as tables."""

import io
import json
import mmap
import pickle
import random
from itertools import chain, combinations

import numpy as np
import pytest
from conftest import RECORDINGS, needs_arrow

import settle

HEADER = b'{"settle":"events","version":1}\n'


def same(one: settle.Log, other: settle.Log) -> bool:
    return (one.events.tobytes(), one.names, one.header) == (other.events.tobytes(), other.names, other.header)


def made(count: int = 3_000, seed: int = 1) -> settle.Log:
    """A log with every flag, kind and odd size."""
    generator = np.random.default_rng(seed)
    events = np.zeros(count, settle.EVENT)
    events["t_ns"] = np.sort(generator.integers(0, 2**40, count))
    events["kind"] = generator.choice([0, 0, 0, 0, 1, 2, 3, 7, 8], count)
    # The names are in order of appearance, as a reader numbers them.
    events["kind"][:5] = 0
    is_geometry, is_pointer = events["kind"] == 0, events["kind"] == 3
    flags = generator.integers(0, 16, count) | generator.integers(0, 5, count) << 4
    flags |= generator.integers(0, 2, count) << 7
    others = np.where(is_pointer, 1 << 8, np.where(events["kind"] == settle.Kind.PREVIEWED, settle.Flag.GIVEN_UP, 0))
    events["flags"] = np.where(is_geometry, flags, others * generator.integers(0, 2, count))
    sizes = np.array([0.0, -0.0, 1, 400.5, np.nan, np.inf, -np.inf, -3, 1e300, 5e-324])
    is_sized = is_geometry & (flags & 128 != 0)
    for side in ("width", "height"):
        events[side] = np.where(is_sized, generator.choice(sizes, count), 0)
    reports, is_report = events.view(settle.REPORT), events["kind"] >= settle.Kind.FINISHED
    for what, numbers in (("cost_ns", [0, 1, 8_000_000, 2**53]), ("generation", [0, 1, 2, 2**32 - 1])):
        reports[what] = np.where(is_report, generator.choice(numbers, count), reports[what])
    events["scene"] = np.where(np.arange(count) < 5, np.arange(count), generator.integers(0, 5, count))
    return settle.Log.from_events(events, ["a", "", 'q"\\\n\x01', "é😀", "n" * 1024], {"name": "made"})


def test_recordings_in_both_encodings(binary_logs, settle_command, tmp_path):
    settle.write(made(), tmp_path / "made.settle")
    assert same(settle.read(tmp_path / "made.settle"), made())
    for text, binary in zip(RECORDINGS, binary_logs):
        log = settle.read(text)
        assert same(log, settle.read(binary))
        assert log.complete is None and settle.read(binary).complete is True
    for binary in [*binary_logs, tmp_path / "made.settle"]:
        log = settle.read(binary)
        lines = settle_command.convert(binary, tmp_path / "x.jsonl")
        for name, expected in (("log.settle", binary), ("log.jsonl", lines)):
            settle.write(log, tmp_path / name, force=True)
            assert (tmp_path / name).read_bytes() == expected.read_bytes()


def test_reports_of_builds():
    lines = HEADER + (
        b'{"t_ns":1,"scene":"a","width":4,"height":3}\n{"t_ns":5,"scene":"a","kind":"finished","generation":1,"cost_ns":4}\n'
        b'{"t_ns":9,"scene":"a","kind":"finished","generation":4294967295,"cost_ns":9223372036854775807}\n'
        b'{"t_ns":9,"scene":"a","kind":"previewed","generation":2,"cost_ns":5}\n'
        b'{"t_ns":9,"scene":"a","kind":"previewed","generation":3,"cost_ns":6,"kept":false}\n'
    )
    log = settle.read(lines)
    for log in (settle.read(lines), settle.read(settle.to_bytes(settle.read(lines)))):
        kinds = [settle.Kind(kind).name.lower() for kind in log.events["kind"]]
        assert kinds == ["geometry", "finished", "finished", "previewed", "previewed"]
        assert log.generation.tolist() == [0, 1, 2**32 - 1, 2, 3] and log.cost_ns.tolist() == [0, 4, 2**53, 5, 6]
        assert (log.events["flags"] & settle.Flag.GIVEN_UP != 0).tolist() == [False] * 4 + [True]
        assert (log.generation.dtype, log.cost_ns.dtype) == (np.uint32, np.uint64)
    # Logs of the version before have no such events, and are read as ever.
    older = settle.to_bytes(settle.read(RECORDINGS[0]))
    head = older[:8] + b"\1\0" + older[10 : 16 + int.from_bytes(older[12:16], "little")]
    rest = older[len(head) + 4 :]
    assert older[8:10] == b"\3\0" and same(settle.read(head + crc32c(head) + rest), settle.read(older))


def crc32c(data: bytes) -> bytes:
    from settle._library import lib

    return lib.settle_crc32c(0, data, len(data)).to_bytes(4, "little")


def test_every_source(binary_logs, monkeypatch):
    path = binary_logs[0]
    content = path.read_bytes()
    log = settle.read(path)
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as mapped:
        strided = memoryview(b"".join(bytes([byte, 0]) for byte in content))[::2]
        array = np.frombuffer(content, "u1")
        for source in (str(path), content, bytearray(content), memoryview(content), strided, array, file):
            assert same(settle.read(source), log)
        assert same(settle.read(mapped), log)
        assert same(settle.read(memoryview(RECORDINGS[0].read_bytes())), log)
    for source in (5, None, ["x"]):
        with pytest.raises(TypeError, match="a log is a path"):
            settle.read(source)
    with pytest.raises(TypeError, match="binary mode"), RECORDINGS[0].open() as file:
        settle.read(file)
    with pytest.raises(FileNotFoundError):
        settle.read(path.parent / "none.settle")
    with pytest.raises(ValueError, match="format must be one of"):
        settle.read(content, format="xev")


def test_the_array_lives_without_its_log():
    events = settle.read(RECORDINGS[0]).events
    kept = settle.read(settle.to_bytes(settle.read(RECORDINGS[0]))).events
    [bytearray(1 << 20) for _ in range(20)]
    assert events.tobytes() == kept.tobytes()
    assert same(pickle.loads(pickle.dumps(made(10))), made(10))


@needs_arrow
def test_tables():
    import pyarrow as pa

    logs = [settle.read(path) for path in RECORDINGS] + [made(), settle.read(HEADER)]
    for log in logs:
        again = settle.Log.from_arrow(log.to_arrow())
        # A value whose flag does not say that it is known is not kept.
        known = log.events["flags"] & 0b1111_0101 | log.events["flags"] & 0b1010 & log.events["flags"] << 1
        expected = settle.Log(log.events.copy(), log.names, log.header)
        expected.events["flags"] = np.where(log.events["kind"] == 0, known, log.events["flags"])
        assert same(again, expected)
    sizes = made().to_arrow().column("width").to_numpy()
    assert np.isnan(sizes).any() and np.isinf(sizes).any()
    assert settle.Log.from_arrow(pa.table({"t_ns": [1], "scene": ["a"]})).events.tolist() == [(1, 0, 0, 0, 0, 0)]
    finished = {"t_ns": [1], "scene": ["a"], "kind": ["finished"]}
    for cost in (8_000_000, 2**53, 2**60):
        log = settle.Log.from_arrow(pa.table({**finished, "generation": [2], "cost_ns": [cost]}))
        assert log.events.view(settle.REPORT).tolist() == [(1, min(cost, 2**53), 2, 0, 7, 0)]
    row = log.to_arrow().to_pylist()[0]
    assert (row["kind"], row["width"], row["generation"], row["cost_ns"]) == ("finished", None, 2, 2**53)
    columns = {**finished, "kind": ["previewed"], "generation": [2], "cost_ns": [3]}
    for kept, flags in ((True, 0), (None, 0), (False, settle.Flag.GIVEN_UP)):
        log = settle.Log.from_arrow(pa.table({**columns, "kept": [kept]}))
        assert log.events.view(settle.REPORT).tolist() == [(1, 3, 2, 0, 8, flags)]
        assert log.to_arrow().to_pylist()[0]["kept"] == (flags == 0)
    for columns, problem in [
        ({"scene": ["a"]}, 'no column "t_ns"'), ({"t_ns": ["x"], "scene": ["a"]}, 'column "t_ns" is of type string'),
        ({"t_ns": [-1], "scene": ["a"]}, 'column "t_ns", row 0'), ({"t_ns": [1]}, 'column "scene" is missing'),
        ({"t_ns": [1, None], "scene": ["a", "b"]}, 'column "t_ns" is missing or null in row 1'),
        ({"t_ns": [1], "scene": ["a"], "kind": ["x"]}, 'the unknown kind "x"'),
        ({"t_ns": [1], "kind": ["pointer"]}, 'column "button" is missing'),
        ({"t_ns": [1], "scene": ["a"], "kind": ["flush"]}, 'the unknown kind "flush"; known are geometry, connect, '),
        ({**finished, "cost_ns": [5]}, 'column "generation" is missing or null in row 0'),
        ({**finished, "generation": [5]}, 'column "cost_ns" is missing or null in row 0'),
        ({**finished, "generation": [-1], "cost_ns": [5]}, 'column "generation" is no uint32'),
        ({**finished, "generation": [1], "cost_ns": [-5]}, 'column "cost_ns", row 0: it must not be negative'),
        ({"t_ns": [1], "scene": ["a"], "width": [1.0]}, 'row 0 has one of "width"'),
        ({"t_ns": [1], "scene": ["a"], "orientation": ["up"]}, 'the unknown orientation "up"'),
        ({"t_ns": [1], "scene": ["n" * 1025]}, "at most 1024 bytes"), ({"t_ns": [1], "scene": [5]}, None),
        ({"t_ns": [1], "scene": ["a"], "resizing": ["maybe"]}, 'column "resizing" is of type string'),
    ]:
        if problem is None:
            settle.Log.from_arrow(pa.table(columns))
            continue
        with pytest.raises(settle.LogError) as caught:
            settle.Log.from_arrow(pa.table(columns))
        assert problem in str(caught.value)


def test_tables_without_pyarrow(monkeypatch):
    import sys

    for name in [name for name in sys.modules if name.partition(".")[0] == "pyarrow" or name == "settle._arrow"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.delattr(settle, "_arrow", raising=False)
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(ImportError, match=r"pip install pyarrow"):
        settle.read(RECORDINGS[0]).to_arrow()


@pytest.mark.parametrize(("change", "problem"), [
    ({"t_ns": 2**63}, "a time after"), *(({"kind": kind}, "an unknown kind") for kind in (4, 6, 9)),
    *(
        ({"kind": kind, what: wrong}, "no cost_ns of 0 … 2\\*\\*53, or no generation") for kind in (7, 8)
        for what, wrong in (("cost_ns", 2**53 + 1), ("cost_ns", 2**64 - 1), ("generation", 2**32))
    ), ({"flags": 1024}, "an unknown flag"),
    ({"flags": 5 << 4}, "an unknown orientation"),
    ({"scene": 2}, "the number of a name"), ({"width": 1, "flags": 0}, "a size, but not the flag"),
])
def test_events_that_no_log_holds(change, problem, tmp_path):
    log = settle.Log(np.zeros(3, settle.EVENT), ["a", "b"])
    for name, value in change.items():
        log.events.view(settle.REPORT if name in settle.REPORT.names else settle.EVENT)[name][1] = value
    for use in (
        lambda: settle.Log.from_events(log.events, log.names), lambda: settle.to_bytes(log),
        lambda: settle.decisions(log),
        lambda: settle.sweep([log], [settle.Policy()]), lambda: settle.write(log, tmp_path / "x.jsonl"),
    ):
        with pytest.raises(settle.LogError, match=f"event 1 has {problem}"):
            use()
    assert list(tmp_path.iterdir()) == []


def test_a_mark_before_a_text_log_is_passed_over_whatever_the_log_is_called(tmp_path):
    text = HEADER + b'{"t_ns":1,"scene":"a","width":2,"height":3}\n'
    path = tmp_path / "a log"
    path.write_bytes(b"\xef\xbb\xbf" + text)
    for source in (path, path.read_bytes(), memoryview(path.read_bytes()), io.BytesIO(path.read_bytes())):
        assert same(settle.read(source), settle.read(text))


def test_what_a_header_lacks_has_its_default():
    """Whatever else is given."""
    defaults = {"clock": "monotonic", "unit": "px", "source": "unknown", "name": ""}
    policy = settle.Policy(lock_delay_ns=5).to_json()
    given = {"clock": "realtime", "unit": "pt", "source": "mine", "name": "n", "policy": policy}
    for keys in chain.from_iterable(combinations(given, count) for count in range(len(given) + 1)):
        header = {key: given[key] for key in keys}
        log = settle.Log.from_events(np.zeros(0, settle.EVENT), [], header)
        assert log.header == defaults | header
        assert settle.read(settle.to_bytes(log)).header == defaults | header


def test_names_and_headers_that_no_log_holds():
    events = np.zeros(0, settle.EVENT)
    for names in (["a", "a"], ["\ud800"], ["n" * 1025]):
        with pytest.raises(settle.LogError):
            settle.Log.from_events(events, names)
    with pytest.raises(TypeError):
        settle.Log.from_events(events, [5])
    with pytest.raises(TypeError, match="settle.EVENT"):
        settle.Log.from_events(np.zeros(3), ["a"])
    for header in ({"x": "y"}, {"clock": 5}, {"name": "\ud800"}, {"name": "n" * 65_536}, {"policy": {"x": "1s"}}):
        with pytest.raises(settle.LogError):
            settle.Log.from_events(events, [], header)
    log = settle.Log.from_events(events, [], {"policy": settle.Policy(lock_delay_ns=5)})
    content = settle.to_bytes(log)
    settle.read(content).header["policy"]["lockDelay"] = "another log's"
    assert settle.read(content).header["policy"]["lockDelay"] == "5ns"


def test_damage(binary_logs):
    content = binary_logs[6].read_bytes()
    whole = settle.read(content)
    torn = content[: len(content) // 2]
    with pytest.raises(settle.LogError, match="the log ends within a chunk") as caught:
        settle.read(torn)
    assert 0 < caught.value.offset < len(torn)
    salvaged = settle.read(torn, salvage=True)
    count = len(salvaged.events)
    assert salvaged.complete is False and salvaged.problem.startswith(f"byte {caught.value.offset}: ")
    assert 0 < count < len(whole.events) and salvaged.events.tobytes() == whole.events[:count].tobytes()
    newer = content[:8] + b"\x04\0" + content[10:]
    with pytest.raises(settle.LogError, match="format version 4 is newer than the 3 that"):
        settle.read(newer)
    lost = b"\0" * 200 + content[200:]
    with pytest.raises(settle.LogError):
        settle.read(lost)
    assert len(settle.read(lost, salvage=True).events) > 0


def test_complete_is_what_replay_says(settle_command, tmp_path):
    content = settle.to_bytes(made(2_000))
    index, first = content.rindex(b"INDX"), content.index(b"CHNK")
    path, sweeper = tmp_path / "log.settle", settle.Sweeper([])
    for end, complete in [(len(content), True), (index, None), (first, None), (index - 1, False), (-1, False)]:
        path.write_bytes(content[:end])
        said = json.loads(settle_command("replay", "--json", path, status=int(complete is False)))
        assert said["complete"] is complete and settle.read(path, salvage=True).complete is complete
        assert sweeper.add(content[:end], sweeper.counts(), salvage=True).complete is complete
    assert sweeper.add_log(settle.read(content), sweeper.counts()).complete is True


def test_what_is_salvaged_is_what_settle_recovers(settle_command, tmp_path):
    content = settle.to_bytes(made(5_000))
    first, generator = content.index(b"CHNK"), random.Random(3)
    # Without its header a log keeps every chunk.
    logs, counts = [content[start:] for start in (first, first - 1, 1)], []
    for _ in range(20):
        damaged = bytearray(content)
        for _ in range(generator.choice([1, 1, 2])):
            start = generator.randrange(200, len(damaged))
            end = min(len(damaged), start + generator.choice([1, 1, 8, 5_000]))
            damaged[start:end] = generator.choice([b"", b"\xff" * (end - start), b"CHNK"])
        logs.append(bytes(damaged))
    path, out = tmp_path / "damaged.settle", tmp_path / "recovered.settle"
    for log in logs:
        path.write_bytes(log)
        settle_command("recover", path, out, "--force", status=1)
        salvaged, recovered = settle.read(path, salvage=True), settle.read(out)
        assert salvaged.problem and salvaged.complete is False and recovered.complete is True
        assert salvaged.events.tobytes() == recovered.events.tobytes() and salvaged.names == recovered.names
        counts.append(len(salvaged.events))
    assert counts[:3] == [5_000] * 3 and len(set(counts)) > 3


def test_a_name_that_is_no_text(settle_command, tmp_path):
    from settle import _writer

    log = settle.Log.from_events(np.zeros(1, settle.EVENT), ["a"])
    head, _, _ = _writer.binary_parts(log)
    part, _ = _writer._chunk(log.events.copy(), [b"\xff"])
    path = tmp_path / "log.settle"
    path.write_bytes(head + part)
    settle_command("validate", path, status=1)
    with pytest.raises(settle.LogError, match="a chunk's content is malformed"):
        settle.read(path)
    assert len(settle.read(path, salvage=True).events) == 0


def test_hostile_bytes_never_crash():
    content = settle.to_bytes(made(40))
    generator = random.Random(2)
    damaged = [content[:end] for end in range(len(content))]
    for _ in range(2_000):
        other = bytearray(content)
        for _ in range(generator.choice([1, 1, 3])):
            other[generator.randrange(len(other))] = generator.choice([0, 0xFF, generator.randrange(256)])
        damaged.append(bytes(other))
    sweeper, read = settle.Sweeper([settle.Policy()]), {False: 0, True: 0}
    for data in damaged:
        for salvage in (False, True):
            try:
                settle.decisions(settle.read(data, salvage=salvage))
                sweeper.add(data, sweeper.counts(), salvage=salvage)
                read[salvage] += 1
            except settle.LogError:
                pass
    assert 0 < read[False] < read[True] < len(damaged)
    for source in ("text", memoryview(content)[::2], 5, None):
        with pytest.raises(TypeError):
            sweeper.add(source, sweeper.counts())


@pytest.mark.parametrize(("content", "problem"), [
    (b"", "the log is empty"), (b"\x1f\x8b\x08", "compressed by gzip"), ("{}".encode("utf-16"), "this is UTF-16"),
    (b"hello\n", "neither the content"), (b"\xef\xbb\xbf{}", "neither the content"),
    (b"[2029077.485] wl_display@1.get_registry(x)\n", "the format wayland-debug; convert it first"),
    (b'[{"type":4,"data":{"width":5},"timestamp":1}]', "the format rrweb"), (b"\x89STL\r\n\x1a\n", "torn or damaged"),
])
def test_what_is_no_log(content, problem):
    with pytest.raises(settle.LogError, match=problem):
        settle.read(content)
