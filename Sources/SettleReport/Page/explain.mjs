// Why a decision was made, in words. The times are the core's; the rules are those of the contract.

import { clock, count, size, plural } from "./format.mjs";
import { duration } from "./policy.mjs";

const contract = {
  first: ["firstDelay", "Nothing was built for the scene yet, so it waits for nobody but firstDelay.", "6, 7"],
  discrete: ["discreteDelay", "The scene reports its resizing or was dragged before, and this change came outside any interaction.", "6, 7"],
  quiet: [null, "Nothing says when a resize of this scene ends, so it had to be quiet.", "6, 7, 16"],
  maximumWait: ["maximumWait", "Changes kept postponing the rebuild, until maximumWait was over.", "6, 7"],
  flush: [null, "What was pending was asked for.", "12"],
  timeout: ["reportedEndDelay", "The watchdog had ended the interaction.", "6, 7, 11"],
};

const ends = {
  reported: "The scene reported that its resizing was over.",
  released: "The last pointer button was released.",
  disconnected: "The scene disconnected.",
  timeout: "Its size did not change for interactionTimeout: a flag got stuck, or a release got lost.",
};
const endRules = { reported: "4", released: "5", disconnected: "10", timeout: "11" };

/** The last decision of a kind of the same scene before a decision; null for none. */
function earlier(log, decision, kind) {
  const numbers = log.decisionsOf(decision.scene);
  let low = 0, high = numbers.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (numbers[middle] < decision.index) low = middle + 1;
    else high = middle;
  }
  for (let i = low - 1; i >= 0; i--) {
    if (log.kindOf(numbers[i]) === kind) return log.decision(numbers[i]);
  }
  return null;
}

function rebuildCause(log, decision) {
  if (decision.reason !== "interactionEnded") return contract[decision.reason];
  const end = earlier(log, decision, "interactionEnded");
  // A size whose work was done or under way at the release does not wait for what may follow it.
  const isPrepared = decision.prepared && decision.time - decision.since !== Number(log.policy.releasedEndDelay);
  const field = end?.reason === "released" && !isPrepared ? "releasedEndDelay" : "reportedEndDelay";
  return [field, "An interaction had ended at a size that was not built.", "6, 7"];
}

function quietText({ quietDelay, jumpDelay, calmDelay }) {
  return jumpDelay === null ? duration(quietDelay) : `${duration(quietDelay)}; ${duration(jumpDelay)} after a jump out of ${duration(calmDelay)} of calm`;
}

function rebuild(log, decision, armed) {
  const [field, why, rules] = rebuildCause(log, decision);
  const { policy } = log;
  const end = earlier(log, decision, "interactionEnded");
  const byEnd = end !== null && end.time === decision.since;
  const previous = earlier(log, decision, "rebuild");
  const waited = decision.time - decision.since;
  const delay = field ? `${field}, ${duration(policy[field])}` : decision.reason === "quiet" ? `quiet time: ${quietText(policy)}` : null;
  const isPending = armed && armed.pendingSince === armed.pendingSince && armed.pendingSince < decision.time;
  const postponed = armed?.changes ? `, postponed by ${plural(armed.changes, "change")}` : "";
  return {
    title: `Rebuild ${size(decision.width, decision.height)}`, why, rules,
    rows: [
      ["Reason", decision.reason],
      ["Armed", `at ${clock(decision.since)}, by ${byEnd ? "the interaction’s end" : "the last change of the size"}`],
      ["Delay", delay],
      ["Deadline", `${clock(decision.time)}, ${duration(waited)} later`],
      ["Prepared", decision.prepared ? "the work for a preview was done or under way" : null],
      ["Pending", isPending ? `for ${duration(decision.time - armed.pendingSince)}${postponed}` : null],
      ["Coalesced", plural(decision.coalesced, "event")],
      ["Built before", decision.previousWidth > 0 ? size(decision.previousWidth, decision.previousHeight) : "nothing"],
      ["Last rebuild", previous ? `${duration(decision.time - previous.time)} before, number ${count(previous.generation)}` : null],
      ["Interaction", decision.interaction > 0 ? `took ${duration(decision.interaction)}` : null],
    ],
  };
}

