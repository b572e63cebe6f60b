// Every recording, decided by the module's core in node, must give the decisions that stand beside it. A policy that is off by a
// millisecond must not.
//
// usage: node recordings.mjs MODULE FOLDER
import { readdirSync, readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const [module, folder] = process.argv.slice(2);
const { createCore } = await import(pathToFileURL(module));
const lines = (file) => readFileSync(`${folder}/${file}`, "utf8").split("\n").filter((line) => line && line[0] !== "#").map(JSON.parse);

// What `settle replay --json` prints, from the events of a log.
const decide = async (events, policy) => {
    const core = await createCore(), scenes = new Map(), names = new Map(), decisions = [];
    core.onDecision = ({ kind, reason, scene, t, width, height, locked }) => decisions.push({
        t_ns: Math.round(t * 1e6), scene: names.get(scene), kind,
        ...(kind === "rebuild" && { width, height, reason }), ...(kind === "preview" && { width, height }),
        ...(kind === "interactionEnded" && { reason }), ...(kind === "lockChanged" && { locked }),
    });
    for (const { t_ns, scene: name, ...event } of events) {
        const connects = !event.kind || event.kind === "geometry" || event.kind === "connect";
        if (name && connects && !scenes.has(name)) {
            const scene = core.connect(policy);
            scenes.set(name, scene);
            names.set(scene, name);
        }
        core.event({ ...event, t: t_ns / 1e6, scene: scenes.get(name) ?? 0 });
        if (event.kind === "disconnect") scenes.delete(name);
    }
    while (core.nextWake < Infinity) core.advance(core.nextWake);
    return decisions;
};

let failed = 0, count = 0;
for (const file of readdirSync(folder).filter((name) => name.endsWith(".decisions.jsonl"))) {
    const log = lines(file.replace(".decisions", "")).filter((event) => !event.settle), expected = lines(file);
    const keys = (decision) => JSON.stringify([decision.t_ns, decision.scene, decision.kind, decision.width, decision.height,
        decision.reason, decision.locked]);
    const differs = (decisions) => decisions.map(keys).join("\n") !== expected.map(keys).join("\n");
    count += expected.length;
    if (differs(await decide(log))) failed++, console.log(`${file}: the module decides otherwise`);
    const planted = { releasedEndDelay: "17ms", reportedEndDelay: "1ms", quietDelay: 201 };
    if (!differs(await decide(log, planted))) failed++, console.log(`${file}: another policy decides the same`);
}
console.log(`${count} decisions`);
process.exit(failed || !count ? 1 : 0);
