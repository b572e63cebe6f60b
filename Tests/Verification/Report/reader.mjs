// The report's page in node, and what its tests can name: its functions, and what a reader sees and does. SETTLE, PAGE and REPORTS in the
// environment are those of page.test.mjs.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { after } from "node:test";
import { pathToFileURL } from "node:url";
import { inflateSync } from "node:zlib";
import { filled } from "../transcripts.mjs";
import * as made from "./made_window.mjs";

const root = new URL("../../../", import.meta.url).pathname;
const { SETTLE = `${root}.build/debug/settle`, PAGE = `${root}Sources/SettleReport/Page`, REPORTS } = process.env;
const reports = REPORTS ?? mkdtempSync(`${tmpdir()}/reports`);
if (!REPORTS) after(() => rmSync(reports, { recursive: true }));
mkdirSync(reports, { recursive: true });
const [, wasm] = /"([A-Za-z0-9+/=]{1000,})"/.exec(readFileSync(`${root}CSources/CGeneratedPage/tail.html`, "utf8"));
const html = readFileSync(`${root}Sources/SettleReport/Page/page.html`, "utf8");
const load = (name, query = "") => import(pathToFileURL(`${PAGE}/${name}.mjs`) + query);

// --- Reports ---

/** A log's events from words: `0 a 400x300 resizing locked; 20 press 1; 30 a finished 1 2`, with times in ms. */
const events = (text) => text.split(";").map((each) => each.trim().split(/\s+/)).map(([ms, first, ...words]) => {
    const t_ns = Math.round(ms * 1e6);
    if (first === "press" || first === "release") return { t_ns, kind: "pointer", button: Number(words[0]), pressed: first === "press" };
    const event = { t_ns, scene: first };
    if (words[0] === "connect" || words[0] === "disconnect") return { ...event, kind: words[0] };
    if (words[0] === "finished") return { ...event, kind: "finished", generation: Number(words[1]), cost_ns: Math.round(words[2] * 1e6) };
    for (const word of words) {
        const [width, height] = word.split("x").map(Number);
        Object.assign(event, height >= 0 ? { width, height } : { resizing: { resizing: true }, still: { resizing: false }, locked: { locked: true },
            unlocked: { locked: false } }[word]);
    }
    return event;
});
const header = { settle: "events", version: 1, clock: "monotonic", unit: "px", source: "made", name: "made" };
/** The data of a report of logs, each by the words of `events`, as `settle report` with these options writes it. */
export const reportOf = (logs, ...options) => {
    const text = (name, words) => [{ ...header, name }, ...events(words)].map((each) => JSON.stringify(each) + "\n").join("");
    const texts = Object.entries(logs).map(([name, words]) => [name, text(name, words)]);
    const hash = createHash("sha256").update(JSON.stringify([texts, options])).digest("hex").slice(0, 24), out = `${reports}/${hash}.json`;
    if (!existsSync(out)) {
        const folder = mkdtempSync(`${reports}/${hash}`);
        for (const [name, text] of texts) writeFileSync(`${folder}/${name}.jsonl`, text);
        execFileSync(SETTLE, ["report", ...options, ...texts.map(([name]) => `${name}.jsonl`), "-o", "out.html"], { cwd: folder, stdio: "pipe" });
        const [, data] = /<script type="application\/json" id="settle-data">(.*?)<\/script>/s.exec(readFileSync(`${folder}/out.html`, "utf8"));
        writeFileSync(`${folder}/data.json`, data);
        renameSync(`${folder}/data.json`, out);
        rmSync(folder, { recursive: true });
    }
    return JSON.parse(readFileSync(out, "utf8"));
};

/** A fleet's export: that of the recordings, which other tests of the page show. */
export const fleetExport = () => JSON.parse(readFileSync(new URL("fleet.json", import.meta.url), "utf8"));

// --- A reader ---

