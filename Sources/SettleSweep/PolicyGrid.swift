internal import CSettle
public import Settle

/// The policies that `settle tune` and a report's page try: every combination of some values of the
/// delays that decide about rebuilds. With a build's cost also policies that build before an end.
public enum PolicyGrid {
    public static var count: Int { Int(settle_grid_count()) }

    /// The policies, in the grid's order.
    ///
    /// - Parameter base: Has the durations that the grid leaves alone, such as `lockDelay`.
    /// - Throws: `.durationOutOfRange` for a base that no engine accepts.
    public static func policies(from base: Policy) throws(EngineError) -> [Policy] {
        try policies(from: base, count, settle_grid_policy)
    }

    public static var liveCount: Int { Int(settle_live_grid_count()) }

    /// The policies for a closed loop: with several shares of the time for live builds or for previews, and without. They
    /// vary the other delays less.
    ///
    /// - Parameter base: Has the durations that the grid leaves alone, such as `lockDelay`.
    /// - Throws: `.durationOutOfRange` for a base that no engine accepts.
    public static func livePolicies(from base: Policy) throws(EngineError) -> [Policy] {
        try policies(from: base, liveCount, settle_live_grid_policy)
    }

    private static func policies(
        from base: Policy, _ count: Int,
        _ policy: (UnsafePointer<settle_policy>?, UInt32, UnsafeMutablePointer<settle_policy>?) -> Bool
    ) throws(EngineError) -> [Policy] {
        var base = try base.raw
        return (0..<UInt32(count)).map { index in
            var made = settle_policy_default()
            _ = policy(&base, index, &made)
            return Policy(made)
        }
    }
}
