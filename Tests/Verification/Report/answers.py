"""Checks of the page's first lines, of several logs and of links to a view: a part of the class Check."""
import json
import re

from selenium.webdriver.common.keys import Keys

from browser import expect
from reports import RECORDINGS, data_of

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
    def tune(self, *logs):
        """What settle tune says of the default policy: its figures and the object."""
        tuned = json.loads(self.settle.run("tune", "--json", *logs))
        return tuned["policies"][tuned["today"]], tuned

    def line(self, logs, ms, *options):
        """The first line, by settle replay and settle tune."""
        replays = [json.loads(self.settle.run("replay", "--json", "--build-cost", f"{ms}ms", log)) for log in logs]
        today, tuned = self.tune(*logs)
        saved = sum(each["savedOverEveryChange_ns"] for each in replays)
        half, most = lag(today["p50Lag_ns"]), lag(today["p95Lag_ns"])
        return (f"Settle: {today['rebuilds']:,} rebuilds instead of {sum(each['everyChange'] for each in replays):,} at every size, {duration(saved)} less work at each; "
                f"{'' if half == most else f'half of them within {half} and '}95 % within {most} of the last change, {today['wasted']:,} wasted. "
                f"A 100 ms debounce: {sum(each['fixedDebounce100ms'] for each in replays):,}, always 100 ms, {tuned['fixedDebounce100ms']['wasted']:,} wasted.")

    def settled(self):
        """The fragment that the page has written, a little after what was done."""
        self.browser.drawn()
        return self.browser.driver.execute_async_script("setTimeout(() => arguments[0](location.hash), 500)")

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
        expect(re.search(r"within 0 s → 5[01] ms", found), f"a delay of 50 ms is answered by '{found}'")
        expect(re.match(rf"Settle: (\d+ → )?{changed} rebuilds", found), f"the page says '{found}', not {changed} rebuilds")

    def several(self):
        """Several logs have the figures of all together, one front, and a list with each one's, which the keyboard sorts."""
        logs = [RECORDINGS[0], RECORDINGS[2], RECORDINGS[5]]
        self.browser.open(self.report("several", *logs))
        found, wanted = self.browser.run(LINE), self.line(logs, 20)
        expect(found == wanted, f"of several logs the page says '{found}', not '{wanted}'")
        self.tried()
        tuned = self.tune(*logs)[1]
        advised = self.browser.run("return document.getElementById('front-text').textContent")
        expect(advised.startswith(f"Advised: {tuned['copy']['options'] or 'the default policy'}."), f"of several logs the page says '{advised}'")
        rows = "return [...document.querySelectorAll('#index tbody tr')].map((row) => [...row.children].map((cell) => cell.textContent))"
        wanted = []
        for log in logs:
            figures, replay = self.tune(log)[0], json.loads(self.settle.run("replay", "--json", log))
            wanted.append([str(log), f"{replay['events']:,}", f"{replay['everyChange']:,}", f"{figures['rebuilds']:,}", f"{figures['wasted']:,}", lag(figures["p95Lag_ns"]), "0"])
        wasted = lambda row: -int(row[4].replace(",", ""))
        expect([row[4:6] for row in self.browser.run(rows)] == [row[4:6] for row in sorted(wanted, key=wasted)], f"the list begins with {self.browser.run(rows)[0]}")
        for presses, backwards in ((1, True), (2, False)):
            self.browser.run("document.querySelectorAll('#index .sort')[3].focus()")
            self.browser.press(Keys.ENTER)
            found = self.browser.run(rows)
            expect(sorted(found) == sorted(wanted), f"the list has {found}, not {wanted}")
            counts = [int(row[3].replace(",", "")) for row in found]
            expect(counts == sorted(counts, reverse=backwards), f"after Enter number {presses} the rebuilds are {counts}")
        expect(self.browser.run("return document.activeElement.textContent") == "Rebuilds", "the sorted column's button lost the focus")
        self.browser.run("[...document.querySelectorAll('#index tbody button')].find((each) => each.textContent.includes('r06')).click()")
        expect(self.browser.text("log-name") == logs[1].name, "a log of the list is not shown")
        data = json.loads(data_of(self.settle.binary(logs[0])))
        data["logs"].insert(0, {"name": "damaged", "log": "AAAA"})
        self.browser.open(self.made("several", json.dumps(data)))
        self.browser.run("document.querySelectorAll('#index tbody .link')[0].click()")
        found, wanted = self.browser.run(LINE), self.line(logs[:1], 20)
        expect(found == wanted and len(self.browser.run(rows)) == 2, f"beside a damaged log the page says '{found}', not '{wanted}'")

    def links(self):
        """The page's address has the view, and restores it; a damaged one shows the default view."""
        path = self.report("several", *RECORDINGS[:2])
        state = """return [document.getElementById('log-name').textContent, document.getElementById('visible').textContent, settle.lines(1).length,
            document.querySelector('#answer .line').innerText, document.getElementById('cost').value, document.getElementById('explanation-text').innerText]"""
        self.browser.open(path)
        self.settled()
        default = self.browser.run(state)
        self.browser.run("""document.querySelectorAll('#index tbody .link')[arguments[0]].click(); settle.setPolicy({ quietDelay: '60ms', pauseDelay: '80ms' });
            document.getElementById('zoom-in').click(); document.getElementById('zoom-in').click(); document.getElementById('next').click()""", 1)
        self.browser.run(TYPE, "2ms+3ns/px")
        fragment, wanted = self.settled(), self.browser.run(state)
        expect(wanted != default and all(key in fragment for key in ("view=", "decision=", "cost=", "quietDelay:60ms", "pauseDelay:80ms")), f"the view is '{fragment}'")
        self.opened_at(path, fragment)
        found = self.browser.run(state)
        expect(found == wanted, f"'{fragment}' shows {found}, not {wanted}")
        self.opened_at(path, "#view=0,2000000000")
        found = self.browser.run(state)
        expect(found[1].startswith("0.00 s to 2.00 s") and [*found[:1], *found[2:]] == [*default[:1], *default[2:]], f"two seconds of the default view are {found}")
        for damaged in ("log=3", "log=x", "decision=-1", "decision=99999", "view=5,2", "view=1", "cost=much", "policy=quietDelay:none", "policy=none:1ms", "zoom=2", "%"):
            self.opened_at(path, f"#{damaged}")
            found = self.browser.run(state)
            expect(found == default, f"the damaged '{damaged}' shows {found}, not {default}")

    def opened_at(self, path, fragment):
        """Opens a report at a fragment, as from a link."""
        self.browser.open(f"{path}{fragment}")
        self.settled()

    def scenes(self):
        """Scenes can be found, and sorted by their rebuilds."""
        log = RECORDINGS[6]
        self.opened(log)
        names = "return [...document.querySelectorAll('.lane h3')].map((each) => each.textContent)"
        rebuilt = [each["scene"] for each in self.settle.decisions(log) if each["kind"] == "rebuild"]
        set_value = "const field = document.getElementById(arguments[0]); field.value = arguments[1]; field.dispatchEvent(new Event(arguments[2]))"
        self.browser.run(set_value, "scene-sort", "rebuilds", "change")
        found = self.browser.run(names)
        expect(found == sorted(set(rebuilt), key=lambda name: -rebuilt.count(name)), f"by their rebuilds the scenes are {found}")
        self.browser.run(set_value, "scene-find", found[-1], "input")
        expect(self.browser.run(names) == [name for name in found if found[-1] in name], f"'{found[-1]}' finds {self.browser.run(names)}")

    def focus(self):
        """Tab begins with the answer and follows what is seen; what has the focus is never covered; targets are large enough."""
        path = self.report("several", *RECORDINGS[:3])
        try:
            for width, height in ((800, 600), (390, 844), (1400, 900)):
                self.browser.size(width, height)
                self.browser.open(path)
                self.browser.drawn()
                small = self.browser.run("""return [...document.querySelectorAll("button, input, select, summary")].map((each) => each.type === "checkbox" ? each.parentElement : each)
                    .filter((each) => each.checkVisibility()).map((each) => [each.id || each.textContent, each.getBoundingClientRect()])
                    .filter(([, box]) => box.width < 24 || box.height < 24).map(([name, box]) => `${name}: ${box.width} × ${box.height}`)""")
                expect(not small, f"on {width} px these targets are less than 24 px: {small}")
                self.browser.run("document.documentElement.style.scrollBehavior = 'auto'; document.activeElement.blur(); scrollTo(0, 0)")
                order = []
                for keys in [Keys.TAB] * 50 + [Keys.SHIFT + Keys.TAB + Keys.NULL] * 20:
                    self.browser.press(keys)
                    name, covered = self.browser.run("""const at = document.activeElement, box = at.getBoundingClientRect(), answer = document.getElementById("answer");
                        const bottom = answer.contains(at) || at.className.includes("skip") ? 0 : answer.getBoundingClientRect().bottom;
                        return [at.id || at.textContent, box.top < bottom - 1 || (box.bottom > innerHeight + 1 && box.height < innerHeight - bottom)];""")
                    order.append(name)
                    expect(not covered, f"on {width} × {height} px {name} has the focus, and is covered")
                expect(order[:6] == ["Skip to the timeline", "cost", "options", "Swift", "JSON", "Log"], f"Tab begins with {order[:6]}")
        finally:
            self.browser.size(1600)
