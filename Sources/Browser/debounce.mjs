// In place of the core in a page without WebAssembly: decides a first size at once, others when none has come for 200 ms. It has what
// observe() needs of a core's shape, and none of its rules.
export const createDebounce = () => {
    const owed = new Map(); // when to build what
    const debounce = {
        connect: () => ({ generation: 0 }),
        setPolicy() {},
        event({ kind, t, scene, width, height }) {
            if (kind === "flush" && owed.has(scene)) owed.set(scene, t);
            else if (!kind && width) owed.set(Object.assign(scene, { width, height }), scene.generation ? t + 200 : t);
        },
        advance(t) {
            for (const [scene, at] of owed) if (at <= t) {
                owed.delete(scene);
                scene.reason = scene.generation++ ? "quiet" : "first";
                debounce.onDecision({ ...scene, kind: "rebuild", scene });
            }
        },
        get nextWake() {
            return Math.min(...owed.values());
        },
    };
    return debounce;
};
