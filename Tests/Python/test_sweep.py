"""Sweeps against settle tune, and however the work is split."""

import json
import os
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from conftest import RECORDINGS
from test_logs import crc32c, made

import settle

POLICIES = [settle.Policy(), settle.Policy.uikit(), settle.Policy.live(), *settle.Policy.grid()[::331]]
LIVE = [settle.Policy.live(), settle.Policy(live_share_percent=100, live_limit_ns=None, live_interval_ns=0)]
COSTS = ["2ms+3ns/px", "20ms+slow/7"]


def built(row):
    """What builds come to, as `settle tune --json` names it."""
    ends = int(row[settle.RIGHT_AFTER].sum())
    after = {"rightAfter_ns": None, "p50RightAfter_ns": None, "p90RightAfter_ns": None}
    if ends > 0:
        after = {"rightAfter_ns": int(settle.right_after(row)), "p50RightAfter_ns": settle.right_after(row, 500),
                 "p90RightAfter_ns": settle.right_after(row, 900)}
        assert settle.at_once(row) == row[settle.RIGHT_AFTER.start] / ends
    weight = row[settle.WRONG] + 2 * row[settle.RIGHT_AFTER_SUM] + row[settle.WORK] // 3
    return {"builds": row[settle.BUILDS], "work_ns": row[settle.WORK], "wrong_ns": row[settle.WRONG],
            "busiest": settle.busiest(row), "ends": ends, "atOnce": row[settle.RIGHT_AFTER.start], **after,
            "weight_ns": weight}


def tuned(settle_command, tmp_path, logs, *options, policies=POLICIES):
    """What settle tune says of the policies, which are tried together with the default one, today's."""
    path = tmp_path / "policies.json"
    path.write_text("\n".join(json.dumps(policy.to_json()) for policy in policies))
    return json.loads(settle_command("tune", "--json", "--policies", path, *options, *logs))


def test_cases(case_folder):
    asked = 0
    for path in sorted(case_folder.glob("*.counts")):
        log = settle.read(path.read_bytes())
        for line in path.with_suffix(".counted").read_text().splitlines():
            one = json.loads(line)
            policy, cost, habit = settle.Policy.from_json(one["policy"]), one.get("cost"), one.get("habit")
            if habit and not cost:
                continue
            expected = np.zeros(settle.COLUMNS, np.int64)
            for column, count in one["counts"].items():
                expected[int(column)] = count
            counts = settle.sweep([log], [policy], build_cost=cost)[0]
            if habit:
                counts = settle.habits([log], cost)[["everySize", "throttle", "debounce", "live"].index(habit)]
            assert (counts == expected).all(), (log.header["name"], line)
            asked += 1
    assert asked > 60


@pytest.fixture(scope="module")
def reporting_logs(binary_logs, tmp_path_factory):
    """The recordings, and a log with reports of builds, which a closed loop leaves out."""
    path = tmp_path_factory.mktemp("logs") / "made.settle"
    settle.write(made(), path)
    return [*binary_logs, path]


@pytest.mark.parametrize("cost", COSTS)
def test_a_closed_loop_equals_that_of_tune(settle_command, tmp_path, reporting_logs, cost):
    figures = tuned(settle_command, tmp_path, reporting_logs, "--build-cost", cost, policies=[*POLICIES, *LIVE])
    policies = [settle.Policy.from_json(row["policy"]) for row in figures["policies"]]
    assert set(policies) == {*POLICIES, *LIVE}
    counts = settle.sweep(reporting_logs, policies, build_cost=cost)
    assert (settle.sweep(reporting_logs, policies, build_cost=cost, threads=3) == counts).all()
    for row, expected in zip(counts, figures["policies"]):
        assert settle.rebuilds(row) == expected["rebuilds"]
        for reason, count in enumerate(row[settle.REBUILDS], 5):
            assert count == expected[f"rebuilds.{settle.reason_name(reason)}"]
        assert row[settle.PREVIEWS] == expected["previews"] and row[settle.WASTED] == expected["wasted"]
        assert settle.lag_quantile(row, 950) == expected["p95Lag_ns"]
        assert settle.lag_quantile(row, 500) == expected["p50Lag_ns"]
        assert built(row) == {name: expected[name] for name in built(row)}
        assert row[settle.BUSIEST].sum() == figures["connections"]
        assert row[settle.RIGHT_AFTER].sum() == counts[0, settle.RIGHT_AFTER].sum() > 0
    live = counts[[policies.index(policy) for policy in LIVE]]
    assert (live[:, settle.REBUILDS.stop - 1] > 0).all()
    for today in figures["today"], policies[figures["today"]]:
        front = settle.front(counts, policies, today, by_builds=True)
        assert front == (figures["front"], figures["knee"]) and len(front[0]) > 1
    for threads in (1, 2):
        habits = settle.habits(reporting_logs, cost, threads=threads)
        assert habits.shape == (len(settle.HABITS), settle.COLUMNS)
        for name, row, expected in zip(settle.HABITS, habits, figures["habits"]):
            assert {"name": name, **built(row)} == expected
        assert settle.busiest(habits).tolist() == [row["busiest"] for row in figures["habits"]]


