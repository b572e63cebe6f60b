"""Sums of sessions against what their logs add up to."""

import random
import sys
from pathlib import Path

import numpy as np
import pytest
import settle
from conftest import RECORDINGS, ROOT
from settle._library import ffi, lib
from settle._sums import SumsReader
from test_logs import crc32c

sys.path.insert(0, str(Path(ROOT, "Tests/Verification/Fleet")))

POLICIES = [settle.Policy(), settle.Policy.uikit(), *settle.Policy.grid()[::400]][:10]


def of_logs(logs, policies):
    sweeper = settle.Sweeper(policies)
    counts = sweeper.counts()
    return counts, [sweeper.add(log, counts) for log in logs]


def check(logs, policies):
    """The sums of logs equal those of their records, which are as short as is promised."""
    counts, swept = of_logs(logs, policies)
    records = [settle.sums(settle.read(log), policies) for log in logs]
    reader, added = SumsReader(policies), np.zeros_like(counts)
    for one, own in zip(records, swept):
        found = reader.add(one, added)
        assert (found.sessions, found.swept) == (1, own) and found.without_index == 0
    assert np.array_equal(added, counts) and counts.any()
    at_once = np.zeros_like(counts)
    found = reader.add(b"".join(records), at_once)
    assert found.sessions == len(logs) and np.array_equal(at_once, counts)
    return records


def test_sums_of_sessions_are_those_of_their_logs():
    import sessions as made

    sound = [one.whole for one in made.sessions(made.recordings(ROOT / "Tests/Recordings"), 200)]
    records = check(sound, POLICIES)
    assert len(POLICIES) == 10 and max(map(len, records)) <= 1024
    check([settle.to_bytes(settle.read(path)) for path in RECORDINGS], POLICIES)
    check(sound[:5], POLICIES[:1])


def test_a_session_with_many_lags_has_several_records():
    """Changes at random times, built at the latest after maximumWait, make many lags."""
    dice = random.Random(1)
    events = np.zeros(9000, settle.EVENT)
    events["t_ns"] = np.cumsum([int(dice.lognormvariate(19, 1)) for _ in events])
    events["flags"] = settle.Flag.SIZE_KNOWN
    events["width"] = 100 + np.arange(len(events))
    events["height"] = 100
    log = settle.to_bytes(settle.Log.from_events(events, ["a"]))
    waits = [10**9 + number for number in range(10)]
    policies = [settle.Policy(quiet_delay_ns=10**10, jump_delay_ns=None, maximum_wait_ns=wait) for wait in waits]
    (records,) = check([log], policies)
    assert len(records) > 1024
    sizes, at = [], 0
    while at < len(records):
        sizes.append(int.from_bytes(records[at + 12 : at + 14], "little"))
        at += sizes[-1]
    assert len(sizes) > 1 and max(sizes) <= 1024


def test_a_record_is_as_the_format_says():
    path = ROOT / "Tests/Recordings/w04_mutter.jsonl"
    log = settle.read(path)
    record = settle.sums(log, [settle.Policy.uikit()])
    assert record[:8] == b"SUMS\1\3\1\0" and int.from_bytes(record[12:14], "little") == len(record)
    fields = [2**64 - 1 if value is None else value for value in settle.Policy.uikit()._values()]
    policy = b"".join(value.to_bytes(8, "little") for value in fields)
    assert record[8:12] == crc32c(policy)
    assert record[-4:] == crc32c(record[:-4])
    numbers, value, shift = [], 0, 0
    for byte in record[14:-4]:
        value |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            numbers.append(value)
            value = shift = 0
    (counts,), (swept,) = of_logs([settle.to_bytes(log)], [settle.Policy.uikit()])
    assert numbers[:3] == [swept.events, swept.connections, swept.every_change]
    assert numbers[3:6] == [swept.every_change_wasted, swept.debounce, swept.debounce_wasted]
    (cells,) = np.nonzero(counts)
    assert np.cumsum(numbers[6::2]).tolist() == cells.tolist() and numbers[7::2] == counts[cells].tolist()


def test_what_is_damaged_is_refused_and_adds_nothing():
    log = settle.read(RECORDINGS[0])
    record = settle.sums(log, POLICIES)
    reader, counts = SumsReader(POLICIES), np.zeros((10, settle.COLUMNS), np.int64)

    def signed(body):
        return body + crc32c(body)

    def figure(at, value):
        return signed(record[:at] + bytes([value]) + record[at + 1 : -4])

    damaged = [record[:size] for size in range(len(record))]
    damaged += [record[:at] + bytes([record[at] ^ 1 << at % 8]) + record[at + 1 :] for at in range(len(record))]
    damaged += [figure(5, 9), figure(7, 1), record + record[:-1], record + b"x", b"SUMS"]
    end = len(record) + 2
    for cells in (b"\x80\x00", b"\x00\x00", b"\xff\xff\xff\xff\x0f\x01", b"\x00\x01"):
        long = record[:12] + (end if len(cells) == 2 else end + 4).to_bytes(2, "little") + record[14:-4] + cells
        damaged.append(signed(long))
    for one in damaged:
        with pytest.raises(settle.LogError, match="no sums|newer|other policies"):
            reader.add(one, counts)
    with pytest.raises(settle.LogError, match="newer version"):
        reader.add(figure(4, 2), counts)
    for others in (POLICIES[:9], POLICIES[::-1], [settle.Policy(lock_delay_ns=1), *POLICIES[1:]]):
        with pytest.raises(settle.LogError, match="other policies"):
            SumsReader(others).add(record, np.zeros((len(others), settle.COLUMNS), np.int64))
    assert not counts.any()
    dice = random.Random(2)
    for _ in range(3000):
        body = bytearray(record[:-4])
        for _ in range(dice.randrange(1, 4)):
            body[dice.randrange(14, len(body))] = dice.randrange(256)
        try:
            reader.add(signed(bytes(body)), counts)
        except settle.LogError:
            pass


def test_what_cannot_be_summed_up_is_said():
    log = settle.read(RECORDINGS[0])
    for policies in ([], POLICIES + POLICIES[:1]):
        with pytest.raises(ValueError, match="1 to 10 policies"):
            settle.sums(log, policies)
    with pytest.raises(ValueError, match="counts are an int64"):
        SumsReader(POLICIES).add(settle.sums(log, POLICIES), np.zeros((10, 5), np.int64))


def test_numbers_that_are_too_large_are_not_written():
    figures, counts = ffi.new("settle_sums *"), ffi.new("settle_sweep_counts[1]")
    policy, start, record = ffi.new("settle_policy *"), ffi.new("uint32_t *"), ffi.new("unsigned char[1024]")
    settle.Policy()._write(policy)
    figures.sessions, figures.events, counts[0].lag[1152] = 1, 2**32 - 1, 2**32 - 1
    size = lib.settle_sums_write(figures, counts, policy, 1, start, record)
    into = np.zeros((1, settle.COLUMNS), np.int64)
    assert SumsReader([settle.Policy()]).add(bytes(record[0:size]), into).swept.events == 2**32 - 1
    assert into[0, settle.LAG][-1] == 2**32 - 1 == into.sum()
    for change in ("events", "sessions", "lag"):
        own, other = ffi.new("settle_sums *", figures[0]), ffi.new("settle_sweep_counts[1]", [counts[0]])
        if change == "lag":
            other[0].lag[1152] += 1
        else:
            setattr(own, change, getattr(own, change) + 1)
        start[0] = 0
        assert lib.settle_sums_write(own, other, policy, 1, start, record) == 0
