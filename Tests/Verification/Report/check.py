"""The checks of reports in headless Chromium: each method is one, and throws Failure."""
import json
import time

from answers import AnswerChecks
from builds import BuildChecks
from browser import Browser, Failure, expect
from damage import damaged_reports
from fleet import EXPORT, FleetChecks
from many import ManyChecks
from planted import planted
from policies import c_policy, nanoseconds, swift_policy
from reports import HOSTILE, RECORDINGS, Page, hostile_log, large_log, with_hashes
from scripts import ScriptChecks
from tables import TableChecks

PAGE_BYTES_MAX = 180_000
# The aim is 2 s for each on a quiet machine.
OPEN_SECONDS_MAX, DECIDE_SECONDS_MAX = 8.0, 2.0
ELEMENTS_MAX = 2_500
WIDTHS = (400, 900, 1600)

# Policies that the sliders set: each field's slider value in ms or percent, None for off.
SLIDERS = [
    {"discreteDelay": 0, "quietDelay": 60, "jumpDelay": None, "releasedEndDelay": 33},
    {"firstDelay": 120, "reportedEndDelay": 50, "calmDelay": 1000, "pauseDelay": 100, "pauseShare": 40, "interactionTimeout": 500, "maximumWait": 250},
    {"quietDelay": 900, "lockDelay": 0, "maximumWait": 40, "releasedEndDelay": 0, "interactionTimeout": None, "pauseDelay": 5,
     "liveShare": 45, "liveLimit": None, "liveInterval": 8, "livePause": 70},
]
MOVE_SLIDERS = """
for (const [name, value] of Object.entries(arguments[0])) {
    const toggle = document.getElementById(`policy-${name}-on`), slider = document.getElementById(`policy-${name}`);
    if (toggle && toggle.checked !== (value !== null)) toggle.click();
    if (value === null) continue;
    slider.value = value;
    slider.dispatchEvent(new Event("input", { bubbles: true }));
}
"""


def same_decisions(got, wanted, what):
    if got == wanted:
        return
    first = next((i for i, pair in enumerate(zip(got, wanted)) if pair[0] != pair[1]), min(len(got), len(wanted)))
    show = lambda rows: rows[first] if first < len(rows) else "nothing"
    raise Failure(f"{what}: {len(got)} decisions, not {len(wanted)}; number {first} is {show(got)}, not {show(wanted)}")


def options_of(sliders):
    """The options of settle for a policy that sliders set one after the other."""
    options = []
    for name, value in sliders.items():
        option = "".join("-" + letter.lower() if letter.isupper() else letter for letter in name)
        options += [f"--{option}", "none" if value is None else f"{value}{'%' if name.endswith('Share') else 'ms'}"]
    return options


