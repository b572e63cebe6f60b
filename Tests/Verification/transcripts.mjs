// Transcripts: files of lines of JavaScript and what they give, which are run as tests. The reader of a file sees what a user would.
//
//     # A comment, or what the lines below show.
//     > clock(60e9)
//     1:00.000
//
// A line may await. What it gives is printed: a text as it is, a list with bars or line by line, what has `printed` as that says, anything
// else as JSON; an error with its name. `let NAME = VALUE` prints nothing, and keeps the value for the lines below. The answer goes on to the next line
// with `>` or `#` and a space, or to an empty line. With WRITE=1 in the environment the answers are written instead of compared; what they
// then say is to be read. With BAIL=1 the program ends at the first that differs.
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { basename } from "node:path";
import { test } from "node:test";

const AsyncFunction = (async () => {}).constructor;
const plain = (_, value) => typeof value === "bigint" ? `${value}n` : value === Infinity ? "Infinity" : Number.isNaN(value) ? "NaN" : value;
const textOf = (value) => typeof value === "string" ? value : JSON.stringify(value, plain) ?? "undefined";
const linesOf = (value) => (Array.isArray(value) ? value : [value]).flatMap((each) => textOf(each).split("\n").map((line) => line.trimEnd()))
    .filter((line) => line !== "");
/** A list of short values stands on one line. What is indented, or has bars itself, has lines of its own. */
const printed = (value) => {
    if (value === undefined) return [];
    const lines = linesOf(value?.printed?.() ?? value), line = lines.join(" | ");
    return Array.isArray(value) && !value.printed && line.length <= 120 && !lines.some((each) => /^ | \| /.test(each)) && lines.length > 0 ? [line] : lines;
};

/** Parts with bars between them, in lines of at most 120 characters; further ones begin with `indent`. */
export const filled = (first, parts, indent = "  ") => {
    const lines = [first];
    parts.forEach((part, i) => {
        const last = lines.at(-1), longer = i === 0 ? last + part : `${last} | ${part}`;
        if (i === 0 || longer.length <= 120) lines[lines.length - 1] = longer;
        else lines.push(indent + part);
    });
    return lines;
};

/** Lines that a transcript prints beside each other. */
export class Beside extends Array {
    printed() {
        return filled("", this, "");
    }
}

/** The steps of a transcript: each a line of JavaScript, what it is to give, and where that stands. */
const stepsOf = (lines) => {
    const steps = [];
    lines.forEach((line, i) => {
        if (line.startsWith("> ")) steps.push({ source: line.slice(2), expected: [], at: i });
        else if (line !== "" && !line.startsWith("# ")) steps.at(-1).expected.push(line);
    });
    return steps;
};

/** Runs a file as a test of its own. `begin` gives what its lines can name. */
export const transcript = (file, begin) => test(basename(file), async () => {
    const lines = readFileSync(file, "utf8").trimEnd().split("\n"), scope = await begin(), changed = [];
    let last = 0;
    const steps = stepsOf(lines);
    assert.ok(steps.length > 0, `${file} has no step`);
    for (const { source, expected, at } of steps) {
        let found;
        try {
            const [, name, names, value] = /^let (?:(\w+)|\{ ([^}]*) \}) = (.*)$/.exec(source) ?? [, , , source];
            const result = await new AsyncFunction(...Object.keys(scope), `return (${value})`)(...Object.values(scope));
            if (name) scope[name] = result;
            for (const each of names?.split(", ") ?? []) scope[each] = result[each];
            found = name || names ? [] : printed(result);
        } catch (error) {
            if (error instanceof assert.AssertionError) throw error;
            found = [`${error.name}: ${error.message}`];
        }
        if (process.env.WRITE) {
            changed.push(...lines.slice(last, at + 1), ...found);
            last = at + 1 + lines.slice(at + 1).findIndex((line) => line === "" || /^[>#] /.test(line));
            if (last === at) last = lines.length;
        } else if (process.env.BAIL && String(found) !== String(expected)) process.exit(1);
        else assert.deepEqual(found, expected, `${basename(file)}:${at + 1}: ${source}`);
    }
    if (process.env.WRITE) writeFileSync(file, [...changed, ...lines.slice(last)].join("\n") + "\n");
});