/** Rule 18: when the last build was paid for, and when the interval was over. */
function live(log, decision, armed) {
  const { policy } = log, share = Number(policy.liveShare), limit = Number(policy.liveLimit), previous = earlier(log, decision, "rebuild");
  const times = policy.liveLimit === null || !(armed?.cost > limit) || previous?.generation === 1 ? 1 : Math.ceil(armed.cost / limit);
  const pause = (times) => (armed ? Math.min(Math.ceil(times * armed.cost * 100 / share) - armed.cost, 36e11) : NaN);
  const rest = policy.livePause === null || !armed ? Infinity
    : Math.max(armed.reported + pause(1), armed.changed + Number(policy.livePause));
  const often = armed ? armed.reported + pause(times) : NaN, paid = Math.min(often, rest);
  const free = armed ? armed.rebuilt + Number(policy.liveInterval) : NaN, by = Math.max(decision.since, paid, free);
  const wait = by !== by ? null : by === paid ? "then the last build was paid for" : by === free ? "then the interval was over"
    : "at once: the last build was paid for";
  return {
    title: `Live rebuild ${size(decision.width, decision.height)}`, rules: "18",
    why: "The size was to be built, and the time for it was there: no need to wait for an end or for quiet.",
    rows: [
      ["Reason", decision.reason],
      ["Last build", armed ? `took ${duration(armed.cost)}, until ${clock(armed.reported)}` : null],
      ["Paid for", armed ? `at ${clock(paid)}: ` + (rest < often ? `the size stood still for livePause, ${duration(policy.livePause)}`
        : `liveShare, ${share} %, is a pause of ${duration(pause(times))}`) : null],
      ["Limit", `liveLimit, ${duration(policy.liveLimit)}` + (times > 1 ? `: the last build counts ${count(times)} times` : "")],
      ["Prepared", decision.prepared ? "the work for a preview was done or under way" : null],
      ["Interval", armed ? `liveInterval, ${duration(policy.liveInterval)}, until ${clock(free)}` : null],
      ["Deadline", clock(decision.time) + (wait ? `: ${wait}` : "")],
      ["Size since", `${clock(decision.since)}, for ${duration(decision.time - decision.since)}`],
      ["Coalesced", plural(decision.coalesced, "event")],
      ["Built before", size(decision.previousWidth, decision.previousHeight)],
      ["Last rebuild", previous ? `${duration(decision.time - previous.time)} before, number ${count(previous.generation)}` : null],
    ],
  };
}

/** Whether a decision was made within an interaction. */
function isDragged(log, decision) {
  const [began, ended] = ["interactionBegan", "interactionEnded"].map((kind) => earlier(log, decision, kind)?.index ?? -1);
  return began > ended;
}

/** When what was decided was built, if it was. */
function builtText(log, decision) {
  const build = log.buildsOf(decision.scene).find((each) => each.decision === decision.index);
  if (!build) return !log.cost || (decision.kind === "preview" && log.policy.pauseShare === null) ? null : "never: another size came first";
  if (build.isAhead) return `${duration(build.ends - build.begins)}, ${build.isGivenUp ? "given up" : "done"} at ${clock(build.ends)}`;
  if (decision.prepared && build.ends === decision.time) return "was done: it is shown at once";
  const waited = build.begins - decision.time;
  return `${duration(build.ends - build.begins)}, until ${clock(build.ends)}` + (waited > 0 ? `, after it waited ${duration(waited)}` : "");
}

