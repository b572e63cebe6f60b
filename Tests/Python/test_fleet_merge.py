"""Outputs of a fleet's runs that are added up."""

from __future__ import annotations

import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import settle
from fleets import POLICIES, batch
from settle import Policy, fleet
from settle.fleet import _command as fleet_command
from test_fleet_local import tables
from test_sweep import made

DAYS = 7


@pytest.fixture(scope="module")
def week(tmp_path_factory):
    """An output for each day, and one of all."""
    place = tmp_path_factory.mktemp("week")
    logs = [settle.to_bytes(made(150 + number, seed=number)) for number in range(6 * DAYS)]
    logs[3], logs[30] = logs[3][:-200], b""
    # The first day has two of the four cohorts.
    platforms = [("x11", None, "wayland", "web")[number % (4 if number > 9 else 2)] for number in range(6 * DAYS)]
    sessions = pa.Table.from_batches([batch(logs, platform=pa.array(platforms))])
    for day in range(DAYS):
        fleet.run_local(sessions.slice(6 * day, 6), place / f"day{day}", POLICIES, cohort=["platform"])
    fleet.run_local(sessions, place / "all", POLICIES, cohort=["platform"])
    return place


def test_seven_days_are_a_week(week, tmp_path):
    days = [week / f"day{day}" for day in range(DAYS)]
    found = fleet.merge(days, tmp_path / "sum")
    assert tables(tmp_path / "sum") == tables(week / "all") and len(found.runs) == DAYS
    assert [row["session"] for row in found.damaged()] == [None, None]
    # Day by day, into the sum itself.
    fleet.merge(days[:1], tmp_path / "sum", force=True)
    for day in days[1:]:
        fleet.merge([tmp_path / "sum", day], tmp_path / "sum", force=True)
    assert tables(tmp_path / "sum") == tables(week / "all")
    times = json.loads((tmp_path / "sum/_times.json").read_text())
    assert times["sessions"] == 6 * DAYS and [path.name for path in tmp_path.iterdir()] == ["sum"]


def test_what_does_not_add_up(week, tmp_path):
    day = week / "day0"

    def refused(part, *folders):
        with pytest.raises(fleet.FleetError, match=part):
            fleet.merge(folders, tmp_path / "out")
        assert not (tmp_path / "out").exists()

    refused("nothing to add up")
    refused("sum: it has sessions that .*day0 has as well", day, fleet.merge([day], tmp_path / "sum").folder)
    refused("sum: it has sessions that .*day0 has as well", week / "day1", day, tmp_path / "sum")
    one = pa.Table.from_batches([batch([settle.to_bytes(made(50))], platform=pa.array(["x11"]))])
    for what, policies, more in (
        ("policies", [*POLICIES[1:], POLICIES[0]], {}), ("policies", POLICIES, {"today": 1}),
        ("cohort columns", POLICIES, {"cohort": []}), ("ways with damaged logs", POLICIES, {"salvage": True}),
    ):
        fleet.run_local(one, tmp_path / "other", policies, force=True, **{"cohort": ["platform"], **more})
        refused(f"other: its {what} .*differ from those of .*day0", day, tmp_path / "other")
    (day / "_SUCCESS").rename(tmp_path / "success")
    refused("day0: the run that wrote this folder has not ended", day)
    (tmp_path / "success").rename(day / "_SUCCESS")
    with pytest.raises(fleet.FleetError, match="the output exists; give force=True"):
        fleet.merge([day], tmp_path / "sum")


def test_many_policies_are_added_up_in_blocks(tmp_path):
    one = pa.Table.from_batches([batch([settle.to_bytes(made(200))])])
    policies = Policy.grid()[:600]
    fleet.run_local(one, tmp_path / "a", policies)
    fleet.run_local(one, tmp_path / "b", policies)
    fleet.merge([tmp_path / "a", tmp_path / "b"], tmp_path / "sum")
    (cohort,) = fleet.Fleet(tmp_path / "sum").cohorts()
    wanted = settle.sweep(one["log"].to_pylist() * 2, policies)
    assert cohort.figures["rebuilds"].tolist() == settle.rebuilds(wanted).tolist()


def test_the_command_adds_up(week, tmp_path, capsys):
    out, export = str(tmp_path / "sum"), str(tmp_path / "fleet.json")
    days = [str(week / f"day{day}") for day in range(DAYS)]
    assert fleet_command.main(["--merge", *days[:6], out, "--max-damaged", "6%"]) == 0
    assert fleet_command.main(["--merge", out, days[6], out]) == 3
    assert "the output exists; give --force" in capsys.readouterr().err
    assert fleet_command.main(["--merge", *days, out, "--damaged-names"]) == 2
    assert "--damaged-names is for a run, and --merge adds up what runs wrote" in capsys.readouterr().err
    assert fleet_command.main(["--merge", out, days[6], out, "--force", "--json", export, "--p95-lag", "100ms"]) == 0
    assert capsys.readouterr().out.startswith("40 sessions in 4 cohorts by platform")
    assert tables(tmp_path / "sum") == tables(week / "all") and json.loads(open(export).read())["damaged"] == 2
    damaged = pq.read_table(tmp_path / "sum/damaged/part-00000.parquet")
    assert damaged.column_names == ["platform", "session", "problem", "offset", "events"]
