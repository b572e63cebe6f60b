// The answer above all else: what the policy saves, what a build costs, and which policy to take.

import { byId, copied, element, optionsOf } from "./dom.mjs";
import { parsedCost, usualCost } from "./builds.mjs";
import { count } from "./format.mjs";
import { lagText } from "./front_view.mjs";
import { duration, forms } from "./policy.mjs";

/** The work that a policy saves of that at every change, in ns: with a part for each pixel, by the builds that are played. */
function savedWork({ cost, baselines, changedPixels }, { rebuilds, work }) {
  if (cost.perPixel === 0) return (baselines.naive - rebuilds) * cost.ns;
  return baselines.naive * cost.ns + changedPixels * cost.perPixel - work;
}

/** A figure before and after: `33 → 31`. */
const change = (from, to) => (from === to ? to : `${from} → ${to}`);

export class Answer {
  /**
   * `setCost` is called with a cost, null for none, or undefined for the usual one; `take` with the advised policy.
   */
  constructor(presets, setCost, take) {
    Object.assign(this, { presets, setCost });
    byId("cost").addEventListener("change", () => this.typed(byId("cost").value));
    byId("use").addEventListener("click", () => take(this.advised));
    for (const [name, form] of [["options", "Options"], ["Swift", "Swift"], ["JSON", "Policy file"]]) {
      byId("advice-forms").append(element("button", { type: "button", text: name, "aria-label": `Copy the policy as ${name}`, click: () => this.copy(form) }));
    }
    // What sticks must not cover what has the focus.
    const answer = byId("answer");
    new ResizeObserver(() => {
      const isSticky = getComputedStyle(answer).position === "sticky";
      document.documentElement.style.setProperty("--stuck", `${isSticky ? answer.offsetHeight : 0}px`);
    }).observe(answer);
  }

  typed(text) {
    try {
      this.setCost(text.trim() === "" ? undefined : parsedCost(text));
    } catch (error) {
      byId("cost-said").textContent = `${error.message.replace(/^t/, "T")}.`;
    }
  }

  /** Shows what the report's policy, `today`, and the shown one decide about all logs. */
  show(all, today, shown) {
    const { cost, baselines } = all, usual = usualCost(all), reports = all.reportedCosts.length;
    const strong = (text) => element("strong", { text });
    const figure = (text, of) => strong(change(text(of(today)), text(of(shown))));
    const side = (ns) => (ns < 0 ? " more" : " less"), saved = (row) => savedWork(all, row);
    const isOnBothSides = cost !== null && side(saved(today)) !== side(saved(shown));
    const work = cost === null ? [" when a build takes "]
      : [", ", figure((ns) => duration(Math.abs(ns)) + (isOnBothSides ? side(ns) : ""), saved), `${isOnBothSides ? "" : side(saved(shown))} work at `];
    const p95 = figure(lagText, (row) => row.p95), isOne = lagText(shown.p50) === lagText(shown.p95) && lagText(today.p50) === lagText(today.p95);
    const half = isOne ? [] : ["half of them within ", figure(lagText, ({ p50 }) => p50), " and "];
    const lags = shown.rebuilds === 0 ? [] : [...half, "95 % within ", p95, " of the last change, "];
    byId("answer-before").replaceChildren("Settle: ", figure(count, ({ rebuilds }) => rebuilds), " rebuilds instead of ", element("strong", { class: "naive", text: count(baselines.naive) }), " at every size", ...work);
    byId("answer-after").replaceChildren(cost === null ? "; " : " each; ", ...lags, figure(count, ({ wasted }) => wasted),
      " ", element("abbr", { title: "Another rebuild of the same scene follows within a second", text: "wasted" }), `. A 100 ms debounce: ${count(baselines.debounce)}, always 100 ms, ${count(baselines.debounceWasted)} wasted.`);
    if (document.activeElement !== byId("cost")) byId("cost").value = cost?.text ?? "none";
    const known = reports > 0 ? `The log says of ${count(reports)} builds how long they took, half of them ${duration(usual.ns)} or less.`
      : (cost?.text === usual.text ? `The log does not say how long builds take: ${duration(usual.ns)} is assumed.` : "The log does not say how long builds take.");
    byId("cost-said").textContent = cost === null ? "Decided with the log’s own reports, and without any where it has none."
      : `${known} Type a time, such as 8ms or 2ms+3ns/px.`;
    byId("summary").textContent = byId("answer-before").textContent + (cost?.text ?? "none") + byId("answer-after").textContent;
  }

  async copy(form) {
    byId("advice-policy").textContent = forms[form](this.advised, this.presets);
    byId("advice-copied").textContent = await copied(byId("advice-policy")) ? "Copied." : "Selected: copy it with Ctrl C.";
  }

  /** Shows which policy a search advises: of all that it may try, or of those so far. */
  advise(search, isShown) {
    const { todayRow: today, advised } = search, isToday = advised.index === today.index;
    this.advised = search.policy(advised);
    const figures = [["rebuilds", "rebuilds", count], ["wasted", "wasted", count], ["p50 lag", "p50", lagText], ["p95 lag", "p95", lagText]]
      .map(([term, name, text]) => `${term} ${change(text(today[name]), text(advised[name]))}`);
    const words = isToday ? "Keep this policy" : "Take this policy", nothing = today.rebuilds === 0;
    byId("advice-title").textContent = nothing ? "No advice" : search.isWhole ? words : `Best so far, of ${count(search.tried)} of ${count(search.all)} policies`;
    byId("advice-figures").textContent = nothing ? "nothing is rebuilt" : (search.isWhole ? "" : `${words.toLowerCase()}, `)
      + (isToday ? `no better one ${search.isWhole ? "" : "so far "}keeps what few rebuilds waited for` : figures.join(", "));
    byId("advice-policy").replaceChildren(...(nothing ? [] : optionsOf(forms.Options(this.advised, this.presets))));
    byId("use").hidden = nothing || isShown(this.advised);
  }
}
