"""A fleet's report."""
import json
import pathlib
import re

from fleet_sample import sample_text, sessions
from reports import HOSTILE
from results import note

EXPORT = pathlib.Path(__file__).with_name("fleet.json")
# Bounds of the p95 lag in ms. 50 is within the bucket of some policies' lag, but below its longest lag.
BOUNDS = [0, 50, 100, 250, 2000]
# The size that a report must bear, and how soon it must open; 3 s on a quiet machine.
LARGE_COHORTS, LARGE_POLICIES, OPEN_SECONDS_MAX, ELEMENTS_MAX = 1_000, 2_000, 20.0, 2_500

# The list of cohorts by their texts, without "All together" where it stands beside others.
LIST = "return [...document.querySelectorAll('#cohorts tbody tr')].map((row) => [...row.children].map((cell) => cell.textContent.trim().replaceAll('\\u00a0', ' ')))"
CARDS = "return [...document.querySelectorAll('.total .big')].map((card) => parseInt(card.textContent.replaceAll(',', '')))"
FRONT = """return [...document.querySelectorAll('#front-table tbody tr')].map((row) => [...row.children].map((cell) => cell.textContent.trim()))"""
SET = "const input = document.getElementById(arguments[0]); input.value = arguments[1]; input.dispatchEvent(new Event('input', { bubbles: true }))"


def lag_text(ns):
    """A lag as the page shows it: two digits, as a bucket is 3 % wide."""
    if ns < 0:
        return "18 min or more"
    rounded = float(f"{ns:.2g}")
    return "0 s" if ns == 0 else f"{rounded / 1e6:g} ms" if rounded < 1e9 else f"{rounded / 1e9:g} s"


def changes(policy, today):
    """The durations that differ from today's, as options."""
    if policy == today:
        return "today’s policy"
    option = lambda name: "--" + re.sub("[A-Z]", lambda letter: "-" + letter[0].lower(), name)
    return " ".join(f"{option(name)} {policy[name] or 'none'}" for name in policy if policy[name] != today[name])


def name_of(cohort):
    return " · ".join("(null)" if value is None else value for value in cohort["cohort"]) if "cohort" in cohort else "All together"


def tuned(browser, export, cohort, *options):
    """What settle tune says of a cohort's recordings."""
    policies = browser.work / "policies.json"
    policies.write_text("\n".join(json.dumps(policy) for policy in export["policies"]))
    logs = sessions(tuple(cohort["cohort"]) if "cohort" in cohort else None)
    return json.loads(browser.settle.run("tune", "--json", *options, "--policies", policies, *logs))


def check_list(browser, export, cohorts, policies, what):
    """The list has the figures of cohorts and of one policy for each; None is for none."""
    today = export["today"]
    rows = {row[0]: row for row in browser.run(LIST)}
    assert list(rows) == [name_of(cohort) for cohort in cohorts], f"{what}: the list has {list(rows)}"
    for cohort, policy in zip(cohorts, policies):
        name, was = name_of(cohort), cohort["rebuilds"][today]
        wanted = [name, f"{cohort['sessions']:,}", f"{cohort['damaged']:,}", f"{was:,}", lag_text(cohort["p95_ns"][today])]
        if policy is None:
            wanted += ["none", "", "", "no policy is within the bound"]
            assert rows[name] == wanted, f"{what}: the row is {rows[name]}, not {wanted}"
            continue
        wanted += [f"{cohort['rebuilds'][policy]:,}", lag_text(cohort["p95_ns"][policy])]
        assert rows[name][:7] == wanted, f"{what}: the row is {rows[name]}, not {wanted}"
        saved = was - cohort["rebuilds"][policy]
        assert rows[name][7].split(" (")[0].replace("−", "-") == f"{saved:,}", f"{what}, {name}: {rows[name][7]} are saved, not {saved}"
        if saved:
            percent = float(re.search(r"([\d.]+) %", rows[name][7])[1])
            assert abs(percent - abs(saved) / was * 100) <= 0.05 * percent, f"{what}, {name}: {rows[name][7]} of {was}"
        assert rows[name][8] == changes(export["policies"][policy], export["policies"][today]), f"{what}, {name}: what changes is {rows[name][8]}"


