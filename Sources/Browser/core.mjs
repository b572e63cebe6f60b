// The core, for any page, worker or program: events go in, decisions come out, and time is an argument.
// Types and comments for callers: settle.d.ts.
import { policyOf } from "./options.mjs";

// scripts/build-browser puts the deflated WebAssembly here, six bits a character. The characters are those that are frequent in
// scripts, as in base64 they are not: so both together compress better.
const packed = "WASM";
// scripts/build-browser puts the words of the tables of settle_event.h and settle.h here, in the order of their numbers.
const kinds = ["EVENT_KINDS"];
const decisions = ["DECISION_KINDS"];
const reasons = [, "END_REASONS", "REBUILD_REASONS"];
const presets = ["default", "prepared", "live", "uikit"];

const reject = (problem) => {
    throw new RangeError("settle: " + problem);
};

const unpack = async () => {
    const bytes = new Uint8Array(packed.length * 3 / 4);
    for (let i = 0, at = 0, bits; i < packed.length; i++) {
        const code = packed.charCodeAt(i);
        bits = bits << 6 | code - (code < 70 ? 40 : 63);
        if (i & 3) bytes[at++] = bits >> 6 - 2 * (i & 3);
    }
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
    return WebAssembly.compile(await new Response(stream).arrayBuffer());
};
let compiled;

export const createCore = async () => {
    // The letters are core.c's.
    const {
        memory: { buffer }, a: start, b: startPolicy, c: setField, d: numberOfPolicy, e: connect, f: setPolicy, g: goOn, h: submit,
        i: advance, j: nextWake, k: takeOne,
    } = (await WebAssembly.instantiate(await (compiled ??= unpack()))).exports;
    const numbers = new Float64Array(buffer, start(), 8);
    const text = new Uint8Array(buffer, numbers.byteOffset + 64, 256);

    const policyNumber = (policy) => {
        const { preset = presets[0], ...fields } = policyOf(policy);
        if (!presets.includes(preset)) reject(`no preset '${preset}'; there are ` + presets);
        startPolicy(presets.indexOf(preset));
        for (const name in fields) {
            const value = fields[name];
            if (value === undefined) continue;
            const written = value === null || value === Infinity ? "none"
                : value.at ? value : value + (/Share$/.test(name) ? "%" : "ms");
            // Names are ASCII, and one that is not is no field's, wherever it is cut.
            const given = name + written, end = new TextEncoder().encodeInto(given, text);
            if (end.read < given.length || !setField(name.length, end.written - name.length))
                reject(`a policy has no ${name} of '${written}'`);
        }
        const number = numberOfPolicy();
        if (number < 0) reject("policy out of range: " + JSON.stringify(policy));
        return number;
    };

    // Takes decisions for as long as their buffer is full.
    const take = (isFull) => {
        for (;;) {
            while (takeOne()) {
                // The last has `prepared` of a rebuild, and `locked` of another decision, in bit 0, and `feedback` in bit 1.
                const [number, reason, scene, t, width, height, generation, flag] = numbers, kind = decisions[number];
                core.onDecision({
                    kind, reason: reasons[reason], scene, t, width, height, generation,
                    prepared: kind === "rebuild" && flag % 2 > 0, locked: !!flag && kind !== "rebuild", feedback: flag > 1,
                });
            }
            if (!isFull) return;
            isFull = goOn();
        }
    };

    const core = {
        onDecision() {},
        connect: (policy) => connect(policyNumber(policy)) >>> 0 || reject("over 4096 scenes"),
        setPolicy(scene, policy) {
            if (setPolicy(scene, policyNumber(policy))) reject("no scene " + scene);
        },
        event({ kind = "geometry", t, scene, width = 0, height = 0, resizing, locked, button, pressed, generation, cost, kept }) {
            // An orientation alone decides nothing.
            const flags = (width && 128) | (resizing != null && 1 + 2 * resizing) | (locked != null && 4 + 8 * locked)
                | (pressed && 256) | (kept === false && 512);
            const result = submit(kinds.indexOf(kind), button ?? scene, t, generation ?? width, cost ?? height, flags);
            take(result & 1);
            return result < 2;
        },
        advance: (t) => take(advance(t)),
        get nextWake() {
            return nextWake();
        },
    };
    return core;
};
