#!/usr/bin/env python3
"""The module in headless Chromium, by its driver: fingers and pens, pages that are left, elements that go, pages without WebAssembly,
and wrong options.

usage: headless.py MODULE [--long] [CHECK...]     MODULE: a folder of scripts/build-browser; --long: also planted faults
"""
import http.server
import pathlib
import re
import subprocess
import sys
import threading
import time
import urllib.parse

from selenium import webdriver
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.action_chains import ActionChains

from modules import KINDS, PAGES, Problem, bundle, copy_sources
from support import ROOT, planted, run_checks, verify, wait_for

MODULE = pathlib.Path(sys.argv[1]).resolve()
IS_LONG = "--long" in sys.argv
BUILT = "/module/settle.js"
EXAMPLES = ROOT / "Sources/Browser/examples"
# Counts the pictures that a page begins, by itself or by its worker.
COUNTER = """globalThis.pictures = 0;
const { postMessage } = Worker.prototype;
Worker.prototype.postMessage = function (...words) { pictures++; return postMessage.apply(this, words); };
globalThis.OffscreenCanvas = class extends OffscreenCanvas { constructor(...words) { super(...words); pictures++; } };
globalThis.errors = [];
for (const kind of ["error", "unhandledrejection"]) addEventListener(kind, ({ message, reason }) => errors.push(`${message ?? reason}`));"""
# Elements of 9,000 that a browser's own stack or caches may hold.
FEW = 10


class Site:
    """Pages under a policy that their address names. They may be kept when they are left."""

    def __init__(self, faulty):
        folders = {"pages": PAGES, "module": MODULE, "faulty": faulty, "examples": EXAMPLES}

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self):
                path, _, query = self.path.partition("?")
                _, folder, *names = path.split("/")
                file = folders.get(folder, PAGES).joinpath(*names)
                if folder == "examples" and names == ["settle.js"]:
                    file = MODULE / "settle.js"
                body = file.read_bytes() if names and ".." not in names and file.is_file() else None
                self.send_response(404 if body is None else 200)
                self.send_header("Content-Type", KINDS.get(file.suffix, "text/plain"))
                self.send_header("Content-Length", str(len(body or b"")))
                if policy := urllib.parse.parse_qs(query).get("policy"):
                    self.send_header("Content-Security-Policy", policy[0])
                self.end_headers()
                self.wfile.write(body or b"")

            def log_message(self, *_):
                pass

        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        server.handle_error = lambda *_: None
        server.daemon_threads = True
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.base = f"http://127.0.0.1:{server.server_port}"


class Chromium:
    def __init__(self, site):
        self.site, self.is_touched = site, False
        options = webdriver.ChromeOptions()
        options.binary_location = "/usr/bin/chromium"
        for word in ("headless=new", "no-sandbox", "disable-gpu", "touch-events=enabled", "js-flags=--expose-gc"):
            options.add_argument("--" + word)
        self.driver = webdriver.Chrome(options, Service("/usr/bin/chromedriver"))
        self.driver.set_script_timeout(120)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.driver.quit()

    def open(self, module, start=None, **words):
        # No finger of a check before is down.
        if self.is_touched:
            self.touch("touchCancel")
        self.driver.get(f"{self.site.base}/pages/headless.html?" + urllib.parse.urlencode({"module": module, **words}))
        try:
            wait_for("page", lambda: self.driver.execute_script("return globalThis.commands !== undefined"))
        except TimeoutError:
            raise Problem(f"the page does not begin: {self.driver.execute_script('return errors')}") from None
        if start is not None:
            self.call("start", start)
            self.builds(1)

    def call(self, name, *words):
        answer = self.driver.execute_async_script(
            "const done = arguments[2]; Promise.resolve(commands[arguments[0]](...arguments[1])).then((value) => done([value]),"
            " (error) => done(`${error}`))", name, words)
        if isinstance(answer, str):
            raise Problem(f"{name}: {answer}")
        return answer[0]

    def builds(self, count, seconds=3.0):
        """The reasons and widths of the builds, once there are so many, or the time is over."""
        end = time.monotonic() + seconds
        while len(builds := self.call("builds")) < count and time.monotonic() < end:
            time.sleep(0.02)
        return [(build["reason"], build["width"]) for build in builds]

    def touch(self, kind, *points):
        self.is_touched = kind == "touchStart" or bool(points)
        self.driver.execute_cdp_cmd("Input.dispatchTouchEvent", {
            "type": kind, "touchPoints": [{"x": x, "y": y, "id": number} for number, (x, y) in enumerate(points)]})

    def mouse(self, kind, at, is_down, pointer="mouse"):
        self.driver.execute_cdp_cmd("Input.dispatchMouseEvent", {
            "type": kind, "x": at[0], "y": at[1], "button": "left" if kind != "mouseMoved" else "none", "buttons": int(is_down),
            "clickCount": 1, "pointerType": pointer})

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


# --- Checks: each takes a browser and the address of a module, raises a Problem, and returns what it measured ---

