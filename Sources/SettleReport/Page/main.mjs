// Opens the report's data and connects the parts of the page.

import { byId, colors, element, forgetColors, message, terms } from "./dom.mjs";
import { bytesOfBase64, Core, Log } from "./engine.mjs";
import { explanation, rulesText } from "./explain.mjs";
import { clock, count, plural, shortened, shown } from "./format.mjs";
import { Search } from "./front.mjs";
import { FleetReport } from "./fleet_view.mjs";
import { FrontView, lagText } from "./front_view.mjs";
import { PolicyPanel } from "./panel.mjs";
import { around, duration, parsed, same } from "./policy.mjs";
import { DecisionTable } from "./tables.mjs";
import { Timeline } from "./timeline.mjs";
import { Builds, parsedCost, usualCost } from "./builds.mjs";
import { showTotals } from "./totals.mjs";

const wasmBytes = () => {
  const compressed = new Blob([bytesOfBase64("{{wasm}}")]).stream();
  return new Response(compressed.pipeThrough(new DecompressionStream("deflate"))).arrayBuffer();
};

const text = (value) => (typeof value === "string" ? value : "");
const list = (value) => (Array.isArray(value) ? value : []);
const object = (value) => (value !== null && typeof value === "object" && !Array.isArray(value) ? value : {});

const capital = (words) => words[0].toUpperCase() + words.slice(1);

/** A value of JSON in words. */
const named = (value) => (value === undefined ? "missing" : value === null ? "null" : Array.isArray(value) ? "a list"
  : typeof value === "object" ? "an object" : `the ${typeof value} ${shortened(String(value), 40)}`);

/** The report's data, whatever is wrong with it. Throws Error, with a sentence, if nothing can be shown. */
function readData() {
  let data;
  try {
    data = object(JSON.parse(byId("settle-data").textContent));
  } catch {
    throw new Error("The report’s data is no JSON: the file is damaged. Write the report again.");
  }
  if (data.settle !== "report") throw new Error("The file has no report’s data. Write the report again.");
  if (data.logs !== undefined && !Array.isArray(data.logs)) throw new Error(`The report’s "logs" is ${named(data.logs)}, and no list: the file is damaged. Write the report again.`);
  if (data.fleet === undefined && list(data.logs).length === 0) throw new Error("The report has no log.");
  return data;
}

class Report {
  constructor(data, module) {
    Object.assign(this, { data, module, logs: list(data.logs).map(object), opened: new Map(), today: new Map(), damage: [] });
    if (data.version !== 1) this.damage.push(`the report’s "version" is ${named(data.version)}; this page reads 1, so parts may be missing`);
    this.search = new Search((search) => this.frontView.update(search, this.marks()));
    this.table = new DecisionTable((decision) => this.timeline.select(decision));
    this.timeline = new Timeline((decision, isHover) => this.explain(decision, isHover));
    byId("explanation-close").addEventListener("click", () => this.timeline.select(null));
    // The column stays in view; one that is higher than the window, with its end.
    const side = document.querySelector(".side");
    const stick = () => side.style.setProperty("top", `${Math.min(12, innerHeight - side.offsetHeight - 12)}px`);
    new ResizeObserver(stick).observe(side);
    addEventListener("resize", stick);
  }

  /** The log of a number, opened and decided under the policy. Throws Error with a sentence. */
  open(index) {
    let log = this.opened.get(index);
    if (!log) {
      if (!this.logs[index]) throw new RangeError(`there is no log ${index}; the report has ${this.logs.length}`);
      try {
        log = new Log(this.module, this.logText(index));
      } catch (error) {
        throw new Error(`The log cannot be shown: ${error.message}. Write the report again.`);
      }
      this.opened.set(index, log);
    }
    this.presets ??= log.presets();
    if (!this.reportPolicy) {
      try {
        if (object(this.data.policy) !== this.data.policy) throw new Error(`it is ${named(this.data.policy)}, and no object`);
        this.reportPolicy = parsed(this.data.policy);
      } catch (error) {
        this.damage.push(`the report’s policy is not shown, but the default one: ${error.message}`);
        this.reportPolicy = this.presets.default;
      }
      this.policy = this.reportPolicy;
    }
    const cost = this.costOf(log);
    if (!log.policy || !same(log.policy, this.policy) || log.cost?.text !== cost?.text) log.decide(this.policy, cost);
    return log;
  }

  /** What builds of a log cost: what somebody stated, or the usual. */
  costOf(log) {
    return this.cost === undefined ? log.usual ??= usualCost(log) : this.cost;
  }

