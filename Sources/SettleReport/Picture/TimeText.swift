/// Durations for people, in whole nanoseconds.
enum TimeText {
    private static let units: [(name: String, nanoseconds: UInt64)] = [
        ("d", 86_400_000_000_000), ("h", 3_600_000_000_000), ("min", 60_000_000_000), ("s", 1_000_000_000),
        ("ms", 1_000_000), ("µs", 1_000), ("ns", 1),
    ]

    /// A number without a needless fraction.
    static func number(_ value: Double) -> String { Int(exactly: value).map(String.init) ?? "\(value)" }

    /// The labels of an axis from zero to `span`: at most `labelsMax` + 1, at round times.
    static func axis(_ span: UInt64, labelsMax: UInt64) -> [(at: UInt64, label: String)] {
        let least = span / labelsMax
        guard let step = steps.first(where: { $0 > least }) else { return [] }
        guard let unit = units.first(where: { step >= $0.nanoseconds }) else { return [] }
        return stride(from: 0, through: span, by: UInt64.Stride(step)).map {
            ($0, "\($0 / unit.nanoseconds) \(unit.name)")
        }
    }

    /// Round times: 1, 2, 5, 10 … of a unit, up to a century.
    private static let steps: [UInt64] =
        [1, 1_000, 1_000_000].flatMap { unit in [1, 2, 5, 10, 20, 50, 100, 200, 500].map { $0 * unit } }
        + [1, 2, 5, 10, 20].map { $0 * 1_000_000_000 } + [50_000_000_000]
        + [1, 2, 5, 10, 20, 30].map { $0 * 60_000_000_000 } + [1, 2, 3, 6, 12].map { $0 * 3_600_000_000_000 }
        + [1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 20_000].map { $0 * 86_400_000_000_000 }
}
