// Runs a program for WASI, with the files of the current folder and of the temporary one: node wasi.mjs PROGRAM ARGUMENT...
import { readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { WASI } from "node:wasi";

const [program, ...rest] = process.argv.slice(2);
const wasi = new WASI({ version: "preview1", args: [program, ...rest], preopens: { ".": ".", [tmpdir()]: tmpdir() } });
const { instance } = await WebAssembly.instantiate(readFileSync(program), wasi.getImportObject());
process.exit(wasi.start(instance));
