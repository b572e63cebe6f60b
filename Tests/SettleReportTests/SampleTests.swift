import Settle
import SettleLog
import TestSupport
import XCTest

@testable import SettleReport

/// Reports of logs that have too many events.
final class SampleTests: XCTestCase {
    private func log(_ name: String, most: Int, window: ReplayWindow = ReplayWindow()) throws -> ReportLog {
        try ReportLog(LogReader(path: Recordings.log(name)), window: window, eventsMax: most)
    }

    /// A scene's events are all there, or none; and the pointer's, which decide with them.
    func testWholeScenesAreLeftOut() throws {
        var sampled = 0
        for name in Recordings.names {
            let whole = try log(name, most: 1_000_000)
            XCTAssertFalse(whole.isSample)
            func counts(_ log: ReportLog) -> [SceneNumber: Int] {
                log.events.filter { $0.kind != .pointer }.reduce(into: [:]) { $0[$1.name, default: 0] += 1 }
            }
            let all = counts(whole)
            guard all.count > 1 else { continue }
            for most in [whole.events.count - 1, whole.events.count * 3 / 4] {
                let part = try log(name, most: most)
                XCTAssertLessThanOrEqual(part.events.count, most, name)
                XCTAssertTrue(part.isSample, name)
                XCTAssertEqual(part.findings, whole.findings)
                let kept = counts(part)
                XCTAssertGreaterThan(kept.count, 0, name)
                guard kept.count < all.count else { continue }
                let note = try XCTUnwrap(part.notes.last)
                guard !note.contains(" its first ") else { continue }
                sampled += 1
                for (scene, count) in kept { XCTAssertEqual(count, all[scene], "\(name) \(scene)") }
                XCTAssertEqual(
                    part.events.count { $0.kind == .pointer }, whole.events.count { $0.kind == .pointer }, name)
                XCTAssert(note.hasPrefix("this is a sample, \(kept.count) of its \(all.count) scenes: "), note)
                XCTAssert(
                    note.contains(": \(grouped(part.events.count)) of \(grouped(whole.events.count)) events, as "), note
                )
            }
        }
        XCTAssertGreaterThan(sampled, 5)
    }

    func testOfASingleSceneTheFirstPartIsThere() throws {
        let whole = try log("w06_weston_long", most: 1_000_000)
        let scene = ReplayWindow(scenes: [whole.scenes[whole.events[0].name]])
        let own = try log("w06_weston_long", most: 1_000_000, window: scene)
        let part = try log("w06_weston_long", most: 100, window: scene)
        XCTAssertEqual(part.events, Array(own.events.prefix(100)))
        let note = try XCTUnwrap(part.notes.last)
        XCTAssert(
            note.hasPrefix(
                "this is a sample, its first \(part.events[99].at.duration(since: part.events[0].at).text): 100 of "),
            note)
        XCTAssertFalse(try log("w06_weston_long", most: own.events.count, window: scene).isSample)
        XCTAssertTrue(try log("w06_weston_long", most: own.events.count - 1, window: scene).isSample)
    }

    /// The part's time is that of all its events, also where times go back.
    func testThePartsTimeIsThatOfItsLatestEvent() throws {
        let times = [1_000, 11_000, 31_000, 16_000, 41_000, 51_000]
        let lines = times.map { "{\"t_ns\":\($0),\"scene\":\"a\",\"width\":\($0),\"height\":9}" }
        let text = "{\"settle\":\"events\",\"version\":1}\n" + lines.joined(separator: "\n") + "\n"
        let part = try ReportLog(LogReader(ByteInput(bytes: Array(text.utf8), name: "x")), eventsMax: 4)
        XCTAssertEqual(part.events.map { Int($0.at.nanoseconds) }, Array(times[..<4]))
        let note = try XCTUnwrap(part.notes.last)
        XCTAssert(note.hasPrefix("this is a sample, its first 30 µs: 4 of 6 events, as"), note)
    }

    /// As many scenes are left out as make room for a while, so that few passes over the events are made.
    func testAQuarterIsFreeOnceScenesAreLeftOut() throws {
        let lines = (0..<400).map { "{\"t_ns\":\($0),\"scene\":\"s\($0 % 50)\",\"width\":\(100 + $0),\"height\":9}" }
        let text = "{\"settle\":\"events\",\"version\":1}\n" + lines.joined(separator: "\n") + "\n"
        let part = try ReportLog(LogReader(ByteInput(bytes: Array(text.utf8), name: "x")), eventsMax: 399)
        XCTAssertLessThanOrEqual(part.events.count, 399 / 4 * 3)
        XCTAssertGreaterThan(part.events.count, 399 / 2)
    }
}
