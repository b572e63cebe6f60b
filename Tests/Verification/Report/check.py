"""The checks of reports in headless Chromium: each method is one, and throws Failure."""
import json
import time

from builds import BuildChecks
from browser import Browser, Failure, expect
from damage import damaged_reports
from fleet import EXPORT, FleetChecks
from planted import planted
from policies import c_policy, nanoseconds, swift_policy
from reports import HOSTILE, RECORDINGS, Page, Settle, data_of, hostile_log, large_log, with_hashes
from scripts import ScriptChecks
from tables import TableChecks

PAGE_BYTES_MAX = 170_000
# The aim is 2 s for each on a quiet machine.
OPEN_SECONDS_MAX, DECIDE_SECONDS_MAX = 8.0, 2.0
ELEMENTS_MAX = 2_500
WIDTHS = (400, 900, 1600)

# Policies that the sliders set: each field's slider value in ms or percent, None for off.
SLIDERS = [
    {"discreteDelay": 0, "quietDelay": 60, "quietMaximum": 60, "jumpDelay": None, "releasedEndDelay": 33},
    {"firstDelay": 120, "reportedEndDelay": 50, "quietMaximum": 1000, "pauseDelay": 100, "interactionTimeout": 500, "maximumWait": 250},
    {"quietDelay": 900, "lockDelay": 0, "maximumWait": 40, "releasedEndDelay": 0, "interactionTimeout": None, "pauseDelay": 5,
     "liveShare": 45, "liveLimit": None, "liveInterval": 8},
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
        options += [f"--{option}", "none" if value is None else f"{value}{'%' if name == 'liveShare' else 'ms'}"]
    return options


class Check(BuildChecks, ScriptChecks, TableChecks, FleetChecks):
    def __init__(self, settle, work):
        self.settle, self.work, self.page = settle, work, Page()
        self.browser = Browser()

    def report(self, name, *logs, fault=None):
        """A report of logs, with a planted fault or none."""
        path = self.work / f"{name}.html"
        self.settle.report(self.page, path, *logs)
        return self.plant(path)

    def made(self, name, data):
        path = self.work / f"{name}.html"
        path.write_text(self.page.report(data))
        return self.plant(path)

    fault = None

    def plant(self, path):
        text = path.read_text()
        expect(text.startswith(self.page.head) and text.endswith(self.page.tail), "the program has another page than CSources/CGeneratedPage: build it anew")
        if self.fault:
            head, tail = planted(self.page, self.fault)
            data = text[len(self.page.head):len(text) - len(self.page.tail)]
            path.write_text(with_hashes(head + data + tail))
        return path

    def recordings(self):
        # A planted fault is found in one.
        return RECORDINGS[:1] if self.fault else RECORDINGS

    # The checks.

    def decisions(self):
        """The page decides as a replay does, by default and as UIKit."""
        for log in self.recordings():
            self.browser.open(self.report(log.stem, log))
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
            self.browser.open(self.report(log.stem, log))
            for sliders in SLIDERS:
                # As a replay, which has no builder.
                self.browser.run("settle.setPolicy('default'); settle.setBuildCost('none')")
                self.browser.run(MOVE_SLIDERS, sliders)
                same_decisions(self.browser.decisions(), self.settle.decisions(log, *options_of(sliders)), f"{log.name}, sliders {sliders}")

    def front(self):
        """A policy of the front can be taken by the keyboard, and its options decide the same."""
        log = RECORDINGS[1]
        self.browser.open(self.report(log.stem, log))
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
        self.browser.open(self.report(RECORDINGS[0].stem, RECORDINGS[0]))
        for sliders in [{}, *SLIDERS, "uikit"]:
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
            expect(c_policy(self.work, texts["C"]) == {name: nanoseconds(text) for name, text in wanted.items()}, f"the C is not {wanted}: {texts['C']}")
            expect(swift_policy(texts["Swift"]) == c_policy(self.work, texts["C"]), f"the Swift is not {wanted}: {texts['Swift']}")

    def hostile(self):
        """Names of a hostile log run nothing, and stay text."""
        log = self.work / "<img src=x onerror='window.hostile=9'>.jsonl"
        log.write_text(hostile_log())
        path = self.report("hostile", log)
        for width in (400, 1600):
            self.browser.size(width)
            self.browser.open(path)
            self.browser.run("for (let i = 0; i < 5; i++) document.getElementById('next').click()")
            expect(self.browser.run("return window.hostile === undefined"), "a name ran")
            foreign = self.browser.run("return [...document.querySelectorAll('img,svg,iframe,object,embed,link,b:not(label b),script')].length")
            expect(foreign == 2, f"names became elements: {foreign - 2}")
            shown = self.browser.run("return document.body.innerText")
            bad = [hex(ord(letter)) for letter in set(shown) if letter in "\u0001\u0007\u001b\u007f\u009b\u202e\u2066\u2069\u2028\u2029\ufeff"]
            expect(not bad, f"control characters are shown as they are: {bad}")
            names = {decision["scene"] for decision in self.browser.decisions()}
            expect(names == set(HOSTILE), f"other names: {sorted(names ^ set(HOSTILE))}")
            if not self.fault:
                same_decisions(self.browser.decisions(), self.settle.decisions(log), "the hostile log")
            expect(self.browser.run("return document.documentElement.scrollWidth <= innerWidth"), f"a name is wider than {width} px")
            cut = self.browser.run("const box = document.getElementById('decisions'); return box.scrollWidth > box.clientWidth"
                                   " || [...box.querySelectorAll('tbody th button')].some((time) => time.offsetHeight > 40)")
            expect(not cut, f"the decisions' sizes are cut or their times break at {width} px")
        self.browser.size(1600)
        expect(not self.browser.console(), "the hostile log leaves errors in the console")

    def quiet(self):
        """Nothing is requested, and nothing is on the console."""
        self.browser.open(self.report(RECORDINGS[0].stem, RECORDINGS[0]))
        self.browser.run("settle.setPolicy('uikit'); document.getElementById('next').click(); document.getElementById('zoom-in').click()")
        time.sleep(0.5)
        requests, console = self.browser.requests(), self.browser.console()
        expect(not requests, f"the page requests {requests}")
        expect(not console, f"the console says {console}")

    def csp(self):
        """The policy in the file keeps what is injected from running."""
        self.browser.open(self.report(RECORDINGS[0].stem, RECORDINGS[0]))
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
            shown = self.browser.run("return document.getElementById('messages').innerText")
            shown += self.browser.run("return document.getElementById('findings').innerText")
            expect(words in shown, f"{name}: the page says '{shown}', not '{words}'")
            console = self.browser.console()
            expect(not console, f"{name}: the console says {console}")
        self.browser.open(self.made("sound", sound))
        shown = self.browser.run("return document.getElementById('messages').innerText + document.getElementById('findings').innerText")
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
        log = self.work / "large.settle"
        log.write_bytes(large_log(16))
        path = self.made("large", data_of([("large.settle", log.read_bytes())]))
        self.browser.open(path)
        opened = self.browser.run("return performance.getEntriesByName('settle-ready')[0].startTime") / 1000
        decided = self.browser.run("const start = performance.now(); settle.setPolicy({ reportedEndDelay: '16ms' }); return performance.now() - start") / 1000
        expect(opened <= OPEN_SECONDS_MAX, f"a million events take {opened:.1f} s to open; at most {OPEN_SECONDS_MAX} s are allowed")
        expect(decided <= DECIDE_SECONDS_MAX, f"a million events take {decided:.2f} s to decide anew; at most {DECIDE_SECONDS_MAX} s are allowed")
        self.browser.run("settle.setPolicy('uikit')")
        self.browser.drawn()
        elements = self.browser.run("return document.getElementsByTagName('*').length")
        expect(elements <= ELEMENTS_MAX, f"{elements} elements; at most {ELEMENTS_MAX} are allowed")
        if not self.fault:
            got = self.browser.run("return settle.decisions().length")
            wanted = len(self.settle.run("replay", "--decisions", "-", "--policy", "uikit", log).splitlines())
            expect(got == wanted, f"{got} decisions of a million events, not {wanted}")
            print(f"  a million events: opened in {opened:.2f} s, decided anew in {decided:.2f} s, {elements} elements")

    def keyboard(self):
        """The timeline's keys zoom, move and explain; Tab reaches the controls."""
        self.browser.open(self.report(RECORDINGS[0].stem, RECORDINGS[0]))
        from selenium.webdriver.common.action_chains import ActionChains
        from selenium.webdriver.common.keys import Keys
        keys = lambda text: ActionChains(self.browser.driver).send_keys(text).perform()
        text = lambda name: self.browser.run("return document.getElementById(arguments[0]).innerText", name)
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
        self.browser.run("document.activeElement.blur(); scrollTo(0, 0)")
        reached = set()
        # More than there are controls: the timeline is before the first one that is reached.
        for _ in range(120):
            keys(Keys.TAB)
            reached.add(self.browser.run("return document.activeElement.id || document.activeElement.textContent.trim()"))
        missing = {"timeline", "previous", "zoom-in", "policy-firstDelay", "policy-interactionTimeout-on", "UIKit", "copy", "front", "table-scene"} - reached
        expect(not missing, f"Tab does not reach {missing}")

    def panel(self):
        """One preset is marked; a number that is out of range is said; the column beside the timeline grows."""
        self.browser.open(self.report(RECORDINGS[0].stem, RECORDINGS[0]))
        marked = lambda: self.browser.run("return [...document.querySelectorAll('#presets [aria-pressed=true]')].map((button) => button.textContent)")
        for policy, name in (("default", "Default"), ("uikit", "UIKit")):
            self.browser.run("settle.setPolicy(arguments[0])", policy)
            expect(marked() == [name], f"the policy {policy} marks {marked()}")
        for field, given, words in (("quietDelay", "99999999", "the most is 3,600,000 ms"), ("firstDelay", "-3", "the least is 0 ms"),
                                    ("lockDelay", "", "no number"), ("quietDelay", "900", "“Quiet, most” became 900 ms"), ("quietDelay", "300", "")):
            said = self.browser.run("""settle.setPolicy("default"); const input = document.getElementById(`policy-${arguments[0]}-number`);
                input.value = arguments[1]; input.dispatchEvent(new Event("change"));
                return [...document.querySelectorAll(".said")].map((each) => each.innerText).join("")""", field, given)
            expect(words in said and (words or not said), f"{field} set to '{given}' says '{said}', not '{words}'")
        scrolls = self.browser.run("return [...document.querySelectorAll('.side, .side *')].filter((each) => each.scrollHeight > each.clientHeight + 1"
                                   " && ['auto', 'scroll'].includes(getComputedStyle(each).overflowY)).map((each) => each.className || each.id)")
        expect(not scrolls, f"these scroll within the column: {scrolls}")

    def pointer(self):
        """A drag moves the timeline, the wheel and a pinch zoom it, a click and a tap explain a decision."""
        self.browser.open(self.report(RECORDINGS[0].stem, RECORDINGS[0]))
        cdp = self.browser.driver.execute_cdp_cmd
        left, top = self.browser.run("const box = document.querySelector('.lane canvas').getBoundingClientRect(); return [box.left, box.top]")
        x, y = left + 300, top + 60

        def view():
            self.browser.drawn()
            return self.browser.run("return document.getElementById('visible').innerText")

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
        expect("contract" not in self.browser.run("return document.getElementById('explanation-text').innerText"), "an explanation cannot be closed")
        # The first rebuild is at the log's start.
        self.browser.drawn()
        mouse("mousePressed", left + 74 + 4, y, button="left", clickCount=1)
        mouse("mouseReleased", left + 74 + 4, y, button="left", clickCount=1)
        expect("Rebuild" in self.browser.run("return document.getElementById('explanation-text').innerText"), "a click explains nothing")
        self.browser.run("document.getElementById('explanation-close').click()")
        touch("touchStart", left + 74 + 4)
        touch("touchEnd")
        expect("Rebuild" in self.browser.run("return document.getElementById('explanation-text').innerText"), "a tap explains nothing")

    def names(self):
        """Controls and pictures have names, tables have captions and headers."""
        self.browser.open(self.report(RECORDINGS[0].stem, RECORDINGS[0]))
        self.browser.drawn()
        unnamed = self.browser.run("""return [...document.querySelectorAll("button, input, select, canvas:not([aria-hidden])")].filter((control) =>
            !(control.getAttribute("aria-label") || control.labels?.length || control.textContent.trim())).map((control) => control.outerHTML.slice(0, 80))
            .concat([...document.querySelectorAll('input[type=number]')].filter((each) => !each.getAttribute('aria-label')).map((each) => each.id))""")
        expect(not unnamed, f"without a name: {unnamed}")
        tables = self.browser.run("return [...document.querySelectorAll('table')].every((table) => table.caption && table.querySelector('th[scope=col]'))")
        expect(tables, "a table has no caption or headers")

    def layout(self):
        """Narrow screens have no sideways scrolling, dark mode is dark, paper is white without controls."""
        self.browser.open(self.report(RECORDINGS[0].stem, RECORDINGS[0]))
        try:
            for width in WIDTHS:
                self.browser.size(width)
                self.browser.drawn()
                found = self.browser.run("return document.documentElement.scrollWidth")
                expect(found <= width, f"the page is {found} px wide on {width} px")
            grounds = []
            for scheme in ("light", "dark"):
                self.browser.scheme(scheme)
                grounds.append(self.browser.run("return getComputedStyle(document.body).backgroundColor"))
            expect(grounds[0] != grounds[1], "dark mode is as light as light mode")
            self.browser.scheme("light", "print")
            expect(self.browser.run("return document.getElementById('zoom-in').offsetParent === null"), "the controls are printed")
        finally:
            self.browser.scheme("light")
            self.browser.size(1600)

    def size(self):
        """The page without data is small enough."""
        head, tail = planted(self.page, self.fault) if self.fault else (self.page.head, self.page.tail)
        size = len((head + tail).encode())
        expect(size <= PAGE_BYTES_MAX, f"the page has {size} bytes without data; at most {PAGE_BYTES_MAX} are allowed")
        if not self.fault:
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
