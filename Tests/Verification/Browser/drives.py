#!/usr/bin/env python3
"""The module in browsers, driven by real input: window edges and splitters are dragged by the X server's pointer.

usage: drives.py MODULE [--long] [chromium | firefox | planted] [CHECK...]     MODULE: a folder of scripts/build-browser

The environment variable SETTLE names the command, by whose replay the decisions of pages are verified.
"""
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import time

from browser import Browser, Server, command_of
from cases import same_as_native, start, wait_builds
from modules import Problem, bundle, copy_sources
from support import ROOT, planted, run_checks, stop, verify

MODULE = pathlib.Path(sys.argv[1]).resolve()
IS_LONG = "--long" in sys.argv
BUILT = "/module/settle.js"
# As a file, a page has no server to post to.
FILE_SCRIPT = """<script>
let count = 0;
addEventListener("error", () => count++, true);
setTimeout(() => document.title = `settle-file ${count} errors, builds ${charts.map((one) => one.builds)}`, 1500);
</script>"""
HELD_S, DRAG_S = (2.5, 1.0) if IS_LONG else (0.7, 0.6)
LIMIT_US, LIMIT_BYTES = 1.0, 400_000


# --- Checks: each takes a browser and the address of a module, raises a Problem, and returns what it measured ---

def charts(browser, module=BUILT):
    """The demo's three charts: dragged at the window's edge and at the splitter, each with the hand held still."""
    browser.open(f"{module.rpartition('/')[0][1:]}/demo.html")
    time.sleep(1.0)
    figures, settle_ms, debounced_ms = [], 0, 0
    for way in ("edge", "splitter"):
        browser.call("reset")
        if way == "edge":
            browser.drag_edge((140, 90), (-200, -120), hold=HELD_S, seconds=DRAG_S)
            browser.drag_edge((60, 30), seconds=0.3)
        else:
            browser.drag("#splitter", (-240, 0), (240, 0), hold=HELD_S, seconds=DRAG_S)
        time.sleep(0.8)
        charts = {each["name"]: each for each in browser.call("charts")}
        figure = f"{way}: " + ", ".join(f"{c['name']} {c['builds']} builds {c['work']:.0f} ms, stale {c['stale']:.0f} ms" for c in charts.values())
        if charts["debounced"]["stale"] < 200 or any(chart["builds"] < 1 for chart in charts.values()):
            raise Problem(f"not dragged: {figure}")
        settle_ms, debounced_ms = settle_ms + charts["settle"]["stale"], debounced_ms + charts["debounced"]["stale"]
        figures.append(figure)
    if settle_ms >= debounced_ms:
        raise Problem(f"Settle is stale for as long as debouncing: {'; '.join(figures)}")
    if stale := [chart["name"] for chart in charts.values() if chart["isStale"]]:
        raise Problem(f"stale at the end: {stale}")
    browser.no_errors()
    count = same_as_native(browser.call("decided"), browser.call("log"), "live", "--live-limit", "none")
    return f"{'; '.join(figures)}; {count} decisions as natively"


def held(browser, module=BUILT):
    """A splitter held still: nothing is built within the drag, and the last size once at its end."""
    start(browser, module, splitters=["#bar"])
    within = []
    browser.drag("#bar", (160, 0), (-60, 0), hold=HELD_S, seconds=DRAG_S, meanwhile=lambda: within.extend(browser.call("builds")))
    builds = wait_builds(browser, 2)
    time.sleep(0.5)
    builds = browser.call("builds")
    if len(within) != 1 or len(builds) != 2 or builds[1]["reason"] != "interactionEnded" or builds[1]["cssWidth"] != round(builds[1]["cssWidth"]):
        raise Problem(f"{len(within) - 1} builds within the drag, {builds[len(within):]} after it")
    left, _, right, _ = browser.box("#left")
    if builds[1]["cssWidth"] != right - left or right - left == 360:
        raise Problem(f"the last build is {builds[1]['cssWidth']} wide, not {right - left}")
    browser.no_errors()
    return f"0 builds within, 1 after; {same_as_native(builds, browser.call('log'), 'default')} decisions as natively"


def frame_splitter(browser, module=BUILT):
    """A splitter within an iframe, which is named, ends a drag as the page's own does."""
    start(browser, module, splitters=["frame"])
    within = []
    browser.drag("frameBar", (120, 0), hold=HELD_S, seconds=DRAG_S, meanwhile=lambda: within.extend(browser.call("builds")))
    builds = wait_builds(browser, 2)
    if len(within) != 1 or [b["reason"] for b in builds] != ["first", "interactionEnded"]:
        raise Problem(f"{len(within) - 1} builds within the drag; in all: {[b['reason'] for b in builds]}")
    browser.no_errors()
    return "0 builds within, 1 after"


