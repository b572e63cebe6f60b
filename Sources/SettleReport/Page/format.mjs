// Numbers, times and names as text.

const groups = new Intl.NumberFormat("en-US", { maximumFractionDigits: 0 });

/** A whole number with a comma at every third digit. */
export function count(number) {
  return groups.format(number);
}

/** A noun with its number: `1 rebuild`, `2 rebuilds`. */
export function plural(number, noun, nouns = `${noun}s`) {
  return `${count(number)} ${number === 1 ? noun : nouns}`;
}

function trimmed(value, digits) {
  return String(Number(value.toFixed(digits)));
}

/** A time after the log's start, with the digits that times `step` ns apart need. */
export function clock(ns, step = 1e6) {
  const digits = Math.max(0, Math.min(9, 9 - Math.floor(Math.log10(Math.max(step, 1)))));
  const sign = ns < 0 ? "−" : "";
  const seconds = Number((Math.abs(ns) / 1e9).toFixed(digits));
  if (seconds < 60) return `${sign}${seconds.toFixed(digits)} s`;
  const whole = Math.floor(seconds / 60);
  const rest = (seconds - whole * 60).toFixed(digits).padStart(digits > 0 ? digits + 3 : 2, "0");
  if (whole < 60) return `${sign}${whole}:${rest}`;
  if (whole >= 6000) {
    const days = `${sign}${Math.floor(whole / 1440)} d`, hours = Math.floor(whole / 60) % 24;
    if (step >= 3600e9) return step < 86400e9 ? `${days} ${hours} h` : days;
    return `${days} ${hours}:${String(whole % 60).padStart(2, "0")}` + (step < 60e9 ? `:${rest}` : "");
  }
  return `${sign}${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, "0")}:${rest}`;
}

/** A length in the log's unit. */
export function length(value) {
  return Number.isInteger(value) ? String(value) : trimmed(value, 2);
}

export function size(width, height) {
  return `${length(width)} × ${length(height)}`;
}

// Control characters, those that change the direction of text or end a line, and the byte order mark.
const controls = /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g;

/** A name of the log as text to show: no character in it acts on the text around it. */
export function shown(name) {
  if (name === "") return "(no name)";
  return name.replace(controls, (character) => "\\u" + character.charCodeAt(0).toString(16).padStart(4, "0"));
}

/** The same, with its middle left out if it is long. */
export function shortened(name, most = 60) {
  const characters = [...shown(name)];
  if (characters.length <= most) return characters.join("");
  const half = Math.floor((most - 1) / 2);
  return `${characters.slice(0, half).join("")}…${characters.slice(-half).join("")}`;
}

/** Steps for an axis: the first of 1, 2, 5 × 10^n that leaves at most `most` of them. */
export function niceStep(span, most) {
  const least = span / Math.max(most, 1);
  const power = 10 ** Math.floor(Math.log10(least));
  return [1, 2, 5, 10].map((digit) => digit * power).find((step) => step >= least * (1 - 1e-9));
}

/** The same for a span of time in ns, in the steps that clocks have. */
export function niceTimeStep(span, most) {
  const least = span / Math.max(most, 1);
  if (least <= 1e9) return Math.max(niceStep(span, most), 1);
  const seconds = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14400, 43200, 86400];
  const step = seconds.find((value) => value * 1e9 >= least);
  return step ? step * 1e9 : Math.ceil(least / 86400e9) * 86400e9;
}

/** The marks of a logarithmic axis: 1, 2 and 5 × 10^n, or only 10^n if those are many. */
export function logMarks(from, to) {
  const marks = [];
  const digits = Math.log10(to / from) > 3 ? [1] : [1, 2, 5];
  for (let power = 10 ** Math.floor(Math.log10(from)); power <= to; power *= 10) {
    marks.push(...digits.map((digit) => digit * power).filter((mark) => mark >= from && mark <= to));
  }
  return marks;
}
