import Settle
import SettlePlatform
import TestSupport
import XCTest

@testable import SettleLoop

final class WakeLeadTests: XCTestCase {
    private func learn(_ lead: inout WakeLead, late: [UInt64], times: Int) {
        for number in 0..<times {
            let asked = Timestamp(nanoseconds: 1_000_000_000 + UInt64(number) * 1_000_000)
            lead.learn(asked: asked, woken: Timestamp(nanoseconds: asked.nanoseconds + late[number % late.count]))
        }
    }

    func testItGrowsToWhatAWakeUpTakes() {
        var lead = WakeLead()
        learn(&lead, late: [130_000], times: 20)
        XCTAssertEqual(lead.nanoseconds, 130_000)
    }

    func testItShrinksWhereWakingIsQuick() {
        var lead = WakeLead()
        learn(&lead, late: [0], times: 200)
        XCTAssertLessThan(lead.nanoseconds, 21_000)
        XCTAssertGreaterThanOrEqual(lead.nanoseconds, WakeLead.bounds.lowerBound)
    }

    func testItCoversMostOfWhatVaries() {
        var lead = WakeLead()
        learn(&lead, late: [60_000, 80_000, 100_000, 120_000], times: 400)
        XCTAssertGreaterThan(lead.nanoseconds, 100_000)
        XCTAssertLessThanOrEqual(lead.nanoseconds, 120_000)
    }

    func testOneLongStallCostsNoMoreThanTheBound() {
        var lead = WakeLead()
        learn(&lead, late: [3_000_000], times: 30)
        XCTAssertEqual(lead.nanoseconds, WakeLead.bounds.upperBound)
    }

    func testAnEarlierWakeUpTeachesNothing() {
        var lead = WakeLead()
        let before = lead.nanoseconds
        lead.learn(asked: Timestamp(nanoseconds: 1_000_000), woken: Timestamp(nanoseconds: 999_999))
        XCTAssertEqual(lead.nanoseconds, before)
    }
}

/// A loop whose clock the test sets, and whose wake-ups are late as it says. It has no timer: it sleeps until the bell
/// rings, or passes the time until a deadline in no time.
private final class SlowLoop: LoopWaiting {
    let bell: EventDescriptor
    let backendDescriptor: Int32 = -1
    let time = Locked<UInt64>(1_000_000_000_000)
    /// Whether the loop sleeps, or is about to, and only the bell ends that.
    let isIdle = Locked(false)
    /// The times for which a wake-up was asked, in nanoseconds.
    let asked = Locked<[UInt64]>([])
    private let late: UInt64
    private var alarm: UInt64?

    init(late: UInt64) throws {
        bell = try EventDescriptor()
        self.late = late
    }

    var now: Timestamp { Timestamp(nanoseconds: time.value) }

    func wake(at deadline: Timestamp) {
        asked.change { $0.append(deadline.nanoseconds) }
        alarm = deadline.nanoseconds
    }

    func run(_ mode: LoopMode) {
        isIdle.change { $0 = alarm == nil }
        defer { isIdle.change { $0 = false } }
        if bell.wait(milliseconds: alarm == nil ? -1 : 0) {
            bell.drain()
        } else if let alarm {
            time.change { $0 = max($0, alarm + late) }
        }
        alarm = nil
    }

    func close() {}
}

final class WakeLearningTests: XCTestCase {
    private static let second: UInt64 = 1_000_000_000

    /// How long before each of its deadlines a loop asks to be woken, whose wake-ups are late.
    private func leads(late: UInt64, _ deadlines: Int, between: (LiveEngine, SlowLoop, SceneID) -> Void) throws
        -> [UInt64]
    {
        let loop = try SlowLoop(late: late)
        let decided = Locked<[UInt64]>([])
        let engine = try LiveEngine(
            .init(policy: .fixed(.seconds(1)), scenesMax: 8, decisionsMax: 8), loop: loop,
            handler: { decision in if decision.isRebuild { decided.change { $0.append(decision.at.nanoseconds) } } })
        let scene = try engine.connect()
        try engine.start()
        for number in 1...deadlines {
            engine.post(.geometry(scene, at: loop.now, size: Size(width: Double(number), height: 1)))
            decided.wait { $0.count == number }
            between(engine, loop, scene)
        }
        engine.stop()
        // The loop may ask again for a deadline that is near; the first time counts.
        let asked = loop.asked.value
        return decided.value.map { deadline in
            let first = asked.first { $0 + Self.second > deadline && $0 < deadline } ?? deadline
            return deadline - first
        }
    }

    func testTheLoopLearnsHowLateItsWakeUpsAre() throws {
        let leads = try leads(late: 130_000, 30) { _, _, _ in }
        XCTAssertEqual(leads.first, 50_000)
        XCTAssertEqual(leads.last, 130_000)
    }

    /// What ends a sleep without a deadline says nothing of how late a wake-up is.
    func testASleepWithoutADeadlineTeachesNothing() throws {
        let leads = try leads(late: 50_000, 10) { engine, loop, scene in
            loop.isIdle.wait { $0 }
            loop.time.change { $0 += 100 * Self.second }
            engine.flush(scene)
        }
        XCTAssertEqual(leads, Array(repeating: 50_000, count: 10))
    }
}
