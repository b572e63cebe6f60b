"""Reports in headless Chromium."""
import json
import time

from damage import damaged_reports
from page import same_decisions
from policies import c_policy, nanoseconds, swift_policy
from reports import HOSTILE, RECORDINGS, hostile_log, large_log
from results import note
from test_fleet import EXPORT

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


def options_of(sliders):
    """The options of settle for a policy that sliders set one after the other."""
    options = []
    for name, value in sliders.items():
        option = "".join("-" + letter.lower() if letter.isupper() else letter for letter in name)
        options += [f"--{option}", "none" if value is None else f"{value}{'%' if name.endswith('Share') else 'ms'}"]
    return options


def test_decisions(browser):
    """The page decides as a replay does, by default and as UIKit."""
    for log in browser.recordings():
        browser.opened(log)
        for policy in ("default", "uikit"):
            browser.run("settle.setPolicy(arguments[0])", policy)
            wanted = browser.settle.decisions(log, "--policy", policy)
            same_decisions(browser.decisions(), wanted, f"{log.name}, {policy}")
            same_decisions(json.loads(browser.run("return JSON.stringify(settle.decisions())")), wanted, f"{log.name}, {policy}")
    several = browser.recordings()[:3]
    browser.open(browser.report("several", *several))
    for number, log in enumerate(several):
        same_decisions(browser.decisions(number), browser.settle.decisions(log), f"log {number} of several")


def test_sliders(browser):
    """It does so under policies that its sliders set."""
    for log in browser.recordings():
        browser.opened(log)
        for sliders in SLIDERS:
            # As a replay, which has no builder.
            browser.run("settle.setPolicy('default'); settle.setBuildCost('none')")
            browser.run(MOVE_SLIDERS, sliders)
            same_decisions(browser.decisions(), browser.settle.decisions(log, *options_of(sliders)), f"{log.name}, sliders {sliders}")


def test_front(browser):
    """A policy of the front can be taken by the keyboard, and its options decide the same."""
    log = RECORDINGS[1]
    browser.opened(log)
    browser.tried()
    browser.run("""const front = document.getElementById("front"); front.focus();
        for (const key of ["ArrowRight", "ArrowRight", "ArrowRight", "ArrowLeft", "Enter"])
            front.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
        [...document.querySelectorAll("#forms button")].find((button) => button.textContent === "Options").click();""")
    options = browser.run("return document.getElementById('copy-text').textContent")
    assert options.startswith("--") and options != "--policy default", f"no policy was taken: {options}"
    same_decisions(browser.decisions(), browser.settle.decisions(log, *options.split()), f"{log.name}, {options}")
    browser.run("[...document.querySelectorAll('#forms button')].find((button) => button.textContent === 'Policy file').click()")
    file = browser.work / "policy.json"
    file.write_text(browser.run("return document.getElementById('copy-text').textContent"))
    same_decisions(browser.decisions(), browser.settle.decisions(log, "--policy", file), f"{log.name}, the policy file")


def test_forms(browser):
    """What is copied as Swift, C and options is the policy of the sliders."""
    presets = {name: nanoseconds(json.loads(browser.settle.run("policy", "--policy", name))) for name in ("default", "prepared", "live", "uikit")}
    browser.opened()
    for sliders in [{}, *SLIDERS, "prepared", "live", "uikit"]:
        is_named = isinstance(sliders, str)
        browser.run("settle.setPolicy(arguments[0])", sliders if is_named else "default")
        if not is_named:
            browser.run(MOVE_SLIDERS, sliders)
        options = ["--policy", sliders] if is_named else options_of(sliders)
        wanted = json.loads(browser.settle.run("policy", *options))
        texts = browser.run("""return Object.fromEntries([...document.querySelectorAll("#forms button")].map((button) => {
            button.click(); return [button.textContent, document.getElementById("copy-text").textContent]; }))""")
        assert json.loads(texts["Policy file"]) == wanted, f"the policy file is {texts['Policy file']}, not {wanted}"
        by_options = json.loads(browser.settle.run("policy", *texts["Options"].split()))
        assert by_options == wanted, f"the options {texts['Options']} are not those of {wanted}"
        assert c_policy(browser.work, list(wanted), texts["C"]) == nanoseconds(wanted), f"the C is not {wanted}: {texts['C']}"
        assert swift_policy(presets, texts["Swift"]) == nanoseconds(wanted), f"the Swift is not {wanted}: {texts['Swift']}"


