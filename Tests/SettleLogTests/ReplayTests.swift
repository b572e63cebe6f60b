import CSettle
import Foundation
import Settle
import TestSupport
import XCTest

@testable import SettleLog

final class ReplayTests: XCTestCase {
    private func replay(
        _ bytes: [UInt8], policy: Policy = .default, window: ReplayWindow = ReplayWindow()
    ) throws -> (lines: [String], summary: ReplaySummary) {
        let replay = try LogReplay(LogReader(ByteInput(bytes: bytes, name: "test")), policy: policy, window: window)
        var lines: [String] = []
        while try replay.readNext() { replay.submit { lines.append(DecisionWriter.line($0, scene: $1)) } }
        replay.finish { lines.append(DecisionWriter.line($0, scene: $1)) }
        return (lines, replay.summary)
    }

    private func lines(ofFile path: String) throws -> [String] {
        try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n").map(String.init)
    }

    func testTheOnlyEventOfALogIsItsFirstAndItsLast() throws {
        for at: UInt64 in [0, 5_000_000_007] { try assertOnlyEventIsFirstAndLast(Timestamp(nanoseconds: at)) }
    }

    private func assertOnlyEventIsFirstAndLast(_ at: Timestamp) throws {
        let scenes = SceneNames()
        let events: [[LogEvent]] = [
            [.geometry(scenes.number(of: "a"), at: at, size: Size(width: 1, height: 1))],
            [.pointer(button: 1, at: at, isPressed: true)], [.connect(scenes.number(of: "a"), at: at)],
        ]
        for events in events {
            for format in [LogFormat.settle, .jsonl] {
                let bytes = try written(as: format, scenes: scenes, events)
                let summary = try replay(bytes).summary
                XCTAssertEqual([summary.first, summary.last], [at, at])
                XCTAssertEqual(summary.span, .zero)
            }
            let bytes = try written(as: .settle, scenes: scenes, events)
            let reader = try BinaryReader(ByteInput(bytes: bytes, name: "test"))
            let batch = EventBatch()
            while try reader.read(into: batch) { batch.removeAll() }
            let entry = try XCTUnwrap(reader.index?.entries.first)
            XCTAssertEqual([entry.first_ns, entry.last_ns], [at.nanoseconds, at.nanoseconds])
            var chunk = settle_log_chunk()
            XCTAssertEqual(settle_log_read_chunk_header(Array(bytes[Int(entry.offset)...]), &chunk), 0)
            XCTAssertEqual([chunk.first_ns, chunk.last_ns], [at.nanoseconds, at.nanoseconds])
        }
        // The same by itself, from a count of nothing.
        var counts = settle_log_counts(first_ns: .max, last_ns: 0, events: 0, pointers: 0)
        var event = settle_log_event()
        event.at_ns = at.nanoseconds
        XCTAssertEqual(settle_log_bind(&event, 1, [settle_log_scene(handle: 9, is_counted: 0)], 1, &counts), 1)
        XCTAssertEqual([counts.first_ns, counts.last_ns, counts.events], [at.nanoseconds, at.nanoseconds, 1])
    }

