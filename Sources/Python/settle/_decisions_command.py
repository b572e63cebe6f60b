"""`python -m settle decisions`."""

from __future__ import annotations

import argparse
import sys

from ._command import FINDINGS, FINE, say
from ._decisions import decisions_json
from ._log import read
from .policy import Policy


def main(arguments: list[str]) -> int:
    """Prints the decisions; returns the exit status."""
    parser = argparse.ArgumentParser(
        prog="python -m settle decisions", description="Print what is decided about a log, as JSON Lines.",
        allow_abbrev=False,
    )
    parser.add_argument("log", help="a log in JSON Lines or in the binary encoding; - is standard input")
    parser.add_argument("--policy", metavar="FILE", help="a policy as settle policy writes it")
    parser.add_argument("--salvage", action="store_true", help="decide what is whole of a damaged log")
    options = parser.parse_args(arguments)
    policy = Policy.read(options.policy) if options.policy else Policy()
    log = read(options.log, salvage=options.salvage)
    sys.stdout.buffer.write(decisions_json(log, policy).encode())
    return say(f"{options.log}: {log.problem}", FINDINGS) if log.problem else FINE
