"""The command settle-fleet as a process: quiet in a pipe, and its export."""

import json
import subprocess
import sys
import time
from pathlib import Path

import tables as compared
from results import result


def check_command(source: Path, policies_file: Path, work: Path, tables: compared.Tables, columns: tuple) -> None:
    """The command: quiet in a pipe, and its export."""
    out, export = work / "out-command", work / "fleet.json"
    command = [
        sys.executable,
        "-m",
        "settle",
        "fleet",
        str(source),
        str(out),
        "--cohort",
        ",".join(columns),
        "--master",
        "local[2]",
        "--policies",
        str(policies_file),
        "--p95-lag",
        "100ms",
        "--json",
        str(export),
    ]
    begin = time.monotonic()
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    whole = time.monotonic() - begin
    result(
        f"settle-fleet runs ({whole:.1f} s with the JVM's start), and prints nothing but its result",
        []
        if ended.returncode == 0 and ended.stderr == "" and "The fewest rebuilds within the bound" in ended.stdout
        else [f"status {ended.returncode}: {ended.stderr[:300]}"],
    )
    if ended.returncode:
        return
    result("settle-fleet writes the tables that the function writes", compared.difference(compared.Tables(out), tables))
    data = json.loads(export.read_text())
    rows = {tuple(one["cohort"]): one for one in data["cohorts"]}
    faults = [
        f"the export has {row['rebuilds']} elsewhere"
        for row in tables.sums.to_pylist()
        if any(
            rows[tables.key(row)][name][row["policy"]] != row[name]
            for name in ("rebuilds", "wasted", "p95_ns", "p99_ns")
        )
    ]
    total = sum(row["rebuilds"] for row in tables.sums.to_pylist() if row["policy"] == 0)
    result("the export has the tables' figures", faults or data["total"]["rebuilds"][0] == total)
    again = subprocess.run(command, capture_output=True, text=True, check=False)
    result("an output is not replaced without --force", again.returncode == 3 and "--force" in again.stderr)
