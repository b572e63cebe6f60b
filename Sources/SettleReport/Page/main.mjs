// Opens the report's data and connects the parts of the page.

import { list, named, object, readData, text } from "./data.mjs";
import { byId, colors, element, forgetColors, message, terms } from "./dom.mjs";
import { bytesOfBase64, Core, Log, Logs } from "./engine.mjs";
import { explanation, ruleTexts, rulesText } from "./explain.mjs";
import { clock, count, plural, shortened, shown } from "./format.mjs";
import { Search } from "./front.mjs";
import { FleetReport } from "./fleet_view.mjs";
import { FrontView } from "./front_view.mjs";
import { fragmentOf, readFragment } from "./fragment.mjs";
import { LogList } from "./logs.mjs";
import { PolicyPanel } from "./panel.mjs";
import { around, duration, parsed, same } from "./policy.mjs";
import { DecisionTable } from "./tables.mjs";
import { Timeline } from "./timeline.mjs";
import { Answer } from "./answer.mjs";
import { parsedCost, showBuilds, usualCost } from "./builds.mjs";

const wasmBytes = () => {
  const compressed = new Blob([bytesOfBase64("{{wasm}}")]).stream();
  return new Response(compressed.pipeThrough(new DecompressionStream("deflate"))).arrayBuffer();
};

const capital = (words) => words[0].toUpperCase() + words.slice(1);

const logsMost = 32;