  /** A log's base64. Throws Error with what is there instead. */
  logText(index) {
    const info = this.data.logs[index], which = `number ${index + 1} of the report’s logs`;
    if (object(info) !== info) throw new Error(`${which} is ${named(info)}, and no object: the file is damaged`);
    if (typeof info.log !== "string") throw new Error(`"log" of ${which} is ${named(info.log)}, and no text: the file is damaged`);
    if (info.log === "") throw new Error(`"log" of ${which} is empty: the file is damaged`);
    return info.log;
  }

  /** Faults of the report itself, as far as one of its logs shows. */
  damageOf(info) {
    const { log } = this, found = [...this.damage, ...log.damage];
    if (info.events !== log.events) {
      const stated = Number.isSafeInteger(info.events) ? count(info.events) : named(info.events);
      found.push(`the report’s number of events is ${stated}, but ${count(log.events)} were decoded`);
    }
    return found.map((words) => `${capital(words)}. Write the report again.`);
  }

  /** Shows the log of a number. */
  show(index) {
    this.current = index;
    this.marked();
    const info = this.logs[index], header = object(info.header);
    const path = text(info.name) || text(header.name) || "log", name = path.split("/").at(-1) || path;
    byId("log-name").textContent = shortened(name, 120);
    byId("log-name").title = shown(path);
    document.title = `${shortened(name, 80)} · Settle report`;
    byId("messages").replaceChildren();
    byId("content").hidden = true;
    let log;
    try {
      log = this.open(index);
    } catch (error) {
      byId("facts").replaceChildren();
      message(error.message);
      return this.damage.forEach((words) => message(`Also, ${words}.`));
    }
    this.log = log;
    this.panel ??= new PolicyPanel(this.presets, this.reportPolicy, (policy) => this.setPolicy(policy));
    this.builds ??= new Builds((cost) => this.setCost(cost));
    this.frontView ??= new FrontView(this.presets, (policy) => this.setPolicy(policy));
    byId("content").hidden = false;
    this.showFacts(info, header);
    this.timeline.show(log);
    this.table.show(log);
    this.panel.show(this.policy);
    this.explain(null, false);
    this.decided();
    if (matchMedia("(min-width: 1180px)").matches) this.selectFirst();
  }

  /** Explains a decision before anybody asks: the first rebuild that had to wait for something. */
  selectFirst() {
    const most = Math.min(this.log.decisionsCount, 1000);
    for (let index = 0; index < most; index++) {
      if (this.log.kindOf(index) === "rebuild" && this.log.decision(index).reason !== "first") {
        return this.timeline.select(this.log.decision(index), false);
      }
    }
  }

  showFacts(info, header) {
    const { log } = this;
    byId("facts").replaceChildren(...terms([
      ["Source", shortened(text(header.source), 60)], ["Recorded as", shortened(text(header.name), 60)], ["Clock", shown(text(header.clock))],
      ["Unit", shortened(text(header.unit), 20)], ["Format", shortened(text(info.format), 30)],
      ["Events", count(log.events)], ["Scenes", count(log.names.length)], ["Time", duration(log.end)],
    ].map(([term, value]) => [term, value === "(no name)" ? null : value])));
    if (text(info.fault)) message(`Reading the log stopped: ${shown(info.fault)}. What was read before is shown.`);
    if (log.fault) message(`The log in this report is damaged: ${log.fault}. What is whole before is shown.`);
    if (!log.hasIndex && !log.fault) message("The log in this report has no index, so parts that are missing from it would not be noticed.", true);
    for (const note of list(info.notes)) message(shown(text(note)), true);
    const findings = list(info.findings).filter((finding) => typeof finding === "string");
    const all = Number.isSafeInteger(info.findingsCount) ? Math.max(info.findingsCount, findings.length) : findings.length;
    const own = this.damageOf(info), parts = [];
    if (own.length > 0) parts.push(`${plural(own.length, "fault")} of the report`);
    if (all > 0) parts.push(`${plural(all, "fault")} of the log` + (findings.length < all ? `, ${count(findings.length)} of them here` : ""));
    byId("findings").hidden = parts.length === 0;
    byId("findings").open = own.length > 0 || findings.length <= 10;
    byId("findings").querySelector("summary").textContent = parts.join("; ");
    byId("findings").querySelector("ul").replaceChildren(...[...own, ...findings].map((finding) => element("li", { text: shown(finding) })));
  }

