// What follows of readers who do anything in any order with reports of any logs: a number of each report is kept in
// Tests/Cases/page/aftermath.txt. They are figures of this implementation; with AFTERMATH=write they are written anew, with AFTERMATH=print
// the texts that they are made of are printed.
//
// usage: SETTLE=PROGRAM node --test aftermath.test.mjs, with PAGE and REPORTS as for page.test.mjs
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { random } from "../random.mjs";
import * as made from "./made_window.mjs";
import { fleetExport, page, reportOf } from "./reader.mjs";

const NUMBERS = new URL("../../Cases/page/aftermath.txt", import.meta.url), { AFTERMATH } = process.env;
const REPORTS = 24, READERS = 3, ACTS = 20;
const OPTIONS = [[], ["--policy", "live"], ["--policy", "prepared"], ["--policy", "uikit"], ["--quiet-delay", "90ms", "--jump-delay", "none"], ["--scene", "a"], ["--start", "50ms"]];
const VALUES = ["0", "1", "50", "75", "200", "900", "", "1e3", "-5", "a", "none", "8ms", "2ms+3ns/px", "5ms+slow/7", "40ms", "1s", "2ms", "30ms"];
const NAMES = ["a", "b", "c", "a-scene-with-a-long-name,-which-is-one-of-a-document-that-nobody-has-saved", "\u0007\u0007ü\u202e\u0000\u{1f600}".repeat(5)];
const HASHES = ["", "policy=live", "quietDelay=50ms", "t=1s", "from=0.5s&to=2s", "scene=b", "liveShare=40%25&cost=8ms", "decision=1", "nothing", "%"];

/** A log's words, as those of a transcript. */
const words = ({ below, chance, one }) => {
    const scenes = NAMES.filter((name) => name === "a" || chance(0.5)), said = scenes.map((scene) => `0 ${scene} 400x300`);
    let ms = 0;
    for (let count = 10 + below(60); count > 0; count--) {
        ms += one([0.5, 1, 8, 16, 16, 16, 60, 300, 1200]);
        const scene = one(scenes), act = below(12), size = `${one([400, 410, 480, 900])}x${one([300, 310, 700])}`;
        said.push(act < 7 ? `${ms} ${scene} ${size}${chance(0.3) ? " resizing" : ""}${chance(0.05) ? " locked" : ""}`
            : act < 9 ? `${ms} ${scene} still` : act < 10 ? `${ms} ${chance(0.5) ? "press" : "release"} 1` : act < 11 ? `${ms} ${scene} finished ${1 + below(9)} ${one([2, 20, 70])}`
            : `${ms} ${scene} ${chance(0.2) ? "disconnect" : "unlocked"}`);
    }
    return said.join("; ");
};

/** All that is seen: the document, its drawings, and where it is. */
const seen = () => [
    ...made.outline(made.document), ...page.all("canvas").length > 0 ? made.document.querySelectorAll("canvas").flatMap((canvas) => canvas.getContext().lines) : [],
    made.seen.addresses.at(-1) ?? "", made.seen.copied.at(-1) ?? "", made.document.activeElement?.id ?? "", made.document.documentElement.getAttribute("data-theme") ?? "",
];

