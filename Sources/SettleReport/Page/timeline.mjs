// The lanes of a log's scenes: which part of the time is in view, and which decision is selected.

import { byId, element, oncePerFrame, printWidth } from "./dom.mjs";
import { clock, count, plural, shortened, shown } from "./format.mjs";
import { brief } from "./explain.mjs";
import { duration } from "./policy.mjs";
import { drawAxis, drawLane, laneBars, laneDecisions, laneFacts, laneHeight, laneRows, laneText, lowerBound, margins } from "./lane.mjs";

const lanesAtOnce = 12;
const lanesInPrint = 100;
const leastSpan = 1000; // ns, and a share of the time: a double has 53 bits
const leastShare = 2 ** -42;
const reach = { mouse: 7, touch: 22 };

/** What scenes can be sorted by: a number or a name, the least first. */
function sceneOrders(timeline) {
  const rebuilds = (scene) => Array.from(timeline.log.decisionsOf(scene)).filter((number) => timeline.log.kindOf(number) === "rebuild");
  const lag = (number) => {
    const { time, since } = timeline.log.decision(number);
    return time - since;
  };
  return { "the log’s order": (scene) => scene, name: (_, name) => name, events: (scene) => -timeline.log.lane(scene).times.length,
    rebuilds: (scene) => -rebuilds(scene).length, "longest lag": (scene) => rebuilds(scene).reduce((least, number) => Math.min(least, -lag(number)), 0) };
}

export class Timeline {
  /**
   * `onSelect` is called with a decision, or null, and whether the pointer only rests on it; `onDraw` after what is
   * shown has changed.
   */
  constructor(onSelect, onDraw) {
    this.root = byId("timeline");
    this.axis = byId("axis");
    this.tip = byId("tip");
    Object.assign(this, { onSelect, onDraw, orders: sceneOrders(this) });
    this.lanes = [];
    this.selected = null;
    this.pointers = new Map();
    this.draw = oncePerFrame(() => {
      this.drawNow();
      if (this.log) this.onDraw();
    });
    byId("scene-sort").append(...Object.keys(this.orders).map((name) => element("option", { value: name, text: name })));
    for (const [id, type] of [["scene-find", "input"], ["scene-sort", "change"]]) byId(id).addEventListener(type, () => this.arrange());
    this.visible = new IntersectionObserver((entries) => {
      for (const entry of entries) entry.target.lane.isVisible = entry.isIntersecting;
      this.draw();
    }, { rootMargin: "200px" });
    new ResizeObserver(() => this.draw()).observe(this.root);
    this.listen();
  }

  /** Shows a log that has been decided. */
  show(log) {
    this.log = log;
    this.selected = null;
    // A little more than the log, so that its last decisions are not at the edge.
    this.bounds = { start: -log.end * 0.005 - 1e6, end: log.end * 1.005 + 1e9 };
    const last = log.decisionsCount > 0 ? log.timeOf(log.decisionsCount - 1) : 0;
    // Deadlines may be years after the last event; what is far away is reached by zooming out.
    if (last > this.bounds.end) this.bounds.end = Math.max(this.bounds.end, Math.min(last * 1.01, log.end * 1.5 + 60e9));
    this.view = { ...this.bounds };
    byId("scene-find").value = "";
    byId("scenes").hidden = log.names.length < 2;
    this.arrange();
  }

  /** Shows the lanes of the scenes that are looked for, in the order that is asked for. */
  arrange() {
    const find = byId("scene-find").value.trim().toLowerCase(), value = this.orders[byId("scene-sort").value];
    const scenes = this.log.names.map((name, scene) => ({ scene, name, value: value(scene, name) })).filter(({ name }) => name.toLowerCase().includes(find));
    this.order = scenes.sort((a, b) => (a.value === b.value ? a.scene - b.scene : a.value < b.value ? -1 : 1)).map(({ scene }) => scene);
    this.visible.disconnect();
    this.lanes = [];
    this.root.replaceChildren();
    this.addLanes(lanesAtOnce);
    this.draw();
  }

