// A window in node, on a clock that is made: what the report's page needs of a browser. Text only ever becomes text, and a canvas keeps
// what is drawn on it as lines.
import { webcrypto } from "node:crypto";
import { filled } from "../transcripts.mjs";

// --- The clock ---

const turn = globalThis.setImmediate;
let tasks = [], time = 0, count = 0;
const at = (t, work) => {
    tasks.push({ t, number: ++count, work });
    return count;
};
/** Time passes, with what is due in it. */
export const pass = async (ms) => {
    for (const end = time + ms; ;) {
        const [next] = tasks.sort((one, other) => one.t - other.t || one.number - other.number);
        if (!next || next.t > end) {
            time = Math.max(time, end);
            await new Promise((resolve) => turn(resolve));
            return;
        }
        tasks.shift();
        time = Math.max(time, next.t);
        next.work();
        await new Promise((resolve) => turn(resolve));
    }
};

// --- Elements ---

const byId = new Map();
const isElement = (node) => node instanceof Element;
const number = (value) => String(Math.round(value * 100) / 100 + 0);

class Target {
    listeners = [];
    addEventListener(type, call) {
        this.listeners.push([type, call]);
    }
    /** Sends an event here and then outwards; returns whether its default was prevented. */
    fire(type, fields = {}) {
        const event = { type, target: this, isPrevented: false, preventDefault() { this.isPrevented = true; }, ...fields };
        for (let each = this; each; each = each.parentNode) {
            for (const [its, call] of [...each.listeners ?? []]) if (its === type) call(event);
        }
        return event.isPrevented;
    }
}

class Element extends Target {
    parentNode = null;
    childNodes = [];
    attributes = new Map();
    style = { setProperty(name, value) { this[name] = value; } };
    constructor(tag) {
        super();
        this.localName = tag;
        this.tagName = tag.toUpperCase();
        if (tag === "canvas") Object.assign(this, { width: 300, height: 150 });
    }
    getAttribute(name) {
        return this.attributes.get(name) ?? null;
    }
    setAttribute(name, value) {
        this.attributes.set(name, String(value));
        if (name === "id") byId.set(String(value), this);
    }
    removeAttribute(name) {
        this.attributes.delete(name);
    }
    toggleAttribute(name, isOn) {
        if (isOn) this.setAttribute(name, "");
        else this.removeAttribute(name);
    }
    get children() {
        return this.childNodes.filter(isElement);
    }
    get childElementCount() {
        return this.children.length;
    }
    get textContent() {
        return this.childNodes.map((node) => isElement(node) ? node.textContent : node).join("");
    }
    set textContent(text) {
        this.replaceChildren(...text === "" ? [] : [text]);
    }
    append(...nodes) {
        for (const node of nodes) {
            if (isElement(node)) {
                node.remove();
                node.parentNode = this;
            }
            this.childNodes.push(isElement(node) ? node : String(node));
        }
    }
    replaceChildren(...nodes) {
        for (const child of this.children) child.parentNode = null;
        this.childNodes = [];
        this.append(...nodes);
    }
    remove() {
        if (this.parentNode) this.parentNode.childNodes = this.parentNode.childNodes.filter((node) => node !== this);
        this.parentNode = null;
    }
    contains(node) {
        for (; node; node = node.parentNode) if (node === this) return true;
        return false;
    }
    get all() {
        return this.children.flatMap((child) => [child, ...child.all]);
    }
    querySelectorAll(selector) {
        return this.all.filter((element) => selector.split(",").some((each) => matches(element, each.trim().split(" "), this)));
    }
    querySelector(selector) {
        return this.querySelectorAll(selector)[0] ?? null;
    }
    closest(selector) {
        return matches(this, [selector]) ? this : this.parentNode?.closest?.(selector) ?? null;
    }
    get classList() {
        const names = new Set((this.getAttribute("class") ?? "").split(" ").filter(Boolean));
        const set = (names) => this.setAttribute("class", [...names].join(" "));
        return {
            contains: (name) => names.has(name), add: (name) => set(names.add(name)), remove: (name) => names.delete(name) && set(names),
            toggle: (name, isOn) => isOn ? set(names.add(name)) : names.delete(name) && set(names),
        };
    }
    get value() {
        if (this.localName === "option") return this.getAttribute("value") ?? this.textContent;
        if (this.localName === "select") return (this.options.find((option) => option === this.chosen) ?? this.options[0])?.value ?? "";
        return this.typed ?? this.getAttribute("value") ?? "";
    }
    set value(value) {
        if (this.localName === "select") this.chosen = this.options.find((option) => option.value === String(value));
        else this.typed = String(value);
    }
    get options() {
        return this.querySelectorAll("option");
    }
    get length() {
        return this.options.length;
    }
    validity = { badInput: false };
    focus() {
        document.activeElement = this;
    }
    scrollIntoView() {
        seen.scrolled = this;
    }
    setPointerCapture() {
        seen.captured = this;
    }
    // The layout: all is as wide as the window allows, ten pixels from its left, and twenty from its top.
    get clientWidth() {
        return window.innerWidth - 20;
    }
    clientHeight = 200;
    offsetHeight = 60;
    getBoundingClientRect() {
        return { left: 10, top: 20, width: this.clientWidth, height: this.clientHeight };
    }
    getContext() {
        return this.context ??= new Drawing(this);
    }
}
for (const name of ["hidden", "open", "disabled"]) Object.defineProperty(Element.prototype, name, {
    get() { return this.attributes.has(name); }, set(isOn) { this.toggleAttribute(name, isOn); } });
