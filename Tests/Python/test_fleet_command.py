"""What a fleet's run needs before it begins, its command line, and what it says of Spark."""

from __future__ import annotations

import sys
from types import SimpleNamespace

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from fleets import batch
from packing import BINARY
from settle import Policy, fleet
from settle.fleet import _command as fleet_command
from settle.fleet import _input as fleet_input
from settle.fleet import _options as fleet_options
from settle.fleet import _output as fleet_output
from settle.fleet import _session as fleet_session
from settle.fleet import _spark as fleet_spark
from settle.fleet._text import text_of


def test_columns():
    def checked(found, cohort=()):
        more = {"session": "session", "log": "log", "taken": fleet_output.TAKEN, "where": "IN"}
        fleet_input.check_columns(found, cohort=cohort, **more)

    session, log = ("session", "string"), ("log", "binary")
    sound = [session, log, ("platform", "dictionary<values=string, indices=int32, ordered=0>")]
    checked(sound, ["platform"])
    checked([("session", "bigint"), ("log", "large_binary")])
    for found, more, part in (
        (sound, {"cohort": ["Platform"]}, r"no column 'Platform' \(--cohort\); did you mean 'platform'\?"),
        ([("log", "binary")], {}, r"no column 'session' \(--session\); there are 'log'"),
        ([("session", "string"), ("log", "string")], {}, "'log' .* is of type string; expected is binary"),
        ([("session", "list<item: string>"), ("log", "binary")], {}, "'session' .* is of type list"),
        (sound, {"cohort": ["platform", "platform"]}, "twice"),
        (sound, {"cohort": ["Events"]}, "'Events' cannot make cohorts"),
        ([*sound, ("v", "double")], {"cohort": ["v"]}, "'v' .* is of type double"),
    ):
        with pytest.raises(fleet.FleetError, match=part):
            checked(found, **more)


def test_inputs(tmp_path):
    expected = {"session": "session", "log": "log", "cohort": ["version"], "taken": fleet_output.TAKEN}
    folder = tmp_path / "in/version=1.10"
    folder.mkdir(parents=True)
    pq.write_table(pa.Table.from_batches([batch([b"log"])]), folder / "a.parquet")
    _, size, groups = fleet_input.check_input(tmp_path / "in", **expected)
    assert groups == 1 and size > 0
    (folder / "b.parquet").write_bytes(b"no parquet")
    with pytest.raises(fleet.FleetError, match="b.parquet: this is no Parquet file"):
        fleet_input.check_input(tmp_path / "in", **expected)
    (folder / "b.parquet").unlink()
    pq.write_table(pa.table({"session": ["a"], "log": ["text"]}), folder / "b.parquet")
    with pytest.raises(fleet.FleetError, match="b.parquet: the column 'log'"):
        fleet_input.check_input(tmp_path / "in", **expected)
    with pytest.raises(fleet.FleetError, match="no such file"):
        fleet_input.check_input(tmp_path / "none\n", **expected)


def test_policies_of_today(tmp_path):
    assert [fleet_options.policy_of(name) for name in ("default", "uikit", "live")] == [
        Policy(), Policy.uikit(), Policy.live(),
    ]
    (tmp_path / "policy.json").write_text('{"liveShare":"5%"}')
    assert fleet_options.policy_of(str(tmp_path / "policy.json")) == Policy(live_share_percent=5)


def test_where_paths_are():
    assert str(fleet_input.local_path("file:///a b", master_is_local=False)) == "/a b"
    assert fleet_input.local_path("hdfs://a/b", master_is_local=True) is None
    assert fleet_input.local_path("a", master_is_local=False) is None


@pytest.mark.parametrize("arguments, status, part", [
    ([], 2, "IN, OUT"), (["a", "b", "--partitions", "0"], 2, "from 1 to 999999"),
    (["a", "b", "--partitions", "9"], 2, "--partitions is for Spark"), (["a", "b", "--jobs", "0"], 2, "from 1 to 1024"),
    (["a", "b", "--conf", "x=1", "--local"], 2, "--conf is for Spark"), (["hdfs:/a", "b"], 3, "only Spark reaches"),
    (["a", "b", "--max-damaged", "5"], 2, "--max-damaged is '5'; give a share from 0% to 100%, as 5%"),
    (["a", "b", "--max-damaged", "101%"], 2, "from 0% to 100%"), (["a", "b", "--max-damaged", "x%"], 2, "as 5%"),
    (["a", "b", "--memory", "0"], 2, "--memory is '0'"),
    (["a", "b", "--master", "local[2]", "--jobs", "2"], 2, "--jobs is for a run without Spark"),
    (["a", "b", "--master", "local[2]", "--local"], 2, "not allowed with"),
    (["a", "b", "--merge", "--cohort", "x"], 2, "--cohort is for a run"), (["a", "b", "c"], 2, "give --merge"),
    (["none", "out", "--merge"], 1, "none: this is no output folder"),
    (["a", "b", "--p95-lag", "5"], 2, "ns, us, ms"), (["a", "b", "--conf", "x"], 2, "--conf"),
    (["a", "b", "--cohort", "platform,version,platform"], 2, "'platform' twice"),
    (["a", "b", "--cohort", "platform,"], 2, "empty name"), (["a", "b", "--cohort", ""], 2, "empty name"),
    (["--cohrt", "platform", "a"], 2, "no option --cohrt; did you mean --cohort?"),
    (["a", "b", "-x=1"], 2, "no option -x\n"), (["a", "b", "--partitions", "-1"], 2, "from 1 to 999999"),
    (["a", "b", "--policies", "none.json"], 3, "none.json"),
    (["a", "b", "--grid", "--policies", "x"], 2, "not allowed with"),
])
def test_command_lines(arguments, status, part, capsys):
    assert fleet_command.main(arguments) == status
    said = capsys.readouterr().err
    assert part in said and said.startswith("settle-fleet: ")


