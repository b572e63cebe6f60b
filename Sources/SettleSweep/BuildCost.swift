internal import CSettle
public import Settle
internal import SettleLog

/// What a build costs: a fixed time, and one for each pixel of the size.
///
/// As text: `8ms`, `3ns/px` or `2ms+3ns/px`.
public struct BuildCost: Hashable, Sendable, CustomStringConvertible {
    /// From zero to an hour, in whole nanoseconds.
    public let fixed: Duration
    /// From zero, in millionths.
    public let nanosecondsPerPixel: Double

    /// The most that a build costs.
    public static let longest = Duration.seconds(3600)

    /// A cost; what is out of range becomes the nearest that is not.
    public init(fixed: Duration, nanosecondsPerPixel: Double = 0) {
        self.fixed = .nanoseconds(Int64(min(max(fixed, .zero), Self.longest).wholeNanoseconds))
        let most = Double(Self.longest.wholeNanoseconds)
        let perPixel = nanosecondsPerPixel > 0 ? min(nanosecondsPerPixel, most) : 0
        self.nanosecondsPerPixel = (perPixel * 1e6).rounded() / 1e6
    }

    /// Reads a cost above zero; `nil` for another text.
    public init?(_ text: String) {
        var (fixed, perPixel): (Double?, Double?) = (nil, nil)
        for part in text.split(separator: "+", omittingEmptySubsequences: false) {
            let part = part.drop { $0 == " " }
            let own = String(part[..<(part.lastIndex { $0 != " " }.map(part.index(after:)) ?? part.startIndex)])
            if own.hasSuffix("/px") {
                guard perPixel == nil, let value = Self.nanoseconds(own.dropLast(3)) else { return nil }
                perPixel = value
            } else {
                guard fixed == nil, let value = Self.nanoseconds(own[...]) else { return nil }
                fixed = value
            }
        }
        guard fixed ?? 0 <= Double(Self.longest.wholeNanoseconds) else { return nil }
        self.init(fixed: .nanoseconds(Int64((fixed ?? 0).rounded())), nanosecondsPerPixel: perPixel ?? 0)
        guard self.fixed > .zero || self.nanosecondsPerPixel > 0 else { return nil }
    }

    private static let units: [(name: String, nanoseconds: Double)] = [
        ("ns", 1), ("us", 1e3), ("µs", 1e3), ("ms", 1e6), ("s", 1e9),
    ]

    /// The nanoseconds of digits, at most one point and a unit.
    private static func nanoseconds(_ text: Substring) -> Double? {
        guard let unit = units.first(where: { text.hasSuffix($0.name) }) else { return nil }
        let number = text.dropLast(unit.name.count)
        guard number.first.map({ $0 == "." || $0.isNumber }) ?? false, number.last != ".",
            number.utf8.allSatisfy({ $0 == 0x2E || 0x30...0x39 ~= $0 }), let value = Double(number)
        else { return nil }
        return value * unit.nanoseconds
    }

    /// The cost of the build of one size.
    public func duration(of size: Size) -> Duration {
        var raw = raw
        return .nanoseconds(Int64(settle_build_cost_ns(&raw, size.width, size.height)))
    }

    public var description: String {
        let perPixel = "\(short(nanosecondsPerPixel, 6))ns/px"
        if nanosecondsPerPixel == 0 { return fixed.withUnit }
        return fixed == .zero ? perPixel : "\(fixed.withUnit)+\(perPixel)"
    }

    var raw: settle_build_cost {
        settle_build_cost(ns: Double(fixed.wholeNanoseconds), ns_per_pixel: nanosecondsPerPixel, slow_every: 0)
    }
}
