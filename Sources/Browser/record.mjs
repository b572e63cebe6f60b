// What a page's core was given, as a log in JSON Lines, which `settle tune` and `settle replay` read.

import { demand } from "./options.mjs";

const logs = new Set();
// ASCII, so that characters are bytes.
const line = (fields) =>
    JSON.stringify(fields).replace(/[^ -~]/g, (c) => "\\u" + c.charCodeAt().toString(16).padStart(4, 0)) + "\n";

// `observed` is what there is at that moment.
export const startLog = ({ sample = 1, budget = Infinity, coarse = 0, name = "page" }, observed) => {
    for (const [option, value] of Object.entries({ sample, budget, coarse })) demand(typeof value === "number" && value >= 0, option);
    let text = "", isFull = Math.random() >= sample;
    const add = (fields) => {
        const added = line(fields);
        if (text.length + added.length > budget) isFull = true;
        if (!isFull) text += added;
    };
    const log = {
        // A scene is written by its name, not by the core's number.
        _write: ({ t, cost, scene: _, ...fields }, scene) => add({
            t_ns: Math.round((coarse ? Math.floor(t / coarse) * coarse : t) * 1e6), scene, ...fields,
            ...(cost >= 0 && { cost_ns: Math.round(cost * 1e6) }),
        }),
        _recording: {
            get isRecording() {
                return logs.has(log) && !isFull;
            },
            get text() {
                return text;
            },
            stop() {
                logs.delete(log);
                return text;
            },
        },
    };
    add({ settle: "events", version: 1, clock: "monotonic", unit: "px", source: "browser", name });
    for (const one of observed) one._first(log);
    logs.add(log);
    return log._recording;
};

export const note = (event, scene) => {
    for (const log of logs) log._write(event, scene);
};
