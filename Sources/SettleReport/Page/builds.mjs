// What builds cost, and what follows from it for a log: the work of Settle and of habits, and how wrong the shown size was.

import { byId, element } from "./dom.mjs";
import { count } from "./format.mjs";
import { duration, exactDuration } from "./policy.mjs";

const units = { ns: 1, us: 1e3, "µs": 1e3, ms: 1e6, s: 1e9, min: 6e10 };
const habits = ["Settle", "every size, one build at a time", "throttle, 50 ms", "debounce, 100 ms", "live while under 16 ms"];

/** The cost `{ text, ns, perPixel, slowEvery }` of `8ms`, `2ms+3ns/px` or, with every 20th build four times as long,
 * `8ms+slow/20`; null for `none`. Throws RangeError for another text. */
export function parsedCost(text) {
  const cost = { text: text.trim(), ns: 0, perPixel: 0, slowEvery: 0 };
  if (cost.text === "none") return null;
  for (const part of cost.text.split("+")) {
    const slow = /^\s*slow\/([1-9]\d{0,5})\s*$/.exec(part);
    if (slow && cost.slowEvery === 0 && cost.ns + cost.perPixel > 0) {
      cost.slowEvery = Number(slow[1]);
      continue;
    }
    const found = /^\s*(\d+(?:\.\d+)?)\s*(ns|us|µs|ms|s|min)(\/px)?\s*$/.exec(part);
    if (!found) throw new RangeError(`the cost of a build is '${cost.text}'; give 8ms, 2ms+3ns/px, 8ms+slow/20 or none`);
    cost[found[3] ? "perPixel" : "ns"] += Number(found[1]) * units[found[2]];
  }
  return cost;
}

/** What a log's builds cost while nobody says: the median of its reports, or 20 ms. */
export function usualCost(log) {
  const { reportedCosts } = log, ns = reportedCosts.length > 0 ? reportedCosts[(reportedCosts.length - 1) >> 1] : 20e6;
  return { text: exactDuration(Math.floor(ns)), ns, perPixel: 0, slowEvery: 0 };
}

const wait = (ns) => (ns === null ? "–" : duration(ns));
const columns = [["Builds", ({ builds }) => count(builds)], ["Work", ({ work }) => duration(work)],
  ["Busiest ½ s", ({ busiest }) => `${busiest} %`], ["Wrong time", ({ wrong }) => duration(wrong)],
  ["Right after", (each) => wait(each.rightAfter)],
  ["p90", (each) => wait(each.p90RightAfter)],
  ["At once", ({ ends, atOnce }) => (ends === 0 ? "–" : `${Math.round(100 * atOnce / ends)} %`)]];

/** Shows the figures of a log that has been decided. */
export function showBuilds(log) {
  const figures = log.figures();
  byId("builds").hidden = figures === null;
  if (figures === null) return void byId("figures").replaceChildren();
  byId("figures").replaceChildren(element("table", {}, element("caption", { class: "visually-hidden", text: "Builds, and how soon they are right" }),
    element("thead", {}, element("tr", {}, element("th", { scope: "col", text: "Rebuilding" }),
      ...columns.map(([text]) => element("th", { scope: "col", class: "number", text })))),
    element("tbody", {}, ...figures.map((each, i) => element("tr", { class: i === 0 ? "settle" : "" },
      element("th", { scope: "row", text: habits[i] }), ...columns.map(([, text]) => element("td", { class: "number", text: text(each) })))))),
    ...(figures[0].ends === 0 ? [element("p", { class: "muted", text: "No interaction ends at another size." })] : []));
}