def loops(browser, module=BUILT):
    """A handler that changes the layout gives no error of ResizeObserver; a callback of a page's own does."""
    start(browser, module, policy="live", handler="layout")
    browser.drag("#bar", (120, 0), (-60, 0), seconds=DRAG_S)
    time.sleep(0.3)
    if len(browser.call("builds")) < 5:
        raise Problem("the handler was not called within the drag")
    browser.no_errors()
    browser.call("naive")
    browser.drag("#bar", (60, 0), seconds=DRAG_S)
    time.sleep(0.3)
    naive = [error for error in browser.call("errors") if "ResizeObserver loop" in error]
    if not naive:
        raise RuntimeError("a naive callback gives no error, so none can be found")
    return f"0 errors; {len(naive)} of a naive callback"


def blank(browser, module=BUILT):
    """Pictures of two canvases while the window's edge is dragged: none without the color of what was drawn."""
    import threading
    browser.open("pages/blank.html", module)
    time.sleep(0.5)
    browser.origin()
    places = {name: browser.box(name)[:2] for name in ("#settle", "#later")}
    seen, is_over = {name: [] for name in places}, threading.Event()
    import xcffib
    import xcffib.xproto as xproto

    def look():
        connection = xcffib.connect(browser.desktop.display)
        while not is_over.is_set():
            for name, (x, y) in places.items():
                pixels = connection.core.GetImage(xproto.ImageFormat.ZPixmap, browser.desktop.root, int(x) + 40, int(y) + 200, 4, 4, 0xFFFFFFFF)
                seen[name].append(bytes(pixels.reply().data.buf()[:3]))
            time.sleep(0.002)
        connection.disconnect()
    # The second canvas moves when the window becomes wider, so the drag is vertical.
    browser.desktop.pointer.move(*browser.geometry()[2:])
    watcher = threading.Thread(target=look)
    before = browser.call("builds")
    watcher.start()
    for _ in range(3 if IS_LONG else 1):
        browser.drag_edge((0, 150), (0, -200), (0, 50), seconds=DRAG_S)
    is_over.set()
    watcher.join()
    time.sleep(0.2)
    drawn = bytes([64, 128, 0])
    blank_of = {name: sum(pixel != drawn for pixel in pixels) for name, pixels in seen.items()}
    figure = f"{blank_of['#settle']} of {len(seen['#settle'])} pictures blank; {blank_of['#later']} where a later task draws"
    if blank_of["#settle"] or browser.call("builds") - before < 10:
        raise Problem(f"{figure}; {browser.call('builds') - before} builds")
    if not blank_of["#later"]:
        raise RuntimeError(f"no blank picture where a later task draws, so none can be found ({figure})")
    browser.no_errors()
    return figure


def releases(browser, module=BUILT):
    """A scroll bar and the corner of `resize: both` are dragged: no button stays pressed."""
    start(browser, module)
    _, top, right, bottom = browser.box("#scroller")
    pointer = browser.desktop.pointer
    pointer.drag((right - 6, top + 24), (right - 6, bottom - 30), seconds=0.4)
    pointer.move(right + 60, bottom)
    time.sleep(0.2)
    _, _, right, bottom = browser.box("#corner")
    pointer.drag((right - 5, bottom - 5), (right + 70, bottom + 40), seconds=0.4)
    pointer.move(right + 160, bottom + 20)
    time.sleep(0.3)
    if browser.box("#corner")[2] <= right:
        raise RuntimeError("the corner is not dragged")
    browser.call("style", "#left", {"width": "300px"})
    builds = wait_builds(browser, 2, 1.0)
    events = [json.loads(line) for line in browser.call("log").splitlines()]
    presses = [e["pressed"] for e in events if e.get("kind") == "pointer"]
    if not presses or presses.count(True) != presses.count(False) or [b["reason"] for b in builds] != ["first", "quiet"]:
        raise Problem(f"presses and releases {presses}; builds {[b['reason'] for b in builds]}")
    browser.no_errors()
    return f"{presses.count(True)} presses, each released"


def hidden(browser, module=BUILT):
    """An element that is hidden within a drag waits, and is built once when it is shown."""
    start(browser, module, splitters=["#bar"])
    counts = []

    def hide():
        browser.call("style", "#left", {"display": "none"})
        time.sleep(0.1)
    browser.drag("#bar", (120, 0), seconds=DRAG_S, meanwhile=hide)
    time.sleep(0.7)
    counts.append(len(browser.call("builds")))
    browser.call("style", "#left", {"display": "block"})
    counts.append(len(wait_builds(browser, 2, 1.0)))
    time.sleep(0.4)
    builds = browser.call("builds")
    if counts != [1, 2] or len(builds) != 2:
        raise Problem(f"{counts[0] - 1} builds while it is hidden, {len(builds) - counts[0]} after it is shown")
    browser.no_errors()
    return "0 builds while hidden, 1 when shown"


