import type { Policy, RebuildReason, Size } from "./settle.js";

/** A "rebuild", "preview" or "prepare" of a `<settle-box>`. */
export class SettleEvent extends Event {
    readonly size: Size;
    /** As in `Rebuild` and `Preparing`. */
    readonly signal: AbortSignal;
    /** Of a rebuild: what the promise of its "prepare" was fulfilled with. */
    readonly prepared?: unknown;
    /** Of a rebuild. */
    readonly reason?: RebuildReason;
    readonly generation?: number;
    /**
     * The work lasts until the promise is settled: its time is the build's cost, and a rejection means that nothing is built. A
     * listener that throws is reported by the browser, and the size then counts as built. While the event is dispatched.
     */
    waitUntil(promise: PromiseLike<unknown>): void;
}

/**
 * A block whose size is observed from the first time that it is in the document. A canvas in it fills it:
 *
 *     <settle-box policy="live" style="height: 300px"><canvas></canvas></settle-box>
 *     box.addEventListener("rebuild", ({ size }) => draw(size));
 *
 * Attributes: `policy`, a preset or fields as JSON; `name`, in logs; `prepares`, so that "prepare" is dispatched (`onPrepare`).
 * `name` and `prepares` are read once. Add listeners before the element is in the document, or call `flush()` afterwards and
 * take the first "rebuild" for what is missed: events are not repeated.
 */
export class SettleBox extends HTMLElement {
    /** The attribute, its JSON read. */
    policy: Policy;
    /** See `Observation.flush`. */
    flush(): void;
    /** See `Observation.resizing`. */
    resizing(isResizing: boolean): void;
    addEventListener<Kind extends "rebuild" | "preview" | "prepare">(
        kind: Kind, listener: (event: SettleEvent) => void, options?: boolean | AddEventListenerOptions): void;
    addEventListener(kind: string, listener: EventListenerOrEventListenerObject, options?: boolean | AddEventListenerOptions): void;
}

declare global {
    interface HTMLElementTagNameMap {
        "settle-box": SettleBox;
    }
}
