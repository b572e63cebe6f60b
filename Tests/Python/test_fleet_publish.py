"""What a fleet's output says of single sessions: small cohorts, names, and sums in place of logs."""

import json

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import settle
from conftest import RECORDINGS
from settle import Policy, fleet
from settle.fleet._command import main

POLICIES = [Policy(), Policy.uikit(), *Policy.grid()[::800]]
#: How many sessions each version has; of 1.3 one more, that is damaged.
MANY = ["--max-damaged", "100%"]
VERSIONS = {"1.0": 9, "1.1": 4, "1.2": 2, "1.3": 1, None: 1}


@pytest.fixture(scope="module")
def work(tmp_path_factory):
    folder = tmp_path_factory.mktemp("publish")
    logs = [settle.to_bytes(settle.read(path)) for path in RECORDINGS]
    rows = []
    for version, count in VERSIONS.items():
        for number in range(count):
            rows.append((f"{version} {number}", version, logs[(len(rows) * 5 + number) % len(logs)]))
    rows.append(("alice", "1.3", logs[0][:-7]))
    names, versions, values = zip(*rows)
    table = pa.table({"session": names, "version": versions, "log": pa.array(values, pa.binary())})
    pq.write_table(table, folder / "in.parquet")
    fleet.run_local(folder / "in.parquet", folder / "whole", POLICIES, cohort=["version"])
    texts = [json.dumps(policy.to_json()) for policy in POLICIES]
    (folder / "policies.json").write_text("\n".join(texts))
    return folder


def sums(found):
    """Rebuilds and sessions by cohort."""
    return {cohort.values[0]: (cohort.sessions, *cohort.figures["rebuilds"].tolist()) for cohort in found.cohorts()}


def added(whole, *versions):
    return tuple(np.sum([whole[version] for version in versions], axis=0).tolist())


def test_small_cohorts_are_summed_up_as_one(work, tmp_path):
    whole = sums(fleet.Fleet(work / "whole"))
    for minimum, small in ((4, ["1.2", "1.3", None]), (3, ["1.2", "1.3", None]), (2, ["1.3", None]), (1, [])):
        out = tmp_path / str(minimum)
        found = fleet.publish(work / "whole", out, minimum=minimum)
        expected = {version: row for version, row in whole.items() if version not in small}
        assert sums(found) == expected | ({"other": added(whole, *small)} if small else {})
        assert [row["version"] for row in found.damaged()] == ["other" if "1.3" in small else "1.3"]
        assert found.total.figures["rebuilds"].tolist() == [*added(whole, *whole)][1:]
        assert min(row[0] for row in sums(found).values()) >= minimum
        assert found.runs == fleet.Fleet(work / "whole").runs, "it is not added to that"
    # What is left is too small by itself: the next cohort is part of it.
    assert sums(fleet.publish(work / "whole", tmp_path / "5", minimum=5)).keys() == {"1.0", "other"}
    assert sums(fleet.publish(work / "whole", tmp_path / "9", minimum=9)).keys() == {"other"}
    problem = f"^{tmp_path}/18: not written: there are 17 sessions, and cohorts must have at least 18"
    with pytest.raises(fleet.FleetError, match=problem):
        fleet.publish(work / "whole", tmp_path / "18", minimum=18)
    assert not (tmp_path / "18").exists()
    with pytest.raises(ValueError, match="minimum is 0"):
        fleet.publish(work / "whole", tmp_path / "0", minimum=0)


def test_a_cohort_called_other_is_one_of_them(work, tmp_path):
    table = pq.read_table(work / "in.parquet")
    versions = ["other" if version == "1.0" else version for version in table["version"].to_pylist()]
    fleet.run_local(
        table.set_column(1, "version", pa.array(versions)), tmp_path / "whole", POLICIES, cohort=["version"]
    )
    whole = sums(fleet.Fleet(tmp_path / "whole"))
    found = sums(fleet.publish(tmp_path / "whole", tmp_path / "out", minimum=3))
    assert found == {"1.1": whole["1.1"], "other": added(whole, "other", "1.2", "1.3", None)}
    # With it a small one is large enough, and no larger one need be part of it.
    few = table.set_column(1, "version", pa.array(versions)).filter(pa.array([name is not None for name in versions]))
    fleet.run_local(few, tmp_path / "few", POLICIES, cohort=["version"])
    assert sums(fleet.publish(tmp_path / "few", tmp_path / "two", minimum=2)).keys() == {"1.1", "1.2", "other"}


