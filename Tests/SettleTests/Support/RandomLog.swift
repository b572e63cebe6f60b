import CSettle
import Settle
import TestSupport

/// A random log with policies to try: one or several random streams, one after another, whose
/// scenes share a few names, so that names come back after their disconnects.
struct RandomLog {
    private(set) var events: [settle_log_event] = []
    private(set) var policies: [Policy]
    private static let last = UInt64(Int64.max)

    init(seed: UInt64) {
        var random = SplitMix64(seed: seed &* 77 &+ 5)
        policies = []
        let names = 1 + random.below(5)
        for part in 0...random.below(3) {
            let stream = RandomStream(seed: seed &* 3 &+ UInt64(part))
            policies.append(stream.policy)
            let start = events.map(\.at_ns).filter { $0 <= Self.last }.max() ?? 0
            for case .event(let event) in stream.actions {
                guard let kind = event.kind, kind.rawValue <= SETTLE_POINTER.rawValue else { continue }
                var known = event.raw
                if known.at_ns <= Self.last - start { known.at_ns += start }
                if kind != .pointer { known.name %= UInt32(names) }
                if random.chance(1) { known.flags |= 1 << UInt16(10 + random.below(6)) }
                events.append(known)
            }
            if random.chance(10) { holdButtons(&random) }
        }
        // Larger ones than a second, for rebuilds that are not wasted.
        if random.chance(50) { policies.append(random.chance(50) ? .default : .uikit) }
    }

    /// Up to more buttons than can be held.
    private mutating func holdButtons(_ random: inout SplitMix64) {
        let at = events.last?.at_ns ?? 0
        for button in 0..<UInt32(30 + random.below(6)) {
            events.append(settle_log_event(SETTLE_POINTER, 100 + button, at: at, flags: Int(SETTLE_PRESSED.rawValue)))
        }
    }
}
