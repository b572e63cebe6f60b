// Numbers at random, the same for the same seed.
export const random = (seed) => {
    const draw = () => {
        seed = seed + 0x6D2B79F5 | 0;
        let mixed = Math.imul(seed ^ seed >>> 15, 1 | seed);
        mixed = mixed + Math.imul(mixed ^ mixed >>> 7, 61 | mixed) ^ mixed;
        return ((mixed ^ mixed >>> 14) >>> 0) / 2 ** 32;
    };
    const below = (most) => Math.floor(draw() * most);
    return { draw, below, chance: (share) => draw() < share, one: (list) => list[below(list.length)] };
};