const texts = {
  rebuild: (log, decision, armed) => {
    const text = (decision.reason === "live" ? live : rebuild)(log, decision, armed);
    text.rows.push(["Build", builtText(log, decision)],
      ["Feedback", decision.feedback ? "builds change their own size, so that each asks for the next: a build should report the new size" : null]);
    return text;
  },
  preview: (log, decision, armed) => {
    const { policy } = log, stood = armed ? decision.time - armed.changed : NaN;
    const later = stood > Number(policy.pauseDelay) ? "; then the last work was paid for" : stood < Number(policy.pauseDelay) ? "; at a release at once" : "";
    return {
      title: `Preview ${size(decision.width, decision.height)}`, rules: "17",
      why: (isDragged(log, decision) ? "The size stood still within an interaction." : "The size stood still while it waited for its rebuild.")
        + " Work for it can begin. It is no rebuild: the size stays pending.",
      rows: [["Size since", stood === stood ? `${clock(armed.changed)}, for ${duration(stood)}` : null],
        ["Delay", `pauseDelay, ${duration(policy.pauseDelay)}${later}`], ["Share", policy.pauseShare === null ? null : `pauseShare, ${policy.pauseShare} %`],
        ["Built", decision.previousWidth > 0 ? size(decision.previousWidth, decision.previousHeight) : "nothing"],
        ["Work", builtText(log, decision)]],
    };
  },
  interactionBegan: (log, decision, armed) => ({
    title: "Interaction began", rules: armed?.reportsNow ? "4, 8" : "5, 8",
    why: (armed?.reportsNow ? "The scene’s flag for resizing came on." : "The scene’s size changed while a pointer button was held.")
      + ` No ${log.policy.liveShare === null ? "rebuild" : "rebuild but a live one"} of the scene is decided until the interaction ends.`,
    rows: [["At", clock(decision.time)], ["Scene reports", armed ? (armed.reports ? "yes" : armed.reportsNow ? "from now on" : "no") : null],
      ["Disarmed", log.policy.liveShare !== null ? null : armed && armed.pendingSince === armed.pendingSince
        ? `a rebuild that was pending for ${duration(decision.time - armed.pendingSince)}` : "nothing was pending"],
      ["Watchdog", log.policy.interactionTimeout === null ? "none" : `after ${duration(log.policy.interactionTimeout)} without a change of the size`]],
  }),
  interactionEnded: (log, decision) => ({
    title: "Interaction ended", rules: endRules[decision.reason], why: ends[decision.reason],
    rows: [["Reason", decision.reason], ["At", clock(decision.time)], ["It took", duration(decision.interaction)],
      ["Armed", decision.reason === "timeout" && log.policy.interactionTimeout !== null
        ? `at ${clock(decision.time - Number(log.policy.interactionTimeout))}, by the last change of the size, or the begin` : null]],
  }),
  lockChanged: (log, decision) => ({
    title: decision.locked ? "Orientation locked" : "Orientation unlocked", rules: "9",
    why: "The new value of the lock held for lockDelay.",
    rows: [["Armed", `at ${clock(decision.time - Number(log.policy.lockDelay))}, by the new value`],
      ["Delay", `lockDelay, ${duration(log.policy.lockDelay)}`], ["Deadline", clock(decision.time)]],
  }),
};

/** A decision's explanation: title, why, the numbers of its rules, rows of terms and values. */
export function explanation(log, decision) {
  const armed = log.explain(decision.index);
  const text = texts[decision.kind](log, decision, armed);
  text.rows.push(["Last event", armed && armed.event === armed.event ? `${duration(decision.time - armed.event)} before` : null],
    ["Exact time", `${decision.at} ns`]);
  return text;
}

/** The numbers of rules, as text: `6, 7` becomes `Rules 6 and 7 of the decision contract`. */
export function rulesText(rules) {
  const numbers = rules.split(", "), last = numbers.pop();
  const which = numbers.length > 0 ? `Rules ${numbers.join(", ")} and ${last}` : `Rule ${last}`;
  return `${which} of the decision contract`;
}

/** What the contract's rules say that decisions name, in short. */
export const ruleTexts = {
  4: "A scene’s flag for resizing begins an interaction when it comes on, and ends it when it goes off.",
  5: "On a scene that does not report, a change of the size under a held pointer button begins an interaction; the release of the last button ends it.",
  6: "A size that is not built is pending: its deadline is the change, or the interaction’s end, and the delay that fits it. Later changes move it; maximumWait caps it.",
  7: "At the deadline a size that is still not built is rebuilt. The rebuild’s time is the deadline, never that of the wake-up.",
  8: "Within an interaction no rebuild but a live one is decided, however long the hand holds still.",
  9: "A new value of the lock counts once it held for lockDelay; the old one again disarms it.",
  10: "A disconnect disarms everything of the scene, and ends its interaction.",
  11: "An interaction ends when the size of its scene has not changed for interactionTimeout.",
  12: "A flush decides a pending rebuild at once, except within an interaction.",
  16: "Where nothing signals an end, a size waits for quietDelay; after one large change out of calm for jumpDelay.",
  17: "A pending size that stands for pauseDelay is previewed, so that work for it can begin. It stays pending. With pauseShare that work is paid for.",
  18: "With liveShare a size is built before its end once the last build is paid for: after a pause in proportion to its cost, which counts once for each liveLimit while the size changes, and at least liveInterval after the last rebuild.",
};

/** A decision in a few words, for a tip or a summary. */
export function brief(decision) {
  const what = {
    rebuild: () => `rebuild ${size(decision.width, decision.height)}, ${decision.reason}, ${plural(decision.coalesced, "event")} coalesced`,
    preview: () => `preview ${size(decision.width, decision.height)}`,
    interactionBegan: () => "interaction began",
    interactionEnded: () => `interaction ended, ${decision.reason}`,
    lockChanged: () => decision.lock,
  };
  return `${clock(decision.time)}: ${what[decision.kind]()}`;
}
