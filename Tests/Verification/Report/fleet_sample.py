#!/usr/bin/env python3
"""Writes fleet.json beside this file: a fleet's export made of the recordings, for tests.

usage: fleet_sample.py --settle PROGRAM

All figures are those of `settle tune --json` on the recordings of a cohort, but the p99 lag: that is
counted from the rebuilds of `settle convert --to csv`, whose p95 lag must then be that of `settle tune`.
"""
import argparse
import csv
import io
import json
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
RECORDINGS = HERE.parents[1] / "Recordings"
COLUMNS = ["platform", "window manager"]
COHORTS = {
    ("x11", None): ["r10_xephyr_rotate"],
    ("wayland", "mutter"): ["w04_mutter", "w08_mutter_real", "w12_mutter_nasty"],
    ("wayland", "weston"): ["w01_weston_wlclient", "w06_weston_long"],
    ("x11", "metacity"): ["r06_metacity_suite"],
    ("x11", "openbox"): ["r01_openbox_xdotool_xterm", "r02_openbox_1000hz"],
}
# What differs from today's policy, the default.
CHANGES = [
    {}, *({"quietDelay": f"{ms}ms"} for ms in (20, 50, 100, 300, 500)), {"quietDelay": "50ms", "quietMaximum": "100ms"},
    {"quietDelay": "100ms", "quietMaximum": "100ms", "jumpDelay": None}, {"quietDelay": "200ms", "jumpDelay": None},
    *({"releasedEndDelay": f"{ms}ms"} for ms in (0, 50, 100)), *({"discreteDelay": f"{ms}ms"} for ms in (0, 100, 200)),
    *({"reportedEndDelay": f"{ms}ms"} for ms in (50, 200, 800)),
    {"discreteDelay": "200ms", "quietDelay": "500ms", "reportedEndDelay": "200ms"},
    {"discreteDelay": "0s", "quietDelay": "20ms", "quietMaximum": "20ms", "jumpDelay": "0s", "releasedEndDelay": "0s"},
    {"discreteDelay": "1s", "quietDelay": "1s", "quietMaximum": "1s", "reportedEndDelay": "1s", "releasedEndDelay": "1s"}, {"pauseDelay": "100ms"},
]


def bucket_last(lag):
    """The largest lag that is counted together with this one: 32 buckets for each power of two."""
    shift = max(lag.bit_length() - 6, 0)
    return (lag >> shift) + 1 << shift if lag >= 1 << 40 else ((lag >> shift) + 1 << shift) - 1


def quantile(lags, permille):
    rank = max(-(-len(lags) * permille // 1000), 1)
    return bucket_last(sorted(lags)[rank - 1]) if lags else 0


def sessions(key):
    return sorted(RECORDINGS / f"{name}.jsonl" for name in (COHORTS[key] if key else sum(COHORTS.values(), [])))


class Sample:
    def __init__(self, settle, work):
        self.settle, self.work = settle, work
        self.files, self.lags = [], {}
        default = json.loads(self.run("policy"))
        for number, changes in enumerate(CHANGES):
            file = work / f"{number}.json"
            file.write_text(json.dumps({**default, "quietMaximum": "1s" if changes.get("quietDelay") == "1s" else default["quietMaximum"], **changes}))
            self.files.append(file)
        self.list = work / "policies.json"
        self.list.write_text("\n".join(file.read_text() for file in self.files))

    def run(self, *arguments):
        return subprocess.run([self.settle, *arguments], check=True, capture_output=True, text=True).stdout

    def lags_of(self, log, file):
        """The lags of a log's rebuilds, in ns."""
        if (log, file) not in self.lags:
            rows = csv.DictReader(io.StringIO(self.run("convert", log, "-", "--to", "csv", "--policy", file)))
            self.lags[log, file] = [int(row["lag_ns"]) for row in rows if row["kind"] == "rebuild"]
        return self.lags[log, file]

    def cohort(self, key):
        logs = sessions(key)
        tuned = json.loads(self.run("tune", "--json", "--policies", self.list, *logs))
        rows = tuned["policies"]
        p99 = []
        for row, file in zip(rows, self.files, strict=True):
            lags = [lag for log in logs for lag in self.lags_of(log, file)]
            for permille, name in ((500, "p50Lag_ns"), (950, "p95Lag_ns")):
                if len(lags) != row["rebuilds"] or quantile(lags, permille) != row[name]:
                    sys.exit(f"fleet_sample: {key}, {row['policy']}: {len(lags)} lags, {name} {quantile(lags, permille)}, not {row['rebuilds']} and {row[name]}")
            p99.append(quantile(lags, 990))
        both = lambda figures: {name: figures[name] for name in ("rebuilds", "wasted")}
        return {
            **({"cohort": list(key)} if key else {}), "sessions": len(logs), "events": tuned["events"], "damaged": 0,
            "everyChange": both(tuned["everyChange"]), "debounce": both(tuned["fixedDebounce100ms"]),
            **{name: [row[name] for row in rows] for name in ("rebuilds", "previews", "wasted")},
            "p50_ns": [row["p50Lag_ns"] for row in rows], "p95_ns": [row["p95Lag_ns"] for row in rows], "p99_ns": p99,
            "front": tuned["front"], "knee": tuned["knee"], "kept": tuned["kept"],
        }, tuned

    def export(self):
        total, tuned = self.cohort(None)
        by_value = sorted(COHORTS, key=lambda key: [(value is not None, value or "") for value in key])
        return {
            "settle": "fleet", "version": 1, "generator": "settle " + self.run("--version").split()[1], "columns": COLUMNS,
            "policies": [row["policy"] for row in tuned["policies"]], "today": tuned["today"],
            "sessions": total["sessions"], "damaged": 0, "cohorts": [self.cohort(key)[0] for key in by_value], "total": total,
        }


def sample_text(settle):
    """The export of the recordings, a cohort a line."""
    with tempfile.TemporaryDirectory() as work:
        export = Sample(settle, pathlib.Path(work)).export()
    return json.dumps(export, separators=(",", ":")).replace('{"cohort', '\n{"cohort').replace('"total"', '\n"total"') + "\n"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--settle", required=True)
    (HERE / "fleet.json").write_text(sample_text(parser.parse_args().settle))


if __name__ == "__main__":
    main()
