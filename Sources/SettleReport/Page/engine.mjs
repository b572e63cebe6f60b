// The core, the log's codec and the kernel in WebAssembly. An instance has one log that is decided for display,
// or any number that are counted together.

import { readFields, readPolicy, words, writePolicy } from "./policy.mjs";

let kinds, reasons;
const decisionBytes = 88, buildBytes = 32, eventBytes = 32, finished = 7;

// Codes of page_open and page_decide, as a sentence.
const faults = new Map([
  [-1, "it connects more scenes than an engine can have"],
  [-2, "a value is out of range"],
  [-10, "this is no binary log"],
  [-11, "it was written by a newer version"],
  [-13, "a length, index or code is out of range"],
  [-20, "there is not enough memory"],
  [-21, "its end is missing"],
  [-22, "a checksum or a length of a chunk is wrong"],
]);
const fault = (code) => faults.get(code) ?? `fault ${code}`;

// Of bits of enum settle_log_damage; those of chunks are faults, and without an index the log may be whole.
const damages = {
  1: "the header of the embedded log is damaged: its checksum differs",
  80: "the index of the embedded log is damaged: its length or checksum is wrong, or data follow it",
  32: "the index of the embedded log contradicts its events: parts of it are missing or foreign",
};
const noIndex = 128;

/** The bytes of base64 text. Throws for other text. */
export function bytesOfBase64(text) {
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; i++) bytes[i] = binary.charCodeAt(i);
  return bytes;
}

/** The words of decisions' kinds, once there is a Core. */
export const decisionKinds = () => kinds;

/** A decision as the page shows it. Times are ns after the log's start. */
class Decision {
  constructor(log, index) {
    const at = log.decisionsStart + index * decisionBytes;
    const view = log.view;
    Object.assign(this, {
      index, at: view.getBigUint64(at, true), width: view.getFloat64(at + 8, true),
      height: view.getFloat64(at + 16, true), previousWidth: view.getFloat64(at + 24, true),
      previousHeight: view.getFloat64(at + 32, true), interaction: Number(view.getBigUint64(at + 40, true)),
      generation: view.getUint32(at + 52, true), coalesced: view.getUint32(at + 56, true),
      kind: kinds[view.getUint8(at + 60)], reason: reasons[view.getUint8(at + 61)],
      locked: view.getUint8(at + 62) === 1, prepared: view.getUint8(at + 62) === 1, follows: view.getUint8(at + 63) === 1,
      time: view.getFloat64(at + 64, true), since: view.getFloat64(at + 72, true), scene: view.getUint32(at + 80, true),
      takesReports: log.policy.liveShare !== null || log.policy.pauseShare !== null,
    });
    // Of a rebuild that follows no interaction this is no time, but whether it is feedback.
    this.feedback = this.kind === "rebuild" && !this.follows && this.interaction === 1;
    if (this.feedback) this.interaction = 0;
  }

  /** The lock's new value in a word, null where it did not change. */
  get lock() {
    return this.kind === "lockChanged" ? (this.locked ? "locked" : "unlocked") : null;
  }

  /** The contract's object. `t_ns` is a BigInt where a number would not be exact. */
  object(names) {
    const exact = this.at <= BigInt(Number.MAX_SAFE_INTEGER);
    const object = { t_ns: exact ? Number(this.at) : this.at, scene: names[this.scene], kind: this.kind };
    if (this.kind === "rebuild" || this.kind === "preview") {
      object.width = this.width;
      object.height = this.height;
    }
    if (this.kind === "rebuild" || this.kind === "interactionEnded") object.reason = this.reason;
    if (this.takesReports && (this.kind === "rebuild" || this.kind === "preview")) object.generation = this.generation;
    if (this.kind === "rebuild" && this.prepared) object.prepared = true;
    if (this.feedback) object.feedback = true;
    if (this.kind === "lockChanged") object.locked = this.locked;
    return object;
  }
}

const lag = (ns) => (ns > 2 ** 40 ? Infinity : ns);

/** An instance, and what it knows without a log. */
export class Core {
  constructor(module) {
    this.core = new WebAssembly.Instance(module, {}).exports;
    readFields(this.core);
    kinds ??= words(this.core.page_kind_word);
    reasons ??= words(this.core.page_reason_word);
  }

