// Policies: an object from a field's name to whole nanoseconds as a BigInt, or null for none.

const ms = (value) => BigInt(value) * 1_000_000n;
const mostDelay = 1n << 60n;
const mostQuiet = 3_600_000_000_000n;

// In the order of the contract and of settle_policy. `most` and `step` are the slider's, in ms;
// `start` is what a duration that was none begins with. The grid of policies varies those `inGrid`.
export const fields = [
  { name: "firstDelay", label: "First size", most: 1000, step: 1,
    meaning: "Wait before a scene's first rebuild." },
  { name: "reportedEndDelay", inGrid: true, label: "After a reported end", most: 500, step: 1,
    meaning: "Quiet time after an interaction's reported end, and after the watchdog's." },
  { name: "releasedEndDelay", inGrid: true, label: "After a button's release", most: 500, step: 1,
    meaning: "Quiet time after the release of a pointer button." },
  { name: "discreteDelay", inGrid: true, label: "Discrete change", most: 1000, step: 1,
    meaning: "Quiet time after a change outside any interaction, on a scene that reports its resizing." },
  { name: "quietDelay", inGrid: true, label: "Quiet, least", most: 2000, step: 5,
    meaning: "Least quiet time on a scene without any end signal." },
  { name: "quietMaximum", inGrid: true, label: "Quiet, most", most: 3000, step: 5,
    meaning: "Most quiet time there. The wait follows the cadence of the changes." },
  { name: "jumpDelay", inGrid: true, label: "Jump", most: 1000, step: 1, start: ms(50),
    meaning: "Quiet time there after one large change out of calm." },
  { name: "lockDelay", label: "Orientation lock", most: 1000, step: 1,
    meaning: "How long a new lock value must hold." },
  { name: "pauseDelay", label: "Preview in a pause", most: 2000, step: 5, start: ms(300),
    meaning: "How long a held size must stand for a preview." },
  { name: "maximumWait", label: "Longest wait", most: 10000, step: 10, start: ms(1000),
    meaning: "Longest time that a change outside any interaction may stay pending." },
  { name: "interactionTimeout", label: "Watchdog", most: 60000, step: 50, start: ms(10000),
    meaning: "An interaction without any event of its scene for this long is over." },
];

export const canBeNone = (field) => field.start !== undefined;

// Longer units first where one ends as another does.
const units = [["ns", 1n], ["us", 1000n], ["µs", 1000n], ["ms", 1_000_000n], ["min", 60_000_000_000n],
  ["s", 1_000_000_000n], ["h", 3_600_000_000_000n]];

/** The nanoseconds of a text such as `50ms` or `1.5s`, rounded to the nearest; null for another text. */
export function nanoseconds(text) {
  if (/^(0+\.?0*|\.0+)$/.test(text)) return 0n;
  const unit = units.find(([name]) => text.endsWith(name));
  const match = unit && /^(\d*)(?:\.(\d*))?$/.exec(text.slice(0, -unit[0].length));
  if (!match || (!match[1] && !match[2])) return null;
  const fraction = (match[2] ?? "").slice(0, 18);
  const scale = 10n ** BigInt(fraction.length);
  const value = BigInt((match[1] ?? "") + fraction || "0") * unit[1];
  return (value + scale / 2n) / scale;
}

/** A duration in that form, exact. */
export function withUnit(ns) {
  if (ns === 0n) return "0s";
  const [name, unit] = ns < 1000n ? ["ns", 1n] : ns < 1_000_000n ? ["us", 1000n]
    : ns < 1_000_000_000n ? ["ms", 1_000_000n] : ["s", 1_000_000_000n];
  const fraction = (ns % unit).toString().padStart(unit.toString().length - 1, "0").replace(/0+$/, "");
  return `${ns / unit}${unit > 1n && fraction ? "." + fraction : ""}${name}`;
}

function value(field, given) {
  if (given === null || given === "none") {
    if (!canBeNone(field)) throw new RangeError(`${field.name} cannot be none; give 0s for no wait`);
    return null;
  }
  if (typeof given === "bigint") return given;
  if (typeof given === "number" && Number.isSafeInteger(given)) return BigInt(given);
  const ns = typeof given === "string" ? nanoseconds(given) : null;
  if (ns !== null) return ns;
  throw new RangeError(`${field.name} is '${String(given)}'; give a number and a unit (ns, us, ms, s, min, h), as `
    + `50ms or 1.5s${canBeNone(field) ? ", or none" : ""}, or whole nanoseconds as a number`);
}

/**
 * The policy of a policy file's object, whose values may also be nanoseconds. A duration that is left
 * out is that of `base`. Throws RangeError for an unknown name and a value out of range.
 */
