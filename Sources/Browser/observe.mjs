// Elements of a page: their sizes, the pointers on it, and its visibility go into one core; its decisions call handlers.
// Types and comments for callers: settle.d.ts.
import { createCore } from "./core.mjs";
import { createDebounce } from "./debounce.mjs";
import { demand, policyOf } from "./options.mjs";
import { note, startLog } from "./record.mjs";

const now = () => performance.now();
// An element that nobody else holds is to go, with all that observes it, so what is here does not hold it. Those with a scene are
// held, until their element is out of the document.
const byScene = new Map();
const ofElement = Symbol("settle"); // an element's set of what observes it
const observing = new Set(); // all of them, weakly
const due = new Set(); // those whose handlers are to be called
const presses = new Map(); // numbers of presses by the pointers that are down
let core, observer, isAway, timer, timerAt = Infinity, pressCount = 0, nameCount = 0, isActing = false;
let box = "device-pixel-content-box";

const isSame = (one, other) => one.width === other.width && one.height === other.height;
const attempt = (work) => {
    try {
        return work();
    } catch (error) {
        reportError(error);
    }
};

const use = (made) => {
    made.onDecision = (decision) => {
        byScene.get(decision.scene)?._decided(decision);
        // The watchdog's: what held the interaction open is no press that somebody still makes.
        if (decision.reason === "timeout") queueMicrotask(letGo);
    };
    core = made;
    each((one) => attempt(one._begin));
    return true;
};
export const ready = createCore().then(use, (error) => {
    console.warn("settle only debounces without WebAssembly (script-src 'wasm-unsafe-eval'):", error);
    return !use(createDebounce());
});

