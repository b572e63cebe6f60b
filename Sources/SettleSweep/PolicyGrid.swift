internal import CSettle
public import Settle

/// The policies that `settle tune` and a report's page try: every combination of some values of the
/// delays that decide about rebuilds.
public enum PolicyGrid {
    public static var count: Int { Int(settle_grid_count()) }

    /// The policies, in the grid's order.
    ///
    /// - Parameter base: Has the durations that the grid leaves alone, such as `lockDelay`.
    /// - Throws: `.durationOutOfRange` for a base that no engine accepts.
    public static func policies(from base: Policy) throws(EngineError) -> [Policy] {
        var base = try base.raw
        return (0..<settle_grid_count()).map { index in
            var policy = settle_policy_default()
            _ = settle_grid_policy(&base, index, &policy)
            return Policy(policy)
        }
    }
}
