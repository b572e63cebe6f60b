#!/usr/bin/env python3
"""Prints the tables of docs/guide/browser.md: a splitter in Chromium under the hands of logs, at their own times.

usage: measure.py MODULE [--drags N] [--only NAME] LOG...
  MODULE      a folder of scripts/build-browser
  LOG         a log in JSON Lines, also compressed by gzip, whose scenes report their drags
  --drags N   so many of their drags, spread over all; by default 24
  --only NAME only these charts: busy, worker, or a library's

The ways take turns, a drag each, since the machine's other work comes and goes.
"""
import argparse
import gzip
import json
import os
import pathlib
import statistics
import sys
import tempfile
import time

from browser import Browser, Server
from support import ROOT

MOST_PX = 380  # a drag's way on the page
LIBRARIES = {"chartjs": "/usr/share/javascript/chart.js/chart.min.js", "dygraphs": "/usr/share/javascript/dygraphs/dygraph.min.js",
             "plotly": ROOT / ".build-report/lib/python3*/site-packages/plotly/package_data/plotly.min.js"}
BUSY = [("busy", ms, f"{ms} ms") for ms in (8, 11, 14, 20)]
TITLES = {"chartjs": "Chart.js", "dygraphs": "Dygraphs", "plotly": "Plotly"}
NAMES = {"live": "`live`", "live flag": "`live`, reported", "debounce": "debounce, 100 ms", "end": "at the end", "prepared": "`prepared`",
         "prepared flag": "`prepared`, reported"}
# Until the release's frame and the next one are shown.
AT_ONCE_MS = 34


def drags_of(path):
    """For each drag of a log: seconds since the press, and pixels along the axis that it moves more on; the last is the release."""
    with (gzip.open if path.suffix == ".gz" else open)(path, "rt") as lines:
        events = [json.loads(line) for line in lines if line.strip() and line[0] != "#"][1:]
    drags, open_drags = [], {}
    for event in events:
        if event.get("resizing"):
            open_drags.setdefault(event["scene"], []).append(event)
        elif drag := open_drags.pop(event.get("scene"), None):
            drags.append([*drag, event])
    return [[((event["t_ns"] - drag[0]["t_ns"]) / 1e9, event[axis] - drag[0][axis]) for event in drag] for drag in drags if len(drag) > 9
            for axis in [max(("width", "height"), key=lambda axis: len({event[axis] for event in drag}))]]


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
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("module", type=pathlib.Path)
    parser.add_argument("logs", nargs="+", type=pathlib.Path)
    parser.add_argument("--drags", type=int, default=24)
    parser.add_argument("--only", action="append")
    options = parser.parse_args()
    drags = [drag for log in options.logs for drag in drags_of(log)]
    drags = [drags[i * len(drags) // options.drags] for i in range(options.drags)]
    print("| Build | Way | a build took | builds a drag | work a drag | wrong time a drag | frames late | latest | right after, mean | p90 | at once |\n"
          "|---|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        vendor = pathlib.Path(folder) / "vendor"
        vendor.mkdir()
        for name, path in LIBRARIES.items():
            for file in pathlib.Path("/").glob(str(path).lstrip("/")):
                (vendor / f"{name}.js").symlink_to(file)
        server = Server(options.module.resolve(), pathlib.Path(folder), is_strict=False)
        server.folders["vendor"] = vendor
        cells = [(chart, ms, title, ["live", "debounce", "end", *["live flag"] * (chart == "busy")]) for chart, ms, title in
                 BUSY + [(name, 0, TITLES[name]) for name in LIBRARIES]]
        cells.append(("worker", 100, "100 ms in a worker", ["prepared", "debounce", "end", "prepared flag"]))
        with Browser("chromium", server, pathlib.Path(folder) / "desktop") as browser:
            for chart, ms, title, ways in cells:
                if options.only and chart not in options.only and f"{chart}{ms}" not in options.only:
                    continue
                browser.open("pages/hands.html")
                browser.offset = None
                for way, results in measure(browser, drags, chart, ms, ways).items():
                    print(row(title, way, results), flush=True)
                browser.no_errors()
    print(f"load {os.getloadavg()[0]:.1f}", file=sys.stderr)


main()
