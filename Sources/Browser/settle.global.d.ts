/** The global of settle.global.js, for scripts that are no modules: /// <reference types="settle-browser/global" /> */
declare global {
    var Settle: typeof import("./settle.js");
}
export {};
