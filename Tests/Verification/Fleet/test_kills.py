"""Runs that are killed while they replace an output, and inputs that are damaged."""

import json
import os
import random
import signal
import subprocess
import sys
import time

import pyarrow.parquet as pq
import tables as compared
from results import report
from settle import Policy, fleet

#: Runs a fleet, and kills itself at one of the steps that change names below a folder, or looks one up there; without
#: a number it prints how many there are.
_RUN = """
import os, signal, sys
from settle import Policy, fleet
source, out, step = sys.argv[1], sys.argv[2], int(sys.argv[3])
steps = 0
def seen(event, arguments):
    global steps
    # The exchange of two names is a call by ctypes.
    if event == "ctypes.dlsym" and arguments[1] == "renameat2" or event.startswith(("os.", "shutil.", "open")) and any(
        isinstance(one, str) and one.startswith(out) for one in arguments
    ):
        steps += 1
        if steps == step:
            os.kill(os.getpid(), signal.SIGKILL)
sys.addaudithook(seen)
fleet.run_local(source, out, [Policy(), Policy.uikit()], cohort=["platform"], force=True)
print(steps)
"""


#: Runs that are killed by night, and those of them on Spark.
KILLS, SPARK_KILLS = 100, 8


def test_kills(given, work, is_long) -> None:
    work = work / "kills"
    work.mkdir()
    table, inputs, wanted = pq.read_table(given.source), [], []
    for number in range(2):
        inputs.append(work / f"in-{number}.parquet")
        pq.write_table(table.slice(300 * number, 300), inputs[-1])
        fleet.run_local(inputs[-1], work / f"out-{number}", [Policy(), Policy.uikit()], cohort=["platform"])
        wanted.append(compared.Tables(work / f"out-{number}"))
    out, policies = work / "out", work / "policies.json"
    policies.write_text("".join(json.dumps(policy.to_json()) for policy in (Policy(), Policy.uikit())))

    def run(number: int, step: int = 0, seconds: float | None = None) -> subprocess.Popen:
        command = [sys.executable, "-c", _RUN, inputs[number], out, str(step)]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        if seconds is not None:
            time.sleep(seconds)
            process.kill()
        process.steps = process.communicate()[0]
        return process

    def run_on_spark(number: int, seconds: float) -> float:
        """Kills all of it, the JVM as well, unless it ends before; returns how long it took."""
        command = [
            sys.executable, "-m", "settle", "fleet", inputs[number], out, "--master", "local[2]", "--force", "--cohort",
            "platform", "--policies", policies,
        ]
        begin = time.monotonic()
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, start_new_session=True)
        try:
            process.wait(seconds)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        return time.monotonic() - begin

    def which() -> int | None:
        """Which of the two outputs is there, read through."""
        found = compared.Tables(out)
        return next((number for number in range(2) if not compared.difference(found, wanted[number])), None)

    begin = time.monotonic()
    run(0)
    seconds = time.monotonic() - begin
    steps = int(run(1).steps)
    every = list(range(1, steps + 1))
    # Without --long the first one and those around the exchange, at the end.
    chosen = every if is_long else [1, *every[-5:]]
    killed, faults, had = 0, [], 1
    for step in chosen:
        process = run(1 - had, step=step)
        killed += process.returncode == -signal.SIGKILL
        had, found = which(), list(fleet.Fleet(out).cohorts())
        if had is None or not found:
            faults.append(f"after a kill at step {step} of {steps} there is no whole output")
            break
    dice = random.Random(1)
    wanted_kills = KILLS if is_long else len(chosen) + 2
    for _ in range(3 * KILLS):
        if faults or killed >= wanted_kills:
            break
        process = run(1 - had, seconds=dice.uniform(0, 1.1) * seconds)
        killed += process.returncode == -signal.SIGKILL
        if (had := which()) is None:
            faults.append("after a kill at random there is no whole output")
    report(
        f"{killed} runs that replace an output were killed, at {len(chosen)} of {steps} steps and else at random: the old"
        " one or the new one is there and whole",
        faults or killed >= wanted_kills,
    )
    if is_long and not faults:
        seconds = run_on_spark(0, 600)
        for _ in range(SPARK_KILLS):
            run_on_spark(1 - had, dice.uniform(0.2, 1.05) * seconds)
            if (had := which()) is None:
                faults.append("after a kill of Spark there is no whole output")
                break
        report(f"the same after {SPARK_KILLS} kills of a run on Spark", faults)
    run(0)
    left = sorted(path.name for path in work.iterdir() if path.name.startswith("out."))
    report("the next run replaces what killed ones left", which() == 0 and not left)
    pq.write_table(table.slice(0, 1), out / "sums/part-00000.parquet")
    report("a planted fault is found: an output that is not whole", which() is None)
