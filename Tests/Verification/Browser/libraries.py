"""The example pages of libraries in Chromium, each without Settle, with it, and with its policy `live`: dragged at the
window's edge and at the page's splitter. Prints a table of redraws, work and frames. scripts/checks/browser-libraries runs it.

usage: libraries.py FOLDER     FOLDER: the pages, with their folder vendor
"""
import itertools
import os
import pathlib
import re
import subprocess
import sys
import time

from selenium import webdriver
from selenium.webdriver.chrome.service import Service

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "Sources"))
import support  # noqa: E402
from support import Processes, planted, verify, wait_for  # noqa: E402

# For each page: what counts as a redraw, and whether the picture has the size of its element.
PAGES = {
    "xterm": ("pty.resizes", "(({ cols, rows }) => term.cols === cols && term.rows === rows)(term.proposeGeometry())"),
    "three": ("renderer.info.render.frame",
              "renderer.domElement.width === view.clientWidth && renderer.domElement.height === view.clientHeight"),
    "plotly": ("drawn", "(({ width, height }) => width.baseVal.value === view.clientWidth && height.baseVal.value === view.clientHeight)"
               "(view.querySelector('.main-svg'))"),
}
WAYS = {"": "every size", "?settle": "Settle", "?settle=live": "Settle, live"}
DRAGS = ("edge", "splitter")
HELD_S, LATE_MS = 0.15, 5000
ROW = "| {} | {} | {} | {sizes} | {redraws} | {work:.0f} % | {longest:.0f} | {dropped} | {wrong:.0f} | {lag:.0f} |"
SIZE = "[view.clientWidth, view.clientHeight]"
# Errors that a page does not write to its console, such as those of resize observers.
ERRORS = "globalThis.pageErrors = []; for (const kind of ['error', 'unhandledrejection']) " \
         "addEventListener(kind, ({ message, reason }) => pageErrors.push(`${message ?? reason}`), true);"
# What is shown is looked at behind each frame.
METER = """globalThis.meter = { sizes: -1, wrong: 0, longest: 0, dropped: 0, end: 0 };
new ResizeObserver(() => meter.sizes++).observe(view);
const { port1, port2 } = new MessageChannel();
let last, was;
port1.onmessage = () => {
    const isRight = %s;
    if (isRight && was === false) meter.end = performance.timeOrigin + performance.now();
    was = isRight;
};
const frame = (t) => {
    if (last) {
        const gap = t - last;
        meter.longest = Math.max(meter.longest, gap);
        meter.dropped += Math.max(0, Math.round(gap / (1000 / 60)) - 1);
        if (was === false) meter.wrong += gap;
    }
    last = t;
    port2.postMessage(0);
    requestAnimationFrame(frame);
};
requestAnimationFrame(frame);"""


class Chromium(Processes):
    """Chromium with a window manager in a server of its own, and the pointer there."""

    def __init__(self):
        read, write = os.pipe()
        super().__init__({**os.environ})
        self.start(["Xvfb", "-displayfd", write, "-screen", "0", "1400x1000x24", "-nolisten", "tcp", "-noreset"], pass_fds=[write])
        os.close(write)
        with os.fdopen(read) as pipe:
            self.environment["DISPLAY"] = ":" + pipe.readline().strip()
        self.start(["openbox"])
        wait_for("openbox", lambda: "window id" in self.run("xprop", "-root", "_NET_SUPPORTING_WM_CHECK"))
        self.pointer = self.start(["xdotool", "-"], stdin=subprocess.PIPE, text=True)
        options = webdriver.ChromeOptions()
        options.binary_location = "/usr/bin/chromium"
        for word in ("no-sandbox", "use-angle=swiftshader", "enable-unsafe-swiftshader", "disable-gpu-compositing", "force-device-scale-factor=1"):
            options.add_argument("--" + word)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        self.driver = webdriver.Chrome(options, Service("/usr/bin/chromedriver", env=self.environment))
        self.driver.execute_cdp_cmd("Performance.enable", {})
        self.driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": ERRORS})

    def __exit__(self, *_):
        self.driver.quit()
        super().__exit__()

    def run(self, *words):
        return subprocess.run(words, env=self.environment, capture_output=True, text=True, check=False).stdout

    def do(self, words):
        self.pointer.stdin.write(words + "\n")
        self.pointer.stdin.flush()

    def value(self, expression):
        return self.driver.execute_script(f"return {expression}")

    def work(self):
        """Milliseconds that the page's main thread has worked until now."""
        metrics = self.driver.execute_cdp_cmd("Performance.getMetrics", {})["metrics"]
        return 1000 * next(each["value"] for each in metrics if each["name"] == "TaskDuration")

    def drag(self, *stops):
        """From the first place to each other by a minimum-jerk path, a hand's (Flash and Hogan, 1985); holds still between them."""
        (x, y), stops = stops[0], stops[1:]
        self.do(f"mousemove {x} {y}")
        time.sleep(0.3)
        self.do("mousedown 1")
        for to_x, to_y in stops:
            began = time.monotonic()
            for step in range(1, 61):
                part = step / 60
                share = part ** 3 * (10 - 15 * part + 6 * part * part)
                self.do(f"mousemove {round(x + (to_x - x) * share)} {round(y + (to_y - y) * share)}")
                time.sleep(max(0, began + part - time.monotonic()))
            x, y = to_x, to_y
            time.sleep(HELD_S if (x, y) != stops[-1] else 0)
        self.do("mouseup 1")

    def measure(self, page, drag):
        """What a drag of a page that is open results in."""
        redraws, is_right = PAGES[page]
        wait_for(f"{page}: the first picture", lambda: self.value(is_right))
        self.driver.execute_script(METER % is_right)
        if drag == "edge":
            window = self.driver.get_window_rect()
            x, y = window["x"] + window["width"] - 2, window["y"] + window["height"] - 2
            stops = (x, y), (x + 300, y + 150), (x - 150, y - 100), (x + 100, y + 50)
        else:
            # The page is in the middle of the window's width, and at its bottom.
            x = self.value("screenX + (outerWidth - innerWidth) / 2 + splitter.offsetLeft + splitter.offsetWidth / 2")
            x, y = round(x), self.value("screenY + outerHeight") - 200
            stops = (x, y), (x + 250, y), (x + 20, y), (x + 150, y)
        size, built = self.value(SIZE), self.value(redraws)
        before, began = self.work(), time.monotonic()
        self.drag(*stops)
        released = 1000 * time.time()
        time.sleep(1)
        while not self.value(is_right) and 1000 * time.time() < released + LATE_MS:
            time.sleep(0.1)
        seconds, meter = time.monotonic() - began, self.value("meter")
        return meter | {
            "moved": self.value(SIZE) != size, "right": self.value(is_right),
            "redraws": self.value(redraws) - built, "work": (self.work() - before) / seconds / 10, "lag": max(0, meter["end"] - released),
            "errors": self.value("pageErrors") + [each["message"] for each in self.driver.get_log("browser") if each["level"] == "SEVERE"],
        }

    def open(self, folder, page, way):
        """Opens a page in a window of its first size."""
        self.driver.get("about:blank")
        self.driver.set_window_rect(60, 40, 900, 700)
        self.driver.get((folder / f"{page}.html").as_uri() + way)


