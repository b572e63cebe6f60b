"""The module in browsers, driven by real input: window edges and splitters are dragged by the X server's pointer."""
import json
import pathlib
import subprocess
import tempfile
import threading
import time

import pytest
import xcffib
import xcffib.xproto as xproto
from pages import BUILT, MODULE, Problem, faults, planted_module, wait_builds
from results import planted, report
from support import SETTLE, until
from windows import Window

# As a file, a page has no script that counts.
FILE_SCRIPT = """<script>
let failed = 0;
addEventListener("error", () => failed++, true);
globalThis.counts = () => [failed, charts.map(({ builds }) => builds)];
</script>"""
# Script for a change in times of a callback that only reads it, and kept bytes.
LIMIT_TIMES, LIMIT_BYTES = 3, 400_000


@pytest.fixture(scope="module", params=["chromium", pytest.param("firefox", marks=pytest.mark.long)])
def browser(request, site, work, is_long):
    with Window(request.param, site, work / request.param) as window:
        window.is_long = is_long
        # How long a hand holds still, and moves.
        window.pace = {"hold": 2.5, "seconds": 1.0} if is_long else {"hold": 0.7, "seconds": 0.6}
        yield window


def rebuilds_of(log, *policy):
    """The rebuilds that the native core decides for a page's log: size, reason, generation."""
    with tempfile.NamedTemporaryFile("w", suffix=".jsonl") as file:
        file.write(log)
        file.flush()
        done = subprocess.run([SETTLE, "replay", file.name, "--policy", *policy, "--decisions", "-"], capture_output=True, text=True)
    if done.returncode != 0:
        raise Problem(f"settle replay: {done.stderr}")
    lines = map(json.loads, done.stdout.splitlines())
    return [(d["width"], d["height"], d["reason"], d.get("generation")) for d in lines if d["kind"] == "rebuild"]


def same_as_native(decided, log, *policy):
    """Compares; generations are written where the policy is live."""
    natively = rebuilds_of(log, *policy)
    here = [(d["width"], d["height"], d["reason"], d["generation"] if policy[0] == "live" else None) for d in decided]
    first = next((i for i, pair in enumerate(zip(here, natively)) if pair[0] != pair[1]), min(len(here), len(natively)))
    if here != natively or not here:
        raise Problem(f"{len(here)} decisions in the page, {len(natively)} natively; number {first} differs: "
                      f"{here[first:first + 1]} and {natively[first:first + 1]}")
    return len(here)


def start(browser, module, **options):
    browser.open("pages/cases.html", module)
    browser.call("start", options)
    if not (builds := wait_builds(browser, 1)) or builds[0]["reason"] != "first":
        raise Problem(f"the first builds are {builds}")


# Checks: each takes a browser and the address of a module, raises a Problem, and returns what it measured

def charts(browser, module=BUILT):
    """The demo's three charts: dragged at the window's edge and at the splitter, each with the hand held still."""
    browser.open(f"{module.rpartition('/')[0][1:]}/demo.html")
    time.sleep(1.0)
    figures, settle_ms, debounced_ms = [], 0, 0
    for way in ("edge", "splitter"):
        browser.call("reset")
        if way == "edge":
            browser.drag_edge((140, 90), (-200, -120), **browser.pace)
            browser.drag_edge((60, 30), seconds=0.3)
        else:
            browser.drag("#splitter", (-240, 0), (240, 0), **browser.pace)
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
    browser.drag("#bar", (160, 0), (-60, 0), **browser.pace, meanwhile=lambda: within.extend(browser.call("builds")))
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
    browser.drag("frameBar", (120, 0), **browser.pace, meanwhile=lambda: within.extend(browser.call("builds")))
    builds = wait_builds(browser, 2)
    if len(within) != 1 or [b["reason"] for b in builds] != ["first", "interactionEnded"]:
        raise Problem(f"{len(within) - 1} builds within the drag; in all: {[b['reason'] for b in builds]}")
    browser.no_errors()
    return "0 builds within, 1 after"


