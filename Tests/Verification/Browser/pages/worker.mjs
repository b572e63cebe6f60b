// The bare core in a worker: a size change under a held button, its release, and what that decides.
import { createCore } from "/module/settle.js";
try {
    const core = await createCore(), decisions = [];
    core.onDecision = ({ kind, reason, width }) => decisions.push([kind, reason ?? "", width]);
    const scene = core.connect();
    core.event({ t: 0, scene, width: 400, height: 300 });
    core.event({ kind: "pointer", t: 10, button: 1, pressed: true });
    core.event({ t: 20, scene, width: 500, height: 300 });
    core.event({ kind: "pointer", t: 30, button: 1, pressed: false });
    while (core.nextWake < Infinity) core.advance(core.nextWake);
    postMessage(decisions);
} catch (error) {
    postMessage(String(error));
}