export function parsed(object, base) {
  if (object === null || typeof object !== "object" || Array.isArray(object)) {
    throw new RangeError("a policy is an object of durations, 'default' or 'uikit'");
  }
  const policy = { ...base };
  for (const [name, given] of Object.entries(object)) {
    const field = fields.find((each) => each.name === name);
    if (!field) throw new RangeError(`'${name}' is no duration of a policy`);
    policy[name] = value(field, given);
  }
  for (const { name } of fields) {
    const most = name === "quietDelay" ? policy.quietMaximum : name === "quietMaximum" ? mostQuiet : mostDelay;
    if (policy[name] !== null && (policy[name] < 0n || policy[name] > most)) {
      const bound = name === "quietDelay" && most !== mostQuiet ? ", its quietMaximum" : "";
      throw new RangeError(`${name} is ${policy[name]} ns; it must be from 0s to ${withUnit(most)}${bound}`);
    }
  }
  return policy;
}

/** The policy with one duration changed: one end of the quiet range takes the other along. */
export function changed(policy, name, ns) {
  const next = { ...policy, [name]: ns };
  if (name === "quietMaximum" && next.quietMaximum > mostQuiet) next.quietMaximum = mostQuiet;
  if (name === "quietDelay" && ns > mostQuiet) next.quietDelay = mostQuiet;
  if (name === "quietDelay" && next.quietDelay > next.quietMaximum) next.quietMaximum = next.quietDelay;
  if (name === "quietMaximum" && next.quietMaximum < next.quietDelay) next.quietDelay = next.quietMaximum;
  if (next[name] !== null && next[name] > mostDelay) next[name] = mostDelay;
  return next;
}

export function same(a, b) {
  return fields.every(({ name }) => a[name] === b[name]);
}

/** The fields in which two policies differ. */
export function differences(policy, base) {
  return fields.filter(({ name }) => policy[name] !== base[name]);
}

/** The same as bits: 1 for the first field. */
export function changesOf(policy, base) {
  return fields.reduce((bits, { name }, i) => (policy[name] === base[name] ? bits : bits | 1 << i), 0);
}

/** The names of the fields of some bits. */
export const namesOf = (bits) => fields.filter((_, i) => bits >> i & 1).map(({ name }) => name);

/** A policy that has what the grid varies of one, and the rest of another. */
export function around(grid, rest) {
  return Object.fromEntries(fields.map(({ name, inGrid }) => [name, (inGrid ? grid : rest)[name]]));
}

function swiftDuration(ns) {
  if (ns === null) return "nil";
  if (ns === 0n) return ".zero";
  const [name, unit] = [["seconds", 1_000_000_000n], ["milliseconds", 1_000_000n], ["microseconds", 1000n],
    ["nanoseconds", 1n]].find(([, each]) => ns % each === 0n);
  return `.${name}(${ns / unit})`;
}

const hyphened = (name) => name.replace(/[A-Z]/g, (letter) => "-" + letter.toLowerCase());
const underscored = (name) => name.replace(/[A-Z]/g, (letter) => "_" + letter.toLowerCase()) + "_ns";

/** What to copy, by form. `presets` has the policies `default` and `uikit`. */
export const forms = {
  Swift(policy, presets) {
    if (same(policy, presets.default)) return "let policy = Policy.default";
    if (same(policy, presets.uikit)) return "let policy = Policy.uikit";
    const set = differences(policy, presets.default).map(({ name }) => `${name}: ${swiftDuration(policy[name])}`);
    return `let policy = Policy(\n    ${set.join(",\n    ")}\n)`;
  },
  C(policy, presets) {
    const base = same(policy, presets.uikit) ? "uikit" : "default";
    const set = differences(policy, presets[base]).map(({ name }) =>
      `policy.${underscored(name)} = ${policy[name] === null ? "SETTLE_NEVER" : policy[name]};`);
    return [`settle_policy policy = settle_policy_${base}();`, ...set].join("\n");
  },
  Options(policy, presets) {
    if (same(policy, presets.uikit)) return "--policy uikit";
    const set = differences(policy, presets.default).map(({ name }) =>
      `--${hyphened(name)} ${policy[name] === null ? "none" : withUnit(policy[name])}`);
    return set.length > 0 ? set.join(" ") : "--policy default";
  },
  "Policy file"(policy) {
    const text = (ns) => (ns === null ? null : withUnit(ns));
    const lines = fields.map(({ name }) => `  "${name}": ${JSON.stringify(text(policy[name]))}`);
    return `{\n${lines.join(",\n")}\n}`;
  },
};
