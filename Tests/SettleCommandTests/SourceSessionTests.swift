import Settle
import SettleClock
import SettleLog
import SettlePlatform
import SettleSources
import XCTest

@testable import SettleCommand

/// A source whose windows change as fast as it is read.
private final class FloodSource: GeometrySource {
    static let kind = SourceKind(
        name: "flood", summary: "a flood", unit: "px", hasResizingFlag: false, pointer: nil, timeStamps: .receipt,
        names: "numbers", problem: { nil },
        open: { _ throws(SourceError) in throw SourceError("the test makes it") })
    let header = LogHeader(source: "flood")
    let scenes = SceneNames()
    let descriptor: Int32
    private let bell: EventDescriptor
    private var rest: Int
    let failure: SourceError?
    let runsProgram: Bool
    nonisolated(unsafe) var ignoresStop = false
    /// Whether it ends only when it is stopped again.
    nonisolated(unsafe) var needsKilling = false

    init(events: Int, failure: SourceError? = nil, runsProgram: Bool = false) throws {
        bell = try EventDescriptor()
        bell.signal()
        descriptor = bell.number
        rest = events
        self.failure = failure
        self.runsProgram = runsProgram
    }

    func read(into batch: EventBatch) throws(SourceError) -> [SourceNews] {
        for _ in 0..<min(rest, 200) {
            let scene = scenes.number(of: "window \(rest % 7)")
            batch.append(
                .geometry(scene, at: MonotonicClock.now, size: Size(width: Double(1 + rest % 900), height: 5)),
                at: .line(0))
            rest -= 1
        }
        if rest > 0 { return [] }
        if let failure { throw failure }
        return [.message("that was all"), .ended(status: 3)]
    }

    func stop() -> Bool {
        if !ignoresStop, !needsKilling { rest = 0 }
        needsKilling = false
        return runsProgram
    }
}

final class SourceSessionTests: XCTestCase {
    private struct Taken {
        var events: [LogEvent] = []
        var names: [String] = []
        var decisions: [String] = []
        var messages: [String] = []
        var lost = 0
        var end: Result<SourceRunner.End, SourceError>?
    }

    /// Takes all that a session has, as slowly as `pause` says.
    private func take(_ session: SourceSession, pause: UInt32 = 0) throws -> Taken {
        var all = Taken()
        try session.start()
        var isLast = false
        while !isLast {
            let (events, names, last) = session.takeEvents(until: .latest, pause: 20_000_000)
            for index in 0..<events.count { all.events.append(events[index]) }
            all.names += names
            all.messages += session.takeMessages()
            isLast = last
            usleep(pause)
        }
        while true {
            let (decisions, lost, last) = session.takeDecisions()
            all.decisions += decisions.map { "\($0.scene): \($0.decision)" }
            all.lost = lost
            if last { break }
        }
        all.end = session.end
        session.waitForRelease()
        return all
    }

    /// What an engine decides about the events when it is given them at once.
    private func replayed(_ taken: Taken, _ policy: Policy = .default) throws -> [String] {
        var engine = try LogEngine(policy: policy, scenesMax: Engine.scenesLimit, decisionsMax: 100)
        var decisions: [String] = []
        for event in taken.events {
            try engine.submit(event) { decisions.append("\(taken.names[Int($1.rawValue)]): \($0)") }
        }
        engine.finish { decisions.append("\(taken.names[Int($1.rawValue)]): \($0)") }
        return decisions
    }

    func testEveryEventIsTakenOnceAndDecidedAsByAReplay() throws {
        for pause: UInt32 in [0, 30_000] {
            let session = try SourceSession(
                FloodSource(events: 200_000), policy: .default, keepsEvents: true, keepsDecisions: true)
            let taken = try take(session, pause: pause)
            XCTAssertEqual(taken.events.count, 200_000)
            XCTAssertEqual(taken.decisions, try replayed(taken))
            XCTAssertEqual(taken.messages, ["that was all"])
            XCTAssertEqual(taken.end, .success(.ended(status: 3)))
            XCTAssertEqual(session.table()?.total.naive, 200_000)
        }
    }

    func testAReaderThatTakesNoDecisionsStopsNobody() throws {
        // Each event is a rebuild under this policy.
        let count = SourceSession.waitingMax + 1000
        let session = try SourceSession(
            FloodSource(events: count), policy: .uikit, keepsEvents: true, keepsDecisions: true)
        let taken = try take(session)
        XCTAssertEqual(taken.events.count, count)
        XCTAssertEqual(taken.decisions.count, SourceSession.waitingMax)
        XCTAssertEqual(taken.lost, 1000)
        XCTAssertEqual(taken.decisions, Array(try replayed(taken, .uikit).prefix(taken.decisions.count)))
    }