  addLanes(most) {
    for (const scene of this.order.slice(this.lanes.length, this.lanes.length + most)) {
      const name = this.log.names[scene];
      const canvas = element("canvas", { role: "img" });
      const text = element("span", { class: "muted" });
      const section = element("section", { class: "lane" },
        element("div", { class: "lane-head" }, element("h3", { text: shortened(name), title: shown(name) }), text), canvas);
      const lane = { scene, canvas, text, facts: laneFacts(this.log, scene), isVisible: true };
      section.lane = canvas.lane = lane;
      this.lanes.push(lane);
      this.root.append(section);
      this.visible.observe(section);
    }
    this.decided();
    const left = this.order.length - this.lanes.length;
    byId("more").replaceChildren(...(left > 0 ? [element("button", { type: "button",
      text: `Show ${Math.min(left, lanesAtOnce * 2)} more of ${plural(this.order.length, "scene")}`,
      click: () => { this.addLanes(lanesAtOnce * 2); this.draw(); } })] : []));
    if (this.order.length === 0) this.root.replaceChildren(element("p", { class: "muted", text: this.log.names.length > 0 ? "No scene has such a name." : "The log has no scene." }));
  }

  /** The log was decided anew. */
  decided() {
    for (const lane of this.lanes) {
      lane.decided = laneDecisions(this.log, lane.scene);
      const text = laneText(lane.facts, lane.decided, this.log.lane(lane.scene).fired.length);
      lane.text.textContent = text;
      lane.canvas.setAttribute("aria-label", `${shown(this.log.names[lane.scene])}: ${text}, `
        + plural(lane.decided.interactions.length, "interaction"));
    }
    if (this.selected) {
      this.selected = this.nearest(this.selected);
      this.onSelect(this.selected, true);
    }
    this.draw();
  }

  /** Of the decisions now, the one that is most like one of before: of its scene and kind, near its time. */
  nearest(before) {
    const numbers = this.log.decisionsOf(before.scene);
    let best = null, distance = Infinity;
    for (const number of numbers) {
      const away = Math.abs(this.log.timeOf(number) - before.time);
      if (away < distance && this.log.kindOf(number) === before.kind) [best, distance] = [number, away];
    }
    return best === null ? null : this.log.decision(best);
  }

  heightOf(lane, width) {
    return laneHeight(width, laneRows(this.log, lane.facts, lane.decided));
  }

  drawNow(forPrint = false) {
    if (!this.log) return;
    drawAxis(this.axis, this.view, forPrint);
    const { start, end } = this.view, step = 10 ** Math.floor(Math.log10((end - start) / 100));
    for (const lane of this.lanes) {
      lane.bars = laneBars(this.log, lane.scene, lane.decided, this.view, forPrint ? printWidth : lane.canvas.clientWidth);
    }
    const most = Math.max(1, ...this.lanes.map(({ bars }) => bars.most));
    byId("visible").textContent = `${clock(Math.max(start, 0), step)} to ${clock(end, step)}; the log has ${duration(this.log.end)}`
      + (most > 1 ? `; highest bar: ${count(most)}, each step half` : "");
    for (const lane of this.lanes) {
      lane.bars.most = most;
      const height = `${this.heightOf(lane, forPrint ? printWidth : lane.canvas.clientWidth)}px`;
      if (lane.canvas.style.height !== height) lane.canvas.style.height = height;
      if (!lane.isVisible && !forPrint) continue;
      const selected = this.selected?.scene === lane.scene ? this.selected : null;
      drawLane(lane.canvas, this.log, lane, this.view, selected, forPrint);
    }
  }

  /** Draws all lanes for paper, as far as they are few enough. */
  print() {
    if (!this.log) return;
    if (this.lanes.length < lanesInPrint) this.addLanes(lanesInPrint - this.lanes.length);
    this.drawNow(true);
  }

  /** Selects a decision, or nothing; `isShown` moves the view so that it is in it. */
  select(decision, isShown = true) {
    this.selected = decision;
    if (decision && isShown) {
      this.showLane(decision.scene);
      const { start, end } = this.view, span = end - start;
      const most = this.bounds.end - this.bounds.start;
      if (decision.time < start + span * 0.03 || decision.time > end - span * 0.03) this.move(decision.time - span / 2, Math.min(span, most));
      if (decision.time > this.bounds.end) {
        const half = Math.max(span, decision.time * leastShare) / 2;
        this.view = { start: decision.time - half, end: decision.time + half };
      }
    }
    this.onSelect(decision, false);
    this.draw();
  }

