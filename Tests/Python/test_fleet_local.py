"""A fleet's run on this machine, whose values scripts/checks/fleet compares with those of Spark."""

from __future__ import annotations

import datetime
import json
import os
import resource
import shutil
import signal
import subprocess
import sys
import time

import pyarrow as pa
import pyarrow.dataset
import pyarrow.parquet as pq
import pytest
import settle
from fleets import POLICIES, batch
from settle import fleet
from settle.fleet import _command as fleet_command
from settle.fleet import _folder as fleet_folder
from settle.fleet import _local as fleet_local
from settle.fleet import _options as fleet_options
from test_sweep import made

COHORT = ["platform", "day"]


@pytest.fixture(scope="module")
def sessions():
    contents = [settle.to_bytes(made(200 + 10 * number, seed=number)) for number in range(90)]
    contents[7] = contents[7][:300]
    days = [datetime.date(2026, 11, 1 + number % 2) for number in range(90)]
    platforms = [("x11", None, "wayland")[number % 3] for number in range(90)]
    return pa.Table.from_batches([batch(contents, platform=pa.array(platforms), day=pa.array(days))])


def tables(folder):
    return {name: pq.read_table(folder / name / "part-00000.parquet") for name in ("sums", "cohorts", "damaged")}


@pytest.fixture(scope="module")
def wanted(sessions, tmp_path_factory):
    out = tmp_path_factory.mktemp("wanted") / "out"
    took = fleet.run_local(sessions, out, POLICIES, cohort=COHORT, jobs=1)
    assert (took["tasks"], took["sessions"]) == (1, 90)
    found = tables(out)
    logs = [log for number, log in enumerate(sessions["log"].to_pylist()) if number != 7]
    of_sweep = settle.rebuilds(settle.sweep(logs, POLICIES)).tolist()
    by_policy = found["sums"].group_by("policy").aggregate([("rebuilds", "sum")]).sort_by("policy")
    assert by_policy["rebuilds_sum"].to_pylist() == of_sweep
    assert found["damaged"]["session"].to_pylist() == [None]
    keys = list(zip(*(found["cohorts"][name].to_pylist() for name in COHORT)))
    assert keys == [(one, f"2026-11-0{day}") for one in (None, "wayland", "x11") for day in (1, 2)]
    return found


@pytest.mark.parametrize("jobs, memory_max", [(3, 1 << 30), (2, 1)])
def test_threads_memory_and_files_do_not_matter(sessions, wanted, tmp_path, jobs, memory_max):
    for number in range(3):
        (tmp_path / "in").mkdir(exist_ok=True)
        pq.write_table(sessions.slice(30 * number, 30), tmp_path / f"in/{number}.parquet", row_group_size=7)
    took = fleet.run_local(
        tmp_path / "in", tmp_path / "out", POLICIES, cohort=COHORT, jobs=jobs, memory_max=memory_max
    )
    assert tables(tmp_path / "out") == wanted and took["sessions"] == 90 and took["busy_ns"] > 0
    assert sorted(path.name for path in tmp_path.iterdir()) == ["in", "out"]
    assert not (tmp_path / "out/_parts").exists()
    assert fleet.Fleet(tmp_path / "out").columns == tuple(COHORT)


