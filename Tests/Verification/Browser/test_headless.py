"""The module in headless Chromium: fingers and pens, pages that are left, elements that go, pages without WebAssembly, and wrong options."""
import pathlib
import re
import shutil
import time

import pytest
from chromium import Chromium
from pages import BUILT, MODULE, ROOT, Problem, Site, call, faults, planted_module, wait_builds
from results import planted, report
from selenium.webdriver.common.action_chains import ActionChains
from support import wait_for

EXAMPLES = ROOT / "Sources/Browser/examples"
# Counts the pictures that a page begins, by itself or by its worker.
COUNTER = """globalThis.pictures = 0;
const { postMessage } = Worker.prototype;
Worker.prototype.postMessage = function (...words) { pictures++; return postMessage.apply(this, words); };
globalThis.OffscreenCanvas = class extends OffscreenCanvas { constructor(...words) { super(...words); pictures++; } };
globalThis.errors = [];
for (const kind of ["error", "unhandledrejection"]) addEventListener(kind, ({ message, reason }) => errors.push(`${message ?? reason}`));"""


class Headless(Chromium):
    """A page at a time, of a site."""
    is_touched = False

    def __init__(self, site):
        super().__init__("touch-events=enabled", "js-flags=--expose-gc")
        self.site = site

    def start(self, module, start=None, **words):
        # No finger of a check before is down.
        if self.is_touched:
            self.touch("touchCancel")
        self.open(self.site.address("pages/headless.html", module=module, **words))
        try:
            wait_for("page", lambda: self.run("return globalThis.commands !== undefined"))
        except TimeoutError:
            raise Problem(f"the page does not begin: {self.run('return errors')}") from None
        if start is not None:
            self.call("start", start)
            self.builds(1)

    def call(self, name, *words):
        return call(self, name, *words)

    def builds(self, count, seconds=3.0):
        """The reasons and widths of the builds, once there are so many, or the time is over."""
        return [(build["reason"], build["width"]) for build in wait_builds(self, count, seconds)]

    def touch(self, kind, *points):
        self.is_touched = kind == "touchStart" or bool(points)
        super().touch(kind, *points)

    def mouse(self, kind, at, is_down, pointer="mouse"):
        super().mouse(kind, *at, button="left" if kind != "mouseMoved" else "none", buttons=int(is_down), clickCount=1, pointerType=pointer)

    def presses(self, expected):
        """Presses and releases, once they are as expected; the last releases come with the next frame."""
        end = time.monotonic() + 2
        while (found := self.call("presses")) != expected and time.monotonic() < end:
            time.sleep(0.02)
        if found != expected:
            raise Problem(f"presses and releases are {found}, not {expected}")

    def changes_at_once(self, width, count, reason="quiet"):
        """A change is decided by its own quiet, not by the watchdog of ten seconds."""
        self.call("widths", width)
        if (builds := self.builds(count))[-1] != (reason, width) or len(builds) != count:
            raise Problem(f"a change to {width} is not built: {builds}")

    def no_errors(self, but=None):
        if errors := [error for error in self.call("state")["errors"] if not but or but not in error]:
            raise Problem(f"{len(errors)} errors, first: {errors[0]}")


# Checks: each takes a browser and the address of a module, raises a Problem, and returns what it measured

def left_page(browser, module=BUILT):
    """A finger is down while the page is left; it comes back from the cache of pages without it."""
    browser.start(module, {})
    browser.touch("touchStart", (500, 400))
    browser.presses([True])
    browser.run("location.href = '/pages/frame.html'")
    wait_for("other page", lambda: browser.run("return !globalThis.commands && document.readyState === 'complete'"))
    browser.driver.back()
    wait_for("page", lambda: browser.run("return !!globalThis.commands"))
    if ["pageshow", True] not in browser.call("events"):
        raise RuntimeError("the page is not kept")
    browser.presses([True, False])
    browser.changes_at_once(340, 2)
    browser.no_errors()
    return "released, and the next change is built"


