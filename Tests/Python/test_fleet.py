"""A fleet's run without Spark: what its tasks return, how their rows are added up, and what is read of the
output. scripts/checks/fleet runs all of it on Spark."""

from __future__ import annotations

import io
import json
import os
import shutil

import numpy as np
import pyarrow as pa
import pytest
import settle
from conftest import RECORDINGS
from fleets import POLICIES, added, batch, of, output, rows
from settle import Policy, fleet
from settle.fleet import _folder as fleet_folder
from settle.fleet import _sums as fleet_sums
from settle.fleet import _text as fleet_text
from test_decisions import reporting


@pytest.fixture(scope="module")
def logs():
    """Binary logs, the shorter ones."""
    return [settle.to_bytes(settle.read(path)) for path in RECORDINGS if path.stat().st_size < 200_000]


def test_the_sums_are_those_of_a_sweep(logs):
    # One session whose program reports its builds.
    logs = [*logs, settle.to_bytes(reporting(settle.read(RECORDINGS[2]), Policy.live(), 5_000_000, 60))]
    wanted = settle.sweep(logs, POLICIES)
    assert [row for row in wanted[:, settle.REBUILDS.stop - 1] if row] == [wanted[2, settle.REBUILDS.stop - 1]]
    found = added(fleet.sweep_batches(POLICIES)([batch(logs)]))
    assert [row["policy"] for row in found.to_pylist()] == list(range(len(POLICIES)))
    for row, count in zip(found.to_pylist(), wanted):
        assert [row[f"rebuilds_{reason}"] for reason in fleet_sums.REASONS] == count[settle.REBUILDS].tolist()
        assert (row["rebuilds"], row["previews"], row["wasted"]) == (
            count[settle.REBUILDS].sum(), count[settle.PREVIEWS], count[settle.WASTED],
        )
        lag = np.zeros(fleet_sums.LAG_BUCKETS, np.int64)
        lag[row["lag_buckets"]] = row["lag_counts"]
        assert (lag == count[settle.LAG]).all()
        assert row["p95_ns"] == fleet_sums.quantile_ns(lag, 950)
        assert row["sessions"] == len(logs)


@pytest.mark.parametrize("memory_max", [1, 1 << 30])
def test_batches_and_memory_do_not_matter(logs, memory_max):
    platform = pa.array([("x11", "wayland", None)[number % 3] for number in range(len(logs))])
    whole = batch(logs, platform=platform)
    wanted = added(fleet.sweep_batches(POLICIES, cohort=["platform"])([whole]))
    parts = [whole.slice(number, 1) for number in reversed(range(len(logs)))]
    sweep = fleet.sweep_batches(POLICIES, cohort=["platform"], memory_max=memory_max)
    found = list(sweep(parts))
    assert added(found).equals(wanted)
    # With memory for one cohort, rows are handed on whenever another cohort begins.
    sums = sum(one.num_rows for one in found if one.column("kind")[0].as_py() == "sums")
    assert (sums > 3) == (memory_max == 1)


@pytest.mark.parametrize(
    "kind", [pa.binary(), pa.large_binary(), pa.binary_view(), pa.dictionary(pa.int32(), pa.binary())]
)
def test_kinds_of_columns(logs, kind):
    column = pa.array(logs, pa.binary())
    column = column.dictionary_encode() if pa.types.is_dictionary(kind) else column.cast(kind)
    assert of("sums", rows([batch(column)])) == of("sums", rows([batch(logs)]))


def test_damage_is_counted_and_named(logs):
    log = logs[0]
    cases = {
        "the log is null": None, "the log is empty": b"", "format version 4 is newer": log[:8] + b"\4\0" + log[10:],
        "this is no binary event log": b"\x89PNG\r\n\x1a\n" + bytes(40), "the log ends within a chunk": log[:300],
        "a chunk is damaged": log[:400] + bytes([log[400] ^ 1]) + log[401:],
    }
    found = rows([batch([*logs, *cases.values()], [*(f"s{number}" for number in range(len(logs))), *cases])])
    damaged = of("session", found)
    assert {row["session"] for row in damaged} == set(cases)
    assert all(row["problem"].startswith(row["session"]) for row in damaged)
    (cohort,) = of("sums", found)
    assert (cohort["sessions"], cohort["damaged"]) == (len(logs), len(cases))
    assert [cohort | {"damaged": 0}] == of("sums", rows([batch(logs)]))
    salvaged = rows([batch([log[:-1]])], salvage=True)
    (row,) = of("session", salvaged)
    assert row["events"] == settle.Sweeper([]).add(log, np.zeros((0, settle.COLUMNS), np.int64)).events > 0
    assert of("sums", salvaged)[0]["sessions"] == 1


