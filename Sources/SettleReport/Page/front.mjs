// The search through the grid of policies, in slices that leave the page responsive, and the front of
// what was found.

import { differences } from "./policy.mjs";

/** Events × policies that are decided without being asked for. */
const workMost = 4e8;
const sliceMs = 9;

/**
 * The knee of a front: the point furthest from the line between its ends, with both axes scaled to
 * the front's own range; its first point if it is shorter than three.
 */
export function kneeOf(front) {
  if (front.length < 3) return front[0] ?? null;
  const [first, last] = [front[0], front.at(-1)];
  const across = last.rebuilds - first.rebuilds, down = first.p95 - last.p95;
  let knee = first, furthest = -1;
  for (const point of front) {
    const away = (first.p95 - point.p95) / down - (point.rebuilds - first.rebuilds) / across;
    if (away > furthest) [knee, furthest] = [point, away];
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

/** Of two policies that decide equally, the one to name: less wasted, then nearer to the base. */
function isBetter(a, b) {
  return a.wasted - b.wasted || a.p50 - b.p50 || a.distance - b.distance || a.index - b.index;
}

/** A search of the grid around a base policy. */
export class Search {
  /** `onProgress` is called after each slice. */
  constructor(onProgress) {
    this.onProgress = onProgress;
    this.channel = new MessageChannel();
    this.channel.port1.onmessage = () => this.slice();
    this.run = 0;
  }

  /** Starts anew, unless the log and what the grid leaves of the base are as before. */
  start(log, base, isForced = false) {
    // The grid sets its own fields, so policies that agree in the rest have the same grid.
    const rest = log.gridPolicy(base, 0);
    const key = JSON.stringify(Object.values(rest).map(String));
    if (!isForced && this.log === log && this.key === key) return;
    Object.assign(this, { log, base, key, points: new Map(), tried: 0, run: this.run + 1 });
    const all = log.gridCount;
    this.most = Math.max(1, Math.min(all, Math.floor(workMost / Math.max(log.events, 1))));
    this.next(this.run);
  }

  tryAll() {
    this.most = this.log.gridCount;
    this.next(this.run);
  }

  get isDone() {
    return this.tried >= this.most;
  }

  next(run) {
    this.awaited = run;
    // A task of its own, after what the reader does.
    setTimeout(() => this.channel.port2.postMessage(null), 4);
  }

  slice() {
    if (this.awaited !== this.run || this.isDone) return;
    const end = performance.now() + sliceMs, all = this.log.gridCount;
    this.log.writePolicy(this.base);
    do {
      // Spread over the grid, so that a part of it is a fair one: 1,237 is a prime.
      this.add((this.tried * 1237) % all);
      this.tried++;
    } while (!this.isDone && performance.now() < end);
    this.onProgress(this);
    if (!this.isDone) this.next(this.run);
  }

  add(index) {
    const row = this.log.gridRow(index);
    const key = `${row.rebuilds} ${row.p95}`;
    const known = this.points.get(key);
    const candidate = { ...row, index, distance: 0, policies: (known?.policies ?? 0) + 1 };
    if (known) {
      known.policies++;
      if (candidate.wasted > known.wasted || (candidate.wasted === known.wasted && candidate.p50 > known.p50)) return;
    }
    candidate.distance = this.distance(index);
    if (!known || isBetter(candidate, known) < 0) this.points.set(key, candidate);
  }

  distance(index) {
    const distance = differences(this.log.gridPolicy(this.base, index), this.base).length;
    this.log.writePolicy(this.base);
    return distance;
  }

  /** The policy of a point. */
  policy(point) {
    return this.log.gridPolicy(this.base, point.index);
  }

  /** How many distinct outcomes are listed, best first. */
  get front() {
    return frontOf(this.points.values());
  }
}
