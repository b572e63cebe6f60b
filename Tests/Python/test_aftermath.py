"""What follows from a log in changed copies, and of what the package shows, in numbers: see aftermath.py."""

from __future__ import annotations

import json

import pytest
import settle
import test_fleet_aftermath
from aftermath import LOG, NUMBERS, POLICIES, WISH, check, said
from conftest import RECORDINGS
from settle import Policy
from settle.fleet._text import lag_text, options_of


def text_of(log):
    return f"{log.names} {log.header} {log.events.tolist()}"


def changed(content):
    """Copies of a log, each with one change."""
    lines = content.splitlines(keepends=True)
    for place in range(len(lines)):
        rest = lines[:place] + lines[place + 1:]
        yield b"".join(rest)
        yield b"".join(lines[:place] + [lines[place]] + lines[place:])
        yield b"".join(lines[:place]) + lines[place][: len(lines[place]) // 2]
    for place in range(3, len(content), 41):
        yield content[:place] + bytes([content[place] ^ 1]) + content[place + 1:]
        yield content[:place] + content[place + 1:]
    words = ((b"editor", b"\\u0065ditor"), (b"1,", b"1.5,"), (b"0,", b"-1,"), (b"true", b"null"), (b"px", b"cell"))
    for old, new in words:
        yield content.replace(old, new)


@pytest.mark.parametrize("salvage", [False, True])
def test_reading(salvage):
    binary = settle.to_bytes(settle.read(LOG))
    copies = [*changed(LOG), *(binary[:place] for place in range(0, len(binary), 61))]
    copies += [binary[:place] + b"\xff" + binary[place + 1:] for place in range(0, len(binary), 23)]
    found = [said(lambda own: text_of(settle.read(own, salvage=salvage)), own) for own in copies]
    check(f"reading{' what is whole' * salvage}", found)


def test_writing(tmp_path):
    log = settle.read(LOG)
    backwards = settle.Log.from_events(log.events[::-1], log.names, {"name": "é\n", "unit": "pt"})
    found = []
    for own in (log, backwards):
        for name in ("a.jsonl", "a.settle"):
            settle.write(own, tmp_path / name)
            found.append((tmp_path / name).read_bytes().hex())
            found.append(said(settle.write, own, tmp_path / name).replace(str(tmp_path), ""))
            (tmp_path / name).unlink()
        found.append(str(own.to_arrow().to_pylist()))
        found.append(said(lambda table: text_of(settle.Log.from_arrow(table)), own.to_arrow()))
    check("writing", found)


def test_showing():
    log = settle.read(LOG)
    found = [log._repr_html_(), *(own._repr_html_() + str(own.to_json()) for own in POLICIES)]
    for cost in (None, "8ms", "2ms+3ns/px", "log"):
        counts = settle.sweep([LOG, LOG], POLICIES, build_cost=cost) if cost != "log" else settle.sweep([LOG], POLICIES)
        found.append(str(counts.tolist()))
        for today in range(3):
            results = settle.Results(POLICIES, counts, today)
            found.append(f"{results.front} {results.knee} {results._repr_html_().partition('<img')[0]}")
        for figure in (settle.rebuilds, settle.right_after, settle.at_once, settle.busiest):
            found.append(str(figure(counts).tolist()))
        found += [str(settle.lag_quantile(counts, permille).tolist()) for permille in (1, 500, 950, 1000)]
        found.append(said(settle.habits, [LOG], build_cost=cost))
    found += [settle.decisions_json(log, own) for own in POLICIES]
    found.append(settle.sums(log, POLICIES).hex())
    check("showing", found)


DURATIONS = [
    "0ms", "1ns", "1.5ms", "200ms", "1s", "18min", "1h", "2h", "none", "forever", "", "-1ms", "1e3ms", "50%", "101%",
    "0%", "9223372036854775807ns",
]


def test_policies():
    found = []
    for name in (*Policy().to_json(), "nothing"):
        for text in (*DURATIONS, None, 7):
            made = said(Policy.from_json, {name: text})
            found.append(f"{name} {text} {made}")
            if not made.partition(" ")[0].endswith("Error:"):
                own = Policy.from_json({name: text})
                found += [str(own.to_json()), own._repr_html_(), options_of(own)]
                found.append(said(Policy.from_json, json.dumps(own.to_json())))
    for own in (*POLICIES, Policy.uikit()):
        grid = Policy.grid(own, live=True)
        found += [str(len(grid)), *(str(each.to_json()) for each in grid[::97])]
    twice = '{"quietDelay": "5ms", "quietDelay": "6ms"}'
    for text in ("", "{}", "{", "[]", '{"quietDelay": 5}', twice, '{"preset": "live"}', "{} {}", "null"):
        found.append(said(Policy.from_json, text))
    for ns in (0, 1, 999, 1500, 10**6, 123456789, 10**9, 59 * 10**9, 3600 * 10**9, -1):
        found.append(lag_text(ns))
    check("policies", found)


def test_sweeping():
    logs = [settle.read(path) for path in RECORDINGS if path.name[0] == "w"]
    logs = [settle.Log.from_events(log.events[:800], log.names, log.header) for log in logs]
    binary = [settle.to_bytes(log) for log in logs]
    found = []
    for cost in (None, "8ms", "2ms+3ns/px", "5ms+slow/7", "cold 40ms", "", "1s"):
        made = said(settle.Sweeper, POLICIES, build_cost=cost)
        found.append(made.partition(" at ")[0])
        if made.partition(" ")[0].endswith("Error:"):
            continue
        sweeper = settle.Sweeper(POLICIES, build_cost=cost)
        counts = sweeper.counts()
        for log, own in zip(logs, binary):
            found.append(said(sweeper.add_log, log, counts, name="one"))
            found.append(said(sweeper.add, own, counts))
            found.append(said(sweeper.add, own[:-50], counts, name="short"))
            found.append(said(sweeper.add, own[:-50], counts, salvage=True))
            found.append(str(counts.tolist()))
        found.append(str(settle.sweep(logs, POLICIES, build_cost=cost).tolist()))
        found.append(str(settle.sweep([*binary, binary[0][:-50]], POLICIES, build_cost=cost, salvage=True).tolist()))
        found.append(said(settle.sweep, [*binary, binary[0][:-50]], POLICIES, build_cost=cost))
        found.append(said(settle.habits, logs, build_cost=cost))
        for row in counts:
            figures = settle.rebuilds(row), settle.right_after(row, 950), settle.at_once(row), settle.busiest(row)
            found += map(str, figures)
        for today in range(len(POLICIES)):
            found.append(said(settle.front, POLICIES, counts, today))
    # Steps of which a longer quiet time joins more: policies with a front and a knee.
    times = [sum([60, 120, 240, 480, 900][: number % 5]) + number // 5 * 1800 for number in range(60)]
    lines = [json.dumps({"t_ns": ms * 10**6, "scene": "a", "width": 400 + ms % 97, "height": 300}) for ms in times]
    steps = settle.read("\n".join(['{"settle": "events", "version": 1}', *lines]).encode())
    delays = (800, 30, 100, 200, 400, 500, 60, 1000)
    quiet = [Policy(quiet_delay_ns=ms * 10**6, jump_delay_ns=None) for ms in delays]
    for today in range(len(quiet)):
        results = settle.Results(quiet, settle.sweep([steps], quiet), today)
        assert results.knee is not None, "there is a knee to show"
        found.append(results._repr_html_().partition("<img")[0])
    for log in logs:
        found += [log._repr_html_(), str(log.generation.tolist()), str(log.cost_ns.tolist())]
        found += [str(settle.decisions(log, own).tolist()) for own in POLICIES]
    for number in range(12):
        found += [settle.decision_kind_name(number), settle.reason_name(number)]
    check("sweeping", found)


def test_each_number_has_a_title():
    titles = {line.partition(" ")[2] for line in NUMBERS.read_text().splitlines()}
    own = {"reading", "reading what is whole", "writing", "showing", "policies", "sweeping"}
    own |= test_fleet_aftermath.titles()
    assert WISH or titles == own