def test_a_session_without_a_name_is_damaged(logs):
    found = rows([batch(logs[:2], [None, "b"])])
    assert [row["problem"] for row in of("session", found)] == ["the session has no name"]
    assert of("sums", found)[0]["sessions"] == 1
    salvaged = rows([batch(logs[:2], [None, "b"])], salvage=True)
    assert of("sums", salvaged)[0]["sessions"] == 2
    assert [row["problem"] for row in of("session", salvaged)] == ["the session has no name"]


def test_text_that_is_not_valid_is_replaced(logs):
    wrong = pa.array([b"a\xff", b"b", None], pa.binary()).view(pa.string())
    found = rows([batch([logs[0]] * 3, wrong, platform=wrong)], cohort=["platform"])
    assert {tuple(row["cohort"]) for row in of("sums", found)} == {("a\ufffd",), ("b",), (None,)}


def test_long_cohorts_are_damage(logs):
    for long in ["x" * 1025, "é" * 513, "𝄞" * 257]:
        given = {"version": ["1", "2", long], "platform": [long, "é" * 512, None]}
        found = rows([batch(logs[:3], **given)], cohort=list(given))
        # The other values stay.
        assert [row["cohort"] for row in of("session", found)] == [["1", None], [None, None]]
    for row, name in zip(of("session", found), ("platform", "version")):
        assert f"'{name}' has more than 1024 bytes" in row["problem"]
    assert {tuple(row["cohort"]) for row in of("sums", found)} == {("1", None), ("2", "é" * 512), (None, None)}


def test_nothing_is_only_the_task():
    found = rows([])
    assert [(row["kind"], row["sessions"]) for row in found] == [("task", 0)]
    assert [row["kind"] for row in rows([batch([])])] == ["task"]


def test_sums_beyond_63_bits_are_an_error():
    half, one = np.array([2**62]), np.array([3])
    figures = np.zeros(len(fleet_sums.COHORTS), np.int64)
    part = fleet_sums.Part(("a",), 0, figures, one, half)
    assert [sum_.counts[0, 3] for sum_ in fleet_sums.added([part], 1)] == [2**62]
    many = fleet_sums.Part(("a",), 0, figures + 2**62, one[:0], half[:0])
    for parts in ([part, part], [many, many]):
        with pytest.raises(OverflowError, match="exceed 2\\^63 - 1"):
            list(fleet_sums.added(parts, 1))


@pytest.mark.parametrize("count", [1, 256, 257])
def test_sums_are_added_in_blocks_of_policies(logs, count):
    policies = Policy.grid()[:count]
    batches = [one for part in (logs[:3], logs[3:]) for one in fleet.sweep_batches(policies)([batch(part)])]
    found = added(batches, policies)
    wanted = settle.sweep(logs, policies)
    assert found["policy"].to_pylist() == list(range(count))
    assert found["rebuilds"].to_pylist() == settle.rebuilds(wanted).tolist()
    assert found["p99_ns"].to_pylist() == settle.lag_quantile(wanted, 990).astype(np.int64).tolist()


def test_the_output_is_read(logs, tmp_path):
    platform = pa.array([("x11", None)[number % 2] for number in range(len(logs))])
    sweep = fleet.sweep_batches(POLICIES, cohort=["platform"])
    folder = output(tmp_path / "out", sweep([batch(logs, platform=platform)]), ["platform"])
    result = fleet.Fleet(folder)
    found = list(result.cohorts())
    assert [cohort.values for cohort in found] == [(None,), ("x11",)]
    every = settle.sweep(logs, POLICIES)
    front, knee = settle.front(every, POLICIES, POLICIES[0])
    assert (result.total.front, result.total.knee) == (list(front), knee)
    assert result.total.figures["rebuilds"].tolist() == settle.rebuilds(every).tolist()
    assert result.total.figures["p95_ns"].tolist() == [
        fleet_sums.quantile_ns(lag, 950) for lag in np.ascontiguousarray(every[:, settle.LAG])
    ]

    text = io.StringIO()
    result.write_json(text)
    data = json.loads(text.getvalue())
    assert [policy["liveShare"] for policy in data["policies"][:3]] == [None, None, "30%"]
    assert (data["settle"], data["columns"], data["today"], data["sessions"]) == ("fleet", ["platform"], 0, len(logs))
    assert [cohort["cohort"] for cohort in data["cohorts"]] == [[None], ["x11"]]
    assert "cohort" not in data["total"] and data["total"]["rebuilds"] == settle.rebuilds(every).tolist()
    lines = list(fleet_text.text_of(result, 10**10))
    assert lines[0].startswith(f"{len(logs)} sessions in 2 cohorts by platform, ")
    assert any(line.startswith("platform null: ") for line in lines)
    choice = result.advised(result.total, 10**10)
    options = fleet_text.options_of(POLICIES[choice]) or "none: it is the default policy"
    assert f"    options  {options}" in lines
    assert any(
        "No policy has a p95 lag of at most 0 s" in line or "within the bound" in line
        for line in fleet_text.text_of(result, 0)
    )

    (folder / "_SUCCESS").unlink()
    with pytest.raises(fleet.FleetError, match="has not ended"):
        fleet.Fleet(folder)
    with pytest.raises(fleet.FleetError, match="no output folder"):
        fleet.Fleet(tmp_path)


