// What the driver can ask of the page of cases.
const memories = [], { instantiate } = WebAssembly;
WebAssembly.instantiate = async (...words) => {
    const instance = await instantiate(...words);
    memories.push(instance.exports.memory);
    return instance;
};
// For each callback of every ResizeObserver from here on with many changes: µs for a change.
const costs = [];
const Native = globalThis.ResizeObserver;
globalThis.ResizeObserver = class extends Native {
    constructor(call) {
        super((entries, observer) => {
            const start = performance.now();
            call(entries, observer);
            if (entries.length > 99) costs.push((performance.now() - start) / entries.length * 1000);
        });
    }
};
const { observe, ready, record } = await import(query.get("module"));
await ready;

const $ = (selector) => document.querySelector(selector);
const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
const builds = [];
let recording, running = 0;

const drags = (bar, area) => {
    bar.addEventListener("pointerdown", (event) => bar.setPointerCapture(event.pointerId));
    bar.addEventListener("pointermove", (event) => {
        if (bar.hasPointerCapture(event.pointerId)) area.style.width = `${Math.max(40, area.offsetWidth + event.movementX)}px`;
    });
};
drags($("#bar"), $("#left"));
if (!$("#frame").contentDocument?.querySelector("#bar")) await new Promise((resolve) => $("#frame").addEventListener("load", resolve));
const frameBar = $("#frame").contentDocument.querySelector("#bar");
drags(frameBar, $("#left"));

