// The report of a fleet: its cohorts, and the front of the one that is chosen.

import { byId, colors, element, forgetColors, message, optionsOf, terms } from "./dom.mjs";
import { Fleet } from "./fleet.mjs";
import { count, plural, shortened, shown } from "./format.mjs";
import { FrontView, lagText } from "./front_view.mjs";
import { PolicyText } from "./panel.mjs";
import { differences, duration, forms } from "./policy.mjs";
import { percent, showTotals } from "./totals.mjs";

const cohortsMost = 50;

/** How many rebuilds fewer than today a policy has, negative for more. */
const savedOf = (cohort, point) => cohort.today.rebuilds - point.rebuilds;

/** A number with its sign and its part of today's rebuilds. */
function savedText(cohort, point) {
  const saved = savedOf(cohort, point);
  if (saved === 0) return "0";
  const sign = saved < 0 ? "−" : "", part = percent(Math.abs(saved), cohort.today.rebuilds).replace(" ", "\u00a0");
  return `${sign}${count(Math.abs(saved))} (${sign}${part})`;
}

/** The front of a cohort, which names policies by what differs from today’s. */
class FleetFront extends FrontView {
  constructor(fleet, take) {
    super({ default: fleet.todaysPolicy, uikit: {} }, take);
    this.fleet = fleet;
  }

  changesText(policy) {
    return differences(policy, this.presets.default).length === 0 ? "today’s policy" : forms.Options(policy, this.presets);
  }

  noteOf(point) {
    const notes = [[this.knee?.index, "knee"], [this.fleet.today, "today"], [this.advised?.index, this.adviceWord.toLowerCase()]]
      .filter(([index]) => index === point.index).map(([, note]) => note);
    return notes.length > 0 ? ` (${notes.join(", ")})` : "";
  }

  get adviceWord() {
    return this.bound === null ? "Advised" : "Choice";
  }

  triedChanges() {
    return this.fleet.changes.reduce((bits, each) => bits | each, 0);
  }

  drawAxes(drawing, at, palette, height) {
    super.drawAxes(drawing, at, palette, height);
    if (this.bound === null || this.bound > at.topLag) return;
    drawing.fillStyle = palette.knee;
    drawing.fillRect(at.left, Math.round(at.y(this.bound)), at.right - at.left, 1);
  }
}

/** What the cohorts can be sorted by: a number, the largest first; null for the export's order. */
const orders = {
  "cohort": null,
  "sessions": (cohort) => cohort.sessions,
  "rebuilds today": (cohort) => cohort.today.rebuilds,
  "p95 lag today": (cohort) => cohort.today.p95,
  "rebuilds saved": (cohort, point) => (point ? savedOf(cohort, point) : -Infinity),
};

export class FleetReport {
  /** Throws Error, with a sentence, if nothing can be shown. */
  constructor(data, core) {
    this.core = core;
    this.presets = core.presets();
    try {
      this.fleet = new Fleet(data.fleet, core);
    } catch (error) {
      throw new Error(`The report’s fleet is damaged: ${error.message}. Write the report again.`);
    }
    Object.assign(this, { bound: null, page: 0, chosen: this.fleet.all });
    const path = typeof data.name === "string" && data.name !== "" ? data.name : "fleet", name = path.split("/").at(-1) || path;
    byId("log-name").textContent = shortened(name, 120);
    byId("log-name").title = shown(path);
    document.title = `${shortened(name, 80)} · Settle report`;
    byId("messages").replaceChildren();
    const { fleet } = this;
    byId("facts").replaceChildren(...terms([["Sessions", count(fleet.sessions)], ["Damaged", count(fleet.damaged)],
      ["Cohorts", count(fleet.cohorts.length)], ["Policies", count(fleet.policies.length)], ["Events", count(fleet.all?.events ?? 0)]]));
    if (fleet.damaged > 0) message(`${plural(fleet.damaged, "session")} had damage. Of these at most what is whole counts.`, true);
    this.text = new PolicyText(this.presets);
    this.frontView = new FleetFront(fleet, (policy) => this.text.show(policy));
    byId("fleet-sort").append(...Object.keys(orders).map((text) => element("option", { text })));
    for (const id of ["fleet-sort", "fleet-find"]) byId(id).addEventListener("input", () => { this.page = 0; this.fillList(); });
    byId("fleet-bound").addEventListener("input", () => this.setBound(byId("fleet-bound").value));
    // The front comes before the policy to copy.
    document.querySelector(".columns").append(document.querySelector(".side"));
    byId("fleet").hidden = fleet.cohorts.length === 0;
    if (fleet.cohorts.length === 0) message("The fleet has no session, so there is nothing to show.", true);
  }

