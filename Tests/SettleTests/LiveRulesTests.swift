import CSettle
import Settle
import TestSupport
import XCTest

/// Rule 18: rebuilds before an end, as often as a share of the time pays for. Times are in milliseconds.
final class LiveRulesTests: XCTestCase {
    /// Builds of 10 ms at 25 %: each is paid for 30 ms after its end.
    private let quarter = Policy(liveShare: 25, liveLimit: nil, liveInterval: .zero)

    /// An engine and a scene that reports, is built at 100 × 100 by rebuild 1, and is dragged from 200 on.
    private func dragged(_ policy: Policy, cost: Int64? = 10, at now: Int = 50) throws -> (CheckedEngine, SceneID) {
        let engine = try CheckedEngine(policy)
        let scene = try engine.connect()
        engine.submit(.geometry(scene, at: .ms(0), size: side(100), isInteractivelyResizing: false))
        XCTAssertEqual(sizes(engine.advance(to: .ms(0))), ["100 first 1"])
        if let cost { engine.submit(report(scene, 1, cost, at: now)) }
        engine.submit(.geometry(scene, at: .ms(200), isInteractivelyResizing: true))
        return (engine, scene)
    }

    private func side(_ side: Double) -> Size { Size(width: side, height: side) }

    private func report(_ scene: SceneID, _ generation: UInt32, _ cost: Int64, at now: Int) -> Event {
        .finished(scene, generation: generation, cost: .milliseconds(cost), at: .ms(now))
    }

    private func change(_ scene: SceneID, _ width: Double, at now: Int) -> Event {
        .geometry(scene, at: .ms(now), size: side(width))
    }

    /// Rebuilds as size, reason and generation.
    private func sizes(_ decisions: [Decision]) -> [String] {
        decisions.compactMap {
            guard case .rebuild(let rebuild) = $0.kind else { return nil }
            return "\(Int(rebuild.size.width)) \(rebuild.reason) \(rebuild.generation)"
        }
    }

    func testRule18_theLeadingEdgeIsBuiltAtOnceAndTheNextOneWhenItIsPaidFor() throws {
        let (engine, scene) = try dragged(quarter)
        engine.submit(change(scene, 110, at: 210))
        XCTAssertTrue(engine.isPending(scene))
        XCTAssertEqual(sizes(engine.advance(to: .ms(210))), ["110 live 2"])
        XCTAssertTrue(engine.isInteracting(scene))
        XCTAssertFalse(engine.isPending(scene))
        // One in flight: nothing is armed until its end is reported, nor before 30 ms after it.
        XCTAssertEqual(sizes(engine.submit(change(scene, 120, at: 215), change(scene, 130, at: 219))), [])
        XCTAssertFalse(engine.isPending(scene))
        engine.submit(report(scene, 2, 10, at: 220), change(scene, 140, at: 230))
        XCTAssertEqual(sizes(engine.advance(to: Timestamp(nanoseconds: 249_999_999))), [])
        XCTAssertEqual(sizes(engine.advance(to: .ms(250))), ["140 live 3"])
        // The end builds what is left, whatever was paid for.
        let end = engine.submit(
            change(scene, 150, at: 251), .geometry(scene, at: .ms(252), isInteractivelyResizing: false))
        XCTAssertEqual(sizes(end + engine.advance(to: .ms(252))), ["150 interactionEnded 4"])
    }

    func testRule18_withoutLiveShareOrAReportNothingIsLive() throws {
        for (policy, cost) in [(Policy(liveLimit: nil), Int64(10)), (quarter, nil)] {
            let (engine, scene) = try dragged(policy, cost: cost)
            XCTAssertEqual(sizes(engine.submit(change(scene, 110, at: 210)) + engine.advance(to: .ms(900))), [])
        }
    }

