"""`python -m settle json`, which `settle report` runs for a fleet's output folder."""

from __future__ import annotations

import argparse
import sys


def main(arguments: list[str]) -> int:
    """Prints the export; returns the exit status. Raises Error: the folder is none of settle-fleet, or it is not
    complete; ImportError: pyarrow is missing."""
    parser = argparse.ArgumentParser(
        prog="python -m settle json", description="Print the JSON export of a fleet's output folder.",
        allow_abbrev=False,
    )
    parser.add_argument("fleet", metavar="FOLDER", help="what settle-fleet wrote")
    options = parser.parse_args(arguments)
    from .fleet._output import Fleet

    Fleet(options.fleet).write_json(sys.stdout)
    return 0
