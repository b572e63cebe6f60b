// The picture of rebuilds against lag, and the table of its front.

import { byId, colors, context, element, oncePerFrame, optionsOf } from "./dom.mjs";
import { count, logMarks, niceStep, plural } from "./format.mjs";
import { differences, duration, fields, forms, namesOf } from "./policy.mjs";

const debounceLag = 100e6;

/** A lag as it is known: its bucket is 3 % wide. */
export function lagText(ns) {
  return Number.isFinite(ns) ? duration(Number(ns.toPrecision(2))) : duration(ns);
}

export class FrontView {
  /** `take` is called with a policy that was chosen. */
  constructor(presets, take) {
    Object.assign(this, { presets, take, canvas: byId("front"), text: byId("front-text"), table: byId("front-table"), picked: null });
    this.draw = oncePerFrame(() => this.drawNow());
    new ResizeObserver(() => this.draw()).observe(this.canvas);
    this.canvas.addEventListener("pointermove", (event) => this.hover(event));
    this.canvas.addEventListener("pointerleave", () => this.pick(null));
    this.canvas.addEventListener("click", (event) => { this.hover(event); this.takePicked(); });
    this.canvas.addEventListener("keydown", (event) => this.key(event));
    byId("try-all").addEventListener("click", () => this.search.tryAll());
  }

  /** Shows how far a search is. `marks` are the log's own points: today's policy, the shown one, baselines. */
  update(search, marks) {
    Object.assign(this, { search, marks, points: [...search.points.values()], front: search.front });
    this.knee = search.knee;
    this.advised = search.advised;
    const all = search.log.gridCount;
    byId("progress").textContent = search.isDone ? `${count(search.tried)} of ${plural(all, "policy", "policies")} tried`
      : `trying ${count(search.tried)} of ${count(all)} policies…`;
    byId("try-all").hidden = !search.isDone || search.isWhole;
    if (this.picked && !this.points.includes(this.picked)) this.picked = null;
    this.draw();
    if (search.isDone || this.table.childElementCount === 0 || search.log !== this.tableLog) this.fillTable();
    this.describe();
  }

  scale(width, height) {
    const known = [...this.points, ...this.marks.filter((mark) => !mark.isBaseline)];
    const rebuilds = known.map((point) => point.rebuilds), lags = known.map((point) => point.p95).filter(Number.isFinite);
    const [least, most] = [Math.min(...rebuilds), Math.max(...rebuilds)];
    const box = { left: 58, right: width - 24, top: 16, bottom: height - 40 };
    // Some policies may rebuild a thousand times as often as the others.
    const isLog = most > 30 * Math.max(least, 1), pad = Math.max((most - least) * 0.06, 1);
    const from = isLog ? Math.max(least, 1) / 1.3 : Math.max(0, least - pad), to = isLog ? most * 1.3 : most + pad;
    const place = isLog ? (value) => Math.log(Math.max(value, 1) / from) / Math.log(to / from) : (value) => (value - from) / (to - from);
    const step = Math.max(1, niceStep(to - from, (box.right - box.left) / 80)), top = Math.max(...lags, 50e6) * 1.06;
    const first = Math.ceil(from / step);
    const steps = Array.from({ length: Math.floor(to / step) - first + 1 }, (_, i) => (first + i) * step);
    return {
      ...box, from, to, topLag: top, isLog, marks: isLog ? logMarks(from, to) : steps,
      x: (value) => box.left + place(Math.max(from, Math.min(value, to))) * (box.right - box.left),
      y: (ns) => box.bottom - Math.min(ns, top) / top * (box.bottom - box.top),
    };
  }

  drawNow(forPrint = false) {
    if (!this.search) return;
    const height = this.canvas.clientHeight || 340;
    const { drawing, width } = context(this.canvas, height, forPrint);
    const palette = colors(), at = this.scale(width, height);
    this.at = at;
    this.drawAxes(drawing, at, palette, height);
    drawing.fillStyle = palette.dot;
    for (const point of this.points) {
      drawing.beginPath();
      drawing.arc(at.x(point.rebuilds), at.y(point.p95), Math.min(2.5 + Math.log2(point.policies) * 0.6, 8), 0, 7);
      drawing.fill();
    }
    this.drawFront(drawing, at, palette);
    this.placed = [];
    for (const mark of this.marks.toReversed()) this.drawMark(drawing, at, palette, mark);
    if (this.knee) this.drawKnee(drawing, at, palette);
    if (this.advised) this.drawAdvised(drawing, at, palette);
    if (this.picked) {
      drawing.strokeStyle = palette.ink;
      drawing.lineWidth = 2;
      drawing.beginPath();
      drawing.arc(at.x(this.picked.rebuilds), at.y(this.picked.p95), 9, 0, 7);
      drawing.stroke();
    }
  }

