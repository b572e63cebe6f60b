// What headless.py asks of the page.
const settle = await import(query.get("module"));
// What is called before the core is there.
const early = wrongOptions();
globalThis.isCore = await settle.ready;
await new Promise((resolve) => $("#frame").contentDocument?.querySelector("#bar") ? resolve() : $("#frame").addEventListener("load", resolve));

const builds = [], events = [];
for (const type of ["pageshow", "visibilitychange"]) addEventListener(type, ({ persisted }) => events.push([type, !!persisted]), true);
let recording, observation;
const log = () => recording.text.trim().split("\n").slice(1).map(JSON.parse);

function wrongOptions() {
    const element = document.createElement("div"), onRebuild = () => {}, found = [];
    const attempt = (option, work) => {
        try {
            work();
            found.push(`${option}: nothing thrown`);
        } catch (error) {
            if (!(error instanceof TypeError) || !error.message.includes(`wrong ${option};`)) found.push(`${option}: ${error}`);
        }
    };
    const observe = (options) => () => settle.observe(element, { onRebuild, ...options });
    attempt("element", () => settle.observe(null, { onRebuild }));
    attempt("element", () => settle.observe("#left", { onRebuild }));
    attempt("onRebuild", () => settle.observe(element));
    attempt("onRebuild", () => settle.observe(element, null));
    attempt("onRebuild", observe({ onRebuild: "draw" }));
    attempt("onPreview", observe({ onPreview: 5 }));
    attempt("onPrepare", observe({ onPrepare: "draw" }));
    for (const policy of [null, 5, true, () => {}, NaN, 0, ""]) {
        attempt("policy", observe({ policy }));
        attempt("policy", observe({ policy, onPreview() {} }));
        attempt("policy", () => {
            const one = settle.observe(element, { onRebuild });
            try {
                one.setPolicy(policy);
            } finally {
                one.stop();
            }
        });
    }
    for (const splitters of [element, null, 5, "#bar", [null], ["#bar"], [element, 1]]) attempt("splitters", observe({ splitters }));
    for (const option of ["sample", "budget", "coarse"])
        for (const value of ["x", "1", NaN, -1, null, {}]) attempt(option, () => settle.record({ [option]: value }).stop());
    // What is right: anything else would also be a page that stops everything.
    for (const options of [{}, { policy: undefined }, { policy: "live" }, { policy: {} }, { splitters: document.querySelectorAll("div") },
        { onPreview: undefined }, { onPreview() {} }, { onPrepare: undefined }, { onPrepare() {} }, { splitters: [window, element] }]) observe(options)().stop();
    settle.record({ sample: 1, budget: Infinity, coarse: 0 }).stop();
    settle.record().stop();
    return found;
}

// In a function of its own, so that none of its variables outlives it.
function observeMany(many, way, problems, references) {
    const outer = many.appendChild(document.createElement(way === "iframe" ? "iframe" : "div"));
    const place = outer.contentDocument?.body ?? outer;
    for (let i = 0; i < 3000 && !problems.length; i++) {
        const element = place.ownerDocument.createElement("div");
        element.style.cssText = "width: 10px; height: 1px";
        if (way !== "later") place.append(element);
        try {
            settle.observe(element, { onRebuild: () => void element.title });
        } catch (error) {
            problems.push(`${references.length}: ${error}`);
        }
        references.push(new WeakRef(element));
        if (way === "later") place.append(element);
        if (way === "unseen") element.remove();
    }
}

globalThis.commands = {
    start({ policy, splitters = [], fails } = {}) {
        recording = settle.record();
        observation = settle.observe($("#left"), {
            name: "left", policy, splitters: splitters.map((name) => name === "frame" ? $("#frame").contentWindow : $(name)),
            onRebuild({ cssWidth }, { reason, generation }) {
                builds.push({ width: cssWidth, reason, generation, at: performance.now() });
                if (builds.length === fails) throw new Error("planned failure");
            },
        });
    },
    builds: () => builds,
    // For each pointer event: whether it was a press.
    presses: () => log().filter(({ kind }) => kind === "pointer").map(({ pressed }) => pressed),
    events: () => events,
    widths: async (...widths) => {
        for (const width of widths) {
            $("#left").style.width = `${width}px`;
            await frame();
        }
        return performance.now();
    },
    style: (fields) => void Object.assign($("#left").style, fields),
    flush: () => observation.flush(),
    stop: () => observation.stop(),
    remove: (selector) => $(selector).remove(),
    dispatch: (type, fields) => void window.dispatchEvent(fields ? new PointerEvent(type, fields) : new Event(type)),
    places: () => Object.fromEntries(["#left", "#bar", "#frame"].map((selector) => {
        const { left, top, width, height } = $(selector).getBoundingClientRect();
        return [selector, [left + width / 2, top + height / 2]];
    })),
    // Elements that go without stop(), 3,000 at a time: "unseen" before a frame, "later" are attached after they are observed, "shown" have
    // had a scene, and "iframe" goes with its document. Whether anything holds them.
    async gone(way, batches) {
        const many = $("#many"), problems = [], references = [];
        for (let i = 0; i < batches && !problems.length; i++) {
            observeMany(many, way, problems, references);
            if (way !== "unseen") await frame(), await frame();
            // One by one: each that is held would hold its siblings.
            for (const place of [...many.children]) place.replaceChildren();
            many.replaceChildren();
        }
        await this.lives(many, problems);
        const held = () => references.filter((reference) => reference.deref()).length;
        for (let i = 0; i < 50 && held(); i++) {
            await sleep(20);
            // Not from here: a collection with this code's stack keeps all that some word on the stack seems to point to, such as
            // a list that the browser has outgrown.
            await gc({ type: "major", execution: "async" });
        }
        return { problems, held: held() };
    },
    // One that is there is built.
    async lives(many, problems) {
        let built = 0;
        const element = many.appendChild(document.createElement("div"));
        element.style.cssText = "width: 20px; height: 2px";
        const one = settle.observe(element, { onRebuild: () => void built++ });
        for (let i = 0; i < 40 && !built; i++) await frame();
        if (built !== 1) problems.push(`an element that is there was built ${built} times`);
        one.stop();
        element.remove();
        await frame();
    },
    // So many that live: the first error, and how many were observed.
    async living(count) {
        const all = [];
        let problem;
        for (let i = 0; i < count && !problem; i++) {
            try {
                all.push(settle.observe($("#many").appendChild(document.createElement("div")), { onRebuild() {} }));
            } catch (error) {
                problem = `${error}`;
            }
        }
        for (const one of all) one.stop();
        return { observed: all.length, problem };
    },
    // Out of the document and back: at the same size, then at another.
    async back() {
        const left = $("#left"), seen = [];
        for (const width of [300, 340]) {
            left.remove();
            await frame();
            await frame();
            left.style.width = `${width}px`;
            document.body.prepend(left);
            await frame();
            await frame();
            await sleep(350);
            seen.push(builds.length);
        }
        left.style.width = "360px";
        await sleep(600);
        return [...seen, builds.length];
    },
    state: () => ({ isCore, errors: errors.splice(0), warnings: warnings.splice(0) }),
    wrongOptions: () => ({ early, late: wrongOptions() }),
    createCore: () => settle.createCore().then(() => "", String),
};
