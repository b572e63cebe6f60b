// A build of so many milliseconds beside the main thread. It takes messages in between, and ends when one aborts it.
"use strict";
const { port1, port2 } = new MessageChannel();
const turn = () => new Promise((resolve) => {
    port1.onmessage = resolve;
    port2.postMessage(0);
});
onmessage = async ({ data: { ms, width, height, port } }) => {
    let isAborted = false;
    port.onmessage = () => isAborted = true;
    const canvas = new OffscreenCanvas(width, height);
    canvas.getContext("2d").fillRect(0, 0, width, height);
    for (const end = performance.now() + ms; performance.now() < end && !isAborted;) {
        for (const part = performance.now() + 2; performance.now() < part;);
        await turn();
    }
    if (isAborted) return port.postMessage(null);
    const picture = canvas.transferToImageBitmap();
    port.postMessage(picture, [picture]);
};
