import Foundation
import Settle
import SettleLog
import TestSupport
import XCTest

@testable import SettleReport

/// Everything that is written of random logs, some of them with a fault, in a window or too long: a number of it is
/// kept in Tests/Cases/report/aftermath.txt.
final class ReportAftermathTests: XCTestCase {
    private static let groups = 36

    func testWhatIsWrittenOfRandomLogsIsAsBefore() throws {
        let numbers = try (0..<Self.groups).map { group in
            (try aftermath(of: UInt64(group)).number, "logs \(group)")
        }
        let file = Recordings.folder.deletingLastPathComponent().appending(path: "Cases/report/aftermath.txt")
        for fault in try Aftermath.faults(numbers, file: file) { XCTFail(fault) }
    }

    /// One to six logs, of which a picture has the lanes of two or three.
    private func aftermath(of group: UInt64) throws -> Aftermath {
        var random = SplitMix64(seed: group)
        var aftermath = Aftermath()
        var (logs, policy) = ([ReportLog](), Policy.default)
        for number in 0..<1 + random.below(6) {
            let seed = 1000 * group + UInt64(number)
            let own = seed % 3 == 0 ? widespread(&random) : randomLog(seed)
            policy = own.policy
            for form in ["csv", "trace"] {
                let text = try exported(form, own.events, own.scenes, policy: own.policy, batch: 40)
                aftermath.note(String(decoding: text, as: UTF8.self))
            }
            logs.append(try read(own, "folder/log \(number).jsonl", &random))
        }
        let report = Report(logs, policy: policy)
        aftermath.note(try Overview(report).svg)
        let page = try written { output in try PageData(report).writeData(to: output) }
        // The program's version is not of interest.
        aftermath.note(String(decoding: page, as: UTF8.self).replacing(Engine.version, with: "version"))
        return aftermath
    }

    /// Up to thirty scenes that come and go, drags within buttons and flags, and builds, over minutes. At last perhaps a
    /// loop and a live drag.
    private func widespread(_ random: inout SplitMix64) -> (events: [LogEvent], scenes: SceneNames, policy: Policy) {
        let scenes = SceneNames()
        var (events, time): ([LogEvent], UInt64) = ([], 1_000_000_000)
        let (most, pause) = (random.chance(30) ? 1 : 1 + random.below(30), 1 + random.below(400))
        for step in 0..<(20 + random.below(400)) {
            time += UInt64(random.below(pause) * 1_000_000 + random.below(1_000_000))
            // Times may go back.
            let at = Timestamp(nanoseconds: random.chance(8) ? time - UInt64(random.below(1_000_000_000)) : time)
            let scene = scenes.number(of: "scene \(random.below(most))")
            func side() -> Double { Double(random.below(2000)) / (random.chance(20) ? 8 : 1) }
            switch random.below(30) {
            case 0: events.append(.disconnect(scene, at: at))
            case 1, 2: events.append(.pointer(button: UInt32(random.below(3)), at: at, isPressed: random.chance(60)))
            case 3:
                events.append(
                    .finished(scene, at: at, generation: UInt32(1 + random.below(9)), cost: .microseconds(step * 90)))
            case 4: events.append(.geometry(scene, at: at, isInterfaceOrientationLocked: random.chance(50)))
            case 5, 6: events.append(.geometry(scene, at: at, isInteractivelyResizing: random.chance(60)))
            default:
                events.append(
                    .geometry(
                        scene, at: at, size: Size(width: side(), height: side()),
                        isInteractivelyResizing: random.chance(10) ? true : nil))
            }
        }
        func add(_ milliseconds: UInt64, _ event: (Timestamp) -> LogEvent) {
            time += milliseconds * 1_000_000
            events.append(event(Timestamp(nanoseconds: time)))
        }
        if random.chance(30) {
            // Whose builds seem to ask for each other.
            let loop = scenes.number(of: "a loop\r\u{1B}")
            for width in 1...26 { add(210) { .geometry(loop, at: $0, size: Size(width: Double(width), height: 9)) } }
        }
        if random.chance(50) {
            let dragged = scenes.number(of: "dragged")
            add(900) { .geometry(dragged, at: $0, size: Size(width: 200, height: 100)) }
            for step in 1...20 {
                add(4) { .finished(dragged, at: $0, generation: UInt32(step), cost: .milliseconds(3)) }
                add(UInt64(10 + random.below(30))) {
                    .geometry(
                        dragged, at: $0, size: Size(width: 200 + Double(step), height: 100),
                        isInteractivelyResizing: step < 20)
                }
            }
        }
        let policy = [.default, .live, .uikit, Policy(pauseDelay: .milliseconds(80))][random.below(4)]
        return (events, scenes, policy)
    }

    /// The log as it is read from lines, of which one may be broken.
    private func read(
        _ log: (events: [LogEvent], scenes: SceneNames, policy: Policy), _ name: String, _ random: inout SplitMix64
    ) throws -> ReportLog {
        let batch = EventBatch()
        for event in log.events { batch.append(event, at: .line(0)) }
        let bytes = try written { output in
            var header = LogHeader(unit: "pt", source: "random", name: random.chance(50) ? "a name" : "")
            if random.chance(50) { header.policy = Policy(quietDelay: .seconds(2)) }
            try JSONLinesWriter(output, header: header).write(batch, scenes: log.scenes)
        }
        var lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
        if random.chance(30) { lines.insert("{\"t_ns\":", at: 1 + random.below(lines.count)) }
        var window = ReplayWindow()
        if random.chance(30) {
            window = ReplayWindow(start: .milliseconds(random.below(900)), duration: .seconds(random.below(60)))
        }
        let most = random.chance(40) ? 10 + random.below(log.events.count + 10) : 1 << 20
        let reader = try reader(lines.joined(separator: "\n") + "\n", name: name)
        return try ReportLog(reader, window: window, eventsMax: most)
    }
}