  get view() {
    // Memory that grows is another buffer.
    if (this.latestView?.buffer !== this.core.memory.buffer) this.latestView = new DataView(this.core.memory.buffer);
    return this.latestView;
  }

  array(type, address, count) {
    return new type(this.core.memory.buffer, address, count);
  }

  presets() {
    return Object.fromEntries(["default", "prepared", "live", "uikit"].map((name) => {
      this.core[`page_policy_${name}`]();
      return [name, this.readPolicy(this.core.page_policy())];
    }));
  }

  readPolicy(address) {
    return readPolicy(this.core.memory, address);
  }

  /** There is no policy of so many yet, for `front`. */
  startPoints(count) {
    if (!this.core.page_points(count)) throw new Error("there are too many policies");
  }

  /** Writes the figures of a policy that was tried. `changes` are bits of policy.mjs. */
  point(number, { rebuilds, wasted, p50, p95 }, changes) {
    this.core.page_point(number, rebuilds, wasted, p50, p95, changes);
  }

  /**
   * The front of the first points, its knee, and the one to take, as `settle tune` finds them: numbers of points,
   * or null. No policy to take changes what `unexercised` has, or has a p95 lag beyond `bound`, by their buckets.
   */
  front(count, today, unexercised, bound = null) {
    const address = this.core.page_front(count, today, unexercised, bound === null ? -1 : Math.min(bound, 2 ** 62)) >>> 0;
    const [found, ...picked] = this.array(Uint32Array, address, 3);
    const [knee, advised] = picked.map((number) => (number === 2 ** 32 - 1 ? null : number));
    return { front: Array.from(this.array(Uint32Array, address + 12, found)), knee, advised };
  }

  /**
   * Opens a binary log in base64, to be counted with those before. Returns its facts. Throws Error, with a sentence,
   * if nothing of it can be decided.
   */
  add(text) {
    const start = this.core.page_reserve(text.length) >>> 0;
    if (start === 0) throw new Error(fault(-20));
    // Longer text than its length is no base64, and its bytes are not all read.
    const { read } = new TextEncoder().encodeInto(text, new Uint8Array(this.core.memory.buffer, start, text.length));
    const bytes = this.core.page_base64(start, text.length) >>> 0;
    if (read < text.length || bytes === 2 ** 32 - 1) throw new Error("its bytes are no base64: the file is damaged");
    const result = this.core.page_open(start, bytes, ...crypto.getRandomValues(new BigUint64Array(2)));
    if (result !== 0) throw new Error(fault(result));
    const kept = this.core.page_keep();
    if (kept === 0) throw new Error(fault(-20));
    const { word, big } = this.words;
    return { kept, events: word(4), entries: [word(48) + 4 * word(8), word(56), word(60), word(64)],
      baselines: { naive: Number(big(88)), naiveWasted: Number(big(96)), debounce: Number(big(104)), debounceWasted: Number(big(112)) },
      reportedCosts: word(144) === 1 ? this.costsAt(word(0), word(4)) : [] };
  }

  /** Readers of the struct of the log that was opened last. */
  get words() {
    const address = this.core.page_log_address();
    return { word: (offset) => this.view.getUint32(address + offset, true), big: (offset) => this.view.getBigUint64(address + offset, true) };
  }

  /** What the log's reports say that builds cost, in ns. */
  costsAt(events, count) {
    const costs = [];
    for (let i = 0, at = events; i < count; i++, at += eventBytes) {
      if (this.view.getUint16(at + 28, true) === finished) costs.push(Number(this.view.getBigUint64(at + 8, true)));
    }
    return costs;
  }

  /** What all logs come to, from their facts. */
  sum(logs) {
    const sum = (of) => logs.reduce((total, log) => total + of(log), 0);
    this.logs = logs;
    this.events = sum(({ events }) => events);
    this.baselines = Object.fromEntries(["naive", "naiveWasted", "debounce", "debounceWasted"].map((name) => [name, sum(({ baselines }) => baselines[name])]));
    this.reportedCosts = logs.flatMap(({ reportedCosts }) => reportedCosts).sort((a, b) => a - b);
  }