    func testRule18_theWaitIsRoundedUpToWholeNanoseconds() throws {
        let engine = try CheckedEngine(Policy(liveShare: 30, liveInterval: .zero))
        let scene = try engine.connect()
        engine.submit(.geometry(scene, at: .ms(0), size: side(100), isInteractivelyResizing: true))
        engine.submit(.geometry(scene, at: .ms(1), isInteractivelyResizing: false))
        engine.advance(to: .ms(1))
        // 1 ns × 70 / 30 is 2.33 ns.
        engine.submit(.geometry(scene, at: .ms(2), size: side(110), isInteractivelyResizing: true))
        engine.submit(.finished(scene, generation: 1, cost: .nanoseconds(1), at: .ms(3)))
        XCTAssertEqual(engine.nextDeadline, Timestamp(nanoseconds: 3_000_003))
    }

    func testRule18_laterChangesDoNotMoveItAndItsSizeIsTheLast() throws {
        let (engine, scene) = try dragged(quarter, at: 190)
        for now in stride(from: 200, to: 220, by: 5) { engine.submit(change(scene, Double(now), at: now)) }
        XCTAssertEqual(sizes(engine.advance(to: .ms(220))), ["215 live 2"])
    }

    func testRule18_notWithinTheIntervalOfTheLastRebuild() throws {
        var policy = quarter
        policy.liveInterval = .milliseconds(100)
        let (engine, scene) = try dragged(policy)
        engine.submit(change(scene, 110, at: 210))
        engine.advance(to: .ms(210))
        engine.submit(change(scene, 120, at: 211), report(scene, 2, 1, at: 212))
        XCTAssertEqual(engine.nextDeadline, .ms(310))
    }

    func testRule18_aBuildAboveTheLimitEndsThemUntilOneTookLess() throws {
        var policy = quarter
        policy.liveLimit = .milliseconds(10)
        let (engine, scene) = try dragged(policy)
        engine.submit(change(scene, 110, at: 210))
        XCTAssertEqual(sizes(engine.advance(to: .ms(210))), ["110 live 2"])
        engine.submit(.finished(scene, generation: 2, cost: .nanoseconds(10_000_001), at: .ms(220)))
        XCTAssertEqual(sizes(engine.submit(change(scene, 120, at: 230)) + engine.advance(to: .ms(900))), [])
        engine.submit(.geometry(scene, at: .ms(901), isInteractivelyResizing: false))
        engine.advance(to: .ms(901))
        engine.submit(report(scene, 3, 10, at: 911), .geometry(scene, at: .ms(950), isInteractivelyResizing: true))
        XCTAssertEqual(
            sizes(engine.submit(change(scene, 130, at: 960)) + engine.advance(to: .ms(960))), ["130 live 4"])
    }

    func testRule18_aReportOfAnotherGenerationOrOfNoFlightChangesNothing() throws {
        let (engine, scene) = try dragged(quarter)
        engine.submit(change(scene, 110, at: 210), change(scene, 120, at: 211))
        for generation: UInt32 in [0, 1, 3, .max] { engine.submit(report(scene, generation, 1, at: 220)) }
        XCTAssertFalse(engine.isPending(scene))
        // The one in flight counts, and a second report of it does not.
        engine.submit(report(scene, 2, 10, at: 230), report(scene, 2, 1, at: 231))
        XCTAssertEqual(engine.nextDeadline, .ms(260))
        XCTAssertEqual(engine.statistics.rejected, 0)
    }

    func testRule18_aReturnedSizeEndsTheFlightAndItsCostIsTheOneBefore() throws {
        let (engine, scene) = try dragged(quarter)
        engine.submit(change(scene, 110, at: 210), .built(scene, size: side(100), at: .ms(215)))
        XCTAssertFalse(engine.isPending(scene))
        engine.submit(report(scene, 2, 99, at: 216), change(scene, 120, at: 220))
        XCTAssertEqual(sizes(engine.advance(to: .ms(220))), ["120 live 3"])
    }