    func testEachRejectionIsCountedAsWhatItIs() throws {
        var lines = [#"{"t_ns":9,"scene":"a","width":-1,"height":1}"#, #"{"t_ns":9,"scene":"a","width":1,"height":1}"#]
        lines += (0..<2).map { _ in #"{"t_ns":9,"scene":"b","kind":"disconnect"}"# }
        let buttons = Engine.buttonsLimit + 3
        lines += (0..<buttons).map { #"{"t_ns":9,"kind":"pointer","button":\#($0),"pressed":true}"# }
        lines += (0..<4).map { #"{"t_ns":\#($0),"scene":"a","width":2,"height":1}"# }
        let summary = try replay(Array((jsonHeader + lines.joined(separator: "\n")).utf8)).summary
        XCTAssertEqual(
            [summary.rejectedSizes, summary.rejectedScenes, summary.rejectedEvents, summary.regressions], [1, 2, 3, 4])
        XCTAssertEqual([summary.events, summary.pointerEvents, summary.scenes], [lines.count, buttons, 2])
    }

    /// One that stops before the log's end.
    func testAReplayThatDiscardsDecidesNothingMoreAndCountsAllTheSame() throws {
        let log = [1, 2].map { #"{"t_ns":\#($0)00000000,"scene":"a","width":1,"height":\#($0)}"# + "\n" }.joined()
        for (discarding, rebuilds) in [(false, 2), (true, 1)] {
            let replay = try LogReplay(
                LogReader(ByteInput(bytes: Array((jsonHeader + log).utf8), name: "test")), policy: .default)
            var decided = 0
            while try replay.readNext() { replay.submit { _, _ in decided += 1 } }
            XCTAssertEqual(decided, 1)
            XCTAssertNotNil(replay.nextDeadline)
            replay.finish(discarding: discarding) { _, _ in decided += 1 }
            XCTAssertEqual([decided, replay.summary.rebuilds], [rebuilds, rebuilds])
            XCTAssertEqual(
                [replay.summary.events, replay.summary.everyChange, replay.summary.fixedDebounce], [2, 2, 2])
        }
    }

    func testEachDecisionIsCountedAndWritten() {
        let (scene, size) = (SceneNumber(rawValue: 0), Size(width: 2, height: 1.5))
        var (summary, lines): (ReplaySummary, [String]) = (ReplaySummary(), [])
        func add(_ kind: Decision.Kind) {
            let decision = Decision(at: Timestamp(nanoseconds: 7), scene: SceneID(rawValue: 1), kind: kind)
            summary.add(decision, scene)
            lines.append(DecisionWriter.line(decision, scene: "s", takesReports: true))
        }
        for (number, reason) in Rebuild.Reason.allCases.enumerated() {
            for _ in 0...number { add(.rebuild(Rebuild(size: size, reason: reason))) }
        }
        XCTAssertEqual(summary.rebuilds, 36)
        XCTAssertEqual(Rebuild.Reason.allCases.map { summary.rebuildsByReason[$0] }, [1, 2, 3, 4, 5, 6, 7, 8])
        lines = []
        add(.rebuild(Rebuild(size: size, reason: .live, generation: 4, isPrepared: true)))
        add(.rebuild(Rebuild(size: size, reason: .live, generation: 4, isFeedback: true)))
        add(.preview(size, generation: 9))
        add(.lockChanged(isLocked: true))
        for _ in 0..<3 { add(.interactionBegan) }
        add(.interactionEnded(.reported, duration: .zero))
        let before = #"{"t_ns":7,"scene":"s","kind":""#
        let rebuild = #"rebuild","width":2,"height":1.5,"reason":"live","generation":4,"#
        let ends = [
            rebuild + #""prepared":true}"#, rebuild + #""feedback":true}"#,
            #"preview","width":2,"height":1.5,"generation":9}"#, #"lockChanged","locked":true}"#,
            #"interactionBegan"}"#, #"interactionBegan"}"#, #"interactionBegan"}"#,
            #"interactionEnded","reason":"reported"}"#,
        ]
        XCTAssertEqual(lines, ends.map { before + $0 })
        XCTAssertEqual(
            [summary.previews, summary.lockChanges, summary.interactions, summary.openInteractions], [1, 1, 3, 2])
        XCTAssertEqual(summary.feedback.rebuilds, [scene: 1])
        XCTAssertEqual(
            [summary.rejectedSizes, summary.rejectedScenes, summary.rejectedEvents, summary.regressions], [0, 0, 0, 0])
    }

    func testADecisionIsALineOfTheOutput() throws {
        let written = Locked("")
        let output = ByteOutput(name: "out") { bytes in written.change { $0 += String(decoding: bytes, as: UTF8.self) }
        }
        let writer = DecisionWriter(output, policy: .default)
        for width in [1.0, 2.0] {
            let rebuild = Rebuild(size: Size(width: width, height: 1), reason: .first, generation: 3)
            let decision = Decision(at: .zero, scene: SceneID(rawValue: 1), kind: .rebuild(rebuild))
            try writer.write(decision, scene: "s", takesReports: width == 1 ? nil : true)
        }
        try writer.finish()
        XCTAssertEqual(
            written.value,
            """
            {"t_ns":0,"scene":"s","kind":"rebuild","width":1,"height":1,"reason":"first"}
            {"t_ns":0,"scene":"s","kind":"rebuild","width":2,"height":1,"reason":"first","generation":3}

            """)
    }

    func testAWindowSaysWhetherTheLogWasReadToItsEnd() throws {
        let scenes = SceneNames()
        let scene = scenes.number(of: "a")
        let events: [LogEvent] = (0..<12).map {
            .geometry(scene, at: Timestamp(nanoseconds: UInt64($0)), size: Size(width: Double($0 + 1), height: 1))
        }
        let bytes = try written(as: .settle, eventsPerChunk: 3, scenes: scenes, events)
        func lacksEnd(_ bytes: [UInt8], nanoseconds: Int?) throws -> Bool {
            let window = ReplayWindow(duration: nanoseconds.map { .nanoseconds($0) })
            let reader = try LogReader(ByteInput(bytes: bytes, name: "test"))
            let replay = try LogReplay(reader, policy: .default, window: window)
            XCTAssert(reader.lacksEnd, "nothing is known before the end")
            while try replay.readNext() { replay.submit { _, _ in } }
            return reader.lacksEnd
        }
        // Two chunks follow the one that is behind the window: they are not read.
        XCTAssert(try lacksEnd(bytes, nanoseconds: 2))
        XCTAssertFalse(try lacksEnd(bytes, nanoseconds: 10), "the last chunk reaches into the window")
        XCTAssertFalse(try lacksEnd(bytes, nanoseconds: nil))
        let index = SETTLE_LOG_FOOTER_HEADER_BYTES + 4 * SETTLE_LOG_FOOTER_ENTRY_BYTES + SETTLE_LOG_FOOTER_TAIL_BYTES
        for nanoseconds in [2, 10, nil] { XCTAssert(try lacksEnd(bytes.dropLast(index), nanoseconds: nanoseconds)) }
    }

    func testEveryRecordingGivesItsDecisions() throws {
        XCTAssertGreaterThan(Recordings.names.count, 8)
        for name in Recordings.names {
            let result = try replay(bytes(ofFile: Recordings.log(name)))
            XCTAssertEqual(result.lines, try lines(ofFile: Recordings.decisions(name)), name)
        }
    }

    func testTheBinaryEncodingGivesTheSameDecisions() throws {
        for name in Recordings.names {
            let reader = try LogReader(path: Recordings.log(name))
            let folder = TemporaryFolder()
            let writer = try BinaryWriter(
                ByteOutput(path: folder.file("log.settle")), header: reader.header, eventsPerChunk: 100)
            let batch = EventBatch()
            while try reader.read(into: batch) { try writer.write(batch, scenes: reader.scenes) }
            try writer.finish()
            let result = try replay(bytes(ofFile: folder.file("log.settle")))
            XCTAssertEqual(result.lines, try lines(ofFile: Recordings.decisions(name)), name)
        }
    }

    func testAPacedReplayDecidesTheSame() throws {
        for name in ["r06_metacity_suite", "w12_mutter_nasty", "w08_mutter_real"] {
            let replay = try LogReplay(LogReader(path: Recordings.log(name)), policy: .default)
            var lines: [String] = []
            func receive(_ decision: Decision, _ scene: String) {
                lines.append(DecisionWriter.line(decision, scene: scene))
            }
            while try replay.readNext() {
                while let event = replay.nextEvent {
                    if let deadline = replay.nextDeadline, deadline < event {
                        replay.advance(to: deadline, deliver: receive)
                    } else {
                        replay.submit(upTo: event, deliver: receive)
                    }
                }
            }
            replay.finish(deliver: receive)
            XCTAssertEqual(lines, try self.lines(ofFile: Recordings.decisions(name)), name)
        }
    }

    func testReconnectedScenesStartAnewAndGoneOnesStayGone() throws {
        let log =
            jsonHeader + """
                {"t_ns":0,"scene":"a","width":10,"height":10}
                {"t_ns":200000000,"scene":"a","kind":"disconnect"}
                {"t_ns":200000000,"scene":"a","kind":"disconnect"}
                {"t_ns":300000000,"scene":"a","width":10,"height":10}
                {"t_ns":310000000,"scene":"a","kind":"connect"}
                {"t_ns":600000000,"scene":"b","width":7,"height":7}
                {"t_ns":610000000,"scene":"b","kind":"disconnect"}
                """
        let result = try replay(Array(log.utf8), policy: Policy(firstDelay: .milliseconds(20)))
        XCTAssertEqual(
            result.lines,
            [
                #"{"t_ns":20000000,"scene":"a","kind":"rebuild","width":10,"height":10,"reason":"first"}"#,
                #"{"t_ns":320000000,"scene":"a","kind":"rebuild","width":10,"height":10,"reason":"first"}"#,
            ])
        XCTAssertEqual(result.summary.rejectedScenes, 1)
        XCTAssertEqual(result.summary.scenes, 2)
    }

    func testAWindowIsALogOfItsOwn() throws {
        let all = readLog(try bytes(ofFile: Recordings.log("w06_weston_long")))
        let first = all.events[0].event.at.nanoseconds
        let window = ReplayWindow(scenes: ["1:13", "1:16"], start: .seconds(20), duration: .seconds(60))
        let scenes = SceneNames()
        let part: [LogEvent] = all.events.compactMap { event, scene in
            let since = event.at.nanoseconds - first
            guard window.scenes.contains(scene), (20_000_000_000...80_000_000_000).contains(since) else { return nil }
            var event = event
            event.name = scenes.number(of: scene)
            return event
        }
        XCTAssertGreaterThan(part.count, 100)
        let expected = try replay(written(as: .jsonl, scenes: scenes, part))
        let result = try replay(bytes(ofFile: Recordings.log("w06_weston_long")), window: window)
        XCTAssertEqual(result.lines, expected.lines)
        XCTAssertEqual(result.summary.events, part.count)
        XCTAssertEqual(result.summary.everyChange, expected.summary.everyChange)
    }
}
