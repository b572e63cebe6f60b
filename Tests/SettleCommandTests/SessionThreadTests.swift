import Foundation
import Settle
import SettleClock
import SettleLog
import SettlePlatform
import SettleSources
import TestSupport
import XCTest

@testable import SettleCommand

/// What the threads write of a session whose source does what the test does.
final class SessionThreadTests: XCTestCase {
    private final class SilentSource: GeometrySource {
        static let kind = SourceKind(
            name: "silent", summary: "the test", unit: "px", hasResizingFlag: false, pointer: nil, timeStamps: .receipt,
            names: "names", problem: { nil },
            open: { _ throws(SourceError) in throw SourceError("the test makes it") })
        let header = LogHeader(source: "silent")
        let scenes = SceneNames()
        let descriptor: Int32 = -1
        func read(into batch: EventBatch) throws(SourceError) -> [SourceNews] { [] }
    }

    private let folder = TemporaryFolder()
    private let source = SilentSource()
    override func tearDown() { folder.remove() }

    private func session(_ policy: Policy? = nil, keepsEvents: Bool = false, keepsDecisions: Bool = false) throws
        -> SourceSession
    {
        try SourceSession(source, policy: policy, keepsEvents: keepsEvents, keepsDecisions: keepsDecisions)
    }

    /// Events of windows with these names, as the source would read them.
    private func receive(_ names: String..., news: [SourceNews] = [], in session: SourceSession) {
        let batch = EventBatch()
        for name in names {
            batch.append(
                .geometry(
                    source.scenes.number(of: name), at: MonotonicClock.now, size: Size(width: 30, height: 40)),
                at: .line(0))
        }
        session.receive(batch, scenes: source.scenes, news: news)
    }

    private func wait(_ thread: SessionThread) { while !thread.isDone { sched_yield() } }

    private func names(_ path: String) throws -> (scenes: [String], isComplete: Bool) {
        let (reader, batch) = (try LogReader(path: path), EventBatch())
        var names: [String] = []
        while try reader.read(into: batch) {
            for index in 0..<batch.count { names.append(reader.scenes[batch[index].name]) }
        }
        return (names, !reader.lacksEnd)
    }

    /// A window may have a name long before it has an event.
    func testANameThatComesWithoutAnEventIsRecordedWithItsFirst() throws {
        let (session, path) = (try session(keepsEvents: true), folder.file("log.settle"))
        let safe = Locked(0 as UInt64)
        let recorder = try LogRecorder(
            path: path, header: source.header, flushInterval: .zero, sync: .interval(.milliseconds(50))
        ) { made in safe.change { $0 = made.events } }
        func size() -> Int { ((try? FileManager.default.attributesOfItem(atPath: path))?[.size] as? Int) ?? 0 }
        let empty = size()
        let thread = SessionThread(wake: {})
        try thread.record(session, into: recorder, flushInterval: .zero)
        receive("first", in: session)
        while size() == empty { sched_yield() }
        // These are taken as the thread wakes to make the event safe.
        receive(news: [.title(source.scenes.number(of: "second"), "a title")], in: session)
        receive(news: [.title(source.scenes.number(of: "third"), "a title")], in: session)
        safe.wait { $0 == 1 }
        receive("third", "second", "fourth", in: session)
        safe.wait { $0 == 4 }
        receive(news: [.message("nothing")], in: session)
        receive("first", "third", in: session)
        session.giveUp(SourceError("that was all"))
        wait(thread)
        XCTAssertNil(thread.failure)
        XCTAssertEqual(thread.recordedEvents, 6)
        let found = try names(path)
        XCTAssertEqual(found.scenes, ["first", "third", "second", "fourth", "first", "third"])
        XCTAssertTrue(found.isComplete)
        session.abandon()
    }

    func testNewNamesAreTakenOnceAlsoWithoutEvents() throws {
        let session = try session(keepsEvents: true)
        func taken() -> [String] { session.takeEvents(until: .zero, pause: 0).names }
        receive(news: [.title(source.scenes.number(of: "a"), "")], in: session)
        XCTAssertEqual(taken(), ["a"])
        XCTAssertEqual(taken(), [])
        receive("b", "a", in: session)
        receive("c", in: session)
        XCTAssertEqual(taken(), ["b", "c"])
        XCTAssertEqual(taken(), [])
        session.abandon()
    }

    /// What came before an event that no log can hold is a whole log.
    func testAnEventThatCannotBeRecordedEndsTheLogInOrder() throws {
        let (session, path) = (try session(keepsEvents: true), folder.file("log.settle"))
        let safe = Locked(0 as UInt64)
        let recorder = try LogRecorder(path: path, header: source.header, flushInterval: .zero, sync: .flush) { made in
            safe.change { $0 = made.events }
        }
        let woken = Locked(0)
        let thread = SessionThread(wake: { woken.change { $0 += 1 } })
        try thread.record(session, into: recorder, flushInterval: .zero)
        receive("a", "b", in: session)
        safe.wait { $0 == 2 }
        XCTAssertNil(thread.failure)
        receive(String(repeating: "n", count: SceneNames.nameLengthMax + 1), in: session)
        woken.wait { $0 == 1 }
        XCTAssertEqual(
            thread.failure.map { text(of: $0) }, "\(path): a scene's name is longer than 1024 bytes")
        // The source goes on, and nobody waits for what is not recorded.
        receive("a", in: session)
        session.giveUp(SourceError("that was all"))
        wait(thread)
        let found = try names(path)
        XCTAssertEqual(found.scenes, ["a", "b"])
        XCTAssertTrue(found.isComplete)
        session.abandon()
    }

    /// Where a reader was too slow, all decisions before the first lost one are printed, and then why no more are.
    func testWhatWasNotLostIsPrintedBeforeThePrintingEnds() throws {
        // Each event is a rebuild.
        let session = try session(.uikit, keepsDecisions: true)
        for _ in 0...SourceSession.waitingMax / 8 {
            for width in 1...8 {
                let batch = EventBatch()
                batch.append(
                    .geometry(
                        source.scenes.number(of: "a"), at: MonotonicClock.now,
                        size: Size(width: Double(width), height: 1)),
                    at: .line(0))
                session.receive(batch, scenes: source.scenes, news: [])
            }
        }
        session.giveUp(SourceError("that was all"))
        let lines = Locked(0)
        let output = ByteOutput(name: "decisions") { bytes in
            lines.change { $0 += bytes.count { $0 == UInt8(ascii: "\n") } }
        }
        let thread = SessionThread(wake: {})
        try thread.print(session, with: DecisionWriter(output, policy: .uikit))
        wait(thread)
        XCTAssertEqual(lines.value, SourceSession.waitingMax)
        XCTAssertEqual(
            thread.failure.map { text(of: $0) },
            "standard output: its reader let 65,536 decisions wait; no more are printed")
        session.abandon()
    }
}
