// What is prepared in a page, beside the cases of preparations, and then random drags, on a clock that is made. Prints what is wrong.
//
// usage: node preparations.mjs MODULE [DRAGS]
import assert from "node:assert/strict";
import { pathToFileURL } from "node:url";
import { add, errors, hide, now, pass, pointer, sleep } from "./made_page.mjs";
import { counts, drag } from "./random_drags.mjs";

const [module, drags = 2000] = process.argv.slice(2);
const settle = await import(pathToFileURL(module)), { observe, record } = settle;
await settle.ready;

// An element whose handlers take so many ms, and what they were called with. `prepare` and `build` change what they do.
const start = async ({ cost = 100, show = 0, width = 400, prepare, build, ...options } = {}) => {
    const one = { element: add(width, 300), said: [], works: [], errors, recording: record() };
    const say = (text) => one.said.push(`${now() - one.zero}: ${text}`);
    Object.assign(one, options.without ? {} : {
        onPrepare: async ({ width, height, signal }) => {
            const work = { width, height, signal };
            one.works.push(work);
            say(`prepare ${width}`);
            signal.addEventListener("abort", () => say(`abort ${width}`));
            await (prepare ? prepare(work) : sleep(cost));
            say(`prepared ${width}`);
            return work;
        },
    });
    one.observation = observe(one.element, {
        name: "one", policy: "prepared", onPrepare: one.onPrepare,
        onRebuild: async ({ width, prepared }, { signal }) => {
            say(prepared ? `show ${width}` : `build ${width}`);
            if (prepared) assert.equal(prepared.width, width);
            await (build ? build({ width, prepared, signal }) : sleep(prepared ? show : cost));
            if (show || !prepared) say(`shown ${width}`);
        },
        ...options,
    });
    one.events = () => one.recording.text.trim().split("\n").slice(1).map(JSON.parse);
    one.zero = now();
    await pass(1008 - now() % 16);
    one.said.length = 0;
    one.zero = now();
    return one;
};
const end = async (one) => {
    one.observation.stop();
    one.recording.stop();
    errors.length = 0;
    await pass(20_000);
};
const press = () => pointer("pointerdown"), release = () => pointer("pointerup");
const saysTo = (one, ...expected) => assert.deepEqual(one.said, expected);
const reports = (one) => one.events().filter(({ kind }) => kind === "previewed" || kind === "finished").slice(1)
    .map(({ kind, cost_ns, kept }) => [kind, cost_ns / 1e6, ...(kept === undefined ? [] : [kept])]);