def hidden_tab(browser, module=BUILT):
    """A finger is down while another tab is shown."""
    browser.start(module, {})
    browser.touch("touchStart", (500, 400))
    browser.presses([True])
    page = browser.driver.current_window_handle
    browser.driver.switch_to.new_window("tab")
    other = browser.driver.current_window_handle
    browser.driver.switch_to.window(page)
    browser.presses([True, False])
    browser.driver.switch_to.window(other)
    browser.driver.close()
    browser.driver.switch_to.window(page)
    browser.touch("touchEnd")
    browser.changes_at_once(340, 2)
    browser.no_errors()
    return "released"


def each_event(browser, module=BUILT):
    """Each event after which a release may be lost lets go; none of those within a drag does, and a move presses again."""
    ends, others = ("pagehide", "pageshow", "visibilitychange"), ("blur", "focus", "lostpointercapture", "freeze", "resume", "pointerout")
    for kind in ends + others:
        browser.start(module, {"policy": {"interactionTimeout": "none"}})
        place = browser.call("places")["#bar"]
        browser.mouse("mousePressed", place, True)
        browser.presses([True])
        browser.call("dispatch", kind, {"pointerId": 1, "isPrimary": True} if "pointer" in kind else None)
        browser.presses([True, False] if kind in ends else [True])
        browser.mouse("mouseMoved", (place[0] + 5, place[1]), True)
        browser.presses([True, False, True] if kind in ends else [True])
        browser.call("widths", 320, 340)
        if len(within := browser.builds(2, 0.7)) != 1:
            raise Problem(f"{kind}: built within the drag that goes on: {within}")
        browser.mouse("mouseReleased", place, False)
        if (builds := browser.builds(2)) != [("first", 300), ("interactionEnded", 340)]:
            raise Problem(f"{kind}: {builds}")
        browser.no_errors()
    return f"{len(ends)} let go, {len(others)} do not"


def fingers(browser, module=BUILT):
    """Fingers and pens that are lifted, cancelled, and whose element or iframe is removed beneath them."""
    browser.start(module, {"splitters": ["frame"]})
    places = browser.call("places")
    expected = []

    def step(what, changes, is_down):
        expected.extend(changes)
        try:
            browser.presses(expected)
        except Problem as problem:
            raise Problem(f"{what}: {problem}") from None
        if is_down:
            return
        browser.call("widths", 300 + len(expected))
        if (last := browser.builds(count[0] + 1))[-1][0] != "quiet" or len(last) != count[0] + 1:
            raise Problem(f"{what}: the next change is not built: {last}")
        count[0] += 1

    count = [1]
    browser.touch("touchStart", (500, 400))
    browser.touch("touchEnd")
    step("a tap", [True, False], False)
    browser.touch("touchStart", (500, 400))
    browser.touch("touchMove", (520, 420))
    browser.touch("touchCancel")
    step("a touch that is cancelled", [True, False], False)
    browser.touch("touchStart", (500, 400))
    browser.touch("touchStart", (500, 400), (560, 400))
    step("two fingers", [True, True], True)
    browser.touch("touchEnd", (560, 400))
    step("one of two fingers lifted", [False], True)
    browser.touch("touchEnd")
    step("both lifted", [False], False)
    browser.mouse("mousePressed", (500, 400), True, "pen")
    browser.mouse("mouseMoved", (510, 400), True, "pen")
    step("a pen", [True], True)
    browser.mouse("mouseReleased", (510, 400), False, "pen")
    step("a pen lifted", [False], False)
    browser.touch("touchStart", places["#bar"])
    browser.call("remove", "#bar")
    step("a finger on an element that is removed", [True], True)
    browser.touch("touchEnd")
    step("its finger lifted", [False], False)
    browser.touch("touchStart", places["#frame"])
    step("a finger in an iframe", [True], True)
    browser.call("remove", "#frame")
    step("an iframe removed under a finger", [False], False)
    browser.touch("touchEnd")
    browser.no_errors()
    return f"{expected.count(True)} presses, each released"


