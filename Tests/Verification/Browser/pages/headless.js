// Before all else: collects what goes wrong, and takes from the page what its address names.
"use strict";
const errors = [], warnings = [], query = new URLSearchParams(location.search);
addEventListener("error", ({ message }) => errors.push(message));
addEventListener("unhandledrejection", ({ reason }) => errors.push(`rejection: ${reason}`));
console.warn = (...words) => warnings.push(words.join(" "));
if (query.has("without")) delete globalThis[query.get("without")];
const $ = (selector) => document.querySelector(selector);
const frame = () => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