def test_what_an_input_can_be(sessions, wanted, tmp_path):
    pq.write_table(sessions, tmp_path / "in.parquet")
    dataset = pa.dataset.dataset(tmp_path / "in.parquet")
    day = pa.dataset.field("day") == datetime.date(2026, 11, 1)
    for number, source in enumerate((sessions.to_reader(7), dataset, dataset.filter(day))):
        out = tmp_path / f"out{number}"
        fleet.run_local(source, out, POLICIES, cohort=COHORT)
        keys = pq.read_table(out / "cohorts/part-00000.parquet")["day"].to_pylist()
        assert (tables(out) == wanted) == (number < 2) and keys == ["2026-11-01", "2026-11-02"][: 2 - number // 2] * 3
    with pytest.raises(fleet.FleetError, match="the input: there is no column 'platfrom'"):
        fleet.run_local(dataset, tmp_path / "new", POLICIES, cohort=["platfrom"])
    assert not (tmp_path / "new").exists()


def test_columns_of_folders_are_text(sessions, tmp_path):
    for number, value in enumerate(("1.10", "1.1", "01", "a%2Fb", "__HIVE_DEFAULT_PARTITION__")):
        place = tmp_path / f"in/version={value}"
        place.mkdir(parents=True)
        pq.write_table(sessions.slice(number, 1), place / "a.parquet")
    fleet.run_local(tmp_path / "in", tmp_path / "out", POLICIES, cohort=["version"])
    assert tables(tmp_path / "out")["cohorts"]["version"].to_pylist() == [None, "01", "1.1", "1.10", "a/b"]


@pytest.mark.parametrize("compression", ["zstd", "snappy", "none"])
def test_a_damaged_page_names_its_file(sessions, tmp_path, compression):
    (tmp_path / "in").mkdir()
    for name in "ab":
        file = tmp_path / f"in/{name}.parquet"
        pq.write_table(sessions, file, compression=compression, row_group_size=30, write_page_checksum=True)
    content = bytearray(file.read_bytes())
    middle = len(content) // 2
    content[middle : middle + 500] = bytes(500)
    file.write_bytes(content)
    with pytest.raises(fleet.FleetError) as caught:
        fleet.run_local(tmp_path / "in", tmp_path / "out", POLICIES)
    assert str(caught.value).startswith(f"{file}: the file is damaged: ") and caught.value.status == 1
    assert not (tmp_path / "out").exists()


def test_a_run_that_fails_leaves_the_last_output(sessions, wanted, tmp_path, monkeypatch):
    def run():
        fleet.run_local(sessions, tmp_path / "out", POLICIES, cohort=COHORT, force=True)

    run()
    with monkeypatch.context() as patch:
        patch.setattr(fleet_local, "write_tables", lambda *_: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            run()
    assert tables(tmp_path / "out") == wanted
    # What it had written is deleted.
    assert [path.name for path in tmp_path.iterdir()] == ["out"]
    run()
    assert tables(tmp_path / "out") == wanted and [path.name for path in tmp_path.iterdir()] == ["out"]


def test_a_deletion_that_was_killed_ends_in_the_next_run(sessions, wanted, tmp_path, monkeypatch):
    """Wherever it is killed, what is left of the old output is known as one."""

    class Killed(BaseException):
        pass

    fleet.run_local(sessions, tmp_path / "out", POLICIES, cohort=COHORT)
    left = []
    for steps in range(100):
        shutil.copytree(tmp_path / "out", tmp_path / "out.partial", dirs_exist_ok=True)
        with monkeypatch.context() as patch:
            lasting = [steps]

            def limited(own, lasting=lasting):
                def call(*given, **more):
                    if not lasting[0]:
                        raise Killed
                    lasting[0] -= 1
                    return own(*given, **more)

                return call

            for name in ("unlink", "rmdir"):
                patch.setattr(os, name, limited(getattr(os, name)))
            try:
                fleet_folder.Files().delete(str(tmp_path / "out.partial"))
                break
            except Killed:
                left.append(sorted(path.name for path in (tmp_path / "out.partial").iterdir()))
        fleet.merge([tmp_path / "out"], tmp_path / "out", force=True)
        assert tables(tmp_path / "out") == wanted and [path.name for path in tmp_path.iterdir()] == ["out"]
    assert left[-2:] == [["_fleet.json"], []] and len(left) == 10


def test_a_full_disk_names_the_output(sessions, tmp_path):
    pq.write_table(sessions, tmp_path / "in.parquet")
    command = [sys.executable, "-m", "settle", "fleet", tmp_path / "in.parquet", tmp_path / "out"]
    for options in ([], ["--cohort-minimum", "2"]):
        for limit in (1_000, 1_000_000):
            run = subprocess.run(
                [*command, *options], capture_output=True, text=True,
                preexec_fn=lambda limit=limit: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)),
            )
            assert (run.returncode, run.stderr) == (3, f"settle-fleet: {tmp_path / 'out'}: File too large\n")
            assert [path.name for path in tmp_path.iterdir()] == ["in.parquet"]


@pytest.mark.parametrize(
    ("given", "kind", "problem"),
    [({"cohort": "platform"}, TypeError, "cohort is the text 'platform'"), ({"jobs": 0}, ValueError, "jobs is 0")],
)
def test_arguments_of_another_kind_are_refused(sessions, tmp_path, given, kind, problem):
    with pytest.raises(kind, match=problem):
        fleet.run_local(sessions, tmp_path / "out", POLICIES, **given)
    assert not any(tmp_path.iterdir())


def test_the_command_needs_no_spark(sessions, tmp_path):
    pq.write_table(sessions, tmp_path / "in.parquet")
    policies = tmp_path / "policies.json"
    policies.write_text("".join(json.dumps(policy.to_json()) for policy in POLICIES))
    export = tmp_path / "fleet.json"
    # PySpark cannot be loaded, and no Java started.
    program = "import sys; sys.modules['pyspark'] = None; from settle import fleet; sys.exit(fleet.main())"
    command = [sys.executable, "-c", program, tmp_path / "in.parquet", tmp_path / "out", "--cohort", "platform"]
    run = subprocess.run(
        [*command, "--local", "--policies", policies, "--jobs", "2", "--json", export], capture_output=True, text=True,
        env={"PATH": "/nonexistent", "PYTHONPATH": ":".join(sys.path)},
    )
    assert (run.returncode, run.stderr) == (0, "")
    assert run.stdout.startswith("89 sessions in 3 cohorts by platform, ")
    assert json.loads(export.read_text())["damaged"] == 1


