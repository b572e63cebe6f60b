"""The hook, the element, the module in two parts, and transitions of the layout, in headless Chromium with Debian's React."""
import pathlib
import shutil
import time

import pytest
from chromium import Chromium
from pages import MODULE, Site
from support import wait_for

RESTLESS = "policy: { quietDelay: '20s', jumpDelay: '50ms', calmDelay: '60s' }"
LATER = 0.5  # seconds in which nothing more is to come


class Page:
    def __init__(self, browser, site, folder):
        self.run = browser.run
        browser.open(site.address("pages/components.html", module=f"/{folder}/"))
        wait_for("first builds", lambda: self.run("return globalThis.isCore && log.length >= 5"))
        self.first = sorted(self.run("return log"))

    def logs(self, script, *expected):
        """Why something else is logged after a script, None if nothing is."""
        self.run("log.length = 0;" + script)
        end = time.monotonic() + 10
        while sorted(self.run("return log")) != sorted(expected) and time.monotonic() < end:
            time.sleep(0.02)
        time.sleep(LATER)
        found = self.run("return log")
        return None if sorted(found) == sorted(expected) else f"{script} logs {found}, not {[*expected]}"


def first(page):
    if page.first != ["filled 50", "main 500 first", "one 200", "other 100 first", "rebuild 300 first"]:
        return f"at first {page.first}"
    if problem := page.logs(""):
        return problem
    if not page.run('return /"scene":"filled-[0-9]/.test(recording.text)'):
        return "an element without a name has not that of its id"
    return None if page.run("return root.textContent") == "200" else "the hook's size is not shown"


def hook(page):
    return (page.logs("render({ word: 'two', width: 333, policy: { quietDelay: '20s', jumpDelay: null } })")
            or page.logs("settle.flush()", "two 333")
            or (None if '"kind":"flush"' in page.run("return recording.text") else "a flush is not in the page's log")
            or page.logs("settle.resizing(true); root.firstChild.style.width = '350px'")
            or page.logs("settle.resizing(false)", "two 350")
            or page.logs("render({ word: 'three', width: 360, policy: 'default' }); setTimeout(settle.flush, 100)", "three 360")
            or page.logs("globalThis.gone = root.firstChild; render(null)")
            or page.logs("document.body.append(gone); gone.style.width = '99px'")
            or page.logs("render({ word: 'early', name: 'early', hidden: true })")
            or page.logs("render({ word: 'late', name: 'late', width: 222 })", "late 222")
            or (None if '"scene":"late"' in page.run("return recording.text") else "an element that comes later has another render's name")
            or page.logs("render({ word: 'slow', name: 'late', width: 230, policy: { quietDelay: '20s', jumpDelay: null } })")
            or page.logs("render({ word: 'default', name: 'late', width: 240 })", "default 240")
            # A policy that is written again is the same one, which forgets nothing: the next large change is none out of calm.
            or page.logs(f"render({{ word: 'calm', name: 'late', width: 400, {RESTLESS} }})", "calm 400")
            or page.logs(f"render({{ word: 'again', name: 'late', width: 600, {RESTLESS} }})")
            or page.logs("settle.flush()", "again 600"))


def box(page):
    return (page.logs("box.resizing(true); box.style.width = '420px'", "prepare 420")
            or page.logs("box.resizing(false)", "rebuild 420 made")
            or page.logs("globalThis.own = box; const parent = own.parentNode; own.remove(); parent.append(own)")
            or page.logs("own.remove(); own.style.width = '500px'; setTimeout(() => document.body.append(own), 100)", "rebuild 500 flush")
            or page.logs("failing = true; own.policy = { quietDelay: 0, jumpDelay: null, pauseDelay: null }; own.style.width = '510px'", "rebuild 510 quiet", "Uncaught Error: no picture")
            or page.logs("failing = false; own.flush()", "rebuild 510 flush")
            or page.logs("own.policy = 'fast'", "Uncaught RangeError: settle: no preset 'fast'; there are default,prepared,live,uikit")
            or page.logs("""own.setAttribute('policy', '\\n { "quietDelay": "20s", "jumpDelay": null, "pauseDelay": null }'); own.style.width = '520px'""")
            or page.logs("own.removeAttribute('policy'); own.style.width = '530px'", "prepare 530", "rebuild 530 made")
            # A build lasts until all that it waits for has ended: the next one does not begin before.
            or page.logs("""own.addEventListener('rebuild', (event) => {
                if (globalThis.isBusy) log.push('two at a time');
                globalThis.isBusy = true;
                for (const ms of [400, 1]) event.waitUntil(new Promise((end) => setTimeout(end, ms)).then(() => { if (ms > 1) globalThis.isBusy = false; }));
            });
            own.policy = { quietDelay: 0, jumpDelay: null, pauseDelay: null };
            own.style.width = '540px';
            setTimeout(() => own.style.width = '550px', 150)""", "rebuild 540 quiet", "rebuild 550 quiet"))


def transition(page):
    """Of the layout, once it has ended; of what is no layout, and elsewhere, never."""
    return (page.logs("side.style.width = '200px'; other.style.width = '120px'", "main 400 flush")
            or page.logs("main.parentNode.style.width = '700px'; side.style.opacity = 0.5")
            or page.logs("side.style.width = '190px'", "main 510 flush"))


PARTS = {"first": first, "hook": hook, "box": box, "transition": transition}
# What is planted in a file of the module: the part that finds it, the text, and what stands there instead.
FAULTS = (
    ("hook", "settle.react.js", "settle.options = options;", ""),
    ("hook", "settle.react.js", "settle.options = settle.rendered;", ""),
    ("hook", "settle.react.js", "observation?.stop();", ""),
    ("hook", "settle.react.js", "settle.usePolicy(options.policy);", ""),
    ("first", "settle.box.js", "position: absolute", "position: static"),
    ("box", "settle.box.js", "if (this.#observation) return;", ""),
    ("box", "settle.box.js", "return event._done;", ""),
    ("box", "settle.box.js", "this.#work.push(promise)", "(this.#work = [promise])"),
    ("box", "settle.box.js", "this.#observation?.setPolicy(this.policy);", ""),
    ("first", "settle.box.js", 'this.getAttribute("name") ?? undefined', "this.localName"),
    ("box", "settle.box.js", "text?.trim()", "text?"),
    ("hook", "settle.react.js", "if (written === settle.policy)", "if (!policy || written === settle.policy)"),
    ("hook", "settle.react.js", "const written = JSON.stringify(policy)", "const written = policy"),
    ("transition", "settle.lazy.js", "width|height|size", "height|size"),
    ("transition", "settle.lazy.js", ".parentNode.contains(", ".isSameNode("),
)


@pytest.fixture(scope="module")
def browser():
    with Chromium() as browser:
        yield browser


def problem_of(browser, part, folder):
    site = Site(module=folder, react=pathlib.Path("/usr/share/nodejs"))
    return PARTS[part](Page(browser, site, "module"))


@pytest.mark.parametrize("part", PARTS)
def test_component(browser, part):
    assert problem_of(browser, part, MODULE) is None


@pytest.mark.long
@pytest.mark.parametrize("part, name, text, instead", FAULTS)
def test_planted_component(browser, folder, part, name, text, instead):
    """A fault of a file of the module is found."""
    shutil.copytree(MODULE, folder, dirs_exist_ok=True)
    whole = (MODULE / name).read_text()
    assert whole.count(text) == 1
    (folder / name).write_text(whole.replace(text, instead))
    assert problem_of(browser, part, folder)