  /** The pixels of all changed sizes together. */
  get changedPixels() {
    return this.pixels ??= this.logs.reduce((total, { entries: [end, ...columns] }) => {
      const [count] = this.array(Uint32Array, end, 1), [widths, heights] = columns.map((at) => this.array(Float32Array, at, count));
      const marks = this.array(Uint8Array, columns[2], count);
      for (let i = 0; i < count; i++) if (marks[i] & 1) total += widths[i] * heights[i];
      return total;
    }, 0);
  }

  /** What builds cost, `{ ns, perPixel, slowEvery }`; null feeds the log's reports as they are. */
  setCost(cost) {
    if (this.cost !== cost) this.core.page_cost(cost?.ns ?? NaN, cost?.perPixel ?? 0, cost?.slowEvery ?? 0);
    this.cost = cost;
  }

  writePolicy(policy) {
    writePolicy(this.core.memory, this.core.page_policy(), policy);
  }

  row(address) {
    const [rebuilds, wasted, previews, p50, p95, work] = this.array(Float64Array, address, 6);
    return { rebuilds, wasted, previews, p50: lag(p50), p95: lag(p95), work };
  }

  /** What a policy decides about a log, or about all, and what few of its rebuilds waited for, as bits of policy.mjs. */
  counted(policy, log = null) {
    this.writePolicy(policy);
    return { row: this.row(this.core.page_count(log?.kept ?? 0)), unexercised: this.core.page_unexercised() };
  }

  /** The fields, as bits, that nothing in the logs waits for; of the policy counted last. */
  idle() {
    return this.core.page_idle();
  }

  get gridCount() {
    return this.core.page_grid_count();
  }

  /** For each policy of the grid around the one counted last the fields, as bits, in which it differs. */
  gridChanges() {
    return Array.from({ length: this.gridCount }, (_, index) => this.core.page_grid_changes(index));
  }

  /** What a policy of the grid around `base` decides; `writePolicy(base)` comes first. */
  gridRow(index) {
    return this.row(this.core.page_grid_counts(index));
  }

  /** A policy of that grid; afterwards `base` is written. */
  gridPolicy(base, index) {
    this.writePolicy(base);
    return this.readPolicy(this.core.page_grid_policy(index));
  }
}

/** Any number of logs that are counted together. */
export class Logs extends Core {
  /** Opens logs, as `add`. `facts` has null for one that cannot be opened. */
  constructor(module, texts) {
    super(module);
    this.facts = texts.map((text) => {
      try {
        return this.add(text);
      } catch {
        return null;
      }
    });
    this.sum(this.facts.filter((facts) => facts !== null));
  }
}

/** A log in an instance of its own, to be decided. */
export class Log extends Core {
  /** Opens a log, as `add`. */
  constructor(module, text) {
    super(module);
    this.sum([this.add(text)]);
    this.readLog();
    this.decisionsStart = 0;
    this.decisionsCount = 0;
  }

  readLog() {
    const { word, big } = this.words;
    const code = word(16) | 0;
    this.fault = code === 0 ? null : `${fault(code)}, at byte ${word(20)}`;
    this.startNs = big(32);
    this.end = this.view.getFloat64(this.core.page_log_address() + 40, true);
    this.addresses = { first: word(48), times: word(52), widths: word(56), heights: word(60), marks: word(64),
      fired: word(68), firedCounts: word(72), pointers: word(76), pointerTimes: word(80), pointerHeld: word(84) };
    this.pointers = word(76);
    this.connections = word(140);
    // A name may begin with U+FEFF.
    const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
    const damage = this.core.page_damage();
    this.damage = Object.keys(damages).filter((bit) => damage & bit).map((bit) => damages[bit]);
    this.hasIndex = (damage & noIndex) === 0;
    this.names = [];
    for (let i = 0, at = word(12); i < word(8); i++, at += 8) {
      const name = this.array(Uint8Array, this.view.getUint32(at, true), this.view.getUint32(at + 4, true));
      this.names.push(decoder.decode(name));
    }
  }

  /** A scene's events, as arrays that are valid until the next call of another method. */
  lane(scene) {
    const at = this.addresses;
    const [first, end] = this.array(Uint32Array, at.first + 4 * scene, 2);
    const [fired] = this.array(Uint32Array, at.firedCounts + 4 * scene, 1);
    return {
      times: this.array(Float64Array, at.times + 8 * first, end - first),
      widths: this.array(Float32Array, at.widths + 4 * first, end - first),
      heights: this.array(Float32Array, at.heights + 4 * first, end - first),
      marks: this.array(Uint8Array, at.marks + first, end - first),
      fired: this.array(Float64Array, at.fired + 8 * first, fired),
    };
  }

