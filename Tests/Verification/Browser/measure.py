#!/usr/bin/env python3
"""Prints the table of docs/guide/browser.md: the demo's charts in Chromium and Firefox, under the same two drags.

usage: measure.py MODULE     MODULE: a folder of scripts/build-browser
"""
import os
import pathlib
import sys
import tempfile
import time

from browser import Browser, Server

module = pathlib.Path(sys.argv[1]).resolve()
drags = {
    "window's edge": lambda browser: browser.drag_edge((200, 100), (-200, -100), hold=1.0),
    "splitter": lambda browser: browser.drag("#splitter", (-240, 0), (240, 0), hold=1.0),
}
print("| Browser | Drag of the | A build takes | Throttled by 50 ms | Debounced by 100 ms | Settle live | Settle live, no limit |\n"
      "|---|---|---|---|---|---|---|")
with tempfile.TemporaryDirectory() as folder:
    server = Server(module, pathlib.Path(folder))
    for name in ("chromium", "firefox"):
        with Browser(name, server, pathlib.Path(folder) / name) as browser:
            browser.open("module/demo.html")
            for way, drag in drags.items():
                for cost in (6, 20):
                    cells = {}
                    for any_cost in (False, True):
                        browser.call("cost", cost, any_cost)
                        # A policy that is new waits for the next report of a cost.
                        browser.drag("#splitter", (-20, 0), (20, 0), seconds=0.2)
                        time.sleep(1)
                        browser.call("reset")
                        drag(browser)
                        time.sleep(1)
                        for chart in browser.call("charts"):
                            shown = f"{chart['builds']} builds, {chart['work']:.0f} ms, stale {chart['stale']:.0f} ms"
                            cells[chart["name"] + (" any" if any_cost else "")] = shown
                    row = [cells[each] for each in ("throttled", "debounced", "settle", "settle any")]
                    print("| " + " | ".join([name.title(), way, f"{cost} ms", *row]) + " |", flush=True)
print(f"load {os.getloadavg()[0]:.1f}", file=sys.stderr)
