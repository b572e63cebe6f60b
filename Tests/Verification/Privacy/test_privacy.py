"""Attacks on anonymized logs, what else anonymizing keeps and leaves out, and sums in place of logs."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import people
import pyarrow.parquet as pq
import pytest
import settle
from attack import found, gaps, sizes
from results import note, report
from settle import Policy, fleet

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "Tests/Verification/Fleet"))
import sessions as made  # noqa: E402

SESSIONS = 300
#: The most of the sessions that an attack may find; and how far sums of rebuilds may be off.
FOUND_MAX, OFF_MAX = 0.05, 0.01
POLICIES = (Policy(), Policy.uikit())
SETTLE = os.environ["SETTLE"]
SOURCES = made.recordings(ROOT / "Tests/Recordings")


@pytest.fixture(scope="module")
def sessions() -> list:
    return list(made.sessions(SOURCES, SESSIONS))


def frames(logs: list[bytes], *options: str) -> list[bytes]:
    """Logs anonymized one by one, each under a key of its own."""
    text = b"".join(len(log).to_bytes(8, "little") + log for log in logs)
    run = subprocess.run([SETTLE, "anonymize", "--framed", *options], input=text, capture_output=True, check=True)
    answers, at = [], 0
    while at < len(run.stdout):
        length = int.from_bytes(run.stdout[at : at + 8], "little")
        answers.append(run.stdout[at + 8 : at + 8 + length])
        at += 8 + length
    assert len(answers) == len(logs)
    return answers


def rebuilds(logs: list[bytes], policies=POLICIES) -> np.ndarray:
    return settle.rebuilds(settle.sweep(logs, policies))


@pytest.mark.parametrize("what", ["parts of recordings", "synthetic sessions"])
def test_attacks(what: str, sessions: list) -> None:
    logs = people.sessions(SESSIONS) if what.startswith("synthetic") else [session.whole for session in sessions]
    coarse, plain = frames(logs, "--coarse"), frames(logs)
    for how, share, without in (
        ("the first ten gaps", found(coarse, logs, gaps), found(plain, logs, gaps)),
        ("the first ten gaps of coarse logs, made alike", found(coarse, coarse, gaps), found(plain, plain, gaps)),
        ("the first ten sizes", found(coarse, logs, sizes), None),
    ):
        shown = "" if without is None else f"; without --coarse {without:.1%}"
        report(
            f"{len(logs)} {what}: {how} find {share:.1%}, at most {FOUND_MAX:.0%} may be{shown}",
            share <= FOUND_MAX and (without is None or without > 0.99),
        )
    before, after = rebuilds(logs), rebuilds(coarse)
    report(
        f"{len(logs)} {what}: rebuilds under the default policy and uikit are {after.tolist()}, and were"
        f" {before.tolist()}",
        bool((np.abs(after - before) <= OFF_MAX * before).all()),
    )
    grid = Policy.grid()[::97]
    before, after = rebuilds(logs, grid), rebuilds(coarse, grid)
    off = np.median(np.abs(after / before - 1))
    note(f"{len(logs)} {what}: other policies of the grid are off by {off:.0%} (median)")


def test_recordings() -> None:
    for path in sorted((ROOT / "Tests/Recordings").glob("*.jsonl")):
        if path.name.endswith(".decisions.jsonl"):
            continue
        log = settle.to_bytes(settle.read(path))
        before, after = rebuilds([log]), rebuilds(frames([log], "--coarse"))
        report(f"{path.stem}: {after.tolist()} rebuilds, and before {before.tolist()}", np.array_equal(before, after))


def test_tables(sessions: list, folder: Path) -> None:
    """A Parquet file and a folder become Parquet without names."""
    work, sound = folder, sessions
    source = work / "sessions.parquet"
    made.write_parquet(sound, source)
    folder = work / "folder"
    for session in sound:
        place = folder / str(session.platform)
        place.mkdir(parents=True, exist_ok=True)
        (place / f"{session.session}.settle").write_bytes(session.whole)
    names = {name for session in sound for name in (session.session, *settle.read(session.whole).names)}
    for given, options in ((source, ["--cohort", "platform"]), (folder, ["--path-pattern", "{platform}/*"])):
        out = work / f"{given.name}.out.parquet"
        run = subprocess.run(
            [SETTLE, "anonymize", "--coarse", *options, given, out], capture_output=True, text=True,
            env=os.environ | {"SETTLE_PYTHON": sys.executable},
        )
        damaged = sum(session.damage is not None for session in sound) if given == source else 0
        table = pq.read_table(out)
        logs = table["log"].to_pylist()
        whole = [session.whole for session in sound if given == folder or session.damage is None]
        report(
            f"{given.name}: {table.num_rows} sessions of {len(sound)}, with the same rebuilds and cohorts;"
            f" {damaged} damaged ones are left out",
            run.returncode == (1 if damaged else 0) and len(logs) == len(whole)
            and table.column_names == ["session", "platform", "log"]
            and np.array_equal(rebuilds(logs), rebuilds(whole)),
        )
        text = b"".join(logs) + "".join(table["session"].to_pylist()).encode() + run.stderr.encode()
        report(f"{given.name}: no name is left in the output", not [name for name in names if name.encode() in text])
    report("a planted name would be found", b"s0-" in b"".join(session.whole for session in sound))


def test_sums(folder: Path, is_long: bool) -> None:
    """Sums in place of logs result in the same tables."""
    work, more = folder, made.sessions(SOURCES, 20_000 if is_long else SESSIONS, seed=2)
    sound = [session for session in more if session.damage is None]
    policies = [Policy(), Policy.uikit(), *Policy.grid()[:: len(Policy.grid()) // 8]][: settle.SUMS_POLICIES_MAX]
    made.write_parquet(sound, work / "logs.parquet")
    sizes = []
    for session in sound:
        session.log = settle.sums(settle.read(session.whole), policies)
        sizes.append(len(session.log))
    made.write_parquet(sound, work / "sums.parquet")
    made.write_parquet(sound[1:], work / "fewer.parquet")
    tables = []
    for name, sums in (("logs", False), ("sums", True), ("fewer", True)):
        fleet.run_local(work / f"{name}.parquet", work / name, policies, cohort=("platform", "version"), sums=sums)
        tables.append([pq.read_table(work / name / table) for table in ("sums", "cohorts")])
    report(
        f"sums of {len(sound)} sessions under {len(policies)} policies add up to those of their logs; they have"
        f" {np.mean(sizes):.0f} bytes a session, at most {max(sizes)}, where logs have"
        f" {np.mean([len(session.whole) for session in sound]):,.0f}",
        tables[0] == tables[1] and max(sizes) <= 1024,
    )
    report("a planted fault is found: sums of a session that are not added", tables[0] != tables[2])
