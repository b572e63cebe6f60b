"""Decisions against those of settle replay."""

import json

import numpy as np
import pytest
from conftest import RECORDINGS
from test_logs import made

import settle

POLICIES = [
    settle.Policy(), settle.Policy.uikit(), settle.Policy(pause_delay_ns=30_000_000, maximum_wait_ns=10**9),
    settle.Policy(quiet_delay_ns=5_000_000, jump_delay_ns=None, interaction_timeout_ns=None),
    settle.Policy.live(), settle.Policy(live_share_percent=100, live_limit_ns=None, live_interval_ns=0),
    settle.Policy.prepared(),
]


def reporting(log: settle.Log, policy: settle.Policy, cost_ns: int, most: int) -> settle.Log:
    """A log with the reports of a program that builds what the policy decides, of its first rebuilds."""
    at = 0
    for number in range(most):
        decided = settle.decisions(log, policy)
        rebuilds = decided[decided["kind"] == settle.DecisionKind.REBUILD]
        if number == len(rebuilds):
            break
        at = max(at, int(rebuilds["t_ns"][number])) + cost_ns
        report = np.zeros(1, settle.REPORT)
        report["t_ns"], report["kind"], report["scene"] = at, settle.Kind.FINISHED, rebuilds["scene"][number]
        report["cost_ns"], report["generation"] = cost_ns, rebuilds["generation"][number]
        place = np.searchsorted(log.events["t_ns"], at)
        log = settle.Log.from_events(np.insert(log.events, place, report.view(settle.EVENT)), log.names, log.header)
    return log


@pytest.mark.parametrize("path", RECORDINGS, ids=lambda path: path.stem)
def test_recordings(path):
    expected = path.with_name(f"{path.stem}.decisions.jsonl").read_text()
    log = settle.read(path)
    before = log.events.tobytes()
    assert settle.decisions_json(log) == expected
    assert log.events.tobytes() == before
    decided = settle.decisions(log)
    assert decided.dtype == settle.DECISION and len(decided) == len(expected.splitlines())
    rebuilds = decided[decided["kind"] == settle.DecisionKind.REBUILD]
    reasons = {settle.reason_name(reason) for reason in rebuilds["reason"]}
    assert reasons <= {"first", "interactionEnded", "discrete", "quiet"}


def test_cases(case_logs):
    differing = []
    for path in case_logs:
        log = settle.read(path)
        decided = settle.decisions_json(log, settle.Policy.from_json(log.header["policy"]))
        expected = path.with_name(f"{path.stem}.decisions.jsonl").read_text()
        if [json.loads(line) for line in decided.splitlines()] != [json.loads(line) for line in expected.splitlines()]:
            differing.append(log.header["name"])
    assert len(case_logs) > 100 and not differing


@pytest.mark.parametrize("policy", POLICIES, ids=["default", "uikit", "previews", "fixed", "live", "every", "prepared"])
def test_policies(settle_command, tmp_path, policy):
    logs = [settle.read(RECORDINGS[2]), settle.read(RECORDINGS[-1]), made(), made(500, seed=2)]
    logs.append(reporting(logs[0], settle.Policy.live(), 5_000_000, 30))
    (tmp_path / "policy.json").write_text(json.dumps(policy.to_json()))
    for log in logs:
        settle.write(log, tmp_path / "log.settle", force=True)
        written = tmp_path / "decisions.jsonl"
        options = "--policy", tmp_path / "policy.json", "--decisions", written, "--force"
        settle_command("replay", tmp_path / "log.settle", *options)
        assert settle.decisions_json(log, policy) == written.read_text()


def test_a_log_of_nothing():
    empty = settle.Log.from_events(np.zeros(0, settle.EVENT), [])
    assert len(settle.decisions(empty)) == 0 and settle.decisions_json(empty) == ""
    assert settle.sweep([empty], [settle.Policy()]).sum() == 0
    rejected = settle.Log.from_events(np.array([(1, 0, 0, 0, 2, 0)], settle.EVENT), ["a"])
    assert len(settle.decisions(rejected)) == 0


def changes(count, names, **columns):
    events = np.zeros(count, settle.EVENT)
    events["width"], events["height"], events["flags"] = np.arange(count) % 2 + 1, 1, settle.Flag.SIZE_KNOWN
    for name, values in columns.items():
        events[name] = values
    return settle.Log.from_events(events, names)


def test_more_decisions_than_are_popped_at_once():
    count = 20_000
    log = changes(count, ["a"], t_ns=np.arange(count) * 10**9)
    decided = settle.decisions(log)
    assert (decided["kind"] == settle.DecisionKind.REBUILD).sum() == count
    assert (decided["generation"] == np.arange(count) + 1).all()
    assert settle.rebuilds(settle.sweep([log], [settle.Policy()])).tolist() == [count]
    # At the log's end.
    log = changes(count, [str(number) for number in range(count)], scene=np.arange(count))
    decided = settle.decisions(log, settle.Policy(first_delay_ns=5))
    assert (decided["scene"] == np.arange(count)).all() and (decided["t_ns"] == 5).all()


def test_names_of_numbers():
    kinds = [settle.decision_kind_name(kind) for kind in (0, 2, 4, 99)]
    assert kinds == ["interactionBegan", "rebuild", "preview", "unknown"]
    assert [settle.reason_name(reason) for reason in (0, 8, 99)] == ["none", "quiet", "unknown"]


def test_other_arguments_are_named():
    for log, policy in ((b"", settle.Policy()), (settle.read(RECORDINGS[0]), "live")):
        with pytest.raises(TypeError, match="decisions takes a Log, as settle.read returns one, and a Policy"):
            settle.decisions(log, policy)
