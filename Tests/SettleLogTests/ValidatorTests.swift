import Foundation
import Settle
import TestSupport
import XCTest

@testable import SettleLog

/// The validator finds what a replay of the same log rejects and corrects.
final class ValidatorTests: XCTestCase {
    private let folder = TemporaryFolder()
    override func tearDown() { folder.remove() }

    /// The faults of a log by the validator, compared with the counts of a replay.
    private func faults(
        _ bytes: [UInt8], _ message: String = "", file: StaticString = #filePath, line: UInt = #line
    ) throws -> (kinds: [LogValidator.FaultKind: Int], problems: [String]) {
        let path = folder.file("log")
        try Data(bytes).write(to: URL(fileURLWithPath: path))
        var validator = LogValidator(path: path)
        var problems: [String] = []
        let result = try validator.run { error, _ in problems.append(error.problem) }
        let replay = try LogReplay(LogReader(path: path), policy: .default)
        while try replay.readNext() { replay.submit { _, _ in } }
        replay.finish { _, _ in }
        let summary = replay.summary
        let counts: [LogValidator.FaultKind: Int] = [
            .rejectedSize: summary.rejectedSizes, .disconnectedScene: summary.rejectedScenes,
            .rejectedEvent: summary.rejectedEvents, .timeGoesBack: summary.regressions,
        ]
        XCTAssertEqual(result.faultsByKind, counts.filter { $0.value > 0 }, message, file: file, line: line)
        XCTAssertEqual(result.events, summary.events, message, file: file, line: line)
        XCTAssertEqual(result.faults, problems.count, message, file: file, line: line)
        return (result.faultsByKind, problems)
    }

    private func pointer(_ button: UInt32, _ isPressed: Bool = true, at time: UInt64) -> String {
        #"{"t_ns":\#(time),"kind":"pointer","button":\#(button),"pressed":\#(isPressed)}"#
    }

