// Elements of a page: their sizes, the pointers on it, and its visibility go into one core; its decisions call handlers.
// Types and comments for callers: settle.d.ts.
import { createCore } from "./core.mjs";
import { note, startLog } from "./record.mjs";

const now = () => performance.now();
const byScene = new Map();
const byElement = new Map(); // sets of what observes it
const due = new Set(); // those whose handlers are to be called
const presses = new Map(); // numbers of presses by the pointers that are down
let core, observer, isAway, timer, timerAt = Infinity, pressCount = 0, nameCount = 0, isActing = false;
let box = "device-pixel-content-box";

const fail = (error) => (globalThis.reportError ?? console.error)(error);
const attempt = (work) => {
    try {
        return work();
    } catch (error) {
        fail(error);
    }
};

export const ready = createCore().then((made) => {
    made.onDecision = (decision) => byScene.get(decision.scene)?.decided(decision);
    core = made;
    for (const set of byElement.values()) for (const one of set) attempt(one.begin);
});
ready.catch(() => {}); // observe reports it

// An event of the page or of one observed element; `fields` in the log's words.
const submit = (fields, one) => {
    note(fields, one?.name);
    core.event({ ...fields, scene: one?.scene });
};

// Fires what is due, and calls handlers. A handler may do anything, so also decide more.
const pass = () => {
    if (!core || document.hidden) return;
    core.advance(now());
    act();
};
const act = () => {
    if (!isActing && !document.hidden) {
        isActing = true;
        for (const one of due) {
            due.delete(one);
            one.act();
        }
        isActing = false;
    }
    // The core's wake-up is never later than a deadline: to postpone one costs a call at its old time, not one for each event.
    const next = core.nextWake;
    if (next >= timerAt) return;
    clearTimeout(timer);
    timerAt = next;
    timer = setTimeout(() => {
        timerAt = Infinity;
        pass();
    }, Math.min(Math.ceil(next - now()), 1e9));
};

// --- Sizes ---

const resized = (entries) => {
    const t = now();
    for (const entry of entries) for (const one of byElement.get(entry.target) ?? []) one.resized(t, entry);
    core.advance(t);
    // A handler that changes the layout would change sizes within this frame's notifications, which browsers report as an
    // error. So none are asked for until the next frame.
    if (due.size && !document.hidden) {
        isAway = true;
        observer.disconnect();
        requestAnimationFrame(watchAll);
    }
    act();
};
const watch = (element) => {
    if (isAway) return;
    if (!observer) {
        observer = new ResizeObserver(resized);
        followRatio();
        document.addEventListener("visibilitychange", pass);
    }
    try {
        observer.observe(element, { box });
    } catch {
        box = "content-box"; // Safari has no device pixels here.
        observer.observe(element);
    }
};
const watchAll = () => {
    isAway = false;
    for (const element of byElement.keys()) watch(element);
};
// Without device pixels, a change of their ratio is no change of the box.
const followRatio = () => matchMedia(`(resolution:${devicePixelRatio}dppx)`).addEventListener("change", () => {
    observer.disconnect();
    watchAll();
    followRatio();
}, { once: true });

// --- Pointers ---

const pressed = (button, pressed) => {
    submit({ kind: "pointer", t: now(), button, pressed });
    pass();
};
const afterFrame = (work) => requestAnimationFrame(() => setTimeout(work));
const pointer = ({ type, pointerId, buttons }) => {
    const press = presses.get(pointerId);
    if (type === "pointerdown") {
        if (press || !core) return;
        presses.set(pointerId, ++pressCount);
        pressed(pressCount, true);
    } else if (press && (type !== "pointermove" || !buttons)) {
        // A move without buttons: some releases are lost, such as a scroll bar's. The last size of a drag is seen with the
        // next frame, so the drag ends after that.
        presses.delete(pointerId);
        afterFrame(() => pressed(press, false));
    }
};
// These stay: to listen twice is to listen once, and what is pressed while nothing is observed is released as well.
const listen = (target) => {
    for (const type of ["down", "up", "cancel", "move"]) {
        target.addEventListener("pointer" + type, pointer, { capture: true, passive: true });
    }
};

// --- Elements ---

