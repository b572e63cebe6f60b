// Draws the lane of a scene: its size curve, and below it what rebuilds when. Work is proportional to
// the events in view, and what is drawn to the pixels.

import { colors, context, printWidth } from "./dom.mjs";
import { clock, count, length, niceStep, niceTimeStep, plural } from "./format.mjs";
import { duration } from "./policy.mjs";

/** The margins beside the plot. */
export function margins(width) {
  return width < 520 ? { left: 64, right: 36 } : { left: 74, right: 48 };
}

/** The first index whose time is not before `time`. */
export function lowerBound(times, time, from = 0, timeOf = (each) => each) {
  let low = from, high = times.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (timeOf(times[middle]) < time) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** What a lane shows of a scene's decisions, as arrays sorted by time. */
export function laneDecisions(log, scene) {
  const numbers = log.decisionsOf(scene);
  const found = { rebuild: [], preview: [], lockChanged: [], interactions: [], isLive: [] };
  let began = null;
  for (const number of numbers) {
    const kind = log.kindOf(number), time = log.timeOf(number);
    if (kind === "interactionBegan") began = time;
    else if (kind === "interactionEnded") {
      found.interactions.push([began, time]);
      began = null;
    } else found[kind].push(time);
    if (kind === "rebuild") found.isLive.push(log.isLive(number));
  }
  found.builds = log.buildsOf(scene);
  found.shown = shownSizes(log.lane(scene), found.builds);
  if (began !== null) found.interactions.push([began, log.end]);
  return { ...found, numbers: Uint32Array.from(numbers), times: Float64Array.from(numbers, (number) => log.timeOf(number)) };
}

/** The size that is shown, as a curve: that of the last build that ended. */
function shownSizes({ times, marks }, builds) {
  const steps = builds.filter(({ isAhead }) => !isAhead).map(({ ends, width, height }) => [ends, width, height]);
  for (let i = 0; i < times.length; i++) if (marks[i] & 2) steps.push([times[i], NaN, NaN]);
  steps.sort((a, b) => a[0] - b[0]);
  return { times: steps.map(([time]) => time), widths: steps.map(([, width]) => width), heights: steps.map(([, , height]) => height) };
}

/** What does not change with the policy: the range of the sizes, and whether there is a lock. */
export function laneFacts(log, scene) {
  const { times, widths, heights, marks } = log.lane(scene);
  let least = Infinity, most = -Infinity, changes = 0, hasLock = false;
  for (let i = 0; i < widths.length; i++) {
    if (widths[i] < least) least = widths[i];
    if (heights[i] < least) least = heights[i];
    if (widths[i] > most) most = widths[i];
    if (heights[i] > most) most = heights[i];
    changes += marks[i] & 1;
    if (marks[i] & 4) hasLock = true;
  }
  return { events: times.length, changes, hasLock, least: most > least ? least : most - 1, most };
}

/** The rows below the curve. */
export function laneRows(log, facts, decided) {
  const rows = ["naive", "debounce", "settle"];
  if (decided.builds.length > 0) rows.push("builds");
  if (decided.preview.length > 0 || log.policy.pauseDelay !== null) rows.push("preview");
  if (log.pointers > 0) rows.push("buttons");
  if (facts.hasLock) rows.push("lock");
  return rows;
}

const rowHeight = 13, rowStep = 17, curveTop = 8;
const curveHeight = (width) => (width < 520 ? 84 : 104);

export function laneHeight(width, rows) {
  return curveTop + curveHeight(width) + 9 + rows.length * rowStep + 2;
}

const labels = { naive: "every size", debounce: "debounce", settle: "Settle", builds: "builds", preview: "previews", buttons: "buttons", lock: "lock" };

class Plot {
  constructor(canvas, view, rows, forPrint) {
    const width = forPrint ? printWidth : canvas.clientWidth;
    const { drawing, scale } = context(canvas, laneHeight(width, rows), forPrint);
    const { left, right } = margins(width);
    Object.assign(this, { drawing, scale, view, rows, palette: colors(), left, right: width - right,
      perNs: (width - left - right) / (view.end - view.start), curveBottom: curveTop + curveHeight(width) });
  }

  x(time) {
    return this.left + (time - this.view.start) * this.perNs;
  }

  rowTop(row) {
    return this.curveBottom + 9 + this.rows.indexOf(row) * rowStep;
  }

  clip(top, bottom, draw) {
    this.drawing.save();
    this.drawing.beginPath();
    this.drawing.rect(this.left, top, this.right - this.left, bottom - top);
    this.drawing.clip();
    draw();
    this.drawing.restore();
  }

  text(text, x, y, color, align = "left") {
    this.drawing.fillStyle = color;
    this.drawing.textAlign = align;
    this.drawing.fillText(text, x, y);
  }
}

/** The times of an axis's marks, and the step between them in ns. */
function timeMarks(view, pixels) {
  const step = niceTimeStep(view.end - view.start, pixels / 90), first = Math.ceil(view.start / step) * step;
  // Far from 0 neighbours may be the same double: the marks are counted, not compared.
  return { step, times: Array.from({ length: Math.floor((view.end - first) / step) + 1 }, (_, i) => first + i * step) };
}

function drawGrid(plot, bottom) {
  const { drawing, palette, view } = plot;
  drawing.fillStyle = palette.line;
  for (const time of timeMarks(view, plot.right - plot.left).times) {
    drawing.fillRect(Math.round(plot.x(time)), curveTop, 1, bottom - curveTop);
  }
}

function drawSizeAxis(plot, facts) {
  const { drawing, palette } = plot;
  const step = niceStep(facts.most - facts.least, 4);
  const y = (value) => plot.curveBottom - 4 - (value - facts.least) / (facts.most - facts.least) * (plot.curveBottom - curveTop - 8);
  for (let value = Math.ceil(facts.least / step) * step; value <= facts.most; value += step) {
    drawing.fillStyle = palette.line;
    drawing.fillRect(plot.left, Math.round(y(value)), plot.right - plot.left, 1);
    plot.text(length(value), plot.left - 7, y(value), palette.muted, "right");
  }
  return y;
}

function drawBands(plot, interactions, top, bottom) {
  const { drawing, palette } = plot;
  for (const [began, ended] of interactions) {
    if (ended < plot.view.start || began > plot.view.end) continue;
    const left = plot.x(began), width = Math.max(plot.x(ended) - left, 1);
    drawing.fillStyle = palette.band;
    drawing.fillRect(left, top, width, bottom - top);
    drawing.fillStyle = palette["band-edge"];
    drawing.fillRect(left, top, 1, bottom - top);
    drawing.fillRect(left + width - 1, top, 1, bottom - top);
  }
}

/** The events in view: each one while they are few, else the least and the largest of a pixel's. */
function drawCurve(plot, times, values, y, color, isFaint = false) {
  const { drawing, view, scale } = plot;
  const first = Math.max(0, lowerBound(times, view.start) - 1);
  const end = Math.min(times.length, lowerBound(times, view.end) + 1);
  const pixels = Math.ceil((plot.right - plot.left) * scale);
  drawing.fillStyle = drawing.strokeStyle = color;
  if (end - first <= 2 * pixels) {
    drawing.lineWidth = isFaint ? 1.2 : 1.6;
    drawing.lineJoin = "round";
    drawing.setLineDash(isFaint ? [3, 3] : []);
    drawing.beginPath();
    let last = NaN;
    for (let i = first; i < end; i++) {
      const value = values[i], x = plot.x(times[i]);
      if (last === last) drawing.lineTo(x, y(last));
      if (value === value) (last === last ? drawing.lineTo(x, y(value)) : drawing.moveTo(x, y(value)));
      last = value;
    }
    if (last === last) drawing.lineTo(plot.right, y(last));
    drawing.stroke();
    drawing.setLineDash([]);
    return;
  }
  let i = first, last = NaN;
  // Two dense curves over each other stay visible.
  drawing.globalAlpha = isFaint ? 0.3 : 0.7;
  for (let pixel = 0; pixel < pixels; pixel++) {
    const until = view.start + (pixel + 1) / scale / plot.perNs;
    let least = last, most = last;
    for (; i < end && times[i] < until; i++) {
      last = values[i];
      if (!(last >= least)) least = last === last ? last : least;
      if (!(last <= most)) most = last === last ? last : most;
    }
    if (least === least) drawing.fillRect(plot.left + pixel / scale, y(most) - 0.8, 1 / scale, y(least) - y(most) + 1.6);
  }
  drawing.globalAlpha = 1;
}

const columnWidth = 2;

/** How many times in view are in each column of the plot. */
function columnsOf({ times, view, width, isCounted = null }) {
  const { left, right } = margins(width), perNs = (width - left - right) / (view.end - view.start) / columnWidth;
  const counts = new Uint32Array(Math.max(0, Math.ceil((width - left - right) / columnWidth)) + 1);
  for (let i = lowerBound(times, view.start), end = lowerBound(times, view.end); i < end; i++) {
    if (!isCounted || isCounted(i)) counts[Math.floor((times[i] - view.start) * perNs)]++;
  }
  return counts;
}

/** What a lane's rows of bars have in view, by row, and `most`: the largest number in a column. */
export function laneBars(log, scene, decided, view, width) {
  const { times, marks, fired } = log.lane(scene), count = (times, isCounted) => columnsOf({ times, view, width, isCounted });
  const bars = { naive: count(times, (i) => (marks[i] & 1) !== 0), debounce: count(fired), preview: count(decided.preview),
    live: count(decided.rebuild, (i) => decided.isLive[i]), settle: count(decided.rebuild, (i) => !decided.isLive[i]), lock: count(decided.lockChanged) };
  return { ...bars, most: Object.values(bars).reduce((most, counts) => counts.reduce((a, b) => Math.max(a, b), most), 1) };
}

const doublings = (count) => 32 - Math.clz32(count);

/** Bars on one scale for all rows: a step higher for each doubling of the number, up to the whole row for `most`. */
function drawBars(plot, counts, row, color, width = columnWidth) {
  const { drawing } = plot, bottom = plot.rowTop(row) + rowHeight;
  drawing.fillStyle = color;
  for (let column = 0; column < counts.length; column++) {
    if (counts[column] === 0) continue;
    const height = rowHeight * Math.max(0.4, doublings(counts[column]) / doublings(plot.most));
    drawing.fillRect(plot.left + column * columnWidth, bottom - height, width, height);
  }
}

/** Bars as long as builds took. */
function drawBuilds(plot, builds, palette) {
  const { drawing, view } = plot, top = plot.rowTop("builds") + 1;
  let drawn = -Infinity;
  for (let i = lowerBound(builds, view.start, 0, ({ ends }) => ends); i < builds.length && builds[i].begins <= view.end; i++) {
    const left = plot.x(builds[i].begins), right = Math.max(plot.x(builds[i].ends), left + 1.5);
    // Within a pixel that is filled already.
    if (right < drawn) continue;
    drawing.fillStyle = builds[i].isAhead ? palette.preview : builds[i].isLive ? palette.live : palette.settle;
    drawing.fillRect(left, top, right - left, rowHeight - 2);
    drawn = left + 1 / plot.scale;
  }
}

/** Strips where a step function of the events is on. */
function drawStrips(plot, times, isOn, row, color) {
  const { drawing, view } = plot;
  const top = plot.rowTop(row) + 3;
  drawing.fillStyle = color;
  let i = Math.max(0, lowerBound(times, view.start) - 1), from = null, drawn = -Infinity;
  const end = Math.min(times.length, lowerBound(times, view.end) + 1);
  const fill = (left, right) => {
    // A strip within a pixel that is filled already.
    if (right < drawn) return;
    drawing.fillRect(left, top, Math.max(right - left, 1.5), rowHeight - 6);
    drawn = left + 1 / plot.scale;
  };
  for (; i < end; i++) {
    const on = isOn(i);
    if (on && from === null) from = times[i];
    if (!on && from !== null) {
      fill(plot.x(from), plot.x(times[i]));
      from = null;
    }
  }
  if (from !== null) fill(plot.x(from), plot.right);
}

function drawLock(plot, lane, bars) {
  let known = false;
  // Each event's value is the last one that was stated.
  const stated = lane.marks.map((mark) => {
    if (mark & 2) known = false;
    else if (mark & 4) known = (mark & 8) !== 0;
    return known ? 1 : 0;
  });
  drawStrips(plot, lane.times, (i) => stated[i] === 1, "lock", plot.palette.lock);
  drawBars(plot, bars.lock, "lock", plot.palette.ink);
}

function drawLastSizes(plot, lane, y) {
  const at = Math.min(lane.times.length, lowerBound(lane.times, plot.view.end)) - 1;
  if (at < 0 || !(lane.widths[at] > 0)) return;
  let [width, height] = [y(lane.widths[at]), y(lane.heights[at])];
  const apart = 12 - Math.abs(width - height);
  if (apart > 0) {
    const up = width <= height ? 1 : -1;
    width -= up * apart / 2;
    height += up * apart / 2;
  }
  plot.text(length(lane.widths[at]), plot.right + 5, width, plot.palette.width);
  plot.text(length(lane.heights[at]), plot.right + 5, height, plot.palette.height);
}

function drawSelection(plot, selected, bottom) {
  const { drawing, palette } = plot;
  const x = plot.x(selected.time), since = plot.x(selected.since);
  drawing.fillStyle = palette.settle;
  drawing.globalAlpha = 0.25;
  drawing.fillRect(since, curveTop, x - since, bottom - curveTop);
  drawing.globalAlpha = 1;
  drawing.fillRect(Math.round(x) - 0.5, curveTop - 4, 1, bottom - curveTop + 4);
  drawing.beginPath();
  drawing.moveTo(x - 5, curveTop - 7);
  drawing.lineTo(x + 5, curveTop - 7);
  drawing.lineTo(x, curveTop);
  drawing.fill();
}

/** Draws a lane; `bars.most` is the same for all, `selected` is a decision of its scene, or null. */
export function drawLane(canvas, log, { scene, facts, decided, bars }, view, selected, forPrint = false) {
  const rows = laneRows(log, facts, decided);
  const plot = new Plot(canvas, view, rows, forPrint);
  plot.most = bars.most;
  const { palette } = plot;
  const bottom = plot.rowTop(rows.at(-1)) + rowHeight;
  drawGrid(plot, bottom);
  const lane = log.lane(scene);
  plot.clip(curveTop, bottom, () => drawBands(plot, decided.interactions, curveTop, bottom));
  if (facts.most > 0) {
    const y = drawSizeAxis(plot, facts);
    plot.clip(curveTop, plot.curveBottom, () => {
      const { times, widths, heights } = decided.shown;
      drawCurve(plot, times, heights, y, palette.height, true);
      drawCurve(plot, times, widths, y, palette.width, true);
      drawCurve(plot, lane.times, lane.heights, y, palette.height);
      drawCurve(plot, lane.times, lane.widths, y, palette.width);
    });
    drawLastSizes(plot, lane, y);
  } else plot.text("no size in the log", plot.left + 8, (curveTop + plot.curveBottom) / 2, palette.muted);
  for (const row of rows) plot.text(labels[row], plot.left - 7, plot.rowTop(row) + rowHeight / 2, palette.muted, "right");
  plot.clip(plot.curveBottom, bottom + 1, () => {
    for (const row of ["naive", "debounce"]) drawBars(plot, bars[row], row, palette[row]);
    for (const name of ["live", "settle"]) drawBars(plot, bars[name], "settle", palette[name], 3);
    if (rows.includes("builds")) drawBuilds(plot, decided.builds, palette);
    if (rows.includes("preview")) drawBars(plot, bars.preview, "preview", palette.preview, 3);
    const buttons = log.buttons();
    if (rows.includes("buttons")) drawStrips(plot, buttons.times, (i) => buttons.held[i] > 0, "buttons", palette.buttons);
    if (rows.includes("lock")) drawLock(plot, lane, bars);
  });
  if (selected) plot.clip(0, bottom, () => drawSelection(plot, selected, bottom));
}

/** Draws the axis of times above the lanes. */
export function drawAxis(canvas, view, forPrint = false) {
  const { drawing, width } = context(canvas, 24, forPrint);
  const { left, right } = margins(width);
  const span = view.end - view.start;
  const { step, times } = timeMarks(view, width - left - right);
  const place = (time) => left + (time - view.start) / span * (width - left - right);
  // Where the times are too long for the marks' distance, all but the first are relative to it.
  const isRelative = times.some((time) => drawing.measureText(clock(time, step)).width > place(step) - place(0) - 8);
  let end = 0;
  drawing.fillStyle = colors().muted;
  for (const [i, time] of times.entries()) {
    const x = place(time), text = isRelative && i > 0 ? `+${duration(i * step)}` : clock(time, step);
    const long = drawing.measureText(text).width;
    const start = Math.min(isRelative && i === 0 ? x - 4 : x - long / 2, width - long);
    if (start >= end) {
      drawing.textAlign = "left";
      drawing.fillText(text, start, 11);
      end = start + long + 6;
    }
    drawing.fillRect(Math.round(x), 20, 1, 4);
  }
}

/** The numbers of a lane, for its heading. */
export function laneText(facts, decided, fired) {
  const parts = [plural(facts.events, "event"), `every size ${count(facts.changes)}`, `debounce ${count(fired)}`,
    `Settle ${count(decided.rebuild.length)}`];
  const live = decided.isLive.filter(Boolean).length;
  if (live > 0) parts.push(`${count(live)} of them live`);
  if (decided.preview.length > 0) parts.push(`previews ${count(decided.preview.length)}`);
  return parts.join(" · ");
}
