import CSettle
import Settle
import TestSupport
import XCTest

/// The delays that nothing in a log waits for: policies that differ in them alone are counted alike. Which they are:
/// Tests/Cases/counts.
final class SweepIdleTests: XCTestCase {
    private let ms: UInt64 = 1_000_000

    private func word(_ bit: Int) -> Int { 8 * (bit + 1) }

    private func value(_ policy: settle_policy, _ bit: Int) -> UInt64 {
        withUnsafeBytes(of: policy) { $0.load(fromByteOffset: word(bit), as: UInt64.self) }
    }

    private func set(_ policy: inout settle_policy, _ bit: Int, _ value: UInt64) {
        withUnsafeMutableBytes(of: &policy) { $0.storeBytes(of: value, toByteOffset: word(bit), as: UInt64.self) }
    }

    private let names = ["reportedEnd", "releasedEnd", "discrete", "quiet", "jump", "calm"]
    /// The bits of these, as settle_policy_changes numbers them.
    private let grid = Array(1...6)
    /// Those of pauseDelay, pauseShare, liveShare, liveLimit and livePause.
    private let beforeEnds = [8, 9, 12, 13, 15]
    private var beforeEndsBits: UInt32 { beforeEnds.reduce(0) { $0 | 1 << UInt32($1) } }

    /// A log, or what is left of it without buttons, without flags, or without both.
    private func events(_ seed: UInt64, _ random: inout SplitMix64) -> [settle_log_event] {
        var events = RandomLog(seed: seed).events
        let flags = UInt16(SETTLE_RESIZING_KNOWN.rawValue | SETTLE_RESIZING.rawValue)
        if random.chance(50) { events.removeAll { $0.kind == SETTLE_POINTER.rawValue } }
        switch random.below(3) {
        case 0: for index in events.indices { events[index].flags &= ~flags }
        case 1:
            for index in events.indices where events[index].kind == SETTLE_GEOMETRY.rawValue {
                events[index].flags |= UInt16(SETTLE_RESIZING_KNOWN.rawValue)
            }
        default: break
        }
        return random.chance(20) ? Array(events.prefix(3)) : events
    }

    /// With builds too, and with live rebuilds.
    func testRandomLogs_areCountedAlikeUnderPoliciesThatDifferInIdleDelaysAlone() throws {
        var (idleCounts, differing) = ([Int](repeating: 0, count: 16), [Int](repeating: 0, count: 16))
        var changeless = 0
        for seed: UInt64 in 0..<1_500 {
            var random = SplitMix64(seed: seed &* 31 &+ 7)
            let events = events(seed, &random)
            let log = BoundEvents(events)
            var base = settle_policy(RandomLog(seed: seed).policies[0])
            let idle = log.idle(base)
            XCTAssertEqual(idle & ~(0b111_1110 | beforeEndsBits), 0, "only what the grids vary")
            XCTAssertTrue([0, beforeEndsBits].contains(idle & beforeEndsBits), "what builds before an end together")
            XCTAssertTrue([0, 0b111_0000].contains(idle & 0b111_0000), "the quiet times together")
            var policies: [settle_policy] = []
            for _ in 0..<3 {
                var one = settle_policy()
                func pick() -> UInt32 { UInt32(random.below(Int(settle_live_grid_count()))) }
                XCTAssertTrue(settle_live_grid_policy(&base, pick(), &one))
                one.pause_share_percent = base.pause_share_percent
                var (alike, other, third) = (one, settle_policy(), settle_policy())
                XCTAssertTrue(settle_grid_policy(&base, UInt32(random.below(Int(settle_grid_count()))), &other))
                XCTAssertTrue(settle_live_grid_policy(&base, pick(), &third))
                for bit in grid where idle >> UInt32(bit) & 1 == 1 { set(&alike, bit, value(other, bit)) }
                for bit in beforeEnds where idle >> UInt32(bit) & 1 == 1 { set(&alike, bit, value(third, bit)) }
                policies += [one, alike]
            }
            let cost = settle_build_cost(ns: Double(random.below(40)) * 1e6, ns_per_pixel: 0, slow_every: 0)
            for counted in [try XCTUnwrap(log.counts(policies)), try XCTUnwrap(log.played(policies, cost: cost))] {
                for pair in stride(from: 0, to: policies.count, by: 2) where counted[pair] != counted[pair + 1] {
                    return XCTFail("seed \(seed): idle \(idle), \(policies[pair]) and \(policies[pair + 1]) differ")
                }
            }
            changeless += idle & beforeEndsBits > 0 ? 1 : 0
            // What is not idle matters to some log.
            for bit in grid {
                if idle >> UInt32(bit) & 1 == 1 {
                    idleCounts[bit] += 1
                    continue
                }
                var (short, long) = (base, base)
                set(&short, bit, 0)
                set(&long, bit, 1_000 * ms)
                let counted = try XCTUnwrap(log.counts([short, long]))
                if counted[0] != counted[1] { differing[bit] += 1 }
            }
        }
        for bit in grid {
            XCTAssertGreaterThan(idleCounts[bit], 100, names[bit - 1])
            XCTAssertGreaterThan(differing[bit], 50, names[bit - 1])
        }
        XCTAssertGreaterThan(changeless, 50)
    }

    func testWhatARunRefusesHasNoIdleDelays() {
        let log = BoundEvents([settle_log_event(SETTLE_GEOMETRY, 0, at: 0, 100, 100)])
        var (raw, policy) = (log.log, settle_policy_default())
        let bytes = settle_sweep_size(&raw)
        let workspace = GuardedMemory(byteCount: bytes)
        XCTAssertNotEqual(settle_sweep_idle(workspace.start, bytes, &raw, &policy), 0)
        XCTAssertEqual(settle_sweep_idle(workspace.start, bytes / 2, &raw, &policy), 0)
        XCTAssertEqual(settle_sweep_idle(nil, bytes, &raw, &policy), 0)
        policy.quiet_delay_ns = UInt64(SETTLE_DELAY_MAX) + 1
        XCTAssertEqual(settle_sweep_idle(workspace.start, bytes, &raw, &policy), 0)
    }
}