def test_fleet_sample(browser):
    """The fleet's export that is checked is what the recordings result in."""
    assert EXPORT.read_text() == sample_text(browser.settle.program), f"{EXPORT.name} is not what the recordings give; write it anew with fleet_sample.py"


def test_fleet(browser):
    """A fleet's page has the export's figures, fronts and knees, and chooses within a bound as settle tune does."""
    export = json.loads(EXPORT.read_text())
    today, cohorts = export["today"], [export["total"], *export["cohorts"]]
    browser.open(browser.fleet_report("fleet", export))
    choices = [tuned(browser, export, cohort)["advised"] for cohort in cohorts]
    check_list(browser, export, cohorts, choices, "without a bound")
    for number, cohort in enumerate(cohorts):
        browser.run("document.querySelectorAll('#cohorts tbody button')[arguments[0]].click()", number)
        assert browser.run("return document.getElementById('cohort-name').textContent") == name_of(cohort), f"{name_of(cohort)} is not shown"
        choice = choices[number]
        wanted = [cohort["everyChange"]["rebuilds"], cohort["debounce"]["rebuilds"], cohort["rebuilds"][today], cohort["rebuilds"][choice]]
        cards = browser.run(CARDS)
        assert cards == wanted, f"{name_of(cohort)}: the cards have {cards}, not {wanted}"
        wanted = []
        listed = sorted({*cohort["front"], choice}, key=lambda index: (cohort["rebuilds"][index], -cohort["p95_ns"][index], index not in cohort["front"]))
        for index in listed:
            notes = [note for at, note in ((cohort["knee"], "knee"), (today, "today"), (choice, "advised")) if at == index]
            wanted.append([f"{cohort['rebuilds'][index]:,}" + (f" ({', '.join(notes)})" if notes else ""), f"{cohort['wasted'][index]:,}",
                           lag_text(cohort["p50_ns"][index]), lag_text(cohort["p95_ns"][index]),
                           changes(export["policies"][index], export["policies"][today]), "Take"])
        front = browser.run(FRONT)
        assert front == wanted, f"{name_of(cohort)}: the front is {front}, not {wanted}"
    # What is taken is what the keyboard picked.
    browser.run("""document.querySelectorAll('#cohorts tbody button')[0].click(); const front = document.getElementById("front"); front.focus();
        for (const key of ["Home", "ArrowLeft", "ArrowLeft", "ArrowLeft", "ArrowLeft", "ArrowLeft", "Enter"])
            front.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
        [...document.querySelectorAll("#forms button")].find((button) => button.textContent === "Policy file").click();""")
    taken = json.loads(browser.run("return document.getElementById('copy-text').textContent"))
    assert taken == export["policies"][cohorts[0]["front"][0]], f"the policy that was taken is {taken}"
    assert not browser.requests(), "a fleet's page requests something"
    bounds(browser, export, cohorts)


def bounds(browser, export, cohorts):
    # A planted fault is found with few.
    for bound in BOUNDS[1:3] if browser.fault else BOUNDS:
        choices = [tuned(browser, export, cohort, "--p95-lag", f"{bound}ms")["choice"] for cohort in cohorts]
        browser.run(SET, "fleet-bound", str(bound))
        check_list(browser, export, cohorts, choices, f"at most {bound} ms")
    # What no policy has: the recordings have one for every bound.
    slow = json.loads(EXPORT.read_text())
    del slow["total"]
    slow["cohorts"] = slow["cohorts"][:1]
    slow["cohorts"][0]["p95_ns"] = [-1] * len(slow["policies"])
    slow["cohorts"][0].update(front=slow["cohorts"][0]["front"][:1], knee=None)
    browser.open(browser.fleet_report("slow", slow))
    browser.run(SET, "fleet-bound", "100")
    check_list(browser, slow, slow["cohorts"], [None], "no policy")
    said = browser.run("return document.getElementById('no-choice').textContent")
    assert "No policy has a p95 lag of at most 100 ms" in said and "; the shortest is 18 min or more" in said, f"without a policy the page says '{said}'"
    assert len(browser.run(CARDS)) == 3, "a card shows a policy that there is none of"