const each = (work) => {
    for (const reference of observing) {
        const one = reference.deref();
        if (one) work(one);
        else observing.delete(reference);
    }
};
const letGoneGo = () => each((one) => one._leave());

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
            one._act();
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
    for (const entry of entries) for (const one of entry.target[ofElement]) one._resized(t, entry);
    core.advance(t);
    actWithin();
};
const actWithin = () => {
    // A handler that changes the layout would change sizes within this frame's notifications, which browsers report as an
    // error. So none are asked for until the next frame.
    if (due.size && !document.hidden) {
        isAway = true;
        observer.disconnect();
        requestAnimationFrame(watchAll);
    }
    if (core) act();
};
// The last size of a drag is seen within the next frame. The drag ends behind it, so that this same frame shows what is built then: as of
// an observer that was made later, which is notified of any element at first.
const atNextSizes = (work) => requestAnimationFrame(() => {
    const last = new ResizeObserver(() => {
        last.disconnect();
        work();
        core?.advance(now());
        actWithin();
    });
    last.observe(document.documentElement);
});
const watch = (element) => {
    if (isAway) return;
    if (!observer) {
        observer = new ResizeObserver(resized);
        followRatio();
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
    letGoneGo();
    each((one) => watch(one._element));
};
// Without device pixels, a change of their ratio is no change of the box.
const followRatio = () => matchMedia(`(resolution:${devicePixelRatio}dppx)`).addEventListener("change", () => {
    observer.disconnect();
    watchAll();
    followRatio();
}, { once: true });

// --- Pointers ---

const press = (button, pressed) => submit({ kind: "pointer", t: now(), button, pressed });
// Some releases never come: of a finger that is down while the page is left, or of one in an iframe that is removed. To let go of
// a pointer that is still down costs nothing, since its next move presses it again. A window's blur is no reason: a press within
// an iframe blurs the page.
const letGo = () => {
    for (const number of presses.values()) press(number, false);
    presses.clear();
    pass();
};
const pointer = ({ type, pointerId, buttons, isPrimary, target, propertyName }) => {
    const number = presses.get(pointerId), isMove = type === "pointermove";
    // The end of a transition of the layout is that of its sizes, which no pointer makes: nothing more is waited for.
    if (propertyName) /width|height|size|flex|grid|margin|padding|gap/.test(propertyName) && atNextSizes(() =>
        each((one) => target.parentNode.contains(one._element) && one._flush()));
    else if (pointerId === undefined) letGo();
    else if (isMove ? buttons : type === "pointerdown") {
        if (number || !core) return;
        // The first of its device: no finger can be down.
        if (isPrimary) letGo();
        presses.set(pointerId, ++pressCount);
        press(pressCount, true);
        pass();
    } else if (number) {
        // A move without buttons: some releases are lost, such as a scroll bar's.
        presses.delete(pointerId);
        atNextSizes(() => press(number, false));
    }
};
// These stay: to listen twice is to listen once, and what is pressed while nothing is observed is released as well.
const types = ["pointerdown", "pointerup", "pointercancel", "pointermove", "pagehide", "pageshow", "visibilitychange", "transitionend"];
const listen = (target) => types.forEach((type) => target.addEventListener(type, pointer, true));

// --- Elements ---

export const observe = (element, options) => {
    const { name, splitters = [], onRebuild, onPreview, onPrepare } = options ?? {};
    demand(element?.localName, "element");
    demand(onRebuild?.call, "onRebuild");
    demand(!onPreview || onPreview.call, "onPreview");
    demand(!onPrepare || onPrepare.call, "onPrepare");
    demand(splitters?.[Symbol.iterator] && [...splitters].every((target) => target?.addEventListener), "splitters");
    let policy = policyOf(options.policy), size = {}, built = {}, isHidden, isDragged, hasFeedback;
    // The newest decisions for which nothing has begun, the one piece of work that runs, and what is prepared, of one size.
    let decision, preview, running, kept;

    // Without something to call there are no previews, and a preset that has them keeps its pause.
    const ownPolicy = () => onPrepare ? { pauseDelay: 50, pauseShare: 50, ...policy }
        : !onPreview ? { ...policy, pauseDelay: null }
        : policy.preset === "prepared" ? policy : { pauseDelay: 100, ...policy };
    const sizeOf = ({ width, height }) => isSame(size, { width, height }) ? size
        : { width, height, cssWidth: width / size.ratio, cssHeight: height / size.ratio, ratio: size.ratio };
    // What is built is what was built last, so the size is owed again: rule 13.
    const abandon = () => {
        core.event({ kind: "reallyBuilt", t: now(), scene: one.scene, ...built });
        if (isSame(built, size)) forgo();
    };
    const report = (kind, generation, cost, kept) => submit({ kind, t: now(), generation, cost, kept }, one);
    // Nothing has begun for it. The core announces the size again if that is still owed.
    const forgo = () => {
        if (preview) report("previewed", preview.generation, 0, false);
        preview = undefined;
    };

    // --- Work: a build or a preparation, of which one runs at a time. What is prepared is one with the build that shows it: it has one
    // signal and one cost. Once its signal is aborted, it is never shown.

    // What is prepared of a size, or new work for it: what is prepared of another one is dropped.
    const workFor = (made) => {
        if (kept && !isSame(kept, made)) drop();
        return kept ?? Object.assign(new AbortController(), { ...made, _cost: 0 });
    };
    const drop = () => {
        kept?.abort();
        kept = undefined;
    };
    // Calls a handler, and then `ended` with what it gives: at once, if that is no promise.
    const run = async (work, call, ended) => {
        const start = now(), { signal } = running = work;
        let result, isDone;
        try {
            result = call({ ...sizeOf(work), signal, ...work._gives });
            if (result?.then) result = await result;
            isDone = true;
        } catch (error) {
            if (!signal.aborted || error?.name !== "AbortError") reportError(error);
        }
        running = undefined;
        work._cost += now() - start;
        ended(isDone, result);
        if (one.scene) due.add(one);
        pass();
    };
    const build = ({ generation, reason, ...made }) => {
        const work = workFor(made), { width, height, signal } = work;
        kept = undefined;
        run(work, (size) => onRebuild(size, { signal, reason, generation }), (isDone) => {
            if (isDone) built = { width, height };
            // A newer decision has made this build one of the past.
            if (decision || !one.scene) return;
            report("finished", generation, work._cost);
            if (!isDone) abandon();
        });
    };
    const prepare = ({ generation, scene, ...made }) => {
        const work = workFor(made);
        // A new policy may announce again what is kept.
        if (kept) return report("previewed", generation, 0, true);
        work._isPreparation = true;
        run(work, (size) => {
            if (onPreview) attempt(() => onPreview(size));
            return onPrepare(size);
        }, (isDone, prepared) => {
            const { aborted } = work.signal;
            work._isPreparation = false;
            work._gives = { prepared };
            if (isDone && !aborted) kept = work;
            // What has failed is not tried again before the rebuild.
            if (!decision && scene === one.scene) report("previewed", generation, work._cost, !aborted);
        });
    };
    // Ends what the size, which is known now, has made useless. What is kept stays for as long as something is owed, as the hand may come back.
    const giveUpOthers = () => {
        if (running?._isPreparation && !isSame(running, size)) running.abort();
        if (!isDragged && kept && isSame(built, size)) drop();
        if (preview && !isSame(preview, size)) forgo();
    };

    const one = {
        name: `${name ?? (element.id || element.localName) + "-" + ++nameCount}`,
        _element: element,
        _begin() {
            // There may be no scene left because of elements that are gone.
            if (byScene.size > 4095) letGoneGo();
            one.scene = core.connect(ownPolicy());
            byScene.set(one.scene, one);
            if (built.width) abandon();
            watch(element);
        },
        // Its scene goes where its element, or the iframe of that, is out of the document. It begins again should that be shown again.
        _leave(isStopped) {
            if (!one.scene || !isStopped && element.isConnected && element.ownerDocument.defaultView) return;
            decision = preview = isDragged = undefined;
            drop();
            if (running?._isPreparation) running.abort();
            // A log knows no scene that had no size.
            (size.ratio ? submit : core.event)({ kind: "disconnect", t: now(), scene: one.scene }, one);
            byScene.delete(one.scene);
            one.scene = 0;
        },
        _resized(t, { contentRect: rect, contentBoxSize: [css], devicePixelContentBoxSize: [pixels] = [] }) {
            const ratio = devicePixelRatio, { inlineSize, blockSize } = pixels ?? css, scale = pixels ? 1 : ratio;
            let width = Math.round(inlineSize * scale), height = Math.round(blockSize * scale);
            // Inline and block are the other way round in vertical text. Firefox rounds the two otherwise.
            if (Math.abs(css.inlineSize - rect.width) > 0.1) [width, height] = [height, width];
            const wasHidden = isHidden;
            isHidden = !width || !height;
            if (isHidden) one._leave();
            if (isHidden || (width === size.width && height === size.height && !wasHidden)) return;
            size = { width, height, cssWidth: rect.width, cssHeight: rect.height, ratio };
            if (one.scene === 0) attempt(one._begin);
            if (!one.scene) return;
            submit({ t, width, height }, one);
            if (kept || preview || running?._isPreparation) due.add(one);
            if (wasHidden) one._flush();
        },
        _decided(made) {
            const { kind } = made;
            if (kind === "preview") preview = made;
            else if (kind === "rebuild") {
                [decision, preview] = [made];
                if (made.feedback && !hasFeedback) console.warn("settle: onRebuild resizes its element for ever; size it by CSS:", element);
                hasFeedback = made.feedback;
            }
            else isDragged = kind === "interactionBegan";
            due.add(one);
        },
        _act() {
            if (onPrepare && !decision) giveUpOthers();
            if (decision && running) {
                // What is prepared of its size is waited for.
                if (!running._isPreparation || !isSame(running, decision)) running.abort();
            } else if (decision) {
                const newest = decision;
                decision = undefined;
                if (isHidden) abandon();
                else build(newest);
            } else if (preview && !running && !isHidden) {
                const newest = preview;
                preview = undefined;
                if (onPrepare) prepare(newest);
                else attempt(() => onPreview(sizeOf(newest)));
            }
            if (!onPrepare) preview = undefined;
        },
        _flush: () => one.scene && size.ratio && submit({ kind: "flush", t: now() }, one),
        _first: (log) => size.width && log._write({ t: now(), width: size.width, height: size.height }, one.name),
    };

    const reference = new WeakRef(one), observation = {
        name: one.name,
        resizing(resizing) {
            const say = () => {
                if (one.scene) submit({ t: now(), resizing }, one);
            };
            if (!resizing) return atNextSizes(say);
            say();
            pass();
        },
        flush() {
            one._flush();
            pass();
        },
        setPolicy(newPolicy) {
            policy = policyOf(newPolicy);
            if (one.scene) core.setPolicy(one.scene, ownPolicy());
            pass();
        },
        stop() {
            const set = element[ofElement];
            if (!observing.delete(reference)) return;
            set.delete(one);
            if (!set.size) observer?.unobserve(element);
            running?.abort();
            due.delete(one);
            one._leave(true);
            pass();
        },
    };
    if (Symbol.dispose) observation[Symbol.dispose] = observation.stop;

    [window, ...splitters].forEach(listen);
    if (core) one._begin();
    (element[ofElement] ??= new Set()).add(one);
    observing.add(reference);
    return observation;
};

export const record = (options = {}) => startLog(options, byScene.values());
