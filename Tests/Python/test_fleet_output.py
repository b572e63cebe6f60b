"""An output's folder that is damaged, and the command's export when it cannot be written."""

from __future__ import annotations

import io
import json
import random
import shutil

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import settle
from fleets import POLICIES, batch, of, output, rows
from settle import _json_command, fleet
from settle.fleet import _command as fleet_command
from settle.fleet import _merge as fleet_merge
from settle.fleet import _options as fleet_options
from settle.fleet import _text as fleet_text
from settle._command import reporting
from test_sweep import made, with_metadata


@pytest.fixture
def logs():
    content = settle.to_bytes(made(2_000))
    return [content, settle.to_bytes(made(300, seed=3)), content[: content.rindex(b"INDX")]]


@pytest.fixture
def folder(logs, tmp_path):
    whole = batch([*logs, logs[0][:300]], platform=pa.array(["x11", None, "x11", "x11"]))
    return output(tmp_path / "out", fleet.sweep_batches(POLICIES, cohort=["platform"])([whole]), ["platform"])


def export(folder):
    text = io.StringIO()
    fleet.Fleet(folder).write_json(text)
    return json.loads(text.getvalue())


def test_sessions_without_an_index_are_counted(folder, logs):
    data = export(folder)
    assert (data["sessions"], data["damaged"], data["withoutIndex"], data["total"]["withoutIndex"]) == (3, 1, 1, 1)
    assert [cohort["withoutIndex"] for cohort in data["cohorts"]] == [0, 1]
    result = fleet.Fleet(folder)
    assert "1 session counts that has no index: nobody knows whether it is whole." in fleet_text.text_of(result, None)
    # Damaged sessions are named, and not counted here.
    (cohort,) = of("sums", rows([batch([logs[0], logs[0][:-5], logs[0][:300]])], salvage=True))
    assert (cohort["damaged"], cohort["without_index"]) == (2, 0)


def test_sessions_with_a_foreign_header_are_damaged(logs):
    foreign = with_metadata(logs[0], b"not json")
    for salvage, sessions in ((False, 3), (True, 4)):
        found = rows([batch([*logs, foreign])], salvage=salvage)
        (row,) = of("session", found)
        assert (row["session"], row["offset"], row["events"]) == ("s3", 16, 2_000 if salvage else 0)
        assert row["problem"].startswith("the header cannot be read")
        assert of("sums", found)[0]["sessions"] == sessions


@pytest.mark.parametrize("table", ["sums", "cohorts", "damaged"])
def test_tables_that_are_damaged_or_missing(folder, table, capsys):
    file = folder / table / "part-00000.parquet"
    content = file.read_bytes()
    middle = len(content) // 2
    for damaged in (b"", content[:-9], b"no parquet", content[:4] + bytes(middle) + content[4 + middle :]):
        file.write_bytes(damaged)
        assert reporting(lambda: _json_command.main([str(folder)])) == 1
        said = capsys.readouterr().err
        assert said.startswith(f"settle: {file}: ") and said.count("\n") == 1 and "--force" in said
    def is_refused(problem):
        with pytest.raises(fleet.FleetError, match=problem):
            export(folder)

    file.unlink()
    is_refused(f"{table}: this table has no files")
    pq.write_table(pq.read_table(io.BytesIO(content)).slice(1), file)
    is_refused("contradict each other")
    pq.write_table(pa.table({"x": [1]}), file)
    is_refused("there is no column 'platform'")
    file.write_bytes(content)
    shutil.copy(file, folder / table / "part-00001.parquet")
    is_refused("contradict each other")
    shutil.rmtree(folder / table)
    is_refused(f"{table}: this table has no files")


