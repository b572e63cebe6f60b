// A chart beside a splitter, rebuilt in the ways that measure.py compares; it looks behind each frame at what is shown.
const { observe, ready } = await import(query.get("module"));
await ready;

const $ = (selector) => document.querySelector(selector), now = () => performance.now();
const left = $("#left"), bar = $("#bar"), START = 600, LATE_MS = 4;
const script = (address) => new Promise((resolve, reject) => document.head.append(Object.assign(document.createElement("script"), {
    src: address, onload: resolve, onerror: () => reject(new Error(address)),
})));

// --- What is built: each takes a size and a signal, and begins at once ---

const points = Array.from({ length: 2000 }, (_, i) => i);
const y = (line, x) => line * 3 + Math.sin(x / 40 / line) + Math.sin(x * line) / 4;
const charts = {
    async busy(ms) {
        const context = left.appendChild(document.createElement("canvas")).getContext("2d");
        return ({ width, height }) => {
            Object.assign(context.canvas, { width, height });
            context.fillRect(0, 0, width, height);
            for (const end = now() + ms; now() < end;);
        };
    },
    // Beside the main thread. It ends at once when it is aborted.
    async worker(ms) {
        const worker = new Worker("hands_worker.js");
        return ({ width, height, signal }) => new Promise((resolve, reject) => {
            const { port1, port2 } = new MessageChannel();
            port1.onmessage = ({ data }) => data ? resolve(data) : reject(signal.reason);
            signal?.addEventListener("abort", () => port1.postMessage("abort"));
            worker.postMessage({ ms, width, height, port: port2 }, [port2]);
        });
    },
    async chartjs() {
        await script("/vendor/chartjs.js");
        const canvas = left.appendChild(document.createElement("canvas"));
        const chart = new Chart(canvas, {
            type: "line",
            data: { labels: points, datasets: [1, 2, 3].map((line) => ({ label: `line ${line}`, data: points.map((x) => y(line, x)) })) },
            options: { responsive: false, animation: false, elements: { point: { radius: 0 } }, scales: { x: { ticks: { sampleSize: 10 } } } },
        });
        return ({ cssWidth, cssHeight }) => chart.resize(cssWidth, cssHeight);
    },
    async dygraphs() {
        await script("/vendor/dygraphs.js");
        const chart = new Dygraph(left, points.map((x) => [x, y(1, x), y(2, x), y(3, x)]), { labels: ["x", "1", "2", "3"], width: START, height: 300 });
        return ({ cssWidth, cssHeight }) => chart.resize(cssWidth, cssHeight);
    },
    async plotly() {
        await script("/vendor/plotly.js");
        const lines = [1, 2, 3].map((line) => ({ type: "scatter", mode: "lines", x: points, y: points.map((x) => y(line, x)) }));
        await Plotly.newPlot(left, lines, { margin: { t: 20, r: 20, b: 40, l: 40 } });
        return ({ cssWidth, cssHeight }) => Plotly.relayout(left, { width: cssWidth, height: cssHeight });
    },
};

// --- When it is built ---

let build, shown = 0, meter, costs = [], observation, observer;
const timed = async (size) => {
    const start = now();
    try {
        const result = build(size);
        if (result?.then) await result;
    } finally {
        costs.push(now() - start);
    }
};
const rebuild = (size) => {
    const done = timed(size);
    // What ends at once is shown in the same task.
    if (!isAsync) shown = size.width;
    return done.then(() => shown = size.width);
};
let isAsync = false;
const sizeOf = ({ contentRect: { width, height } }) => ({ width: Math.round(width), height: Math.round(height), cssWidth: width, cssHeight: height });
const debounced = (ms) => {
    let timer, newest, isBuilding = false;
    const run = async () => {
        if (isBuilding) return;
        isBuilding = true;
        for (let size; (size = newest);) {
            newest = undefined;
            await rebuild(size);
        }
        isBuilding = false;
    };
    observer = new ResizeObserver(([entry]) => {
        clearTimeout(timer);
        timer = setTimeout(() => {
            newest = sizeOf(entry);
            run();
        }, ms);
    });
    observer.observe(left);
};
const ways = {
    debounce: () => debounced(100),
    end: () => settled({ policy: "default" }),
    live: () => settled({ policy: "live" }),
    prepared: () => settled({ policy: "prepared", onPrepare: timed, onRebuild: (size) => "prepared" in size ? void (shown = size.width) : rebuild(size) }),
};
const settled = (options) => observation = observe(left, { onRebuild: (size, { signal }) => rebuild({ ...size, signal }), ...options });

// --- The splitter, and the page's eyes ---

let reports = false;
bar.addEventListener("pointerdown", (event) => {
    bar.setPointerCapture(event.pointerId);
    meter = { released: 0, changed: 0, right: 0, wrong: 0, blocked: 0, late: 0, frames: 0, sizes: 0, work: 0, builds: 0 };
    costs = [];
    if (reports) observation.resizing(true);
});
bar.addEventListener("pointermove", (event) => {
    if (!bar.hasPointerCapture(event.pointerId)) return;
    const width = Math.max(60, Math.round(event.clientX - bar.offsetWidth / 2));
    if (`${width}px` === left.style.width) return;
    left.style.width = `${width}px`;
    Object.assign(meter, { changed: event.timeStamp, sizes: meter.sizes + 1 });
});
bar.addEventListener("pointerup", ({ timeStamp }) => {
    meter.released = timeStamp;
    if (reports) observation.resizing(false);
});
const { port1, port2 } = new MessageChannel();
let was, last;
port1.onmessage = () => {
    const width = left.clientWidth, t = now();
    if (was && meter && !meter.isOver) {
        const gap = t - was.t, off = was.width - was.shown;
        if (off) meter.wrong += gap * Math.abs(off) / (was.width + 300);
        // From when on the last picture is right.
        if (off && width === shown) meter.right = t;
    }
    was = { t, width, shown };
};
const frame = (t) => {
    if (last && meter && !meter.isOver) {
        // Those that did not come, and one that came late.
        const skipped = Math.max(0, Math.round((t - last) / (1000 / 60)) - 1), late = now() - t;
        meter.frames++;
        meter.late = Math.max(meter.late, late + skipped * 1000 / 60);
        meter.blocked += skipped + (late > LATE_MS);
    }
    last = t;
    port2.postMessage(0);
    requestAnimationFrame(frame);
};
requestAnimationFrame(frame);

Object.assign(commands, {
    async start({ chart, ms, way, hasFlag = false }) {
        observation?.stop();
        observer?.disconnect();
        left.style.width = `${START}px`;
        if (commands.chart !== `${chart} ${ms}`) {
            left.replaceChildren();
            build = await charts[chart](ms);
            isAsync = chart === "worker" || chart === "plotly";
            commands.chart = `${chart} ${ms}`;
        }
        shown = 0;
        reports = hasFlag;
        ways[way]();
        while (shown !== START) await sleep(20);
        // What a scene's drags before have made of it, too: one that was dragged treats other changes as discrete.
        await sleep(100);
    },
    async result() {
        while (shown !== left.clientWidth) await sleep(20);
        await sleep(50);
        meter.isOver = true;
        return { ...meter, builds: costs.length, work: costs.reduce((sum, cost) => sum + cost, 0), costs, rightAfter: Math.max(0, meter.right - Math.max(meter.released, meter.changed)) };
    },
    isReady: () => true,
});
