// The cards at the top: rebuilds of the two baselines and of policies.

import { byId, element, terms } from "./dom.mjs";
import { count, plural } from "./format.mjs";

/** A part of a whole in percent, with the digits that it is known by. */
export function percent(part, whole) {
  const value = 100 * part / whole;
  return `${Math.abs(value) > 99 ? Math.floor(value * 10) / 10 : Number(value.toPrecision(2))} %`;
}

/** Shows the baselines, and what `policies` decide: a title, a line below, rebuilds, and rows of terms. */
export function showTotals(baselines, policies) {
  const most = Math.max(baselines.naive, baselines.debounce, ...policies.map(({ rebuilds }) => rebuilds), 1);
  const card = (kind, title, sub, rebuilds, rows) => element("div", { class: `total ${kind}` },
    element("h3", { text: title }, element("span", { text: sub })),
    element("p", { class: "big", text: count(rebuilds) + " " }, element("small", { text: rebuilds === 1 ? "rebuild" : "rebuilds" })),
    element("progress", { max: most, value: rebuilds, "aria-label": `${title}: ${plural(rebuilds, "rebuild")}` }),
    element("dl", {}, ...terms([["of every size", rebuilds < baselines.naive ? percent(rebuilds, baselines.naive) : ""], ...rows])));
  byId("totals").replaceChildren(
    card("naive", "Every size", "at each change", baselines.naive, [["wasted", count(baselines.naiveWasted)], ["fixed lag", "0 s"]]),
    card("debounce", "Debounce", "fixed, 100 ms", baselines.debounce, [["wasted", count(baselines.debounceWasted)], ["fixed lag", "100 ms"]]),
    ...policies.map(({ title, sub, rebuilds, rows }) => card("settle", title, sub, rebuilds, rows)));
}
