// A page in node, on a clock that is made: what the module needs of a browser. Import it before the module.
const tasks = [], observers = new Set(), frames = [], turn = globalThis.setImmediate;
let time = 0, count = 0, isFrameDue = false;
export const errors = [], frame = { ms: 16 };
export const now = () => time;

const at = (t, work) => {
    const task = { t, number: ++count, work };
    tasks.push(task);
    return task;
};
export const sleep = (ms) => new Promise((resolve) => void at(time + ms, resolve));
// Time passes. Whatever is due is done in order, each with what its promises bring.
export const pass = async (ms) => {
    for (const end = time + ms;;) {
        const [next] = tasks.sort((one, other) => one.t - other.t || one.number - other.number);
        if (!next || next.t > end) {
            time = end;
            return;
        }
        tasks.shift();
        time = next.t;
        next.work?.();
        await new Promise((resolve) => turn(resolve));
    }
};

const show = () => {
    isFrameDue = false;
    if (document.hidden) return;
    for (const call of frames.splice(0)) call(time);
    for (const observer of [...observers].sort((one, other) => one.number - other.number)) observer.notify();
};
const askForFrame = () => {
    if (isFrameDue) return;
    isFrameDue = true;
    at((Math.floor(time / frame.ms) + 1) * frame.ms, show);
};

class ResizeObserver {
    seen = new Map();
    // They are notified in the order in which they were made.
    number = ++count;
    constructor(call) {
        this.call = call;
    }
    observe(element) {
        observers.add(this);
        this.seen.set(element, "");
        askForFrame();
    }
    unobserve(element) {
        this.seen.delete(element);
    }
    disconnect() {
        observers.delete(this);
        this.seen.clear();
    }
    notify() {
        const entries = [];
        for (const [element, size] of this.seen) {
            const { width, height } = element, pixels = [{ inlineSize: width, blockSize: height }];
            if (size === `${width} ${height}`) continue;
            this.seen.set(element, `${width} ${height}`);
            entries.push({ target: element, contentRect: { width, height }, contentBoxSize: pixels, devicePixelContentBoxSize: pixels });
        }
        if (entries.length) this.call(entries);
    }
}

const window = new EventTarget(), document = { hidden: false, documentElement: { width: 1000, height: 800 } };
export const add = (width, height) => ({
    localName: "div", id: "one", isConnected: true, ownerDocument: { defaultView: window }, width, height,
    // A new size is seen with the next frame.
    resize(width, height = this.height) {
        Object.assign(this, { width, height });
        askForFrame();
    },
});
export const pointer = (type) => window.dispatchEvent(Object.assign(new Event(type), { pointerId: 1, isPrimary: true, buttons: 1 }));

export const hide = (isHidden) => {
    if (document.hidden === isHidden) return;
    document.hidden = isHidden;
    window.dispatchEvent(new Event("visibilitychange"));
    askForFrame();
};

const performance = { now }, reportError = (error) => void errors.push(error);
for (const [name, value] of Object.entries({
    window, document, performance, reportError, ResizeObserver, devicePixelRatio: 1, matchMedia: () => new EventTarget(),
    setTimeout: (work, ms = 0) => at(time + ms, work), clearTimeout: (task) => task && (task.work = undefined),
    requestAnimationFrame(call) {
        frames.push(call);
        askForFrame();
    },
})) Object.defineProperty(globalThis, name, { value, configurable: true, writable: true });
