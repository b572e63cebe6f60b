#!/usr/bin/env python3
"""Prints the tables of docs/guide/browser.md: a splitter in Chromium under the hands of logs, at their own times.

usage: measure.py MODULE VENDOR [OPTION...] [HANDS]     scripts/bench-browser calls it, and says what it takes

The ways take turns, a drag each, since the machine's other work comes and goes.
"""
import argparse
import os
import pathlib
import statistics
import sys
import tempfile
import time

from pages import Site
from windows import Window

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "Benchmarks/Hands"))
from drag import generated, hands, positive  # noqa: E402

MOST_PX = 380  # a drag's way on the page
BUSY = [("busy", ms, f"{ms} ms") for ms in (8, 11, 14, 20)]
TITLES = {"chartjs": "Chart.js", "dygraphs": "Dygraphs", "plotly": "Plotly"}
NAMES = {"live": "`live`", "live flag": "`live`, reported", "debounce": "debounce, 100 ms", "end": "at the end", "prepared": "`prepared`",
         "prepared flag": "`prepared`, reported"}
# Until the release's frame and the next one are shown.
AT_ONCE_MS = 34


def way_of(drag):
    """Seconds since the press, and pixels along the axis that it moves more on; the last is the release."""
    axis = max((1, 2), key=lambda axis: len({move[axis] for move in drag.moves}))
    return [*((move[0], move[axis]) for move in drag.moves), (drag.released_s, drag.moves[-1][axis])]


def play(browser, drag):
    """The splitter follows the hand."""
    pointer, (x, y) = browser.desktop.pointer, browser.center("#bar")
    most = max(abs(offset) for _, offset in drag)
    scale = min(1, MOST_PX / most) if most else 1
    pointer.move(x, y)
    time.sleep(0.1)
    pointer.button(1, True)
    began = time.monotonic()
    for at, offset in drag:
        time.sleep(max(0, began + at - time.monotonic()))
        pointer.move(x + round(offset * scale), y)
    pointer.button(1, False)
    time.sleep(0.3)
    return browser.call("result")


def measure(browser, drags, chart, ms, ways):
    found = {way: [] for way in ways}
    for number, drag in enumerate(drags):
        # Each way is first as often as the others.
        for way in ways[number % len(ways):] + ways[:number % len(ways)]:
            name, _, flag = way.partition(" ")
            browser.call("start", {"chart": chart, "ms": ms, "way": name, "hasFlag": bool(flag)})
            found[way].append(play(browser, drag))
    return found


def row(title, way, results):
    mean = {key: statistics.mean(each[key] for each in results) for key in ("builds", "work", "wrong", "rightAfter", "blocked")}
    cost = statistics.median([cost for each in results for cost in each["costs"]] or [0])
    late = sorted(each["rightAfter"] for each in results)
    return (f"| {title} | {NAMES[way]} | {cost:.0f} ms | {mean['builds']:.1f} | {mean['work']:.0f} ms | {mean['wrong']:.1f} ms | {mean['blocked']:.1f} | "
            f"{max(each['late'] for each in results):.0f} ms | {mean['rightAfter']:.0f} ms | {late[len(late) * 9 // 10]:.0f} ms | "
            f"{100 * sum(each <= AT_ONCE_MS for each in late) // len(late)} % |")


def main():
    parser = argparse.ArgumentParser(prog="bench-browser", usage="scripts/bench-browser [--drags N] [--only NAME] [HANDS]")
    parser.add_argument("module", type=pathlib.Path)
    parser.add_argument("vendor", type=pathlib.Path)
    parser.add_argument("hands", nargs="?", type=pathlib.Path)
    parser.add_argument("--drags", type=positive, default=20)
    cells = [(f"{chart}{ms or ''}", chart, ms, title, ["live", "debounce", "end", *["live flag"] * (chart == "busy")]) for chart, ms, title in
             BUSY + [(name, 0, title) for name, title in TITLES.items()]]
    cells.append(("worker", "worker", 100, "100 ms in a worker", ["prepared", "debounce", "end", "prepared flag"]))
    parser.add_argument("--only", action="append", choices=["busy", *(name for name, *_ in cells)])
    options = parser.parse_args()
    drags = hands(options.hands) if options.hands else generated(options.drags)
    drags = [way_of(drags[i * len(drags) // options.drags]) for i in range(options.drags)]
    print("| Build | Way | a build took | builds a drag | work a drag | wrong time a drag | frames late | latest | right after, mean | p90 | at once |\n"
          "|---|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        site = Site(is_isolated=True, is_strict=False, module=options.module.resolve(), vendor=options.vendor.resolve())
        with Window("chromium", site, pathlib.Path(folder) / "desktop") as browser:
            for name, chart, ms, title, ways in cells:
                if options.only and not {name, chart} & set(options.only):
                    continue
                browser.open("pages/hands.html")
                browser.offset = None
                for way, results in measure(browser, drags, chart, ms, ways).items():
                    print(row(title, way, results), flush=True)
                browser.no_errors()
    print(f"load {os.getloadavg()[0]:.1f}", file=sys.stderr)


main()
