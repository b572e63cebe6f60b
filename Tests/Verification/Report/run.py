"""Runs the checks of reports in Chromium; scripts/checks/report runs it.

usage: run.py --settle PROGRAM [--screenshots FOLDER] [--sound]

Runs all checks, then plants each fault; with --sound none. The last line has the numbers of passed and failed ones.
"""
import argparse
import pathlib
import sys
import tempfile

from browser import Failure
from check import Check
from planted import FAULTS
from reports import Settle

CHECKS = ["size", "decisions", "sliders", "front", "advice", "decision_table", "answer", "several", "many", "links", "scenes", "focus", "forms", "figures", "without_ends", "live", "prepared", "reported", "cost_field", "hostile", "quiet", "csp", "damaged", "cut", "large", "keyboard", "panel", "pointer", "names", "layout",
          "scripts", "rejected", "fleet_sample", "fleet", "fleet_hostile", "fleet_large"]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--settle", required=True)
    parser.add_argument("--screenshots", type=pathlib.Path)
    parser.add_argument("--sound", action="store_true")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        check = Check(Settle(given.settle, pathlib.Path(folder)), pathlib.Path(folder))
        try:
            results = [run(check, name) for name in CHECKS]
            if given.screenshots:
                check.screenshots(given.screenshots)
            if not given.sound:
                results += [run(check, name, fault) for fault, name, *_ in FAULTS]
        finally:
            check.browser.close()
    print(f"{results.count(True)} passed, {results.count(False)} failed")
    return 0 if all(results) else 1


def run(check, name, fault=None):
    """Runs a check; returns whether it finds nothing, or finds the fault."""
    check.fault, method = fault, getattr(check, name)
    # A check that found a fault may have left another.
    check.browser.size(1600)
    try:
        method()
        is_good, said = not fault, f"misses the fault {fault}" if fault else method.__doc__
    except (Failure, RuntimeError) as failure:
        is_good, said = fault and isinstance(failure, Failure), " ".join(str(failure).split())
        said = f"finds {fault}: {said[:110]}" if fault else said
    print(f"{name}: {said}" if is_good else f"FAILED {name}: {said}", file=sys.stdout if is_good else sys.stderr, flush=True)
    return bool(is_good)


if __name__ == "__main__":
    sys.exit(main())
