// Random pages in node, and random calls of the core: all that is said in them. The page's elements are observed by the module itself, by the
// hook for React and as <settle-box>.
import { random } from "../random.mjs";
import { add, errors, hide, now, pass, sleep } from "./made_page.mjs";

const POLICIES = [
    "default", "prepared", "live", "uikit", undefined, {}, { preset: "live", liveLimit: "none" }, { preset: "live", liveShare: 100, liveInterval: 40 },
    { pauseDelay: 30, pauseShare: 100 }, { preset: "prepared", pauseShare: "none" }, { quietDelay: 60, jumpDelay: null }, { quietDelay: "0.3s", maximumWait: 500 },
    { interactionTimeout: "900ms", releasedEndDelay: 90 }, { firstDelay: 120, discreteDelay: 0 }, { preset: "uikit", lockDelay: Infinity, calmDelay: "none" },
    { quietDelay: undefined, pauseDelay: 40 }, { preset: undefined, jumpDelay: undefined, liveShare: 50 },
    { preset: "none" }, { liveShare: 101 }, { quiet: 1 }, { quietDelay: -1 }, 7, null,
];
const LENGTHS = [400, 410, 450, 600, 300, 300.4, 0];
const TYPES = ["pointerdown", "pointerdown", "pointerup", "pointerup", "pointermove", "pointercancel", "pagehide", "pageshow", "visibilitychange"];

const plain = (_, value) => value instanceof AbortSignal ? `signal${value.aborted ? " aborted" : ""}` : value === Infinity ? "Infinity" : value;
const attempt = (say, what, call) => {
    let result;
    try {
        result = call();
    } catch (error) {
        result = `${error.name}: ${error.message}`;
    }
    say(`${what} ${JSON.stringify(result, plain)}`);
    return result;
};

/** What a core decides of random calls, those among them that it refuses. */
export const core = async ({ createCore }, seed) => {
    const said = [], say = (text) => void said.push(text), { below, chance, one, draw } = random(seed), core = await createCore();
    const scenes = [0];
    let t = 0;
    let last;
    core.onDecision = (decision) => {
        last = decision;
        say(JSON.stringify(decision));
    };
    // Builds that change their own size, each of which asks for the next: after 5 s they are marked.
    const grow = (scene) => {
        for (let width = 500; width < 600; width += 4) {
            core.event({ t: t += 10, scene, width, height: 300 });
            last = undefined;
            for (let count = 0, end = t + 400; last?.kind !== "rebuild" && core.nextWake < end && count < 100; count++) {
                core.advance(t = core.nextWake);
                if (last?.kind === "preview") core.event({ kind: "previewed", t: t += 3, scene, generation: last.generation, cost: 3 });
            }
            if (last) core.event({ kind: "finished", t: t += 5, scene, generation: last.generation, cost: 8 });
        }
    };
    for (let count = 20 + below(60); count > 0; count--) {
        t += one([0, 1, 7, 16, 16, 16, 50, 200, 600, 0.25]);
        const scene = one(scenes), act = below(20), own = chance(0.04) ? scene + 1 : scene;
        if (act < 3 || scenes.length < 2) {
            const made = attempt(say, "connect", () => core.connect(one(POLICIES)));
            if (made > 0) scenes.push(made);
        } else if (chance(0.01)) grow(scene);
        else if (act < 4) attempt(say, "setPolicy", () => core.setPolicy(own, one(POLICIES)));
        else if (act < 5) core.advance(t);
        else {
            const event = act < 14 ? { ...chance(0.5) && { kind: "geometry" }, scene: own, ...chance(0.8) && { width: one(LENGTHS), height: one(LENGTHS) },
                ...chance(0.3) && { resizing: chance(0.6) }, ...chance(0.2) && { locked: chance(0.5) }, ...chance(0.1) && { orientation: "portrait" } }
                : act < 16 ? { kind: "pointer", button: below(3), pressed: chance(0.5) }
                : act < 17 ? { kind: one(["connect", "disconnect", "flush", "cancel", "flush", "nothing"]), scene: own }
                : act < 18 ? { kind: "reallyBuilt", scene: own, ...chance(0.8) && { width: one(LENGTHS), height: one(LENGTHS) } }
                : { kind: chance(0.6) ? "finished" : "previewed", scene: own, generation: below(8), cost: one([0, 1, 5.5, 40, 300, 5e6]), ...chance(0.3) && { kept: chance(0.5) } };
            attempt(say, JSON.stringify(event), () => core.event({ ...event, t: t - (chance(0.03) ? draw() * 20 : 0) }));
        }
        say(`${t} next ${core.nextWake}`);
    }
    // A deadline that is not met when it is due would be asked for for ever.
    for (let count = 0; core.nextWake < 1e9 && count < 1000; count++) core.advance(core.nextWake);
    return said;
};