def test_policies_of_a_file(tmp_path, capsys):
    (tmp_path / "p.json").write_text('{"quietDelay":"50ms"}\n{"quitDelay":"50ms"}\n')
    assert fleet_command.main(["a", "b", "--policies", str(tmp_path / "p.json")]) == 1
    assert "line 2" in (said := capsys.readouterr().err) and "quitDelay" in said


@pytest.mark.parametrize("read", [["--policies"], ["--policy"], ["--policies", "--policy"]], ids=" ".join)
def test_what_is_read_is_no_export(tmp_path, monkeypatch, capsys, read):
    monkeypatch.chdir(tmp_path)
    pq.write_table(pa.Table.from_batches([batch([b"log"])]), "in.parquet")
    files = {"--policies": "tried.json", "--policy": "today.json"}
    for name in files.values():
        (tmp_path / name).write_text("{}")
    given = [word for option in read for word in (option, files[option])]
    for option in read:
        assert fleet_command.main(["in.parquet", "out", *given, "--json", files[option], "--force"]) == 3
        assert f"{files[option]}: is the input itself" in capsys.readouterr().err
    assert sorted(path.name for path in tmp_path.iterdir()) == ["in.parquet", "today.json", "tried.json"]


def test_only_what_is_tried_is_said_to_stay_as_today(tmp_path):
    """A log of one event: no delay had rebuilds enough."""
    policies = [Policy(), Policy(quiet_delay_ns=1), Policy(quiet_delay_ns=2, discrete_delay_ns=1)]
    fleet.run_local(pa.Table.from_batches([batch([BINARY])]), tmp_path / "out", policies, session="session")
    found = fleet.Fleet(tmp_path / "out")
    said = [line.strip() for line in text_of(found, None) if "as today " in line]
    assert said == ["as today discreteDelay, quietDelay: fewer than 30 rebuilds waited for each"]
    assert len(found.total.unexercised) > 2


def test_what_is_missing_is_named(monkeypatch, tmp_path):
    for name in ("pyspark", "pandas"):
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(fleet.FleetError, match="pip install pyarrow 'pyspark>=4' 'pandas"):
        fleet_input.check_packages(spark=True)
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    with pytest.raises(fleet.FleetError, match="openjdk-17-jre-headless"):
        fleet_input.check_java()
    java = tmp_path / "bin/java"
    java.parent.mkdir()
    java.write_text("#!/bin/sh\necho 'openjdk version \"11.0.2\" 2019' >&2\n")
    java.chmod(0o755)
    with pytest.raises(fleet.FleetError, match="is version 11; "):
        fleet_input.check_java()


def test_what_spark_says_is_one_line():
    class PySparkError(Exception):
        pass

    PySparkError.__module__ = "py4j.protocol"
    no_space = "java.io.IOException: No space left"
    for text, said in (
        ("Job aborted\n  File x\nModuleNotFoundError: No module named 'settle'\n\n\tat org.apache", ".*--archives"),
        (f"Job aborted\norg.apache.spark.SparkException: lost\nCaused by: {no_space}\n\tat x", f"by: {no_space}; "),
        ("a: [FAILED_READ_FILE.NO_HINT] Encountered error while reading file file:///a%20b.parquet.  X\n"
         f"Caused by: {no_space}",
         "file:///a b.parquet: this cannot be read: Caused by: java"),
        (f"An error occurred while calling o5.parquet.\n: {no_space}\n\tat a.b(C.java:5)\n", f"failed: {no_space}; "),
    ):
        with pytest.raises(fleet.FleetError, match=said) as caught, fleet_spark._spark_errors():
            raise PySparkError(text)
        assert caught.value.status == 3 and "\n" not in str(caught.value)
    assert str(caught.value).endswith("what was written is incomplete: run it again with force=True")
    said = fleet_session.problem_of(PySparkError(text), "/tmp/log")
    assert said.endswith("run it again with --force; Spark's messages are in /tmp/log")
    with pytest.raises(KeyError), fleet_spark._spark_errors():
        raise KeyError


def test_local_workers_run_this_python(monkeypatch):
    def context(master, **conf):
        return SimpleNamespace(master=master, pythonExec="python3", getConf=lambda: conf)

    monkeypatch.delenv("PYSPARK_PYTHON", raising=False)
    for given, python in (
        (context("local[*]"), sys.executable), (context("spark://a:7077"), "python3"),
        (context("local[*]", **{"spark.pyspark.python": "x"}), "python3"),
    ):
        with fleet_session.local_python(given):
            assert given.pythonExec == python
        assert given.pythonExec == "python3"
    monkeypatch.setenv("PYSPARK_PYTHON", "python3")
    with fleet_session.local_python(given := context("local[*]")):
        assert given.pythonExec == "python3"
