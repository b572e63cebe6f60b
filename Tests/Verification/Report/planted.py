"""Faults to plant in the page, which checks must find."""
import base64
import pathlib
import re
import shutil
import sys
import tempfile

PAGE = pathlib.Path(__file__).resolve().parents[3] / "Sources/SettleReport/Page"
sys.path.insert(0, str(PAGE))
import assemble  # noqa: E402

# Name, check, module of the page, its text, what replaces it.
FAULTS = [
    ("decisions-lost", "decisions", "main", "=> opened().open(log).objects().map(line)", "=> opened().open(log).objects().slice(1).map(line)"),
    ("slider-dead", "sliders", "panel", "input: () => this.set(field, readValue(field, slider.value))", "input: () => {}"),
    ("percentage-as-time", "forms", "policy", "unit: number(32) === 1 ? 1 : 1e6", "unit: 1e6"),
    ("figures-swapped", "figures", "engine", "p90RightAfter: after(p90)", "p90RightAfter: after(sum)"),
    ("slow-builds-lost", "figures", "engine", "cost?.slowEvery ?? 0", "0"),
    ("reports-lost", "live", "engine", "this.core.page_cost(cost?.ns ?? NaN,", "this.core.page_cost(NaN,"),
    ("pause-wrong", "live", "explain", "* armed.cost * 100 / share) - armed.cost", "* armed.cost * 150 / share) - armed.cost"),
    ("c-wrong", "forms", "policy", "\"SETTLE_NEVER\"", "\"0\""),
    ("advice-free", "advice", "front", "this.log.front(this.all, this.todayRow.index, this.unexercised)", "this.log.front(this.all, this.todayRow.index, 0)"),
    ("sample-unsaid", "many", "answer", "search.isWhole ? words :", "words ? words :"),
    ("table-lag-wrong", "decision_table", "tables", "duration(decision.time - decision.since)", "duration(decision.time - decision.since * .99999)"),
    ("names-as-markup", "hostile", "dom", "made.textContent = value", "made.innerHTML = value"),
    ("damage-throws", "damaged", "data", "throw new Error(\"The report’s data is no JSON", "throw 1; throw new Error(\"The report’s data is no JSON"),
    ("drag-dead", "pointer", "timeline", "this.move(this.view.start - (after[0] - before[0]) * this.perPixel", "void (this.view.start - (after[0] - before[0]) * this.perPixel"),
    ("unnamed-control", "names", "panel", "\"aria-label\": `${field.label}, in ${unitOf(field)}`,", ""),
    ("fleet-advice-free", "fleet", "fleet", "core.front(this.gridCount, today, this.unexercised, bound)", "core.front(this.gridCount, today, 0, bound)"),
    ("early-crash", "scripts", "main", "if (!shownReport?.presets) throw", "if (false) throw"),
    ("saved-work-wrong", "answer", "answer", "(baselines.naive - rebuilds) * cost.ns", "(baselines.naive + rebuilds) * cost.ns"),
    ("logs-not-added", "several", "engine", "logs.reduce((total, log) => total + of(log), 0)", "of(logs[0])"),
    ("link-without-policy", "links", "fragment", "policy: others || null }", "policy: null }"),
    ("focus-covered", "focus", "answer", "setProperty(\"--stuck\"", "setProperty(\"--stick\""),
    ("rejected-counts", "rejected", "engine", "this.end = this.view.getFloat64(this.core.page_log_address() + 40, true)", "this.end = 36e11"),
]


def planted(tail, name):
    """The page before and after the data, with a fault and the WebAssembly of a page's end."""
    _, _, module, old, new = next(fault for fault in FAULTS if fault[0] == name)
    packed = base64.b64decode(max(re.findall(r'"([A-Za-z0-9+/]+=*)"', tail), key=len))
    with tempfile.TemporaryDirectory() as folder:
        parts = pathlib.Path(shutil.copytree(PAGE, folder, dirs_exist_ok=True))
        changed = parts / f"{module}.mjs"
        text = changed.read_text()
        if text.count(old) != 1:
            raise ValueError(f"the fault {name} has no place: its text stands {text.count(old)} times in {module}.mjs")
        changed.write_text(text.replace(old, new))
        return assemble.page(packed, parts)
