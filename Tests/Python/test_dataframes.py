"""Logs of tables that others made: DataFrames of pandas and Polars, and times of all of Arrow's units."""

import datetime

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import settle
from conftest import RECORDINGS
from settle import fleet
from test_logs import same

#: A drag of 900 ms, at 100 ms steps.
STEPS_MS = [1000 + 100 * step for step in range(10)]
WIDTHS = [800.0 + step for step in range(10)]


def table(times, name="t_ns"):
    return pa.table({name: times, "scene": ["a"] * 10, "width": WIDTHS, "height": [600.0] * 10})


def in_unit(unit):
    factor = {"s": 1e-3, "ms": 1, "us": 1_000, "ns": 1_000_000}[unit]
    return [int(ms * factor) for ms in STEPS_MS]


WANTED = settle.Log.from_arrow(table([ms * 1_000_000 for ms in STEPS_MS]))
WHOLE_SECONDS = [ms // 1000 * 1_000_000_000 for ms in STEPS_MS]


@pytest.mark.parametrize("unit", ["s", "ms", "us", "ns"])
@pytest.mark.parametrize("kind", [pa.timestamp, pa.duration, lambda unit: pa.timestamp(unit, "Asia/Tokyo")])
def test_times_count_in_the_unit_of_their_type(unit, kind):
    log = settle.Log.from_arrow(table(pa.array(in_unit(unit), kind(unit))))
    expected = WHOLE_SECONDS if unit == "s" else WANTED.events["t_ns"].tolist()
    assert log.events["t_ns"].tolist() == expected
    named = settle.Log.from_arrow(table(pa.array(in_unit(unit), kind(unit)), "when"), time="when")
    assert named.events.tolist() == log.events.tolist()
    encoded = pa.DictionaryArray.from_arrays(pa.array(range(10)), pa.array(in_unit(unit), kind(unit)))
    assert settle.Log.from_arrow(table(encoded)).events.tolist() == log.events.tolist()


@pytest.mark.parametrize("unit", ["ms", "us", "ns"])
def test_whole_numbers_count_in_the_unit_of_their_name_or_as_said(unit):
    for name, more in ((f"t_{unit}", {}), (unit, {}), ("when", {"unit": unit}), ("t_s", {"unit": unit})):
        for kind in (pa.int64(), pa.uint64()):
            log = settle.Log.from_arrow(table(pa.array(in_unit(unit), kind), name), time=name, **more)
            assert same(log, WANTED)


@pytest.mark.parametrize(
    ("times", "more", "problem"),
    [
        (pa.array(STEPS_MS, pa.float64()), {}, 'column "t_ns" is of type double; it must be timestamps, durations'),
        (pa.array(map(str, STEPS_MS)), {}, 'column "t_ns" is of type string; it must be timestamps'),
        (pa.array(STEPS_MS, pa.date64()), {}, 'column "t_ns" is of type date64'),
        (pa.array(STEPS_MS, pa.time64("us")), {}, 'column "t_ns" is of type time64'),
        (pa.array([True] * 10), {}, 'column "t_ns" is of type bool'),
        (pa.array(STEPS_MS, pa.timestamp("us")), {"unit": "ms"}, "which has a unit; leave out unit='ms'"),
        (pa.array([*STEPS_MS[:9], -1], pa.timestamp("us")), {}, 'column "t_ns", row 9: it must be 0'),
        (pa.array([*STEPS_MS[:9], 2**63 // 10**9 + 1], pa.timestamp("s")), {}, 'column "t_ns", row 9: it must be 0'),
        (pa.array([*STEPS_MS[:9], None], pa.duration("us")), {}, 'column "t_ns" is missing or null in row 9'),
    ],
)
def test_times_of_another_type_name_their_column(times, more, problem):
    with pytest.raises(settle.LogError, match=problem.replace("(", r"\(")):
        settle.Log.from_arrow(table(times), **more)


def test_numbers_of_no_unit_and_arguments_of_another_kind_are_refused():
    with pytest.raises(settle.LogError, match='column "when" has whole numbers of an unknown unit; give unit='):
        settle.Log.from_arrow(table(STEPS_MS, "when"), time="when")
    with pytest.raises(settle.LogError, match='no column "t_ns"; time= names'):
        settle.Log.from_arrow(table(STEPS_MS, "when"))
    with pytest.raises(ValueError, match="unit must be one of s, ms, us, ns"):
        settle.Log.from_arrow(table(STEPS_MS), unit="min")
    with pytest.raises(TypeError, match="and is no dict"):
        settle.Log.from_arrow({"t_ns": [1]})
    twice = pa.Table.from_arrays([pa.array([1]), pa.array([1]), pa.array(["a"])], ["t_ns", "t_ns", "scene"])
    with pytest.raises(settle.LogError, match='column "t_ns" is there twice'):
        settle.Log.from_arrow(twice)


@pytest.mark.parametrize(
    ("name", "values", "problem"),
    [
        ("width", pa.array(["800"]), "is of type string; it must be numbers"),
        ("width", pa.array([datetime.datetime(2026, 1, 1)]), r"is of type timestamp\[us\]; it must be numbers"),
        ("button", pa.array([True]), "is of type bool; it must be numbers"),
        ("generation", pa.array([1.5]), "is no uint32"),
        ("resizing", pa.array([1]), "is of type int64; it must be truth values"),
        ("scene", pa.array([datetime.timedelta(1)]), r"is of type duration\[us\]; it must be text"),
        ("cost_ns", pa.array(["8"]), "is of type string; it must be timestamps, durations or whole numbers"),
    ],
)
def test_other_columns_have_types_too(name, values, problem):
    columns = {"t_ns": [1], "scene": ["a"], "width": [1.0], "height": [1.0], name: values}
    with pytest.raises(settle.LogError, match=f'^column "{name}" {problem}'):
        settle.Log.from_arrow(pa.table(columns))


def test_costs_count_in_their_unit():
    for cost, expected in ((pa.array([8], pa.duration("ms")), 8_000_000), (pa.array([2**62], pa.duration("s")), 2**53)):
        report = {"t_ns": [1], "scene": ["a"], "kind": ["finished"], "generation": [1], "cost_ns": cost}
        assert settle.Log.from_arrow(pa.table(report)).cost_ns.tolist() == [expected]


def test_frames_of_pandas():
    start = pd.Timestamp("2026-11-27", tz="Europe/Berlin")
    frame = table(STEPS_MS).to_pandas()
    for times in (
        pd.to_timedelta(STEPS_MS, unit="ms"), pd.to_timedelta(STEPS_MS, unit="ms").as_unit("us"),
        pd.to_datetime(STEPS_MS, unit="ms"), pd.to_datetime(STEPS_MS, unit="ms", utc=True).tz_convert("Asia/Tokyo"),
    ):
        assert same(settle.Log.from_arrow(frame.assign(t_ns=times)), WANTED)
        assert same(settle.Log.from_arrow(frame.assign(t_ns=times).set_index("t_ns")), WANTED)
    log = settle.Log.from_arrow(frame.assign(t_ns=start + pd.to_timedelta(STEPS_MS, unit="ms")))
    assert log.events["t_ns"][0] == start.value + 1_000_000_000
    with pytest.raises(settle.LogError, match="cannot be made a table of Arrow"):
        settle.Log.from_arrow(frame.assign(scene=["a", 5] * 5))


def test_frames_of_polars():
    frame = pl.from_arrow(table(STEPS_MS))
    for unit in ("ms", "us", "ns"):
        for kind in (pl.Datetime(unit), pl.Datetime(unit, "Asia/Tokyo"), pl.Duration(unit)):
            times = pl.Series("t_ns", in_unit(unit), pl.Int64).cast(kind)
            assert same(settle.Log.from_arrow(frame.with_columns(times)), WANTED)
    scenes = frame.with_columns(pl.col("t_ns") * 1_000_000, pl.col("scene").cast(pl.Categorical))
    assert same(settle.Log.from_arrow(scenes), WANTED)


@pytest.mark.parametrize("path", RECORDINGS, ids=lambda path: path.stem)
def test_recordings_come_back_from_frames(path):
    log = settle.read(path)
    kept = settle.Log.from_arrow(log.to_arrow())
    for frame in (kept.to_arrow().to_pandas(), pl.from_arrow(kept.to_arrow())):
        assert same(settle.Log.from_arrow(frame, log.header), kept)


def test_what_gives_arrow_data_is_a_table():
    class Stream:
        def __arrow_c_stream__(self, requested_schema=None):
            return wanted.__arrow_c_stream__(requested_schema)

    class Array:
        def __arrow_c_array__(self, requested_schema=None):
            return wanted.combine_chunks().to_batches()[0].__arrow_c_array__(requested_schema)

    wanted = WANTED.to_arrow()
    for data in (Stream(), Array(), wanted.to_batches()[0], wanted.to_reader()):
        assert same(settle.Log.from_arrow(data), WANTED)


def test_fleets_take_frames(tmp_path):
    logs = [settle.to_bytes(settle.read(path)) for path in RECORDINGS[:2]]
    columns = {"session": ["a", "b"], "log": logs, "platform": ["x11", None]}
    policies = [settle.Policy()]
    wanted = settle.rebuilds(settle.sweep(logs, policies)).tolist()
    polars = pl.DataFrame(columns)
    encoded = polars.with_columns(pl.col("platform", "session").cast(pl.Categorical))
    for number, frame in enumerate((pd.DataFrame(columns), polars, encoded, pa.RecordBatch.from_pydict(columns))):
        fleet.run_local(frame, tmp_path / str(number), policies, cohort=["platform"])
        found = list(fleet.Fleet(tmp_path / str(number)).cohorts())
        assert [one.values for one in found] == [(None,), ("x11",)]
        assert np.sum([one.figures["rebuilds"] for one in found], axis=0).tolist() == wanted
