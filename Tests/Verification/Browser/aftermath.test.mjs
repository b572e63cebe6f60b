// What follows on random pages and of random calls of the module's core: a number of each fifty is kept in Tests/Cases/browser/aftermath.txt.
// They are figures of this implementation; with AFTERMATH=write they are written anew, with AFTERMATH=print the texts that they are made of
// are printed.
//
// usage: MODULE=FOLDER/sources/settle.mjs node --test aftermath.test.mjs
//   MODULE is the module as scripts/build-browser --sources writes it, with its components.
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname } from "node:path";
import { after, test } from "node:test";
import { pathToFileURL } from "node:url";
import "./made_page.mjs";
import { core, page } from "./random_pages.mjs";

const NUMBERS = new URL("../../Cases/browser/aftermath.txt", import.meta.url), { AFTERMATH, MODULE } = process.env;

// What the element needs of a document.
globalThis.HTMLElement = class extends EventTarget {
    #attributes = new Map();
    attachShadow() {
        return {};
    }
    getAttribute(name) {
        return this.#attributes.get(name) ?? null;
    }
    hasAttribute(name) {
        return this.#attributes.has(name);
    }
    setAttribute(name, value) {
        this.#attributes.set(name, String(value));
        if (this.constructor.observedAttributes.includes(name)) this.attributeChangedCallback(name);
    }
};
globalThis.customElements = { define() {} };

/** The components on the module's sources, with a React that has two hooks; `change` changes the hook. */
const load = async (change = (text) => text) => {
    const folder = mkdtempSync(`${tmpdir()}/components`);
    after(() => rmSync(folder, { recursive: true }));
    cpSync(dirname(MODULE), folder, { recursive: true });
    mkdirSync(`${folder}/node_modules/react`, { recursive: true });
    for (const [name, text] of Object.entries({
        "package.json": '{ "type": "module" }', "settle.lazy.js": 'export * from "./settle.mjs";\n',
        "settle.react.js": change(readFileSync(`${folder}/settle.react.js`, "utf8")),
        "node_modules/react/package.json": '{ "type": "module", "exports": "./index.js" }',
        "node_modules/react/index.js":
            "export const react = {};\nexport const useState = (make) => react.useState(make), useEffect = (effect) => react.useEffect(effect);\n",
    })) writeFileSync(`${folder}/${name}`, text);
    const module = {};
    for (const name of ["settle.mjs", "core.mjs", "settle.react.js", "settle.box.js", "node_modules/react/index.js"])
        Object.assign(module, await import(pathToFileURL(`${folder}/${name}`)));
    await module.ready;
    return module;
};
/** The number of fifty worlds. */
const numberOf = async (module, name, world, from) => {
    const hash = createHash("sha256");
    for (let seed = from; seed < from + 50; seed++) {
        const text = (await world(module, seed)).join("\n");
        assert.ok(text, `${name} ${seed} says nothing`);
        hash.update(text);
        if (AFTERMATH === "print") console.log(`${name} ${seed}\n${text}`);
    }
    return `${hash.digest("hex").slice(0, 8)} ${name} ${from}`;
};

const module = await load(), known = AFTERMATH ? [] : readFileSync(NUMBERS, "utf8").trimEnd().split("\n"), found = [];
for (const [name, world] of [["core", core], ["page", page]]) test(`what follows of each ${name}`, async () => {
    const before = found.length;
    for (let from = 1; from <= 1000; from += 50) found.push(await numberOf(module, name, world, from));
    if (!AFTERMATH) assert.deepEqual(found.slice(before), known.filter((line) => line.split(" ")[1] === name), "what follows is not as before; see Tests/Cases/README.md");
});
test("a change is found", async () => {
    const changed = await load((text) => text.replace("settle.options = options;", "settle.options ??= options;"));
    assert.deepEqual(known.filter((line) => line.endsWith(" page 1")).length, AFTERMATH ? 0 : 1);
    assert.ok(!known.includes(await numberOf(changed, "page", page, 1)));
});
after(() => AFTERMATH === "write" && writeFileSync(NUMBERS, found.join("\n") + "\n"));
