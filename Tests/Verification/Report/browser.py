"""A page in headless Chromium."""
import base64
import json
import os
import shutil

from selenium import webdriver
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.keys import Keys


CONTROLS = "\u0001\u0007\u001b\u007f\u009b\u202e\u2066\u2069\u2028\u2029\ufeff"


class Failure(Exception):
    """A check failed."""


def expect(is_so, what):
    if not is_so:
        raise Failure(what)


def program(name):
    """The path of a Debian program. Given a path, selenium does not ask the network for another."""
    path = shutil.which(name) or f"/usr/bin/{name}"
    if not os.access(path, os.X_OK):
        raise SystemExit(f"check-report: there is no {path}; run scripts/install-dependencies --checks")
    return path


class Browser:
    def __init__(self):
        # A failure to start must not end in a search for another browser.
        os.environ["SE_OFFLINE"] = "true"
        options = Options()
        options.binary_location = program("chromium")
        for argument in ["headless=new", "disable-gpu", "disable-dev-shm-usage", "hide-scrollbars"] + ["no-sandbox"] * (os.geteuid() == 0):
            options.add_argument(f"--{argument}")
        options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
        options.set_capability("unhandledPromptBehavior", "ignore")
        self.driver = webdriver.Chrome(service=Service(program("chromedriver")), options=options)
        self.driver.set_script_timeout(60)
        self.size(1600, 1000)

    def close(self):
        self.driver.quit()

    def size(self, width, height=1000):
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride",
                                    {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False})

    def scheme(self, scheme, media=""):
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia",
                                    {"media": media, "features": [{"name": "prefers-color-scheme", "value": scheme}]})

    def open(self, path, is_sound=True):
        """Opens a report; `ready` is fulfilled unless it is not sound."""
        # The page writes its fragment: an address that differs in nothing else would not be loaded.
        self.driver.get("about:blank")
        self.logs()
        self.driver.get(f"file://{path}")
        result = self.driver.execute_async_script(
            "const done = arguments[0]; window.settle ? settle.ready.then(() => done('ready'), (e) => done(String(e))) : done('no window.settle');")
        if is_sound and result != "ready":
            raise Failure(f"{path.name} does not open: {result}; the console says {self.console()[:3]}")
        return result

    def run(self, script, *arguments):
        return self.driver.execute_script(script, *arguments)

    def press(self, keys):
        ActionChains(self.driver).send_keys(keys).perform()

    def text(self, name):
        """The text of an element, by its id."""
        return self.run("return document.getElementById(arguments[0]).innerText", name)

    def elements(self, seconds_max, elements_max, what):
        """The number of elements of a page that must open soon, with few; and how long it took."""
        opened = self.run("return performance.getEntriesByName('settle-ready')[0].startTime") / 1000
        elements = self.run("return document.getElementsByTagName('*').length")
        expect(opened <= seconds_max, f"{what} takes {opened:.1f} s to open; at most {seconds_max} s are allowed")
        expect(elements <= elements_max, f"{elements} elements; at most {elements_max} are allowed")
        return f"opened in {opened:.2f} s, {elements} elements"

    def reached(self, presses):
        """What Tab reaches from the top."""
        self.run("document.activeElement.blur(); scrollTo(0, 0)")
        found = set()
        for _ in range(presses):
            self.press(Keys.TAB)
            found.add(self.run("return document.activeElement.id || document.activeElement.textContent.trim()"))
        return found

    def names_are_text(self, width):
        """Names ran nothing, became no elements and command nothing, and the page is not wider."""
        expect(self.run("return window.hostile === undefined"), "a name ran")
        foreign = self.run("return [...document.querySelectorAll('img,svg,iframe,object,embed,link,b:not(label b),script')].length")
        expect(foreign == 2, f"names became elements: {foreign - 2}")
        bad = [hex(ord(letter)) for letter in set(self.run("return document.body.innerText")) if letter in CONTROLS]
        expect(not bad, f"control characters are shown as they are: {bad}")
        expect(self.run("return document.documentElement.scrollWidth <= innerWidth"), f"a name is wider than {width} px")

    def drawn(self):
        """Waits until the page has drawn what it was asked for, however busy the machine is: it draws before
        the frame that follows."""
        self.driver.execute_async_script(
            "const done = arguments[0]; let left = 3; const frame = () => left-- ? requestAnimationFrame(frame) : done(); frame();")

    def logs(self):
        self.driver.get_log("browser")
        self.driver.get_log("performance")

    def console(self):
        """Errors and warnings of the console, uncaught exceptions included."""
        return [entry["message"] for entry in self.driver.get_log("browser") if entry["level"] in ("SEVERE", "WARNING")]

    def requests(self):
        """The addresses that were requested, other than the file itself and data in the page."""
        messages = (json.loads(entry["message"])["message"] for entry in self.driver.get_log("performance"))
        found = (message["params"]["request"]["url"] for message in messages if message["method"] == "Network.requestWillBeSent")
        return [url for url in found if not url.startswith(("file:", "data:"))]

    def decisions(self, log=0):
        """The page's decisions, exact: `lines` are JSON text."""
        return [json.loads(line) for line in self.run("return settle.lines(arguments[0])", log)]

    def screenshot(self, path, height_max=4000):
        height = min(self.run("return document.documentElement.scrollHeight"), height_max)
        shot = self.driver.execute_cdp_cmd("Page.captureScreenshot", {
            "format": "png", "captureBeyondViewport": True,
            "clip": {"x": 0, "y": 0, "width": self.run("return innerWidth"), "height": height, "scale": 1}})
        path.write_bytes(base64.b64decode(shot["data"]))