// --- A page ---

/** What the hook needs of React: states that stay, and effects that come after the element's `ref`. */
const renders = (react, hook) => {
    const states = [];
    return (options, element) => {
        let count = 0;
        const effects = [];
        react.useState = (make) => (states[count] ??= [make(), () => {}], states[count++]);
        react.useEffect = (effect) => void effects.push(effect);
        const given = hook(options);
        if (element !== undefined) given.ref(element);
        for (const effect of effects) effect();
        return given;
    };
};

/** What happens on a page, with times from its beginning. */
export const page = async ({ observe, record, useSettle, SettleBox, react }, seed) => {
    const said = [], zero = now(), say = (text) => void said.push(`${Math.round((now() - zero) * 1e3) / 1e3} ${text}`);
    const { below, chance, one } = random(seed), { warn } = console, { random: unseeded } = Math;
    console.warn = (text) => say(`warning ${text}`);
    Math.random = () => 0.25;
    const parents = [0, 1].map((number) => ({ number, children: [], contains: (other) => parents[number].children.includes(other) }));
    const boxes = [], recordings = [];

    /** Handlers that take their time, fail, listen to signals or do not, and call what is observed. */
    const handlers = (name, own) => {
        const cost = one([undefined, 0, 3, 20, 90, 400]), fails = one([0, 0, 0, 0.3]), isDeaf = chance(0.5), calls = chance(0.1), grows = chance(0.05);
        const work = (kind) => (size, build) => {
            say(`${name} ${kind} ${JSON.stringify(size, plain)} ${JSON.stringify(build, plain)}`);
            const { signal = new AbortController().signal } = size, failed = chance(fails);
            signal.addEventListener("abort", () => say(`${name} ${kind} ${size.width} aborted`));
            if (calls && kind === "rebuild") one([() => own.given?.flush(), () => own.given?.setPolicy?.("default"), () => own.given?.resizing(false)])();
            if (grows && kind === "rebuild") own.element.resize(size.width + 4, size.height);
            if (cost === undefined) {
                if (failed) throw new Error(`${name} fails`);
                return `${kind} ${size.width}`;
            }
            return Promise.race([sleep(cost), new Promise((resolve) => isDeaf || signal.addEventListener("abort", resolve))]).then(() => {
                say(`${name} ${kind} ${size.width} ends`);
                if (!isDeaf) signal.throwIfAborted();
                if (failed) throw new Error(`${name} fails later`);
                return `${kind} ${size.width} later`;
            });
        };
        const onPreview = (size) => say(`${name} preview ${JSON.stringify(size, plain)}`);
        return { onRebuild: work("rebuild"), ...chance(0.4) && { onPrepare: work("prepare") }, ...chance(0.3) && { onPreview } };
    };
    const ways = [
        // The module.
        (own, options) => {
            own.element = add(400, 300);
            own.begin = () => attempt(say, "observe", () => void (own.given = observe(own.element, options)));
            own.end = () => own.given?.stop();
            own.policy = (policy) => own.given?.setPolicy(policy);
        },
        // The hook: each render has handlers of its own, which say which one they are of.
        (own, options) => {
            const render = renders(react, useSettle);
            let count = 0;
            own.element = add(400, 300);
            const again = (element) => {
                const { onRebuild, policy, ...rest } = options, number = ++count;
                // As components do, each render writes its policy anew.
                own.given = render({ ...rest, policy: Object(policy) === policy ? { ...policy } : policy, onRebuild: (...given) => (say(`of render ${number}`), onRebuild(...given)) }, element);
            };
            own.begin = () => attempt(say, "render", () => again(own.element));
            own.end = () => attempt(say, "render", () => again(null));
            own.policy = (policy) => {
                if (chance(0.5)) options.policy = policy;
                again();
            };
        },
        // The element.
        (own, { onRebuild, onPreview, onPrepare, name, policy }) => {
            const box = own.given = own.element = Object.assign(new SettleBox(), add(400, 300), { localName: "settle-box", isConnected: false });
            const call = (handler) => (event) => {
                const { type, reason, generation } = event, { prepared, signal } = event;
                say(`${name} ${type} ${prepared} ${JSON.stringify({ signal }, plain)}`);
                // A listener that throws is reported by the browser.
                try {
                    const result = handler(event.size, { signal, reason, generation });
                    if (result?.then || chance(0.5)) event.waitUntil(result);
                } catch (error) {
                    errors.push(error);
                }
            };
            box.addEventListener("rebuild", call(onRebuild));
            if (onPreview) box.addEventListener("preview", call(onPreview));
            if (onPrepare) box.addEventListener("prepare", call(onPrepare));
            if (onPrepare) box.setAttribute("prepares", "");
            box.setAttribute("name", name);
            if (policy !== undefined) box.policy = policy;
            own.begin = () => attempt(say, "in the document", () => {
                box.isConnected = true;
                box.connectedCallback();
            });
            own.end = () => void (box.isConnected = false);
            own.policy = (policy) => void (box.policy = policy);
        },
    ];
    for (let count = 1 + below(3); count > 0; count--) {
        const own = {}, name = `box${boxes.length}`;
        one(ways)(own, { name, policy: one(POLICIES.slice(0, 18)), ...chance(0.1) && { splitters: [new EventTarget()] }, ...handlers(name, own) });
        own.element.parentNode = one(parents);
        own.element.parentNode.children.push(own.element);
        boxes.push(own);
        own.begin();
    }
    for (let count = 15 + below(50); count > 0; count--) {
        const own = one(boxes), act = below(40);
        if (act < 16) own.element.resize(one(LENGTHS.slice(0, 5)), chance(0.7) ? own.element.height : one(LENGTHS.slice(0, 5)));
        else if (act < 26) {
            const type = one(TYPES);
            say(type);
            window.dispatchEvent(Object.assign(new Event(type), type.startsWith("pointer") && {
                pointerId: below(3), isPrimary: chance(0.4), buttons: type === "pointerdown" ? 1 : type === "pointermove" ? below(2) : 0 }));
        } else if (act < 27) own.element.resize(0, 300);
        else if (act < 28) hide(!document.hidden);
        else if (act < 29) attempt(say, "policy", () => own.policy(one(POLICIES)));
        else if (act < 30) {
            const event = Object.assign(new Event("transitionend"), { propertyName: one(["width", "grid-template-rows", "color", "flex-grow"]) });
            Object.defineProperty(event, "target", { value: { parentNode: one(parents) } });
            window.dispatchEvent(event);
        } else if (act < 32) attempt(say, "resizing", () => own.given?.resizing(chance(0.5)));
        else if (act < 33) attempt(say, "flush", () => own.given?.flush());
        else if (act < 34) own.element.isConnected = !own.element.isConnected;
        else if (act < 35) own.end();
        else if (act < 36) own.begin();
        else if (act < 37) {
            const options = { name: one(["page", "Seite ü"]), ...chance(0.3) && { budget: below(2000) }, ...chance(0.2) && { coarse: one([0, 5, 16.5]) }, ...chance(0.1) && { sample: one([0.2, 0.25, 0.3]) } };
            const recording = attempt(() => {}, "", () => record(options));
            if (recordings.length < 3) recordings.push(recording);
            else recording.stop();
        } else if (act < 38 && recordings.length > 0) say(`stop ${one(recordings).stop()}`);
        await pass(one([0, 4, 16, 16, 16, 33, 80, 250, 700]));
        for (const error of errors.splice(0)) say(`error ${error}`);
    }
    hide(false);
    await pass(2000);
    for (const { element } of boxes) say(`${element.width}x${element.height}`);
    for (const { isRecording, text } of recordings) say(`${isRecording} ${text}`);
    for (const recording of recordings) recording.stop();
    // So that the next page finds nothing of this one.
    for (const { element, end } of boxes) end(), (element.isConnected = false);
    window.dispatchEvent(new Event("pagehide"));
    await pass(12_000);
    for (const error of errors.splice(0)) say(`error ${error}`);
    await pass((16 - now() % 16) % 16);
    Object.assign(console, { warn });
    Math.random = unseeded;
    return said.map((text) => text.replaceAll(/"(t_ns|t)":\d+/g, (whole, key) => `"${key}":${Math.round(whole.split(":")[1] - zero * 1e6)}`));
};