    func testRule18_theBuiltSizeACancelAndADisconnectDisarmIt() throws {
        for (way, event) in [
            ("size", { self.change($0, 100, at: 215) }), ("cancel", { .cancel($0, at: .ms(215)) }),
            ("returned", { .built($0, size: self.side(110), at: .ms(215)) }),
            ("disconnect", { .disconnect($0, at: .ms(215)) }),
        ] as [(String, (SceneID) -> Event)] {
            let (engine, scene) = try dragged(quarter, at: 190)
            engine.submit(change(scene, 110, at: 210))
            XCTAssertTrue(engine.isPending(scene), way)
            engine.submit(event(scene))
            XCTAssertFalse(engine.isPending(scene), way)
            XCTAssertEqual(sizes(engine.advance(to: .ms(900))), [], way)
        }
    }

    func testRule18_theNextChangeAfterACancelArmsAgain() throws {
        let (engine, scene) = try dragged(quarter)
        engine.submit(change(scene, 110, at: 210))
        engine.advance(to: .ms(210))
        engine.submit(change(scene, 120, at: 211), .cancel(scene, at: .ms(212)), report(scene, 2, 10, at: 213))
        XCTAssertFalse(engine.isPending(scene), "a report does not undo a cancel")
        XCTAssertEqual(
            sizes(engine.submit(change(scene, 130, at: 260)) + engine.advance(to: .ms(260))), ["130 live 3"])
    }

    func testRule18_anInteractionsBeginAndEndDoNotDisarmIt() throws {
        let engine = try CheckedEngine(
            Policy(discreteDelay: .seconds(1), liveShare: 25, liveLimit: nil, liveInterval: .zero))
        let scene = try engine.connect()
        engine.submit(.geometry(scene, at: .ms(0), size: side(100), isInteractivelyResizing: true))
        engine.submit(.geometry(scene, at: .ms(1), isInteractivelyResizing: false))
        engine.submit(report(scene, 1, 10, at: 2), change(scene, 110, at: 3))
        engine.submit(.geometry(scene, at: .ms(10), isInteractivelyResizing: true))
        XCTAssertEqual(sizes(engine.advance(to: .ms(32))), ["110 live 2"])
        // What is built at the end is not built again, and outside an interaction it is live as well.
        engine.submit(.geometry(scene, at: .ms(40), isInteractivelyResizing: false), report(scene, 2, 10, at: 50))
        XCTAssertEqual(sizes(engine.submit(change(scene, 120, at: 60)) + engine.advance(to: .ms(80))), ["120 live 3"])
        XCTAssertEqual(sizes(engine.finish()), [], "nothing is owed any more")
    }

    func testRule18_aScenesFirstRebuildIsNotLive() throws {
        let engine = try CheckedEngine(Policy(firstDelay: .seconds(1), liveShare: 100, liveInterval: .zero))
        let scene = try engine.connect()
        engine.submit(change(scene, 100, at: 0), report(scene, 0, 0, at: 1), change(scene, 110, at: 2))
        XCTAssertEqual(sizes(engine.finish()), ["110 first 1"])
    }

    func testRule18_aReportIsNoSignOfLifeAndConnectsNoScene() throws {
        var policy = quarter
        policy.interactionTimeout = .milliseconds(300)
        let (engine, scene) = try dragged(policy)
        engine.submit(change(scene, 110, at: 210))
        engine.submit(report(scene, 2, 10, at: 400))
        XCTAssertEqual(engine.nextDeadline, .ms(510))
        engine.submit(.disconnect(scene, at: .ms(401)), report(scene, 2, 10, at: 402))
        XCTAssertEqual(engine.statistics.rejectedScenes, 1)
    }