const cases = {
    async "a handler that listens to its signal ends at once"() {
        const one = await start({
            prepare: ({ signal }) => Promise.race([sleep(100), new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)))]),
        });
        press();
        one.element.resize(500);
        await pass(100);
        one.element.resize(600);
        await pass(400);
        release();
        await pass(1000);
        saysTo(one, "66: prepare 500", "112: abort 500", "162: prepare 600", "262: prepared 600", "512: show 600");
        assert.deepEqual(reports(one), [["previewed", 46, false], ["previewed", 100, true], ["finished", 100]]);
        assert.deepEqual(errors, []);
        return one;
    },
    async "dropped by stop(), kept or running"() {
        for (const [wait, ...said] of [[300, "66: prepare 500", "166: prepared 500", "300: abort 500"],
            [100, "66: prepare 500", "100: abort 500", "166: prepared 500"]]) {
            const one = await start();
            press();
            one.element.resize(500);
            await pass(wait);
            one.observation.stop();
            release();
            await pass(1000);
            saysTo(one, ...said);
            await end(one);
        }
        return start();
    },
    async "dropped where the element leaves the document, kept or running"() {
        for (const [wait, ...said] of [[200, "66: prepare 500", "166: prepared 500", "208: abort 500"],
            [100, "66: prepare 500", "112: abort 500", "166: prepared 500"]]) {
            const one = await start();
            press();
            one.element.resize(500);
            await pass(wait);
            one.element.isConnected = false;
            one.element.resize(0);
            await pass(1000);
            saysTo(one, ...said);
            release();
            await end(one);
        }
        return start();
    },
    async "what ran for an element that comes back ends without what is announced then"() {
        const one = await start({ cost: 400 });
        press();
        one.element.resize(500);
        await pass(100);
        one.element.isConnected = false;
        one.element.resize(0);
        await pass(50);
        one.element.isConnected = true;
        one.element.resize(500);
        await pass(1000);
        release();
        await pass(1000);
        saysTo(one, "66: prepare 500", "112: abort 500", "466: prepared 500", "466: prepare 500", "866: prepared 500", "1152: show 500");
        assert.deepEqual(reports(one), [["previewed", 400, true], ["finished", 400]]);
        return one;
    },
    async "a policy without a pause has that of `prepared`"() {
        const one = await start({ policy: { releasedEndDelay: 30 } });
        press();
        one.element.resize(500);
        await pass(100);
        one.element.resize(600);
        await pass(300);
        release();
        await pass(1000);
        saysTo(one, "66: prepare 500", "112: abort 500", "166: prepared 500", "266: prepare 600", "366: prepared 600", "416: show 600");
        return one;
    },
    async "one that fails is reported once, and built at the rebuild"() {
        for (const wait of [300, 90]) {
            const one = await start({ prepare: () => sleep(50).then(() => Promise.reject(new Error("planned"))) });
            press();
            one.element.resize(500);
            await pass(wait);
            release();
            await pass(1000);
            const built = wait === 300 ? 304 : 116;
            saysTo(one, "66: prepare 500", `${built}: build 500`, `${built + 100}: shown 500`);
            assert.deepEqual(errors.map(String), ["Error: planned"]);
            await end(one);
        }
        return start();
    },
    async "one that throws, and one that gives no promise"() {
        const values = [() => { throw new Error("planned"); }, () => 7, () => null], seen = [];
        for (const onPrepare of values) {
            const one = await start({ onPrepare, onRebuild: (size) => void seen.push("prepared" in size ? size.prepared : "none") });
            press();
            one.element.resize(500);
            await pass(300);
            release();
            await pass(1000);
            await end(one);
        }
        assert.deepEqual(seen, ["none", "none", "none", 7, "none", null]);
        return start();
    },
    async "a build that fails with what is prepared is built anew"() {
        const one = await start({ build: ({ prepared }) => prepared ? Promise.reject(new Error("planned")) : sleep(100) });
        press();
        one.element.resize(500);
        await pass(300);
        release();
        await pass(200);
        one.observation.flush();
        await pass(1000);
        saysTo(one, "66: prepare 500", "166: prepared 500", "304: show 500", "500: build 500", "600: shown 500");
        return one;
    },
    async "what is hidden is prepared when it is shown again"() {
        const one = await start();
        press();
        one.element.resize(500);
        await pass(40);
        one.element.resize(0);
        await pass(300);
        saysTo(one);
        one.element.resize(500);
        await pass(400);
        release();
        await pass(1000);
        saysTo(one, "352: prepare 500", "452: prepared 500", "752: show 500");
        return one;
    },
    async "a new policy does not make what is kept again"() {
        const one = await start();
        press();
        one.element.resize(500);
        await pass(200);
        one.observation.setPolicy({ preset: "prepared", discreteDelay: 60 });
        one.element.resize(510);
        await pass(20);
        one.element.resize(500);
        await pass(300);
        release();
        await pass(1000);
        saysTo(one, "66: prepare 500", "166: prepared 500", "528: show 500");
        assert.deepEqual(reports(one), [["previewed", 100, true], ["previewed", 0, true], ["finished", 100]]);
        return one;
    },
    async "live builds take what is prepared"() {
        const one = await start({ policy: { preset: "live", liveShare: 50 } });
        press();
        for (let i = 1; i <= 20; i++) {
            one.element.resize(400 + 10 * i);
            await pass(16);
        }
        await pass(400);
        release();
        await pass(1000);
        assert.equal(one.said.at(-1).split(" ")[2], "600");
        assert.deepEqual(errors, []);
        return one;
    },
    async "without onPrepare nothing is prepared or reported"() {
        const one = await start({ without: true });
        press();
        one.element.resize(500);
        await pass(300);
        release();
        await pass(1000);
        saysTo(one, "320: build 500", "420: shown 500");
        assert.deepEqual(reports(one), [["finished", 100]]);
        return one;
    },
};

let failed = 0;
for (const [name, test] of Object.entries(cases)) {
    try {
        await end(await test());
    } catch (error) {
        failed++;
        console.log(`${name}: ${error.message}`);
        release();
        await pass(20_000);
        errors.length = 0;
    }
}
for (let seed = 1; seed <= drags && failed < 5; seed++) {
    const one = {};
    try {
        await drag(settle, seed, one);
    } catch (error) {
        failed++;
        console.log(`random ${seed}: ${error.stack}`);
    }
    hide(false);
    release();
    await end(one);
}
console.log(`${Object.keys(cases).length} cases; ${Object.entries(counts).map(([name, count]) => `${name} ${count}`).join(", ")}`);
process.exitCode = failed ? 1 : 0;
