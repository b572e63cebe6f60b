// Policies: an object from a field's name to whole nanoseconds as a BigInt, or null for none.

/** The fields in the order of settle_policy, from the core's table: see settle_policy.h. */
export const fields = [];

let core;

const bytesAt = (address, count) => new Uint8Array(core.memory.buffer, address >>> 0, count);
const decoded = (bytes) => new TextDecoder().decode(bytes);

function fieldOf(address) {
  const view = new DataView(core.memory.buffer, address >>> 0);
  const string = (at) => {
    const bytes = bytesAt(view.getUint32(at, true));
    return decoded(bytes.subarray(0, bytes.indexOf(0)));
  };
  const number = (at) => view.getUint32(at, true), meaning = string(8);
  return { name: string(0), label: string(4), meaning: meaning[0].toUpperCase() + meaning.slice(1) + ".",
    longest: view.getBigUint64(16, true), canBeNone: number(24) === 1, inGrid: number(28) === 1, most: number(32),
    step: number(36), start: BigInt(number(40)) * 1_000_000n };
}

/** Reads the table of an instance, once. */
export function readFields(exports) {
  if (core) return;
  core = exports;
  for (let address; (address = core.page_policy_field(fields.length)) !== 0;) fields.push(fieldOf(address));
}

const longestOf = (policy, field) => (field.name === "quietDelay" ? policy.quietMaximum : field.longest);

/** The nanoseconds of a text such as `50ms` or `1.5s`, rounded to the nearest; null for another text. */
function nanoseconds(given) {
  const { read, written } = new TextEncoder().encodeInto(given, bytesAt(core.page_text(), 256));
  const ns = read < given.length ? -1n : core.page_duration_read(written);
  return ns < 0n ? null : ns;
}

/** A duration in that form, exact. */
function withUnit(ns) {
  const count = core.page_duration_write(ns);
  return decoded(bytesAt(core.page_text(), count));
}

function value(field, given) {
  if (given === null || given === "none") {
    if (!field.canBeNone) throw new RangeError(`${field.name} cannot be none; give 0s for no wait`);
    return null;
  }
  if (typeof given === "bigint") return given;
  if (typeof given === "number" && Number.isSafeInteger(given)) return BigInt(given);
  const ns = typeof given === "string" ? nanoseconds(given) : null;
  if (ns !== null) return ns;
  throw new RangeError(`${field.name} is '${String(given)}'; give a number and a unit (ns, us, ms, s, min, h), as `
    + `50ms or 1.5s${field.canBeNone ? ", or none" : ""}, or whole nanoseconds as a number`);
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
  for (const field of fields) {
    const { name } = field, most = longestOf(policy, field);
    if (policy[name] !== null && (policy[name] < 0n || policy[name] > most)) {
      const bound = most !== field.longest ? ", its quietMaximum" : "";
      throw new RangeError(`${name} is ${policy[name]} ns; it must be from 0s to ${withUnit(most)}${bound}`);
    }
  }
  return policy;
}

/** The policy with one duration changed: one end of the quiet range takes the other along. */
export function changed(policy, name, ns) {
  const { longest } = fields.find((field) => field.name === name);
  const next = { ...policy, [name]: ns !== null && ns > longest ? longest : ns };
  if (name === "quietDelay" && next.quietDelay > next.quietMaximum) next.quietMaximum = next.quietDelay;
  if (name === "quietMaximum" && next.quietMaximum < next.quietDelay) next.quietDelay = next.quietMaximum;
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
