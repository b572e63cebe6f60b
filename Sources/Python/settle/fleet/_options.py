"""The command line of `settle-fleet`."""

from __future__ import annotations

import argparse
import difflib
import re
from collections.abc import Sequence
from fractions import Fraction
from typing import NoReturn

from .._library import VERSION
from .._messages import escaped
from ._input import FleetError
from ..policy import Policy

#: The most policies of a file beside today's.
POLICIES_MAX = 16_383


class Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise FleetError(f"{message}\nTry 'settle-fleet --help'.", 2)

    def check_options(self, arguments: Sequence[str]) -> None:
        """Refuses an unknown option by its name; argparse would rather name what it lacks, or take its value for IN."""
        known = self._option_string_actions
        for argument in arguments:
            name = argument.partition("=")[0]
            if argument == "--":
                return
            if not re.match("-[^ 0-9][^ ]*$", name) or name in known:
                continue
            near = difflib.get_close_matches(name, known, 1, 0.6)
            self.error(f"there is no option {escaped(name)}" + (f"; did you mean {near[0]}?" if near else ""))


def parser() -> Parser:
    made = Parser(
        prog="settle-fleet",
        allow_abbrev=False,
        description="Decides the sessions of a Parquet input under many policies, on this machine or on Apache Spark,"
        " writes the sums by cohort to the folder OUT, and prints each cohort's Pareto front of rebuilds against lag.",
    )
    made.add_argument("input", metavar="IN", nargs="+", help="Parquet, a file or a folder, a row for each session")
    made.add_argument("output", metavar="OUT", help="the folder to write")
    tried = made.add_mutually_exclusive_group()
    tried.add_argument("--policies", metavar="FILE", help="policies as settle policy writes them, one after the other")
    tried.add_argument("--grid", action="store_true", help="the policies of settle tune (default)")
    made.add_argument(
        "--policy", metavar="NAME|FILE", default="default",
        help="today's: default, prepared, live, uikit or a file (default)",
    )
    made.add_argument("--cohort", metavar="COLUMN,…", help="the columns whose values make a cohort")
    made.add_argument("--session", metavar="COLUMN", default="session", help="the sessions' names (session)")
    made.add_argument("--log", metavar="COLUMN", default="log", help="whole binary logs (log)")
    made.add_argument("--salvage", action="store_true", help="count the intact parts of damaged logs")
    made.add_argument(
        "--sums", action="store_true", help="--log has sums of sessions (settle.sums), under these policies, at most 10"
    )
    made.add_argument("--cohort-minimum", metavar="N", help="sum cohorts of fewer sessions up as one, 'other'")
    made.add_argument("--damaged-names", action="store_true", help="name the damaged sessions in the table damaged")
    made.add_argument(
        "--max-damaged", metavar="SHARE", default="5%",
        help="end with status 1 if more of the sessions are damaged (5%%); OUT is written all the same",
    )
    made.add_argument("--p95-lag", metavar="TIME", help="choose the policy with the fewest rebuilds within this lag")
    made.add_argument("--json", metavar="FILE", help="write all figures for settle report; - is standard output")
    made.add_argument(
        "--force",
        action="store_true",
        help="replace OUT, if settle-fleet wrote it, once the new one is complete: then all of the folder is deleted,"
        " also files of others in it; and replace FILE",
    )
    where = made.add_mutually_exclusive_group()
    where.add_argument("--local", action="store_true", help="run without Spark (default, but for spark-submit)")
    where.add_argument("--master", metavar="URL", help="run on Spark, with this master, as local[*]")
    where.add_argument(
        "--merge", action="store_true", help="add up outputs of the same policies: IN… are the folders, OUT may be one"
    )
    made.add_argument("--jobs", metavar="N", help="without Spark: so many threads (all processors)")
    made.add_argument("--memory", metavar="MIB", help="MiB of counts that a thread or task keeps (1024)")
    made.add_argument("--partitions", metavar="N", help="on Spark: distribute sessions anew into so many partitions")
    made.add_argument(
        "--conf", metavar="KEY=VALUE", action="append", default=[], help="a setting of Spark; may be repeated"
    )
    made.add_argument("--version", action="version", version=f"settle {VERSION}")
    return made


def check_merge(options: argparse.Namespace) -> None:
    """Checks what is given with --merge. Raises FleetError: an option is for a run alone."""
    defaults = parser().parse_args(["IN", "OUT"])
    kept = {"input", "output", "merge", "force", "json", "p95_lag", "cohort_minimum", "max_damaged"}
    for name, value in vars(options).items():
        if name not in kept and value != getattr(defaults, name):
            option = name.replace("_", "-")
            raise FleetError(f"--{option} is for a run, and --merge adds up what runs wrote; leave it out", 2)


def number(option: str, text: str | None, most: int) -> int | None:
    if text is None:
        return None
    if not re.fullmatch("[0-9]{1,6}", text, re.A) or not 1 <= int(text) <= most:
        raise FleetError(f"{option} is '{escaped(text)}'; give a number from 1 to {most}", 2)
    return int(text)


def share(option: str, text: str) -> Fraction:
    """A share of the whole, exactly as it is written."""
    found = re.fullmatch(r"([0-9]{1,3}(\.[0-9]{1,6})?)%", text, re.A)
    if not found or Fraction(found[1]) > 100:
        raise FleetError(f"{option} is '{escaped(text)}'; give a share from 0% to 100%, as 5%", 2)
    return Fraction(found[1]) / 100


PRESETS = {"default": Policy, "prepared": Policy.prepared, "live": Policy.live, "uikit": Policy.uikit}


def policy_of(name: str) -> Policy:
    if name in PRESETS:
        return PRESETS[name]()
    try:
        return Policy.read(name)
    except FileNotFoundError:
        near = difflib.get_close_matches(name.casefold(), PRESETS, 1, 0.6)
        guess = f"; did you mean {near[0]}?" if near else ""
        names = "the names are default, prepared, live and uikit"
        raise FleetError(f"--policy is '{escaped(name)}'; there is no such file, and {names}{guess}", 3) from None
