"""A report in headless Chromium."""
import base64
import json
import os
import pathlib
import time

from chromium import Chromium
from planted import planted
from reports import RECORDINGS, Page, Settle
from selenium.webdriver.common.keys import Keys

CONTROLS = "\u0001\u0007\u001b\u007f\u009b\u202e\u2066\u2069\u2028\u2029\ufeff"


def same_decisions(got, wanted, what):
    if got == wanted:
        return
    first = next((i for i, pair in enumerate(zip(got, wanted)) if pair[0] != pair[1]), min(len(got), len(wanted)))
    show = lambda rows: rows[first] if first < len(rows) else "nothing"
    raise AssertionError(f"{what}: {len(got)} decisions, not {len(wanted)}; number {first} is {show(got)}, not {show(wanted)}")


class Browser(Chromium):
    """Shows reports of the command's, with a planted fault or none."""
    fault = None

    def __init__(self, work):
        super().__init__("hide-scrollbars", logs=("browser", "performance"))
        self.work, self.page, self.settle = work, Page(), Settle(os.environ["SETTLE"], work)

    # Reports

    def report(self, name, *logs):
        path = self.work / f"{name}.html"
        self.settle.run("report", "--force", *logs, "-o", path)
        return self.plant(path)

    def fleet_report(self, name, export):
        source, out = self.work / f"{name}.json", self.work / f"{name}.html"
        source.write_text(export if isinstance(export, str) else json.dumps(export))
        self.settle.run("report", "--force", source, "-o", out)
        return self.plant(out)

    def made(self, name, data):
        path = self.work / f"{name}.html"
        path.write_text(self.page.report(data))
        return self.plant(path)

    def plant(self, path):
        text = path.read_text()
        assert text.startswith(self.page.head) and text.endswith(self.page.tail), "the program has another page than CSources/CGeneratedPage: build it anew"
        if self.fault:
            head, tail = planted(self.page.tail, self.fault)
            path.write_text(head + text.removeprefix(self.page.head).removesuffix(self.page.tail) + tail)
        return path

    def recordings(self):
        # A planted fault is found in one.
        return RECORDINGS[:1] if self.fault else RECORDINGS

    # Pages

    def size(self, width, height=1000):
        self.cdp("Emulation.setDeviceMetricsOverride", {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False})

    def scheme(self, scheme, media=""):
        self.cdp("Emulation.setEmulatedMedia", {"media": media, "features": [{"name": "prefers-color-scheme", "value": scheme}]})

    def open(self, path, is_sound=True):
        """Opens a report; `ready` is fulfilled unless it is not sound."""
        # The page writes its fragment: an address that differs in nothing else would not be loaded.
        self.driver.get("about:blank")
        self.logs()
        self.driver.get(f"file://{path}")
        result = self.wait("const done = arguments[0]; window.settle ? settle.ready.then(() => done('ready'), (e) => done(String(e))) : done('no window.settle');")
        assert not is_sound or result == "ready", f"{pathlib.Path(path).name} does not open: {result}; the console says {self.console()[:3]}"

    def opened(self, log=RECORDINGS[0]):
        """Opens the report of a log."""
        self.open(self.report(log.stem, log))

    def drawn(self):
        """Waits until the page has drawn what it was asked for, however busy the machine is: it draws before
        the frame that follows."""
        self.wait("const done = arguments[0]; let left = 3; const frame = () => left-- ? requestAnimationFrame(frame) : done(); frame();")

    def tried(self):
        """Waits until the grid is tried."""
        deadline = time.monotonic() + 60
        while "trying" in (self.run("return document.getElementById('progress').textContent") or "trying"):
            assert time.monotonic() < deadline, "the grid is not tried within a minute"
            time.sleep(0.2)

    def text(self, name):
        """The text of an element, by its id."""
        return self.run("return document.getElementById(arguments[0]).innerText", name)

    def decisions(self, log=0):
        """The page's decisions, exact: `lines` are JSON text."""
        return [json.loads(line) for line in self.run("return settle.lines(arguments[0])", log)]

    def elements(self, seconds_max, elements_max, what):
        """The number of elements of a page that must open soon, with few; and how long it took."""
        opened = self.run("return performance.getEntriesByName('settle-ready')[0].startTime") / 1000
        elements = self.run("return document.getElementsByTagName('*').length")
        assert opened <= seconds_max, f"{what} takes {opened:.1f} s to open; at most {seconds_max} s are allowed"
        assert elements <= elements_max, f"{elements} elements; at most {elements_max} are allowed"
        return f"opened in {opened:.2f} s, {elements} elements"

    def reached(self, presses):
        """What Tab reaches from the top."""
        self.run("document.activeElement.blur(); scrollTo(0, 0)")
        found = set()
        for _ in range(presses):
            self.press(Keys.TAB)
            found.add(self.run("return document.activeElement.id || document.activeElement.textContent.trim()"))
        return found

    def hostile_page(self, path, steps):
        """Opens a page on a narrow screen and a wide one, takes steps, and checks that names in it stay text."""
        for width in (400, 1600):
            self.size(width)
            self.open(path)
            self.run(steps)
            self.names_are_text(width)
            yield width
        self.size(1600)
        assert not self.console(), f"{path.name} leaves errors in the console"

    def names_are_text(self, width):
        """Names ran nothing, became no elements and command nothing, and the page is not wider."""
        assert self.run("return window.hostile === undefined"), "a name ran"
        foreign = self.run("return [...document.querySelectorAll('img,svg,iframe,object,embed,link,b:not(label b),script')].length")
        assert foreign == 2, f"names became elements: {foreign - 2}"
        bad = [hex(ord(letter)) for letter in set(self.run("return document.body.innerText")) if letter in CONTROLS]
        assert not bad, f"control characters are shown as they are: {bad}"
        assert self.run("return document.documentElement.scrollWidth <= innerWidth"), f"a name is wider than {width} px"

    # What it leaves

    def logs(self):
        self.driver.get_log("browser")
        self.driver.get_log("performance")

    def requests(self):
        """The addresses that were requested, other than the file itself and data in the page."""
        messages = (json.loads(entry["message"])["message"] for entry in self.driver.get_log("performance"))
        found = (message["params"]["request"]["url"] for message in messages if message["method"] == "Network.requestWillBeSent")
        return [url for url in found if not url.startswith(("file:", "data:"))]

    def screenshot(self, path, height_max=4000):
        height = min(self.run("return document.documentElement.scrollHeight"), height_max)
        shot = self.cdp("Page.captureScreenshot", {
            "format": "png", "captureBeyondViewport": True,
            "clip": {"x": 0, "y": 0, "width": self.run("return innerWidth"), "height": height, "scale": 1}})
        path.write_bytes(base64.b64decode(shot["data"]))