  drawAxes(drawing, at, palette, height) {
    for (const value of at.marks) {
      drawing.fillStyle = palette.line;
      drawing.fillRect(Math.round(at.x(value)), at.top, 1, at.bottom - at.top);
      drawing.fillStyle = palette.muted;
      drawing.textAlign = "center";
      drawing.fillText(count(value), at.x(value), at.bottom + 11);
    }
    const lagStep = niceStep(at.topLag, 5);
    for (let value = 0; value <= at.topLag; value += lagStep) {
      drawing.fillStyle = palette.line;
      drawing.fillRect(at.left, Math.round(at.y(value)), at.right - at.left, 1);
      drawing.fillStyle = palette.muted;
      drawing.textAlign = "right";
      drawing.fillText(duration(value), at.left - 6, at.y(value));
    }
    drawing.textAlign = "left";
    drawing.fillText("p95 lag", 4, 8);
    drawing.textAlign = "right";
    drawing.fillText(at.isLog ? "rebuilds, logarithmic →" : "rebuilds →", at.right, height - 10);
  }

  drawFront(drawing, at, palette) {
    if (this.front.length === 0) return;
    drawing.strokeStyle = drawing.fillStyle = palette.front;
    drawing.lineWidth = 1.6;
    drawing.beginPath();
    this.front.forEach((point, i) => {
      const [x, y] = [at.x(point.rebuilds), at.y(point.p95)];
      if (i === 0) drawing.moveTo(x, y);
      else {
        drawing.lineTo(x, at.y(this.front[i - 1].p95));
        drawing.lineTo(x, y);
      }
    });
    drawing.stroke();
    for (const point of this.front) {
      drawing.beginPath();
      drawing.arc(at.x(point.rebuilds), at.y(point.p95), 3.2, 0, 7);
      drawing.fill();
    }
  }

  /** A label beside a point, where no earlier one is: right, left, above or below. */
  label(drawing, at, text, x, y) {
    const width = drawing.measureText(text).width + 4, places = [];
    for (const dy of [0, -14, 14, -28, 28, -42, 42]) places.push([x + 10, y + dy], [x - 10 - width, y + dy]);
    const fits = ([left, top]) => left >= at.left && left + width <= at.right + 20 && top >= at.top - 8 && top <= at.bottom - 4
      && this.placed.every((box) => left > box.right || left + width < box.left || Math.abs(top - box.y) > 12);
    const [left, top] = places.find(fits) ?? places[0];
    this.placed.push({ left, right: left + width, y: top });
    drawing.textAlign = "left";
    const palette = colors();
    drawing.lineWidth = 3;
    drawing.strokeStyle = palette.card;
    drawing.lineJoin = "round";
    drawing.strokeText(text, left, top);
    drawing.fillText(text, left, top);
  }

  drawMark(drawing, at, palette, mark) {
    const x = at.x(mark.rebuilds), y = at.y(mark.p95), isBeyond = mark.rebuilds > at.to;
    drawing.fillStyle = drawing.strokeStyle = palette[mark.color];
    drawing.lineWidth = 2;
    drawing.beginPath();
    if (isBeyond) {
      drawing.moveTo(x - 4, y - 5);
      drawing.lineTo(x + 5, y);
      drawing.lineTo(x - 4, y + 5);
      drawing.fill();
    } else if (mark.isBaseline) drawing.fillRect(x - 4.5, y - 4.5, 9, 9);
    else {
      drawing.moveTo(x, y - 7);
      drawing.lineTo(x + 7, y);
      drawing.lineTo(x, y + 7);
      drawing.lineTo(x - 7, y);
      drawing.closePath();
      if (mark.isHollow) {
        drawing.fillStyle = palette.card;
        drawing.fill();
        drawing.stroke();
        drawing.fillStyle = palette[mark.color];
      } else drawing.fill();
    }
    const text = isBeyond ? `${mark.name}: ${count(mark.rebuilds)}` : mark.name;
    if (mark.name) this.label(drawing, at, text, x, y);
  }

  drawKnee(drawing, at, palette) {
    const [x, y] = [at.x(this.knee.rebuilds), at.y(this.knee.p95)];
    drawing.strokeStyle = drawing.fillStyle = palette.knee;
    drawing.lineWidth = 2;
    drawing.beginPath();
    drawing.arc(x, y, 7.5, 0, 7);
    drawing.stroke();
    this.label(drawing, at, "knee", x, y);
  }

  drawAdvised(drawing, at, palette) {
    if (this.advised.index === this.search.todayRow.index) return;
    this.drawMark(drawing, at, palette, { ...this.advised, name: this.adviceWord.toLowerCase(), color: "settle", isHollow: true });
  }

  hover(event) {
    if (!this.at) return;
    const box = this.canvas.getBoundingClientRect();
    const [x, y] = [event.clientX - box.left, event.clientY - box.top];
    let best = null, nearest = 24;
    for (const point of this.points) {
      const away = Math.hypot(this.at.x(point.rebuilds) - x, this.at.y(point.p95) - y);
      if (away < nearest) [best, nearest] = [point, away];
    }
    this.pick(best);
  }

