// Random drags of a page in node: handlers that are slow, deaf, failing; hands that rest, come back and let go; and what must hold of all.
import assert from "node:assert/strict";
import { random } from "../random.mjs";
import { add, errors, hide, now, pass, pointer, sleep } from "./made_page.mjs";

export const counts = { drags: 0, prepared: 0, shown: 0, dropped: 0, failed: 0 };
// `one` gets what is to be ended.
export const drag = async ({ observe, record }, seed, one) => {
    const { below, chance } = random(seed);
    const element = add(400, 300), works = [], expected = [], recording = one.recording = record();
    const policy = chance(0.2) ? { preset: "live", liveLimit: "none" } : chance(0.2) ? { preset: "default", pauseDelay: 30, pauseShare: 100 } : "prepared";
    let running = 0, shown, isBroken = false;
    const failsAt = chance(0.2) ? 0.3 : 0, isDeaf = chance(0.5);
    // Work takes its time, at once or by a promise. It ends early where it listens.
    const work = async (cost, signal) => {
        assert.equal(++running, 1, "two pieces of work at a time");
        await Promise.race([sleep(cost), new Promise((resolve) => isDeaf || signal.addEventListener("abort", resolve))]);
        running--;
        if (chance(failsAt)) {
            counts.failed++;
            throw new Error("planned");
        }
        if (!isDeaf) signal.throwIfAborted();
    };
    // What nobody has shown or dropped.
    const living = () => works.filter((each) => !each.isShown && !each.isFailed && !each.signal.aborted);
    const onPrepare = async ({ width, height, signal }) => {
        assert.equal(living().length, 0, "a second result is held, or one is made twice");
        const one = { width, height, signal, from: now() };
        works.push(one);
        counts.prepared++;
        try {
            await work(below(200), signal);
        } catch (error) {
            one.isFailed = true;
            throw error;
        } finally {
            expected.push(Object.assign(one, { cost: now() - one.from, kept: !signal.aborted }));
        }
        one.isReady = true;
        return one;
    };
    const onRebuild = ({ width, height, prepared }, { signal, generation }) => {
        assert.equal(running, 0, "a build beside other work");
        const [kept] = living(), from = now();
        assert.equal(prepared, kept?.width === width && kept.height === height ? kept : undefined, "what is prepared of a size is not what is shown");
        assert.ok(!kept || prepared, "what is prepared of another size is held while one is built");
        if (prepared) {
            assert.ok(prepared.isReady && prepared.width === width && prepared.height === height && !prepared.signal.aborted && !prepared.isShown);
            assert.equal(prepared.signal, signal);
            prepared.isShown = true;
            counts.shown++;
        }
        const report = () => expected.push({ generation, cost: now() - from + (prepared?.cost ?? 0) });
        const end = () => {
            shown = { width, height };
            report();
        };
        const fail = (error) => {
            isBroken = true;
            report();
            throw error;
        };
        isBroken = false;
        return chance(0.3) ? end() : work(below(prepared ? 20 : 150), signal).then(end, fail);
    };
    const observation = one.observation = observe(element, { name: "one", policy, onPrepare, onRebuild });
    await pass(600 + below(32));
    for (let i = below(3) + 1; i > 0; i--) {
        counts.drags++;
        const isDrag = chance(0.8);
        if (isDrag) pointer("pointerdown");
        const sizes = [400, 400 + below(200), 300 + below(100)];
        for (let changes = below(12) + 1; changes > 0; changes--) {
            const width = sizes[below(3)];
            if (chance(0.05)) element.resize(0);
            else element.resize(width, 300 + 10 * below(2));
            await pass(chance(0.3) ? 20 + below(400) : below(40));
            if (chance(0.03)) observation.setPolicy(policy);
            if (chance(0.03)) observation.flush();
            if (chance(0.05)) hide(chance(0.5));
            assert.ok(living().length <= 1, "two results are held");
        }
        if (!element.width) element.resize(sizes[1], 300);
        hide(false);
        if (isDrag) pointer("pointerup");
        await pass(below(1500));
    }
    await pass(3000);
    assert.equal(running, 0, "work without end");
    assert.equal(living().length, 0, "a result is held though nothing is owed");
    if (!isBroken) assert.deepEqual(shown, { width: element.width, height: element.height }, "the last picture has another size");
    counts.dropped += works.filter((each) => each.isReady && !each.isShown).length;
    // Every cost that is reported is that of its work.
    for (const { kind, generation, cost_ns, kept } of recording.text.trim().split("\n").slice(1).map(JSON.parse)) {
        if (kind !== "finished" && kind !== "previewed") continue;
        const cost = cost_ns / 1e6;
        const found = expected.some((each) => each.cost === cost && (kind === "finished" ? each.generation === generation : each.kept === kept));
        assert.ok(found || kind === "previewed" && cost === 0, `${kind} ${generation} of ${cost} ms, which no work has taken`);
    }
    assert.ok(errors.every(({ message }) => message === "planned"), String(errors));
};
