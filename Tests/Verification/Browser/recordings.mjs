// Every log of the folders, decided by the module's core in node under the policy in its header, must give the decisions that
// stand beside it; under a policy that is off by a millisecond, a log without a policy must not.
//
// usage: node recordings.mjs MODULE FOLDER...
import { readdirSync, readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const [module, ...folders] = process.argv.slice(2);
const { createCore } = await import(pathToFileURL(module));
const lines = (file) => readFileSync(file, "utf8").split("\n").filter((line) => line && line[0] !== "#").map(JSON.parse);

// What `settle replay --json` prints, from the events of a log.
const decide = async (events, policy) => {
    const core = await createCore(), scenes = new Map(), names = new Map(), decisions = [];
    core.onDecision = ({ kind, reason, scene, t, width, height, locked, prepared, feedback }) => decisions.push({
        t_ns: Math.round(t * 1e6), scene: names.get(scene), kind,
        ...(kind === "rebuild" && { width, height, reason }), ...(prepared && { prepared }), ...(feedback && { feedback }), ...(kind === "preview" && { width, height }),
        ...(kind === "interactionEnded" && { reason }), ...(kind === "lockChanged" && { locked }),
    });
    for (const { t_ns, scene: name, cost_ns, ...event } of events) {
        const connects = !event.kind || event.kind === "geometry" || event.kind === "connect";
        if (name && connects && !scenes.has(name)) {
            const scene = core.connect(policy);
            scenes.set(name, scene);
            names.set(scene, name);
        }
        core.event({ ...event, t: t_ns / 1e6, scene: scenes.get(name) ?? 0, ...(cost_ns != null && { cost: cost_ns / 1e6 }) });
        if (event.kind === "disconnect") scenes.delete(name);
    }
    while (core.nextWake < Infinity) core.advance(core.nextWake);
    return decisions;
};

let failed = 0, logs = 0, count = 0;
const endings = ".decisions.jsonl";
const files = folders.flatMap((folder) => readdirSync(folder).map((name) => `${folder}/${name}`)).filter((file) => file.endsWith(endings));
for (const file of files) {
    const [{ name, policy }, ...log] = lines(file.replace(endings, ".jsonl")), expected = lines(file);
    // A page's time is a double of milliseconds, which has no later nanoseconds.
    if ([...log, ...expected].some(({ t_ns }) => t_ns > 2 ** 53)) continue;
    const keys = (decision) => JSON.stringify([decision.t_ns, decision.scene, decision.kind, decision.width, decision.height,
        decision.reason, decision.locked, decision.prepared, decision.feedback]);
    const differs = (decisions) => decisions.map(keys).join("\n") !== expected.map(keys).join("\n");
    logs++, count += expected.length;
    if (differs(await decide(log, policy))) failed++, console.log(`${file}: ${name}: the module decides otherwise`);
    const planted = { releasedEndDelay: "17ms", reportedEndDelay: "1ms", quietDelay: 201 };
    if (!policy && !differs(await decide(log, planted))) failed++, console.log(`${file}: another policy decides the same`);
}
console.log(`${logs} logs, ${count} decisions`);
process.exit(failed || !count ? 1 : 0);
