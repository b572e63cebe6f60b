"""A log's tables: the advice, the decisions."""
import csv
import io
import json

from reports import RECORDINGS

ROWS_PER_PAGE = 50
ROWS = """return [...document.querySelectorAll("#decisions tbody tr")].map((row) => [...row.children].map((cell) => cell.textContent.trim().replaceAll("\\u00a0", " ")))"""
CAPTION = "return document.querySelector('#decisions caption').textContent"
TURN = "[...document.querySelectorAll('#decisions .pager button')].find((button) => button.textContent === arguments[0]).click()"
MARKED = "return [...document.querySelectorAll('#decisions tbody tr[aria-current=true]')].map((row) => row.querySelector('button').textContent.replaceAll('\\u00a0', ' '))"
KINDS = {"interactionBegan": "interaction began", "interactionEnded": "interaction ended", "lockChanged": "lock changed"}


def without_end_signals(text):
    """A log in JSON Lines as a terminal or a browser would have seen it."""
    lines = [json.loads(line) for line in text.splitlines() if line.startswith("{")]
    return "".join(json.dumps({key: value for key, value in line.items() if key != "resizing"}) + "\n" for line in lines if line.get("kind") != "pointer")


def seconds(text):
    """A time of the table: `12.345 s`, `1:02.345`."""
    if text.endswith(" s"):
        return float(text[:-2])
    return sum(float(part) * 60 ** place for place, part in enumerate(reversed(text.split(":"))))


def nanoseconds(text):
    """A length of time as the page rounds it, and by how much at most."""
    number, unit = text.split(" ")
    scale, step = {"ns": (1, 1), "µs": (1e3, 100), "ms": (1e6, 1e5), "s": (1e9, 1e7)}[unit]
    return float(number) * scale, step / 2


def test_advice(browser):
    """The page advises what settle tune advises, with its price and what stays as it is."""
    changed = set()
    for log in RECORDINGS[:4]:
        stripped = browser.work / f"stripped-{log.stem}.jsonl"
        stripped.write_text(without_end_signals(log.read_text()))
        for path in (log, stripped):
            tuned = json.loads(browser.settle.run("tune", "--json", path))
            today, advised = (tuned["policies"][tuned[which]] for which in ("today", "advised"))
            browser.opened(path)
            browser.tried()
            said = browser.run("return document.getElementById('front-text').textContent")
            options = tuned["copy"]["options"] or "the default policy"
            assert said.startswith(f"Advised: {options}."), f"{path.name}: the page says '{said}', and settle tune advises {options}"
            if advised["index"] != today["index"]:
                changed.add(path)
                for name in ("rebuilds", "wasted"):
                    price = f"{name} " + (f"{today[name]:,} → " if advised[name] != today[name] else "") + f"{advised[name]:,}"
                    figures = browser.text("advice-figures")
                    assert price in figures, f"{path.name}: the page says '{figures}', not '{price}'"
            names = [name for name in tuned["unexercised"] if name not in ("firstDelay", "lockDelay", "pauseDelay", "pauseShare", "maximumWait", "interactionTimeout", "liveShare", "liveLimit", "liveInterval", "livePause")]
            assert (f"waited for each: {', '.join(names)}." in said) if names else "waited for" not in said, f"{path.name}: '{said}' does not keep {names}"
    assert browser.fault or changed, "nothing but today's policy is advised"


def decided(browser, log):
    """The decisions with their lags, as settle convert writes them, and the log's start."""
    rows = list(csv.DictReader(io.StringIO(browser.settle.run("convert", log, "-", "--to", "csv"))))
    start = min(int(row["t_ns"]) for row in rows)
    return [row for row in rows if row["kind"] in ("interactionBegan", "interactionEnded", "rebuild", "preview", "lockChanged")], start


def test_decision_table(browser):
    """The table of decisions has every decision with its lag, page by page, and marks the one that is shown."""
    log = next(path for path in RECORDINGS if path.stem == "w06_weston_long")
    wanted, start = decided(browser, log)
    assert len(wanted) > 2 * ROWS_PER_PAGE, f"{log.name} has too few decisions: {len(wanted)}"
    browser.opened(log)
    browser.run("settle.setPolicy('default')")
    for first in range(0, len(wanted), ROWS_PER_PAGE):
        part = wanted[first:first + ROWS_PER_PAGE]
        assert browser.run(CAPTION) == f"Decisions {first + 1:,} to {first + len(part):,} of {len(wanted):,}, in order", browser.run(CAPTION)
        shown = browser.run(ROWS)
        assert len(shown) == len(part), f"page {first // ROWS_PER_PAGE + 1} has {len(shown)} rows, not {len(part)}"
        for number, (row, decision) in enumerate(zip(shown, part), first + 1):
            at, name, kind, reason, _, lag, coalesced = row
            assert abs(seconds(at) - (int(decision["t_ns"]) - start) / 1e9) <= 0.00051, f"decision {number} is at {at}, not {decision}"
            kind = kind.split(",")[0]
            assert [name, kind] == [decision["scene"], KINDS.get(decision["kind"], decision["kind"])], f"decision {number} is {row}, not {decision}"
            is_rebuild = decision["kind"] == "rebuild"
            assert reason == (decision["reason"] if decision["kind"] != "lockChanged" else reason), f"decision {number} is {row}, not {decision}"
            assert coalesced.replace(",", "") == (decision["coalesced_events"] if is_rebuild else ""), f"decision {number} is {row}, not {decision}"
            if not is_rebuild:
                assert lag == "", f"decision {number} has the lag {lag}"
                continue
            found, within = nanoseconds(lag)
            assert abs(found - int(decision["lag_ns"])) <= within + 1, f"decision {number} has the lag {lag}, not {decision['lag_ns']} ns"
        if first + ROWS_PER_PAGE < len(wanted):
            browser.run(TURN, "Next")
    browser.run(TURN, "First")
    for number in (3, 7):
        browser.run("document.querySelectorAll('#decisions tbody button')[arguments[0]].click()", number)
        assert browser.run(MARKED) == [browser.run(ROWS)[number][0]], f"of row {number} {browser.run(MARKED)} is marked"
