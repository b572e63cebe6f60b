// The search through the grid of policies, in slices that leave the page responsive. The kernel finds the
// front of what was tried, and the policy to take.

import { changesOf } from "./policy.mjs";

/** Events × policies that are decided without being asked for. */
const workMost = 4e8;
const sliceMs = 9;

const keyOf = ({ rebuilds, p95 }) => `${rebuilds} ${p95}`;

/** Adds a policy to the dots of a picture: one for all with the same figures. */
export function addDot(dots, row) {
  const known = dots.get(keyOf(row));
  if (known) known.policies++;
  else dots.set(keyOf(row), { ...row, policies: 1 });
}

/** The dots of some rows, which then show these and no others with the same figures. */
export function dotsOf(dots, rows) {
  return rows.map((row) => {
    const dot = dots.get(keyOf(row));
    return Object.assign(dot, row, { policies: dot.policies });
  });
}

/** A search of the grid around a base policy. */
export class Search {
  /** `onProgress` is called after each slice. */
  constructor(onProgress) {
    this.onProgress = onProgress;
    this.channel = new MessageChannel();
    this.channel.port1.onmessage = () => this.slice();
    this.isQueued = false;
  }

  /** Starts anew, unless the log and today's policy, which the grid is around, are as before. */
  start(log, today) {
    const key = JSON.stringify(Object.values(today).map(String));
    if (this.log === log && this.key === key) return;
    const { row, kept } = log.counted(today);
    Object.assign(this, { log, today, key, kept, todayRow: { ...row, index: -1 }, points: new Map(), rows: [], tried: 0 });
    this.add(this.todayRow, today);
    const all = log.gridCount;
    this.most = Math.max(1, Math.min(all, Math.floor(workMost / Math.max(log.events, 1))));
    this.find();
    this.next();
  }

  /** Today's policy is the first row. */
  add(row, policy) {
    this.log.point(this.rows.length, row, changesOf(policy, this.today));
    this.rows.push(row);
    addDot(this.points, row);
  }

  /** Finds the front of what was tried, and the policy to take. */
  find() {
    const { front, knee, advised } = this.log.front(this.rows.length, 0, this.kept);
    this.front = dotsOf(this.points, front.map((number) => this.rows[number]));
    this.knee = knee === null ? null : this.front[front.indexOf(knee)];
    this.advised = this.front[front.indexOf(advised)] ?? this.rows[advised];
  }

  /** Rows of before do not hold any more. */
  forget() {
    this.key = null;
  }

  tryAll() {
    this.most = this.log.gridCount;
    this.next();
  }

  get isDone() {
    return this.tried >= this.most;
  }

  next() {
    if (this.isQueued) return;
    this.isQueued = true;
    // A task of its own, after what the reader does.
    setTimeout(() => this.channel.port2.postMessage(null), 4);
  }

  slice() {
    this.isQueued = false;
    if (this.isDone) return;
    const end = performance.now() + sliceMs, all = this.log.gridCount;
    this.log.writePolicy(this.today);
    do {
      // Spread over the grid, so that a part of it is a fair one: 1,237 is a prime.
      this.tryPolicy((this.tried * 1237) % all);
      this.tried++;
    } while (!this.isDone && performance.now() < end);
    this.find();
    this.onProgress(this);
    if (!this.isDone) this.next();
  }

  tryPolicy(index) {
    const row = this.log.gridRow(index);
    this.add({ ...row, index }, this.log.gridPolicy(this.today, index));
  }

  /** The policy of a point. */
  policy(point) {
    return point.index < 0 ? this.today : this.log.gridPolicy(this.today, point.index);
  }
}
