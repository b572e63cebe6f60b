"""The example pages of libraries in Chromium, each without Settle, with it, and with its policy `live`: dragged at the
window's edge and at the page's splitter. Prints a table of redraws, work and frames."""
import itertools
import os
import pathlib
import re
import time

from results import note, planted, verify
from support import ROOT, until, wait_for
from windows import Window

FOLDER = pathlib.Path(os.environ.get("EXAMPLES", ROOT)).resolve()
WORDS = ("use-angle=swiftshader", "enable-unsafe-swiftshader", "disable-gpu-compositing", "force-device-scale-factor=1")
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
HELD_S, LATE_S = 0.15, 5
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


FAULTS = {
    "a chart that keeps its size": "Plotly.relayout = async () => {}",
    "an error in a page": "setTimeout(() => { throw new Error('planted'); })",
}
EVERY_SIZE = "new ResizeObserver(() => Plotly.relayout(view, { width: view.clientWidth, height: view.clientHeight })).observe(view)"


class Page(Window):
    """An example in a window of the server's whole screen."""

    def __init__(self, folder):
        super().__init__("chromium", None, folder, WORDS, screen="1400x1000x24")
        self.driver.cdp("Performance.enable", {})
        self.driver.before_pages(ERRORS)

    def value(self, expression):
        return self.driver.run(f"return {expression}")

    def work(self):
        """Milliseconds that the page's main thread has worked until now."""
        metrics = self.driver.cdp("Performance.getMetrics", {})["metrics"]
        return 1000 * next(each["value"] for each in metrics if each["name"] == "TaskDuration")

    def measure(self, page, way, drag, fault=""):
        """What a drag of a page results in, in a window of its first size."""
        redraws, is_right = PAGES[page]
        self.driver.open("about:blank")
        self.driver.driver.set_window_rect(60, 40, 900, 700)
        self.driver.open((FOLDER / f"{page}.html").as_uri() + way)
        wait_for(f"{page}: the first picture", lambda: self.value(is_right))
        self.driver.run(fault)
        self.driver.run(METER % is_right)
        size, built, before, began = self.value(SIZE), self.value(redraws), self.work(), time.monotonic()
        if drag == "edge":
            self.drag_edge((300, 150), (-450, -250), (250, 150), hold=HELD_S)
        else:
            # The page is in the middle of the window's width, and at its bottom.
            x = self.value("screenX + (outerWidth - innerWidth) / 2 + splitter.offsetLeft + splitter.offsetWidth / 2")
            self.dragged((round(x), self.value("screenY + outerHeight") - 200), ((250, 0), (-230, 0), (130, 0)), 1, hold=HELD_S)
        released = 1000 * time.time()
        time.sleep(1)
        until(lambda: self.value(is_right), LATE_S)
        seconds, meter = time.monotonic() - began, self.value("meter")
        return meter | {
            "moved": self.value(SIZE) != size, "right": self.value(is_right),
            "redraws": self.value(redraws) - built, "work": (self.work() - before) / seconds / 10, "lag": max(0, meter["end"] - released),
            "errors": self.value("pageErrors") + self.driver.console("SEVERE"),
        }


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


def test_recipes():
    guide = (ROOT / "docs/guide/browser.md").read_text()
    verify("the guide's recipes are lines of the pages", recipes_problem(FOLDER, guide))
    planted("a recipe that its page lacks", recipes_problem(FOLDER, guide.replace("term.fit() });", "term.fit(view) });")))


def test_drags(folder):
    """Each page in each way, and a page that is broken after it has been opened."""
    rows = []
    with Page(folder) as window:
        for page in PAGES:
            results = {}
            for drag, (way, name) in itertools.product(DRAGS, WAYS.items()):
                results[drag, way] = found = window.measure(page, way, drag)
                rows.append(ROW.format(page, drag, name, **found))
                verify(f"{page}, {drag}, {name}", problem(found))
            before, after = (sum(results[drag, way]["redraws"] for drag in DRAGS) for way in ("", "?settle"))
            verify(f"{page}: no more redraws than without Settle", excess(before, after), f"{after}, {before}")
        for name, fault in FAULTS.items():
            planted(name, problem(window.measure("plotly", "?settle", "splitter", fault)))
        both = window.measure("plotly", "?settle", "splitter", EVERY_SIZE)["redraws"]
        planted("a page that draws every size as well", excess(results["splitter", ""]["redraws"], both))
    note("\n".join(["| page | drag | way | sizes | redraws | main thread busy | longest frame, ms | dropped | wrong, ms | right after release, ms |",
                    "|---|---|---|---:|---:|---:|---:|---:|---:|---:|", *rows]))
