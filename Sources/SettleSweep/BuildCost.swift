internal import CSettle
public import Settle
internal import SettleLog

/// What a build costs: a fixed time, and one for each pixel of the size; every so many-th build takes four times as long.
///
/// As text: `8ms`, `3ns/px`, `2ms+3ns/px` or, with every 20th build slow, `8ms+slow/20`.
public struct BuildCost: Hashable, Sendable, CustomStringConvertible {
    /// From zero to an hour, in whole nanoseconds.
    public let fixed: Duration
    /// From zero, in millionths.
    public let nanosecondsPerPixel: Double
    /// Every so many-th build of a connected scene takes four times as long, as garbage is collected or another program is
    /// busy; `nil` for none.
    public let slowEvery: Int?

    /// The most that a build costs.
    public static let longest = Duration.seconds(3600)
    /// The range of `slowEvery`.
    public static let slowRange = 1...1_000_000

    /// What a text may be, for a message.
    package static let usage =
        "give a time above 0s and up to 1h as 8ms, one for each pixel as 3ns/px, their sum as 2ms+3ns/px, each with slow"
        + " builds as 8ms+slow/20, where every 20th takes four times as long"

    /// A cost; what is out of range becomes the nearest that is not.
    public init(fixed: Duration, nanosecondsPerPixel: Double = 0, slowEvery: Int? = nil) {
        self.fixed = .nanoseconds(Int64(min(max(fixed, .zero), Self.longest).wholeNanoseconds))
        let most = Double(Self.longest.wholeNanoseconds)
        let perPixel = nanosecondsPerPixel > 0 ? min(nanosecondsPerPixel, most) : 0
        self.nanosecondsPerPixel = (perPixel * 1e6).rounded() / 1e6
        self.slowEvery = slowEvery.map { min(max($0, Self.slowRange.lowerBound), Self.slowRange.upperBound) }
    }

    /// Reads a cost above zero; `nil` for another text.
    public init?(_ text: String) {
        var (fixed, perPixel, slow): (Double?, Double?, Int?) = (nil, nil, nil)
        for part in text.split(separator: "+", omittingEmptySubsequences: false) {
            let part = part.drop { $0 == " " }
            let own = String(part[..<(part.lastIndex { $0 != " " }.map(part.index(after:)) ?? part.startIndex)])
            if own.hasPrefix("slow/") {
                guard slow == nil, let every = Self.whole(own.dropFirst(5)) else { return nil }
                slow = every
            } else if own.hasSuffix("/px") {
                guard perPixel == nil, let value = Self.nanoseconds(own.dropLast(3)) else { return nil }
                perPixel = value
            } else {
                guard fixed == nil, let value = Self.nanoseconds(own[...]) else { return nil }
                fixed = value
            }
        }
        guard fixed ?? 0 <= Double(Self.longest.wholeNanoseconds) else { return nil }
        self.init(
            fixed: .nanoseconds(Int64((fixed ?? 0).rounded())), nanosecondsPerPixel: perPixel ?? 0, slowEvery: slow)
        guard self.fixed > .zero || self.nanosecondsPerPixel > 0 else { return nil }
    }

    private static let units: [(name: String, nanoseconds: Double)] = [
        ("ns", 1), ("us", 1e3), ("µs", 1e3), ("ms", 1e6), ("s", 1e9),
    ]

    /// The number of digits, if it is in the range of `slowEvery`.
    private static func whole(_ text: Substring) -> Int? {
        guard text.utf8.allSatisfy({ 0x30...0x39 ~= $0 }), let number = Int(text), slowRange.contains(number) else {
            return nil
        }
        return number
    }

    /// The nanoseconds of digits, at most one point and a unit.
    private static func nanoseconds(_ text: Substring) -> Double? {
        guard let unit = units.first(where: { text.hasSuffix($0.name) }) else { return nil }
        let number = text.dropLast(unit.name.count)
        guard number.first.map({ $0 == "." || $0.isNumber }) ?? false, number.last != ".",
            number.utf8.allSatisfy({ $0 == 0x2E || 0x30...0x39 ~= $0 }), let value = Double(number)
        else { return nil }
        return value * unit.nanoseconds
    }

    /// The cost of the build of one size, if it is not a slow one.
    public func duration(of size: Size) -> Duration {
        var raw = raw
        return .nanoseconds(Int64(settle_build_cost_ns(&raw, size.width, size.height)))
    }

    public var description: String {
        let perPixel = nanosecondsPerPixel == 0 ? nil : "\(short(nanosecondsPerPixel, 6))ns/px"
        let time = fixed == .zero && perPixel != nil ? nil : fixed.withUnit
        return [time, perPixel, slowEvery.map { "slow/\($0)" }].compactMap(\.self).joined(separator: "+")
    }

    var raw: settle_build_cost {
        settle_build_cost(
            ns: Double(fixed.wholeNanoseconds), ns_per_pixel: nanosecondsPerPixel, slow_every: UInt64(slowEvery ?? 0))
    }
}
