// The decisions as a table, a page at a time.

import { byId, element } from "./dom.mjs";
import { decisionKinds } from "./engine.mjs";
import { clock, count, length, shortened, shown } from "./format.mjs";
import { duration } from "./policy.mjs";

const rowsMost = 50;
const scenesMost = 500;

/** A kind in words: `interaction began`. */
const spaced = (kind) => kind.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);

export class DecisionTable {
  /** `select` is called with a decision that was chosen. */
  constructor(select) {
    Object.assign(this, { select, root: byId("decisions"), scenes: byId("table-scene"), kinds: byId("table-kind"), page: 0 });
    for (const choice of [this.scenes, this.kinds]) choice.addEventListener("change", () => this.decided());
  }

  show(log) {
    this.log = log;
    if (!this.kinds.length) this.kinds.append(element("option", { value: "", text: "all" }),
      ...decisionKinds().map((value) => element("option", { value, text: spaced(value) })));
    const names = log.names.slice(0, scenesMost);
    this.scenes.replaceChildren(element("option", { value: "", text: "all" }),
      ...names.map((name, scene) => element("option", { value: scene, text: shortened(name, 40) })));
    this.decided();
  }

  /** The log was decided anew, or another part of it is wanted. */
  decided() {
    const { log } = this;
    this.page = 0;
    const numbers = this.scenes.value === "" ? null : Array.from(log.decisionsOf(Number(this.scenes.value)));
    const isWanted = (number) => this.kinds.value === "" || log.kindOf(number) === this.kinds.value;
    if (numbers === null && this.kinds.value === "") this.numbers = null;
    else this.numbers = (numbers ?? Array.from({ length: log.decisionsCount }, (_, i) => i)).filter(isWanted);
    this.fill();
  }

  get rows() {
    return this.numbers?.length ?? this.log.decisionsCount;
  }

  row(decision) {
    const { log } = this, hasSize = decision.kind === "rebuild" || decision.kind === "preview";
    const reason = decision.lock ?? (decision.reason === "none" ? "" : decision.reason);
    // On a narrow screen a time breaks after its days, and a long size after its width.
    const select = element("button", { type: "button", class: "link", text: clock(decision.time).replace(/ (?=[sd])/g, "\u00a0"),
      "aria-label": `Show the decision at ${clock(decision.time)}`, click: () => this.select(decision) });
    const size = hasSize ? `${length(decision.width)}\u00a0× ${length(decision.height)}` : "";
    const made = element("tr", {}, element("th", { scope: "row" }, select),
      element("td", { class: "name", text: shortened(log.names[decision.scene]), title: shown(log.names[decision.scene]) }),
      element("td", { text: spaced(decision.kind) }, ...(reason ? [element("span", { class: "narrow", text: `, ${reason}` })] : [])),
      element("td", { class: "optional", text: reason }),
      element("td", { class: size.length > 12 ? "number long" : "number", text: size }),
      element("td", { class: "number optional", text: decision.kind === "rebuild" ? duration(decision.time - decision.since) : "" }),
      element("td", { class: "number optional", text: decision.kind === "rebuild" ? count(decision.coalesced) : "" }));
    made.index = decision.index;
    return made;
  }

  fill() {
    const pages = Math.max(1, Math.ceil(this.rows / rowsMost));
    const first = this.page * rowsMost, end = Math.min(first + rowsMost, this.rows);
    const body = [];
    for (let i = first; i < end; i++) body.push(this.row(this.log.decision(this.numbers?.[i] ?? i)));
    const heads = [["Time", ""], ["Scene", ""], ["Decision", ""], ["Reason", "optional"], ["Size", "number"],
      ["Lag", "number optional"], ["Coalesced", "number optional"]];
    const table = element("table", {},
      element("caption", { text: this.rows > 0 ? `Decisions ${count(first + 1)} to ${count(end)} of ${count(this.rows)}, in order` : "No decisions" }),
      element("thead", {}, element("tr", {}, ...heads.map(([text, kind]) => element("th", { scope: "col", class: kind, text })))),
      element("tbody", {}, ...body));
    const turn = (text, page, isOff) => element("button", { type: "button", text, disabled: isOff, click: () => {
      this.page = page;
      this.fill();
      this.root.querySelector("button.link").focus({ preventScroll: true });
    } });
    const pager = pages === 1 ? null : element("div", { class: "pager" },
      turn("First", 0, this.page === 0), turn("Previous", this.page - 1, this.page === 0),
      element("span", { text: `Page ${count(this.page + 1)} of ${count(pages)}` }),
      turn("Next", this.page + 1, this.page === pages - 1), turn("Last", pages - 1, this.page === pages - 1));
    this.root.replaceChildren(table, ...(pager ? [pager] : []));
    this.mark(this.marked);
  }

  /** Marks the row of a decision, on whatever page that is. */
  mark(index) {
    this.marked = index;
    for (const row of this.root.querySelectorAll("tbody tr")) {
      if (row.index === index) row.setAttribute("aria-current", "true");
      else row.removeAttribute("aria-current");
    }
  }
}
