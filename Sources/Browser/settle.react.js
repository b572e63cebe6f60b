// A hook for React 16.8 and later. Types and comments for callers: settle.react.d.ts.
import { useEffect, useState } from "react";
import { observe } from "./settle.lazy.js";

const handlers = ["onRebuild", "onPreview", "onPrepare"];

export const useSettle = (options) => {
    const [settle] = useState(() => {
        let observation;
        const settle = {
            options,
            // React calls it with an element, and with null when that goes.
            ref(element) {
                observation?.stop();
                observation = undefined;
                if (!element) return;
                // Effects, which note what was rendered, come later.
                settle.options = settle.rendered;
                // The handlers of the last render are called, so a render observes nothing anew.
                const own = { ...settle.options };
                for (const name of handlers) if (own[name]) own[name] = (...given) => settle.options[name]?.(...given);
                settle.policy = JSON.stringify(own.policy);
                observation = observe(element, own);
            },
            flush: () => observation?.flush(),
            resizing: (isResizing) => observation?.resizing(isResizing),
            usePolicy(policy) {
                const written = JSON.stringify(policy);
                if (written === settle.policy) return;
                settle.policy = written;
                observation?.setPolicy(policy);
            },
        };
        return settle;
    });
    settle.rendered = options;
    useEffect(() => {
        settle.options = options;
        settle.usePolicy(options.policy);
    });
    return settle;
};
