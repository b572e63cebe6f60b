import Settle
import TestSupport
import XCTest

@testable import SettleLoop

final class CoalescerTests: XCTestCase {
    private let scene = SceneID(rawValue: 7)

    private func geometry(_ at: UInt64, _ width: Double?, _ resizing: Bool? = nil, locked: Bool? = nil) -> Event {
        .geometry(
            scene, at: Timestamp(nanoseconds: at), size: width.map { Size(width: $0, height: 1) },
            isInteractivelyResizing: resizing, isInterfaceOrientationLocked: locked)
    }

    private func coalesced(_ events: [Event]) -> [Event] {
        var coalescer = Coalescer()
        for event in events { coalescer.add(event) }
        let out = coalescer.drained()
        XCTAssert(coalescer.isEmpty)
        return out
    }

    func testEventsThatAreNotAcceptedStayInOrderAndCoalesceFurther() {
        var coalescer = Coalescer()
        func other(_ at: UInt64, _ width: Double) -> Event {
            .geometry(
                SceneID(rawValue: 8), at: Timestamp(nanoseconds: at), size: Size(width: width, height: 1))
        }
        for event in [geometry(1, 10, false), other(2, 20), geometry(3, 11, true)] { coalescer.add(event) }
        var accepted: [Event] = []
        coalescer.drain { event in
            if accepted.isEmpty { accepted.append(event) } else { return false }
            return true
        }
        XCTAssertEqual(accepted, [geometry(1, 10, false)])
        XCTAssertEqual(coalescer.count, 2)
        // The end that was kept is gone; the next one is kept again.
        for event in [other(4, 21), geometry(5, 12, false), geometry(6, 13, true)] { coalescer.add(event) }
        XCTAssertEqual(coalescer.drained(), [other(4, 21), geometry(5, 12, false), geometry(6, 13, true)])
    }

    func testTheLatestStateKeepsWhatLaterEventsLeaveOpen() {
        let out = coalesced([geometry(1, 10, true, locked: true), geometry(2, nil), geometry(3, 0), geometry(4, 12)])
        XCTAssertEqual(out, [geometry(4, 12, true, locked: true)])
    }

    /// Each field alone, stated first or last: what the later event leaves open is the earlier one's.
    func testEachFieldIsKeptUntilItIsStatedAnew() {
        func event(_ at: UInt64, _ field: Int, _ isNew: Bool) -> Event {
            .geometry(
                scene, at: Timestamp(nanoseconds: at),
                size: field == 0 ? Size(width: isNew ? 2 : 1, height: isNew ? 4 : 3) : nil,
                isInteractivelyResizing: field == 1 ? isNew : nil,
                isInterfaceOrientationLocked: field == 2 ? isNew : nil,
                orientation: field == 3 ? (isNew ? .landscapeLeft : .portrait) : nil)
        }
        for field in 0..<4 {
            let other = geometry(2, nil)
            XCTAssertEqual(coalesced([event(1, field, true), other]), [event(2, field, true)], "field \(field)")
            XCTAssertEqual(coalesced([geometry(1, nil), event(2, field, true)]), [event(2, field, true)])
            // An end is kept for a flag that comes on again, which is another test's.
            let (first, last) = field == 1 ? (true, false) : (false, true)
            XCTAssertEqual(
                coalesced([event(1, field, first), event(2, field, last)]), [event(2, field, last)], "field \(field)")
        }
    }

    func testEveryEventIsCountedOnceThatIsNotSent() {
        func click(_ at: UInt64) -> [Event] {
            [true, false].map { .pointer(button: 1, at: Timestamp(nanoseconds: at), isPressed: $0) }
        }
        let at = Timestamp(nanoseconds: 9)
        let kinds: [Event] = [
            geometry(1, 10), .flush(scene, at: at), .cancel(scene, at: at), .connect(scene, at: at),
            .disconnect(scene, at: at), .reallyBuilt(scene, at: at, size: nil),
            .finished(scene, at: at, generation: 1, cost: .zero),
            .previewed(scene, at: at, generation: 1, cost: .zero, isKept: true), geometry(2, .nan),
        ]
        for (count, events) in [
            (0, kinds), (kinds.count, kinds + kinds), (3, click(1) + click(2)), (5, click(1) + click(2) + click(3)),
        ] {
            var coalescer = Coalescer()
            for event in events { coalescer.add(event) }
            XCTAssertEqual(coalescer.coalesced, UInt64(count))
            XCTAssertEqual(coalescer.count, events.count - count)
        }
    }

    func testAZeroSideKeepsTheSize() {
        let flat = Event.geometry(scene, at: Timestamp(nanoseconds: 3), size: Size(width: 5, height: 0))
        XCTAssertEqual(coalesced([geometry(1, 10), geometry(2, 0)]), [geometry(2, 10)])
        XCTAssertEqual(coalesced([geometry(1, 10), flat]), [geometry(3, 10)])
    }