def lost(browser, module=BUILT):
    """A release of which nothing is seen: the watchdog ends the press once, and so does the next first finger."""
    browser.start(module, {"policy": {"interactionTimeout": 300}})
    browser.call("dispatch", "pointerdown", {"pointerId": 77})
    browser.call("widths", 320)
    if (builds := browser.builds(2)) != [("first", 300), ("timeout", 320)]:
        raise Problem(f"a press that is lost: {builds}")
    browser.presses([True, False])
    browser.changes_at_once(340, 3, "discrete")
    browser.start(module, {"policy": {"interactionTimeout": "none"}})
    browser.call("dispatch", "pointerdown", {"pointerId": 77})
    browser.touch("touchStart", (500, 400))
    browser.touch("touchEnd")
    browser.presses([True, False, True, False])
    browser.changes_at_once(340, 2)
    browser.no_errors()
    return "ended by the watchdog, and by a finger"


def gone(browser, module=BUILT):
    """9,000 elements leave the document without stop(): nothing throws, and nothing holds them."""
    figures = []
    for way in ("unseen", "later", "shown", "iframe"):
        browser.start(module, {})
        found = browser.call("gone", way, 3)
        if found["problems"] or found["held"]:
            raise Problem(f"{way}: {found['held']} held; {found['problems']}")
        figures.append(way)
        # Chromium reports such a loop of any observer whose element is in a document of an iframe.
        browser.no_errors(but="ResizeObserver loop" if way == "iframe" else None)
    found = browser.call("living", 5000)
    if found["observed"] != 4095 or "RangeError" not in (found["problem"] or ""):
        raise Problem(f"of those that live: {found}")
    return f"{', '.join(figures)}: none held; 4,096 that live are the most"


def back(browser, module=BUILT):
    """An element that comes back is observed still: not built at the built size, at once at another, and at later changes."""
    browser.start(module, {})
    found = browser.call("back")
    builds = browser.builds(3)
    if found != [1, 2, 3] or builds != [("first", 300), ("flush", 340), ("quiet", 360)]:
        raise Problem(f"builds after each return and a change: {found}; {builds}")
    browser.no_errors()
    return "not built at its built size, built at another"


def no_wasm(browser, module=BUILT):
    """Without WebAssembly sizes are debounced, and one warning names the directive."""
    for words in ({"policy": "script-src 'self'"}, {"without": "WebAssembly"}, {"without": "DecompressionStream"}):
        browser.start(module, {"policy": "live", "fails": 3}, **words)
        state = browser.call("state")
        if state["isCore"] or len(state["warnings"]) != 1 or "script-src 'wasm-unsafe-eval'" not in state["warnings"][0] or state["errors"]:
            raise Problem(f"{words}: {state}")
        if "Error" not in browser.call("createCore"):
            raise Problem(f"{words}: createCore() gives a core")
        last = browser.call("widths", 310, 320, 330)
        if (builds := browser.builds(2)) != [("first", 300), ("quiet", 330)]:
            raise Problem(f"{words}: {builds}")
        if not 150 <= (wait := browser.call("builds")[1]["at"] - last) < 2000:
            raise Problem(f"{words}: built {wait:.0f} ms after the last change")
        browser.call("widths", 340)
        browser.call("flush")
        browser.builds(3)
        if len(errors := browser.call("state")["errors"]) != 1 or "planned failure" not in errors[0]:
            raise Problem(f"{words}: a build that fails gives {errors}")
        browser.call("style", {"display": "none"})
        browser.call("widths", 350, 350)
        browser.call("style", {"display": "block"})
        if (builds := browser.builds(4))[2:] != [("quiet", 340), ("quiet", 350)]:
            raise Problem(f"{words}: flushed, failed, hidden and shown: {builds}")
        browser.call("flush")
        browser.call("widths", 360)
        browser.call("stop")
        if len(builds := browser.builds(5, 0.5)) != 4:
            raise Problem(f"{words}: built when nothing was owed, or after stop(): {builds}")
        browser.start(module, {}, **words)
        if (found := browser.call("gone", "shown", 3))["problems"] or found["held"]:
            raise Problem(f"{words}: {found}")
        if browser.call("back") != [1, 2, 3] and browser.builds(3)[-1][1] != 360:
            raise Problem(f"{words}: not built when it is back: {browser.builds(3)}")
        browser.no_errors()
    return "first, debounced by 200 ms, flushed, failed, hidden, shown and stopped"


