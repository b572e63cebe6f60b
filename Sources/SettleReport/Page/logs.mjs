// The logs of a report of several, in a list that can be sorted, the worst first.

import { byId, element } from "./dom.mjs";
import { count, plural, shortened } from "./format.mjs";
import { lagText } from "./front_view.mjs";

const rowsAtOnce = 100;

// Title, the value of a row, its text, whether it is a number.
const logColumns = [
  ["Log", ({ name }) => name], ["Events", ({ events }) => events, count], ["Every size", ({ naive }) => naive, count],
  ["Rebuilds", ({ rebuilds }) => rebuilds, count], ["Wasted", ({ wasted }) => wasted, count], ["p95 lag", ({ p95 }) => p95, lagText],
  ["Faults", ({ faults }) => faults, count],
];
const optional = new Set(["Events", "Every size", "Faults"]);

const order = (a, b) => (a === b ? 0 : a < b ? -1 : 1);

export class LogList {
  /** `logs` have a name, events and faults; `choose` is called with the number of one that was chosen. */
  constructor(logs, choose) {
    Object.assign(this, { logs, choose, column: logColumns[4], isFalling: true, most: rowsAtOnce });
    this.body = element("tbody");
    this.heads = logColumns.map((column) => element("th", { scope: "col", class: this.classOf(column) },
      element("button", { type: "button", class: "sort", text: column[0], click: () => this.sort(column) })));
    this.caption = element("caption");
    this.more = element("button", { type: "button", class: "controls", text: `Show ${rowsAtOnce} more`, click: () => {
      this.most += rowsAtOnce;
      this.fill();
    } });
    byId("index").hidden = false;
    byId("index").replaceChildren(element("div", { class: "rows" }, element("table", {}, this.caption,
      element("thead", {}, element("tr", {}, ...this.heads)), this.body)), this.more);
  }

  classOf([title, , text]) {
    return [text ? "number" : "name", optional.has(title) ? "optional" : ""].join(" ");
  }

  /** Numbers begin with the largest, names with the first; again turns the order round. */
  sort(column) {
    this.isFalling = this.column === column ? !this.isFalling : column[2] !== undefined;
    this.column = column;
    this.fill();
  }

  /** Shows what a policy decides about each log of `all`. */
  show(all, policy) {
    this.rows = this.logs.map((log, index) => {
      const facts = all.facts[index];
      return facts ? { ...log, index, naive: facts.baselines.naive, ...all.counted(policy, facts).row } : { ...log, index };
    });
    const lost = this.rows.filter(({ rebuilds }) => rebuilds === undefined).length;
    this.caption.textContent = `${plural(this.logs.length, "log")}; the line above and the policies below are of all together`
      + (lost > 0 ? `, but ${count(lost)} that cannot be shown` : "");
    this.fill();
  }

  fill() {
    const [, value] = this.column, falling = this.isFalling ? -1 : 1;
    // Of equals the one with the longer lag is the worse; what is unknown is last.
    const isKnown = (row) => value(row) !== undefined;
    const sorted = this.rows.toSorted((a, b) => isKnown(b) - isKnown(a) || falling * order(value(a), value(b)) || order(b.p95, a.p95) || a.index - b.index);
    this.body.replaceChildren(...sorted.slice(0, this.most).map((row) => this.row(row)));
    this.more.hidden = sorted.length <= this.most;
    this.heads.forEach((head, i) => head.setAttribute("aria-sort", logColumns[i] !== this.column ? "none" : this.isFalling ? "descending" : "ascending"));
    this.mark(this.marked);
  }

  row(row) {
    const cells = logColumns.slice(1).map((column) => {
      const known = column[1](row);
      return element("td", { class: this.classOf(column), text: known === undefined ? "" : column[2](known) });
    });
    const made = element("tr", {}, element("th", { scope: "row", class: "name" },
      element("button", { type: "button", class: "link", text: shortened(row.name, 80), click: () => this.choose(row.index) })), ...cells);
    made.index = row.index;
    return made;
  }

  /** Marks the row of a log. */
  mark(index) {
    this.marked = index;
    for (const row of this.body.children) {
      if (row.index === index) row.setAttribute("aria-current", "true");
      else row.removeAttribute("aria-current");
    }
  }
}