def test_the_grid_of_a_closed_loop_is_that_of_tune(settle_command, binary_logs):
    figures = json.loads(settle_command("tune", "--json", "--build-cost", "8ms", binary_logs[0]))
    policies = [settle.Policy.from_json(row["policy"]) for row in figures["policies"]]
    assert policies == settle.Policy.grid(live=True)


def test_without_a_builder_nothing_is_built(reporting_logs):
    counts = settle.sweep(reporting_logs, [*POLICIES, *LIVE])
    built = counts[:, settle.BUILDS :]
    assert built.shape[1] == 3 + 101 + 2 + 1153 and built.sum() == 0 and settle.busiest(counts).sum() == 0
    swept = settle.Sweeper(POLICIES[:1]).add(reporting_logs[0].read_bytes(), settle.Sweeper(POLICIES[:1]).counts())
    assert swept.habits is None
    sweeper = settle.Sweeper([], build_cost="8ms")
    first, again = (sweeper.add(reporting_logs[0].read_bytes(), sweeper.counts()) for _ in range(2))
    assert first == again and (first.habits == again.habits).all() and first.habits.any()
    # The recordings have no reports, and so no live rebuilds.
    live = settle.sweep(reporting_logs[:-1], LIVE)
    assert (live == settle.sweep(reporting_logs[:-1], [settle.Policy()])).all()


@pytest.mark.parametrize("text", [
    "8ms", "3ns/px", "2ms+3ns/px", " 3ns/px + 2ms ", ".5us", "1.4999999µs", "0.5ns", "3600s", "0.0000005ns/px",
    "0.0000004ns/px", "3600.0000001s", "0ms", "0ms+1ns/px", "1h", "8", "", "8ms+", "8ms+1ms", "1ns/px+1ns/px", "-8ms",
    "8ms+slow/20", "slow/3+ 1ns/px", "slow/20", "8ms+slow/0", "8ms+slow/1000001", "8ms+slow/1000000", "8ms+slow/007",
    "8ms+slow", "8ms+slow/2+slow/2", "8ms+slow/+2", "8ms+slow/٣",
    "5.ms", "1.2.3ms", "1e3ms", "٣ms", "8 ms", "8ms/px/px", "9" * 400 + "s", "9" * 400 + "s/px",
])
def test_costs_are_read_as_tune_reads_them(settle_command, tmp_path, binary_logs, text):
    path = tmp_path / "policy.json"
    path.write_text("{}")
    arguments = "tune", "--json", "--policies", path, "--build-cost", text, binary_logs[0]
    try:
        habits = settle.habits(binary_logs[:1], text)
    except ValueError as error:
        assert str(error).startswith(f"build_cost is {text!r}; give a time above 0s")
        settle_command(*arguments, status=2)
    else:
        figures = json.loads(settle_command(*arguments))
        assert habits[:, settle.WORK].tolist() == [row["work_ns"] for row in figures["habits"]]
    with pytest.raises(TypeError, match="build_cost is a text, as 8ms"):
        settle.Sweeper([], build_cost=8_000_000)


