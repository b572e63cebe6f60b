"""The page's first lines, several logs, and links to a view."""
import json
import re

from reports import RECORDINGS, data_of
from selenium.webdriver.common.keys import Keys

LINE = "return document.querySelector('#answer .line').innerText.replace(/\\s+/g, ' ')"
TYPE = "const field = document.getElementById('cost'); field.value = arguments[0]; field.dispatchEvent(new Event('change'))"


def duration(ns):
    """A length of time as the page and the command round it."""
    for unit, name, most, scale in ((1, "ns", 1e3, 1), (1e3, "µs", 1e6, 10), (1e6, "ms", 1e9, 10), (1e9, "s", 6e10, 100)):
        if ns < most:
            return f"{int(ns / (unit / scale) + .5) / scale:g} {name}" if ns else "0 s"
    seconds = int(ns // 1e9)
    return f"{seconds // 60} min {seconds % 60} s" if seconds < 3600 else f"{seconds // 3600} h {seconds % 3600 // 60} min"


def lag(ns):
    """A lag, which is known by two digits."""
    return duration(float(f"{ns:.2g}"))


def tune(browser, *logs):
    """What settle tune says of the default policy: its figures and the object."""
    tuned = json.loads(browser.settle.run("tune", "--json", *logs))
    return tuned["policies"][tuned["today"]], tuned


def line(browser, logs, ms, *options):
    """The first line, by settle replay and settle tune."""
    replays = [json.loads(browser.settle.run("replay", "--json", "--build-cost", f"{ms}ms", log)) for log in logs]
    today, tuned = tune(browser, *logs)
    saved = sum(each["savedOverEveryChange_ns"] for each in replays)
    half, most = lag(today["p50Lag_ns"]), lag(today["p95Lag_ns"])
    return (f"Settle: {today['rebuilds']:,} rebuilds instead of {sum(each['everyChange'] for each in replays):,} at every size, {duration(saved)} less work at each; "
            f"{'' if half == most else f'half of them within {half} and '}95 % within {most} of the last change, {today['wasted']:,} wasted. "
            f"A 100 ms debounce: {sum(each['fixedDebounce100ms'] for each in replays):,}, always 100 ms, {tuned['fixedDebounce100ms']['wasted']:,} wasted.")


def settled(browser):
    """The fragment that the page has written, a little after what was done."""
    browser.drawn()
    return browser.wait("setTimeout(() => arguments[0](location.hash), 500)")


def test_answer(browser):
    """The first line has the figures of settle replay and settle tune, also with another cost; a slider shows both policies' figures."""
    for log in browser.recordings()[:5]:
        browser.opened(log)
        for ms in (20, 8):
            browser.run(TYPE, f"{ms}ms")
            found, wanted = browser.run(LINE), line(browser, [log], ms)
            assert found == wanted, f"{log.name} at {ms} ms: the page says '{found}', not '{wanted}'"
    browser.opened(RECORDINGS[6])
    browser.run("settle.setPolicy({ reportedEndDelay: '50ms' })")
    changed = json.loads(browser.settle.run("replay", "--json", "--reported-end-delay", "50ms", RECORDINGS[6]))["rebuilds"]
    found = browser.run(LINE)
    assert re.search(r"within 0 s → 5[01] ms", found), f"a delay of 50 ms is answered by '{found}'"
    assert re.match(rf"Settle: (\d+ → )?{changed} rebuilds", found), f"the page says '{found}', not {changed} rebuilds"


def test_several(browser):
    """Several logs have the figures of all together, one front, and a list with each one's, which the keyboard sorts."""
    logs = [RECORDINGS[0], RECORDINGS[2], RECORDINGS[5]]
    browser.open(browser.report("several", *logs))
    found, wanted = browser.run(LINE), line(browser, logs, 20)
    assert found == wanted, f"of several logs the page says '{found}', not '{wanted}'"
    browser.tried()
    tuned = tune(browser, *logs)[1]
    advised = browser.run("return document.getElementById('front-text').textContent")
    assert advised.startswith(f"Advised: {tuned['copy']['options'] or 'the default policy'}."), f"of several logs the page says '{advised}'"
    rows = "return [...document.querySelectorAll('#index tbody tr')].map((row) => [...row.children].map((cell) => cell.textContent))"
    wanted = []
    for log in logs:
        figures, replay = tune(browser, log)[0], json.loads(browser.settle.run("replay", "--json", log))
        wanted.append([str(log), f"{replay['events']:,}", f"{replay['everyChange']:,}", f"{figures['rebuilds']:,}", f"{figures['wasted']:,}", lag(figures["p95Lag_ns"]), "0"])
    wasted = lambda row: -int(row[4].replace(",", ""))
    assert [row[4:6] for row in browser.run(rows)] == [row[4:6] for row in sorted(wanted, key=wasted)], f"the list begins with {browser.run(rows)[0]}"
    for presses, backwards in ((1, True), (2, False)):
        browser.run("document.querySelectorAll('#index .sort')[3].focus()")
        browser.press(Keys.ENTER)
        found = browser.run(rows)
        assert sorted(found) == sorted(wanted), f"the list has {found}, not {wanted}"
        counts = [int(row[3].replace(",", "")) for row in found]
        assert counts == sorted(counts, reverse=backwards), f"after Enter number {presses} the rebuilds are {counts}"
    assert browser.run("return document.activeElement.textContent") == "Rebuilds", "the sorted column's button lost the focus"
    browser.run("[...document.querySelectorAll('#index tbody button')].find((each) => each.textContent.includes('r06')).click()")
    assert browser.text("log-name") == logs[1].name, "a log of the list is not shown"
    data = json.loads(data_of(browser.settle.binary(logs[0])))
    data["logs"].insert(0, {"name": "damaged", "log": "AAAA"})
    browser.open(browser.made("several", json.dumps(data)))
    browser.run("document.querySelectorAll('#index tbody .link')[0].click()")
    found, wanted = browser.run(LINE), line(browser, logs[:1], 20)
    assert found == wanted and len(browser.run(rows)) == 2, f"beside a damaged log the page says '{found}', not '{wanted}'"


def test_links(browser):
    """The page's address has the view, and restores it."""
    path = browser.report("several", *RECORDINGS[:2])
    state = """return [document.getElementById('log-name').textContent, document.getElementById('visible').textContent, settle.lines(1).length,
        document.querySelector('#answer .line').innerText, document.getElementById('cost').value, document.getElementById('explanation-text').innerText]"""
    browser.open(path)
    settled(browser)
    default = browser.run(state)
    browser.run("""document.querySelectorAll('#index tbody .link')[arguments[0]].click(); settle.setPolicy({ quietDelay: '60ms', pauseDelay: '80ms' });
        document.getElementById('zoom-in').click(); document.getElementById('zoom-in').click(); document.getElementById('next').click()""", 1)
    browser.run(TYPE, "2ms+3ns/px")
    fragment, wanted = settled(browser), browser.run(state)
    assert wanted != default and all(key in fragment for key in ("view=", "decision=", "cost=", "quietDelay:60ms", "pauseDelay:80ms")), f"the view is '{fragment}'"
    opened_at(browser, path, fragment)
    found = browser.run(state)
    assert found == wanted, f"'{fragment}' shows {found}, not {wanted}"
    opened_at(browser, path, "#view=0,2000000000")
    found = browser.run(state)
    assert found[1].startswith("0.00 s to 2.00 s") and [*found[:1], *found[2:]] == [*default[:1], *default[2:]], f"two seconds of the default view are {found}"


def opened_at(browser, path, fragment):
    """Opens a report at a fragment, as from a link."""
    browser.open(f"{path}{fragment}")
    settled(browser)


def test_focus(browser):
    """Tab begins with the answer and follows what is seen; what has the focus is never covered; targets are large enough."""
    path = browser.report("several", *RECORDINGS[:3])
    try:
        for width, height in ((800, 600), (390, 844), (1400, 900)):
            browser.size(width, height)
            browser.open(path)
            browser.drawn()
            small = browser.run("""return [...document.querySelectorAll("button, input, select, summary")].map((each) => each.type === "checkbox" ? each.parentElement : each)
                .filter((each) => each.checkVisibility()).map((each) => [each.id || each.textContent, each.getBoundingClientRect()])
                .filter(([, box]) => box.width < 24 || box.height < 24).map(([name, box]) => `${name}: ${box.width} × ${box.height}`)""")
            assert not small, f"on {width} px these targets are less than 24 px: {small}"
            browser.run("document.documentElement.style.scrollBehavior = 'auto'; document.activeElement.blur(); scrollTo(0, 0)")
            order = []
            for keys in [Keys.TAB] * 50 + [Keys.SHIFT + Keys.TAB + Keys.NULL] * 20:
                browser.press(keys)
                name, covered = browser.run("""const at = document.activeElement, box = at.getBoundingClientRect(), answer = document.getElementById("answer");
                    const bottom = answer.contains(at) || at.className.includes("skip") ? 0 : answer.getBoundingClientRect().bottom;
                    return [at.id || at.textContent, box.top < bottom - 1 || (box.bottom > innerHeight + 1 && box.height < innerHeight - bottom)];""")
                order.append(name)
                assert not covered, f"on {width} × {height} px {name} has the focus, and is covered"
            assert order[:6] == ["Skip to the timeline", "cost", "options", "Swift", "JSON", "Log"], f"Tab begins with {order[:6]}"
    finally:
        browser.size(1600)