const handlers = {
    plain() {},
    // What would be a loop of notifications: it changes the size of what is observed.
    layout() {
        $("#left").style.height = `${$("#left").offsetHeight % 200 + 21}px`;
    },
    throws(number) {
        if (number === 2) throw new Error("planned failure");
    },
    async rejects(number) {
        await sleep(5);
        if (number === 2) throw new Error("planned failure");
    },
    async slow(_number, build, signal) {
        build.atOnce = ++running;
        await sleep(900);
        running--;
        build.aborted = signal.aborted;
    },
};
Object.assign(commands, {
    start({ policy, handler = "plain", splitters = [] }) {
        recording = record();
        observe($("#left"), {
            name: "left", policy, splitters: splitters.map((name) => name === "frame" ? $("#frame").contentWindow : $(name)),
            onRebuild({ width, height, cssWidth, ratio }, { signal, reason, generation }) {
                const build = { width, height, cssWidth, ratio, reason, generation };
                builds.push(build);
                return handlers[handler](builds.length, build, signal);
            },
        });
        // One that ends takes nothing from the other.
        observe($("#right"), { splitters: splitters.map((name) => name === "frame" ? $("#frame").contentWindow : $(name)), onRebuild() {} }).stop();
    },
    // Elements of widths that are no whole numbers, a handler that observes another element, and one that is shown again.
    async odd() {
        const row = document.createElement("div"), sizes = [], shown = [];
        row.style.cssText = "display: flex; width: 900px";
        $("#many").append(row);
        const add = (onRebuild, policy) => {
            const element = row.appendChild(document.createElement("div"));
            element.style.cssText = "flex: 1; height: 30px";
            return observe(element, { policy, onRebuild });
        };
        const keep = (size) => void sizes.push(size);
        const observations = [1, 2, 3].map(() => add(keep, "uikit"));
        const inner = [];
        observations.push(add(() => {
            inner.at(-1)?.stop();
            inner.push(observe(row.parentElement.appendChild(document.createElement("div")), { onRebuild() {} }));
        }, "uikit"));
        for (let width = 1000; width < 1010; width++) {
            row.style.width = `${width}px`;
            await frame();
        }
        const late = add((size, { reason }) => void shown.push(`${size.cssWidth} ${reason}`)), { style } = row.lastChild;
        style.flex = "0 0 200px";
        await sleep(300);
        for (const [field, value] of [["display", "none"], ["flexBasis", "210px"], ["display", "block"]]) {
            style[field] = value;
            await frame();
            await frame();
        }
        await frame();
        for (const one of [...observations, inner.at(-1), late]) one.stop();
        const off = Math.max(...sizes.map(({ width, height, cssWidth, cssHeight, ratio }) =>
            Math.max(Math.abs(width - cssWidth * ratio), Math.abs(height - cssHeight * ratio))));
        return { count: sizes.length, off, shown };
    },
    naive() {
        new Native(() => handlers.layout()).observe($("#left"));
    },
    builds: () => builds,
    isReady: () => true,
    log: () => recording.text,
    style: (selector, fields) => void Object.assign($(selector).style, fields),
    // Each is shown for two frames at least.
    async widths(...widths) {
        for (const width of widths) {
            $("#left").style.width = width;
            await frame();
            await frame();
        }
    },
    frameBar() {
        const outer = $("#frame").getBoundingClientRect(), { left, top, right, bottom } = frameBar.getBoundingClientRect();
        return { left: outer.left + left, top: outer.top + top, right: outer.left + right, bottom: outer.top + bottom };
    },
    // µs for each observed change: of a callback that reads it, and of the module's.
    async flood(count, frames) {
        const many = $("#many"), resize = async (number) => {
            for (let i = 0; i < number; i++) {
                many.style.width = `${300 + i % 97}px`;
                await frame();
            }
            await sleep(0);
        };
        const elements = Array.from({ length: count }, () => many.appendChild(document.createElement("div")));
        const measure = async () => {
            await resize(20);
            let least = Infinity;
            for (let round = 0; round < 5; round++) {
                costs.length = 0;
                await resize(frames);
                if (costs.length < frames - 2) throw new Error(`${costs.length} callbacks in ${frames} frames`);
                least = Math.min(least, costs.sort((a, b) => a - b)[costs.length >> 1]);
            }
            return least;
        };
        // What any page pays for reading new sizes.
        const total = { size: 0 };
        const reading = new ResizeObserver((entries) => {
            for (const { target, contentRect, contentBoxSize, devicePixelContentBoxSize } of entries) {
                total.size += sizes.get(target) + contentRect.width + contentBoxSize[0].inlineSize + (devicePixelContentBoxSize?.[0].inlineSize ?? 0);
            }
        });
        const sizes = new Map(elements.map((element) => [element, 0]));
        for (const element of elements) reading.observe(element);
        const read = await measure();
        reading.disconnect();
        const observations = elements.map((element) => observe(element, { onRebuild() {} }));
        const ours = await measure();
        for (const one of observations) one.stop();
        return { read, ours };
    },
    async memory(count, stops) {
        const come = async (isShown) => {
            const element = document.createElement("div");
            element.className = "one";
            $("#many").append(element);
            const one = observe(element, { name: "one", onRebuild() {} });
            if (isShown) await frame();
            if (stops) one.stop();
            element.remove();
        };
        const churn = async (number) => {
            for (let i = 0; i < number; i++) await come(i % 50 === 0);
            // What remains of the collected goes with the next build.
            for (let round = 0; round < 2; round++) {
                await frame();
                await sleep(50);
                globalThis.gc?.();
                await come(true);
            }
            await sleep(50);
            globalThis.gc?.();
        };
        const held = () => ({ heap: performance.memory?.usedJSHeapSize ?? 0, wasm: memories.at(-1).buffer.byteLength });
        await churn(1000);
        const before = held();
        await churn(count);
        const after = held();
        return { hasGc: !!globalThis.gc, heap: after.heap - before.heap, wasm: after.wasm - before.wasm };
    },
    worker: () => new Promise((resolve, reject) => {
        const worker = new Worker("worker.mjs", { type: "module" });
        worker.onmessage = ({ data }) => resolve(data);
        worker.onerror = (event) => reject(new Error(event.message));
    }),
    fails: () => console.error("planned message"),
});
commands.isReady = () => true;