  /** Shows the first page, once the parts of the other report are gone. */
  show() {
    if (this.fleet.cohorts.length === 0) return;
    byId("content").hidden = false;
    byId("front-list").open = true;
    this.setBound("");
  }

  /** Takes the text of a bound of the p95 lag in ms; none if it is empty. */
  setBound(text) {
    const wanted = text.trim() === "" ? null : Number(text), isNumber = wanted === null || (Number.isFinite(wanted) && wanted >= 0);
    byId("fleet-said").textContent = isNumber && !byId("fleet-bound").validity.badInput ? "" : "Give a number of milliseconds, 0 or more.";
    this.bound = wanted === null || !isNumber ? null : Math.round(wanted * 1e6);
    this.boundText = this.bound === null ? null : duration(this.bound);
    this.fillList();
    this.choose(this.chosen);
    this.summarise();
  }

  summarise() {
    const { fleet } = this, today = fleet.all.today.rebuilds;
    const chosen = fleet.cohorts.map((cohort) => cohort.advised(this.bound)), found = chosen.filter((point) => point !== null);
    const versus = (rebuilds) => (rebuilds === today ? "as many as today" : rebuilds < today ? `${count(today - rebuilds)} fewer than today`
      : `${count(rebuilds - today)} more than today`);
    const one = fleet.all.advised(this.bound), sum = found.reduce((total, point) => total + point.rebuilds, 0);
    const own = found.length === chosen.length ? `a policy for each cohort: ${plural(sum, "rebuild")}, ${versus(sum)}.`
      : `${count(found.length)} of ${plural(chosen.length, "cohort")} ${found.length === 1 ? "has" : "have"} a policy.`;
    const all = one ? `One policy for all sessions together: ${plural(one.rebuilds, "rebuild")}, ${versus(one.rebuilds)}.` : "No policy for all sessions together.";
    byId("fleet-summary").textContent = (this.bound === null ? own[0].toUpperCase() + own.slice(1) : `With a p95 lag of at most ${this.boundText}, ${own}`) + ` ${all}`;
  }

  /** The cohorts that are wanted, in their order. */
  wanted() {
    const find = byId("fleet-find").value.trim().toLowerCase(), order = orders[byId("fleet-sort").value];
    const found = this.fleet.cohorts.filter(({ name }) => name.toLowerCase().includes(find));
    if (!order) return found;
    const value = new Map(found.map((cohort) => [cohort, order(cohort, cohort.advised(this.bound))]));
    return found.sort((a, b) => (value.get(a) === value.get(b) ? 0 : value.get(b) > value.get(a) ? 1 : -1));
  }

  row(cohort) {
    const point = cohort.advised(this.bound), none = this.bound === null ? "" : "none";
    const changes = point ? this.frontView.changesText(this.fleet.policies[point.index]) : "no policy is within the bound";
    const row = element("tr", {},
      element("th", { scope: "row" }, element("button", { type: "button", class: "link cohort", text: cohort.name, click: () => this.choose(cohort) })),
      element("td", { class: "number", text: count(cohort.sessions) }), element("td", { class: "number optional", text: count(cohort.damaged) }),
      element("td", { class: "number", text: count(cohort.today.rebuilds) }), element("td", { class: "number optional", text: lagText(cohort.today.p95) }),
      element("td", { class: "number", text: point ? count(point.rebuilds) : none }), element("td", { class: "number optional", text: point ? lagText(point.p95) : "" }),
      element("td", { class: "number long", text: point ? savedText(cohort, point) : "" }),
      element("td", { class: "optional" }, ...optionsOf(changes)));
    row.cohort = cohort;
    return row;
  }