def test_without_ends_there_is_no_right_after(binary_logs):
    counts = settle.sweep(binary_logs, [settle.Policy(), settle.Policy.prepared()], build_cost="40ms")
    assert (settle.at_once(counts) >= 0).all()
    assert (settle.right_after(counts, 900) >= settle.right_after(counts, 500)).all()
    assert settle.right_after(counts[0]) == settle.right_after(counts)[0] > settle.right_after(counts)[1]
    nothing = np.zeros_like(counts)
    for figures in (settle.right_after(nothing), settle.right_after(nothing, 900), settle.at_once(nothing)):
        assert figures.shape == (2,) and np.isnan(figures).all()
    assert np.isnan(settle.right_after(nothing[0])) and np.isnan(settle.at_once(nothing[0]))
    with pytest.raises(ValueError, match="permille"):
        settle.right_after(counts, 1001)


def test_the_columns_are_those_of_the_struct():
    from settle._library import ffi

    names = {"rebuilds": settle.REBUILDS, "previews": settle.PREVIEWS, "wasted": settle.WASTED,
             "released": settle.RELEASED, "lag": settle.LAG, "builds": settle.BUILDS, "work_ns": settle.WORK,
             "wrong_ns": settle.WRONG, "busiest": settle.BUSIEST, "given_up": settle.GIVEN_UP,
             "right_after_ns": settle.RIGHT_AFTER_SUM, "right_after": settle.RIGHT_AFTER}
    for name, column in names.items():
        first, end = (column.start, column.stop) if isinstance(column, slice) else (column, column + 1)
        assert 8 * first == ffi.offsetof("settle_sweep_counts", name)
        fields = dict(ffi.typeof("settle_sweep_counts").fields)
        assert 8 * (end - first) == ffi.sizeof(fields[name].type)
    assert 8 * settle.COLUMNS == ffi.sizeof("settle_sweep_counts")


def test_the_counts_do_not_depend_on_the_work(binary_logs):
    logs = [settle.read(path) for path in RECORDINGS] + [made(), made(300, seed=3)]
    expected = settle.sweep(logs, POLICIES)
    sources = [*binary_logs, settle.to_bytes(logs[-2]), memoryview(settle.to_bytes(logs[-1]))]
    for threads in (1, 2, 5):
        assert (settle.sweep(sources, POLICIES, threads=threads) == expected).all()
        assert (settle.sweep(reversed(logs), POLICIES, threads=threads) == expected).all()
    assert (settle.sweep([*RECORDINGS, *logs[-2:]], POLICIES, threads=2) == expected).all()
    parts = [settle.sweep(sources, POLICIES[start : start + 7]) for start in range(0, len(POLICIES), 7)]
    assert (np.concatenate(parts) == expected).all()


def test_the_baselines_of_a_log_are_its_own(settle_command, binary_logs):
    sweeper = settle.Sweeper([])
    counts = sweeper.counts()
    for path in [*binary_logs, *reversed(binary_logs)]:
        swept = sweeper.add(path.read_bytes(), counts)
        figures = json.loads(settle_command("replay", "--json", path))
        assert (swept.every_change, swept.debounce) == (figures["everyChange"], figures["fixedDebounce100ms"])
    assert swept.every_change > 0


def test_the_first_failing_log_is_named(binary_logs, tmp_path):
    (tmp_path / "damaged.settle").write_bytes(binary_logs[0].read_bytes()[:-60])
    (tmp_path / "none.settle").write_bytes(b"nothing")
    logs = [*binary_logs, tmp_path / "damaged.settle", tmp_path / "none.settle", *binary_logs]
    for threads in (1, 2, 4):
        with pytest.raises(settle.LogError, match="damaged.settle: byte .*: the index is damaged"):
            settle.sweep(logs, POLICIES[:1], threads=threads)
        # A thread other than the main one gets the error as well.
        with ThreadPoolExecutor(1) as pool:
            failure = pool.submit(settle.sweep, logs, POLICIES[:1], threads=threads).exception()
        assert isinstance(failure, settle.LogError) and failure.name == str(tmp_path / "damaged.settle")
    salvaged = settle.sweep(logs[: len(binary_logs) + 1], POLICIES[:1], salvage=True)
    assert (salvaged == settle.sweep([*binary_logs, binary_logs[0]], POLICIES[:1])).all()


def test_the_front_prefers_few_changes():
    today = settle.Policy()
    policies = [settle.Policy(first_delay_ns=1, lock_delay_ns=1), settle.Policy(first_delay_ns=1), today]
    counts = np.zeros((3, settle.COLUMNS), np.int64)
    counts[:, 0] = counts[:, settle.LAG.start] = 1
    assert settle.front(counts) == ([0], None)
    assert settle.front(counts, policies, today) == ([2], None)
    assert settle.front(counts[:2], policies[:2], today) == ([1], None)