def test_the_command_publishes(work, tmp_path, capsys):
    arguments = [str(work / "in.parquet"), str(tmp_path / "out"), "--policies", str(work / "policies.json"), *MANY]
    assert main([*arguments, "--cohort", "version", "--cohort-minimum", "3"]) == 0
    assert sums(fleet.Fleet(tmp_path / "out")) == sums(fleet.publish(work / "whole", tmp_path / "wanted", minimum=3))
    assert "1.2" not in capsys.readouterr().out
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out", "wanted"]
    assert main(["--merge", str(work / "whole"), str(tmp_path / "sum"), "--cohort-minimum", "3", *MANY]) == 0
    assert sums(fleet.Fleet(tmp_path / "sum")) == sums(fleet.Fleet(tmp_path / "out"))
    capsys.readouterr()
    assert main([*arguments, "--cohort-minimum", "18", "--force"]) == 1
    said = capsys.readouterr().err
    assert said.startswith(f"settle-fleet: {tmp_path / 'out'}: not written: there are 17 sessions")
    assert said.endswith("at least 18; 1 more is damaged\n")
    assert sums(fleet.Fleet(tmp_path / "out")).keys() == {"1.0", "1.1", "other"}


def test_damaged_sessions_have_names_only_if_asked(work, tmp_path):
    for options, name in (([], None), (["--damaged-names"], "alice")):
        out = tmp_path / f"out{len(options)}"
        arguments = [str(work / "in.parquet"), str(out), "--policies", str(work / "policies.json"), *options, *MANY]
        assert main(arguments) == 0
        assert [row["session"] for row in fleet.Fleet(out).damaged()] == [name]
        files = b"".join(path.read_bytes() for path in out.rglob("*") if path.is_file())
        assert (b"alice" in files) == (name is not None)


def test_sums_are_added_up_like_logs(work, tmp_path):
    table = pq.read_table(work / "in.parquet")
    records = [
        settle.sums(settle.read(log), POLICIES) if name != "alice" else b"SUMS"
        for name, log in zip(table["session"].to_pylist(), table["log"].to_pylist())
    ]
    # A row is a session's: one with those of two, or with one twice, would make a cohort look larger.
    rows = table.set_column(2, "log", pa.array(records, pa.binary()))
    values = [["two", "twice"], ["1.0"] * 2, [records[0] + records[1], records[0] * 2]]
    two = pa.Table.from_arrays([pa.array(one) for one in values], schema=rows.schema)
    pq.write_table(pa.concat_tables([rows, two]), tmp_path / "sums.parquet")
    arguments = [str(tmp_path / "sums.parquet"), str(tmp_path / "out"), "--sums", "--cohort", "version", *MANY]
    assert main([*arguments, "--policies", str(work / "policies.json")]) == 0
    for name in ("sums", "cohorts"):
        one, other = (pq.read_table(folder / name) for folder in (tmp_path / "out", work / "whole"))
        assert one.drop_columns("damaged" if name == "cohorts" else []).equals(
            other.drop_columns("damaged" if name == "cohorts" else [])
        ), name
    problems = [row["problem"] for row in fleet.Fleet(tmp_path / "out").damaged()]
    assert sorted(problems) == [
        *["these are sums of 2 sessions; a row has those of one"] * 2, "these are no sums, or they are cut or changed"
    ][::-1]


@pytest.mark.parametrize(
    ("options", "status", "problem"),
    [
        (["--sums"], 2, "sums have at most 10 policies, and there are"),
        (["--sums", "--salvage", "--policies", "{policies}"], 2, "--salvage is for logs"),
        (["--cohort-minimum", "0"], 2, "--cohort-minimum is '0'"),
        (["--cohort-minimum", "2", "--damaged-names"], 2, "leave out --damaged-names"),
    ],
)
def test_what_does_not_go_together_is_refused(work, tmp_path, capsys, options, status, problem):
    options = [word.format(policies=work / "policies.json") for word in options]
    assert main([str(work / "in.parquet"), str(tmp_path / "out"), *options]) == status
    assert problem in capsys.readouterr().err and not (tmp_path / "out").exists()


def test_a_notebook_shows_cohorts(work):
    found = fleet.Fleet(work / "whole")
    html = found._repr_html_()
    assert "17 sessions under" in html and html.count("<tr>") == 2 + len(VERSIONS)
    bold = [row.startswith("<th") for row in html.split("<tr>")[1:]]
    assert bold == [True, *[False] * len(VERSIONS), True], "the head, and all together"
    assert ">null<" in html and f">{found.total.figures['rebuilds'][0]:,}<" in html