  fillList() {
    const { fleet } = this, wanted = this.wanted(), pages = Math.max(1, Math.ceil(wanted.length / cohortsMost));
    this.page = Math.min(this.page, pages - 1);
    const first = this.page * cohortsMost, part = wanted.slice(first, first + cohortsMost);
    // All together stands first, on every page.
    const rows = [...(fleet.all === fleet.cohorts[0] ? [] : [fleet.all]), ...part].map((cohort) => this.row(cohort));
    const heads = [[fleet.columns.map((column) => shortened(column, 30)).join(" · ") || "Cohort", ""], ["Sessions", "number"], ["Damaged", "number optional"],
      ["Today", "number"], ["p95 lag", "number optional"], ["Advised", "number"], ["p95 lag", "number optional"], ["Saved", "number"], ["What changes", "optional"]];
    const shownPart = pages === 1 ? plural(wanted.length, "cohort") : `Cohorts ${count(first + 1)} to ${count(first + part.length)} of ${count(wanted.length)}`;
    const turn = (text, page, isOff) => element("button", { type: "button", text, disabled: isOff, click: () => {
      this.page = page;
      this.fillList();
      byId("cohorts").querySelector(".pager button:not(:disabled)")?.focus({ preventScroll: true });
    } });
    byId("cohorts").replaceChildren(element("div", { class: "rows" }, element("table", {},
      element("caption", { text: `${shownPart}; rebuilds and p95 lag of today’s policy, and of the one that is advised` }),
      element("thead", {}, element("tr", {}, ...heads.map(([text, kind]) => element("th", { scope: "col", class: kind, text })))),
      element("tbody", {}, ...rows))),
    ...(pages === 1 ? [] : [element("div", { class: "pager" }, turn("Previous", this.page - 1, this.page === 0),
      element("span", { text: `Page ${count(this.page + 1)} of ${count(pages)}` }), turn("Next", this.page + 1, this.page === pages - 1))]));
    this.mark();
  }

  mark() {
    for (const row of byId("cohorts").querySelectorAll("tbody tr")) {
      if (row.cohort === this.chosen) row.setAttribute("aria-current", "true");
      else row.removeAttribute("aria-current");
    }
  }

  /** Shows the front of a cohort. */
  choose(cohort) {
    this.chosen = cohort;
    this.mark();
    const { today, baselines } = cohort, advised = cohort.advised(this.bound);
    const rows = (point) => [["wasted", count(point.wasted)], ["p50 lag", lagText(point.p50)], ["p95 lag", lagText(point.p95)], ["p99 lag", lagText(point.p99)],
      ["previews", point.previews > 0 ? count(point.previews) : null]];
    const why = this.bound !== null ? `p95 lag within ${this.boundText}` : "not more rebuilds, nor wasted ones";
    byId("cohort-name").textContent = cohort.name;
    showTotals(baselines, [{ title: "Today", sub: "today’s policy", rebuilds: today.rebuilds, rows: rows(today) },
      ...(advised ? [{ title: this.bound === null ? "Advised" : "Choice", sub: why, rebuilds: advised.rebuilds, rows: [...rows(advised), ["saved", savedText(cohort, advised)]] }] : [])]);
    byId("no-choice").textContent = advised ? ""
      : `No policy has a p95 lag of at most ${this.boundText}${cohort.unexercised & this.frontView.triedChanges() ? " and leaves what few rebuilds waited for as today" : ""};`
        + ` the shortest is ${lagText(cohort.front.at(-1).p95)}.`;
    byId("summary").textContent = `${cohort.name}: ${plural(today.rebuilds, "rebuild")} today` + (advised ? `, ${count(advised.rebuilds)} by the advised policy.` : ".");
    const isToday = advised?.index === today.index;
    const marks = [{ name: isToday ? "today, advised" : "today", rebuilds: today.rebuilds, p95: today.p95, color: "settle" },
      { name: "debounce", rebuilds: baselines.debounce, p95: 100e6, color: "debounce", isBaseline: true },
      { name: "every size", rebuilds: baselines.naive, p95: 0, color: "naive", isBaseline: true }];
    Object.assign(this.frontView, { bound: this.bound, picked: null });
    this.frontView.update(cohort.search(this.bound), marks);
    byId("progress").textContent = plural(this.fleet.policies.length, "policy", "policies");
    this.text.show(this.fleet.policies[(advised ?? today).index]);
  }

  open() {
    throw new Error("this report is of a fleet, and has no log");
  }

  setPolicy() {
    this.open();
  }

  setCost() {
    this.open();
  }

  redraw() {
    forgetColors();
    colors();
    this.frontView.draw();
  }

  print(isPrinting) {
    document.documentElement.toggleAttribute("data-print", isPrinting);
    forgetColors();
    if (isPrinting) this.frontView.drawNow(true);
    else this.redraw();
  }
}
