// The search through the grid of policies, in slices that leave the page responsive, and the front of
// what was found.

import { differences } from "./policy.mjs";

/** Events × policies that are decided without being asked for. */
const workMost = 4e8;
const sliceMs = 9;

const bucketEnd = 2 ** 40;

const lagOf = (point) => Math.min(point.p95, bucketEnd);

/**
 * The knee of a front, as `settle tune` finds it: both axes are scaled linearly, so that the front's
 * ends are 0 and 1; the knee is furthest below the line between them. Null if none is below it.
 */
export function kneeOf(front) {
  if (front.length < 3) return null;
  const fewest = front[0].rebuilds, most = front.at(-1).rebuilds;
  const longest = lagOf(front[0]), shortest = lagOf(front.at(-1));
  let knee = null, furthest = 0;
  for (const point of front) {
    const part = (point.rebuilds - fewest) / (most - fewest) + (lagOf(point) - shortest) / (longest - shortest);
    const distance = Math.round((1 - part) * 1e9);
    if (distance > furthest) [knee, furthest] = [point, distance];
  }
  return knee;
}

/** The points that no other beats in rebuilds and in lag: more rebuilds from one to the next, less lag. */
export function frontOf(points) {
  const sorted = [...points].sort((a, b) => a.rebuilds - b.rebuilds || a.p95 - b.p95);
  const front = [];
  for (const point of sorted) {
    if (front.length === 0 || point.p95 < front.at(-1).p95) front.push(point);
  }
  return front;
}

/** Which of two policies with the same rebuilds and p95 lag to name, as `settle tune` decides: below 0 for the first. */
function preference(a, b) {
  return a.wasted - b.wasted || (a.p50 < b.p50 ? -1 : a.p50 > b.p50 ? 1 : 0) || a.distance - b.distance
    || a.index - b.index;
}

/** Keeps, in a map, one policy of those with the same figures. */
export function keep(points, tried) {
  const key = `${tried.rebuilds} ${tried.p95}`, known = points.get(key);
  const policies = (known?.policies ?? 0) + 1;
  const isBetter = !known || preference(tried, known) < 0;
  points.set(key, { ...(isBetter ? tried : known), policies });
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

  /**
   * Starts anew, unless the log and what the grid leaves of the base are as before. `today` is a
   * policy that is tried beside the grid, and from which changes are counted.
   */
  start(log, base, today, todayRow) {
    // The grid sets its own fields, so policies that agree in the rest have the same grid.
    const rest = log.gridPolicy(base, 0);
    const key = JSON.stringify(Object.values(rest).map(String));
    if (this.log === log && this.key === key) return;
    Object.assign(this, { log, base, today, key, points: new Map(), tried: 0 });
    keep(this.points, { ...todayRow, index: -1, distance: 0 });
    const all = log.gridCount;
    this.most = Math.max(1, Math.min(all, Math.floor(workMost / Math.max(log.events, 1))));
    this.next();
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
    this.log.writePolicy(this.base);
    do {
      // Spread over the grid, so that a part of it is a fair one: 1,237 is a prime.
      this.tryPolicy((this.tried * 1237) % all);
      this.tried++;
    } while (!this.isDone && performance.now() < end);
    this.onProgress(this);
    if (!this.isDone) this.next();
  }

  tryPolicy(index) {
    const row = this.log.gridRow(index);
    const distance = differences(this.log.gridPolicy(this.base, index), this.today).length;
    keep(this.points, { ...row, index, distance });
  }

  /** The policy of a point. */
  policy(point) {
    return point.index < 0 ? this.today : this.log.gridPolicy(this.base, point.index);
  }

  get front() {
    return frontOf(this.points.values());
  }
}