def odd(browser, module=BUILT):
    """Sizes are the element's to a device pixel, a handler may observe, and what is shown again is built at once."""
    start(browser, module)
    result = browser.call("odd")
    if result["count"] < 20 or result["off"] > 1.01 or len(result["shown"]) != 2 or result["shown"][1] != "210 flush":
        raise Problem(f"{result}")
    browser.no_errors()
    return f"{result['count']} sizes, at most {result['off']:.2f} off"


def hidden_page(browser, module=BUILT):
    """A page that is minimized builds nothing, and what is due once when it is shown again."""
    start(browser, module, policy={"quietDelay": 1000, "jumpDelay": "none"})
    browser.call("style", "#left", {"width": "250px"})
    time.sleep(0.1)
    browser.desktop.xdotool("windowminimize", browser.window)
    for _ in range(30):
        if (state := browser.call("state"))["visibility"] == "hidden":
            break
        time.sleep(0.02)
    else:
        raise RuntimeError("the page is not hidden")
    # Chromium calls a hidden page once a second.
    time.sleep(2.5)
    within = len(browser.call("builds"))
    browser.desktop.xdotool("windowmap", browser.window)
    builds = wait_builds(browser, 2)
    if within != 1 or len(builds) != 2 or builds[1]["cssWidth"] != 250:
        raise Problem(f"{within - 1} builds while the page is {state['visibility']}; then {builds[1:]}")
    browser.no_errors()
    return "0 builds while hidden, 1 when shown"


def zoom(browser, module=BUILT):
    """The page's zoom changes the device's pixels of an element, which is built anew."""
    start(browser, module)
    browser.desktop.pointer.click(*browser.center("#right"))
    browser.desktop.xdotool("key", "ctrl+plus")
    builds = wait_builds(browser, 2)
    browser.desktop.xdotool("key", "ctrl+0")
    builds = wait_builds(browser, 3) if len(builds) == 2 else builds
    found = [(round(b["cssWidth"]), b["width"], round(b["ratio"], 2)) for b in builds]
    if len(found) != 3 or found[0] != found[2] or found[1][2] <= 1 or any(abs(css * ratio - width) > 2 for css, width, ratio in found):
        raise Problem(f"builds (CSS width, width, ratio): {found}")
    browser.no_errors()
    return f"builds (CSS width, width, ratio): {found}"


def failures(browser, module=BUILT):
    """A handler that throws, and one whose promise is rejected: reported once, and built again at the next change."""
    for handler in ("throws", "rejects"):
        start(browser, module, handler=handler)
        browser.call("style", "#left", {"width": "300px"})
        wait_builds(browser, 2)
        time.sleep(0.5)
        builds, errors = browser.call("builds"), browser.call("errors")
        if len(builds) != 2 or len(errors) != 1 or "planned failure" not in errors[0]:
            raise Problem(f"{handler}: {len(builds)} builds, errors {errors}")
        # The next change is one that brings a size which was asked for already.
        browser.call("widths", "310px", "300px")
        builds = wait_builds(browser, 3)
        if len(builds) != 3 or builds[2]["cssWidth"] != 300:
            raise Problem(f"{handler}: the size that failed is not built again: {builds}")
        browser.no_errors()
    return "each reported once, and built again"


def superseded(browser, module=BUILT):
    """A slow build whose size is superseded is aborted, and the next one begins after it."""
    start(browser, module, handler="slow")
    time.sleep(1.0)
    for width in (300, 320):
        browser.call("style", "#left", {"width": f"{width}px"})
        wait_builds(browser, 2, 0.6)
        time.sleep(0.05)
    wait_builds(browser, 3)
    time.sleep(1.1)
    builds = browser.call("builds")
    found = [(b["cssWidth"], b.get("atOnce"), b.get("aborted")) for b in builds]
    if found != [(360, 1, False), (300, 1, True), (320, 1, False)]:
        raise Problem(f"builds (width, at once, aborted): {found}")
    browser.no_errors()
    return "aborted, and one at a time"


def worker(browser, module=BUILT):
    """The core alone in a worker."""
    browser.open("pages/cases.html", module)
    expected = [["rebuild", "first", 400], ["interactionBegan", "", 500], ["interactionEnded", "released", 500], ["rebuild", "interactionEnded", 500]]
    found = browser.call("worker")
    if [each[:2] for each in found] != [each[:2] for each in expected] or found[-1] != expected[-1]:
        raise Problem(f"decisions in a worker: {found}")
    browser.no_errors()
    return f"{len(found)} decisions"


