// A page whose build changes its own element's size, on a clock that is made: it is warned of once, under each policy, and no page
// whose sizes come by themselves is. Prints what is wrong.
//
// usage: node feedback.mjs MODULE
import assert from "node:assert/strict";
import { pathToFileURL } from "node:url";
import { add, now, pass, sleep } from "./made_page.mjs";

const { observe, ready } = await import(pathToFileURL(process.argv[2]));
await ready;

let warnings = [];
console.warn = (...words) => warnings.push(words);

// How often it builds in so many seconds, and what is warned of. `resize` is called within each build.
const page = async (policy, seconds, cost, resize, meanwhile) => {
    const element = add(400, 300), begun = now();
    let builds = 0;
    warnings = [];
    const observation = observe(element, { policy, onRebuild: async ({ width }) => {
        builds++;
        await sleep(cost);
        resize?.(element, width);
    } });
    while (now() - begun < seconds * 1000) {
        meanwhile?.(element, now() - begun);
        await pass(16);
    }
    observation.stop();
    await pass(2000);
    return { builds, warnings };
};
const grows = (element, width) => element.resize(width + 4);

for (const policy of ["default", "prepared", "live"]) {
    for (const cost of [1, 5, 40]) {
        const found = await page(policy, 15, cost, grows);
        assert.ok(found.builds > 50, `${policy}, ${cost} ms: ${found.builds} builds`);
        assert.equal(found.warnings.length, 1, `${policy}, ${cost} ms`);
        assert.equal(found.warnings[0][1].width > 400, true, "the element is named");
        // A size that comes four seconds in a row with each frame, and then rests, as by a hand at the window's edge.
        const dragged = await page(policy, 15, cost, undefined, (element, time) => time % 5000 < 4000 && element.resize(400 + time / 16));
        assert.ok(dragged.builds > 2, `${policy}, ${cost} ms: ${dragged.builds} builds of a drag`);
        assert.deepEqual(dragged.warnings, [], `${policy}, ${cost} ms: a drag is warned of`);
    }
}
// An element of fixed proportions: one more build, and no end to be sought.
const once = await page("default", 15, 5, (element, width) => element.resize(width - width % 16, 304));
assert.deepEqual([once.builds, once.warnings], [2, []]);
console.log("9 pages that resize themselves, and as many that are dragged");