def loops(browser, module=BUILT):
    """A handler that changes the layout gives no error of ResizeObserver; a callback of a page's own does."""
    start(browser, module, policy="live", handler="layout")
    browser.drag("#bar", (120, 0), (-60, 0), seconds=browser.pace["seconds"])
    time.sleep(0.3)
    if len(browser.call("builds")) < 5:
        raise Problem("the handler was not called within the drag")
    browser.no_errors()
    browser.call("naive")
    browser.drag("#bar", (60, 0), seconds=browser.pace["seconds"])
    time.sleep(0.3)
    naive = [error for error in browser.call("errors") if "ResizeObserver loop" in error]
    if not naive:
        raise RuntimeError("a naive callback gives no error, so none can be found")
    return f"0 errors; {len(naive)} of a naive callback"


def blank(browser, module=BUILT):
    """Pictures of two canvases while the window's edge is dragged: none without the color of what was drawn."""
    browser.open("pages/blank.html", module)
    time.sleep(0.5)
    browser.origin()
    places = {name: browser.box(name)[:2] for name in ("#settle", "#later")}
    seen, is_over = {name: [] for name in places}, threading.Event()

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
    for _ in range(3 if browser.is_long else 1):
        browser.drag_edge((0, 150), (0, -200), (0, 50), seconds=browser.pace["seconds"])
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
    browser.drag("#bar", (120, 0), seconds=browser.pace["seconds"], meanwhile=hide)
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
    measured = browser.call("flood", 500, 60 if browser.is_long else 20)
    ours, read = measured["ours"] - measured["read"], measured["read"]
    figure = f"{ours:.2f} µs for a change beyond {read:.2f} µs of a callback that reads it, {ours / read:.2f} times (limit {LIMIT_TIMES})"
    if ours > LIMIT_TIMES * read:
        raise Problem(figure)
    browser.no_errors()
    return figure


def memory(browser, module=BUILT, stops=True):
    """Memory stays flat over 10,000 elements that are observed and stopped."""
    browser.open("pages/cases.html", module)
    held_bytes = browser.call("memory", 10_000 if stops else 40_000, stops)
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
    """The demo opened as a file."""
    with tempfile.TemporaryDirectory(dir=browser.desktop.folder) as folder:
        folder = pathlib.Path(folder)
        for part in parts:
            (folder / part).write_text((MODULE / part).read_text())
        page = folder / "demo.html"
        page.write_text(page.read_text().replace("<script src", FILE_SCRIPT + "<script src"))
        browser.driver.open(page.as_uri())
        until(lambda: all(browser.driver.run("return counts()")[1]), 15)
        failed, builds = browser.driver.run("return counts()")
    if failed or len(builds) != 3 or not all(builds):
        raise Problem(f"the demo as a file: {failed} errors, builds {builds}")
    return f"{failed} errors, builds {builds}"


CHECKS = {each.__name__: each for each in (charts, held, frame_splitter, loops, blank, releases, hidden, odd, hidden_page, zoom, failures,
                                            superseded, worker, flood, memory, unstopped, from_file)}
QUICK = (charts, held, frame_splitter, loops, blank, hidden, odd, failures, superseded, worker, flood)


@pytest.mark.parametrize("name", [pytest.param(name, marks=[] if each in QUICK else pytest.mark.long) for name, each in CHECKS.items()])
def test_drive(browser, name):
    if browser.name == "firefox" and name == "flood":
        pytest.skip("it is measured in Chromium")
    began = time.monotonic()
    report(f"{browser.name}: {name}", True, f"{CHECKS[name](browser)} ({time.monotonic() - began:.1f} s)")


@pytest.mark.long
@pytest.mark.parametrize("browser", ["chromium"], indirect=True)
@pytest.mark.parametrize("fault, name, sentence", [fault for fault in faults() if fault[1] in CHECKS])
def test_planted(browser, work, fault, name, sentence):
    """A fault is found by the check that it names."""
    with pytest.raises(Problem):
        CHECKS[name](browser, planted_module(work, fault))
    planted(f"{name}: {sentence}", "")


@pytest.mark.long
@pytest.mark.parametrize("browser", ["chromium"], indirect=True)
def test_planted_elsewhere(browser):
    with pytest.raises(Problem):
        from_file(browser, parts=("demo.html",))
    planted("a demo without its module", "")
    browser.open("pages/cases.html")
    browser.call("fails")
    with pytest.raises(Problem):
        browser.no_errors()
    planted("an error in the console", "")