def test_a_log_that_is_refused_adds_nothing(binary_logs):
    sweeper = settle.Sweeper(POLICIES[:2])
    counts = sweeper.counts()
    content = binary_logs[6].read_bytes()
    with pytest.raises(settle.LogError):
        sweeper.add(content[: len(content) // 2], counts)
    assert counts.sum() == 0
    swept = sweeper.add(content[: len(content) // 2], counts, salvage=True)
    assert swept.problem == "the log ends within a chunk, whose events are lost" and swept.damaged_at > 0
    assert swept.events > 0 and counts.sum() > 0
    whole = sweeper.add(content, counts)
    assert whole.problem is None and whole.damaged_at is None and whole.events == 18_510


def test_odd_arguments(binary_logs):
    log = settle.read(binary_logs[0])
    assert settle.sweep(binary_logs, []).shape == (0, settle.COLUMNS)
    nothing = settle.sweep([], POLICIES)
    assert nothing.sum() == 0 and settle.front(nothing[:0]) == ([], None)
    assert settle.lag_quantile(nothing[:0], 500).tolist() == []
    open_bucket = np.zeros(settle.COLUMNS, np.int64)
    open_bucket[settle.LAG.stop - 1] = 1
    assert settle.lag_quantile(open_bucket, 500) == 2**64 - 1
    sweeper, content = settle.Sweeper(POLICIES[:1]), binary_logs[0].read_bytes()
    read_only = sweeper.counts()
    read_only.flags.writeable = False
    for error, problem, use in [
        *((TypeError, "give a list", lambda one=one: settle.sweep(one, [])) for one in ("a", content, log)),
        (ValueError, "threads", lambda: settle.sweep(binary_logs, POLICIES, threads=0)),
        (TypeError, "policy 0 is 'x'", lambda: settle.sweep(binary_logs, ["x"])),
        (TypeError, "settle.read", lambda: settle.decisions(str(binary_logs[0]))),
        *((ValueError, "permille", lambda wrong=wrong: settle.lag_quantile(nothing, wrong)) for wrong in (-1, 1001)),
        (ValueError, f"{settle.COLUMNS} columns", lambda: settle.lag_quantile(np.zeros(5, np.int64), 5)),
        *((ValueError, "today is", lambda today=today: settle.front(nothing, POLICIES, today)) for today in (-1, 99)),
        (ValueError, "there are no policies", lambda: settle.front(nothing, today=0)),
        (ValueError, "rows of counts", lambda: settle.front(nothing, POLICIES[1:], 0)),
    ]:
        with pytest.raises(error, match=problem):
            use()
    for wrong in (read_only, np.zeros((1, 5), np.int64), read_only.astype(np.uint64), sweeper.counts()[:, ::-1]):
        with pytest.raises(ValueError, match="counts are a writable int64 array"):
            sweeper.add(content, wrong)


def longest_silence(work) -> float:
    """The longest time for which another thread does not run while this one works, as a share of the work's time."""
    ticks, is_ready, is_done = [], threading.Event(), threading.Event()

    def tick() -> None:
        while not is_done.wait(0.001):
            ticks.append(time.monotonic())
            is_ready.set()

    thread = threading.Thread(target=tick)
    thread.start()
    is_ready.wait()
    started = time.monotonic()
    work()
    ended = time.monotonic()
    is_done.set()
    thread.join()
    times = [started, *(at for at in ticks if started < at < ended), ended]
    return max(later - earlier for earlier, later in zip(times, times[1:])) / (ended - started)


def test_the_gil_is_released(binary_logs):
    content = binary_logs[6].read_bytes()
    sweeper = settle.Sweeper(settle.Policy.grid()[:1_500])
    assert longest_silence(lambda: sweeper.add(content, sweeper.counts())) < 0.5
    # The measure sees a call that keeps the GIL.
    assert longest_silence(lambda: pow(3, 3_000_000)) > 0.5


def test_a_forked_process_sweeps(binary_logs):
    expected = settle.sweep(binary_logs[:2], POLICIES[:3])
    child = os.fork()
    if child == 0:
        is_same = (settle.sweep(binary_logs[:2], POLICIES[:3], threads=2) == expected).all()
        os._exit(0 if is_same else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def with_metadata(content: bytes, metadata: bytes) -> bytes:
    """The log with another header, and without its index, whose offsets would be wrong."""
    old = int.from_bytes(content[12:16], "little")
    head = content[:12] + len(metadata).to_bytes(4, "little") + metadata
    return head + crc32c(head) + content[16 + old + 4 : content.rindex(b"INDX")]


@pytest.mark.parametrize(("metadata", "problem"), [
    (b"not json", "header"), (b"", "the log is empty"), (b'{"settle":"events","version":9}', "version 9 is not known"),
    (b'{"settle":"events","version":1,"policy":{"quietDelay":"-1s"}}', "policy"),
])
def test_headers_are_checked(metadata, problem, settle_command, tmp_path):
    content = with_metadata(settle.to_bytes(made(50)), metadata)
    path = tmp_path / "log.settle"
    path.write_bytes(content)
    settle_command("validate", path, status=1)
    sweeper = settle.Sweeper(POLICIES[:2])
    counts = sweeper.counts()
    for use in (lambda: sweeper.add(content, counts), lambda: settle.read(content),
                lambda: settle.sweep([content], POLICIES[:1])):
        with pytest.raises(settle.LogError, match=problem) as caught:
            use()
        assert caught.value.offset == 16
    assert counts.sum() == 0

    settle_command("recover", path, tmp_path / "out.settle", status=1)
    recovered = settle.sweep([tmp_path / "out.settle"], POLICIES[:2])
    swept = sweeper.add(content, counts, salvage=True)
    assert (counts == recovered).all() and swept.events == 50
    assert problem in swept.problem and swept.damaged_at == 16 and swept.complete is False
    log = settle.read(content, salvage=True)
    assert log.problem == f"byte 16: {swept.problem}" and len(log.events) == 50 and log.complete is False


def test_a_header_is_read_once(monkeypatch):
    from settle import _json_lines

    content = settle.to_bytes(made(50))
    settle.Sweeper([]).add(content, settle.Sweeper([]).counts())
    monkeypatch.setattr(_json_lines, "read_header", None)
    settle.Sweeper([]).add(content, settle.Sweeper([]).counts())
    # Two logs must not share one header.
    settle.read(content).header["name"] = "changed"
    assert settle.read(content).header["name"] != "changed"


def test_the_first_damage_is_named():
    content = settle.to_bytes(made(2_000))
    index = content.rindex(b"INDX")
    header = 20 + int.from_bytes(content[12:16], "little")
    sweeper = settle.Sweeper([])
    chunk_of = content[header:index]
    flipped = bytearray(content)
    flipped[header + 100] ^= 1
    for data, problem, offset in (
        (content + b"junk" * 30, "something follows the index", len(content)),
        (content + b"CHNK", "something follows the index", len(content)),
        (content + chunk_of, "something follows the index", len(content)),
        (bytes(flipped) + b"junk" * 30, "a chunk is damaged, and its events are lost", header),
        (bytes(flipped[:-1]), "a chunk is damaged, and its events are lost", header),
        (content[:8] + b"\0" + content[9:], "the file header is torn or damaged", 0),
    ):
        for salvage in (False, True):
            try:
                swept = sweeper.add(data, sweeper.counts(), salvage=salvage)
                found = swept.problem, swept.damaged_at
            except settle.LogError as error:
                assert not salvage
                found = error.problem, error.offset
            assert found == (problem, offset)


@pytest.mark.parametrize("by_builds", [False, True])
def test_of_equal_policies_the_nearest_to_todays_is_on_the_front(by_builds):
    policies = [settle.Policy(quiet_delay_ns=1, calm_delay_ns=1), settle.Policy(quiet_delay_ns=1)]
    counts = np.zeros((2, settle.COLUMNS), np.int64)
    counts[:, settle.REBUILDS.start] = counts[:, settle.LAG.start + 5] = 7
    counts[:, settle.WORK] = counts[:, settle.WRONG] = 10**6
    assert settle.front(counts, policies, by_builds=by_builds)[0] == [0]
    assert settle.front(counts, policies, settle.Policy(), by_builds=by_builds)[0] == [1]
