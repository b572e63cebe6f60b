"""Checks reports in headless Chromium; scripts/checks/report runs it.

usage: run.py --settle PROGRAM [--screenshots FOLDER] [--sound]

Runs all checks, then plants the fault of each; with --sound none. The last line has the numbers of passed
and failed ones.
"""
import argparse
import pathlib
import sys
import tempfile

from browser import Failure
from check import Check
from planted import FAULTS
from reports import Settle

CHECKS = ["size", "decisions", "sliders", "front", "advice", "decision_table", "cards", "forms", "figures", "live", "reported", "cost_field", "hostile", "quiet", "csp", "damaged", "cut", "large", "keyboard", "panel", "pointer", "names", "layout",
          "scripts", "rejected", "fleet_sample", "fleet", "fleet_hostile", "fleet_layout", "fleet_large"]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--settle", required=True)
    parser.add_argument("--screenshots", type=pathlib.Path)
    parser.add_argument("--sound", action="store_true")
    given = parser.parse_args()
    failures = total = 0
    with tempfile.TemporaryDirectory() as folder:
        check = Check(Settle(given.settle, pathlib.Path(folder)), pathlib.Path(folder))
        try:
            failures, total = run_all(check), len(CHECKS)
            if given.screenshots:
                check.screenshots(given.screenshots)
            if not given.sound:
                failures, total = failures + run_planted(check), total + len(FAULTS)
        finally:
            check.browser.close()
    print(f"{total - failures} passed, {failures} failed")
    return 1 if failures else 0


def run_all(check):
    failures = 0
    for name in CHECKS:
        method = getattr(check, name)
        try:
            method()
            print(f"{name}: {method.__doc__}", flush=True)
        except (Failure, RuntimeError) as failure:
            failures += 1
            print(f"FAILED {name}: {failure}", file=sys.stderr, flush=True)
    return failures


def run_planted(check):
    failures = 0
    for name, method, *_ in FAULTS:
        check.fault = name
        try:
            getattr(check, method)()
            failures += 1
            print(f"FAILED: {method} misses the fault {name}", file=sys.stderr, flush=True)
        except Failure as failure:
            print(f"{method} finds {name}: {' '.join(str(failure).split())[:110]}", flush=True)
    return failures


if __name__ == "__main__":
    sys.exit(main())