    /// Decisions have no hole: none is taken after the first that was lost, also where there is room again.
    func testAReaderThatIsSlowGetsTheFirstDecisions() throws {
        let count = 2 * SourceSession.waitingMax
        let source = try FloodSource(events: count)
        let session = try SourceSession(source, policy: .uikit, keepsDecisions: true)
        // The source is not started: this thread has its events.
        var sent = 0
        let batch = EventBatch()
        func receive(_ events: Int) {
            for _ in 0..<events {
                batch.removeAll()
                batch.append(
                    .geometry(
                        source.scenes.number(of: "a"), at: MonotonicClock.now,
                        size: Size(width: Double(1 + sent % 2), height: 5)), at: .line(0))
                sent += 1
                session.receive(batch, scenes: source.scenes, news: [])
            }
            session.advance(to: MonotonicClock.now)
        }
        receive(SourceSession.waitingMax)
        var taken = session.takeDecisions()
        XCTAssertEqual(taken.decisions.count, SourceSession.waitingMax)
        XCTAssertEqual(taken.lost, 0)
        receive(SourceSession.waitingMax + 3)
        taken = session.takeDecisions()
        XCTAssertEqual(taken.decisions.count, SourceSession.waitingMax)
        XCTAssertEqual(taken.lost, 3)
        receive(2)
        session.giveUp(SourceError("enough"))
        receive(1)
        taken = session.takeDecisions()
        XCTAssertEqual(taken.decisions.count, 0)
        XCTAssertEqual(taken.lost, 5)
        XCTAssertTrue(taken.isLast)
        session.abandon()
    }

    func testTheSourceIsReleasedBeforeItsEndIsKnown() throws {
        for isAbandoned in [false, true] {
            var source: FloodSource? = try FloodSource(events: 1000, runsProgram: true)
            weak let held = source
            let session = try SourceSession(source!, policy: nil)
            source = nil
            XCTAssertNotNil(held)
            if isAbandoned { session.abandon() } else { XCTAssertNotNil(try take(session).end) }
            XCTAssertNil(held)
        }
    }

    func testASourceThatDoesNotEndIsKilledWhenItIsAbandoned() throws {
        var source: FloodSource? = try FloodSource(events: .max, runsProgram: true)
        weak let held = source
        source?.needsKilling = true
        let session = try SourceSession(source!, policy: nil, keepsEvents: true)
        source = nil
        // Nobody takes its events meanwhile.
        session.abandon()
        XCTAssertNil(held)
    }

    func testNewNamesComeOnceAndEventsWithoutDelayOnRequest() throws {
        let session = try SourceSession(FloodSource(events: 2000), policy: nil, keepsEvents: true)
        try session.start()
        var (names, count, isLast): ([String], Int, Bool) = ([], 0, false)
        while !isLast {
            let taken = session.takeEvents(until: .latest, pause: 0)
            names += taken.names
            count += taken.events.count
            isLast = taken.isLast
            for index in 0..<taken.events.count {
                XCTAssertLessThan(Int(taken.events[index].name.rawValue), names.count)
            }
        }
        session.waitForRelease()
        XCTAssertEqual(Set(names).count, names.count)
        XCTAssertEqual(names.count, 7)
        XCTAssertEqual(count, 2000)
    }

    func testASourceThatIsGivenUpHasEndedForEverybodyElse() throws {
        let source = try FloodSource(events: .max, runsProgram: true)
        source.ignoresStop = true
        let session = try SourceSession(source, policy: nil, keepsEvents: true)
        try session.start()
        session.stop()
        XCTAssertFalse(session.takeEvents(until: .latest, pause: 0).isLast)
        session.giveUp(SourceError("given up"))
        XCTAssertEqual(session.end, .failure(SourceError("given up")))
        XCTAssertTrue(session.takeEvents(until: .latest, pause: 0).isLast)
        source.ignoresStop = false
        session.stop()
        session.waitForRelease()
        XCTAssertEqual(session.end, .failure(SourceError("given up")))
    }

    func testAFailureComesAfterTheEventsBeforeIt() throws {
        let source = try FloodSource(events: 1000, failure: SourceError("gone"))
        let taken = try take(SourceSession(source, policy: nil, keepsEvents: true))
        XCTAssertEqual(taken.events.count, 1000)
        XCTAssertEqual(taken.decisions, [])
        XCTAssertEqual(taken.end, .failure(SourceError("gone")))
    }

    func testStoppingEndsASourceAtOnceOrAsksItsProgram() throws {
        for (runsProgram, end) in [(false, SourceRunner.End.stopped), (true, .ended(status: 3))] {
            let source = try FloodSource(events: .max, runsProgram: runsProgram)
            let session = try SourceSession(source, policy: nil, keepsEvents: false)
            session.stop()
            XCTAssertEqual(try take(session).end, .success(end))
        }
    }
}
