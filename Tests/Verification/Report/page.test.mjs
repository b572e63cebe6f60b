// The report's page in node: transcripts of what its functions give, and of what a reader sees who opens a report and uses it.
//
// usage: SETTLE=PROGRAM node --test page.test.mjs
//   SETTLE makes the reports. PAGE names a folder with other sources of the page, REPORTS one that keeps reports for the next run,
//   and ONLY transcripts: a part of their names. WRITE=1 writes what the transcripts say.
import { readdirSync } from "node:fs";
import { transcript } from "../transcripts.mjs";
import { begin } from "./reader.mjs";

const { ONLY = "" } = process.env;
const folder = new URL("transcripts/", import.meta.url).pathname;
for (const name of readdirSync(folder).sort()) if (name.includes(ONLY)) transcript(folder + name, begin);
