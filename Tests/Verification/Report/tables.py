"""Checks of a log's tables: the advice, the decisions. A part of the class Check."""
import csv
import io
import json
import time

from browser import expect
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


class TableChecks:
    def tried(self):
        """Waits until the grid is tried."""
        deadline = time.monotonic() + 60
        while "trying" in (self.browser.run("return document.getElementById('progress').textContent") or "trying"):
            expect(time.monotonic() < deadline, "the grid is not tried within a minute")
            time.sleep(0.2)

    def advice(self):
        """The page advises what settle tune advises, with its price and what stays as it is."""
        changed = set()
        for log in RECORDINGS[:4]:
            stripped = self.work / f"stripped-{log.stem}.jsonl"
            stripped.write_text(without_end_signals(log.read_text()))
            for path in (log, stripped):
                tuned = json.loads(self.settle.run("tune", "--json", path))
                today, advised = (tuned["policies"][tuned[which]] for which in ("today", "advised"))
                self.opened(path)
                self.tried()
                said = self.browser.run("return document.getElementById('front-text').textContent")
                options = tuned["copy"]["options"] or "the default policy"
                expect(said.startswith(f"Advised: {options}."), f"{path.name}: the page says '{said}', and settle tune advises {options}")
                if advised["index"] != today["index"]:
                    changed.add(path)
                    for name in ("rebuilds", "wasted"):
                        price = f"{name} " + (f"{today[name]:,} → " if advised[name] != today[name] else "") + f"{advised[name]:,}"
                        figures = self.browser.text("advice-figures")
                        expect(price in figures, f"{path.name}: the page says '{figures}', not '{price}'")
                kept = [name for name in tuned["kept"] if name not in ("firstDelay", "lockDelay", "pauseDelay", "pauseShare", "maximumWait", "interactionTimeout", "liveShare", "liveLimit", "liveInterval", "livePause")]
                expect((f"waited for each: {', '.join(kept)}." in said) if kept else "waited for" not in said, f"{path.name}: '{said}' does not keep {kept}")
        expect(self.fault or changed, "nothing but today's policy is advised")

    def decided(self, log):
        """The decisions with their lags, as settle convert writes them, and the log's start."""
        rows = list(csv.DictReader(io.StringIO(self.settle.run("convert", log, "-", "--to", "csv"))))
        start = min(int(row["t_ns"]) for row in rows)
        return [row for row in rows if row["kind"] in ("interactionBegan", "interactionEnded", "rebuild", "preview", "lockChanged")], start

    def decision_table(self):
        """The table of decisions has every decision with its lag, page by page, and marks the one that is shown."""
        log = next(path for path in RECORDINGS if path.stem == "w06_weston_long")
        wanted, start = self.decided(log)
        expect(len(wanted) > 2 * ROWS_PER_PAGE, f"{log.name} has too few decisions: {len(wanted)}")
        self.opened(log)
        self.browser.run("settle.setPolicy('default')")
        for first in range(0, len(wanted), ROWS_PER_PAGE):
            part = wanted[first:first + ROWS_PER_PAGE]
            expect(self.browser.run(CAPTION) == f"Decisions {first + 1:,} to {first + len(part):,} of {len(wanted):,}, in order", self.browser.run(CAPTION))
            shown = self.browser.run(ROWS)
            expect(len(shown) == len(part), f"page {first // ROWS_PER_PAGE + 1} has {len(shown)} rows, not {len(part)}")
            for number, (row, decision) in enumerate(zip(shown, part), first + 1):
                at, name, kind, reason, _, lag, coalesced = row
                expect(abs(seconds(at) - (int(decision["t_ns"]) - start) / 1e9) <= 0.00051, f"decision {number} is at {at}, not {decision}")
                kind = kind.split(",")[0]
                expect([name, kind] == [decision["scene"], KINDS.get(decision["kind"], decision["kind"])], f"decision {number} is {row}, not {decision}")
                is_rebuild = decision["kind"] == "rebuild"
                expect(reason == (decision["reason"] if decision["kind"] != "lockChanged" else reason), f"decision {number} is {row}, not {decision}")
                expect(coalesced.replace(",", "") == (decision["coalesced_events"] if is_rebuild else ""), f"decision {number} is {row}, not {decision}")
                if not is_rebuild:
                    expect(lag == "", f"decision {number} has the lag {lag}")
                    continue
                found, within = nanoseconds(lag)
                expect(abs(found - int(decision["lag_ns"])) <= within + 1, f"decision {number} has the lag {lag}, not {decision['lag_ns']} ns")
            if first + ROWS_PER_PAGE < len(wanted):
                self.browser.run(TURN, "Next")
        self.browser.run(TURN, "First")
        for number in (3, 7):
            self.browser.run("document.querySelectorAll('#decisions tbody button')[arguments[0]].click()", number)
            expect(self.browser.run(MARKED) == [self.browser.run(ROWS)[number][0]], f"of row {number} {self.browser.run(MARKED)} is marked")
