// Plays drawings of preparations, as run.py passes them, in a page on a clock that is made, whose frames are the columns: page.mjs MODULE
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { add, frame, now, pass, pointer, sleep } from "../../Verification/Browser/made_page.mjs";
const { observe, ready, record } = await import(pathToFileURL(process.argv[2]));
await ready;

const column = frame.ms = 10, decided = ["begin", "cancel", "show", "drop"];
const policy = { preset: "prepared", pauseDelay: 30, releasedEndDelay: 20, discreteDelay: 40, quietDelay: 80, jumpDelay: null, interactionTimeout: null };
const widthOf = (letter) => 100 + 10 * (letter.charCodeAt() - 97), letterOf = (width) => String.fromCharCode(97 + (width - 100) / 10);
const release = () => pointer("pointerup");

// What is decided of the rows of a drawing, and the reports.
const play = async ([button, size, call, end]) => {
    await pass(column - now() % column);
    const element = add(100, 100), works = [], recording = record();
    let zero;
    const seen = Object.fromEntries(decided.map((row) => [row, [...size].fill(".")]));
    const mark = (row, { width }) => zero && (seen[row][Math.round((now() - zero) / column)] = letterOf(width));
    // The drawing ends it, whatever becomes of its signal.
    const work = async ({ width, signal }) => {
        const one = { width };
        works.push(one);
        mark("begin", one);
        signal.addEventListener("abort", () => one.isShown || mark(one.isMade ? "drop" : "cancel", one));
        await new Promise((resolve, reject) => Object.assign(one, { resolve, reject }));
        one.isMade = true;
        return signal.aborted ? undefined : one;
    };
    const show = (one) => one && (one.isShown = true, mark("show", one));
    const observation = observe(element, {
        name: "one", policy, onPrepare: work, onRebuild: (size) => size.prepared ? show(size.prepared) : work(size).then(show),
    });
    await pass(500);
    works[0].resolve();
    sleep(0);
    await pass(495);
    zero = now() + 5;
    for (let at = 0; at < size.length; at++) {
        // The next frame sees it.
        if (size[at] !== ".") element.resize(widthOf(size[at]));
        if (button[at] === "^") release();
        await pass(5);
        if (button[at] === "v") pointer("pointerdown");
        if (call[at] === "f") observation.flush();
        if (end[at] === "1") works.at(-1).resolve();
        if (end[at] === "x") works.at(-1).reject(new Error("planned"));
        sleep(0);
        await pass(5);
    }
    zero = undefined;
    observation.stop();
    recording.stop();
    release();
    await pass(10_000);
    const reports = recording.text.trim().split("\n").map(JSON.parse).filter(({ kind }) => kind === "previewed" || kind === "finished").slice(1)
        .map(({ kind, cost_ns, kept }) => `${kind} ${cost_ns / 1e6}ms${kept === false ? " givenUp" : ""}`);
    return [...decided.map((row) => seen[row].join("")), reports.join("; ")].join("|");
};

for (const line of readFileSync(0, "utf8").trim().split("\n")) console.log(await play(line.split(" ")));
