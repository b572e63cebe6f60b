// A splitter as pages have them: it gives the width of the first pane to the pointer that holds it.
const splitter = document.getElementById("splitter");
splitter.addEventListener("pointerdown", (event) => splitter.setPointerCapture(event.pointerId));
splitter.addEventListener("pointermove", (event) => {
    if (splitter.hasPointerCapture(event.pointerId)) splitter.previousElementSibling.style.width = `${event.clientX - splitter.offsetWidth / 2}px`;
});
// The page as it is without Settle is without a query; with it, ?settle or ?settle=live.
const policy = { settle: "default", "settle=live": "live" }[location.search.slice(1)];
