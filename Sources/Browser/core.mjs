// The core, for any page, worker or program: events go in, decisions come out, and time is an argument.
// Types and comments for callers: settle.d.ts.

// scripts/build-browser puts the base64 of the deflated WebAssembly here.
const packed = "WASM";
// In the order of settle_event.h and settle.h.
const kinds = ["geometry", "connect", "disconnect", "pointer", "flush", "cancel", "built", "finished"];
const orientations = [, "portrait", "portraitUpsideDown", "landscapeLeft", "landscapeRight"];
const decisions = ["interactionBegan", "interactionEnded", "rebuild", "lockChanged", "preview"];
const reasons = [, "reported", "released", "disconnected", "timeout", "interactionEnded", "timeout", "discrete", "quiet",
    "maximumWait", "flush", "first", "live"];
const presets = ["default", "live", "uikit"];

const bytesOf = (text) => new TextEncoder().encode(text);
const reject = (problem) => {
    throw new RangeError("settle: " + problem);
};

const unpack = async () => {
    const bytes = Uint8Array.from(atob(packed), (character) => character.charCodeAt());
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
    return WebAssembly.compile(await new Response(stream).arrayBuffer());
};
let compiled;

export const createCore = async () => {
    const wasm = (await WebAssembly.instantiate(await (compiled ??= unpack()))).exports;
    const numbers = new Float64Array(wasm.memory.buffer, wasm.start(), 8);
    const text = new Uint8Array(wasm.memory.buffer, numbers.byteOffset + 64);

    // A policy is a preset's name, or fields: as in policy files, or numbers of ms and percent.
    const policyNumber = (policy = {}) => {
        const { preset = presets[0], ...fields } = policy.at ? { preset: policy } : policy;
        if (!presets.includes(preset)) reject(`no preset '${preset}'; there are ` + presets);
        wasm.policy_start(presets.indexOf(preset));
        for (const name in fields) {
            const value = fields[name];
            if (value === undefined) continue;
            const written = value === null || value === Infinity ? "none"
                : value.at ? value : value + (name === "liveShare" ? "%" : "ms");
            const given = bytesOf(name + written), count = bytesOf(written).length;
            if (given.length < 256) text.set(given);
            if (given.length > 255 || !wasm.policy_set(given.length - count, count)) reject(`a policy has no ${name} of '${written}'`);
        }
        const number = wasm.policy_number();
        if (number < 0) reject("policy out of range: " + JSON.stringify(policy));
        return number;
    };

    // Takes decisions for as long as their buffer is full.
    const take = (isFull) => {
        for (;;) {
            while (wasm.take()) {
                const [kind, reason, scene, t, width, height, generation, locked] = numbers;
                core.onDecision({
                    kind: decisions[kind], reason: reasons[reason], scene, t, width, height, generation, locked: !!locked,
                });
            }
            if (!isFull) return;
            isFull = wasm.go_on();
        }
    };

    const core = {
        onDecision() {},
        connect: (policy) => wasm.connect(policyNumber(policy)) >>> 0 || reject("over 4096 scenes"),
        setPolicy(scene, policy) {
            if (wasm.set_policy(scene, policyNumber(policy))) reject("no scene " + scene);
        },
        event({ kind = "geometry", t, scene, width = 0, height = 0, resizing, locked, orientation, button, pressed,
            generation, cost }) {
            const flags = (width && 128) | (resizing != null && 1 + 2 * resizing) | (locked != null && 4 + 8 * locked)
                | (orientation && orientations.indexOf(orientation) << 4) | (pressed && 256);
            const isFull = wasm.submit(kinds.indexOf(kind), button ?? scene, t, generation ?? width, cost ?? height, flags);
            const isApplied = !wasm.rejected();
            take(isFull);
            return isApplied;
        },
        advance: (t) => take(wasm.advance(t)),
        get nextWake() {
            return wasm.next_wake();
        },
    };
    return core;
};
