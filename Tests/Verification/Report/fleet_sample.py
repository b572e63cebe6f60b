#!/usr/bin/env python3
"""Writes fleet.json beside this file: a fleet's export made of the recordings, for tests.

usage: fleet_sample.py --settle PROGRAM

All figures are those of `settle tune --json` on the recordings of a cohort, which states no p99 lag: it is the p95 lag.
"""
import json
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
RECORDINGS = HERE.parents[1] / "Recordings"
COLUMNS = ["platform", "window manager"]
# In the order of an export: null first.
COHORTS = {
    ("wayland", "mutter"): ["w04_mutter", "w08_mutter_real", "w12_mutter_nasty"],
    ("wayland", "weston"): ["w01_weston_wlclient", "w06_weston_long"],
    ("x11", None): ["r10_xephyr_rotate"],
    ("x11", "metacity"): ["r06_metacity_suite"],
    ("x11", "openbox"): ["r01_openbox_xdotool_xterm", "r02_openbox_1000hz"],
}
# What differs from today's policy, the default.
CHANGES = [
    {}, *({"quietDelay": f"{ms}ms"} for ms in (20, 50, 100, 300, 500)), {"quietDelay": "75ms", "calmDelay": "1s"},
    {"quietDelay": "100ms", "jumpDelay": None}, {"quietDelay": "200ms", "jumpDelay": None},
    *({"releasedEndDelay": f"{ms}ms"} for ms in (0, 50, 100)), *({"discreteDelay": f"{ms}ms"} for ms in (0, 100, 200)),
    *({"reportedEndDelay": f"{ms}ms"} for ms in (50, 200, 800)),
    {"discreteDelay": "200ms", "quietDelay": "500ms", "reportedEndDelay": "200ms"},
    {"discreteDelay": "0s", "quietDelay": "20ms", "jumpDelay": "0s", "releasedEndDelay": "0s"},
    {"discreteDelay": "1s", "quietDelay": "1s", "reportedEndDelay": "1s", "releasedEndDelay": "1s"}, {"pauseDelay": "100ms"},
]


def sessions(key):
    return sorted(RECORDINGS / f"{name}.jsonl" for name in (COHORTS[key] if key else sum(COHORTS.values(), [])))


def sample_text(settle):
    """The export of the recordings, a cohort a line."""
    run = lambda *arguments: subprocess.run([settle, *arguments], check=True, capture_output=True, text=True).stdout
    default = json.loads(run("policy"))
    with tempfile.NamedTemporaryFile("w") as policies:
        policies.write("\n".join(json.dumps({**default, **changes}) for changes in CHANGES))
        policies.flush()
        tuned = {key: json.loads(run("tune", "--json", "--policies", policies.name, *sessions(key))) for key in [*COHORTS, None]}
    both = lambda figures: {name: figures[name] for name in ("rebuilds", "wasted")}
    figures = {name: name for name in ("rebuilds", "previews", "wasted")} | {"p50_ns": "p50Lag_ns", "p95_ns": "p95Lag_ns", "p99_ns": "p95Lag_ns"}
    cohorts = [
        {
            **({"cohort": key} if key else {}), "sessions": one["logs"], "events": one["events"], "damaged": 0,
            "everyChange": both(one["everyChange"]), "debounce": both(one["fixedDebounce100ms"]),
            **{name: [row[of_tune] for row in one["policies"]] for name, of_tune in figures.items()},
            **{name: one[name] for name in ("front", "knee", "unexercised")},
        } for key, one in tuned.items()
    ]
    export = {
        "settle": "fleet", "version": 1, "generator": "settle " + run("--version").split()[1], "columns": COLUMNS,
        "policies": [row["policy"] for row in tuned[None]["policies"]], "today": tuned[None]["today"],
        "sessions": cohorts[-1]["sessions"], "damaged": 0, "cohorts": cohorts[:-1], "total": cohorts[-1],
    }
    return json.dumps(export, separators=(",", ":")).replace('{"cohort', '\n{"cohort').replace('"total"', '\n"total"') + "\n"


if __name__ == "__main__":
    (HERE / "fleet.json").write_text(sample_text(sys.argv[sys.argv.index("--settle") + 1]))