def flood(browser, module=BUILT):
    """The script's time for each observed change, beyond a callback that reads it: 500 elements at each frame."""
    browser.open("pages/cases.html", module)
    measured = browser.call("flood", 500, 60 if IS_LONG else 20, patience=120)
    ours = measured["ours"] - measured["read"]
    figure = f"{ours:.2f} µs for a change (limit {LIMIT_US}) beyond {measured['read']:.2f} µs of a callback that reads it"
    if ours > LIMIT_US:
        raise Problem(figure)
    browser.no_errors()
    return figure


def memory(browser, module=BUILT, stops=True):
    """Memory stays flat over 10,000 elements that are observed and stopped."""
    browser.open("pages/cases.html", module)
    held_bytes = browser.call("memory", 10_000 if stops else 40_000, stops, patience=120)
    if browser.name == "chromium" and not held_bytes["hasGc"]:
        raise RuntimeError("there is no gc()")
    figure = f"{held_bytes['heap']} bytes of heap and {held_bytes['wasm']} of WebAssembly more"
    if held_bytes["heap"] > LIMIT_BYTES or held_bytes["wasm"] > 0:
        raise Problem(figure)
    return figure if browser.name == "chromium" else figure.replace("0 bytes of heap and ", "")


def unstopped(browser, module=BUILT):
    """And over 40,000 that are removed without stop()."""
    return memory(browser, module, stops=False)


def from_file(browser, module=BUILT, parts=("demo.html", "settle.global.js")):
    """The demo opened as a file, whose title then has the counts of its errors and builds."""
    folder = pathlib.Path(tempfile.mkdtemp(dir=browser.desktop.folder))
    for part in parts:
        (folder / part).write_text((MODULE / part).read_text())
    page = folder / "demo.html"
    page.write_text(page.read_text().replace("<script src", FILE_SCRIPT + "<script src"))
    process = browser.desktop.start(command_of(browser.name, folder / "profile", page.as_uri()))
    names, end = "", time.monotonic() + 15
    while not (found := re.search(r"settle-file (\d+) errors, builds (\S+)", names)) and time.monotonic() < end:
        time.sleep(0.1)
        names = subprocess.run(["xdotool", "search", "--name", "settle-file", "getwindowname"], env=browser.desktop.environment,
                               capture_output=True, text=True).stdout
    stop(process)
    if not found or found[1] != "0" or len(found[2].split(",")) != 3 or found[2].endswith(",0"):
        raise Problem(f"the demo as a file: {found[0] if found else 'no title'}")
    return found[0]


CHECKS = {each.__name__: each for each in (charts, held, frame_splitter, loops, blank, releases, hidden, odd, hidden_page, zoom, failures,
                                            superseded, worker, flood, memory, unstopped, from_file)}
QUICK = ("charts", "held", "frame_splitter", "loops", "blank", "hidden", "odd", "failures", "superseded", "worker", "flood")


def problem_of(check, *words, **options):
    try:
        return None, check(*words, **options)
    except Problem as problem:
        return str(problem), ""


def run(name):
    def on(folder):
        server = Server(MODULE, folder)
        with Browser(name, server, folder / "desktop") as browser:
            for check in only or (CHECKS if IS_LONG else QUICK):
                if name == "firefox" and check == "flood":
                    continue
                began = time.monotonic()
                try:
                    problem, figure = problem_of(CHECKS[check], browser)
                except RuntimeError as error:
                    problem, figure = f"cannot be tried: {error}", ""
                verify(f"{name}: {check}", problem, f"{figure} ({time.monotonic() - began:.1f} s)")
    return on


def faults(folder):
    """Each fault of the table is found by the check that it names."""
    listed = subprocess.run([ROOT / "scripts/plant", "--list", "browser"], capture_output=True, text=True, check=True).stdout.splitlines()
    server = Server(MODULE, folder)
    with Browser("chromium", server, folder / "desktop") as browser:
        for line in listed:
            _, fault, what, sentence = line.split("\t")
            # headless.py has the others.
            if what not in (only or CHECKS):
                continue
            sources = copy_sources(MODULE, folder / fault)
            subprocess.run([ROOT / "scripts/plant", folder / fault, fault], check=True)
            bundle(sources)
            planted(f"{what}: {sentence}", problem_of(CHECKS[what], browser, f"/faulty/{fault}/Sources/Browser/settle.mjs")[0])
        if only:
            return
        planted("a demo without its module", problem_of(from_file, browser, parts=("demo.html",))[0])
        browser.open("pages/cases.html")
        browser.call("fails")
        planted("an error in the console", problem_of(browser.no_errors)[0])


only = [word for word in sys.argv[2:] if word in CHECKS]
sys.argv[1:] = [word for word in sys.argv[2:] if word not in CHECKS]
run_checks({"chromium": run("chromium"), **({"firefox": run("firefox"), "planted": faults} if IS_LONG or len(sys.argv) > 1 else {})})
