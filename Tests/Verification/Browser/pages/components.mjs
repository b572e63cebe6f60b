// The hook, the element and the two parts, with what the page does in `log`.
globalThis.log = [];
addEventListener("error", ({ message }) => log.push(message));
addEventListener("unhandledrejection", ({ reason }) => log.push(`${reason}`));

const box = document.getElementById("box");
for (const kind of ["rebuild", "prepare"])
    box.addEventListener(kind, (event) => {
        log.push(`${kind} ${event.size.width} ${event.prepared ?? event.reason ?? ""}`.trim());
        if (kind === "prepare") event.waitUntil(Promise.resolve("made"));
        if (globalThis.failing) event.waitUntil(Promise.reject(new Error("no picture")));
    });
// A canvas whose size followed its own pixels would have another one after each build.
document.getElementById("filled").addEventListener("rebuild", ({ size }) => {
    log.push(`filled ${size.height}`);
    Object.assign(document.querySelector("canvas"), { width: size.width, height: 2 * size.height });
});
const folder = new URLSearchParams(location.search).get("module");
await import(folder + "settle.box.js");
const { useSettle } = await import(folder + "settle.react.js");
const { observe, ready, record } = await import(folder + "settle.lazy.js");
for (const name of ["main", "other"])
    observe(document.getElementById(name), { policy: { quietDelay: "20s", jumpDelay: null }, onRebuild: ({ width }, { reason }) => log.push(`${name} ${width} ${reason}`) });

const { StrictMode, createElement, useState } = React, root = ReactDOM.createRoot(document.getElementById("root"));
const App = ({ word, width, hidden, ...options }) => {
    const [size, setSize] = useState();
    const onRebuild = (size) => {
        log.push(`${word} ${size.width}`);
        setSize(size);
    };
    const settle = globalThis.settle = useSettle({ ...options, onRebuild });
    return hidden ? null : createElement("div", { ref: settle.ref, style: { width, height: 50 } }, size?.cssWidth);
};
globalThis.render = (options) => root.render(options && createElement(StrictMode, null, createElement(App, options)));
render({ word: "one", width: 200 });
globalThis.recording = record();
globalThis.isCore = await ready;