  /** Scrolls to a scene's lane, unless it is far down. */
  showLane(scene) {
    const position = this.order.indexOf(scene), missing = position + 1 - this.lanes.length;
    if (position < 0 || missing > lanesInPrint) return;
    if (missing > 0) this.addLanes(missing);
    this.root.children[position].scrollIntoView({ block: "nearest" });
  }

  /** The decision after (1) or before (−1) the selected one, or the first or last in view. */
  step(by) {
    const { log, selected } = this;
    if (log.decisionsCount === 0) return;
    let index;
    if (selected) index = selected.index + by;
    else {
      let low = 0, high = log.decisionsCount;
      const edge = by > 0 ? this.view.start : this.view.end;
      while (low < high) {
        const middle = (low + high) >>> 1;
        if (log.timeOf(middle) < edge) low = middle + 1;
        else high = middle;
      }
      index = by > 0 ? low : low - 1;
    }
    this.select(log.decision(Math.max(0, Math.min(log.decisionsCount - 1, index))));
  }

  get leastSpan() {
    return Math.max(leastSpan, Math.max(this.bounds.end, this.view.end) * leastShare);
  }

  /** Moves the view to a start, with a span; within the bounds. */
  move(start, span) {
    const most = this.bounds.end - this.bounds.start;
    const kept = Math.max(this.leastSpan, Math.min(span, most));
    const from = Math.max(this.bounds.start, Math.min(start, this.bounds.end - kept));
    this.view = { start: from, end: from + kept };
    this.draw();
  }

  /** What zooming without a pointer keeps in place: the selected decision, if it is in view, or the middle. */
  get middle() {
    const { start, end } = this.view, time = this.selected?.time;
    return time >= start && time <= end ? time : (start + end) / 2;
  }

  /** Zooms by a factor around a time. */
  zoom(factor, around = this.middle) {
    const span = Math.max(this.leastSpan, (this.view.end - this.view.start) * factor);
    const share = (around - this.view.start) / (this.view.end - this.view.start);
    this.move(around - span * share, span);
  }

  fit() {
    this.move(this.bounds.start, Infinity);
  }

