import { useSettle } from "settle-browser/react";
import type { SettleBox } from "settle-browser/box";
import { observe as lazily } from "settle-browser/lazy";
import { createCore, observe, ready, record, type Policy } from "settle-browser";
const policy: Policy = { preset: "live", quietDelay: 150, jumpDelay: null, liveShare: "40%" };
const canvas = document.createElement("canvas");
const one = observe(canvas, { policy, splitters: [window], async onRebuild({ width, height }, { signal, reason }) {
    if (signal.aborted || reason === "live") return;
    canvas.width = width; canvas.height = height;
}, onPreview(size) { size.cssWidth.toFixed(); } });
observe(canvas, { policy: "prepared", async onPrepare({ width, height, signal }) {
    const response = await fetch(`/chart?width=${width}&height=${height}`, { signal });
    return createImageBitmap(await response.blob());
}, onRebuild({ prepared, width }, { reason }) { if (prepared) prepared.close(); else reason.at(width); } });
observe(canvas, { onPrepare: ({ cssWidth }) => cssWidth, onRebuild: ({ prepared }) => prepared?.toFixed() });
one.resizing(true); one.flush(); one.setPolicy("uikit"); one.stop(); one[Symbol.dispose]();
ready.then((isCore: boolean) => isCore && record({ sample: 0.1, budget: 65536, coarse: 8 }).stop().length);
createCore().then((core) => { const s = core.connect(); core.onDecision = (d) => { if (d.kind === "rebuild") d.width; };
  core.event({ t: 0, scene: s, width: 1, height: 2 }); core.event({ kind: "pointer", t: 1, button: 1, pressed: true }); core.advance(core.nextWake); });
lazily(canvas, { onRebuild() {} }).flush();
const { ref, flush, resizing } = useSettle({ policy: "live", onRebuild({ cssWidth }) { cssWidth.toFixed(); } });
ref(canvas); ref(null); flush(); resizing(true);
const box: SettleBox = document.createElement("settle-box");
box.policy = { quietDelay: 9 };
box.addEventListener("rebuild", ({ size, prepared, reason, waitUntil }) => { reason?.at(size.width); if (prepared) waitUntil(Promise.resolve()); });
box.addEventListener("click", (event) => event.preventDefault());
// @ts-expect-error no onRebuild
useSettle({ policy: "live" });
// @ts-expect-error no such preset
observe(canvas, { policy: "fast", onRebuild() {} });
// @ts-expect-error no such field
observe(canvas, { policy: { quietDealy: 1 }, onRebuild() {} });
// @ts-expect-error no onRebuild
observe(canvas, {});
// @ts-expect-error what is prepared may be missing
observe(canvas, { onPrepare: () => "text", onRebuild({ prepared }) { prepared.length; } });
// @ts-expect-error nothing is prepared
observe(canvas, { onRebuild({ prepared }) { prepared.length; } });
// @ts-expect-error another type than what is prepared
observe(canvas, { onPrepare: () => "text", onRebuild({ prepared }) { prepared?.toFixed(); } });
// @ts-expect-error no array
observe(canvas, { splitters: canvas, onRebuild() {} });
