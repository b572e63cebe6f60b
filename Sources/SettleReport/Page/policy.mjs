// Policies: an object from a field's name to whole nanoseconds or a percentage as a BigInt, or null for none.

import { sliders } from "./sliders.mjs";

/** The fields in the order of settle_policy, from the core's table: see settle_policy.h. */
export const fields = [];

const never = (1n << 64n) - 1n;
let core;

const bytesAt = (address, count) => new Uint8Array(core.memory.buffer, address >>> 0, count);
const decoded = (bytes) => new TextDecoder().decode(bytes);
const written = (count) => decoded(bytesAt(core.page_text(), count));

function stringAt(address) {
  const bytes = bytesAt(address);
  return decoded(bytes.subarray(0, bytes.indexOf(0)));
}

function fieldOf(address) {
  const view = new DataView(core.memory.buffer, address >>> 0);
  const number = (at) => view.getUint32(at, true), string = (at) => stringAt(number(at));
  const name = string(0), meaning = string(4), [label, most, step, start] = sliders[name];
  return { name, label, meaning: meaning[0].toUpperCase() + meaning.slice(1) + ".",
    range: [view.getBigUint64(8, true), view.getBigUint64(16, true)], canBeNone: number(24) === 1, inGrid: number(28) === 1,
    most, step, start, isPercentage: number(32) === 1, unit: number(32) === 1 ? 1 : 1e6 };
}

/** Reads the table of an instance, once. */
export function readFields(exports) {
  if (core) return;
  core = exports;
  for (let address; (address = core.page_policy_field(fields.length)) !== 0;) fields.push(fieldOf(address));
}

const fieldNamed = (name) => fields.find((field) => field.name === name);

/** A length of time in nanoseconds, rounded for reading, in the command's words: `16 ms`, `1.25 s`, `2 min 5 s`. */
export function duration(ns) {
  if (ns === null) return "none";
  const value = Math.round(Number(ns));
  return Number.isFinite(value) ? written(core.page_duration_say(BigInt(value))) : "18 min or more";
}

/** A value of a field for reading: `16 ms`, `30 %`. */
export function valueText(name, value) {
  return value !== null && fieldNamed(name).isPercentage ? `${value} %` : duration(value);
}

/** The core's words for numbers from 0 on. */
export function words(name) {
  const found = [];
  for (let word; (word = stringAt(name(found.length))) !== "unknown";) found.push(word);
  return found;
}

const wordsAt = (memory, address) => new BigUint64Array(memory.buffer, address >>> 0, fields.length + 1);

/** The settle_policy at an address of a memory. */
export function readPolicy(memory, address) {
  const [, ...durations] = wordsAt(memory, address);
  return Object.fromEntries(fields.map(({ name }, i) => [name, durations[i] === never ? null : durations[i]]));
}

export function writePolicy(memory, address, policy) {
  const all = wordsAt(memory, address);
  all.set([BigInt(all.byteLength), ...fields.map(({ name }) => policy[name] ?? never)]);
}

/** A value of a field with its unit, as `50ms`, `1.5s` or `30%`, exact. */
function withUnit(name, value) {
  return written(core.page_value_write(fields.findIndex((field) => field.name === name), value));
}

/** A duration with its unit, exact. */
export const exactDuration = (ns) => withUnit("firstDelay", BigInt(ns));

function asText(key, given) {
  if (key === "" || given === null) return given;
  const isNumber = typeof given === "bigint" || Number.isSafeInteger(given);
  return isNumber ? given + (fieldNamed(key)?.isPercentage ? "%" : "ns") : String(given);
}

/**
 * The policy of a policy file's object, whose values may also be whole nanoseconds. Throws RangeError with what is
 * wrong in it.
 */
export function parsed(object) {
  const bytes = new TextEncoder().encode(JSON.stringify(object, asText)), start = core.page_reserve(bytes.length);
  if (start === 0) throw new RangeError("there is not enough memory for the policy");
  bytesAt(start, bytes.length).set(bytes);
  const problem = core.page_policy_read(start, bytes.length);
  if (problem > 0) throw new RangeError(written(problem));
  return readPolicy(core.memory, core.page_policy_other(0));
}

/** The policy with one value changed, within its range. */
export function changed(policy, name, value) {
  const [least, most] = fieldNamed(name).range;
  return { ...policy, [name]: value === null ? null : value > most ? most : value < least ? least : value };
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
  [policy, base].forEach((each, i) => writePolicy(core.memory, core.page_policy_other(i), each));
  return core.page_policy_changes();
}

/** What policies have in common that differ in nothing but the fields of some bits. */
export const kindOf = (policy, bits) => fields.map(({ name }, i) => (bits >> i & 1 ? "" : policy[name])).join();

/** The names of the fields of some bits. */
export const namesOf = (bits) => fields.filter((_, i) => bits >> i & 1).map(({ name }) => name);

/** A policy that has what the grid varies of one, and the rest of another. */
export function around(grid, rest) {
  return Object.fromEntries(fields.map(({ name, inGrid }) => [name, (inGrid ? grid : rest)[name]]));
}

function swiftValue(field, ns) {
  if (ns === null) return "nil";
  if (fieldNamed(field).isPercentage) return String(ns);
  if (ns === 0n) return ".zero";
  const [name, unit] = [["seconds", 1_000_000_000n], ["milliseconds", 1_000_000n], ["microseconds", 1000n],
    ["nanoseconds", 1n]].find(([, each]) => ns % each === 0n);
  return `.${name}(${ns / unit})`;
}

const hyphened = (name) => name.replace(/[A-Z]/g, (letter) => "-" + letter.toLowerCase());
const underscored = (name) => hyphened(name).replaceAll("-", "_") + (fieldNamed(name).isPercentage ? "_percent" : "_ns");

const presetOf = (policy, presets) => Object.keys(presets).find((name) => same(policy, presets[name]));

/** What to copy, by form. `presets` has policies by name, `default` among them. */
export const forms = {
  Swift(policy, presets) {
    const preset = presetOf(policy, presets);
    if (preset) return `let policy = Policy.${preset}`;
    const set = differences(policy, presets.default).map(({ name, isPercentage }) =>
      `${name}${isPercentage ? "Percent" : ""}: ${swiftValue(name, policy[name])}`);
    return `let policy = Policy(\n    ${set.join(",\n    ")}\n)`;
  },
  C(policy, presets) {
    const base = presetOf(policy, presets) ?? "default";
    const set = differences(policy, presets[base]).map(({ name }) =>
      `policy.${underscored(name)} = ${policy[name] === null ? "SETTLE_NEVER" : policy[name]};`);
    return [`settle_policy policy = settle_policy_${base}();`, ...set].join("\n");
  },
  Options(policy, presets) {
    const preset = presetOf(policy, presets);
    if (preset) return `--policy ${preset}`;
    const set = differences(policy, presets.default).map(({ name }) =>
      `--${hyphened(name)} ${policy[name] === null ? "none" : withUnit(name, policy[name])}`);
    return set.join(" ");
  },
  "Policy file"(policy) {
    const text = (name) => (policy[name] === null ? null : withUnit(name, policy[name]));
    const lines = fields.map(({ name }) => `  "${name}": ${JSON.stringify(text(name))}`);
    return `{\n${lines.join(",\n")}\n}`;
  },
};