  pan(share) {
    const span = this.view.end - this.view.start;
    this.move(this.view.start + span * share, span);
  }

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const act = {
      ArrowLeft: () => this.pan(-0.15), ArrowRight: () => this.pan(0.15), "+": () => this.zoom(1 / 1.5), "=": () => this.zoom(1 / 1.5),
      "-": () => this.zoom(1.5), "−": () => this.zoom(1.5), 0: () => this.fit(), ",": () => this.step(-1), ".": () => this.step(1),
      Home: () => this.move(this.bounds.start, this.view.end - this.view.start),
      End: () => this.move(this.bounds.end, this.view.end - this.view.start), Escape: () => this.select(null),
    }[event.key];
    if (!act) return;
    event.preventDefault();
    act();
  }

  /** The time at a position on the screen. */
  timeAt(clientX) {
    const box = this.axis.getBoundingClientRect();
    const { left, right } = margins(box.width);
    return this.view.start + (clientX - box.left - left) / (box.width - left - right) * (this.view.end - this.view.start);
  }

  get perPixel() {
    const { left, right } = margins(this.axis.clientWidth);
    return (this.view.end - this.view.start) / Math.max(1, this.axis.clientWidth - left - right);
  }

  /** The decision nearest to a position; of several at one time the rebuild. */
  hit(event, pixels) {
    const lane = event.target.lane ?? event.target.closest?.(".lane")?.lane;
    if (!lane || event.target.tagName !== "CANVAS") return null;
    const time = this.timeAt(event.clientX), { times, numbers } = lane.decided;
    const near = pixels * this.perPixel;
    let best = null, distance = near;
    for (let i = lowerBound(times, time - near); i < times.length && times[i] <= time + near; i++) {
      const away = Math.abs(times[i] - time);
      const weight = ["rebuild", "preview"].includes(this.log.kindOf(numbers[i])) ? away - near * 0.25 : away;
      if (best === null || weight < distance || (weight === distance)) {
        best = numbers[i];
        distance = weight;
      }
    }
    return best === null ? null : this.log.decision(best);
  }

  hover(event) {
    const decision = event.pointerType === "touch" ? null : this.hit(event, reach.mouse);
    this.tip.hidden = decision === null;
    this.root.style.cursor = decision ? "pointer" : "";
    if (!decision) return;
    this.tip.textContent = brief(decision);
    const box = this.tip.getBoundingClientRect();
    const left = Math.max(4, Math.min(event.clientX + 12, window.innerWidth - box.width - 8));
    this.tip.style.transform = `translate(${left}px, ${Math.max(4, event.clientY - box.height - 12)}px)`;
    if (decision.index !== this.selected?.index) {
      this.selected = decision;
      this.onSelect(decision, true);
      this.draw();
    }
  }

  down(event) {
    if (event.button !== 0) return;
    this.pointers.set(event.pointerId, { x: event.clientX, start: event.clientX, type: event.pointerType });
    // A drag goes on outside the lanes; a tap must still reach its canvas.
    this.start = { view: { ...this.view }, target: event.target };
    this.tip.hidden = true;
  }

  movePointer(event) {
    const pointer = this.pointers.get(event.pointerId);
    if (!pointer) return this.hover(event);
    const isDrag = Math.abs(event.clientX - pointer.start) > 4 || this.pointers.size > 1;
    if (isDrag && !this.root.classList.contains("dragging")) {
      this.root.classList.add("dragging");
      this.root.setPointerCapture(event.pointerId);
    }
    const before = [...this.pointers.values()].map(({ x }) => x);
    pointer.x = event.clientX;
    const after = [...this.pointers.values()].map(({ x }) => x);
    if (!isDrag) return;
    if (after.length >= 2) {
      const [was, is] = [Math.abs(before[0] - before[1]), Math.abs(after[0] - after[1])];
      const middle = (after[0] + after[1]) / 2;
      if (was > 4 && is > 4) this.zoom(was / is, this.timeAt(middle));
      const moved = middle - (before[0] + before[1]) / 2;
      this.move(this.view.start - moved * this.perPixel, this.view.end - this.view.start);
    } else this.move(this.view.start - (after[0] - before[0]) * this.perPixel, this.view.end - this.view.start);
  }

  up(event) {
    const pointer = this.pointers.get(event.pointerId);
    if (!pointer) return;
    this.pointers.delete(event.pointerId);
    const wasDrag = this.root.classList.contains("dragging");
    if (this.pointers.size === 0) this.root.classList.remove("dragging");
    if (wasDrag || event.type === "pointercancel") return;
    const decision = this.hit(event, event.pointerType === "touch" ? reach.touch : reach.mouse * 2);
    this.select(decision, false);
  }

  wheel(event) {
    const isFocused = this.root.contains(document.activeElement);
    const isSideways = Math.abs(event.deltaX) > Math.abs(event.deltaY) || event.shiftKey;
    const pixels = event.deltaMode === 1 ? 16 : event.deltaMode === 2 ? 400 : 1;
    if (isSideways) {
      event.preventDefault();
      return this.move(this.view.start + (event.deltaX || event.deltaY) * pixels * this.perPixel, this.view.end - this.view.start);
    }
    if (!event.ctrlKey && !event.metaKey && !isFocused) return;
    event.preventDefault();
    this.zoom(Math.exp(Math.max(-1, Math.min(1, event.deltaY * pixels / 300))), this.timeAt(event.clientX));
  }

  listen() {
    this.root.addEventListener("keydown", (event) => this.key(event));
    this.root.addEventListener("wheel", (event) => this.wheel(event), { passive: false });
    this.root.addEventListener("pointerdown", (event) => this.down(event));
    this.root.addEventListener("pointermove", (event) => this.movePointer(event));
    for (const type of ["pointerup", "pointercancel"]) this.root.addEventListener(type, (event) => this.up(event));
    this.root.addEventListener("pointerleave", () => { this.tip.hidden = true; });
    byId("previous").addEventListener("click", () => this.step(-1));
    byId("next").addEventListener("click", () => this.step(1));
    byId("zoom-in").addEventListener("click", () => this.zoom(1 / 1.8));
    byId("zoom-out").addEventListener("click", () => this.zoom(1.8));
    byId("zoom-fit").addEventListener("click", () => this.fit());
  }
}