const find = (selector) => {
    const found = typeof selector === "string" ? made.document.querySelector(selector) : selector;
    if (!found) throw new Error(`no ${selector}`);
    return found;
};
const button = (text, within = "html") => find(within).querySelectorAll("button").find((each) => each.textContent.replaceAll("\u00a0", " ") === text);
let opened = 0;
export const page = {
    outlineOf: made.outline, filled, find, button, fleetExport, events, reportOf, pass: made.pass, seen: () => made.seen,
    /** Opens a report of data, or of a text in place of it. */
    async open(data, { ms = 1000, ...options } = {}) {
        made.open(html, { wasm, ...options });
        find("#settle-data").textContent = typeof data === "string" ? data : JSON.stringify(data);
        await load("main", `?${++opened}`);
        const problem = await made.window.settle.ready.then(() => undefined, () => page.text("#messages"));
        globalThis.settle = made.window.settle;
        await made.pass(ms);
        return problem;
    },
    /** A window in which the search goes on. */
    windowWithSearch: () => made.open(html, { wasm, search: true }),
    /** Opens a report, and looks at it before other policies were tried. */
    glance: (data) => page.open(data, { ms: 2 }),
    all: (selector) => made.document.querySelectorAll(selector).flatMap((each) => made.outline(each)),
    show: (selector) => made.outline(find(selector)),
    text: (selector) => find(selector).textContent,
    texts: (selector) => made.document.querySelectorAll(selector).map((each) => each.textContent),
    picture: (selector) => find(selector).getContext().lines,
    /** The rows of a table, with bars between cells. */
    rows: (selector) => find(selector).querySelectorAll("tr").map((row) =>
        row.children.map((cell) => cell.textContent).join(" | ") + (row.attributes.has("aria-current") ? " <" : "")),
    async click(selector, ms = 1000) {
        find(selector).fire("click", { clientX: 0, clientY: 0 });
        await made.pass(ms);
    },
    async type(selector, value, type = "change") {
        find(selector).value = value;
        find(selector).fire(type);
        await made.pass(1000);
    },
    async key(selector, name, fields = {}) {
        const isPrevented = find(selector).fire("keydown", { key: name, ...fields });
        await made.pass(1000);
        return isPrevented ? undefined : "not taken";
    },
    /** An event of the pointer: where it is, in pixels from the left of the window. */
    async pointer(selector, type, clientX, fields = {}) {
        const usual = { clientX, clientY: 100, pointerId: 1, pointerType: "mouse", button: 0, deltaX: 0, deltaY: 0, deltaMode: 0 };
        const isPrevented = find(selector).fire(type, { ...usual, ...fields });
        await made.pass(1000);
        return type === "wheel" && !isPrevented ? "not taken" : undefined;
    },
    /** What the page's scripts give that Object.assign or a link gave them. */
    async visit(hash) {
        globalThis.location.hash = `#${hash}`;
        made.window.fire("hashchange");
        await made.pass(1000);
    },
    address: () => made.seen.addresses.at(-1),
    attempt: async (work) => { try { return await work(); } catch (error) { return `${error.name}: ${error.message}`; } },
};
const modules = ["format", "sliders", "policy", "engine", "dom", "data", "lane", "explain", "totals", "builds", "front", "front_view", "answer",
    "fragment", "logs", "timeline", "panel", "tables", "fleet", "fleet_view"];
/** Opens a window, and gives all that can be named in it. */
export const begin = async () => {
    made.open(html, { wasm });
    const parts = await Promise.all(modules.map((name) => load(name)));
    const { Core, Log } = parts[modules.indexOf("engine")];
    const module = await WebAssembly.compile(inflateSync(Buffer.from(wasm, "base64")));
    new Core(module);
    const logOf = (words, policy = {}, cost = null) => {
        const log = new Log(module, reportOf({ log: words }).logs[0].log);
        log.decide(parts[modules.indexOf("policy")].parsed(policy), cost);
        return log;
    };
    return { ...Object.assign({}, ...parts), ...page, module, logOf };
};