def test_hostile(browser):
    """Names of a hostile log run nothing, and stay text."""
    log = browser.work / "<img src=x onerror='window.hostile=9'>.jsonl"
    log.write_text(hostile_log())
    for width in browser.hostile_page(browser.report("hostile", log), "for (let i = 0; i < 5; i++) document.getElementById('next').click()"):
        names = {decision["scene"] for decision in browser.decisions()}
        assert names == set(HOSTILE), f"other names: {sorted(names ^ set(HOSTILE))}"
        same_decisions(browser.decisions(), browser.settle.decisions(log), "the hostile log")
        cut = browser.run("const box = document.getElementById('decisions'); return box.scrollWidth > box.clientWidth"
                      " || [...box.querySelectorAll('tbody th button')].some((time) => time.offsetHeight > 40)")
        assert not cut, f"the decisions' sizes are cut or their times break at {width} px"


def test_quiet(browser):
    """Nothing is requested, and nothing is on the console."""
    browser.opened()
    browser.run("settle.setPolicy('uikit'); document.getElementById('next').click(); document.getElementById('zoom-in').click()")
    time.sleep(0.5)
    requests, console = browser.requests(), browser.console()
    assert not requests, f"the page requests {requests}"
    assert not console, f"the console says {console}"


def test_csp(browser):
    """The policy in the file keeps what is injected from running."""
    browser.opened()
    browser.run("""const script = document.createElement("script"); script.textContent = "window.injected = 1"; document.body.append(script);
        const image = document.createElement("img"); image.setAttribute("onerror", "window.injected = 2"); image.src = "data:,"; document.body.append(image);""")
    time.sleep(0.3)
    assert browser.run("return window.injected === undefined"), "an injected script runs"
    browser.logs()


def test_damaged(browser):
    """Damaged data gives a message and no exception."""
    sound, damaged = damaged_reports(browser.settle.binary(RECORDINGS[0]))
    for name, (data, words) in damaged.items():
        browser.open(browser.made("damaged", data), is_sound=False)
        shown = browser.text("messages") + browser.text("findings")
        assert words in shown, f"{name}: the page says '{shown}', not '{words}'"
        console = browser.console()
        assert not console, f"{name}: the console says {console}"
    browser.open(browser.made("sound", sound))
    shown = browser.text("messages") + browser.text("findings")
    assert shown == "", f"a sound report says '{shown}'"


def test_cut(browser):
    """A file that is cut says so, wherever it is cut."""
    log = RECORDINGS[0]
    text = browser.report("whole", log).read_text()
    path = browser.work / "cut.html"
    data, script = text.index('id="settle-data"'), text.rindex("<script>")
    for at in (data, data + 100, script, script + 200, text.rindex("</script>")):
        path.write_text(text[:at])
        browser.open(path, is_sound=False)
        # The page says so after some seconds, as a file that is being read may still grow.
        deadline, shown = time.monotonic() + 10, ""
        while "its end is missing" not in shown and time.monotonic() < deadline:
            time.sleep(0.2)
            shown = browser.run("const said = document.querySelector('.incomplete'); return said && said.checkVisibility({ visibilityProperty: true }) ? said.innerText : ''")
        assert "its end is missing" in shown, f"cut after {at} characters, the page says '{shown}'"
    path.write_text(text[:text.index("<style>") + 50])
    browser.open(path, is_sound=False)
    assert "incomplete" in browser.driver.title, f"cut in its style, the page's title is '{browser.driver.title}'"


