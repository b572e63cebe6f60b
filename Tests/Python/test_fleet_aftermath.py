"""What follows from pairs of options of the commands, and of fleets of recordings, in numbers: see aftermath.py."""

from __future__ import annotations

import datetime
import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import settle
from aftermath import LOG, check, run, said, tables
from conftest import RECORDINGS
from settle import Policy, _command as package_command, fleet
from settle.fleet import _command as fleet_command

FLEET = [
    "", "--cohort platform", "--cohort platform,day", "--salvage", "--cohort-minimum 3", "--damaged-names",
    "--max-damaged 50%", "--p95-lag 40ms", "--json -", "--policy live", "--memory 1", "--cohort nothing",
    "--policies many.json",
]


@pytest.mark.parametrize("option", FLEET)
def test_fleets(option, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    binary = settle.to_bytes(settle.read(LOG))
    short = settle.to_bytes(settle.Log.from_events(settle.read(LOG).events[:40], ["a", "b", "c"]))
    logs = [binary, binary[:-200], b"", None, short] * 3
    columns = {
        "session": [f"s{number}" for number in range(len(logs))],
        "log": pa.array(logs, pa.binary()),
        "platform": [("x11", None, "wayland", "x11", "a,b")[number % 5] for number in range(len(logs))],
        "day": [datetime.date(2026, 11, 1 + number % 2) for number in range(len(logs))],
    }
    pq.write_table(pa.table(columns), "in.parquet")
    (tmp_path / "few.json").write_text('{"quietDelay": "90ms"} {"liveShare": "20%"} {}')
    (tmp_path / "many.json").write_text(" ".join(f'{{"quietDelay": "{number}ms"}}' for number in range(40)))
    found = []
    for other in FLEET[FLEET.index(option) + 1:] + [""]:
        words = f"{option} {other}".split()
        policies = [] if "--policies" in words else ["--policies", "few.json"]
        found.append(run(fleet_command.main, [*words, *policies, "--jobs", "1", "in.parquet", "out"], capsys))
        found.append(tables(tmp_path / "out"))
    check(f"settle-fleet {option}".strip(), found)


PACK = [
    "", "--cohorts c.csv", "--cohorts p.csv", "--path-pattern {platform}/**", "--session-from name",
    "--session-from stem", "--strict", "--partial",
]


@pytest.mark.parametrize("option", PACK)
def test_packs(option, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    binary = settle.to_bytes(settle.read(LOG))
    for name, content in (
        ("x/a.settle", binary), ("x/b.settle", binary[:-90]), ("y/a.settle", binary), ("z/notes", b"hello"),
        ("y/.hidden", binary), ("empty", b""),
    ):
        (tmp_path / "logs" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "logs" / name).write_bytes(content)
    (tmp_path / "c.csv").write_text("session,os\nx/a.settle,p\nx/a,q\na.settle,r\ngone,p\n")
    (tmp_path / "p.csv").write_text("path,os,day\ny/a.settle,p,1\nx/b.settle,,2\n")
    found = []
    for other in PACK[PACK.index(option) + 1:] + [""]:
        words = f"pack {option} {other} --jobs 1 logs out.parquet".split()
        found.append(run(package_command.main, words, capsys))
        found.append(tables(tmp_path / "out.parquet"))
    check(f"pack {option}".strip(), found)


#: Policies whose lags differ, one of which stays open, and some that change what few rebuilds wait for.
STEPS = [
    {}, {"quietDelay": "0.05s"}, {"quietDelay": "700ms", "jumpDelay": "700ms"}, {"discreteDelay": "0ms"},
    {"liveShare": "50%"}, {"releasedEndDelay": "300ms", "reportedEndDelay": "250ms"}, {"lockDelay": "1ms"},
    {"pauseDelay": "30ms"}, {"firstDelay": "2s"},
    {"releasedEndDelay": "20min", "reportedEndDelay": "20min", "quietDelay": "20min", "jumpDelay": "none"},
]
RECORDED = ["", "--p95-lag 1us", "--p95-lag 5ms", "--p95-lag 60ms", "--p95-lag 3s", "--json -"]


def sessions(folder):
    """A table of recordings, whole and in parts, with their kinds."""
    logs, kinds = [], []
    for path in RECORDINGS:
        if path.stat().st_size > 300_000:
            continue
        log = settle.read(path)
        events = log.events[:900]
        for part in (events, events[: len(events) // 2], events[:7]):
            logs.append(settle.to_bytes(settle.Log.from_events(part, log.names, log.header)))
            kinds.append((path.name[0], len(part) > 7))
    columns = {
        "session": [f"s{number}" for number in range(len(logs))], "log": pa.array(logs, pa.binary()),
        "kind": [kind for kind, _ in kinds], "long": [is_long for _, is_long in kinds],
        "place": [("other", "x", "x", "y", "z", "z", "z")[number % 7] for number in range(len(logs))],
    }
    pq.write_table(pa.table(columns), folder / "in.parquet")
    (folder / "steps.json").write_text(" ".join(map(json.dumps, STEPS)))
    (folder / "few.json").write_text(" ".join(map(json.dumps, STEPS[2:5])))
    (folder / "same.json").write_text(" ".join(map(json.dumps, [{}, *STEPS[6:8]])))
    (folder / "today.json").write_text(json.dumps(STEPS[2]))


@pytest.mark.parametrize("option", RECORDED)
def test_fleets_of_recordings(option, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    sessions(tmp_path)
    found = []
    for other in ("", "--policy live", "--policy today.json", "--policy prepared --cohort kind", "--cohort long,kind"):
        for policies in ("steps.json", "few.json", "same.json"):
            words = f"{option} {other} --policies {policies} --jobs 1 in.parquet out".split()
            found.append(run(fleet_command.main, words, capsys))
            found.append(tables(tmp_path / "out"))
    check(f"recordings {option}".strip(), found)


def test_merges(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    sessions(tmp_path)
    half = pq.read_table("in.parquet").slice(0, 9)
    pq.write_table(half, "half.parquet")
    pq.write_table(half.set_column(1, "log", [[log[:-30] for log in half["log"].to_pylist()]]), "hurt.parquet")
    found = []
    for name, words in (
        ("a", "--cohort kind --policies steps.json half.parquet"),
        ("b", "--cohort kind --policies steps.json in.parquet"),
        ("c", "--cohort long --policies steps.json in.parquet"), ("d", "--cohort kind --policies few.json in.parquet"),
        ("e", "--cohort kind --policies steps.json --damaged-names --max-damaged 100% hurt.parquet"),
        ("f", "--cohort kind --policies steps.json --salvage --max-damaged 100% hurt.parquet"),
        ("g", "--policies steps.json --policy live in.parquet"),
        ("h", "--cohort place --policies few.json in.parquet"),
    ):
        found.append(run(fleet_command.main, [*words.split(), "--jobs", "1", name], capsys))
    for words in (
        "a b", "b a", "a a", "a c", "a d", "a e b", "e f", "a g", "a missing", "a in.parquet", "a", "--p95-lag 5ms a b",
        "--json - b f",
        "--cohort kind a b", "--policies steps.json a b", "--force c",
    ):
        found.append(run(fleet_command.main, ["--merge", *words.split(), "out"], capsys))
        found += [run(package_command.main, ["json", "out"], capsys), tables(tmp_path / "out")]
    found.append(run(fleet_command.main, ["--merge", "a", "b", "a"], capsys))
    found.append(run(fleet_command.main, ["--merge", "--force", "a", "b", "a"], capsys))
    found += [run(package_command.main, ["json", name], capsys) for name in "abcdefgh"]
    for name, minimum in [("e", 1), ("e", 2), ("e", 8), ("e", 30), *(("h", minimum) for minimum in range(1, 14))]:
        found.append(said(lambda own, least: fleet.publish(own, "public", minimum=least).total, name, minimum))
        found.append(tables(tmp_path / "public"))
    check("merges", [text.replace(str(tmp_path), "") for text in found])


def test_fleets_of_sums(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    policies = [Policy.from_json(step) for step in STEPS]
    logs = [settle.read(path) for path in RECORDINGS if path.name[0] == "w"]
    records = [settle.sums(log, policies) for log in logs] + [settle.sums(logs[0], policies[:3]), b"", b"sums", None]
    numbers = range(len(records))
    columns = {
        "session": list(map(str, numbers)), "log": pa.array(records, pa.binary()),
        "n": [number % 3 for number in numbers],
    }
    pq.write_table(pa.table(columns), "in.parquet")
    (tmp_path / "steps.json").write_text(" ".join(map(json.dumps, STEPS)))
    (tmp_path / "three.json").write_text(" ".join(map(json.dumps, STEPS[:3])))
    (tmp_path / "many.json").write_text(" ".join(f'{{"quietDelay": "{number}ms"}}' for number in range(40)))
    found = []
    for words in (
        "", "--cohort n", "--damaged-names --max-damaged 99%", "--salvage", "--p95-lag 5ms --cohort n", "--json -",
        "--grid",
    ):
        for policies in ("steps.json", "three.json", "many.json"):
            given = [] if "--grid" in words else ["--policies", policies]
            given += ["--jobs", "1", "in.parquet", "out"]
            found.append(run(fleet_command.main, ["--sums", *words.split(), *given], capsys))
            found.append(tables(tmp_path / "out"))
    check("fleets of sums", found)


ANONYMIZE = [
    "", "--coarse", "--step 50", "--cohort kind", "--cohort long,kind", "--session kind", "--log session",
    "--path-pattern {kind}/**",
]


def test_anonymized(tmp_path, monkeypatch, capfd, settle_command):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SETTLE_COMMAND", str(settle_command.path))
    sessions(tmp_path)
    (tmp_path / "key").write_text("a key of a house that keeps it, of 42 bytes.")
    for place, log in enumerate(pq.read_table("in.parquet")["log"].to_pylist()[:6]):
        path = tmp_path / "logs" / "xy"[place % 2] / f"{place}.settle"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(log if place != 3 else log[:-40])
    found = []
    for number, option in enumerate(ANONYMIZE):
        for other in [*ANONYMIZE[number + 1:], ""]:
            for source in ("in.parquet", "logs"):
                words = f"anonymize --key key {option} {other} {source} out.parquet".split()
                found.append(run(package_command.main, words, capfd))
                found.append(tables(tmp_path / "out.parquet"))
    check("anonymized", found)


def test_decided(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    sessions(tmp_path)
    found = []
    for path in (path for path in RECORDINGS if path.name[:2] == "w0"):
        (tmp_path / "log").write_bytes(path.read_bytes())
        (tmp_path / "hurt").write_bytes(path.read_bytes()[:-20])
        for words in (
            "log", "log --policy today.json", "hurt", "hurt --salvage", "log --policy steps.json", "missing", "log log",
        ):
            found.append(run(package_command.main, ["decisions", *words.split()], capsys))
    check("decided", found)


def titles():
    own = {"merges", "fleets of sums", "anonymized", "decided"}
    own |= {f"recordings {option}".strip() for option in RECORDED}
    return own | {f"settle-fleet {option}".strip() for option in FLEET} | {f"pack {option}".strip() for option in PACK}