def left_page(browser, module=BUILT):
    """A finger is down while the page is left; it comes back from the cache of pages without it."""
    browser.open(module, {})
    browser.touch("touchStart", (500, 400))
    browser.presses([True])
    browser.driver.execute_script("location.href = '/pages/frame.html'")
    wait_for("other page", lambda: browser.driver.execute_script("return !globalThis.commands && document.readyState === 'complete'"))
    browser.driver.back()
    wait_for("page", lambda: browser.driver.execute_script("return !!globalThis.commands"))
    if ["pageshow", True] not in browser.call("events"):
        raise RuntimeError("the page is not kept")
    browser.presses([True, False])
    browser.changes_at_once(340, 2)
    browser.no_errors()
    return "released, and the next change is built"


def hidden_tab(browser, module=BUILT):
    """A finger is down while another tab is shown."""
    browser.open(module, {})
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
        browser.open(module, {"policy": {"interactionTimeout": "none"}})
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
    browser.open(module, {"splitters": ["frame"]})
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
    browser.open(module, {"policy": {"interactionTimeout": 300}})
    browser.call("dispatch", "pointerdown", {"pointerId": 77})
    browser.call("widths", 320)
    if (builds := browser.builds(2)) != [("first", 300), ("timeout", 320)]:
        raise Problem(f"a press that is lost: {builds}")
    browser.presses([True, False])
    browser.changes_at_once(340, 3, "discrete")
    browser.open(module, {"policy": {"interactionTimeout": "none"}})
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
        browser.open(module, {})
        found = browser.call("gone", way, 3)
        if found["problems"] or found["held"] > FEW:
            raise Problem(f"{way}: {found['held']} held; {found['problems']}")
        figures.append(way)
        # Chromium reports such a loop of any observer whose element is in a document of an iframe.
        browser.no_errors(but="ResizeObserver loop" if way == "iframe" else None)
    found = browser.call("living", 5000)
    if found["observed"] != 4095 or "RangeError" not in (found["problem"] or ""):
        raise Problem(f"of those that live: {found}")
    return f"{', '.join(figures)}: at most {FEW} held; 4,096 that live are the most"


def back(browser, module=BUILT):
    """An element that comes back is observed still: not built at the built size, at once at another, and at later changes."""
    browser.open(module, {})
    found = browser.call("back")
    builds = browser.builds(3)
    if found != [1, 2, 3] or builds != [("first", 300), ("flush", 340), ("quiet", 360)]:
        raise Problem(f"builds after each return and a change: {found}; {builds}")
    browser.no_errors()
    return "not built at its built size, built at another"


def no_wasm(browser, module=BUILT):
    """Without WebAssembly sizes are debounced, and one warning names the directive."""
    for words in ({"policy": "script-src 'self'"}, {"without": "WebAssembly"}, {"without": "DecompressionStream"}):
        browser.open(module, {"policy": "live", "fails": 3}, **words)
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
        browser.open(module, {}, **words)
        if (found := browser.call("gone", "shown", 3))["problems"] or found["held"] > FEW:
            raise Problem(f"{words}: {found}")
        if browser.call("back") != [1, 2, 3] and browser.builds(3)[-1][1] != 360:
            raise Problem(f"{words}: not built when it is back: {browser.builds(3)}")
        browser.no_errors()
    return "first, debounced by 200 ms, flushed, failed, hidden, shown and stopped"


def options(browser, module=BUILT):
    """Wrong options are TypeErrors that name them, before the core is there, after it, and without it."""
    for words in ({}, {"policy": "script-src 'self'"}):
        browser.open(module, **words)
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
        added = browser.driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": COUNTER})
        browser.driver.get(f"{browser.site.base}/examples/prepared.html{query}")
        browser.driver.execute_cdp_cmd("Page.removeScriptToEvaluateOnNewDocument", added)

        def run(expression):
            return browser.driver.execute_script(f"return {expression}")
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


def problem_of(check, *words, **options):
    try:
        return None, check(*words, **options)
    except Problem as problem:
        return str(problem), ""


def sound(folder):
    with Chromium(Site(folder)) as browser:
        for check in only or CHECKS:
            began = time.monotonic()
            problem, figure = problem_of(CHECKS[check], browser)
            verify(f"headless: {check}", problem, f"{figure} ({time.monotonic() - began:.1f} s)")


def faults(folder):
    """Each fault of the table is found by the check that it names."""
    listed = subprocess.run([ROOT / "scripts/plant", "--list", "browser"], capture_output=True, text=True, check=True).stdout.splitlines()
    with Chromium(Site(folder)) as browser:
        for line in listed:
            _, fault, what, sentence = line.split("\t")
            if what not in (only or CHECKS):
                continue
            sources = copy_sources(MODULE, folder / fault)
            subprocess.run([ROOT / "scripts/plant", folder / fault, fault], check=True)
            bundle(sources)
            planted(f"{what}: {sentence}", problem_of(CHECKS[what], browser, f"/faulty/{fault}/Sources/Browser/settle.mjs")[0])


only = [word for word in sys.argv[2:] if word in CHECKS]
sys.argv[1:] = [word for word in sys.argv[2:] if word not in CHECKS and word != "--long"]
run_checks({"sound": sound, **({"planted": faults} if IS_LONG else {})})
