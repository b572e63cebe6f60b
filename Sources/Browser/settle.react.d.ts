import type { ObserveOptions } from "./settle.js";

/** What `useSettle` gives: the same object at each render. */
export interface Settle {
    /** For the element: `<div ref={ref}>`. */
    readonly ref: (element: Element | null) => void;
    /** See `Observation.flush`. */
    flush(): void;
    /** See `Observation.resizing`. */
    resizing(isResizing: boolean): void;
}

/**
 * Observes the element that gets `ref`, until it goes. It needs a height of its own. The handlers of the last render are called; a policy that has changed
 * holds from then on. `name`, `splitters`, and whether there are `onPreview` and `onPrepare`, are those of the render in which the element came.
 *
 *     const [size, setSize] = useState();
 *     const { ref } = useSettle({ policy: "live", onRebuild: setSize });
 *     return <div ref={ref} style={{ height: 300 }}>{size && <Chart width={size.cssWidth} height={size.cssHeight} />}</div>;
 */
export function useSettle(options: ObserveOptions): Settle;