    func testAButtonTooManyIsAFaultAndMovesNoTime() throws {
        var lines = (0..<16).map { pointer($0, at: 1) }
        // Rejected, and later than what follows.
        lines += [pointer(99, at: 50), pointer(15, at: 10), pointer(15, false, at: 11), pointer(99, at: 12)]
        lines += [pointer(15, at: 60), #"{"t_ns":11,"scene":"a"}"#]
        let found = try faults(Array((jsonHeader + lines.joined(separator: "\n") + "\n").utf8))
        XCTAssertEqual(found.kinds, [.rejectedEvent: 2, .timeGoesBack: 1])
        XCTAssertEqual(
            found.problems,
            [
                "button 99 is pressed while 16 others are held; the engine rejects the event",
                "button 15 is pressed while 16 others are held; the engine rejects the event",
                "the time goes back by 1 ns; the engine applies the event at 12",
            ])
    }

    /// A replay stops at the first scene too many; what the validator finds goes on.
    func testScenesTooManyAreFaultsUntilOthersLeave() throws {
        let path = folder.file("log")
        let lines = [
            #"{"t_ns":1,"scene":"a","width":3,"height":5}"#, #"{"t_ns":2,"scene":"b","width":3,"height":5}"#,
            #"{"t_ns":30,"scene":"c","width":3,"height":5}"#, #"{"t_ns":3,"scene":"a","kind":"disconnect"}"#,
            #"{"t_ns":4,"scene":"c","width":3,"height":5}"#, #"{"t_ns":3,"scene":"c","width":4,"height":5}"#,
        ]
        try (jsonHeader + lines.joined(separator: "\n") + "\n").write(toFile: path, atomically: true, encoding: .utf8)
        var validator = LogValidator(path: path, scenesMax: 2)
        var problems: [String] = []
        let result = try validator.run { error, kind in problems.append("\(kind): \(error.problem)") }
        XCTAssertEqual(result.faultsByKind, [.tooManyScenes: 1, .timeGoesBack: 1])
        XCTAssertEqual(result.events, 6)
        XCTAssertEqual(
            problems,
            [
                "tooManyScenes: 2 scenes are connected already; disconnect some, or make the engine with a larger"
                    + " scenesMax; a replay stops here",
                "timeGoesBack: the time goes back by 1 ns; the engine applies the event at 4",
            ])
    }

    func testRejectedSizesAndScenesMoveNoTime() throws {
        let lines = [
            #"{"t_ns":100,"scene":"a","width":1e999,"height":5}"#, #"{"t_ns":90,"scene":"b","kind":"disconnect"}"#,
            #"{"t_ns":80,"scene":"a","width":-1,"height":5}"#, #"{"t_ns":20,"scene":"a","width":3,"height":5}"#,
            #"{"t_ns":10,"scene":"a","width":4,"height":5}"#,
        ]
        let found = try faults(Array((jsonHeader + lines.joined(separator: "\n") + "\n").utf8))
        XCTAssertEqual(found.kinds, [.rejectedSize: 2, .disconnectedScene: 1, .timeGoesBack: 1])
        XCTAssertEqual(
            found.problems,
            [
                "the size inf×5 is negative or not finite; the engine rejects the event (rule 2)",
                #"scene "b" disconnects without being connected; the engine rejects the event (rule 10)"#,
                "the size -1×5 is negative or not finite; the engine rejects the event (rule 2)",
                "the time goes back by 10 ns; the engine applies the event at 20",
            ])
    }

    /// What is rejected fires no deadline and hides no regression: without it the log decides the
    /// same, at the same times.
    func testALogWithoutItsRejectedEventsDecidesTheSame() throws {
        var rejected = 0
        for seed in UInt64(0)..<100 {
            var random = SplitMix64(seed: seed)
            let scenes = SceneNames()
            let names = (0..<4).map { scenes.number(of: "\($0)") }
            // Connected scenes, so that no rejected event connects one.
            var events = names.map { LogEvent.connect($0, at: Timestamp(nanoseconds: 0)) }
            events += (0..<200).map { _ in Self.event(&random, names) }.filter { $0.kind != .disconnect }
            let kept = events.filter { event in
                event.size.map { $0.width >= 0 && $0.width.isFinite } ?? true && event.kind != .pointer
            }
            let all = events.filter { $0.kind != .pointer }
            rejected += all.count - kept.count
            let (full, part) = (try replayed(all, scenes), try replayed(kept, scenes))
            XCTAssertEqual(full.lines, part.lines, "seed \(seed)")
            XCTAssertEqual(full.regressions, part.regressions, "seed \(seed)")
        }
        XCTAssertGreaterThan(rejected, 1000)
    }

    private func replayed(_ events: [LogEvent], _ scenes: SceneNames) throws -> (lines: [String], regressions: Int) {
        let bytes = try written(as: .jsonl, scenes: scenes, events)
        let replay = try LogReplay(LogReader(ByteInput(bytes: bytes, name: "test")), policy: .default)
        var lines: [String] = []
        while try replay.readNext() { replay.submit { lines.append(DecisionWriter.line($0, scene: $1)) } }
        replay.finish { lines.append(DecisionWriter.line($0, scene: $1)) }
        return (lines, replay.summary.regressions)
    }

    /// Twenty events within 20 µs a scene come from no hand, unless the last times only go back.
    func testTimesOfAnotherUnitAreNoted() throws {
        let path = folder.file("log")
        func notes(_ scenes: Int, _ times: [Int], more: String = "") throws -> Int {
            let lines = times.enumerated().map {
                #"{"t_ns":\#($1),"scene":"\#($0 % scenes)","width":3,"height":5\#(more)}"#
            }
            try (jsonHeader + lines.map { $0 + "\n" }.joined()).write(toFile: path, atomically: true, encoding: .utf8)
            var validator = LogValidator(path: path)
            return try validator.run { _, _ in }.notes.count
        }
        let close = Array(0..<20)
        XCTAssertEqual(try notes(1, close), 1)
        // Beside what the format could not represent.
        XCTAssertEqual(try notes(1, close, more: #","w":3"#), 2)
        XCTAssertEqual(try notes(1, close.dropLast() + [400_000 - 1]), 1)
        XCTAssertEqual(try notes(1, close.dropLast() + [400_000]), 0)
        XCTAssertEqual(try notes(1, [400_000] + close.dropLast()), 0)
        XCTAssertEqual(try notes(1, [0, 400_000] + close.dropLast(2)), 0)
        XCTAssertEqual(try notes(2, close.dropLast() + [200_000 - 1]), 1)
        XCTAssertEqual(try notes(2, close.dropLast() + [200_000]), 0)
        XCTAssertEqual(try notes(1, close.dropLast(10)), 1)
        XCTAssertEqual(try notes(1, close.dropLast(11)), 0)
        XCTAssertEqual(try notes(1, []), 0)
    }

    /// What costs only itself is a fault, also where what decides the log skips it.
    func testWhatIsSkippedIsAFault() throws {
        let path = folder.file("log")
        let sizes = ["900, 600, array[0]", "901, 600, array[0]", "902", "903, 600, array[0]"]
        let lines = sizes.enumerated().map { "[ \($0 + 1).000] xdg_toplevel@10.configure(\($1))\n" }
        try lines.joined().write(toFile: path, atomically: true, encoding: .utf8)
        var validator = LogValidator(path: path)
        var faults: [String] = []
        XCTAssertEqual(try validator.run { error, _ in faults.append("\(error)") }.faultsByKind, [.unreadable: 1])
        XCTAssertEqual(
            faults, ["\(path): line 3: the arguments of xdg_toplevel.configure cannot be read"])
    }

    func testRandomFaultyLogsInBothEncodings() throws {
        var total: [LogValidator.FaultKind: Int] = [:]
        for seed in UInt64(0)..<100 {
            var random = SplitMix64(seed: seed)
            let scenes = SceneNames()
            let names = (0..<4).map { scenes.number(of: "\($0)") }
            let events = (0..<200).map { _ in Self.event(&random, names) }
            for format in [LogFormat.jsonl, .settle] {
                let found = try faults(written(as: format, scenes: scenes, events), "seed \(seed) \(format)")
                total.merge(found.kinds, uniquingKeysWith: +)
            }
        }
        for kind in [LogValidator.FaultKind.rejectedSize, .disconnectedScene, .rejectedEvent, .timeGoesBack] {
            XCTAssertGreaterThan(total[kind] ?? 0, 300, "\(kind)")
        }
    }

    private static func event(_ random: inout SplitMix64, _ names: [SceneNumber]) -> LogEvent {
        let at = Timestamp(nanoseconds: UInt64(random.below(1_000_000_000)))
        let name = names[random.below(names.count)]
        switch random.below(10) {
        case 0: return .disconnect(name, at: at)
        case 1: return .connect(name, at: at)
        case 2...5: return .pointer(button: UInt32(random.below(80)), at: at, isPressed: random.chance(85))
        default:
            let side = random.pick([3, 4, 0, -0.0, -1, .infinity, -.infinity, .nan])
            return .geometry(
                name, at: at, size: Size(width: side, height: 5), isInteractivelyResizing: random.chance(20))
        }
    }
}
