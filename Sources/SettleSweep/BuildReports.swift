internal import CSettle
public import SettleLog

/// The builds that logs report, and the cost that fits them.
///
/// A report states no size. It is taken for one of the size that its scene had when the build began, which is the
/// report's time less its cost.
public struct BuildReports: Sendable {
    private struct Build {
        var pixels: Double
        var cost: Double
    }

    private var builds: [Build] = []
    /// The reports that were read.
    public private(set) var count = 0

    /// The most reports that are fitted: the first ones.
    private static let fittedMost = 1 << 20
    /// Changes of a scene that are remembered at least; a build of 0.1 s is over after a hundred of a fast mouse.
    private static let changesLeast = 4096

    public init() {}

    /// Reads the reports of a log to its end or first fault.
    ///
    /// - Parameters:
    ///   - reader: The log.
    ///   - goesOn: Called after each part; if it returns false, reading stops.
    public mutating func add(_ reader: LogReader, goesOn: () -> Bool = { true }) {
        let batch = EventBatch()
        var changes: [SceneNumber: [(at: UInt64, pixels: Double)]] = [:]
        while goesOn(), (try? reader.read(into: batch)) ?? false {
            for index in 0..<batch.count {
                let event = unsafeBitCast(batch[index], to: settle_event.self)
                let name = batch[index].name
                if event.kind == SETTLE_FINISHED.rawValue {
                    let began = event.at_ns &- min(event.cost_ns, event.at_ns)
                    add(event.cost_ns, began: began, changes[name] ?? [])
                } else if event.kind == SETTLE_GEOMETRY.rawValue, event.width > 0, event.height > 0 {
                    changes[name, default: []].append((event.at_ns, event.width * event.height))
                    if changes[name]!.count == 2 * Self.changesLeast {
                        changes[name]!.removeFirst(Self.changesLeast)
                    }
                }
            }
        }
    }

    private mutating func add(_ cost: UInt64, began: UInt64, _ changes: [(at: UInt64, pixels: Double)]) {
        count += 1
        guard builds.count < Self.fittedMost else { return }
        let change = changes.last { $0.at <= began } ?? changes.first
        builds.append(Build(pixels: change?.pixels ?? 0, cost: Double(cost)))
    }

    /// The cost, by medians, which a few slow builds do not move: for each pixel that of the slopes between a
    /// build of the smaller half and its counterpart in the larger half, as Theil proposed; and fixed that of what
    /// remains. Without different sizes it is the median of all costs. `nil` without reports, or if they cost
    /// nothing.
    public var cost: BuildCost? {
        let sorted = builds.sorted { $0.pixels < $1.pixels }
        let half = sorted.count / 2
        let slopes = (0..<half).compactMap { index -> Double? in
            let (a, b) = (sorted[index], sorted[sorted.count - half + index])
            return b.pixels > a.pixels ? (b.cost - a.cost) / (b.pixels - a.pixels) : nil
        }
        var perPixel = max(Self.median(slopes) ?? 0, 0)
        guard var fixed = Self.median(sorted.map { $0.cost - perPixel * $0.pixels }) else { return nil }
        if fixed < 0 {
            fixed = 0
            perPixel = Self.median(sorted.filter { $0.pixels > 0 }.map { $0.cost / $0.pixels }) ?? 0
        }
        // Microseconds are more than the medians know.
        let whole = fixed < 1e5 ? fixed.rounded() : (fixed / 1e3).rounded() * 1e3
        let cost = BuildCost(
            fixed: .nanoseconds(Int64(min(whole, 3.6e12))), nanosecondsPerPixel: (perPixel * 1e4).rounded() / 1e4)
        return cost.fixed > .zero || cost.nanosecondsPerPixel > 0 ? cost : nil
    }

    /// The middle one; the lower of two. `nil` of nothing.
    private static func median(_ values: [Double]) -> Double? {
        values.isEmpty ? nil : values.sorted()[(values.count - 1) / 2]
    }
}