  /** What follows from a log that was decided anew. */
  decided() {
    const { log } = this;
    if (!this.today.has(this.current)) {
      this.today.set(this.current, log.counted(this.reportPolicy).row);
    }
    this.showTotals();
    this.builds.show(log);
    this.showLegend();
    this.search.start(log, around(this.reportPolicy, this.policy));
    this.frontView.update(this.search, this.marks());
  }

  marks() {
    return FrontView.marks(this.log, this.presets, this.reportPolicy, this.today.get(this.current), this.policy);
  }

  showTotals() {
    const { totals, baselines } = this.log;
    showTotals(baselines, [{ title: "Settle", sub: same(this.policy, this.reportPolicy) ? "the report’s policy" : "this policy", rebuilds: totals.rebuilds, rows: [
      ["wasted", count(totals.wasted)], ["p50 lag", lagText(totals.p50)], ["p95 lag", lagText(totals.p95)],
      ["previews", this.policy.pauseDelay === null ? null : count(totals.previews)]] }]);
    byId("summary").textContent = `Settle: ${plural(totals.rebuilds, "rebuild")}, ${count(totals.wasted)} wasted, p95 lag ${lagText(totals.p95)}. `
      + `Naive: ${count(baselines.naive)}. Debounce: ${count(baselines.debounce)}.`;
  }

  /** Explains a decision; of a large log, which has to be decided again for it, a little later. */
  explain(decision, isHover) {
    clearTimeout(this.later);
    byId("explanation").classList.toggle("picked-one", decision !== null);
    byId("explanation-close").hidden = decision === null;
    this.table.mark(decision?.index);
    if (decision && this.log.events > 100_000) this.later = setTimeout(() => this.explainNow(decision, isHover), 120);
    else this.explainNow(decision, isHover);
  }

  explainNow(decision, isHover) {
    const root = byId("explanation-text");
    if (!decision) {
      return root.replaceChildren(element("p", { class: "muted",
        text: "Point at a tick or step through the decisions: each one explains itself here." }));
    }
    // What only passes under the pointer is not read out.
    root.setAttribute("aria-live", isHover ? "off" : "polite");
    const { title, why, rules, rows } = explanation(this.log, decision);
    root.replaceChildren(element("h3", { text: title }),
      element("p", { class: "muted", text: `${shortened(this.log.names[decision.scene])}, ${clock(decision.time)}` }),
      element("p", { class: "why", text: `${why} (${capital(rulesText(rules))}.)` }),
      element("dl", {}, ...terms(rows).flatMap((row) => [...row.children])));
  }

  /** Decides anew. Throws RangeError for a policy that is out of range. */
  setPolicy(policy) {
    this.policy = policy;
    this.decide();
  }

  /** Decides anew with builds of another cost: undefined for the usual one, null for what the log reports. */
  setCost(cost) {
    this.cost = cost;
    this.today.clear();
    this.search.forget();
    this.decide();
  }

  decide() {
    if (!this.log) return;
    this.log.decide(this.policy, this.costOf(this.log));
    this.panel.show(this.policy);
    this.table.decided();
    this.timeline.decided();
    this.decided();
  }

  showIndex() {
    if (this.logs.length < 2) return;
    const rows = this.logs.map((info, index) => element("tr", {},
      element("th", { scope: "row" }, element("button", { type: "button", class: "link", text: shortened(text(info.name) || `log ${index + 1}`, 80),
        click: () => this.show(index) })),
      element("td", { text: shortened(text(object(info.header).source), 40) }),
      element("td", { class: "number", text: Number.isSafeInteger(info.events) ? count(info.events) : "" }),
      element("td", { class: "number", text: Number.isSafeInteger(info.findingsCount) ? count(info.findingsCount) : "" })));
    byId("index").hidden = false;
    byId("index").replaceChildren(element("h2", { text: plural(this.logs.length, "log") }), element("div", { class: "rows" },
      element("table", {}, element("caption", { class: "visually-hidden", text: "The logs of this report" }),
      element("thead", {}, element("tr", {}, element("th", { scope: "col", text: "Log" }), element("th", { scope: "col", text: "Source" }),
        element("th", { scope: "col", class: "number", text: "Events" }), element("th", { scope: "col", class: "number", text: "Faults" }))),
      element("tbody", {}, ...rows))));
  }

  marked() {
    byId("index").querySelectorAll("tbody tr").forEach((row, index) => {
      if (index === this.current) row.setAttribute("aria-current", "true");
      else row.removeAttribute("aria-current");
    });
  }

  redraw() {
    forgetColors();
    colors();
    this.timeline.draw();
    this.frontView?.draw();
  }

