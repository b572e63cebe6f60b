// The search through the grid of policies, in slices that leave the page responsive. The kernel finds the
// front of what was tried, and the policy to take.

import { kindOf } from "./policy.mjs";

/** Events × policies that are decided without being asked for: then the advice is of a sample, and says so. */
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
    const { row, unexercised } = log.counted(today);
    // Numbers of points are those of the grid, so that equal ones are decided as `settle tune` decides them.
    Object.assign(this, { log, today, key, unexercised, idle: log.idle(), changes: log.gridChanges(), points: new Map(), rows: [], tried: 0, isAll: false });
    log.startPoints(this.all);
    this.decided = new Map([[kindOf(today, this.idle), row]]);
    this.order = this.orderOf(this.changes);
    this.tryNext();
    this.todayRow = this.rows[this.order[0]];
    this.find();
    this.next();
  }

  /** Spread over the grid, 1,237 is a prime, and the fewest changes first: today's policy, then one change of it. */
  orderOf(changes) {
    const bits = (number) => (number === 0 ? 0 : 1 + bits(number & number - 1));
    return changes.map((_, i) => i * 1237 % this.all).sort((a, b) => bits(changes[a]) - bits(changes[b]));
  }

  /** Finds the front of what was tried, and the policy to take. */
  find() {
    const { front, knee, advised } = this.log.front(this.all, this.todayRow.index, this.unexercised);
    this.front = dotsOf(this.points, front.map((number) => this.rows[number]));
    this.knee = knee === null ? null : this.front[front.indexOf(knee)];
    this.advised = this.front[front.indexOf(advised)] ?? this.rows[advised];
  }

  /** Rows of before do not hold any more. */
  forget() {
    this.key = null;
  }

  tryAll() {
    this.isAll = true;
    this.next();
  }

  get all() {
    return this.log.gridCount;
  }

  /** Whether all of the grid was tried, so that the advice is that of `settle tune`. */
  get isWhole() {
    return this.tried >= this.all;
  }

  get isDone() {
    return this.isWhole || (!this.isAll && this.decided.size * this.log.events >= workMost);
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
    const end = performance.now() + sliceMs;
    do this.tryNext(); while (!this.isDone && performance.now() < end);
    this.find();
    this.onProgress(this);
    if (!this.isDone) this.next();
  }

  /** Tries a policy; one that can only decide as another did has its figures. */
  tryNext() {
    const index = this.order[this.tried++], kind = kindOf(this.log.gridPolicy(this.today, index), this.idle);
    if (!this.decided.has(kind)) this.decided.set(kind, this.log.gridRow(index));
    const row = { ...this.decided.get(kind), index };
    this.log.point(index, row, this.changes[index]);
    this.rows[index] = row;
    addDot(this.points, row);
  }

  /** The policy of a point. */
  policy(point) {
    return this.log.gridPolicy(this.today, point.index);
  }
}
