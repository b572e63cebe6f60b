"""What the page says of builds that take time."""
import json
import subprocess

from page import same_decisions
from support import play

COSTS = {"8ms": (8e6, 0, 0), "20ms": (20e6, 0, 0), "1.5ms+3ns/px": (1.5e6, 3, 0), "20ms+slow/3": (20e6, 0, 3)}
FIGURES = ["builds", "work", "busiest", "wrong", "ends", "atOnce", "rightAfter", "p90RightAfter"]
SHARE = 30
# Selects a decision of a kind by its number among all.
EXPLAIN = """const kinds = document.getElementById('table-kind');
    kinds.value = arguments[0]; kinds.dispatchEvent(new Event('change'));
    const before = settle.decisions().slice(0, arguments[1]).filter(({ kind }) => kind === arguments[0]).length;
    for (let page = 0; page < Math.floor(before / 50); page++) [...document.querySelectorAll('.pager button')].find((button) => button.textContent === 'Next').click();
    document.querySelectorAll('#decisions tbody tr')[before % 50].querySelector('button').click();
    return document.getElementById('explanation-text').innerText;"""


def played(browser, log, cost, policy):
    """The sweep's figures, of Settle and of each habit, and its reports."""
    browser.settle.binary(log)
    ran = subprocess.run([play(browser.work), browser.work / f"{log.stem}.settle", *map(str, COSTS[cost]), policy],
                         capture_output=True, text=True, check=True)
    lines = [[int(word) if word.isdigit() else word for word in line.split()] for line in ran.stdout.splitlines()]
    figures = [dict(zip(FIGURES, [None if word == "none" else word for word in line])) for line in lines[:5]]
    return figures, lines[5:]


def with_reports(browser, log, reports):
    """A log that has reports in their places, in JSON Lines."""
    header, *lines = [line for line in log.read_text().splitlines() if line and not line.startswith("#")]
    names = list(dict.fromkeys(event["scene"] for event in map(json.loads, lines) if "scene" in event))
    for before, at, name, generation, cost, what in reversed(reports):
        kind = {"finished": {"kind": "finished"}, "kept": {"kind": "previewed"}, "givenUp": {"kind": "previewed", "kept": False}}[what]
        lines.insert(before, json.dumps({"t_ns": at, **kind, "scene": names[name], "generation": generation, "cost_ns": cost}))
    path = browser.work / f"{log.stem}-reports.jsonl"
    path.write_text("\n".join([header, *lines]) + "\n")
    return path


def test_figures(browser):
    """What builds come to is what the sweep counts, under policies with and without builds before an end."""
    for log in browser.recordings():
        browser.open(browser.report(log.stem, log))
        for cost in COSTS:
            for policy in ("default", "prepared", "live"):
                browser.run("settle.setPolicy(arguments[0]); settle.setBuildCost(arguments[1])", policy, cost)
                got, (wanted, _) = browser.run("return settle.figures()"), played(browser, log, cost, policy)
                assert [got["settle"], *got["habits"]] == wanted, f"{log.name}, {policy}, {cost}: {got}, not {wanted}"


def test_live(browser):
    """Live rebuilds are decided as a replay of the log with the same reports; they are explained."""
    for log in browser.recordings():
        _, reports = played(browser, log, "8ms", "live")
        wanted = browser.settle.decisions(with_reports(browser, log, reports), "--policy", "live")
        rebuilds = sum(each["kind"] == "rebuild" for each in wanted)
        assert len(reports) <= rebuilds, f"{log.name}: {len(reports)} builds of {rebuilds} rebuilds"
        browser.open(browser.report(log.stem, log))
        browser.run("settle.setPolicy('live'); settle.setBuildCost('8ms')")
        same_decisions(browser.decisions(), wanted, f"{log.name}, live")
        number = next((number for number, each in enumerate(wanted) if each.get("reason") == "live"), None)
        if number is not None:
            explained(browser, reports, wanted[number])


def test_prepared(browser):
    """Previews that pay are decided as a replay of the log with the same reports, and drawn; they are explained."""
    found = set()
    for log in browser.recordings():
        _, reports = played(browser, log, "20ms", "prepared")
        wanted = browser.settle.decisions(with_reports(browser, log, reports), "--policy", "prepared")
        browser.open(browser.report(log.stem, log))
        browser.run("settle.setPolicy('prepared'); settle.setBuildCost('20ms')")
        same_decisions(browser.decisions(), wanted, f"{log.name}, prepared")
        found |= {each[5] for each in reports}
        for kind, words in (("preview", ("Preview ", "pauseShare, 50 %", "Work\n20 ms, ")), ("rebuild", ("Prepared\nthe work for a preview",))):
            number = next((i for i, each in enumerate(wanted) if each["kind"] == kind and (kind == "preview" or each.get("prepared"))), None)
            if number is None:
                continue
            text = browser.run(EXPLAIN, kind, number)
            if kind == "preview" and "given up" in text:
                continue
            assert all(word in text for word in words), f"{log.name}: a {kind} is explained by {text}"
            found.add(kind)
    assert found == {"finished", "kept", "givenUp", "preview", "rebuild"}, f"the recordings reach {found}"


def test_reported(browser):
    """A log that has reports says what its builds took, and is decided with them as they are."""
    for log in browser.recordings():
        _, reports = played(browser, log, "8ms", "live")
        reported = with_reports(browser, log, reports)
        browser.open(browser.report(reported.stem, reported))
        median = browser.run("settle.setPolicy('live'); return settle.figures().cost")
        assert median == "8ms", f"{log.name}: the usual cost is {median}, not 8ms"
        browser.run("settle.setBuildCost('none')")
        same_decisions(browser.decisions(), browser.settle.decisions(reported, "--policy", "live"), f"{log.name}, with its own reports")
        assert browser.run("return settle.figures().settle") is None, "there are figures without a cost"


def explained(browser, reports, decision):
    """The first live rebuild's explanation has the cost and the pause of the report before it."""
    browser.run("""document.getElementById('table-kind').value = 'rebuild'; document.getElementById('table-kind').dispatchEvent(new Event('change'));
        [...document.querySelectorAll('#decisions tbody tr')].find((row) => row.innerText.includes('live')).querySelector('button').click();""")
    text = browser.run("return document.getElementById('explanation-text').innerText")
    rows = dict(zip(*[iter(line for line in text.split("\n")[3:] if line.strip())] * 2)) if "Reason" in text else {}
    report = max((each for each in reports if each[1] <= decision["t_ns"]), key=lambda each: each[1])
    assert "Live rebuild" in text and "took 8 ms" in text, f"a live rebuild is explained by {text}"
    pause = -(-report[4] * (100 - SHARE) // SHARE)
    assert f"a pause of {round(pause / 1e5) / 10} ms" in text, f"the pause of {pause} ns is not in {rows or text}"