class Check(AnswerChecks, BuildChecks, ManyChecks, ScriptChecks, TableChecks, FleetChecks):
    def __init__(self, settle, work):
        self.settle, self.work, self.page = settle, work, Page()
        self.browser = Browser()

    def report(self, name, *logs):
        """A report of logs, with a planted fault or none."""
        path = self.work / f"{name}.html"
        self.settle.run("report", "--force", *logs, "-o", path)
        return self.plant(path)

    def opened(self, log=RECORDINGS[0]):
        """Opens the report of a log."""
        self.browser.open(self.report(log.stem, log))

    def made(self, name, data):
        path = self.work / f"{name}.html"
        path.write_text(self.page.report(data))
        return self.plant(path)

    fault = None

    def plant(self, path):
        text = path.read_text()
        expect(text.startswith(self.page.head) and text.endswith(self.page.tail), "the program has another page than CSources/CGeneratedPage: build it anew")
        if self.fault:
            path.write_text(with_hashes(text.removesuffix(self.page.tail) + planted(self.page.tail, self.fault)))
        return path

    def recordings(self):
        # A planted fault is found in one.
        return RECORDINGS[:1] if self.fault else RECORDINGS

    # The checks.

    def decisions(self):
        """The page decides as a replay does, by default and as UIKit."""
        for log in self.recordings():
            self.opened(log)
            for policy in ("default", "uikit"):
                self.browser.run("settle.setPolicy(arguments[0])", policy)
                wanted = self.settle.decisions(log, "--policy", policy)
                same_decisions(self.browser.decisions(), wanted, f"{log.name}, {policy}")
                same_decisions(json.loads(self.browser.run("return JSON.stringify(settle.decisions())")), wanted, f"{log.name}, {policy}")
        several = self.recordings()[:3]
        self.browser.open(self.report("several", *several))
        for number, log in enumerate(several):
            same_decisions(self.browser.decisions(number), self.settle.decisions(log), f"log {number} of several")

    def sliders(self):
        """It does so under policies that its sliders set."""
        for log in self.recordings():
            self.opened(log)
            for sliders in SLIDERS:
                # As a replay, which has no builder.
                self.browser.run("settle.setPolicy('default'); settle.setBuildCost('none')")
                self.browser.run(MOVE_SLIDERS, sliders)
                same_decisions(self.browser.decisions(), self.settle.decisions(log, *options_of(sliders)), f"{log.name}, sliders {sliders}")

    def front(self):
        """A policy of the front can be taken by the keyboard, and its options decide the same."""
        log = RECORDINGS[1]
        self.opened(log)
        self.tried()
        self.browser.run("""const front = document.getElementById("front"); front.focus();
            for (const key of ["ArrowRight", "ArrowRight", "ArrowRight", "ArrowLeft", "Enter"])
                front.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
            [...document.querySelectorAll("#forms button")].find((button) => button.textContent === "Options").click();""")
        options = self.browser.run("return document.getElementById('copy-text').textContent")
        expect(options.startswith("--") and options != "--policy default", f"no policy was taken: {options}")
        same_decisions(self.browser.decisions(), self.settle.decisions(log, *options.split()), f"{log.name}, {options}")
        self.browser.run("[...document.querySelectorAll('#forms button')].find((button) => button.textContent === 'Policy file').click()")
        file = self.work / "policy.json"
        file.write_text(self.browser.run("return document.getElementById('copy-text').textContent"))
        same_decisions(self.browser.decisions(), self.settle.decisions(log, "--policy", file), f"{log.name}, the policy file")

    def forms(self):
        """What is copied as Swift, C and options is the policy of the sliders."""
        presets = {name: nanoseconds(json.loads(self.settle.run("policy", "--policy", name))) for name in ("default", "prepared", "live", "uikit")}
        self.opened()
        for sliders in [{}, *SLIDERS, "prepared", "live", "uikit"]:
            is_named = isinstance(sliders, str)
            self.browser.run("settle.setPolicy(arguments[0])", sliders if is_named else "default")
            if not is_named:
                self.browser.run(MOVE_SLIDERS, sliders)
            options = ["--policy", sliders] if is_named else options_of(sliders)
            wanted = json.loads(self.settle.run("policy", *options))
            texts = self.browser.run("""return Object.fromEntries([...document.querySelectorAll("#forms button")].map((button) => {
                button.click(); return [button.textContent, document.getElementById("copy-text").textContent]; }))""")
            expect(json.loads(texts["Policy file"]) == wanted, f"the policy file is {texts['Policy file']}, not {wanted}")
            by_options = json.loads(self.settle.run("policy", *texts["Options"].split()))
            expect(by_options == wanted, f"the options {texts['Options']} are not those of {wanted}")
            expect(c_policy(self.work, list(wanted), texts["C"]) == nanoseconds(wanted), f"the C is not {wanted}: {texts['C']}")
            expect(swift_policy(presets, texts["Swift"]) == nanoseconds(wanted), f"the Swift is not {wanted}: {texts['Swift']}")

    def hostile_page(self, path, steps):
        """Opens a page on a narrow screen and a wide one, takes steps, and checks that names in it stay text."""
        for width in (400, 1600):
            self.browser.size(width)
            self.browser.open(path)
            self.browser.run(steps)
            self.browser.names_are_text(width)
            yield width
        self.browser.size(1600)
        expect(not self.browser.console(), f"{path.name} leaves errors in the console")

    def hostile(self):
        """Names of a hostile log run nothing, and stay text."""
        log = self.work / "<img src=x onerror='window.hostile=9'>.jsonl"
        log.write_text(hostile_log())
        for width in self.hostile_page(self.report("hostile", log), "for (let i = 0; i < 5; i++) document.getElementById('next').click()"):
            names = {decision["scene"] for decision in self.browser.decisions()}
            expect(names == set(HOSTILE), f"other names: {sorted(names ^ set(HOSTILE))}")
            same_decisions(self.browser.decisions(), self.settle.decisions(log), "the hostile log")
            cut = self.browser.run("const box = document.getElementById('decisions'); return box.scrollWidth > box.clientWidth"
                                   " || [...box.querySelectorAll('tbody th button')].some((time) => time.offsetHeight > 40)")
            expect(not cut, f"the decisions' sizes are cut or their times break at {width} px")

    def quiet(self):
        """Nothing is requested, and nothing is on the console."""
        self.opened()
        self.browser.run("settle.setPolicy('uikit'); document.getElementById('next').click(); document.getElementById('zoom-in').click()")
        time.sleep(0.5)
        requests, console = self.browser.requests(), self.browser.console()
        expect(not requests, f"the page requests {requests}")
        expect(not console, f"the console says {console}")

    def csp(self):
        """The policy in the file keeps what is injected from running."""
        self.opened()
        self.browser.run("""const script = document.createElement("script"); script.textContent = "window.injected = 1"; document.body.append(script);
            const image = document.createElement("img"); image.setAttribute("onerror", "window.injected = 2"); image.src = "data:,"; document.body.append(image);""")
        time.sleep(0.3)
        expect(self.browser.run("return window.injected === undefined"), "an injected script runs")
        self.browser.logs()

    def damaged(self):
        """Damaged data gives a message and no exception."""
        sound, damaged = damaged_reports(self.settle.binary(RECORDINGS[0]))
        for name, (data, words) in damaged.items():
            self.browser.open(self.made("damaged", data), is_sound=False)
            shown = self.browser.text("messages") + self.browser.text("findings")
            expect(words in shown, f"{name}: the page says '{shown}', not '{words}'")
            console = self.browser.console()
            expect(not console, f"{name}: the console says {console}")
        self.browser.open(self.made("sound", sound))
        shown = self.browser.text("messages") + self.browser.text("findings")
        expect(shown == "", f"a sound report says '{shown}'")

    def cut(self):
        """A file that is cut says so, wherever it is cut."""
        log = RECORDINGS[0]
        text = self.report("whole", log).read_text()
        path = self.work / "cut.html"
        data, script = text.index('id="settle-data"'), text.rindex("<script>")
        for at in (data, data + 100, script, script + 200, text.rindex("</script>")):
            path.write_text(text[:at])
            self.browser.open(path, is_sound=False)
            # The page says so after some seconds, as a file that is being read may still grow.
            deadline, shown = time.monotonic() + 10, ""
            while "its end is missing" not in shown and time.monotonic() < deadline:
                time.sleep(0.2)
                shown = self.browser.run("const said = document.querySelector('.incomplete'); return said && said.checkVisibility({ visibilityProperty: true }) ? said.innerText : ''")
            expect("its end is missing" in shown, f"cut after {at} characters, the page says '{shown}'")
        path.write_text(text[:text.index("<style>") + 50])
        self.browser.open(path, is_sound=False)
        expect("incomplete" in self.browser.driver.title, f"cut in its style, the page's title is '{self.browser.driver.title}'")

    def large(self):
        """A log of a million events opens and is decided anew soon, with few elements."""
        log = self.work / "large.jsonl"
        with log.open("w") as file:
            file.writelines(large_log())
        self.browser.open(self.report("large", log))
        decided = self.browser.run("const start = performance.now(); settle.setPolicy({ reportedEndDelay: '16ms' }); return performance.now() - start") / 1000
        expect(decided <= DECIDE_SECONDS_MAX, f"a million events take {decided:.2f} s to decide anew; at most {DECIDE_SECONDS_MAX} s are allowed")
        self.browser.run("settle.setPolicy('uikit')")
        self.browser.drawn()
        said = self.browser.elements(OPEN_SECONDS_MAX, ELEMENTS_MAX, "a report of a million events")
        got, wanted = self.browser.run("return settle.decisions().length"), len(self.settle.decisions(log, "--policy", "uikit"))
        expect(got == wanted, f"{got} decisions of a million events, not {wanted}")
        print(f"  a million events: {said}, decided anew in {decided:.2f} s")

    def keyboard(self):
        """The timeline's keys zoom, move and explain; Tab reaches the controls."""
        self.opened()
        keys = self.browser.press
        text = self.browser.text
        self.browser.run("document.getElementById('timeline').focus()")
        whole = text("visible")
        keys("+")
        self.browser.drawn()
        expect(text("visible") != whole, "+ does not zoom")
        keys("0")
        self.browser.drawn()
        expect(text("visible") == whole, "0 does not show all")
        seen = set()
        for _ in range(4):
            keys(".")
            seen.add(text("explanation-text"))
        expect(len(seen) == 4, "the full stop does not step through the decisions")
        expect("of the decision contract" in text("explanation-text"), "a decision is not explained")
        # More than there are controls: the timeline is before the first one that is reached.
        fleet = {"fleet-bound", "fleet-sort", "fleet-find", "All together", "x11 · openbox", "front", "Take", "Options", "copy"}
        log = {"timeline", "previous", "zoom-in", "policy-firstDelay", "policy-interactionTimeout-on", "UIKit", "copy", "front", "table-scene"}
        for _, wanted, presses in zip(self.pages(), (log, fleet), (120, 40)):
            missing = wanted - self.browser.reached(presses)
            expect(not missing, f"Tab does not reach {missing}")

    def panel(self):
        """One preset is marked; a number that is out of range is said; the column beside the timeline grows."""
        self.opened()
        marked = lambda: self.browser.run("return [...document.querySelectorAll('#presets [aria-pressed=true]')].map((button) => button.textContent)")
        for policy, name in (("default", "Default"), ("prepared", "Prepared"), ("live", "Live"), ("uikit", "UIKit")):
            self.browser.run("settle.setPolicy(arguments[0])", policy)
            expect(marked() == [name], f"the policy {policy} marks {marked()}")
        for field, given, words in (("quietDelay", "9999999999999", "the most is 1,152,921,504,6"), ("pauseShare", "200", "the most is 100 %"), ("firstDelay", "-3", "the least is 0 ms"),
                                    ("lockDelay", "", "no number"), ("quietDelay", "900", "")):
            said = self.browser.run("""settle.setPolicy("prepared"); const input = document.getElementById(`policy-${arguments[0]}-number`);
                input.value = arguments[1]; input.dispatchEvent(new Event("change"));
                return [...document.querySelectorAll(".said")].map((each) => each.innerText).join("")""", field, given)
            expect(words in said and (words or not said), f"{field} set to '{given}' says '{said}', not '{words}'")
        scrolls = self.browser.run("return [...document.querySelectorAll('.side, .side *')].filter((each) => each.scrollHeight > each.clientHeight + 1"
                                   " && ['auto', 'scroll'].includes(getComputedStyle(each).overflowY)).map((each) => each.className || each.id)")
        expect(not scrolls, f"these scroll within the column: {scrolls}")

    def pointer(self):
        """A drag moves the timeline, the wheel and a pinch zoom it, a click and a tap explain a decision."""
        self.opened()
        # Then nothing above the timeline changes.
        self.tried()
        self.browser.drawn()
        cdp = self.browser.driver.execute_cdp_cmd
        left, top = self.browser.run("const box = document.querySelector('.lane canvas').getBoundingClientRect(); return [box.left, box.top]")
        x, y = left + 300, top + 60

        def view():
            self.browser.drawn()
            return self.browser.text("visible")

        def mouse(kind, x, y, **more):
            cdp("Input.dispatchMouseEvent", {"type": kind, "x": x, "y": y, **more})

        def touch(kind, *points):
            cdp("Input.dispatchTouchEvent", {"type": kind, "touchPoints": [{"x": at, "y": y, "id": i} for i, at in enumerate(points)]})

        seen = [view()]
        mouse("mouseWheel", x, y, deltaX=0, deltaY=-200, modifiers=2)
        seen.append(view())
        expect(seen[-1] != seen[-2], "the wheel with Ctrl does not zoom")
        mouse("mousePressed", x, y, button="left", clickCount=1)
        for step in range(1, 6):
            mouse("mouseMoved", x - 30 * step, y, button="left", buttons=1)
        mouse("mouseReleased", x - 150, y, button="left", clickCount=1)
        seen.append(view())
        expect(seen[-1] != seen[-2], "a drag does not move the view")
        touch("touchStart", x - 40, x + 40)
        touch("touchMove", x - 80, x + 80)
        touch("touchMove", x - 160, x + 160)
        touch("touchEnd")
        seen.append(view())
        expect(seen[-1] != seen[-2], "a pinch does not zoom")
        self.browser.run("document.getElementById('zoom-fit').click(); document.getElementById('explanation-close').click()")
        expect("contract" not in self.browser.text("explanation-text"), "an explanation cannot be closed")
        # The first rebuild is at the log's start.
        self.browser.drawn()
        mouse("mousePressed", left + 74 + 4, y, button="left", clickCount=1)
        mouse("mouseReleased", left + 74 + 4, y, button="left", clickCount=1)
        expect("Rebuild" in self.browser.text("explanation-text"), "a click explains nothing")
        self.browser.run("document.getElementById('explanation-close').click()")
        touch("touchStart", left + 74 + 4)
        touch("touchEnd")
        expect("Rebuild" in self.browser.text("explanation-text"), "a tap explains nothing")

    def pages(self):
        """Opens a report of a log and one of a fleet, one after the other."""
        for path in (self.report(RECORDINGS[0].stem, RECORDINGS[0]), self.fleet_report("fleet", EXPORT.read_text())):
            self.browser.open(path)
            self.browser.drawn()
            yield path

    def names(self):
        """Controls and pictures have names, tables have captions and headers."""
        for _ in self.pages():
            unnamed = self.browser.run("""return [...document.querySelectorAll("button, input, select, canvas:not([aria-hidden])")].filter((control) =>
                !(control.getAttribute("aria-label") || control.labels?.length || control.textContent.trim())).map((control) => control.outerHTML.slice(0, 80))
                .concat([...document.querySelectorAll('input[id^=policy-][type=number]')].filter((each) => !each.getAttribute('aria-label')).map((each) => each.id))""")
            expect(not unnamed, f"without a name: {unnamed}")
            tables = self.browser.run("return [...document.querySelectorAll('table')].every((table) => table.caption && table.querySelector('th[scope=col]'))")
            expect(tables, "a table has no caption or headers")

    def layout(self):
        """Narrow screens have no sideways scrolling, dark mode is dark, paper is white without controls."""
        wide = "return [document.documentElement, document.querySelector('#cohorts .rows')].map((each) => each ? each.scrollWidth - each.clientWidth : 0)"
        ground = "return getComputedStyle(document.getElementById('fleet') || document.body).backgroundColor"
        try:
            for path in self.pages():
                for width in WIDTHS:
                    self.browser.size(width)
                    self.browser.drawn()
                    found = self.browser.run(wide)
                    expect(max(found) <= 0, f"{path.name}: on {width} px the page and its list are {found} px too wide")
                grounds = []
                for scheme in ("light", "dark"):
                    self.browser.scheme(scheme)
                    grounds.append(self.browser.run(ground))
                expect(grounds[0] != grounds[1], f"{path.name}: dark mode is as light as light mode")
                self.browser.scheme("light", "print")
                expect(self.browser.run("return !document.getElementById('zoom-in')?.offsetParent"), "the controls are printed")
                self.browser.scheme("light")
        finally:
            self.browser.scheme("light")
            self.browser.size(1600)

    def size(self):
        """The page without data is small enough."""
        size = len((self.page.head + self.page.tail).encode())
        expect(size <= PAGE_BYTES_MAX, f"the page has {size} bytes without data; at most {PAGE_BYTES_MAX} are allowed")
        print(f"  the page has {size} bytes without data")

    def screenshots(self, folder):
        folder.mkdir(parents=True, exist_ok=True)
        for path in [*(self.report(log.stem, log) for log in (RECORDINGS[2], RECORDINGS[6])), self.fleet_report("fleet", EXPORT.read_text())]:
            for scheme in ("light", "dark"):
                self.browser.scheme(scheme)
                for width in WIDTHS:
                    self.browser.size(width)
                    self.browser.open(path)
                    time.sleep(2)
                    self.browser.screenshot(folder / f"{path.stem}-{width}-{scheme}.png")
        self.browser.scheme("light")
        self.browser.size(1600)