/** Does one thing. */
const act = async ({ below, chance, one }) => {
    const all = (selector) => made.document.querySelectorAll(selector), choose = (selector) => all(selector).length > 0 ? one(all(selector)) : undefined;
    const kind = below(12);
    if (kind < 3) {
        const element = choose("button");
        if (element && !element.disabled) await page.click(element, 300);
        return `click ${element?.textContent}`;
    }
    if (kind < 5) {
        // Often the same one as before.
        const element = chance(0.4) && all("input").includes(made.document.activeElement) ? made.document.activeElement : choose(chance(0.3) ? "#cost, #fleet-bound, #scene-find" : "input");
        element?.focus();
        if (!element) return "no input";
        const type = element.getAttribute("type");
        if (type === "checkbox" || type === "radio") {
            element.checked = !element.checked;
            element.fire("change");
        } else {
            element.value = one(VALUES);
            element.fire("input");
            if (chance(0.7)) element.fire("change");
        }
        return `input ${element.id} ${element.value} ${element.checked}`;
    }
    if (kind < 6) {
        const element = choose("select");
        if (!element || element.length === 0) return "no choice";
        element.value = one(element.options).value;
        element.fire("change");
        return `choose ${element.id} ${element.value}`;
    }
    if (kind < 8) {
        const element = chance(0.5) ? made.document : choose("canvas") ?? made.document;
        const key = one(["ArrowLeft", "ArrowRight", "Home", "End", "+", "-", "Escape", "n", "p", "ArrowUp", "Enter", "0"]);
        element.fire("keydown", { key, shiftKey: chance(0.2), ctrlKey: chance(0.1) });
        return `key ${key}`;
    }
    if (kind < 11) {
        const element = choose("canvas"), types = one([["pointermove"], ["pointerdown", "pointermove", "pointerup"], ["wheel"], ["pointerdown", "pointerup", "click"], ["pointerleave"], ["dblclick"]]);
        for (const type of element ? types : []) {
            element.fire(type, { clientX: below(820), clientY: 20 + below(200), pointerId: 1, pointerType: one(["mouse", "touch"]), button: 0, deltaX: 0,
                deltaY: one([-100, 100]), deltaMode: 0, ctrlKey: chance(0.5) });
        }
        return types.join();
    }
    if (chance(0.5)) {
        const hash = one(HASHES);
        await page.visit(hash);
        return `visit ${hash}`;
    }
    const width = one([360, 820, 1400]);
    made.window.innerWidth = width;
    for (const observer of made.seen.observers) observer.call([...observer.observed].map((target) => ({ target, isIntersecting: chance(0.7), contentRect: { width: width - 20 } })), observer);
    return `width ${width}`;
};

const known = AFTERMATH ? [] : readFileSync(NUMBERS, "utf8").trimEnd().split("\n"), found = [];
for (let number = 1; number <= REPORTS; number++) test(`what readers of report ${number} see`, async () => {
    const draws = random(number), hash = createHash("sha256"), { below, one } = draws;
    const logs = Object.fromEntries(["one", "two", "three"].slice(0, number % 4 === 0 ? 3 : 1).map((name) => [name, words(draws)]));
    const data = number > REPORTS - 3 ? fleetExport() : reportOf(logs, ...one(OPTIONS));
    for (let reader = 0; reader < READERS; reader++) {
        const problem = await page.open(structuredClone(data), { ms: 20 + below(200) });
        const say = (text) => {
            hash.update(text);
            if (AFTERMATH === "print") console.log(text);
        };
        say(`report ${number} reader ${reader} ${problem}\n${seen().join("\n")}`);
        for (let count = 0; count < ACTS; count++) {
            let what;
            try {
                what = await act(draws);
            } catch (error) {
                what = `${error.name}: ${error.message}`;
            }
            await made.pass(40);
            say(`${what}\n${seen().join("\n")}`);
        }
    }
    const line = `${hash.digest("hex").slice(0, 8)} report ${number}`;
    found.push(line);
    if (!AFTERMATH) assert.ok(known.includes(line), "what is seen is not as before; see Tests/Cases/README.md");
});
test("a change of the page is found", { skip: AFTERMATH || process.env.PAGE ? "these are not the sources" : false }, () => {
    const folder = mkdtempSync(`${tmpdir()}/page`), file = `${folder}/lane.mjs`;
    cpSync(new URL("../../../Sources/SettleReport/Page", import.meta.url), folder, { recursive: true });
    for (const [from, to, status] of [["", "", 0], ["naive: \"every size\"", "naive: \"each size\"", 1]]) {
        writeFileSync(file, readFileSync(file, "utf8").replace(from, to));
        const environment = { ...process.env, PAGE: folder, NODE_TEST_CONTEXT: "" };
        assert.equal(spawnSync(process.execPath, ["--test-name-pattern", "report 1 ", fileURLToPath(import.meta.url)], { env: environment }).status, status, to);
    }
    rmSync(folder, { recursive: true });
});
test("each number is of a report", () => {
    if (AFTERMATH === "write") writeFileSync(NUMBERS, found.join("\n") + "\n");
    else if (!AFTERMATH) assert.equal(known.length, REPORTS);
});