def test_bits_that_flip_are_found_or_do_not_matter(folder):
    """Each change of a table's file is an error that names it, or changes no value."""

    def values():
        text = io.StringIO()
        found = fleet.Fleet(folder)
        found.write_json(text)
        parts = [(part.key, part.figures.tolist(), part.counts.tolist()) for part in fleet_merge._parts(found)]
        return text.getvalue(), parts, list(found.damaged())

    wanted, dice, found = values(), random.Random(1), 0
    for table in ("sums", "cohorts", "damaged"):
        file = folder / table / "part-00000.parquet"
        content = file.read_bytes()
        for _ in range(200):
            changed = bytearray(content)
            changed[dice.randrange(len(content))] ^= 1 << dice.randrange(8)
            file.write_bytes(changed)
            try:
                assert values() == wanted
            except fleet.FleetError as error:
                assert str(folder) in str(error)
                found += 1
        file.write_bytes(content)
    assert found > 300


def test_a_null_that_the_footer_does_not_allow_is_damage(folder):
    """Else what says where the nulls are would be read as values."""
    file = folder / "cohorts/part-00000.parquet"
    read = pq.read_table(file)
    fields = [field.with_nullable(field.name != "every_change") for field in read.schema]
    pq.write_table(read.cast(pa.schema(fields)), file, store_schema=False)
    with pytest.raises(fleet.FleetError, match=f"{file}: .*'every_change' is another one than was written"):
        export(folder)


def test_cohort_columns_may_be_called_as_those_of_workers(logs, tmp_path):
    names = ["kind", "counts", "cohort"]
    rows = batch(logs, **{name: pa.array(["a"] * len(logs)) for name in names})
    made = output(tmp_path / "named", fleet.sweep_batches(POLICIES, cohort=names)([rows]), names)
    assert [cohort["cohort"] for cohort in export(made)["cohorts"]] == [["a"] * 3]


@pytest.mark.parametrize("change", [None, [], {"columns": 5}, {"policies": [{"x": "1s"}]}, {"today": 99}])
def test_marks_that_are_damaged(folder, change):
    mark = json.loads((folder / "_fleet.json").read_text())
    (folder / "_fleet.json").write_text(json.dumps(mark | change if isinstance(change, dict) else change))
    with pytest.raises(fleet.FleetError):
        fleet.Fleet(folder)


def plan(tmp_path, *more):
    out = tmp_path / "out"
    options = fleet_options.parser().parse_args(["in.parquet", str(out), *more])
    return fleet_command._Plan(options)


def test_an_export_that_cannot_be_written_loses_no_result(folder, tmp_path, monkeypatch, capsys):
    def full(*_):
        raise OSError(28, "No space left on device")

    export = tmp_path / "fleet.json"
    with monkeypatch.context() as patch:
        patch.setattr(fleet.Fleet, "write_json", full)
        with pytest.raises(fleet.FleetError) as caught:
            plan(tmp_path, "--json", str(export)).show(fleet.Fleet(folder))
        said = capsys.readouterr().out
        assert "sessions in 2 cohorts by platform" in said
        problem = f"{export}: cannot write: No space left on device; the output {tmp_path / 'out'} is complete; settle "
        assert str(caught.value).startswith(problem) and caught.value.status == 3
        assert not export.exists()
    plan(tmp_path, "--json", str(export), "--max-damaged", "25%").show(fleet.Fleet(folder))
    assert json.loads(export.read_text())["sessions"] == 3


def test_an_export_that_cannot_be_written_is_refused_before_a_run(logs, tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(fleet_command, "check_packages", lambda **_: None)
    monkeypatch.setattr(fleet_command._Plan, "run", lambda self: pytest.fail("it runs"))
    pq.write_table(pa.Table.from_batches([batch(logs)]), "in.parquet")
    policies = tmp_path / "policies.json"
    policies.write_text('{"quietDelay":"50ms"}\n')
    for name, part in (("/dev/full", "no regular file"), (str(policies), "the input itself"), ("/dev", "--json needs")):
        arguments = ["in.parquet", "new", "--json", name, "--force", "--policies", str(policies)]
        assert fleet_command.main(arguments) == 3
        assert part in capsys.readouterr().err
    assert policies.read_text().startswith("{")