  print(isPrinting) {
    document.documentElement.toggleAttribute("data-print", isPrinting);
    forgetColors();
    if (isPrinting) {
      byId("findings").open = true;
      this.timeline.print();
      this.frontView?.drawNow(true);
    } else this.redraw();
  }

  showLegend() {
    const { log } = this, known = { preview: log.policy.pauseDelay !== null, buttons: log.pointers > 0 };
    known.live = this.timeline.lanes.some((lane) => lane.decided.isLive.includes(true));
    known.lock = this.timeline.lanes.some((lane) => lane.facts.hasLock);
    const items = [["width", "width", "line"], ["height", "height", "line"], ["shown size", "muted", "dashed"], ["interaction", "band-edge", ""], ["naive rebuild", "naive", "tick"],
      ["debounce 100 ms", "debounce", "tick"], ["Settle’s rebuild and its build", "settle", "tick"], ["live", "live", "tick"], ["preview", "preview", "tick"],
      ["button held", "buttons", ""], ["lock", "lock", ""]];
    byId("legend").replaceChildren(...items.filter(([, color]) => known[color] ?? true).map(([words, color, shape]) => {
      const swatch = element("span", { class: `swatch ${shape}`, "aria-hidden": "true" });
      swatch.style.setProperty("--series", `var(--${color})`);
      return element("li", {}, swatch, words);
    }));
  }
}

/** A decision as JSON text, with the values that `settle replay --decisions -` prints. */
function line(decision) {
  const time = String(decision.t_ns);
  return JSON.stringify({ ...decision, t_ns: 0 }).replace('"t_ns":0', `"t_ns":${time}`);
}

async function start() {
  const data = readData();
  const isFleet = data.fleet !== undefined, module = await WebAssembly.compile(await wasmBytes());
  byId("generator").textContent = [shown(text(data.generator) || "settle"), isFleet ? "a fleet’s sums, decided before by Settle’s own core"
    : "decided in this page by Settle’s own core"].join(", ");
  // The parts of the page for the other kind of report.
  for (const part of document.querySelectorAll(isFleet ? ".of-log" : ".of-fleet")) part.remove();
  const report = isFleet ? new FleetReport(data, new Core(module)) : new Report(data, module);
  if (!isFleet) report.showIndex();
  report.show(0);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => report.redraw());
  addEventListener("beforeprint", () => report.print(true));
  addEventListener("afterprint", () => report.print(false));
  return report;
}

const report = start();

/**
 * For tests and scripts. `ready` is fulfilled once the first log is decided; the other members throw before.
 * `setPolicy` takes 'default', 'uikit', or an object as in a policy file, whose durations may also be
 * whole nanoseconds, and liveShare a whole percentage; what it leaves out has its default. It decides the log that is shown before it returns,
 * any other when it is asked for, and throws RangeError for a policy that no engine accepts. `decisions(log)`
 * are the contract's objects, in order; a `t_ns` above 2^53 − 1 is a BigInt. `lines(log)` are the same
 * as JSON text, exact: each has the values of a line of `settle replay --decisions -`. `setBuildCost` takes `8ms`,
 * `2ms+3ns/px`, `none`, which feeds the log's own reports as a replay does, or null for what is usual; `figures(log)`
 * are what builds of that cost come to, in ns: of Settle, and of the habits in the kernel's order.
 */
let shownReport = null;
const opened = () => {
  if (!shownReport?.presets) throw new Error("no log is open; wait for settle.ready");
  return shownReport;
};
window.settle = {
  ready: report.then((made) => {
    shownReport = made;
    performance.mark("settle-ready");
  }),
  setPolicy(policy) {
    const { presets } = opened();
    const isName = typeof policy === "string" && Object.hasOwn(presets, policy);
    shownReport.setPolicy(isName ? presets[policy] : parsed(policy));
  },
  setBuildCost(text) {
    opened().setCost(text === null ? undefined : parsedCost(String(text)));
  },
  figures(log = 0) {
    const [settle, ...habits] = opened().open(log).figures() ?? [null];
    return { cost: opened().open(log).cost?.text ?? null, settle, habits };
  },
  decisions: (log = 0) => opened().open(log).objects(),
  lines: (log = 0) => opened().open(log).objects().map(line),
};
window.settle.ready.catch((error) => {
  byId("messages").replaceChildren();
  document.title = "Settle report";
  byId("log-name").textContent = "Settle report";
  message(error instanceof Error ? error.message : String(error));
});
