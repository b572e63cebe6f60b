/** Settle in a browser: rebuild what is costly once a resize has ended and the size differs, or as often as it pays for. */

declare global {
    interface SymbolConstructor {
        /** For `using`; TypeScript knows it from 5.2 on. */
        readonly dispose: unique symbol;
    }
}

/** Milliseconds (of liveShare and pauseShare: percent), or a text as in policy files: "200ms", "1.5s", "30%". */
export type Duration = number | string;
/** null, Infinity or "none" switches off what may be. */
export type OptionalDuration = Duration | null;

/** The contract's durations (docs/reference/contract.md); those left out are the preset's. */
export interface PolicyFields {
    readonly preset?: Preset;
    // scripts/build-browser writes the fields here, from settle_policy.h.
}
/**
 * "prepared": the defaults, and previews of sizes that stand still for 50 ms, for at most half of the time. "live": the defaults,
 * and rebuilds during a drag for at most 30 % of the time. "uikit": no delay at all.
 */
export type Preset = "default" | "prepared" | "live" | "uikit";
export type Policy = Preset | PolicyFields;

/** A size of an element's content box. */
export interface Size {
    /** In device pixels, whole: a canvas's width and height. */
    readonly width: number;
    readonly height: number;
    /** In CSS pixels. */
    readonly cssWidth: number;
    readonly cssHeight: number;
    /** devicePixelRatio at that time; a CSS zoom is not in it. */
    readonly ratio: number;
}

// scripts/build-browser puts the words of the core's tables here.
export type RebuildReason = "REBUILD_REASONS";
export type EndReason = "END_REASONS";
export type DecisionKind = "DECISION_KINDS";

export interface Preparing extends Size {
    /**
     * Aborted once nothing will come of it: when the size changes while it runs; and, also after its end, when nothing is owed any more
     * outside a drag, another size is prepared or built, the element leaves the document, and by stop().
     */
    readonly signal: AbortSignal;
}

export interface Rebuilt<Prepared = never> extends Size {
    /** That of `Rebuild`, so that one function can be handed both. */
    readonly signal: AbortSignal;
    /** What `onPrepare` gave for this very size. Not there if nothing was prepared, or that failed: then build it now. */
    readonly prepared?: Prepared;
}

export interface Rebuild {
    /** Aborted once a newer rebuild waits for this one's end, and by stop(). The same as that of the preparation that is shown. */
    readonly signal: AbortSignal;
    readonly reason: RebuildReason;
    /** 1 for the element's first, then 2, 3 …; anew after the element was out of the document. */
    readonly generation: number;
}

/** `Prepared` is what `onPrepare` gives. In the object that is passed, write `onPrepare` before `onRebuild`: TypeScript infers it then. */
export interface ObserveOptions<Prepared = never> {
    /** "default" if left out. */
    readonly policy?: Policy;
    /** The scene's name in a log; the element's id or tag, with a number, if left out. Names should differ. */
    readonly name?: string;
    /**
     * Further targets of pointer events whose release ends a drag, beside the page's window: those in other documents of the
     * same origin, such as an iframe's window.
     */
    readonly splitters?: readonly EventTarget[];
    /**
     * Rebuilds for a size. Its time is the build's cost (rule 18), with that of a promise until it is settled; builds of one
     * element never overlap. It may draw immediately: it is called in the frame in which the size changed, or in a task of its own,
     * and a canvas that is resized and drawn in one task is never shown blank. What it throws is reported as an uncaught error
     * (but for the AbortError of an aborted build), and the size is owed again at the next change or flush() (rule 13).
     */
    onRebuild(size: Rebuilt<Prepared>, rebuild: Rebuild): unknown;
    /**
     * Prepares a size that stands still, in a drag or before its quiet time is over (rule 17): begins what takes long, and shows
     * nothing. What it gives, or its promise is fulfilled with, is kept for that size, and `onRebuild` gets it as `prepared`: immediately,
     * or when it is there. Its time is what the next preparation waits for; of a policy that names no pauseDelay it is 50 ms, and no
     * pauseShare, 50 %. Preparations and builds of one element never overlap, so let the promise end soon once `signal` is aborted. What
     * it throws is reported as for `onRebuild`, which then gets nothing `prepared`. Not called without WebAssembly.
     */
    onPrepare?(size: Preparing): Prepared | PromiseLike<Prepared>;
    /**
     * Shows a size that stands still by something cheaper than a rebuild, within a drag or before its quiet time is over, after
     * the policy's pauseDelay: 100 ms where the policy does not name it (rule 17). Left out while a build of the element runs.
     * The end of such work is not reported, so with a pauseShare there is one preview until the next rebuild. Beside `onPrepare` it is
     * called where that begins, and its time counts with it.
     */
    onPreview?(size: Size): void;
}

