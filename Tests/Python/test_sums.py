"""Sums of sessions against what their logs add up to."""

import random
import sys
from pathlib import Path

import numpy as np
import pytest
import settle
from conftest import RECORDINGS, ROOT
from settle._sums import SumsReader

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


def test_no_use_of_a_log_changes_it(tmp_path):
    log = settle.read(RECORDINGS[0])
    before = log.events.tobytes(), list(log.names), dict(log.header)
    sweeper = settle.Sweeper(POLICIES, build_cost="2ms")
    for use in (
        lambda: settle.sums(log, POLICIES), lambda: sweeper.add_log(log, sweeper.counts()),
        lambda: settle.sweep([log], POLICIES), lambda: settle.decisions(log), lambda: settle.decisions_json(log),
        lambda: settle.to_bytes(log), lambda: settle.write(log, tmp_path / "log.jsonl"),
        lambda: settle.write(log, tmp_path / "log.settle"), log._repr_html_,
    ):
        use()
        assert (log.events.tobytes(), log.names, log.header) == before


def test_what_was_read_of_a_log_is_known_of_what_is_decided():
    content = settle.to_bytes(settle.read(RECORDINGS[0]))
    sweeper = settle.Sweeper(POLICIES[:1])
    for log, complete in (
        (settle.read(content), True), (settle.read(RECORDINGS[0]), None),
        (settle.read(content[:-9], salvage=True), False),
    ):
        swept = sweeper.add_log(log, sweeper.counts())
        assert (swept.complete, swept.problem, swept.events) == (complete, log.problem, len(log.events))


def test_a_log_that_cannot_be_proved_whole_is_counted():
    """A text log has no index, which a binary one ends with. One that is known to be damaged is not among these."""
    text, counts = settle.read(ROOT / "Tests/Recordings/w04_mutter.jsonl"), np.zeros((10, settle.COLUMNS), np.int64)
    content = settle.to_bytes(text)
    logs = text, settle.read(content), settle.read(content[:-40], salvage=True)
    assert [log.complete for log in logs] == [None, True, False]
    without = [SumsReader(POLICIES).add(settle.sums(log, POLICIES), counts).without_index for log in logs]
    assert without == [1, 0, 0]


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


def test_what_is_refused_is_said_and_adds_nothing():
    """What is refused, and why, is in Tests/Cases/sums."""
    record = settle.sums(settle.read(RECORDINGS[0]), POLICIES)
    reader, counts = SumsReader(POLICIES), np.zeros((10, settle.COLUMNS), np.int64)
    newer = record[:4] + b"\2" + record[5:]
    for one, problem in (record[:-1], "no sums"), (record + b"x", "no sums"), (newer, "newer version"):
        with pytest.raises(settle.LogError, match=problem):
            reader.add(one, counts)
    for others in (POLICIES[:9], POLICIES[::-1], [settle.Policy(lock_delay_ns=1), *POLICIES[1:]]):
        with pytest.raises(settle.LogError, match="other policies"):
            SumsReader(others).add(record, np.zeros((len(others), settle.COLUMNS), np.int64))
    assert not counts.any()


def test_what_cannot_be_summed_up_is_said():
    log = settle.read(RECORDINGS[0])
    for policies in ([], POLICIES + POLICIES[:1]):
        with pytest.raises(ValueError, match="1 to 10 policies"):
            settle.sums(log, policies)
    with pytest.raises(ValueError, match="counts are an int64"):
        SumsReader(POLICIES).add(settle.sums(log, POLICIES), np.zeros((10, 5), np.int64))