def problem(found):
    if found["errors"]:
        return f"errors: {found['errors']}"
    if not found["moved"]:
        return "the drag did not resize the element"
    return None if found["right"] else "the last picture has not the element's size"


def excess(before, after):
    return None if after <= before else f"{after} redraws, {before} without Settle"


def recipes_problem(folder, guide):
    """What the guide shows as a page's lines stands in the page."""
    section = guide.partition("\n## With libraries\n")[2].partition("\n## ")[0]
    shown = re.findall(r"examples/(\w+)\.html.*?```js\n(.*?)```", section, re.S)
    if {page for page, _ in shown} != set(PAGES):
        return f"there are recipes of {[page for page, _ in shown]}"
    return next((f"{page}.html lacks: {line}" for page, text in shown for line in text.splitlines()
                 if not re.search(rf"^\s*{re.escape(line.strip())}$", (folder / f"{page}.html").read_text(), re.M)), None)


def main():
    folder, rows = pathlib.Path(sys.argv[1]).resolve(), []
    guide = (support.ROOT / "docs/guide/browser.md").read_text()
    verify("the guide's recipes are lines of the pages", recipes_problem(folder, guide))
    planted("a recipe that its page lacks", recipes_problem(folder, guide.replace("term.fit() });", "term.fit(view) });")))
    with Chromium() as chromium:
        for page in PAGES:
            results = {}
            for drag, (way, name) in itertools.product(DRAGS, WAYS.items()):
                chromium.open(folder, page, way)
                results[drag, way] = found = chromium.measure(page, drag)
                rows.append(ROW.format(page, drag, name, **found))
                verify(f"{page}, {drag}, {name}", problem(found))
            before, after = (sum(results[drag, way]["redraws"] for drag in DRAGS) for way in ("", "?settle"))
            verify(f"{page}: no more redraws than without Settle", excess(before, after), f"{after}, {before}")
        faults(chromium, folder, results["splitter", ""]["redraws"])
    print("| page | drag | way | sizes | redraws | main thread busy | longest frame, ms | dropped | wrong, ms | right after release, ms |")
    print("\n".join(["|---|---|---|---:|---:|---:|---:|---:|---:|---:|", *rows]))
    print(f"{support.passed} passed, {support.failed} failed")
    return support.failed > 0


def faults(chromium, folder, redraws_before):
    """Breaks the page of Plotly, after it has been opened."""
    def broken(fault):
        chromium.open(folder, "plotly", "?settle")
        wait_for("the first picture", lambda: chromium.value(PAGES["plotly"][1]))
        chromium.driver.execute_script(fault)
        return chromium.measure("plotly", "splitter")

    planted("a chart that keeps its size", problem(broken("Plotly.relayout = async () => {}")))
    planted("an error in a page", problem(broken("setTimeout(() => { throw new Error('planted'); })")))
    every_size = "new ResizeObserver(() => Plotly.relayout(view, { width: view.clientWidth, height: view.clientHeight })).observe(view)"
    planted("a page that draws every size as well", excess(redraws_before, broken(every_size)["redraws"]))


if __name__ == "__main__":
    sys.exit(main())
