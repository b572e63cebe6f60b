"""Reports of many logs: what they advise, and what of a sample."""
import json
import random

from reports import RECORDINGS
from test_tables import without_end_signals

SAID = "return ['advice-title', 'advice-figures', 'front-text', 'progress'].map((id) => document.getElementById(id).textContent)"
# The first advice is of few policies, before the page has tried all that its time allows.
FIRST = """const done = arguments[0], title = document.getElementById("advice-title");
    new MutationObserver((_, observer) => { observer.disconnect(); done(title.textContent); }).observe(title, { childList: true });
    settle.setBuildCost("none");"""


def perturbed(text, scale, grown):
    """A recording as another hand would have made it: slower or faster, and with larger sizes."""
    lines = [json.loads(line) for line in text.splitlines() if line.startswith("{")]
    for line in lines:
        if "t_ns" in line:
            line["t_ns"] = int(line["t_ns"] * scale)
        if line.get("width"):
            line["width"] += grown
    return "".join(json.dumps(line) + "\n" for line in lines)


def logs(browser, name, count, strip):
    """A folder of logs, made of the recordings."""
    folder, chance = browser.work / name, random.Random(37)
    folder.mkdir(exist_ok=True)
    for number in range(count):
        text = RECORDINGS[number % len(RECORDINGS)].read_text()
        text = perturbed(strip(text), chance.uniform(.6, 1.6), chance.randrange(40))
        (folder / f"{number:03}.jsonl").write_text(text)
    return folder


def test_many(browser):
    """Of 200 logs page, settle tune and a fleet advise the same; of a part of the grid the page says so, and its advice is no worse than another of equal counts."""
    folder = logs(browser, "many", 200, without_end_signals)
    tuned = json.loads(browser.settle.run("tune", "--json", folder))
    assert tuned["logs"] == 200 and tuned["advised"] != tuned["today"] and tuned["skippedPolicies"] > 2000, "the 200 logs say nothing"
    path = browser.report("many", folder)
    browser.open(path)
    browser.tried()
    title, _, said, progress = browser.run(SAID)
    options = tuned["copy"]["options"]
    assert progress == "3,840 of 3,840 policies tried", f"the page says '{progress}'"
    assert title == "Take this policy" and said.startswith(f"Advised: {options}."), f"of 200 logs the page says '{title}' and '{said}', and settle tune advises {options}"
    browser.open(browser.fleet_report("many-fleet", export_of(tuned)))
    said = browser.run(SAID.replace("'advice-title', 'advice-figures', ", ""))[0]
    assert said.startswith(f"Advised: {options}."), f"of the fleet the page says '{said}', and settle tune advises {options}"

    folder = logs(browser, "sampled", 70, lambda text: text)
    tuned = json.loads(browser.settle.run("tune", "--json", folder))
    browser.open(browser.report("sampled", folder))
    first = browser.wait(FIRST)
    browser.tried()
    title, figures, said, progress = browser.run(SAID)
    tried = progress.removesuffix(" of 3,840 policies tried")
    assert tried != progress and 100 < int(tried.replace(",", "")) < 3840, f"no part of the grid is tried, but '{progress}'"
    assert first.startswith("Best so far, of ") and first.endswith(" of 3,840 policies"), f"the page begins with '{first}'"
    assert title == f"Best so far, of {tried} of 3,840 policies" and figures.startswith(("take", "keep")), f"of a part of the grid the page says '{title}: {figures}'"
    options = said.removeprefix("Advised so far: ").split(". ")[0].rstrip(".")
    advised = next((row for row in tuned["policies"] if options_of(row, tuned) == options), None)
    assert said != options and advised, f"no policy of the grid is '{said}'"
    for row in tuned["policies"]:
        if len(changes_of(row, tuned)) > 1 or changes_of(row, tuned) & set(tuned["unexercised"]) or any(row[name] != advised[name] for name in ("rebuilds", "wasted")):
            continue
        better = [name for name in ("p50Lag_ns", "p95Lag_ns") if row[name] < advised[name]]
        worse = [name for name in ("p50Lag_ns", "p95Lag_ns") if row[name] > advised[name]]
        assert not better or worse, f"'{options}' is advised, and {changes_of(row, tuned)} alone has as many rebuilds and less lag: {better}"


def changes_of(row, tuned):
    today = tuned["policies"][tuned["today"]]["policy"]
    return {name for name, value in row["policy"].items() if value != today[name]}


def options_of(row, tuned):
    """A policy's options, beside the default policy's."""
    hyphened = lambda name: "".join(f"-{each.lower()}" if each.isupper() else each for each in name)
    return " ".join(f"--{hyphened(name)} {value or 'none'}" for name, value in row["policy"].items() if name in changes_of(row, tuned)) or "the default policy"


def export_of(tuned):
    """What settle-fleet would export of the same logs."""
    rows, lag = tuned["policies"], lambda name: [-1 if row[name] is None else row[name] for row in tuned["policies"]]
    cohort = {"cohort": [], "sessions": tuned["logs"], "events": tuned["events"], "damaged": 0, "everyChange": tuned["everyChange"],
              "debounce": tuned["fixedDebounce100ms"], "front": tuned["front"], "knee": tuned["knee"], "unexercised": tuned["unexercised"],
              "p50_ns": lag("p50Lag_ns"), "p95_ns": lag("p95Lag_ns"), "p99_ns": lag("maxLag_ns")}
    for name in ("rebuilds", "previews", "wasted"):
        cohort[name] = [row[name] for row in rows]
    return {"settle": "fleet", "version": 1, "generator": "settle", "columns": [], "policies": [row["policy"] for row in rows],
            "today": tuned["today"], "sessions": tuned["logs"], "damaged": 0, "cohorts": [cohort]}
