// What is looked at, as the fragment of the page's address: a link to it shows the same.
//
// `log=2&view=-5000000,900000000&decision=17&cost=8ms&policy=lockDelay:60ms,jumpDelay:none`: the number of the log, the times
// in view in ns after its start, a decision from 0, the cost of a build, and what the policy has other than the report's.

import { parsedCost } from "./builds.mjs";
import { differences, forms, parsed } from "./policy.mjs";

const keys = ["log", "view", "decision", "cost", "policy"];

/** A state as a fragment, without what is null. */
export function fragmentOf({ log, view, decision, cost, policy }, reportPolicy) {
  const texts = JSON.parse(forms["Policy file"](policy));
  const others = differences(policy, reportPolicy).map(({ name }) => `${name}:${texts[name] ?? "none"}`).join(",");
  const values = { log: log === 0 ? null : log + 1, view: view?.map(Math.round).join(","), decision, cost, policy: others || null };
  return keys.filter((key) => (values[key] ?? null) !== null).map((key) => `${key}=${encodeURIComponent(values[key]).replace(/%(2C|3A)/g, decodeURIComponent)}`).join("&");
}

function whole(text, from) {
  if (!/^-?\d{1,16}$/.test(text)) throw new RangeError("no whole number");
  const value = Number(text);
  if (value < from) throw new RangeError("too small");
  return value;
}

/** The state of a fragment; throws Error for one that is damaged. */
export function readFragment(text, reportPolicy) {
  const given = new Map(text.split("&").filter((part) => part !== "").map((part) => {
    const at = part.indexOf("="), key = part.slice(0, at);
    if (!keys.includes(key)) throw new RangeError("an unknown key");
    return [key, decodeURIComponent(part.slice(at + 1))];
  }));
  const read = (key, of, none) => (given.has(key) ? of(given.get(key)) : none);
  const view = read("view", (value) => value.split(",").map((each) => whole(each, -Infinity)), null);
  if (view && (view.length !== 2 || !(view[0] < view[1]))) throw new RangeError("no times");
  const changes = read("policy", (value) => value.split(",").map((part) => part.split(":")), []);
  return { log: read("log", (value) => whole(value, 1) - 1, 0), view, decision: read("decision", (value) => whole(value, 0), null),
    cost: read("cost", parsedCost),
    policy: parsed({ ...reportPolicy, ...Object.fromEntries(changes.map(([name, value]) => [name, value === "none" ? null : value])) }) };
}