export const observe = (element, options) => {
    if (!element?.localName || !options?.onRebuild?.call) throw new TypeError("settle: observe(element, { onRebuild, … })");
    const { name, splitters = [], onRebuild, onPreview } = options;
    let { policy } = options, size = {}, built = {}, isHidden, decision, preview, abort;

    const ownPolicy = () => onPreview ? { pauseDelay: 100, ...(policy?.at ? { preset: policy } : policy) } : policy;
    const sizeOf = ({ width, height }) => size.width === width && size.height === height ? size
        : { width, height, cssWidth: width / size.ratio, cssHeight: height / size.ratio, ratio: size.ratio };
    // What is built is what was built last, so the size is owed again: rule 13.
    const abandon = () => core.event({ kind: "built", t: now(), scene: one.scene, ...built });

    const build = ({ width, height, generation, reason }) => {
        const start = now();
        abort = new AbortController();
        const { signal } = abort;
        const end = (problem) => {
            abort = undefined;
            if (problem && !(signal.aborted && problem[0]?.name === "AbortError")) fail(problem[0]);
            if (!problem) built = { width, height };
            if (!one.scene) return;
            const t = now();
            // A newer decision has made this build one of the past.
            if (decision) due.add(one);
            else if (problem) abandon();
            else submit({ kind: "finished", t, generation, cost: t - start }, one);
            pass();
        };
        try {
            const result = onRebuild(sizeOf({ width, height }), { signal, reason, generation });
            if (result?.then) result.then(() => end(), (error) => end([error]));
            else end();
        } catch (error) {
            end([error]);
        }
    };

    const one = {
        name: `${name ?? (element.id || element.localName) + "-" + ++nameCount}`,
        begin() {
            one.scene = core.connect(ownPolicy());
            byScene.set(one.scene, one);
            watch(element);
        },
        resized(t, { contentRect: rect, contentBoxSize: [css], devicePixelContentBoxSize: [pixels] = [] }) {
            const ratio = devicePixelRatio, { inlineSize, blockSize } = pixels ?? css, scale = pixels ? 1 : ratio;
            let width = Math.round(inlineSize * scale), height = Math.round(blockSize * scale);
            // Inline and block are the other way round in vertical text. Firefox rounds the two otherwise.
            if (Math.abs(css.inlineSize - rect.width) > 0.1) [width, height] = [height, width];
            const wasHidden = isHidden;
            isHidden = !width || !height;
            if (isHidden || (width === size.width && height === size.height && !wasHidden)) return;
            size = { width, height, cssWidth: rect.width, cssHeight: rect.height, ratio };
            submit({ t, width, height }, one);
            if (wasHidden) core.event({ kind: "flush", t, scene: one.scene });
        },
        decided(made) {
            if (made.kind === "rebuild") decision = made;
            preview = made.kind === "preview" && made;
            due.add(one);
        },
        act() {
            if (!decision) {
                if (preview && !isHidden && !abort) attempt(() => onPreview(sizeOf(preview)));
            } else if (abort) {
                abort.abort();
            } else {
                const newest = decision;
                decision = undefined;
                if (isHidden) abandon();
                else build(newest);
            }
            preview = undefined;
        },
        first: () => [{ t: now(), width: size.width, height: size.height }, one.name],
    };

    const observation = {
        name: one.name,
        resizing(resizing) {
            const say = () => {
                if (one.scene) submit({ t: now(), resizing }, one);
                pass();
            };
            if (resizing) say();
            else afterFrame(say);
        },
        flush() {
            if (one.scene) core.event({ kind: "flush", t: now(), scene: one.scene });
            pass();
        },
        setPolicy(newPolicy) {
            policy = newPolicy;
            if (one.scene) core.setPolicy(one.scene, ownPolicy());
            pass();
        },
        stop() {
            const set = byElement.get(element);
            if (!set?.delete(one)) return;
            if (!set.size) {
                byElement.delete(element);
                observer?.unobserve(element);
            }
            abort?.abort();
            due.delete(one);
            if (!one.scene) return;
            submit({ kind: "disconnect", t: now() }, one);
            byScene.delete(one.scene);
            one.scene = 0;
            pass();
        },
    };
    if (Symbol.dispose) observation[Symbol.dispose] = observation.stop;

    for (const target of [window, ...splitters]) listen(target);
    if (core) one.begin();
    else ready.catch(fail);
    if (!byElement.has(element)) byElement.set(element, new Set());
    byElement.get(element).add(one);
    return observation;
};

export const record = (options = {}) =>
    startLog(options, [...byScene.values()].map((one) => one.first()).filter(([event]) => event.width));