class Report {
  constructor(data, module) {
    Object.assign(this, { data, module, logs: list(data.logs).map(object), opened: new Map(), damage: [] });
    if (data.version !== 1) this.damage.push(`the report’s "version" is ${named(data.version)}; this page reads 1, so parts may be missing`);
    this.search = new Search(() => this.searched());
    this.table = new DecisionTable((decision) => this.timeline.select(decision));
    this.timeline = new Timeline((decision, isHover) => this.explain(decision, isHover), () => this.noteView());
    this.written = "";
    addEventListener("hashchange", () => this.restore(location.hash.slice(1)));
    byId("explanation-close").addEventListener("click", () => this.timeline.select(null));
    // The column stays in view; one that is higher than the window, with its end.
    const side = document.querySelector(".side");
    const stick = () => side.style.setProperty("top", `min(var(--stuck) + 12px, ${innerHeight - side.offsetHeight - 12}px)`);
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
      // A browser has memory for about a hundred instances.
      if (this.opened.size >= logsMost) this.opened.delete(this.opened.keys().next().value);
      this.opened.set(index, log);
    }
    if (!this.all) this.prepare(log);
    if (!log.policy || !same(log.policy, this.policy) || log.cost?.text !== this.cost?.text) log.decide(this.policy, this.cost);
    return log;
  }

  /** Reads the report's policy, to count logs by. */
  prepare(all) {
    this.all = all;
    this.usual = usualCost(all);
    this.presets = all.presets();
    try {
      if (object(this.data.policy) !== this.data.policy) throw new Error(`it is ${named(this.data.policy)}, and no object`);
      this.reportPolicy = parsed(this.data.policy);
    } catch (error) {
      this.damage.push(`the report’s policy is not shown, but the default one: ${error.message}`);
      this.reportPolicy = this.presets.default;
    }
    this.policy = this.reportPolicy;
  }

  /** Lists all logs, and counts those that can be opened. */
  openAll() {
    const textOf = (index) => {
      try {
        return this.logText(index);
      } catch {
        return "*";
      }
    };
    this.list = new LogList(this.logs.map((info, index) => ({ name: text(info.name) || `log ${index + 1}`,
      events: Number.isSafeInteger(info.events) ? info.events : undefined,
      faults: Number.isSafeInteger(info.findingsCount) ? info.findingsCount : undefined })), (index) => this.show(index));
    this.prepare(new Logs(this.module, this.logs.map((_, index) => textOf(index))));
    this.list.show(this.all, this.policy);
  }

  /** What a build costs: what somebody stated, or the usual. */
  get cost() {
    return this.statedCost === undefined ? this.usual : this.statedCost;
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
    if (this.logs.length > 1 && !this.list) this.openAll();
    this.list?.mark(index);
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
    this.answer ??= new Answer(this.presets, (cost) => this.setCost(cost), (policy) => this.setPolicy(policy));
    this.frontView ??= new FrontView(this.presets, (policy) => this.setPolicy(policy));
    for (const name of ["content", "answer", "advice"]) byId(name).hidden = false;
    this.showFacts(info, header);
    const { samples } = this.data;
    if (Number.isSafeInteger(samples) && this.logs.length > 1) message(`All figures are of samples: ${count(samples)} of the logs have too many events for a report.`, true);
    this.timeline.show(log);
    this.table.show(log);
    this.panel.show(this.policy);
    this.explain(null, false);
    this.decided();
    if (matchMedia("(min-width: 1180px)").matches) this.selectFirst();
    this.selectedFirst = this.timeline.selected?.index;
  }

  /** Shows what a fragment says; one that is damaged, or of another page, changes nothing. */
  restore(fragment) {
    if (fragment === this.written) return;
    const { policy, statedCost, log } = this;
    let state, target;
    try {
      state = readFragment(fragment, this.reportPolicy);
      Object.assign(this, { policy: state.policy, statedCost: state.cost });
      target = this.open(state.log);
      if (state.decision >= target.decisionsCount) throw new RangeError("no such decision");
    } catch {
      Object.assign(this, { policy, statedCost });
      log?.decide(policy, this.cost);
      return;
    }
    this.written = fragment;
    this.today = null;
    this.search.forget();
    this.show(state.log);
    if (state.decision !== null) this.timeline.select(target.decision(state.decision), false);
    if (state.view) this.timeline.move(state.view[0], state.view[1] - state.view[0]);
  }

  /** Writes what is looked at into the page's address, once it stands still. */
  noteView() {
    clearTimeout(this.noting);
    this.noting = setTimeout(() => {
      const { start, end } = this.timeline.view, { bounds, selected } = this.timeline;
      const fragment = fragmentOf({ log: this.current, view: start === bounds.start && end === bounds.end ? null : [start, end],
        decision: selected && selected.index !== this.selectedFirst ? selected.index : null,
        cost: this.statedCost === undefined ? null : this.statedCost?.text ?? "none", policy: this.policy }, this.reportPolicy);
      if (fragment === this.written) return;
      this.written = fragment;
      history.replaceState(null, "", `#${fragment}`);
    }, 400);
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
    const { all, log } = this;
    all.setCost(this.cost);
    this.today ??= all.counted(this.reportPolicy).row;
    this.row = same(this.policy, this.reportPolicy) ? this.today : all.counted(this.policy).row;
    this.answer.show(all, this.today, this.row);
    this.list?.show(all, this.policy);
    showBuilds(log);
    this.showLegend();
    this.search.start(all, around(this.reportPolicy, this.policy));
    this.searched();
  }

  /** What follows from a search that went on. */
  searched() {
    this.answer.advise(this.search, (policy) => same(policy, this.policy));
    this.frontView.update(this.search, FrontView.marks(this.all.baselines, this.today, this.row));
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
      element("p", { class: "why", text: why }), element("dl", {}, ...terms(rows).flatMap((row) => [...row.children])),
      element("details", { open: this.showsRules, toggle: (event) => { this.showsRules = event.target.open; } }, element("summary", { text: rulesText(rules) }),
        element("dl", {}, ...terms(rules.split(", ").map((rule) => [rule, ruleTexts[rule]])).flatMap((row) => [...row.children]))));
  }

  /** Decides anew. Throws RangeError for a policy that is out of range. */
  setPolicy(policy) {
    this.policy = policy;
    this.decide();
  }

  /** Decides anew with builds of another cost: undefined for the usual one, null for what the log reports. */
  setCost(cost) {
    this.statedCost = cost;
    this.today = null;
    this.search.forget();
    this.decide();
  }

  decide() {
    if (!this.log) return;
    this.log.decide(this.policy, this.cost);
    this.panel.show(this.policy);
    this.table.decided();
    this.timeline.decided();
    this.decided();
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
    const items = [["width", "width", "line"], ["height", "height", "line"], ["shown size", "muted", "dashed"], ["interaction", "band-edge", ""], ["every size", "naive", "tick"],
      ["debounce", "debounce", "tick"], ["Settle’s rebuild and its build", "settle", "tick"], ["live", "live", "tick"], ["preview", "preview", "tick"],
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
  report.show(0);
  if (!isFleet && location.hash) report.restore(location.hash.slice(1));
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => report.redraw());
  addEventListener("beforeprint", () => report.print(true));
  addEventListener("afterprint", () => report.print(false));
  return report;
}

const report = start();

/**
 * For tests and scripts. `ready` is fulfilled once the first log is decided; the other members throw before.
 * `setPolicy` takes 'default', 'prepared', 'live', 'uikit', or an object as in a policy file, whose durations may also be
 * whole nanoseconds, and liveShare a whole percentage; what it leaves out has its default. It decides the log that is shown before it returns,
 * any other when it is asked for, and throws RangeError for a policy that no engine accepts. `decisions(log)`
 * are the contract's objects, in order; a `t_ns` above 2^53 − 1 is a BigInt. `lines(log)` are the same
 * as JSON text, exact: each has the values of a line of `settle replay --decisions -`. `setBuildCost` takes `8ms`,
 * `2ms+3ns/px`, `8ms+slow/20`, `none`, which feeds the log's own reports as a replay does, or null for what is usual; `figures(log)`
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
