import { observe } from "./settle.js";
import { paint } from "./paint.mjs";

const worker = new Worker("worker.mjs", { type: "module" });
// The same picture, by the worker.
const paintThere = ({ width, height, signal }) => new Promise((resolve, reject) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = ({ data }) => data instanceof ImageBitmap ? resolve(data) : reject(data);
    signal.addEventListener("abort", () => port1.postMessage("stop"));
    worker.postMessage({ width, height, port: port2 }, [port2]);
});

const canvas = document.getElementById("canvas"), context = canvas.getContext("bitmaprenderer");
const show = (picture, { width, height }) => {
    canvas.width = width;
    canvas.height = height;
    context.transferFromImageBitmap(picture);
    if (released) document.getElementById("late").value = `${Math.round(performance.now() - released)} ms`;
};
// How soon after letting go the picture is right.
let released;
addEventListener("pointerup", ({ timeStamp }) => released = timeStamp, true);

// Both take { width, height, signal }, and give a promise of a picture.
const draw = location.search === "?worker" ? paintThere : paint;
observe(document.getElementById("view"), {
    onPrepare: draw,
    async onRebuild(size) {
        show(size.prepared ?? await draw(size), size);
    },
});