  pick(point) {
    if (this.picked === point) return;
    this.picked = point;
    this.describe();
    this.draw();
  }

  changesText(policy) {
    return differences(policy, this.presets.default).length === 0 ? "the default policy"
      : forms.Options(policy, this.presets);
  }

  describe() {
    const point = this.picked ?? this.advised;
    if (!point) return void (this.text.textContent = "Point at a dot to see its policy.");
    const policy = this.changesText(this.search.policy(point));
    if (!this.picked) {
      const names = namesOf(this.search.unexercised & this.triedChanges()).join(", ");
      return void (this.text.textContent = `${this.adviceWord}: ${policy}.`
        + (names ? ` As today, since fewer than 30 rebuilds waited for each: ${names}.` : ""));
    }
    const which = point.policies > 1 ? `${count(point.policies)} policies have these figures, one is ` : "By ";
    this.text.textContent = `${plural(point.rebuilds, "rebuild")}, ${count(point.wasted)} wasted, p95 lag `
      + `${lagText(point.p95)}. ${which}${policy}.`;
  }

  get adviceWord() {
    return this.search.isWhole ? "Advised" : "Advised so far";
  }

  /** The durations that policies vary which were tried, as bits. */
  triedChanges() {
    return fields.reduce((bits, { inGrid }, i) => (inGrid ? bits | 1 << i : bits), 0);
  }

  takePicked() {
    if (this.picked) this.take(this.search.policy(this.picked));
  }

  key(event) {
    const by = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      return this.takePicked();
    }
    if (!by || !this.front?.length) return;
    event.preventDefault();
    const at = this.front.indexOf(this.picked ?? this.knee);
    this.pick(this.front[Math.max(0, Math.min(this.front.length - 1, at + (this.picked ? by : 0)))]);
  }

  /** What stands out about a point of the front. */
  noteOf(point) {
    const notes = [[this.knee, "knee"], [this.advised, this.adviceWord.toLowerCase()]].filter(([each]) => each?.index === point.index).map(([, note]) => note);
    return notes.length > 0 ? ` (${notes.join(", ")})` : "";
  }

  /** The front, and the policy to take if it has equal figures or is not on it. */
  get listed() {
    const { front, advised } = this;
    if (!advised || front.some(({ index }) => index === advised.index)) return front;
    return [...front, advised].sort((a, b) => a.rebuilds - b.rebuilds || b.p95 - a.p95);
  }

  fillTable() {
    this.tableLog = this.search.log;
    const most = 100;
    const rows = this.listed.slice(0, most).map((point) => {
      const policy = this.search.policy(point);
      return element("tr", {},
        element("th", { scope: "row", text: count(point.rebuilds) + this.noteOf(point) }),
        element("td", { class: "number optional", text: count(point.wasted) }),
        element("td", { class: "number optional", text: lagText(point.p50) }),
        element("td", { class: "number", text: lagText(point.p95) }),
        element("td", {}, ...optionsOf(this.changesText(policy))),
        element("td", {}, element("button", { type: "button", text: "Take", class: "controls",
          "aria-label": `Take the policy with ${plural(point.rebuilds, "rebuild")}`, click: () => this.take(policy) })));
    });
    const heads = [["Rebuilds", ""], ["Wasted", "number optional"], ["p50 lag", "number optional"], ["p95 lag", "number"], ["Policy", ""], ["", ""]];
    this.table.replaceChildren(element("table", {},
      element("caption", { text: "The front: no policy that was tried has both fewer rebuilds and less lag."
        + (this.front.length > most ? ` The first ${count(most)} of ${count(this.front.length)}.` : "") }),
      element("thead", {}, element("tr", {}, ...heads.map(([text, kind]) =>
        (text ? element("th", { scope: "col", class: kind, text }) : element("td", {}))))),
      element("tbody", {}, ...rows)));
    this.canvas.setAttribute("aria-label", `Rebuilds against p95 lag of ${plural(this.search.tried, "policy", "policies")}; `
      + `the front has ${plural(this.front.length, "point")}, which the table below lists.`);
  }

  /** The points that are no policies of the grid: the baselines, the report’s policy and the shown one. */
  static marks(baselines, today, shown) {
    const marks = [
      { name: shown === today ? "this policy" : "policy shown", rebuilds: shown.rebuilds, p95: shown.p95, color: "settle" },
      { name: "debounce", rebuilds: baselines.debounce, p95: debounceLag, color: "debounce", isBaseline: true },
      { name: "every size", rebuilds: baselines.naive, p95: 0, color: "naive", isBaseline: true },
    ];
    if (shown !== today) marks.splice(1, 0, { name: "the report’s", rebuilds: today.rebuilds, p95: today.p95, color: "settle", isHollow: true });
    return marks;
  }
}