def without_end_signals(log):
    """A log as a terminal or a browser would have seen it."""
    events = log.events[log.events["kind"] != settle.Kind.POINTER].copy()
    events["flags"] &= ~np.uint16(settle.Flag.RESIZING | settle.Flag.RESIZING_KNOWN)
    return settle.Log(events, log.names, log.header)


@pytest.mark.parametrize("today", [Policy(), Policy(quiet_delay_ns=120_000_000)])
def test_the_advice_is_that_of_tune(settle_command, tmp_path, today):
    every = [settle.read(path) for path in RECORDINGS]
    cohorts = {
        "recorded": every, "stripped": [without_end_signals(log) for log in every], "few": [every[3]],
        "none": [settle.Log(every[0].events[:0], [], every[0].header)],
    }
    policies = [today, *(policy for policy in Policy.grid(today)[::31] if policy != today)]
    file = tmp_path / "policies.json"
    file.write_text("\n".join(json.dumps(policy.to_json()) for policy in policies))
    logs = [settle.to_bytes(log) for logs in cohorts.values() for log in logs]
    sources = pa.array([kind for kind, logs in cohorts.items() for _ in logs])
    sweep = fleet.sweep_batches(policies, cohort=["source"])
    result = fleet.Fleet(output(tmp_path / "out", sweep([batch(logs, source=sources)]), ["source"], policies))
    found = {cohort.values[0]: cohort for cohort in result.cohorts()}
    (tmp_path / "today.json").write_text(json.dumps(today.to_json()))
    advised = set()
    for kind, logs in [*cohorts.items(), (None, sum(cohorts.values(), []))]:
        cohort = result.total if kind is None else found[kind]
        paths = []
        for number, log in enumerate(logs):
            paths.append(tmp_path / f"{kind}-{number}.settle")
            settle.write(log, paths[-1])
        for bound, options in [(None, []), (100_000_000, ["--p95-lag", "100ms"]), (0, ["--p95-lag", "0s"])]:
            own = ["--policy", tmp_path / "today.json"]
            # Of nothing no advice is given, with a status of its own.
            status = 1 if kind == "none" else 0
            words = ["--json", "--policies", file, *own, *options, *paths]
            tuned = json.loads(settle_command("tune", *words, status=status))
            assert tuned["today"] == 0
            if kind == "none":
                assert tuned["advised"] is None
                continue
            advice = (result.advised(cohort, bound), list(cohort.unexercised))
            assert advice == (tuned["advised"], tuned["unexercised"]), (kind, bound)
            if kind is None and tuned["advised"]:
                lines = list(fleet_text.text_of(result, bound))
                replaces = "" if today == Policy() else ", in place of today's"
                assert f"    options{replaces}  {tuned['copy']['options']}" in lines
                figures = [tuned["policies"][index]["rebuilds"] for index in (tuned["advised"], 0)]
                if figures[0] != figures[1]:
                    assert any(f"    rebuilds {figures[0]:,} instead of {figures[1]:,} (" in line for line in lines)
            if bound is None:
                advised.add(tuned["advised"])
    assert "  Today's policy: too few rebuilds waited for what the policies change:" in fleet_text.text_of(result, None)
    assert result.advised(found["none"]) == 0 and len(advised) > 1
    assert found["stripped"].unexercised != found["recorded"].unexercised
    export = io.StringIO()
    result.write_json(export)
    data = json.loads(export.getvalue())
    unexercised = {kind: list(one.unexercised) for kind, one in found.items()}
    assert {one["cohort"][0]: one["unexercised"] for one in data["cohorts"]} == unexercised
    assert data["total"]["unexercised"] == list(result.total.unexercised)


