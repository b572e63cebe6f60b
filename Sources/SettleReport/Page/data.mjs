// The report's data, whatever is wrong with it.

import { byId } from "./dom.mjs";
import { shortened } from "./format.mjs";

export const text = (value) => (typeof value === "string" ? value : "");
export const list = (value) => (Array.isArray(value) ? value : []);
export const object = (value) => (value !== null && typeof value === "object" && !Array.isArray(value) ? value : {});

/** A value of JSON in words. */
export const named = (value) => (value === undefined ? "missing" : value === null ? "null" : Array.isArray(value) ? "a list"
  : typeof value === "object" ? "an object" : `the ${typeof value} ${shortened(String(value), 40)}`);

/** The report's data, whatever is wrong with it. Throws Error, with a sentence, if nothing can be shown. */
export function readData() {
  let data;
  try {
    data = object(JSON.parse(byId("settle-data").textContent));
  } catch {
    throw new Error("The report’s data is no JSON: the file is damaged. Write the report again.");
  }
  if (data.settle !== "report") throw new Error("The file has no report’s data. Write the report again.");
  if (data.logs !== undefined && !Array.isArray(data.logs)) throw new Error(`The report’s "logs" is ${named(data.logs)}, and no list: the file is damaged. Write the report again.`);
  if (data.fleet === undefined && list(data.logs).length === 0) throw new Error("The report has no log.");
  return data;
}
