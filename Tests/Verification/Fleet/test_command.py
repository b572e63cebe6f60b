"""The command settle-fleet as a process: quiet in a pipe, and its export."""

import json
import subprocess
import sys

import tables as compared
from results import report


def test_command(given, work, counted) -> None:
    tables = counted[0]
    out, export = work / "out-command", work / "fleet.json"
    command = [
        sys.executable, "-m", "settle", "fleet", given.source, out, "--cohort", ",".join(tables.columns),
        "--master", "local[2]", "--policies", given.policies_file, "--p95-lag", "100ms", "--json", export, "--damaged-names",
    ]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    is_fine = ended.returncode == 0 and ended.stderr == "" and "The fewest rebuilds within the bound" in ended.stdout
    report(
        "settle-fleet runs, and prints nothing but its result",
        [] if is_fine else [f"status {ended.returncode}: {ended.stderr[:300]}"],
    )
    if ended.returncode:
        return
    report("settle-fleet writes the tables that the function writes", compared.difference(compared.Tables(out), tables))
    data = json.loads(export.read_text())
    rows = {tuple(one["cohort"]): one for one in data["cohorts"]}
    figures = ("rebuilds", "wasted", "p95_ns", "p99_ns")
    sums = tables.sums.to_pylist()
    faults = [
        f"the export has {row['rebuilds']} elsewhere"
        for row in sums if any(rows[tables.key(row)][name][row["policy"]] != row[name] for name in figures)
    ]
    total = sum(row["rebuilds"] for row in sums if row["policy"] == 0)
    report("the export has the tables' figures", faults or data["total"]["rebuilds"][0] == total)
    again = subprocess.run(command, capture_output=True, text=True, check=False)
    report("an output is not replaced without --force", again.returncode == 3 and "--force" in again.stderr)
