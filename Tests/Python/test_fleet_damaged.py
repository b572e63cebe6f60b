"""How many sessions may be damaged until settle-fleet ends with an error."""

from __future__ import annotations

import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import settle
from settle import Policy, fleet
from settle.fleet._command import main
from test_sweep import made

LOG = settle.to_bytes(made(50))
FAULTS = {None: "the log is null", b"": "the log is empty", LOG[:300]: "the log ends within a chunk"}


@pytest.fixture
def work(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "policies.json").write_text(json.dumps(Policy().to_json()))
    return tmp_path


def run(logs, *options, out="out", force=True):
    names = [f"session {number}" for number in range(len(logs))]
    columns = {"session": pa.array(names, pa.string()), "log": pa.array(logs, pa.binary())}
    pq.write_table(pa.table(columns), "in.parquet")
    return main(["in.parquet", out, "--policies", "policies.json", *["--force"] * force, *options])


@pytest.mark.parametrize("fault", FAULTS, ids=FAULTS.values())
def test_a_run_whose_sessions_are_all_damaged_is_an_error(work, capsys, fault):
    assert run([fault] * 111) == 1
    said = capsys.readouterr()
    assert said.err.startswith("settle-fleet: 111 of 111 sessions are damaged, more than may be: ")
    ways = "--damaged-names to name them, or --salvage to count their intact parts, or a larger --max-damaged than 5%"
    for part in (" (111); the output out is complete, and its table damaged lists them; ", ways):
        assert FAULTS[fault] in said.err and part in said.err
    assert said.err.count("\n") == 1 and "session 0" not in said.err
    # What was written is there, for whoever looks into it.
    assert said.out.startswith("0 sessions") and fleet.Fleet("out").damaged_table().num_rows == 111


@pytest.mark.parametrize(
    ("damaged", "of", "options", "status"),
    [
        (5, 100, [], 0), (6, 100, [], 1), (1, 20, [], 0), (1, 19, [], 1), (0, 3, ["--max-damaged", "0%"], 0),
        (1, 100, ["--max-damaged", "0%"], 1), (3, 3, ["--max-damaged", "100%"], 0),
        (1, 3, ["--max-damaged", "33.3%"], 1), (1, 3, ["--max-damaged", "33.4%"], 0), (1, 3, ["--salvage"], 1),
        (0, 0, [], 0),
    ],
)
def test_the_bound_is_exact(work, capsys, damaged, of, options, status):
    assert run([LOG[:300]] * damaged + [LOG] * (of - damaged), *options) == status
    assert (capsys.readouterr().err == "") == (status == 0)
    assert fleet.Fleet("out").sessions_read() == of


def test_the_message_names_sessions_only_if_asked(work, capsys):
    logs = [None, b"", LOG[:300], None, LOG[:200] + b"x" + LOG[201:], *[LOG] * 5]
    assert run(logs, "--damaged-names") == 1
    said = capsys.readouterr().err
    assert "5 of 10 sessions are damaged" in said and "the log is null (2), " in said
    assert ", …; such as session " in said and "--damaged-names" not in said
    assert run(logs, "--cohort-minimum", "2") == 1
    said = capsys.readouterr().err
    assert "session 0" not in said and "--damaged-names" not in said
    assert fleet.Fleet("out").sessions_read() == 10


def test_sums_of_days_and_of_records_have_the_bound_too(work, capsys):
    assert run([LOG] * 10, out="day1") == 0
    assert run([None] * 10, "--max-damaged", "100%", out="day2") == 0
    assert main(["--merge", "day1", "day2", "sum"]) == 1
    assert "10 of 20 sessions are damaged" in capsys.readouterr().err
    assert main(["--merge", "day1", "--max-damaged", "50%", "day2", "--force", "sum"]) == 0
    assert run([b"SUMS"] * 4, "--sums") == 1
    assert "4 of 4 sessions are damaged" in (said := capsys.readouterr().err) and "--salvage" not in said


def test_the_export_is_written_all_the_same(work, capsys):
    assert run([None] * 4, "--json", "fleet.json") == 1
    assert json.loads((work / "fleet.json").read_text())["damaged"] == 4
    capsys.readouterr()
    assert run([None] * 4, "--json", "-") == 1
    assert json.loads(capsys.readouterr().out)["damaged"] == 4
