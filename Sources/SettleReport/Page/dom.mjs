// Elements and canvases. Text only ever becomes text: nothing here parses markup.

export const byId = (id) => document.getElementById(id);

/** An element. `properties` are set as attributes, functions as listeners; `text` is its text. */
export function element(tag, properties = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (typeof value === "function") made.addEventListener(name, value);
    else if (name === "text") made.textContent = value;
    else if (value === true) made.setAttribute(name, "");
    else if (value !== false && value !== undefined && value !== null) made.setAttribute(name, value);
  }
  made.append(...children.filter((child) => child !== null));
  return made;
}

/** A list of terms and their values, without those whose value is null. */
export function terms(pairs) {
  return pairs.filter(([, value]) => value !== null && value !== undefined && value !== "")
    .map(([term, value]) => element("div", {}, element("dt", { text: term }), element("dd", { text: value })));
}

/** Options of a command line, which break between one another only. */
export const optionsOf = (text) => text.split(/ (?=--)/).flatMap((option, i) => [i > 0 ? " " : "", element("span", { class: "option", text: option })]);

/** Shows a sentence above everything else. */
export function message(words, isNote = false) {
  byId("messages").append(element("p", { class: isNote ? "message note" : "message", text: words }));
}

/** Copies an element's text; selects it where that is not allowed, and returns false. */
export async function copied(from) {
  try {
    await navigator.clipboard.writeText(from.textContent);
    return true;
  } catch {
    getSelection().selectAllChildren(from);
    return false;
  }
}

let palette = null;

/** The colours of the style sheet, for canvases. */
export function colors() {
  if (palette) return palette;
  const style = getComputedStyle(document.documentElement);
  const names = ["ground", "card", "ink", "muted", "line", "settle", "live", "debounce", "naive", "preview", "band", "band-edge",
    "buttons", "lock", "width", "height", "front", "knee", "dot"];
  palette = Object.fromEntries(names.map((name) => [name, style.getPropertyValue(`--${name}`).trim()]));
  return palette;
}

/** Forgets the colours, after the scheme changed. */
export function forgetColors() {
  palette = null;
}

// In print a canvas has this width in CSS pixels, and as many device pixels for each.
export const printWidth = 760;
const printScale = 3;

/** A canvas's context, sized to its box in device pixels and cleared. Its unit is a CSS pixel. */
export function context(canvas, height, forPrint = false) {
  const width = forPrint ? printWidth : canvas.clientWidth;
  const scale = forPrint ? printScale : Math.min(window.devicePixelRatio || 1, 4);
  const [across, down] = [Math.max(1, Math.round(width * scale)), Math.max(1, Math.round(height * scale))];
  if (canvas.width !== across || canvas.height !== down) {
    canvas.width = across;
    canvas.height = down;
  }
  const drawing = canvas.getContext("2d");
  drawing.setTransform(scale, 0, 0, scale, 0, 0);
  drawing.clearRect(0, 0, width, height);
  drawing.font = '11px system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "DejaVu Sans", sans-serif';
  drawing.textBaseline = "middle";
  return { drawing, width, scale };
}

/** Runs a function once before the next frame, however often it is asked for. */
export function oncePerFrame(run) {
  let isAsked = false;
  return () => {
    if (isAsked) return;
    isAsked = true;
    requestAnimationFrame(() => {
      isAsked = false;
      run();
    });
  };
}
