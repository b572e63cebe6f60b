"""Checks reports in headless Chromium; scripts/check-report runs it.

usage: run.py --settle PROGRAM [--screenshots FOLDER] [--planted [NAME]]
"""
import argparse
import pathlib
import sys
import tempfile

from browser import Failure
from check import Check
from planted import FAULTS
from reports import Settle

CHECKS = ["size", "decisions", "sliders", "front", "forms", "hostile", "quiet", "csp", "damaged", "large", "keyboard", "pointer", "names", "layout"]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--settle", required=True)
    parser.add_argument("--screenshots", type=pathlib.Path)
    parser.add_argument("--planted", nargs="?", const="all")
    given = parser.parse_args()
    failures = 0
    with tempfile.TemporaryDirectory() as folder:
        check = Check(Settle(given.settle, pathlib.Path(folder)), pathlib.Path(folder))
        try:
            if given.planted:
                failures = run_planted(check, given.planted)
            else:
                failures = run_all(check)
                if given.screenshots:
                    check.screenshots(given.screenshots)
        finally:
            check.browser.close()
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


def run_planted(check, wanted):
    failures = 0
    for name, method, *_ in FAULTS:
        if wanted not in ("all", name):
            continue
        check.fault = name
        try:
            getattr(check, method)()
            failures += 1
            print(f"FAILED: {method} misses the fault {name}", file=sys.stderr, flush=True)
        except Failure as failure:
            print(f"{method} finds {name}: {str(failure)[:110]}", flush=True)
    return failures


if __name__ == "__main__":
    sys.exit(main())