    func testAnEndBeforeANewInteractionIsKept() {
        let out = coalesced([
            geometry(1, 10, true), geometry(2, 11, false), geometry(3, 12, true), geometry(4, 13, true),
        ])
        XCTAssertEqual(out, [geometry(2, 11, false), geometry(4, 13, true)])
    }

    func testARejectedEventReplacesNoOther() {
        let good = geometry(1, 10, true)
        let bad = geometry(2, .nan, false, locked: true)
        XCTAssertEqual(coalesced([good, bad]), [good, bad])
        XCTAssertEqual(coalesced([good, bad, bad, geometry(3, nil)]), [bad, geometry(3, 10, true)])
        let late = Event.geometry(scene, at: Timestamp(nanoseconds: .max), isInteractivelyResizing: false)
        XCTAssertEqual(coalesced([good, late]), [good, late])
    }

    func testPressesAndReleasesOfOneButtonStayBounded() {
        func pointer(_ at: UInt64, _ isPressed: Bool) -> Event {
            .pointer(button: 1, at: Timestamp(nanoseconds: at), isPressed: isPressed)
        }
        let clicks = (0..<100).flatMap { [pointer(2 * $0, true), pointer(2 * $0 + 1, false)] }
        XCTAssertLessThanOrEqual(coalesced(clicks).count, 2)
        XCTAssertEqual(coalesced(clicks).last?.isPressed, false)
        XCTAssertEqual(coalesced(clicks + [pointer(999, true)]).last?.isPressed, true)
    }

    func testMillionsOfEventsStayBounded() {
        var coalescer = Coalescer()
        for step in 0..<200_000 {
            coalescer.add(
                .geometry(
                    SceneID(rawValue: UInt32(step % 100)), at: Timestamp(nanoseconds: UInt64(step)),
                    size: Size(width: Double(step), height: 1), isInteractivelyResizing: step % 3 == 0))
        }
        XCTAssertLessThanOrEqual(coalescer.count, 200)
        XCTAssertEqual(coalescer.coalesced, 200_000 - UInt64(coalescer.count))
    }

    /// However a stream is cut into what passes and what is held back, the engine ends
    /// in the same state: same size built, same interaction, same lock, same scenes.
    func testTheEngineEndsInTheSameState() throws {
        for seed: UInt64 in 0..<3000 {
            var random = SplitMix64(seed: seed)
            let stream = (0..<60).map { step in randomEvent(UInt64(step) * 3_000_000, &random) }
            var coalescer = Coalescer()
            var passed: [Event] = []
            for event in stream {
                if coalescer.isEmpty, random.chance(60) {
                    passed.append(event)
                } else {
                    coalescer.add(event)
                    if random.chance(20) { passed += coalescer.drained() }
                }
            }
            passed += coalescer.drained()
            let (whole, cut) = (try endState(stream), try endState(passed))
            guard whole == cut else { return XCTFail("seed \(seed): \(whole) is not \(cut)\n\(stream)\n\(passed)") }
        }
    }

    private func randomEvent(_ at: UInt64, _ random: inout SplitMix64) -> Event {
        // Scenes 1 and 2 report their flag always, so that their interactions compare.
        let scene = SceneID(rawValue: UInt32(1 + random.below(2)))
        return .geometry(
            scene, at: Timestamp(nanoseconds: at), size: Size(width: Double(1 + random.below(5)), height: 1),
            isInteractivelyResizing: random.chance(50), isInterfaceOrientationLocked: random.pick([nil, true, false]))
    }

    private func endState(_ events: [Event]) throws -> [String] {
        var engine = try Engine(.init(scenesMax: 4))
        let scenes = try (0..<2).map { _ in try engine.connect() }
        var built: [SceneID: Size] = [:]
        var locks: [SceneID: Bool] = [:]
        func receive(_ decision: Decision) {
            if case .rebuild(let rebuild) = decision.kind { built[decision.scene] = rebuild.size }
            if case .lockChanged(let isLocked) = decision.kind { locks[decision.scene] = isLocked }
        }
        for var event in events {
            event.scene = scenes[Int(event.scene.rawValue) - 1]
            engine.submit(event, deliver: receive)
        }
        engine.finish(deliver: receive)
        // An open interaction's size is not built yet: end it to see the pending rebuild.
        var states = scenes.map { "interacting \(engine.isInteracting($0)), locked \(locks[$0] ?? false)" }
        for scene in scenes {
            engine.submit(.geometry(scene, at: engine.now, isInteractivelyResizing: false), deliver: receive)
            engine.submit(.flush(scene, at: engine.now), deliver: receive)
            states.append("built \(built[scene].map { "\($0)" } ?? "nothing")")
        }
        return states
    }
}

extension Coalescer {
    fileprivate mutating func drained() -> [Event] {
        var events: [Event] = []
        drain { event in
            events.append(event)
            return true
        }
        return events
    }
}