def test_an_interrupted_run_ends_at_once(sessions, tmp_path):
    pq.write_table(pa.concat_tables([sessions] * 200), tmp_path / "in.parquet", compression="none")
    command = [sys.executable, "-m", "settle", "fleet", tmp_path / "in.parquet", tmp_path / "out", "--jobs", "2"]
    run = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    while not (tmp_path / "out.partial/_parts/1.arrow").exists():
        assert run.poll() is None
        time.sleep(0.01)
    run.send_signal(signal.SIGINT)
    # All sessions would take minutes.
    output, said = run.communicate(timeout=20)
    assert (run.returncode, output, said) == (130, "", "settle-fleet: stopped\n")
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
def test_a_run_for_others_that_is_ended_leaves_nothing_behind(sessions, tmp_path, number):
    pq.write_table(pa.concat_tables([sessions] * 200), tmp_path / "in.parquet", compression="none")
    options = ["--jobs", "2", "--cohort-minimum", "2"]
    command = [sys.executable, "-m", "settle", "fleet", tmp_path / "in.parquet", tmp_path / "out", *options]
    run = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    while not list(tmp_path.glob(".settle-fleet-*/whole.partial/_parts/1.arrow")):
        assert run.poll() is None
        time.sleep(0.01)
    run.send_signal(number)
    output, said = run.communicate(timeout=20)
    expected = (130, "settle-fleet: stopped\n") if number == signal.SIGINT else (-number, "")
    assert (run.returncode, output, said) == (expected[0], "", expected[1])
    assert [path.name for path in tmp_path.iterdir()] == ["in.parquet"]


def test_partial_counts_of_a_run_that_was_killed_are_deleted_by_the_next(sessions, tmp_path, capsys):
    pq.write_table(pa.concat_tables([sessions] * 200), tmp_path / "long.parquet", compression="none")
    pq.write_table(sessions, tmp_path / "in.parquet")
    command = [sys.executable, "-m", "settle", "fleet", tmp_path / "long.parquet", tmp_path / "out", "--jobs", "2"]
    policies = tmp_path / "policies.json"
    policies.write_text(json.dumps(POLICIES[0].to_json()))

    def folders():
        return set(tmp_path.glob(".settle-fleet-*"))

    def started():
        before = folders()
        run = subprocess.Popen([*command, "--cohort-minimum", "2"])
        while not [one for one in folders() - before if (one / "whole.partial/_parts/1.arrow").exists()]:
            assert run.poll() is None
            time.sleep(0.01)
        (own,) = folders() - before
        return run, own

    killed, left = started()
    killed.kill()
    killed.wait()
    assert left.stat().st_mode & 0o777 == 0o700 and (left / "whole.partial").exists()
    lives, kept = started()
    try:
        assert folders() == {kept}
        # Also a run that is not for others deletes what is left, and no run what another one needs.
        for number, options in enumerate(([], ["--cohort-minimum", "2"])):
            (left / "whole").mkdir(parents=True)
            arguments = [tmp_path / "in.parquet", tmp_path / f"out{number}", "--policies", policies, *options]
            assert fleet_command.main([str(word) for word in arguments]) == 0
            assert folders() == {kept} and (kept / "whole.partial/_parts/1.arrow").exists()
    finally:
        lives.kill()
        lives.wait()
    capsys.readouterr()


def test_a_session_without_a_name_is_damaged(sessions, tmp_path):
    table = sessions.slice(0, 2)
    names = pa.array(["", None], pa.string())
    table = table.set_column(table.schema.get_field_index("session"), "session", names)
    fleet.run_local(table, tmp_path / "out", POLICIES)
    assert pq.read_table(tmp_path / "out/damaged")["problem"].to_pylist() == ["the session has no name"] * 2


def test_progress_counts_all_sessions_so_far(tmp_path):
    seen = []
    table = pa.table({"session": [str(number) for number in range(130)], "log": pa.array([b"log"] * 130, pa.binary())})
    took = fleet.run_local(table, tmp_path / "out", POLICIES, jobs=1, progress=seen.append)
    assert (seen, took["sessions"]) == ([64, 128, 130], 130)


def test_a_number_of_threads_is_checked(capsys):
    assert fleet_command.main(["a", "b", "--jobs", "x"]) == 2
    assert "--jobs is 'x'" in capsys.readouterr().err


def test_a_policy_of_no_such_name_is_guessed(capsys):
    assert fleet_command.main(["a", "b", "--policy", "defalt"]) == 3
    assert capsys.readouterr().err == (
        "settle-fleet: --policy is 'defalt'; there is no such file, and the names are default, prepared, live and"
        " uikit; did you mean default?\n"
    )


def test_each_preset_has_its_name():
    presets = [fleet_options.policy_of(name) for name in ("default", "prepared", "live", "uikit")]
    assert presets == [settle.Policy(), settle.Policy.prepared(), settle.Policy.live(), settle.Policy.uikit()]