export interface Observation {
    readonly name: string;
    /**
     * For what knows a drag's begin and end better than the page's pointers, which no longer count for the element after
     * resizing(true). The end counts after the next frame. Does nothing before `ready`.
     */
    resizing(isResizing: boolean): void;
    /** Rebuilds now what is owed of the sizes reported so far, unless a drag goes on. */
    flush(): void;
    /** @throws RangeError for no policy, as observe() */
    setPolicy(policy: Policy): void;
    /**
     * Ends it, and aborts a build that runs. An element that leaves the document is forgotten without it, and observed again should it
     * come back.
     */
    stop(): void;
    /** stop(), for `using`; where the browser has the symbol. */
    [Symbol.dispose](): void;
}

/**
 * Observes an element's size. An element without a box (display: none) and a hidden page wait until they are shown.
 *
 * Before `ready` it waits; a value that a policy cannot have is then reported as an uncaught error instead of thrown, and nothing is
 * built. In a page without WebAssembly sizes are only debounced: the first one is built immediately, and others when none has come for
 * 200 ms; policies, pointers and resizing() do nothing there.
 * @throws RangeError for a value that a policy cannot have, or above 4,096 observations of elements in the document
 * @throws TypeError that names an option of a wrong type
 */
export function observe<Prepared = never>(element: Element, options: ObserveOptions<Prepared>): Observation;

/**
 * True once the core is there. False, with one warning in the console, where the page can have no WebAssembly: sizes are then only
 * debounced. A Content-Security-Policy allows it by script-src 'wasm-unsafe-eval'.
 */
export const ready: Promise<boolean>;

export interface RecordOptions {
    /** The share of sessions that record at all: 0 to 1. */
    readonly sample?: number;
    /** Bytes after which nothing more is recorded. */
    readonly budget?: number;
    /** Times are multiples of so many milliseconds; a replay then decides otherwise, under `live` above all. */
    readonly coarse?: number;
    /** The log's name. */
    readonly name?: string;
}
export interface Recording {
    /** False once stopped or full, and in a session that is not sampled. */
    readonly isRecording: boolean;
    /** The log so far, in JSON Lines, or "". It has sizes, pointer presses, times, costs and names; no positions, no text. */
    readonly text: string;
    /** Ends it, and returns the log. */
    stop(): string;
}
/**
 * Records what the page's core is given, for `settle replay` and `settle tune`; the guide says what a log cannot have.
 * @throws TypeError that names an option which is no number from 0 on
 */
export function record(options?: RecordOptions): Recording;

export type CoreEvent = { readonly t: number } & (
    | {
        readonly kind?: "geometry"; readonly scene: number; readonly width?: number; readonly height?: number;
        readonly resizing?: boolean; readonly locked?: boolean;
        /** Decides nothing (rule 15). */
        readonly orientation?: Orientation;
    }
    | { readonly kind: "connect" | "disconnect" | "flush" | "cancel"; readonly scene: number }
    | { readonly kind: "pointer"; readonly button: number; readonly pressed: boolean }
    /** A build failed: what is built instead, or nothing. */
    | { readonly kind: "reallyBuilt"; readonly scene: number; readonly width?: number; readonly height?: number }
    /** A build is done, after so many milliseconds. */
    | { readonly kind: "finished"; readonly scene: number; readonly generation: number; readonly cost: number }
    /** The work for a preview is done, or (kept: false) was cancelled, after so many milliseconds. */
    | {
        readonly kind: "previewed"; readonly scene: number; readonly generation: number; readonly cost: number;
        readonly kept?: boolean;
    }
);
export type Orientation = "ORIENTATIONS";

export interface Decision {
    readonly kind: DecisionKind;
    /** Of a rebuild, or of an interaction's end. */
    readonly reason?: RebuildReason | EndReason;
    readonly scene: number;
    /** The deadline or the event's time, in ms. */
    readonly t: number;
    readonly width: number;
    readonly height: number;
    readonly generation: number;
    /** Of a rebuild: whether work for its size is done or under way since its preview (rule 17). */
    readonly prepared: boolean;
    readonly locked: boolean;
    /** Of a rebuild: whether the builds change the size that they are for, so that each asks for the next (settle.h). */
    readonly feedback: boolean;
}

/**
 * The core alone, for workers and programs: it decides nothing by a clock. Times are in milliseconds from 0 on, and exact to
 * the nanosecond below 2^50 ns (13 days).
 */
export interface Core {
    /** Called with each decision, in order, from within event() and advance(). It must not throw. */
    onDecision(decision: Decision): void;
    /** A new scene. @throws RangeError for a value that a policy cannot have, or above 4,096 scenes */
    connect(policy?: Policy): number;
    setPolicy(scene: number, policy: Policy): void;
    /** Applies an event, and fires what is due at its time. False for one that was rejected: rules 2 and 10, a t that is no time. */
    event(event: CoreEvent): boolean;
    /** Fires what is due. */
    advance(t: number): void;
    /** When to call advance() again, or Infinity. It may be before the next deadline. */
    readonly nextWake: number;
}
/** Rejected where the page can have no WebAssembly. */
export function createCore(): Promise<Core>;