class Files(fleet_folder.Files):
    """Files of which a renaming fails, and that know whether there was an output at each step."""

    def __init__(self, out, exchanges, failing=0):
        self.out, self.exchanges, self.failing, self.renames, self.had_output = out, exchanges, failing, 0, []

    def delete(self, path):
        self.had_output.append((self.out / "_SUCCESS").exists())
        super().delete(path)

    def rename(self, path, other):
        self.renames += 1
        return self.renames != self.failing and super().rename(path, other)

    def exchange(self, path, other):
        return self.exchanges and super().exchange(path, other)


@pytest.mark.parametrize("exchanges", [True, False])
def test_an_output_is_replaced_when_the_new_one_is_complete(tmp_path, exchanges):
    out = tmp_path / "out"

    def written(text, force=True, ends=True, failing=0):
        files = Files(out, exchanges, failing)
        with fleet_folder.Folder(str(out), files, force=force) as folder:
            folder.write("_fleet.json", text)
            if ends:
                folder.finish("{}")
        return folder, files

    def content(path=out):
        return (path / "_fleet.json").read_text(), (path / "_SUCCESS").exists()

    folder, _ = written("none", force=False, ends=False)
    assert not out.exists() and folder.place == f"{out}.partial"
    written("first", force=False)
    assert content() == ("first", True) and os.listdir(tmp_path) == ["out"]
    with pytest.raises(fleet.FleetError, match="the output exists; give force=True"):
        written("none", force=False)
    # A run that fails, or is killed at any step, leaves the last good output.
    written("second", ends=False)
    assert content() == ("first", True)
    _, files = written("third")
    assert content() == ("third", True) and os.listdir(tmp_path) == ["out"]
    assert not exchanges or files.had_output and all(files.had_output)
    for failing in (1, 2) if not exchanges else ():
        with pytest.raises(fleet.FleetError, match="cannot be replaced; the new output is complete in .*out.partial"):
            written("fourth", failing=failing)
        assert content() == ("third", True) and content(tmp_path / "out.partial") == ("fourth", True)
    written("fifth")
    assert content() == ("fifth", True) and os.listdir(tmp_path) == ["out"]
    # What others wrote is left alone, beside it as well.
    (tmp_path / "out.partial").mkdir()
    (tmp_path / "out.partial/precious").touch()
    with pytest.raises(fleet.FleetError, match=r"out\.partial: this exists, and settle-fleet did not write it"):
        written("sixth")
    assert (tmp_path / "out.partial/precious").exists()
    if not exchanges:
        shutil.rmtree(tmp_path / "out.partial")
        (tmp_path / "out.older").mkdir()
        (tmp_path / "out.older/precious").touch()
        with pytest.raises(fleet.FleetError, match=r"out\.older: this exists, and settle-fleet did not write it"):
            written("seventh")
        assert (tmp_path / "out.older/precious").exists() and content() == ("fifth", True)


def test_the_page_of_live_policies(settle_command, logs, tmp_path):
    policies = [Policy.live(), Policy(), Policy(live_share_percent=5, live_limit_ns=None)]
    logs = [*logs, settle.to_bytes(reporting(settle.read(RECORDINGS[2]), Policy.live(), 5_000_000, 60))]
    folder = output(tmp_path / "out", fleet.sweep_batches(policies)([batch(logs)]), [], policies)
    result = fleet.Fleet(folder)
    list(result.cohorts())
    lines = list(fleet_text.text_of(result, None))
    assert any("today" in line for line in lines)
    with (tmp_path / "fleet.json").open("w") as file:
        result.write_json(file)
    data = json.loads((tmp_path / "fleet.json").read_text())
    assert [policy["liveShare"] for policy in data["policies"]] == ["30%", None, "5%"]
    settle_command("report", tmp_path / "fleet.json", "-o", tmp_path / "fleet.html")
    assert '"liveShare":"30%"' in (tmp_path / "fleet.html").read_text().replace(" ", "").replace("\\", "")


def test_options_of_live_policies(settle_command):
    for policy in (Policy.live(), Policy(live_share_percent=5, live_limit_ns=None, live_interval_ns=0)):
        options = fleet_text.options_of(policy).split()
        assert Policy.from_json(settle_command("policy", *options)) == policy
    assert fleet_text.options_of(Policy.live()) == "--live-share 30% --live-pause 50ms"


def test_lags_for_people():
    assert [fleet_text.lag_text(ns) for ns in (0, 820, 16_252_927, 1_006_632_959, 200 * 10**9, -1)] == [
        "0 s", "820 ns", "16.3 ms", "1.01 s", "3 min 20 s", "18 min or more",
    ]