def options(browser, module=BUILT):
    """Wrong options are TypeErrors that name them, before the core is there, after it, and without it."""
    for words in ({}, {"policy": "script-src 'self'"}):
        browser.start(module, **words)
        if any((found := browser.call("wrongOptions")).values()):
            raise Problem(f"{words}: {found}")
        browser.no_errors()
    return "each named"


def prepared(browser):
    """The example that prepares, and the guide's lines of it: nothing is shown in the drag, and nothing begun after it."""
    guide = (ROOT / "docs/guide/browser.md").read_text().partition("\n## Preparing\n")[2].partition("\n## ")[0]
    lines = [line.strip() for block in re.findall(r"```js\n(.*?)```", guide, re.S) for line in block.splitlines() if line]
    sources = [line.strip() for file in EXAMPLES.glob("*.mjs") for line in file.read_text().splitlines()]
    if len(lines) < 20 or (foreign := [line for line in lines if line not in sources]):
        raise Problem(f"the guide's lines are not the example's: {foreign if len(lines) >= 20 else lines}")
    for query in ("", "?worker"):
        remove = browser.before_pages(COUNTER)
        browser.open(f"{browser.site.base}/examples/prepared.html{query}")
        remove()

        def run(expression):
            return browser.run(f"return {expression}")
        wait_for("first picture", lambda: run("canvas.width === view.clientWidth"))
        shown, first = run("canvas.width"), run("pictures")
        splitter = browser.driver.find_element("id", "splitter")
        ActionChains(browser.driver, duration=100).click_and_hold(splitter).move_by_offset(60, 0).move_by_offset(20, 0).perform()
        wait_for("picture that is prepared", lambda: run("pictures") > first)
        # What is begun is done: how long that takes is the machine's, and a picture begun anew would be counted.
        time.sleep(2)
        if run("canvas.width") != shown or run("view.clientWidth") == shown:
            raise Problem(f"'{query}': shown in the drag, or not dragged")
        begun = run("pictures")
        ActionChains(browser.driver).release().perform()
        wait_for("picture after the drag", lambda: run("canvas.width === view.clientWidth"))
        if run("pictures") != begun or run("errors"):
            raise Problem(f"'{query}': {run('pictures') - begun} pictures begun after the drag; errors {run('errors')}")
    return "on an OffscreenCanvas and in a worker"


CHECKS = {each.__name__: each for each in (left_page, hidden_tab, each_event, fingers, lost, gone, back, no_wasm, options, prepared)}


@pytest.fixture(scope="module")
def browser(work):
    examples = pathlib.Path(shutil.copytree(EXAMPLES, work / "examples"))
    shutil.copy(MODULE / "settle.js", examples)
    with Headless(Site(module=MODULE, faulty=work, examples=examples)) as browser:
        yield browser


@pytest.mark.parametrize("name", CHECKS)
def test_headless(browser, name):
    began = time.monotonic()
    report(f"headless: {name}", True, f"{CHECKS[name](browser)} ({time.monotonic() - began:.1f} s)")


@pytest.mark.long
@pytest.mark.parametrize("fault, name, sentence", [fault for fault in faults() if fault[1] in CHECKS])
def test_planted(browser, work, fault, name, sentence):
    """A fault is found by the check that it names."""
    with pytest.raises(Problem):
        CHECKS[name](browser, planted_module(work, fault))
    planted(f"{name}: {sentence}", "")
