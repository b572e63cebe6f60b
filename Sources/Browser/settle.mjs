// The module: settle.d.ts has its types and comments.
export { createCore } from "./core.mjs";
export { observe, ready, record } from "./observe.mjs";