  /** How many buttons are held after each pointer event. */
  buttons() {
    return {
      times: this.array(Float64Array, this.addresses.pointerTimes, this.pointers),
      held: this.array(Uint8Array, this.addresses.pointerHeld, this.pointers),
    };
  }

  /** Decides the log under a policy, with builds of a cost. Throws Error for a policy that no engine accepts. */
  decide(policy, cost) {
    this.setCost(cost);
    this.writePolicy(policy);
    const result = this.core.page_decide();
    if (result !== 0) throw new Error(fault(result));
    const address = this.core.page_decisions_address();
    this.decisionsCount = this.view.getUint32(address, true);
    this.decisionsStart = this.view.getUint32(address + 4, true);
    this.byName = this.view.getUint32(address + 8, true);
    this.byNameFirst = this.view.getUint32(address + 12, true);
    const builds = this.core.page_builds_address();
    this.buildsStart = this.view.getUint32(builds, true);
    this.buildsFirst = this.view.getUint32(builds + 4, true);
    this.policy = policy;
  }

  /** What is built, what it costs, and how soon after ends it is right (null without ends): of Settle and of the habits, in the
   * kernel's order; null without a cost. */
  figures() {
    const address = this.core.page_figures();
    if (address === 0) return null;
    const all = Array.from(this.array(Float64Array, address, 40));
    return [0, 8, 16, 24, 32].map((at) => {
      const [builds, work, busiest, wrong, ends, atOnce, sum, p90] = all.slice(at, at + 8), after = (ns) => (ends > 0 ? ns : null);
      return { builds, work, busiest, wrong, ends, atOnce, rightAfter: after(Math.floor(sum / ends)), p90RightAfter: after(p90) };
    });
  }

  /** The builds of a scene by their ends, with the work for previews; times are ns after the log's start. */
  buildsOf(scene) {
    const [first, end] = this.array(Uint32Array, this.buildsFirst + 4 * scene, 2), { view } = this;
    return Array.from({ length: end - first }, (_, i) => {
      const at = this.buildsStart + (first + i) * buildBytes, decision = view.getUint32(at + 28, true);
      const width = view.getFloat32(at + 16, true), isAhead = this.kindOf(decision) === "preview";
      return { begins: view.getFloat64(at, true), ends: view.getFloat64(at + 8, true), width: Math.abs(width), isGivenUp: width < 0,
        height: view.getFloat32(at + 20, true), decision, isAhead, isLive: this.isLive(decision) };
    });
  }

  isLive(index) {
    return reasons[this.view.getUint8(this.decisionsStart + index * decisionBytes + 61)] === "live";
  }

  decision(index) {
    return new Decision(this, index);
  }

  /** The numbers of a scene's decisions, as an array that is valid until the next call. */
  decisionsOf(scene) {
    const [first, end] = this.array(Uint32Array, this.byNameFirst + 4 * scene, 2);
    return this.array(Uint32Array, this.byName + 4 * first, end - first);
  }

  timeOf(index) {
    return this.view.getFloat64(this.decisionsStart + index * decisionBytes + 64, true);
  }

  kindOf(index) {
    return kinds[this.view.getUint8(this.decisionsStart + index * decisionBytes + 60)];
  }

  /** All decisions as the contract's objects. */
  objects() {
    return Array.from({ length: this.decisionsCount }, (_, index) => this.decision(index).object(this.names));
  }

  /** What the core had armed before a decision; null without memory. */
  explain(index) {
    this.writePolicy(this.policy);
    const address = this.core.page_explain(index);
    if (address === 0) return null;
    return { pendingSince: this.view.getFloat64(address, true), event: this.view.getFloat64(address + 8, true),
      changes: this.view.getUint32(address + 16, true), reports: this.view.getUint32(address + 20, true) === 1,
      reportsNow: this.view.getUint32(address + 24, true) === 1, rebuilt: this.view.getFloat64(address + 32, true),
      cost: this.view.getFloat64(address + 40, true), reported: this.view.getFloat64(address + 48, true),
      changed: this.view.getFloat64(address + 56, true) };
  }
}
