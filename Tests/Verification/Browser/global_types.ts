/// <reference types="settle-browser/global" />
const observed = Settle.observe(document.createElement("canvas"), { policy: "live", onRebuild({ width }) { width.toFixed(); } });
globalThis.Settle.record({ sample: 0.1 }).stop().length; observed.stop();
// @ts-expect-error no such function
Settle.watch(document.body);
