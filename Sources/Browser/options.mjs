// What callers give.

export const demand = (isRight, option) => {
    if (!isRight) throw new TypeError(`settle: wrong ${option}; see settle.d.ts`);
};
// A policy is a preset's name, or fields: as in policy files, or numbers of ms and percent.
export const policyOf = (policy = {}) => {
    demand(policy && /obj|str/.test(typeof policy), "policy");
    return policy.at ? { preset: policy } : policy;
};
