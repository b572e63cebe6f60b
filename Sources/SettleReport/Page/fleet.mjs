// A fleet's figures: what every policy decides, by cohort. Fronts and knees are those of the export, and the
// kernel chooses the policy to take.

import { shortened } from "./format.mjs";
import { addDot, dotsOf } from "./front.mjs";
import { changesOf, fields, parsed } from "./policy.mjs";

const lagOfExport = (ns) => (ns < 0 ? Infinity : ns);

/** The sessions of a cohort, or of all. It is also what a picture of a front takes for a log. */
export class Cohort {
  constructor(fleet, data, name) {
    Object.assign(this, { fleet, data, name, sessions: data.sessions, damaged: data.damaged, events: data.events });
    this.today = this.point(fleet.today);
    this.unexercised = fields.reduce((bits, { name }, i) => (data.unexercised.includes(name) ? bits | 1 << i : bits), 0);
    this.front = data.front.map((index) => this.point(index));
    this.knee = this.front.find(({ index }) => index === data.knee) ?? null;
    const { everyChange, debounce } = data;
    this.baselines = { naive: everyChange.rebuilds, naiveWasted: everyChange.wasted, debounce: debounce.rebuilds, debounceWasted: debounce.wasted };
  }

  /** A policy's figures here. */
  point(index) {
    const { data } = this;
    return { index, rebuilds: data.rebuilds[index], wasted: data.wasted[index], previews: data.previews[index],
      p50: lagOfExport(data.p50_ns[index]), p95: lagOfExport(data.p95_ns[index]), p99: lagOfExport(data.p99_ns[index]) };
  }

  get gridCount() {
    return this.fleet.policies.length;
  }

  /** The policy to take within a bound of the p95 lag, null for any; null if there is none. The kernel chooses. */
  advised(bound) {
    if (this.bound !== bound || this.chosen === undefined) {
      const { core, changes, today } = this.fleet;
      core.startPoints(this.gridCount);
      for (let index = 0; index < this.gridCount; index++) core.point(index, this.point(index), changes[index]);
      const { advised } = core.front(this.gridCount, today, this.unexercised, bound);
      Object.assign(this, { bound, chosen: advised === null ? null : this.point(advised) });
    }
    return this.chosen;
  }

  /** All policies as a search that is done, for the picture. */
  search(bound) {
    const points = new Map();
    for (let index = 0; index < this.gridCount; index++) addDot(points, this.point(index));
    // Of those with the same figures, the picture has the front's own.
    const front = dotsOf(points, this.front), advised = this.advised(bound);
    const onFront = (point) => (point ? front.find(({ index }) => index === point.index) ?? point : null);
    return { points, front, knee: onFront(this.knee), advised: onFront(advised), log: this, tried: this.gridCount, isDone: true, isWhole: true,
      todayRow: this.today, unexercised: this.unexercised, policy: ({ index }) => this.fleet.policies[index], tryAll() {} };
  }
}

/** The fleet of a report. Throws Error, with a sentence, for figures that are not as the command writes them. */
export class Fleet {
  constructor(data, core) {
    this.core = core;
    this.columns = data.columns;
    this.policies = data.policies.map((policy) => parsed(policy));
    this.today = data.today;
    this.todaysPolicy = this.policies[data.today];
    this.changes = this.policies.map((policy) => changesOf(policy, this.todaysPolicy));
    this.sessions = data.sessions;
    this.damaged = data.damaged;
    this.cohorts = data.cohorts.map((cohort, index) => this.cohort(cohort, `number ${index + 1} of its cohorts`, this.nameOf(cohort.cohort)));
    // Null without any cohort.
    this.all = this.cohorts.length > 1 ? this.cohort(data.total, "its total", "All together") : this.cohorts[0] ?? null;
  }

  cohort(data, which, name) {
    for (const key of ["rebuilds", "previews", "wasted", "p50_ns", "p95_ns", "p99_ns"]) {
      if (data[key].length !== this.policies.length) throw new Error(`"${key}" of ${which} has ${data[key].length} numbers for ${this.policies.length} policies`);
    }
    return new Cohort(this, data, name);
  }

  /** A cohort's values, each as text that acts on nothing around it. */
  nameOf(values) {
    if (values.length === 0) return "All together";
    return values.map((value) => (value === null ? "(null)" : value === "" ? "(empty)" : shortened(value, 40))).join(" · ");
  }
}
