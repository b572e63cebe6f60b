// What node programs do today: lodash.debounce and RxJS debounceTime. Prints rows in
// JSON Lines; each round is checked by a hash of the sizes that were settled.
// NODE_PATH says where the two are, as Debian keeps them in a place of its own.
import { createRequire } from "node:module";

const require = createRequire(import.meta.url);
const delay = 50;
const scales = {
  full: { streams: 10000, runs: 7, changes: 500000 },
  quick: { streams: 10000, runs: 3, changes: 200000 },
  tiny: { streams: 100, runs: 2, changes: 2000 },
};
const scale = scales[process.argv[2] ?? "full"];
if (!scale) {
  console.error("usage: peers.mjs full | quick | tiny");
  process.exit(2);
}

// Each peer gets a number of streams and what to call with (stream, width, height),
// and gives the function to call at every change.
function lodashPeer(debounce) {
  return (streams, settle) => {
    const debounced = Array.from({ length: streams }, (_, stream) =>
      debounce((width, height) => settle(stream, width, height), delay));
    return (stream, width, height) => debounced[stream](width, height);
  };
}

function rxjsPeer({ Subject, debounceTime }) {
  return (streams, settle) => {
    const subjects = Array.from({ length: streams }, (_, stream) => {
      const subject = new Subject();
      subject.pipe(debounceTime(delay)).subscribe((size) => settle(stream, size.width, size.height));
      return subject;
    });
    return (stream, width, height) => subjects[stream].next({ width, height });
  };
}

// FNV-1a over (stream, width, height), a number at a time.
function hash(widths, heights) {
  let hash = 0xcbf29ce484222325n;
  for (let stream = 0; stream < widths.length; stream++) {
    for (const number of [stream, widths[stream], heights[stream]]) {
      hash = BigInt.asUintN(64, (hash ^ BigInt(number)) * 0x100000001b3n);
    }
  }
  return hash.toString(16);
}

class PeerUnderTest {
  constructor(name, make, streams) {
    this.name = name;
    this.widths = new Float64Array(streams);
    this.heights = new Float64Array(streams);
    this.fired = 0;
    this.made = 0;
    this.runs = [];
    this.change = make(streams, (stream, width, height) => {
      this.widths[stream] = width;
      this.heights[stream] = height;
      this.fired++;
    });
  }

  // Round robin; no two changes have the same size. The timers can fire only after
  // the feeding, as that keeps the thread: the best case for a peer.
  async round(isTimed) {
    const { changes } = scale;
    const streams = this.widths.length;
    const last = { widths: new Float64Array(streams), heights: new Float64Array(streams) };
    const knownWidths = new Float64Array(streams);
    const knownHeights = new Float64Array(streams);
    this.widths.fill(0);
    this.heights.fill(0);
    this.fired = 0;

    const first = this.made;
    this.made += changes;
    const start = process.hrtime.bigint();
    for (let index = 0; index < changes; index++) {
      const stream = index % streams;
      const width = 1 + ((first + index) & 0xfffff);
      const height = 1 + ((first + index) >> 20);
      if (width === knownWidths[stream] && height === knownHeights[stream]) continue;
      knownWidths[stream] = width;
      knownHeights[stream] = height;
      this.change(stream, width, height);
    }
    const took = Number(process.hrtime.bigint() - start);
    if (isTimed) this.runs.push(took / changes);

    for (let index = Math.max(0, changes - streams); index < changes; index++) {
      last.widths[index % streams] = 1 + ((first + index) & 0xfffff);
      last.heights[index % streams] = 1 + ((first + index) >> 20);
    }
    const expected = hash(last.widths, last.heights);
    const patience = Date.now() + 20000;
    do {
      await new Promise((resolve) => setTimeout(resolve, 20));
      this.hash = hash(this.widths, this.heights);
    } while (this.hash !== expected && Date.now() < patience);
    if (this.hash !== expected) {
      throw new Error(`${this.name}, ${streams} streams: it settled on something else than the last sizes`);
    }
  }

  print(name) {
    const sorted = [...this.runs].sort((a, b) => a - b);
    const median = (sorted[(sorted.length - 1) >> 1] + sorted[sorted.length >> 1]) / 2;
    const rounded = (value) => Math.round(value * 1000) / 1000;
    console.log(JSON.stringify({
      kind: "feed", language: "node", case: name, streams: this.widths.length, peer: this.name,
      events: scale.changes, ns: rounded(median), runs: this.runs.map(rounded), fired: this.fired, hash: this.hash,
    }));
  }
}

const makers = [];
for (const [name, load] of [
  ["lodash.debounce", () => lodashPeer(require("lodash").debounce)],
  ["RxJS debounceTime", () => rxjsPeer({ ...require("rxjs"), ...require("rxjs/operators") })],
]) {
  try {
    makers.push([name, load()]);
  } catch (error) {
    if (error.code !== "MODULE_NOT_FOUND") throw error;
    console.log(JSON.stringify({ kind: "missing", peer: name, why: "its package is not installed" }));
  }
}

for (const [name, streams] of [["hot", 1], ["many", scale.streams]]) {
  const peers = makers.map(([peer, make]) => new PeerUnderTest(peer, make, streams));
  // The first round only warms up; within a round the peers take turns.
  for (let run = -1; run < scale.runs; run++) {
    for (const peer of peers) await peer.round(run >= 0);
  }
  for (const peer of peers) peer.print(name);
}
