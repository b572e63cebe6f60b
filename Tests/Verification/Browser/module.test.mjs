// The browser module in node, on a clock that is made: transcripts of what it does with sizes, pointers, transitions and drags.
//
// usage: MODULE=FOLDER/sources/settle.mjs node --test module.test.mjs
//   MODULE is the module as scripts/build-browser --sources writes it, ONLY a part of the names of the transcripts to run. WRITE=1 writes
//   what they say.
import { cpSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname } from "node:path";
import { after } from "node:test";
import { pathToFileURL } from "node:url";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { Beside, transcript } from "../transcripts.mjs";
import { add, errors, hide, now, pass, sleep } from "./made_page.mjs";
import { drag } from "./random_drags.mjs";

const { MODULE, ONLY = "" } = process.env;
// What browsers differ in: the boxes that they observe and state, and the ratio of pixels.
const browser = { boxes: ["device-pixel-content-box", "content-box"], entry: (entry) => entry, ratios: [], observed: [], unobserved: [] };
globalThis.ResizeObserver = class extends ResizeObserver {
    constructor(call) {
        super((entries) => call(entries.map((entry) => browser.entry(entry))));
    }
    observe(element, { box = "content-box" } = {}) {
        if (!browser.boxes.includes(box)) throw new TypeError(`no ${box}`);
        browser.observed.push([element.name ?? "document", box]);
        super.observe(element);
    }
    unobserve(element) {
        browser.unobserved.push(element.name);
        super.unobserve(element);
    }
};
globalThis.matchMedia = (query) => {
    const list = Object.assign(new EventTarget(), { query });
    browser.ratios.push(list);
    return list;
};

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc");

/** An event of the page at a target. */
const send = (type, fields = {}, target = window) => {
    const event = Object.assign(new Event(type), fields);
    if (target !== window) Object.defineProperty(event, "target", { value: target });
    window.dispatchEvent(event);
};
const pointer = (type, fields) =>
    send(`pointer${type}`, { pointerId: 1, isPrimary: true, buttons: type === "up" || type === "cancel" ? 0 : 1, ...fields });

const begin = async (name) => {
    let module = MODULE;
    const isEarly = name.startsWith("early");
    if (name.startsWith("without") || isEarly) {
        // A copy of its own: it finds no WebAssembly, or is not ready yet.
        const folder = mkdtempSync(`${tmpdir()}/module`);
        after(() => rmSync(folder, { recursive: true }));
        cpSync(dirname(MODULE), folder, { recursive: true });
        module = `${folder}/settle.mjs`;
    }
    const load = (file) => import(pathToFileURL(`${dirname(module)}/${file}.mjs`));
    const warnings = [], { warn } = console, { WebAssembly } = globalThis;
    console.warn = (...words) => void warnings.push(words.map(String).join(" "));
    if (name.startsWith("without")) globalThis.WebAssembly = undefined;
    const settle = await load("settle"), isCore = isEarly || await settle.ready;
    Object.assign(globalThis, { WebAssembly });
    console.warn = warn;
    let count = 0;
    /** An element that is observed, whose handlers note what they are called with, and take `cost` ms, or end with `work`. */
    const box = async ({ width = 400, height = 300, cost, work, before = 1000, element = add(width, height), ...options } = {}) => {
        const one = { element, said: [], zero: now(), signals: [] };
        const say = (text) => one.said.push(`${Math.round((now() - one.zero) * 1000) / 1000}: ${text}`);
        element.name = options.name ?? "one";
        one.observation = settle.observe(element, {
            name: `one${++count}`, policy: "default", ...options,
            onRebuild(size, { signal, reason, generation }) {
                const { signal: its, ...numbers } = size;
                one.size = numbers;
                one.isItsSignal = its === signal;
                one.signals.push(signal);
                say(`rebuild ${size.width}x${size.height} ${reason} ${generation}`);
                signal.addEventListener("abort", () => say(`abort ${size.width}`));
                if (work) return work(size, one);
                return cost === undefined ? undefined : sleep(cost).then(() => say(`done ${size.width}`));
            },
            ...options.onPrepare && { onPrepare: async (size) => {
                say(`prepare ${size.width}x${size.height}`);
                size.signal.addEventListener("abort", () => say(`drop ${size.width}`));
                const picture = await options.onPrepare(size);
                say(`prepared ${size.width}`);
                return picture;
            } },
            ...options.onPreview && { onPreview: (size) => { say(`preview ${size.width}x${size.height}`); return options.onPreview(size); } },
        });
        await pass(before - now() % 16);
        return one;
    };
    /** What was said since the last time, with times from then on: in multiples of a frame. */
    const said = async (one, ms = 0) => {
        await pass(ms);
        const lines = Beside.from(one.said.splice(0));
        await pass((16 - now() % 16) % 16);
        one.zero = now();
        return lines;
    };
    /** Drags at random, in which what must hold of all of them holds. */
    const drags = async (from, to) => {
        for (let seed = from; seed <= to; seed++) {
            const one = {};
            await drag(settle, seed, one);
            one.observation.stop();
            one.recording.stop();
            errors.length = 0;
            await pass(20_000);
        }
    };
    const log = settle.record({ name: "all" });
    let read = log.text.length;
    // Each file begins with a frame.
    await pass(16 - now() % 16);
    const buttons = [];
    const numbered = (button) => (buttons.includes(button) ? 0 : buttons.push(button), buttons.indexOf(button) + 1);
    /** What the core was given since the last time, in ms after the first of it. */
    const given = () => {
        const lines = Beside.from(log.text.slice(read).trim().split("\n").filter(Boolean)).map((line) => JSON.parse(line));
        read = log.text.length;
        return lines.map(({ t_ns, cost_ns, ...event }) => [(t_ns - lines[0].t_ns) / 1e6, ...Object.entries(event).map(([name, value]) =>
            name === "scene" || name === "kind" ? value : `${name}=${name === "button" ? numbered(value) : value}`), ...cost_ns === undefined ? [] : [`cost=${cost_ns / 1e6}`]].join(" "));
    };
    return { ...settle, drags, collect, isCore, warnings, browser, box, said, given, send, pointer, pass, sleep, hide, now, add, load,
        errors: () => errors.splice(0).map(String),
        policyOf: (await load("options")).policyOf, demand: (await load("options")).demand,
        attempt: async (call) => { try { return await call(); } catch (error) { return `${error.name}: ${error.message}`; } } };
};

const folder = new URL("transcripts/", import.meta.url).pathname;
for (const name of readdirSync(folder).sort()) if (name.includes(ONLY)) transcript(folder + name, () => begin(name));
