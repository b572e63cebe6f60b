internal import CSettle

/// The policies of a sweep that decide alike as they differ in nothing that some logs wait for: of such ones one is
/// decided.
struct AlikePolicies {
    /// The indices of one of each kind.
    private(set) var decided: [Int] = []
    /// For each policy the place in `decided` of the one that decides alike.
    private(set) var places: [Int] = []

    /// - Parameters:
    ///   - first: The index of the policy for which `idle` was found.
    ///   - idle: The durations that nothing waits for.
    init(_ policies: [settle_policy], first: Int, idle: PolicyChanges) {
        var known: [[UInt64]: Int] = [:]
        for (index, policy) in policies.enumerated() {
            let kind = Self.kind(policy, policies[first], idle)
            if known[kind] == nil {
                known[kind] = decided.count
                decided.append(index)
            }
            places.append(known[kind]!)
        }
    }

    /// What policies that decide alike have in common.
    private static func kind(_ policy: settle_policy, _ today: settle_policy, _ idle: PolicyChanges) -> [UInt64] {
        var (policy, today) = (policy, today)
        let changes = PolicyChanges(rawValue: settle_policy_changes(&policy, &today))
        let isOfGrid = changes.isDisjoint(with: PolicyChanges.interactions)
        return withUnsafeBytes(of: &policy) { bytes in
            bytes.bindMemory(to: UInt64.self).enumerated().map { word, value in
                // The first word is the size.
                let isIdle = word > 0 && idle.contains(PolicyChanges(rawValue: 1 << UInt32(word - 1)))
                return isOfGrid && isIdle ? 0 : value
            }
        }
    }
}
