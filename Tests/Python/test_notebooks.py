"""What notebooks show, what pickle keeps, and the types of the public names."""

import inspect
import pickle
import sys
from html.parser import HTMLParser

import numpy as np
import pytest
import settle
from conftest import RECORDINGS
from settle.fleet import FleetError

POLICIES = [settle.Policy(), *settle.Policy.grid()[::331]]


@pytest.fixture(scope="module")
def results():
    return settle.Results(POLICIES, settle.sweep(RECORDINGS[:2], POLICIES))


class _Cells(HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.rows, self.tags, self.open = [], [], []
        self.feed(text)
        assert not self.open

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        if tag != "img":
            self.open.append(tag)
        if tag == "tr":
            self.rows.append([])
        if tag in ("td", "th"):
            self.rows[-1].append("")

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open[-1] in ("td", "th"):
            self.rows[-1][-1] += data


def test_a_log_shows_its_scenes_and_no_markup_of_theirs():
    log = settle.read(RECORDINGS[0])
    cells = _Cells(log._repr_html_())
    assert cells.rows[0] == ["scene", "events", "first size", "last size"]
    assert [row[0] for row in cells.rows[1:]] == log.names[:20]
    own = log.events[log.events["kind"] != settle.Kind.POINTER]
    assert [int(row[1].replace(",", "")) for row in cells.rows[1:]] == np.bincount(own["scene"]).tolist()[:20]
    hostile = settle.Log.from_events(log.events, [f"<script>{name}</script>" for name in log.names], {"name": "<b>"})
    assert "<script" not in hostile._repr_html_() and "<b>" not in hostile._repr_html_()
    many = settle.Log.from_events(np.zeros(0, settle.EVENT), [str(number) for number in range(30)])
    assert "10 of them not shown" in many._repr_html_() and len(_Cells(many._repr_html_()).rows) == 21


def test_a_log_shows_its_whole_time_and_the_first_and_last_size_of_each_scene():
    kind, known = settle.Kind, settle.Flag.SIZE_KNOWN
    events = np.array([
        (0, 0, 0, 1, kind.POINTER, settle.Flag.PRESSED), (10**9, 100, 50, 0, kind.GEOMETRY, known),
        (2 * 10**9, 110, 50, 0, kind.GEOMETRY, known), (2 * 10**9, 0, 0, 1, kind.CONNECT, 0),
        (25 * 10**8, 120.5, 60, 0, kind.GEOMETRY, known), (3 * 10**9, 0, 0, 0, kind.GEOMETRY, known),
        (4 * 10**9, 0, 0, 1, kind.POINTER, 0),
    ], settle.EVENT)
    html = settle.Log.from_events(events, ["a", "b"], {"name": "two"})._repr_html_()
    assert _Cells(html).rows[1:] == [["a", "4", "100 × 50", "120.5 × 60"], ["b", "1", "–", "–"]]
    assert "<caption>two: 7 events in 4 s, 2 scenes</caption>" in html


def test_a_policy_shows_its_fields_and_what_is_not_standard():
    html = settle.Policy(pause_delay_ns=90_000_000)._repr_html_()
    assert [row[0] for row in _Cells(html).rows[1:]] == list(settle.Policy().to_json())
    bold = html.partition("<tbody>")[2]
    assert bold.count("<th") == 2 and ">pauseDelay</th>" in bold and ">90ms</th>" in bold


def test_results_show_the_front(results):
    cells = _Cells(results._repr_html_())
    shown = [int(row[0]) for row in cells.rows[1:]]
    assert shown == [0, *(index for index in results.front if index != 0)]
    for row in cells.rows[1:]:
        assert int(row[2].replace(",", "")) == settle.rebuilds(results.counts[int(row[0])])
    today = settle.Results(POLICIES, results.counts, 3)
    rows = {int(row[0]): row[1] for row in _Cells(today._repr_html_()).rows[1:]}
    assert rows[3] in ("today", "today, knee") and all(text not in ("", "knee") for text in rows.values())
    assert (results.front, results.knee) == settle.front(results.counts, POLICIES, 0)
    with pytest.raises(ValueError, match="rows of counts"):
        settle.Results(POLICIES[1:], results.counts)
    with pytest.raises(ValueError, match="today is 99"):
        settle.Results(POLICIES, results.counts, 99)


@pytest.mark.parametrize("today", range(3))
def test_the_row_of_the_knee_is_bold(today):
    counts = np.zeros((3, settle.COLUMNS), np.int64)
    for row, (rebuilds, bucket) in zip(counts, [(100, 10), (20, 20), (10, 300)]):
        row[settle.REBUILDS][0] = row[settle.LAG][bucket] = rebuilds
    found = settle.Results(POLICIES[:3], counts, today)
    assert found.knee == 1 and len(found.front) == 3
    rows = found._repr_html_().split("<tr>")[2:]
    assert [("knee" in row, f">{found.knee}<" in row) for row in rows if row.startswith("<th")] == [(True, True)]


def test_the_front_is_a_picture_where_there_is_matplotlib(results, monkeypatch):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("agg")
    assert "data:image/png;base64,iVBOR" in results._repr_html_()
    lines = {line.get_gid(): line.get_xydata() for line in results.plot().get_lines()}
    rebuilds, lag_ms = settle.rebuilds(results.counts), settle.lag_quantile(results.counts, 950) / 1e6
    assert np.array_equal(lines["policies"], np.stack([rebuilds, lag_ms], axis=1))
    assert np.array_equal(lines["front"], lines["policies"][results.front])
    assert np.array_equal(lines["today"], lines["policies"][:1])
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    assert "<img" not in results._repr_html_() and "<table>" in results._repr_html_()
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(ImportError):
        results.plot()


@pytest.mark.parametrize("error", [
    settle.LogError("p", name="n", line=3), settle.LogError("p", name="n", offset=0), settle.LogError("p"),
    settle.PackError("p", 3), settle.PolicyError("p"), FleetError("p", 2),
], ids=repr)
def test_errors_pickle(error):
    other = pickle.loads(pickle.dumps(error))
    assert (type(other), str(other), vars(other), other.status) == (type(error), str(error), vars(error), error.status)


@pytest.mark.parametrize("cost", [None, "2ms+3ns/px"])
def test_a_sweeper_pickles(cost):
    sweeper = settle.Sweeper(POLICIES, build_cost=cost)
    other = pickle.loads(pickle.dumps(sweeper))
    log = settle.to_bytes(settle.read(RECORDINGS[3]))
    counts = [one.counts() for one in (sweeper, other)]
    for one, own in zip((sweeper, other), counts):
        one.add(log, own)
    assert counts[0].any() and np.array_equal(*counts) and other.policies == sweeper.policies
    log = settle.read(RECORDINGS[3])
    assert np.array_equal(pickle.loads(pickle.dumps(log)).events, log.events)


def _annotations():
    for name in settle.__all__:
        value = getattr(settle, name)
        members = [value] if inspect.isroutine(value) else []
        if inspect.isclass(value):
            own = [member for key, member in vars(value).items() if not key.startswith("_") or key == "__init__"]
            own = [getattr(member, "fget", None) or getattr(member, "__func__", member) for member in own]
            members = [value, *filter(inspect.isfunction, own)]
        for member in members:
            for key, kind in getattr(member, "__annotations__", {}).items():
                if not key.startswith("_"):
                    yield f"{name}.{getattr(member, '__name__', '')}.{key}", str(kind)


def test_no_public_type_is_any():
    found = dict(_annotations())
    assert len(found) > 100
    assert [name for name, kind in found.items() if "Any" in kind or "np.ndarray" in kind] == []
