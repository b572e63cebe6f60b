import CSettle
import TestSupport
import XCTest

/// Far deadlines wait in five levels of buckets, of 2^18 ns at the lowest and 1,024 times as
/// much at each next: none is lost in any of them, and none is overtaken at their borders.
final class DeadlineBucketsTests: XCTestCase {
    private let levels = 5

    private func shift(_ level: Int) -> UInt64 { UInt64(18 + 10 * level) }

    /// A core with a policy of no delay and one for each of the others.
    private func makeCore(delays: [UInt64] = []) throws -> OpaquePointer {
        let core = try makeCore {
            ($0.scenes_max, $0.decisions_max, $0.policies_max) = (8, 8, 8)
            $0.policy = settle_policy_uikit()
        }
        for delay in delays {
            var (policy, number) = (settle_policy_uikit(), UInt32(0))
            policy.first_delay_ns = delay
            XCTAssertEqual(settle_core_add_policy(core, &policy, &number), ok)
        }
        return core
    }

    private func change(_ core: OpaquePointer, _ scene: settle_scene, at: UInt64) {
        submit(core, event(SETTLE_GEOMETRY, scene, at: at, Double(1 + at % 1_000), 1 + Double(scene)))
    }

    func testBuckets_eachOfThemIsFound() throws {
        for level in 0..<levels {
            // The words of 64 slots at their ends, and the last one whole.
            for slot in 1..<UInt64(level == 4 ? 4 : 1_024) where slot >= 960 || (slot + 2) % 64 < 4 {
                let deadline = slot << shift(level) + slot
                let core = try makeCore(delays: [deadline])
                change(core, connect(core, policy: 1), at: 0)
                XCTAssertLessThanOrEqual(settle_core_next_wake_ns(core), deadline)
                XCTAssertEqual(settle_core_next_deadline_ns(core), deadline, "level \(level), slot \(slot)")
                XCTAssertEqual(settle_core_finish(core), ok)
                XCTAssertEqual(popAll(core).map(\.at_ns), [deadline], "level \(level), slot \(slot)")
            }
        }
    }

    /// The last bucket before a border of each level, then what waits beyond the border in a
    /// bucket of that level, then what comes later into a lower one.
    func testBuckets_whatWaitsBehindABorderIsNotOvertaken() throws {
        for level in 1..<levels {
            // The last one at times whose bucket's number has more than 32 bits.
            for multiple: UInt64 in [1, 2, 3] + (level == 1 ? [1 << 33 + 1] : []) {
                let border = multiple << shift(level)
                let start = border - 1 << 17
                for far in [UInt64(1), 2_000, 1 << 18, 1 << 19] {
                    let last = border - 1
                    let core = try makeCore(delays: [last - start, border + far - start, far + 1_000])
                    let (a, b, c) = (connect(core, policy: 1), connect(core, policy: 2), connect(core, policy: 3))
                    XCTAssertEqual(settle_core_advance(core, start), ok)
                    change(core, a, at: start)
                    change(core, b, at: start)
                    XCTAssertEqual(settle_core_advance(core, last), ok)
                    XCTAssertEqual(popAll(core).map(\.scene), [a])
                    XCTAssertGreaterThan(settle_core_next_wake_ns(core), last)
                    XCTAssertLessThanOrEqual(settle_core_next_wake_ns(core), border + far)
                    change(core, c, at: last)
                    XCTAssertEqual(settle_core_next_deadline_ns(core), border + far, "level \(level), far \(far)")
                    XCTAssertEqual(settle_core_finish(core), ok)
                    let decided = popAll(core)
                    XCTAssertEqual(decided.map(\.scene), [b, c], "level \(level), far \(far)")
                    XCTAssertEqual(decided.map(\.at_ns), [border + far, last + far + 1_000])
                }
            }
        }
    }

    /// At a border exactly: the one that was armed first waits in a bucket, the other comes
    /// when the heap reaches up to it.
    func testBuckets_equalDeadlinesAtABorderKeepTheirOrder() throws {
        for level in 0..<levels {
            let border = 3 << shift(level) as UInt64
            let start = border - 1 << 17
            let core = try makeCore(delays: [border - 1 - start, border - start, 1])
            let (a, b, c) = (connect(core, policy: 1), connect(core, policy: 2), connect(core, policy: 3))
            XCTAssertEqual(settle_core_advance(core, start), ok)
            change(core, a, at: start)
            change(core, b, at: start)
            XCTAssertEqual(settle_core_advance(core, border - 1), ok)
            XCTAssertEqual(popAll(core).map(\.scene), [a])
            change(core, c, at: border - 1)
            XCTAssertEqual(settle_core_finish(core), ok)
            let decided = popAll(core)
            XCTAssertEqual(decided.map(\.scene), [b, c], "level \(level)")
            XCTAssertEqual(decided.map(\.at_ns), [border, border])
        }
    }

    /// The same, where the other was in the heap already and is postponed to the border.
    func testBuckets_aDeadlinePostponedToABorderComesAfterAnOlderOne() throws {
        for level in 0..<levels {
            let border = 3 << shift(level) as UInt64
            let start = border - 1 << 17
            let core = try makeCore(delays: [border - 1 - start, border - start, border - 2 - start])
            let (a, b, c) = (connect(core, policy: 1), connect(core, policy: 2), connect(core, policy: 3))
            XCTAssertEqual(settle_core_advance(core, start), ok)
            for scene in [a, b, c] { change(core, scene, at: start) }
            XCTAssertEqual(settle_core_next_deadline_ns(core), border - 2)
            change(core, c, at: start + 2)
            XCTAssertEqual(settle_core_finish(core), ok)
            let decided = popAll(core)
            XCTAssertEqual(decided.map(\.scene), [a, b, c], "level \(level)")
            XCTAssertEqual(decided.map(\.at_ns), [border - 1, border, border])
        }
    }

    /// A scene that leaves a bucket leaves the others in it, wherever in it they are.
    func testBuckets_anyOfThreeMayLeave() throws {
        for level in 0..<levels {
            for leaving in 0..<3 {
                let delay = 3 << shift(level) as UInt64
                let core = try makeCore(delays: [delay, delay + 1, delay + 2])
                var scenes = (1...3).map { connect(core, policy: UInt32($0)) }
                for scene in scenes { change(core, scene, at: 0) }
                submit(core, event(SETTLE_DISCONNECT, scenes[leaving]))
                scenes.remove(at: leaving)
                XCTAssertEqual(settle_core_finish(core), ok)
                XCTAssertEqual(popAll(core).map(\.scene), scenes, "level \(level), without \(leaving)")
                XCTAssertEqual(settle_core_next_wake_ns(core), UInt64.max)
            }
        }
    }
}