    func testRule18_theWatchdogStaysArmedOverALiveRebuildAndAPreviewDoesNot() throws {
        var policy = quarter
        (policy.interactionTimeout, policy.pauseDelay) = (.milliseconds(300), .milliseconds(100))
        let (engine, scene) = try dragged(policy, at: 190)
        engine.submit(change(scene, 110, at: 210))
        let kinds = engine.advance(to: .ms(600)).map { "\($0.at.nanoseconds / 1_000_000) \($0.kindText)" }
        XCTAssertEqual(kinds, ["220 rebuild live", "510 ended timeout"])
    }

    /// The order within one event is preview, live, lock; all are due at the same time.
    func testRule18_theArmingOrderIsAfterThePreviewAndBeforeTheLock() throws {
        let policy = Policy(
            reportedEndDelay: .zero, lockDelay: .zero, pauseDelay: .zero, liveShare: 25, liveLimit: nil,
            liveInterval: .zero)
        let (engine, scene) = try dragged(policy)
        engine.submit(
            .geometry(scene, at: .ms(210), size: side(110), isInterfaceOrientationLocked: true))
        XCTAssertEqual(
            engine.advance(to: .ms(210)).map(\.kindText), ["preview", "rebuild live", "locked"])
    }

    func testRule18_aShareOf100WithoutBoundsIsEverySizeWithOneBuildInFlight() throws {
        let (engine, scene) = try dragged(Policy(liveShare: 100, liveLimit: nil, liveInterval: .zero))
        var built: [String] = []
        for now in stride(from: 210, to: 250, by: 10) {
            let generation = UInt32(built.count + 2)
            built += sizes(engine.submit(change(scene, Double(now), at: now)) + engine.advance(to: .ms(now)))
            engine.submit(report(scene, generation, 1_000, at: now + 9))
        }
        XCTAssertEqual(built, ["210 live 2", "220 live 3", "230 live 4", "240 live 5"])
    }

    func testRule18_aCostCountsUpToAnHour() throws {
        let policy = Policy(interactionTimeout: nil, liveShare: 50, liveLimit: nil, liveInterval: .zero)
        let (engine, scene) = try dragged(policy, cost: nil)
        engine.submit(
            .finished(scene, generation: 1, cost: .seconds(1_000_000), at: .ms(201)), change(scene, 110, at: 210))
        XCTAssertEqual(engine.nextDeadline, Timestamp(nanoseconds: 201_000_000 + 3_600_000_000_000))
    }

    func testRule18_aNewPolicyWaitsForTheNextReport() throws {
        let (engine, scene) = try dragged(quarter)
        try engine.setPolicy(Policy(liveShare: 100, liveInterval: .zero), of: scene)
        engine.submit(change(scene, 110, at: 210))
        XCTAssertFalse(engine.isPending(scene))
    }

    // MARK: The C core

    func testLive_isRefusedWhereThereIsNoRoomForIt() throws {
        var (policy, number) = (settle_policy_live(), UInt32(0))
        XCTAssertEqual(settle_core_add_policy(try makeCore(), &policy, &number), invalid)
        let core = try makeCore { $0.features = SETTLE_LIVE_REBUILDS.rawValue }
        XCTAssertEqual(settle_core_add_policy(core, &policy, &number), ok)
        policy.pause_delay_ns = 5
        XCTAssertEqual(settle_core_add_policy(core, &policy, &number), invalid, "previews are another feature")
        for percent: UInt64 in [0, 101, UInt64.max - 1] {
            policy = settle_policy_live()
            policy.live_share_percent = percent
            XCTAssertEqual(settle_core_add_policy(core, &policy, &number), invalid)
        }
    }

    func testLive_aCoreWithoutTheFeatureTakesReportsAndIgnoresThem() throws {
        let core = try makeCore()
        let scene = connect(core)
        submit(core, settle_event_geometry(scene, 0, 100, 100, 0), settle_event_finished(scene, 5, 1, 1))
        XCTAssertEqual(settle_core_now_ns(core), 5)
        XCTAssertEqual(settle_core_stats(core).rejected_event, 0)
    }
}
