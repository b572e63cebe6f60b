// Two canvases of one color. One is sized and drawn by Settle's handler; the other is sized in a ResizeObserver, and drawn in a
// later task, so that frames in between show none of it.
const { observe } = await import(query.get("module"));
const fill = (canvas) => {
    const context = canvas.getContext("2d");
    context.fillStyle = "rgb(0 128 64)";
    context.fillRect(0, 0, canvas.width, canvas.height);
};
const [first, second] = document.querySelectorAll("canvas");
let builds = 0;
observe(first.parentElement, {
    policy: "live",
    onRebuild({ width, height, cssWidth, cssHeight }) {
        Object.assign(first, { width, height });
        Object.assign(first.style, { width: `${cssWidth}px`, height: `${cssHeight}px` });
        fill(first);
        builds++;
    },
});
new ResizeObserver(([{ contentRect }]) => {
    Object.assign(second, { width: contentRect.width, height: contentRect.height });
    setTimeout(() => fill(second), 5);
}).observe(second.parentElement);
commands.builds = () => builds;
commands.isReady = () => builds > 0;