def test_large(browser):
    """A log of a million events opens and is decided anew soon, with few elements."""
    log = browser.work / "large.jsonl"
    with log.open("w") as file:
        file.writelines(large_log())
    browser.open(browser.report("large", log))
    decided = browser.run("const start = performance.now(); settle.setPolicy({ reportedEndDelay: '16ms' }); return performance.now() - start") / 1000
    assert decided <= DECIDE_SECONDS_MAX, f"a million events take {decided:.2f} s to decide anew; at most {DECIDE_SECONDS_MAX} s are allowed"
    browser.run("settle.setPolicy('uikit')")
    browser.drawn()
    said = browser.elements(OPEN_SECONDS_MAX, ELEMENTS_MAX, "a report of a million events")
    got, wanted = browser.run("return settle.decisions().length"), len(browser.settle.decisions(log, "--policy", "uikit"))
    assert got == wanted, f"{got} decisions of a million events, not {wanted}"
    note(f"a million events: {said}, decided anew in {decided:.2f} s")


def test_keyboard(browser):
    """The timeline's keys zoom, move and explain; Tab reaches the controls."""
    browser.opened()
    keys, text = browser.press, browser.text
    browser.run("document.getElementById('timeline').focus()")
    whole = text("visible")
    keys("+")
    browser.drawn()
    assert text("visible") != whole, "+ does not zoom"
    keys("0")
    browser.drawn()
    assert text("visible") == whole, "0 does not show all"
    seen = set()
    for _ in range(4):
        keys(".")
        seen.add(text("explanation-text"))
    assert len(seen) == 4, "the full stop does not step through the decisions"
    assert "of the decision contract" in text("explanation-text"), "a decision is not explained"
    # More than there are controls: the timeline is before the first one that is reached.
    fleet = {"fleet-bound", "fleet-sort", "fleet-find", "All together", "x11 · openbox", "front", "Take", "Options", "copy"}
    log = {"timeline", "previous", "zoom-in", "policy-firstDelay", "policy-interactionTimeout-on", "UIKit", "copy", "front", "table-scene"}
    for _, wanted, presses in zip(pages(browser), (log, fleet), (120, 40)):
        missing = wanted - browser.reached(presses)
        assert not missing, f"Tab does not reach {missing}"


def test_column(browser):
    """The column beside the timeline grows."""
    browser.opened()
    scrolls = browser.run("return [...document.querySelectorAll('.side, .side *')].filter((each) => each.scrollHeight > each.clientHeight + 1"
                          " && ['auto', 'scroll'].includes(getComputedStyle(each).overflowY)).map((each) => each.className || each.id)")
    assert not scrolls, f"these scroll within the column: {scrolls}"


def test_pointer(browser):
    """A drag moves the timeline, the wheel and a pinch zoom it, a click and a tap explain a decision."""
    browser.opened()
    # Then nothing above the timeline changes.
    browser.tried()
    browser.drawn()
    mouse = browser.mouse
    left, top = browser.run("const box = document.querySelector('.lane canvas').getBoundingClientRect(); return [box.left, box.top]")
    x, y = left + 300, top + 60

    def view():
        browser.drawn()
        return browser.text("visible")

    def touch(kind, *places):
        browser.touch(kind, *((at, y) for at in places))

    seen = [view()]
    mouse("mouseWheel", x, y, deltaX=0, deltaY=-200, modifiers=2)
    seen.append(view())
    assert seen[-1] != seen[-2], "the wheel with Ctrl does not zoom"
    mouse("mousePressed", x, y, button="left", clickCount=1)
    for step in range(1, 6):
        mouse("mouseMoved", x - 30 * step, y, button="left", buttons=1)
    mouse("mouseReleased", x - 150, y, button="left", clickCount=1)
    seen.append(view())
    assert seen[-1] != seen[-2], "a drag does not move the view"
    touch("touchStart", x - 40, x + 40)
    touch("touchMove", x - 80, x + 80)
    touch("touchMove", x - 160, x + 160)
    touch("touchEnd")
    seen.append(view())
    assert seen[-1] != seen[-2], "a pinch does not zoom"
    browser.run("document.getElementById('zoom-fit').click(); document.getElementById('explanation-close').click()")
    assert "contract" not in browser.text("explanation-text"), "an explanation cannot be closed"
    # The first rebuild is at the log's start.
    browser.drawn()
    mouse("mousePressed", left + 74 + 4, y, button="left", clickCount=1)
    mouse("mouseReleased", left + 74 + 4, y, button="left", clickCount=1)
    assert "Rebuild" in browser.text("explanation-text"), "a click explains nothing"
    browser.run("document.getElementById('explanation-close').click()")
    touch("touchStart", left + 74 + 4)
    touch("touchEnd")
    assert "Rebuild" in browser.text("explanation-text"), "a tap explains nothing"


