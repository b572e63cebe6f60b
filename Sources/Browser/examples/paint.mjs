import { drawRows } from "./mandelbrot.mjs";

// Lets the page do what waits: frames, input, messages.
const turn = () => new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = resolve;
    port2.postMessage(0);
});

// A picture of a size, drawn in parts on an OffscreenCanvas: on a page's thread or a worker's. It ends soon after its signal is aborted.
export const paint = async ({ width, height, signal }) => {
    const canvas = new OffscreenCanvas(width, height), context = canvas.getContext("2d");
    for (let row = 0; row < height; row += 16) {
        drawRows(context, width, height, row, Math.min(16, height - row));
        await turn();
        signal.throwIfAborted();
    }
    return canvas.transferToImageBitmap();
};