for (const name of ["id", "title", "type"]) Object.defineProperty(Element.prototype, name, {
    get() { return this.getAttribute(name) ?? ""; }, set(value) { this.setAttribute(name, value); } });

/** Whether an element matches the last of some compound selectors, and elements around it the others. */
const matches = (element, selectors, root) => {
    const own = selectors.at(-1), [tag] = /^[\w-]*/.exec(own);
    const fits = (!tag || element.localName === tag)
        && [...own.matchAll(/#([\w-]+)/g)].every(([, id]) => element.id === id)
        && [...own.matchAll(/\.([\w-]+)/g)].every(([, name]) => element.classList.contains(name))
        && (!own.includes(":not(:disabled)") || !element.disabled);
    if (!fits || selectors.length === 1) return fits;
    for (let outer = element.parentNode; outer && outer !== root?.parentNode; outer = outer.parentNode) {
        if (matches(outer, selectors.slice(0, -1), root)) return true;
    }
    return false;
};

// The page's own markup: well formed, without anything that closes by itself but these.
const empty = new Set(["meta", "link", "input", "br"]);
const parse = (html, root) => {
    let place = root;
    for (const [, close, tag, attributes, text] of html.matchAll(/<(\/?)([a-z]\w*)((?:[^>"]|"[^"]*")*)>|([^<]+|<)/g)) {
        if (text !== undefined) {
            const words = text.replace(/\s+/g, " ");
            if (words.trim()) place.append(words);
        } else if (close) place = place.parentNode;
        else {
            const element = new Element(tag);
            for (const [, name, value = ""] of attributes.matchAll(/([\w-]+)(?:="([^"]*)")?/g)) element.setAttribute(name, value);
            place.append(element);
            if (!empty.has(tag)) place = element;
        }
    }
};

// --- Canvases ---

/** The lines of a drawing. A transcript prints those that follow each other with one form and colour together, and those of two in turn. */
class Lines extends Array {
    printed() {
        const groups = [];
        for (const line of this) {
            const [, form, numbers, words] = /^(rect|text) ((?:-?[\d.]+ ?)+)(.*)$/.exec(line) ?? [];
            const [, colour, text = ""] = /^(\S+ \S+) (.*)$/.exec(form === "text" ? words : "") ?? [, words];
            const head = form ? `${form} ${colour}: ` : line, part = form ? (numbers + text).trim() : "";
            const same = form && groups.slice(-2).findLast((group) => group.head === head);
            if (same) same.parts.push(part);
            else groups.push({ head, parts: form ? [part] : [] });
        }
        return groups.flatMap(({ head, parts }) => filled(head, parts));
    }
}

/** What is drawn, as lines: a form, its numbers, its colour. Of one that is drawn anew, only the last. */
class Drawing {
    lines = new Lines();
    path = [];
    dash = [];
    saved = [];
    globalAlpha = 1;
    lineWidth = 1;
    textAlign = "left";
    constructor(canvas) {
        this.canvas = canvas;
    }
    note(form, numbers, ...words) {
        const alpha = this.globalAlpha === 1 ? [] : [`alpha ${this.globalAlpha}`];
        this.lines.push([form, ...numbers.map(number), ...words, ...alpha].join(" "));
    }
    setTransform(scale) {
        this.lines = new Lines();
        this.note("canvas", [this.canvas.width, this.canvas.height, scale]);
    }
    clearRect(...box) {
        this.note("clear", box);
    }
    fillRect(...box) {
        this.note("rect", box, this.fillStyle);
    }
    beginPath() {
        this.path = [];
    }
    moveTo(x, y) {
        this.path.push(`M ${number(x)},${number(y)}`);
    }
    lineTo(x, y) {
        this.path.push(`${number(x)},${number(y)}`);
    }
    arc(x, y, radius, from, to) {
        this.path.push(`O ${number(x)},${number(y)} r ${number(radius)}${from === 0 && to > 2 * Math.PI ? "" : " open"}`);
    }
    rect(...box) {
        this.path.push(`box ${box.map(number).join(" ")}`);
    }
    closePath() {
        this.path.push("Z");
    }
    fill() {
        this.note("fill", [], this.fillStyle, ...this.path);
    }
    stroke() {
        this.note("line", [this.lineWidth], this.strokeStyle, ...this.dash.length ? [`dashed ${this.dash}`] : [], ...this.path);
    }
    setLineDash(dash) {
        this.dash = dash;
    }
    clip() {
        this.note("clip", [], ...this.path);
    }
    save() {
        this.saved.push(1);
    }
    restore() {
        this.saved.pop();
        this.lines.push("unclip");
    }
    measureText(text) {
        return { width: 6 * text.length };
    }
    fillText(text, x, y) {
        this.note("text", [x, y], this.textAlign, this.fillStyle, text);
    }
    strokeText(text, x, y) {
        this.note("halo", [x, y], this.strokeStyle, text);
    }
}

// --- The window ---

/** What was asked of the window: what scrolled, what was copied, what observes. */
export let seen;
export let window, document;
const own = { atob: globalThis.atob };
class Observer {
    observed = new Set();
    constructor(call) {
        this.call = call;
        seen.observers.push(this);
    }
    observe(element) {
        this.observed.add(element);
    }
    disconnect() {
        this.observed.clear();
    }
}

/** A new window with a document of this markup. `wasm` is the page's own, in base64; without `search` messages between ports, by which
 * the search goes on, never come. */
export const open = (html, { wasm, width = 820, hash = "", schemes = [], search = false }) => {
    tasks = [];
    time = 0;
    byId.clear();
    seen = { observers: [], media: new Map(), copied: [], addresses: [], selected: null, canCopy: true };
    window = Object.assign(new Target(), { innerWidth: width, innerHeight: 700, devicePixelRatio: 1 });
    document = Object.assign(new Element("#document"), { createElement: (tag) => new Element(tag), activeElement: null });
    parse(html, document);
    document.getElementById = (id) => document.contains(byId.get(id)) ? byId.get(id) : null;
    document.documentElement = document.querySelector("html");
    const globals = {
        window, document, ResizeObserver: Observer, IntersectionObserver: Observer, devicePixelRatio: 1, innerHeight: 700,
        addEventListener: (type, call) => window.addEventListener(type, call), location: { hash },
        history: { replaceState: (_state, _title, address) => void seen.addresses.push(address) },
        matchMedia(query) {
            if (!seen.media.has(query)) seen.media.set(query, Object.assign(new Target(), { matches: schemes.includes(query) }));
            return seen.media.get(query);
        },
        // A colour is its name.
        getComputedStyle: () => ({ position: seen.position ?? "sticky", getPropertyValue: (name) => ` ${name.slice(2)} ` }),
        getSelection: () => ({ selectAllChildren: (element) => { seen.selected = element; } }),
        navigator: { clipboard: { writeText: async (text) => seen.canCopy ? void seen.copied.push(text) : Promise.reject(new Error("denied")) } },
        // A look at the clock takes a tenth of a millisecond.
        performance: { now: () => time += 0.1, mark: (name) => { seen.mark = name; } },
        setTimeout: (work, ms = 0) => at(time + ms, work), clearTimeout: (id) => { tasks = tasks.filter((task) => task.number !== id); },
        requestAnimationFrame: (work) => at((Math.floor(time / 16) + 1) * 16, work),
        MessageChannel: class {
            port1 = {};
            port2 = { postMessage: () => at(search ? time : Infinity, () => this.port1.onmessage()) };
        },
        atob: (text) => own.atob(text === "{{wasm}}" ? wasm : text),
        crypto: webcrypto,
    };
    for (const [name, value] of Object.entries(globals)) Object.defineProperty(globalThis, name, { value, configurable: true, writable: true });
    for (const [made, old] of [["toSorted", "sort"], ["toReversed", "reverse"]]) {
        Array.prototype[made] ??= function (...given) { return [...this][old](...given); };
    }
};

/**
 * The lines of an element's outline: its name, what it is, and the text that stands in it alone. What is in it stands in brackets where a
 * line has room for all of it, and below otherwise.
 */
export const outline = (element, depth = 0) => {
    const { id } = element, { class: names, ...others } = Object.fromEntries(element.attributes);
    delete others.id;
    const value = element.localName === "input" || element.localName === "select" ? [`= ${JSON.stringify(element.value)}`] : [];
    if (element.checked) value.push("checked");
    const words = Object.entries(others).map(([name, text]) => text === "" ? name : `${name}="${text}"`);
    const head = element.localName + (id ? `#${id}` : "") + (names ? "." + names.trim().split(/ +/).join(".") : "");
    const styles = Object.entries(element.style).filter(([name]) => name !== "setProperty").map(([name, text]) => `{${name}: ${text}}`);
    const isInline = element.children.every((child) => child.localName === "span" || child.localName === "strong" || child.localName === "small");
    const indent = " ".repeat(depth);
    const line = indent + [head, ...words, ...styles, ...value, ...isInline ? [element.textContent].filter(Boolean) : []].join(" ");
    if (isInline) return [line];
    const parts = element.childNodes.map((node) => isElement(node) ? outline(node, depth + 1) : [`${indent} ${node}`]);
    const whole = `${line} [${parts.map(([first]) => first.trim()).join(" | ")}]`;
    if (parts.every((part) => part.length === 1) && whole.length <= 120) return [whole];
    return [line, ...fills(parts, `${indent} `)];
};
/** Parts below each other, but those of one line beside each other where there is room. */
const fills = (parts, indent) => {
    const lines = [], isShort = ([line, ...more]) => more.length === 0 && line.length <= 60;
    let run = [];
    const end = () => {
        if (run.length > 0) lines.push(...filled(indent, run, indent));
        run = [];
    };
    for (const part of parts) {
        if (isShort(part)) run.push(part[0].trim());
        else {
            end();
            lines.push(...part);
        }
    }
    end();
    return lines;
};
