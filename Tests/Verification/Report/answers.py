"""Checks of the page's first lines, of several logs and of links to a view: a part of the class Check."""
import json
import re

from browser import expect
from reports import RECORDINGS

LINE = "return document.querySelector('#answer .line').innerText.replace(/\\s+/g, ' ')"
TYPE = "const field = document.getElementById('cost'); field.value = arguments[0]; field.dispatchEvent(new Event('change'))"


def duration(ns):
    """A length of time as the page and the command round it."""
    for unit, name, most, scale in ((1, "ns", 1e3, 1), (1e3, "µs", 1e6, 10), (1e6, "ms", 1e9, 10), (1e9, "s", 6e10, 100)):
        if ns < most:
            return f"{int(ns / (unit / scale) + .5) / scale:g} {name}" if ns else "0 s"
    seconds = int(ns // 1e9)
    return f"{seconds // 60} min {seconds % 60} s" if seconds < 3600 else f"{seconds // 3600} h {seconds % 3600 // 60} min"


def lag(ns):
    """A lag, which is known by two digits."""
    return duration(float(f"{ns:.2g}"))


class AnswerChecks:
    def tuned(self, *logs):
        """What settle tune says of the default policy: its figures and the object."""
        tuned = json.loads(self.settle.run("tune", "--json", *logs))
        return tuned["policies"][tuned["today"]], tuned

    def line(self, logs, ms, *options):
        """The first line, by settle replay and settle tune."""
        replays = [json.loads(self.settle.run("replay", "--json", "--build-cost", f"{ms}ms", log)) for log in logs]
        today, tuned = self.tuned(*logs)
        saved = sum(each["savedOverEveryChange_ns"] for each in replays)
        return (f"Settle: {today['rebuilds']:,} rebuilds instead of {sum(each['everyChange'] for each in replays):,}, {duration(saved)} less work at each; "
                f"half of them within {lag(today['p50Lag_ns'])} and 95 % within {lag(today['p95Lag_ns'])} of the last change, {today['wasted']:,} wasted. "
                f"A 100 ms debounce: {sum(each['fixedDebounce100ms'] for each in replays):,}, always 100 ms, {tuned['fixedDebounce100ms']['wasted']:,} wasted.")

    def answer(self):
        """The first line has the figures of settle replay and settle tune, also with another cost; a slider shows both policies' figures."""
        for log in self.recordings()[:5]:
            self.opened(log)
            for ms in (20, 8):
                self.browser.run(TYPE, f"{ms}ms")
                found, wanted = self.browser.run(LINE), self.line([log], ms)
                expect(found == wanted, f"{log.name} at {ms} ms: the page says '{found}', not '{wanted}'")
        self.opened(RECORDINGS[6])
        self.browser.run("settle.setPolicy({ reportedEndDelay: '50ms' })")
        changed = json.loads(self.settle.run("replay", "--json", "--reported-end-delay", "50ms", RECORDINGS[6]))["rebuilds"]
        found = self.browser.run(LINE)
        expect(re.search(r"within 0 s → 5[01] ms and", found), f"a delay of 50 ms is answered by '{found}'")
        expect(re.match(rf"Settle: (\d+ → )?{changed} rebuilds", found), f"the page says '{found}', not {changed} rebuilds")