def test_fleet_hostile(browser):
    """Values of a hostile fleet run nothing, and stay text; damaged figures give a message."""
    export = json.loads(EXPORT.read_text())
    export["columns"] = HOSTILE[:2]
    export["cohorts"] = [{**export["cohorts"][0], "cohort": [name, HOSTILE[i - 1]]} for i, name in enumerate(HOSTILE)]
    path = browser.fleet_report("<img src=x onerror='window.hostile=9'>", export)
    list(browser.hostile_page(path, "for (const button of document.querySelectorAll('#cohorts tbody button')) button.click()"))
    data = json.loads(re.search(r'id="settle-data">(.*?)</script>', path.read_text(), re.S)[1])
    for fleet in (None, 5, {}, {**data["fleet"], "policies": data["fleet"]["policies"][1:]}, {**data["fleet"], "total": None}):
        browser.open(browser.made("damaged", json.dumps({**data, "fleet": fleet}).replace("<", "\\u003c")), is_sound=False)
        said = browser.text("messages")
        assert "fleet is damaged" in said, f"of a damaged fleet the page says '{said}'"
        assert not browser.console(), "a damaged fleet leaves errors in the console"
    browser.open(browser.fleet_report("empty", {**json.loads(EXPORT.read_text()), "cohorts": []}))
    said = browser.text("messages")
    assert "no session" in said and not browser.console(), f"of an empty fleet the page says '{said}'"


def test_fleet_large(browser):
    """A fleet of 1,000 cohorts under 2,000 policies opens soon, with few elements."""
    export = json.loads(EXPORT.read_text())
    today = {name: value for name, value in export["policies"][0].items() if name != "quietDelay"}
    export["policies"] = [{**today, "quietDelay": f"{i}ms"} for i in range(LARGE_POLICIES)]
    # Nine digits, as lags of tens to hundreds of ms have, and every policy on the front.
    down = [10**8 + 10**5 * (LARGE_POLICIES - i) for i in range(LARGE_POLICIES)]
    up = [10**6 + 1000 * i for i in range(LARGE_POLICIES)]
    cohort = {**export["total"], "rebuilds": up, "previews": [0] * LARGE_POLICIES, "wasted": up, "p50_ns": down, "p95_ns": down, "p99_ns": down,
              "front": list(range(LARGE_POLICIES)), "knee": 1000}
    text = json.dumps(cohort, separators=(",", ":"))
    head = {key: value for key, value in export.items() if key not in ("cohorts", "total")}
    cohorts = ",".join(f'{{"cohort":["x11","{i}"],' + text[1:] for i in range(LARGE_COHORTS))
    path = browser.fleet_report("large", json.dumps(head)[:-1] + f',"cohorts":[{cohorts}],"total":{text}}}')
    browser.open(path)
    said = browser.elements(OPEN_SECONDS_MAX, ELEMENTS_MAX, "a large fleet")
    chosen = browser.run("const start = performance.now(); " + SET + "; return performance.now() - start", "fleet-bound", "200") / 1000
    note(f"a fleet of {LARGE_COHORTS:,} cohorts × {LARGE_POLICIES:,} policies, {path.stat().st_size / 1e6:.0f} MB: {said}, bounded in {chosen:.2f} s")
    path.unlink()
    (browser.work / "large.json").unlink()
