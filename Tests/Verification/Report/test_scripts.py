"""`window.settle`, and what rejected events do."""
import json

from reports import hostile_log

# Notes what calls throw as soon as the page has set window.settle, before anything is decided.
EARLY = """
Object.defineProperty(window, "settle", { configurable: true, set(settle) {
    Object.defineProperty(window, "settle", { value: settle });
    window.early = ["setPolicy", "decisions", "lines"].map((name) => {
        try { settle[name]("default"); return "nothing"; } catch (error) { return `${error.name}: ${error.message}`; }
    });
} });
"""
THROWN = "try { settle.setPolicy(arguments[0]); return 'nothing'; } catch (error) { return `${error.name}: ${error.message}`; }"

SECOND = 1_000_000_000
HOUR = 3600 * SECOND


def rejected_log():
    """A log of two seconds, with events of an hour later that an engine rejects."""
    size = lambda seconds, width: {"t_ns": int(seconds * SECOND), "scene": "a", "width": width, "height": 100}
    button = lambda at, number: {"t_ns": at, "kind": "pointer", "button": number, "pressed": True}
    events = [size(0, 100), {"t_ns": HOUR, "kind": "disconnect", "scene": "gone"}, size(0.5, 200)]
    events += [button(SECOND, number) for number in range(32)]
    events += [button(HOUR, 32), size(1.5, 300), {"t_ns": HOUR, "scene": "a", "width": -1, "height": 100}, size(2, 400)]
    header = {"settle": "events", "version": 1, "clock": "monotonic", "unit": "px", "source": "made", "name": "rejected"}
    return "".join(json.dumps(each) + "\n" for each in [header, *events])


def test_scripts(browser):
    """Scripts get exact times and the documented errors, also before the log is open."""
    log = browser.work / "late.jsonl"
    log.write_text(hostile_log())
    remove = browser.before_pages(EARLY)
    try:
        browser.open(browser.report("late", log))
    finally:
        remove()
    for said in browser.run("return window.early"):
        assert said == "Error: no log is open; wait for settle.ready", f"before `ready` a call throws {said}"
    kinds = browser.run("return [...new Set(settle.decisions().map((decision) => typeof decision.t_ns))]")
    assert kinds == ["bigint"], f"times above 2^53 are {kinds}, not BigInts"
    exact = browser.run("return settle.decisions().map((decision) => String(decision.t_ns))")
    assert exact == [str(decision["t_ns"]) for decision in browser.decisions()], "decisions and lines have other times"
    for policy in ({"pauseShare": "0%"}, {"calmDelay": None}, {"quietMaximum": "1s"}, {"firstDelay": -1}, {"lockDelay": 2**60 + 256},
                   {"discreteDelay": None}, {"settleDelay": "1s"}, "no name", None, []):
        thrown = browser.run(THROWN, policy)
        assert thrown.startswith("RangeError: "), f"setPolicy({json.dumps(policy)}) throws {thrown}, and no RangeError"
    browser.opened()
    kinds = browser.run("return [...new Set(settle.decisions().map((decision) => typeof decision.t_ns))]")
    assert kinds == ["number"], f"times below 2^53 are {kinds}, not numbers"


def test_rejected(browser):
    """An event that an engine rejects moves no time: a disconnect of no scene, a size, one button too many."""
    log = browser.work / "rejected.jsonl"
    log.write_text(rejected_log())
    browser.opened(log)
    facts = browser.text('facts').split()
    assert facts[facts.index("Time") + 1:] == ["2", "s"], f"a log of 2 s has the facts {' '.join(facts)}"
