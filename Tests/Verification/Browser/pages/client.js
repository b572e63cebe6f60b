// Runs in each page under test, before its other scripts: collects what goes wrong, and does what the driver asks for.
"use strict";
const errors = [], query = new URLSearchParams(location.search);
addEventListener("error", (event) => errors.push(event.message ?? `cannot load ${event.target.src}`), true);
addEventListener("unhandledrejection", (event) => errors.push(`rejection: ${event.reason}`));
document.addEventListener("securitypolicyviolation", (event) => errors.push(`CSP: ${event.violatedDirective} ${event.blockedURI}`));
for (const level of ["error", "warn"]) {
    const print = console[level];
    console[level] = (...words) => {
        errors.push(words.join(" "));
        print.apply(console, words);
    };
}
const pointerAt = {};
addEventListener("pointermove", ({ clientX, clientY }) => Object.assign(pointerAt, { x: clientX, y: clientY, count: (pointerAt.count ?? 0) + 1 }), true);
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

globalThis.commands = {
    errors: () => errors.splice(0),
    pointer: () => pointerAt,
    box(selector) {
        const { left, top, right, bottom } = document.querySelector(selector).getBoundingClientRect();
        return { left, top, right, bottom };
    },
    state: () => ({ visibility: document.visibilityState, ratio: devicePixelRatio, width: innerWidth, height: innerHeight }),
};

// For the demo, which is served with this script in it: records, and keeps the decisions that its handler gets. Its live builds have no
// limit, so that a processor that is busy elsewhere makes none rarer.
if (globalThis.Settle) {
    const decided = [], { observe } = Settle, recording = Settle.record();
    Settle.observe = (element, options) => observe(element, {
        ...options,
        policy: { preset: options.policy, liveLimit: "none" },
        onRebuild(size, info) {
            decided.push({ width: size.width, height: size.height, reason: info.reason, generation: info.generation });
            options.onRebuild(size, info);
        },
    });
    Object.assign(commands, {
        isReady: () => true,
        decided: () => decided,
        log: () => recording.text,
        charts: () => charts.map(({ name, builds, work, stale, isStale }) => ({ name, builds, work, stale, isStale: isStale() })),
        reset: () => find("reset").click(),
    });
}
