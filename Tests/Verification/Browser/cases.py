"""The page of cases, and what natively is decided of its log."""
import json
import subprocess
import tempfile
import time

from modules import Problem
from support import SETTLE


def rebuilds_of(log, *policy):
    """The rebuilds that the native core decides for a page's log: size, reason, generation."""
    with tempfile.NamedTemporaryFile("w", suffix=".jsonl") as file:
        file.write(log)
        file.flush()
        done = subprocess.run([SETTLE, "replay", file.name, "--policy", *policy, "--decisions", "-"], capture_output=True, text=True)
    if done.returncode != 0:
        raise Problem(f"settle replay: {done.stderr}")
    lines = map(json.loads, done.stdout.splitlines())
    return [(d["width"], d["height"], d["reason"], d.get("generation")) for d in lines if d["kind"] == "rebuild"]


def same_as_native(decided, log, *policy):
    """Compares; generations are written where the policy is live."""
    natively = rebuilds_of(log, *policy)
    here = [(d["width"], d["height"], d["reason"], d["generation"] if policy[0] == "live" else None) for d in decided]
    first = next((i for i, pair in enumerate(zip(here, natively)) if pair[0] != pair[1]), min(len(here), len(natively)))
    if here != natively or not here:
        raise Problem(f"{len(here)} decisions in the page, {len(natively)} natively; number {first} differs: "
                      f"{here[first:first + 1]} and {natively[first:first + 1]}")
    return len(here)


def wait_builds(browser, count, seconds=3.0):
    """The builds, once there are so many, or the time is over."""
    end = time.monotonic() + seconds
    while len(builds := browser.call("builds")) < count and time.monotonic() < end:
        time.sleep(0.05)
    return builds


def start(browser, module, **options):
    browser.open("pages/cases.html", module)
    browser.call("start", options)
    if not (builds := wait_builds(browser, 1)) or builds[0]["reason"] != "first":
        raise Problem(f"the first builds are {builds}")
