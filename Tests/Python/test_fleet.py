"""A fleet's run without Spark: what its tasks return, how their rows are added up, and what is read of the
output. scripts/checks/fleet runs all of it on Spark."""

from __future__ import annotations

import io
import json
import os
import shutil
import sys
from types import SimpleNamespace

import numpy as np
import pytest

pa = pytest.importorskip("pyarrow")
import pyarrow.compute as pc  # noqa: E402
import pyarrow.parquet as pq  # noqa: E402
import settle  # noqa: E402
from conftest import RECORDINGS  # noqa: E402
from settle import Policy, fleet, fleet_command, fleet_input, fleet_session, fleet_sums, fleet_task, fleet_text  # noqa: E402

POLICIES = [Policy(), Policy.uikit(), *Policy.grid()[::500]]


@pytest.fixture(scope="module")
def logs(tmp_path_factory):
    """Binary logs, the shorter ones."""
    folder = tmp_path_factory.mktemp("logs")
    out = []
    for path in RECORDINGS:
        if path.stat().st_size < 200_000:
            settle.write(settle.read(path), folder / f"{path.stem}.settle")
            out.append((folder / f"{path.stem}.settle").read_bytes())
    return out


def batch(logs, sessions=None, **columns):
    return pa.RecordBatch.from_pydict(
        {
            "session": sessions or [f"s{number}" for number in range(len(logs))],
            "log": logs if isinstance(logs, pa.Array) else pa.array(logs, pa.binary()),
            **columns,
        }
    )


def rows(batches, **more):
    return [row for one in fleet.sweep_batches(POLICIES, **more)(batches) for row in one.to_pylist()]


def of(kind, found):
    return [row for row in found if row["kind"] == kind]


def added(batches):
    """The second stage of a task's rows, as Spark sorts them."""
    table = pa.Table.from_batches(list(batches))
    keys = [
        (tuple((value is not None, value or "") for value in row["cohort"]), row["policy"])
        if row["kind"] == "policy"
        else None
        for row in table.to_pylist()
    ]
    order = sorted((key, number) for number, key in enumerate(keys) if key is not None)
    table = table.take([number for _, number in order]).select(fleet_sums.PARTIAL)
    texts = [json.dumps(policy.to_json()) for policy in POLICIES]
    return pa.Table.from_batches(fleet_sums._merging(texts)(table.to_batches(max_chunksize=7)))


def counts(table, names=("rebuilds", "previews", "wasted", "p50_ns", "p95_ns", "lag_counts")):
    return [[row[name] for name in names] for row in table.to_pylist()]


def output(folder, batches, columns):
    """An output's folder, as a run writes it."""
    found = list(batches)
    sums = added(found)
    cohorts: dict = {}
    for one in found:
        for row in of("cohort", one.to_pylist()):
            key = tuple(row["cohort"])
            before = cohorts.get(key, [0] * len(fleet_task.COHORT_FIGURES))
            cohorts[key] = [a + row[name] for a, name in zip(before, fleet_task.COHORT_FIGURES)]
    order = sorted(cohorts, key=lambda key: [(value is not None, value or "") for value in key])
    for name in ("sums", "cohorts", "damaged"):
        (folder / name).mkdir(parents=True)
    for number, name in enumerate(columns):
        sums = sums.append_column(name, pa.array([key[number] for key in sums["cohort"].to_pylist()], pa.string()))
    pq.write_table(sums, folder / "sums/part-00000.parquet")
    pq.write_table(
        pa.Table.from_pylist(
            [dict(zip(columns, key)) | dict(zip(fleet_task.COHORT_FIGURES, cohorts[key])) for key in order]
        ),
        folder / "cohorts/part-00000.parquet",
    )
    damaged = pa.Table.from_batches(found).filter(pc.equal(pc.field("kind"), "session"))
    for number, name in enumerate(columns):
        values = pa.array([key[number] for key in damaged["cohort"].to_pylist()], pa.string())
        damaged = damaged.append_column(name, values)
    pq.write_table(damaged.select([*columns, *fleet_sums.DAMAGED]), folder / "damaged/part-00000.parquet")
    policies = [policy.to_json() for policy in POLICIES]
    mark = {"version": fleet.VERSION_OF_OUTPUT, "columns": columns, "policies": policies, "today": 0}
    (folder / "_fleet.json").write_text(json.dumps(mark))
    (folder / "_SUCCESS").touch()
    return folder