def pages(browser):
    """Opens a report of a log and one of a fleet, one after the other."""
    for path in (browser.report(RECORDINGS[0].stem, RECORDINGS[0]), browser.fleet_report("fleet", EXPORT.read_text())):
        browser.open(path)
        browser.drawn()
        yield path


def test_names(browser):
    """Controls and pictures have names, tables have captions and headers."""
    for _ in pages(browser):
        unnamed = browser.run("""return [...document.querySelectorAll("button, input, select, canvas:not([aria-hidden])")].filter((control) =>
            !(control.getAttribute("aria-label") || control.labels?.length || control.textContent.trim())).map((control) => control.outerHTML.slice(0, 80))
            .concat([...document.querySelectorAll('input[id^=policy-][type=number]')].filter((each) => !each.getAttribute('aria-label')).map((each) => each.id))""")
        assert not unnamed, f"without a name: {unnamed}"
        tables = browser.run("return [...document.querySelectorAll('table')].every((table) => table.caption && table.querySelector('th[scope=col]'))")
        assert tables, "a table has no caption or headers"


def test_layout(browser):
    """Narrow screens have no sideways scrolling, dark mode is dark, paper is white without controls."""
    wide = "return [document.documentElement, document.querySelector('#cohorts .rows')].map((each) => each ? each.scrollWidth - each.clientWidth : 0)"
    ground = "return getComputedStyle(document.getElementById('fleet') || document.body).backgroundColor"
    try:
        for path in pages(browser):
            for width in WIDTHS:
                browser.size(width)
                browser.drawn()
                found = browser.run(wide)
                assert max(found) <= 0, f"{path.name}: on {width} px the page and its list are {found} px too wide"
            grounds = []
            for scheme in ("light", "dark"):
                browser.scheme(scheme)
                grounds.append(browser.run(ground))
            assert grounds[0] != grounds[1], f"{path.name}: dark mode is as light as light mode"
            browser.scheme("light", "print")
            assert browser.run("return !document.getElementById('zoom-in')?.offsetParent"), "the controls are printed"
            browser.scheme("light")
    finally:
        browser.scheme("light")
        browser.size(1600)


def test_size(browser):
    """The page without data is small enough."""
    size = len((browser.page.head + browser.page.tail).encode())
    assert size <= PAGE_BYTES_MAX, f"the page has {size} bytes without data; at most {PAGE_BYTES_MAX} are allowed"
    note(f"the page has {size} bytes without data")


def test_screenshots(browser, request):
    folder = request.config.option.screenshots
    folder.mkdir(parents=True, exist_ok=True)
    for path in [*(browser.report(log.stem, log) for log in (RECORDINGS[2], RECORDINGS[6])), browser.fleet_report("fleet", EXPORT.read_text())]:
        for scheme in ("light", "dark"):
            browser.scheme(scheme)
            for width in WIDTHS:
                browser.size(width)
                browser.open(path)
                time.sleep(2)
                browser.screenshot(folder / f"{path.stem}-{width}-{scheme}.png")
    browser.scheme("light")
    browser.size(1600)