def test_the_sums_are_those_of_a_sweep(logs):
    wanted = settle.sweep(logs, POLICIES)
    found = added(fleet.sweep_batches(POLICIES)([batch(logs)]))
    assert [row["policy"] for row in found.to_pylist()] == list(range(len(POLICIES)))
    for row, count in zip(found.to_pylist(), wanted):
        assert [row[f"rebuilds_{reason}"] for reason in fleet_sums.REASONS] == count[settle.REBUILDS].tolist()
        assert (row["rebuilds"], row["previews"], row["wasted"]) == (
            count[settle.REBUILDS].sum(),
            count[settle.PREVIEWS],
            count[settle.WASTED],
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
    policies = sum(one.num_rows for one in found if one.column("kind")[0].as_py() == "policy")
    assert (policies > len(wanted)) == (memory_max == 1)


@pytest.mark.parametrize(
    "kind", [pa.binary(), pa.large_binary(), pa.binary_view(), pa.dictionary(pa.int32(), pa.binary())]
)
def test_kinds_of_columns(logs, kind):
    column = pa.array(logs, pa.binary())
    column = column.dictionary_encode() if pa.types.is_dictionary(kind) else column.cast(kind)
    assert counts(added(fleet.sweep_batches(POLICIES)([batch(column)]))) == counts(
        added(fleet.sweep_batches(POLICIES)([batch(logs)]))
    )


def test_damage_is_counted_and_named(logs):
    log = logs[0]
    cases = {
        "null": None,
        "empty": b"",
        "newer": log[:8] + b"\2\0" + log[10:],
        "foreign": b"\x89PNG\r\n\x1a\n" + bytes(40),
        "cut": log[:300],
        "flipped": log[:400] + bytes([log[400] ^ 1]) + log[401:],
    }
    found = rows([batch([*logs, *cases.values()], [*(f"s{number}" for number in range(len(logs))), *cases])])
    damaged = {row["session"]: row for row in of("session", found)}
    assert set(damaged) == set(cases)
    for name, part in (
        ("null", "is null"),
        ("empty", "is empty"),
        ("newer", "version 2 is newer"),
        ("foreign", "no binary event log"),
        ("cut", "ends within a chunk"),
        ("flipped", "chunk is damaged"),
    ):
        assert part in damaged[name]["problem"]
    (cohort,) = of("cohort", found)
    assert (cohort["sessions"], cohort["damaged"]) == (len(logs), len(cases))
    sound = rows([batch(logs)])
    assert of("policy", found) == of("policy", sound)

    salvaged = rows([batch([log[:-1]])], salvage=True)
    (row,) = of("session", salvaged)
    assert row["events"] == settle.Sweeper([]).add(log, np.zeros((0, settle.COLUMNS), np.int64)).events > 0
    assert of("cohort", salvaged)[0]["sessions"] == 1


def test_a_session_without_a_name_is_damaged(logs):
    found = rows([batch(logs[:2], [None, "b"])])
    assert [row["problem"] for row in of("session", found)] == ["the session is null"]
    assert of("cohort", found)[0]["sessions"] == 1
    assert of("cohort", rows([batch(logs[:2], [None, "b"])], salvage=True))[0]["sessions"] == 2


def test_long_cohorts_are_damage(logs):
    found = rows([batch(logs[:3], platform=pa.array(["x" * 1025, "é" * 512, None]))], cohort=["platform"])
    assert [row["cohort"] for row in of("session", found)] == [[None]]
    assert "'platform' has more than 1024 bytes" in of("session", found)[0]["problem"]
    assert {tuple(row["cohort"]) for row in of("cohort", found)} == {(None,), ("é" * 512,)}


def test_nothing_is_only_the_task():
    found = rows([])
    assert [(row["kind"], row["sessions"]) for row in found] == [("task", 0)]
    assert [row["kind"] for row in rows([batch([])])] == ["task"]


def test_sums_beyond_63_bits_are_an_error():
    sums = fleet_sums._Sums(["a"], 0)
    integers, nothing = np.zeros(13, np.int64), np.zeros(0, np.int32)
    integers[3] = 2**62
    sums.add(integers, nothing, nothing)
    with pytest.raises(OverflowError, match="exceed 2\\^63 - 1"):
        sums.add(integers, nothing, nothing)


def test_the_output_is_read(logs, tmp_path):
    columns = {"platform": pa.array([("x11", None)[number % 2] for number in range(len(logs))])}
    folder = output(
        tmp_path / "out", fleet.sweep_batches(POLICIES, cohort=["platform"])([batch(logs, **columns)]), ["platform"]
    )
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


@pytest.mark.parametrize("today", [Policy(), Policy(quiet_delay_ns=120_000_000, quiet_maximum_ns=130_000_000)])
def test_the_advice_is_that_of_tune(settle_command, tmp_path, today):
    every = [settle.read(path) for path in RECORDINGS]
    cohorts = {
        "recorded": every, "stripped": [without_end_signals(log) for log in every], "few": [every[3]],
        "none": [settle.Log(every[0].events[:0], [], every[0].header)],
    }
    policies = [today, *(policy for policy in Policy.grid(today)[::31] if policy != today)]
    file = tmp_path / "policies.json"
    file.write_text("\n".join(json.dumps(policy.to_json()) for policy in policies))
    monkey = pytest.MonkeyPatch()
    with monkey.context() as patched:
        patched.setattr(sys.modules[__name__], "POLICIES", policies)
        logs = [settle.to_bytes(log) for logs in cohorts.values() for log in logs]
        sources = pa.array([kind for kind, logs in cohorts.items() for _ in logs])
        sweep = fleet.sweep_batches(policies, cohort=["source"])
        folder = output(tmp_path / "out", sweep([batch(logs, source=sources)]), ["source"])
    result = fleet.Fleet(folder)
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
            text = settle_command("tune", "--json", "--policies", file, *own, *options, *paths)
            tuned = json.loads(text)
            assert tuned["today"] == 0
            advice = (result.advised(cohort, bound), list(cohort.kept))
            assert advice == (tuned["advised"], tuned["kept"]), (kind, bound)
            lines = list(fleet_text.text_of(result, bound)) if kind is None else []
            if kind is None and tuned["advised"]:
                replaces = "" if today == Policy() else ", in place of today's"
                assert f"    options{replaces}  {tuned['copy']['options']}" in lines
                figures = [tuned["policies"][index]["rebuilds"] for index in (tuned["advised"], 0)]
                if figures[0] != figures[1]:
                    assert any(f"    rebuilds {figures[0]:,} instead of {figures[1]:,} (" in line for line in lines)
            if bound is None:
                advised.add(tuned["advised"])
                for name in ("rebuilds", "wasted"):
                    assert tuned["policies"][tuned["advised"]][name] <= tuned["policies"][0][name]
    assert "  Today's policy: too few rebuilds to advise a change:" in fleet_text.text_of(result, None)
    assert result.advised(found["none"]) == 0 and len(advised) > 2
    assert found["stripped"].kept != found["recorded"].kept
    export = io.StringIO()
    result.write_json(export)
    data = json.loads(export.getvalue())
    kept = {kind: list(one.kept) for kind, one in found.items()}
    assert {one["cohort"][0]: one["kept"] for one in data["cohorts"]} == kept
    assert data["total"]["kept"] == list(result.total.kept)


class Files:
    """What a run needs of Hadoop's file systems, on this machine's."""

    def __init__(self, failing=0):
        self.renames, self.failing = 0, failing

    class Path(str):
        def __new__(cls, *parts):
            return super().__new__(cls, "/".join(map(str, parts)))

        def getFileSystem(self, files):
            return files

    exists = staticmethod(os.path.exists)
    isDirectory = staticmethod(os.path.isdir)
    listStatus = staticmethod(os.listdir)
    mkdirs = staticmethod(lambda path: os.makedirs(path, exist_ok=True))

    def delete(self, path, _):
        shutil.rmtree(path, ignore_errors=True) if os.path.isdir(path) else os.path.exists(path) and os.unlink(path)

    def rename(self, one, other):
        self.renames += 1
        if self.renames == self.failing:
            return False
        os.rename(one, other)
        return True

    def create(self, path, _):
        return open(path, "wb")


def folder_of(path, files):
    hadoop = SimpleNamespace(fs=SimpleNamespace(Path=Files.Path))
    jvm = SimpleNamespace(org=SimpleNamespace(apache=SimpleNamespace(hadoop=hadoop)))
    jsc = SimpleNamespace(hadoopConfiguration=lambda: files)
    return fleet._Folder(SimpleNamespace(sparkContext=SimpleNamespace(_jvm=jvm, _jsc=jsc)), str(path))


@pytest.mark.parametrize("exchanges", [True, False])
def test_an_output_is_replaced_when_the_new_one_is_complete(tmp_path, monkeypatch, exchanges):
    out = tmp_path / "out"

    def written(text, force=True, files=None, ends=True):
        folder = folder_of(out, files or Files())
        folder.begin(force)
        folder.write(fleet.MARK, text)
        if ends:
            folder.write(fleet.SUCCESS, "")
            folder.finish()
        return folder

    def content(path=out):
        return (path / fleet.MARK).read_text(), (path / fleet.SUCCESS).exists()

    if not exchanges:
        monkeypatch.setattr(fleet, "_exchange", lambda *_: False)
    written("first", force=False)
    assert content() == ("first", True) and os.listdir(tmp_path) == ["out"]
    with pytest.raises(fleet.FleetError, match="the output exists; give --force"):
        written("none", force=False)
    # A run that fails, or is killed at any step, leaves the last good output.
    folder = written("second", ends=False)
    assert content() == ("first", True) and folder.place == f"{out}.partial"
    written("third")
    assert content() == ("third", True) and os.listdir(tmp_path) == ["out"]
    if not exchanges:
        for failing in (1, 2):
            message = "it cannot be replaced; the new output is complete in .*out.partial"
            with pytest.raises(fleet.FleetError, match=message):
                written("fourth", files=Files(failing))
            assert content() == ("third", True)
            assert content(tmp_path / "out.partial") == ("fourth", True)
        written("fifth")
        assert content() == ("fifth", True) and os.listdir(tmp_path) == ["out"]
    # What others wrote is left alone, beside it as well.
    (tmp_path / "out.partial").mkdir()
    (tmp_path / "out.partial/precious").touch()
    with pytest.raises(fleet.FleetError, match=r"out\.partial: this exists, and settle-fleet did not write it"):
        written("sixth")
    assert (tmp_path / "out.partial/precious").exists()


def test_there_is_an_output_at_every_step_of_a_replacement(tmp_path, monkeypatch):
    out = tmp_path / "out"
    for text in ("old", "new"):
        folder = folder_of(out, Files())
        folder.begin(True)
        folder.write(fleet.MARK, text)
        folder.write(fleet.SUCCESS, "")
        seen = []
        for name in ("delete", "rename"):
            own = getattr(folder._files, name)

            def step(*arguments, own=own, seen=seen):
                seen.append((out / fleet.SUCCESS).exists())
                done = own(*arguments)
                seen.append((out / fleet.SUCCESS).exists())
                return done

            setattr(folder._files, name, step)
        folder.finish()
    assert seen and all(seen)


def test_lags_for_people():
    assert [fleet_text.lag_text(ns) for ns in (0, 820, 16_252_927, 1_006_632_959, 200 * 10**9, -1)] == [
        "0 s",
        "820 ns",
        "16.3 ms",
        "1.01 s",
        "3 min 20 s",
        "18 min or more",
    ]


def checked(found, **more):
    fleet_input.check_columns(
        found, **({"session": "session", "log": "log", "cohort": [], "taken": fleet.TAKEN, "where": "IN"} | more)
    )


def test_columns():
    sound = [
        ("session", "string"),
        ("log", "binary"),
        ("platform", "dictionary<values=string, indices=int32, ordered=0>"),
    ]
    checked(sound, cohort=["platform"])
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


def test_inputs(logs, tmp_path):
    expected = {"session": "session", "log": "log", "cohort": ["version"], "taken": fleet.TAKEN}
    folder = tmp_path / "in/version=1.10"
    folder.mkdir(parents=True)
    pq.write_table(pa.Table.from_batches([batch(logs)]), folder / "a.parquet")
    size, groups = fleet_input.check_input(tmp_path / "in", **expected)
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


def test_where_paths_are():
    assert str(fleet_input.local_path("file:///a b", master_is_local=False)) == "/a b"
    assert fleet_input.local_path("hdfs://a/b", master_is_local=True) is None
    assert fleet_input.local_path("a", master_is_local=False) is None


@pytest.mark.parametrize(
    "arguments, status, part",
    [
        ([], 2, "IN, OUT"),
        (["a", "b", "--partitions", "0"], 2, "from 1 to 999999"),
        (["a", "b", "--p95-lag", "5"], 2, "ns, us, ms"),
        (["a", "b", "--conf", "x"], 2, "--conf"),
        (["a", "b", "--cohort", "platform,version,platform"], 2, "'platform' twice"),
        (["a", "b", "--cohort", "platform,"], 2, "empty name"),
        (["a", "b", "--cohort", ""], 2, "empty name"),
        (["--cohrt", "platform", "a"], 2, "no option --cohrt; did you mean --cohort?"),
        (["a", "b", "-x=1"], 2, "no option -x\n"),
        (["a", "b", "--partitions", "-1"], 2, "from 1 to 999999"),
        (["a", "b", "--policies", "none.json"], 3, "none.json"),
        (["a", "b", "--grid", "--policies", "x"], 2, "not allowed with"),
    ],
)
def test_command_lines(arguments, status, part, capsys):
    assert fleet_command.main(arguments) == status
    said = capsys.readouterr().err
    assert part in said and said.startswith("settle-fleet: ")


def test_policies_of_a_file(tmp_path, capsys):
    (tmp_path / "p.json").write_text('{"quietDelay":"50ms"}\n{"quitDelay":"50ms"}\n')
    assert fleet_command.main(["a", "b", "--policies", str(tmp_path / "p.json")]) == 1
    assert "line 2" in (said := capsys.readouterr().err) and "quitDelay" in said


def test_what_is_missing_is_named(monkeypatch, tmp_path):
    for name in ("pyspark", "pandas"):
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(fleet.FleetError, match=r"pip install 'settle\[fleet\]'"):
        fleet_input.check_packages()
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
    problem = fleet_session.problem_of
    text = "Job aborted\n  File x\nModuleNotFoundError: No module named 'settle'\n\n\tat org.apache"
    assert "--archives" in problem(Exception(text), None)
    text = "Job aborted\norg.apache.spark.SparkException: lost\nCaused by: java.io.IOException: No space left\n\tat x"
    said = problem(Exception(text), "/tmp/log")
    assert said.startswith("Spark failed: Caused by: java.io.IOException: No space left; what was written is")
    assert said.endswith("run it again with --force; Spark's messages are in /tmp/log") and "\n" not in said


def test_what_spark_raises_becomes_one_line(monkeypatch):
    class PySparkError(Exception):
        pass

    PySparkError.__module__ = "py4j.protocol"
    text = "An error occurred while calling o5.parquet.\n: java.io.IOException: No space left\n\tat a.b(C.java:5)\n"
    with pytest.raises(fleet.FleetError) as caught, fleet._spark_errors():
        raise PySparkError(text)
    assert str(caught.value).startswith("Spark failed: java.io.IOException: No space left; what was written is")
    assert "force=True" in str(caught.value) and caught.value.status == 3
    with pytest.raises(fleet.FleetError, match="--archives"), fleet._spark_errors():
        raise PySparkError("Job aborted\nModuleNotFoundError: No module named 'settle'\n")
    with pytest.raises(KeyError), fleet._spark_errors():
        raise KeyError


def test_local_workers_run_this_python(monkeypatch):
    def context(master, **conf):
        return SimpleNamespace(master=master, pythonExec="python3", getConf=lambda: conf)

    monkeypatch.delenv("PYSPARK_PYTHON", raising=False)
    for given, python in (
        (context("local[*]"), sys.executable),
        (context("spark://a:7077"), "python3"),
        (context("local[*]", **{"spark.pyspark.python": "x"}), "python3"),
    ):
        with fleet_session.local_python(given):
            assert given.pythonExec == python
        assert given.pythonExec == "python3"
    monkeypatch.setenv("PYSPARK_PYTHON", "python3")
    with fleet_session.local_python(given := context("local[*]")):
        assert given.pythonExec == "python3"
