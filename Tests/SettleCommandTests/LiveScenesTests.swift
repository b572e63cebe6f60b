import Settle
import SettleLog
import TestSupport
import XCTest

@testable import SettleCommand

/// Live scenes, fed with recordings as if their events were happening now.
final class LiveScenesTests: XCTestCase {
    /// A decision with its scene's name: the handles of two engines differ.
    private struct Delivered: Equatable {
        let at: Timestamp
        let kind: Decision.Kind
        let scene: String

        init(_ decision: Decision, _ scene: String) {
            (at, kind, self.scene) = (decision.at, decision.kind, scene)
        }
    }

    func testRecordingsAreDecidedAndCountedAsByAReplay() throws {
        for name in Recordings.names {
            let log = try LogReader(path: Recordings.log(name))
            let names = log.scenes
            let live = try LiveScenes(policy: .default)
            var decisions: [Delivered] = []
            let batch = EventBatch()
            while try log.read(into: batch) {
                for index in 0..<batch.count {
                    let event = batch[index]
                    // A live engine's time goes on between events; deadlines fire at their own times.
                    while let deadline = live.nextDeadline, deadline <= event.at {
                        live.advance(to: deadline, names: names) { decisions.append(Delivered($0, names[$1])) }
                    }
                    try live.add(event, names: names) { decisions.append(Delivered($0, names[$1])) }
                }
            }
            live.finish(names: names) { decisions.append(Delivered($0, names[$1])) }

            let replay = try LogReplay(LogReader(path: Recordings.log(name)), policy: .default)
            var replayed: [Delivered] = []
            while try replay.readNext() { replay.submit { replayed.append(Delivered($0, $1)) } }
            replay.finish { replayed.append(Delivered($0, $1)) }
            XCTAssertEqual(decisions, replayed, name)
            let total = live.total(at: .latest)
            XCTAssertEqual(total.naive, replay.summary.everyChange, name)
            XCTAssertEqual(total.debounce, replay.summary.fixedDebounce, name)
            XCTAssertEqual(total.settle, replay.summary.rebuilds, name)
            XCTAssertEqual(live.events, replay.summary.events, name)
        }
    }

    private func change(_ names: SceneNames, _ milliseconds: UInt64, _ width: Double) -> LogEvent {
        .geometry(
            names.number(of: "window"), at: Timestamp(nanoseconds: milliseconds * 1_000_000),
            size: Size(width: width, height: 100))
    }

    func testAWindowWhoseBuildsAskForEachOther_isSaidOnce() throws {
        let (live, names) = (try LiveScenes(policy: .default), SceneNames())
        var said: [String] = []
        live.hasFeedback = { said.append($0) }
        live.setTitle("A document", of: names.number(of: "window"), names: names)
        for number in 0..<24 as Range<UInt64> {
            try live.add(change(names, number * 210, 800 + Double(number)), names: names) { _, _ in }
            XCTAssertEqual(said, number >= 22 ? ["A document"] : [], "\(number)")
        }
        let row = try XCTUnwrap(live.rows(at: .latest).first)
        XCTAssertEqual(row.last?.isFeedback, true)
        try live.add(change(names, 60_000, 500), names: names) { _, _ in }
        live.advance(to: Timestamp(nanoseconds: 65_000_000_000), names: names) { _, _ in }
        XCTAssertEqual(live.rows(at: .latest).first?.last?.isFeedback, false)
        for number in 0..<24 as Range<UInt64> {
            try live.add(change(names, 70_000 + number * 210, 800 + Double(number)), names: names) { _, _ in }
        }
        XCTAssertEqual(live.rows(at: .latest).first?.last?.isFeedback, true)
        XCTAssertEqual(said, ["A document"], "it was said before")
        var layout = TableLayout()
        let table = LiveTable(rows: [row], total: live.total(at: .latest), events: live.events, windows: 1)
        let cells = layout.lines(table, LogHeader(), rows: 10, columns: 120, message: nil).joined()
        XCTAssertTrue(cells.contains { $0.text == "feedback" }, "the table does not show it")
    }

    private func button(_ milliseconds: UInt64, _ isPressed: Bool) -> LogEvent {
        .pointer(button: 1, at: Timestamp(nanoseconds: milliseconds * 1_000_000), isPressed: isPressed)
    }

    func testARowFollowsAWindowFromRestToRest() throws {
        let names = SceneNames()
        let live = try LiveScenes(policy: .default)
        func row(_ milliseconds: UInt64) throws -> LiveScenes.Row {
            try XCTUnwrap(live.rows(at: Timestamp(nanoseconds: milliseconds * 1_000_000)).first)
        }
        func add(_ event: LogEvent) throws { try live.add(event, names: names) { _, _ in } }
        try add(change(names, 1000, 100))
        live.advance(to: Timestamp(nanoseconds: 1_000_000_000), names: names) { _, _ in }
        XCTAssertEqual(try row(1000).phase, .resting)
        XCTAssertEqual(try row(1000).last?.reason, .first)
        try add(button(2000, true))
        for step in 1...50 { try add(change(names, 2000 + UInt64(step) * 10, 100 + Double(step))) }
        let dragged = try row(2500)
        XCTAssertEqual(dragged.phase, .interacting)
        XCTAssertEqual(dragged.size, Size(width: 150, height: 100))
        XCTAssertEqual(dragged.eventsPerSecond, 50)
        XCTAssertEqual([dragged.counts.naive, dragged.counts.debounce, dragged.counts.settle], [51, 1, 1])
        try add(button(2600, false))
        XCTAssertEqual(try row(2605).phase, .pending)
        XCTAssertEqual([try row(2599).counts.debounce, try row(2600).counts.debounce], [1, 2])
        XCTAssertEqual(try row(2605).counts.debounce, 2, "the timer has fired though no event came")
        live.advance(to: Timestamp(nanoseconds: 2_700_000_000), names: names) { _, _ in }
        let built = try row(2700)
        XCTAssertEqual(built.phase, .resting)
        XCTAssertEqual(built.counts.settle, 2)
        XCTAssertEqual(built.last, .init(reason: .interactionEnded, lag: .milliseconds(16)))
        XCTAssertEqual(try row(4000).eventsPerSecond, 0)
    }

    func testTitlesReplaceNamesAndGoneWindowsStayInTheSums() throws {
        let names = SceneNames()
        let live = try LiveScenes(policy: .default)
        try live.add(change(names, 1, 100), names: names) { _, _ in }
        XCTAssertEqual(live.rows(at: .latest).map(\.title), ["window"])
        live.setTitle("A document", of: names.number(of: "window"), names: names)
        XCTAssertEqual(live.rows(at: .latest).map(\.title), ["A document"])
        try live.add(.disconnect(names.number(of: "window"), at: Timestamp(nanoseconds: 5_000_000)), names: names) {
            _, _ in
        }
        XCTAssertEqual(live.rows(at: .latest).count, 0)
        XCTAssertEqual(live.total(at: .latest).naive, 1)
    }

    func testOnlyTitlesThatRepeatHaveAnIdentifier() throws {
        let names = SceneNames()
        let live = try LiveScenes(policy: .default)
        for (name, title) in [("xterm 0x1", "xterm"), ("Mail 0x2", "Mail"), ("xterm 0x3", "xterm"), ("0x4", "0x4")] {
            let scene = names.number(of: name)
            try live.add(.geometry(scene, at: .zero, size: Size(width: 1, height: 1)), names: names) { _, _ in }
            live.setTitle(title, of: scene, names: names)
        }
        XCTAssertEqual(live.rows(at: .latest).map(\.id), ["0x1", nil, "0x3", nil])
        try live.add(.disconnect(names.number(of: "xterm 0x1"), at: .zero), names: names) { _, _ in }
        XCTAssertEqual(live.rows(at: .latest).map(\.id), [nil, nil, nil])
        XCTAssertEqual(live.windows, 4)
    }

    func testTheRateCountsTheLastSeconds() {
        var rate = EventRate()
        for step in 0..<1000 { rate.add(at: Timestamp(nanoseconds: UInt64(step) * 1_000_000)) }
        func rates(_ milliseconds: UInt64) -> [Int] {
            rate.perSecond(at: Timestamp(nanoseconds: milliseconds * 1_000_000))
        }
        XCTAssertEqual(rates(999), [0, 0, 0, 0, 0, 0, 0, 1000])
        XCTAssertEqual(rates(1500), [0, 0, 0, 0, 0, 0, 600, 400])
        XCTAssertEqual(rates(8450), [500, 0, 0, 0, 0, 0, 0, 0])
        for late: UInt64 in [9000, 16_000, 16_800, 60_000] { XCTAssertEqual(rates(late), [0, 0, 0, 0, 0, 0, 0, 0]) }
        rate.add(at: Timestamp(nanoseconds: 60_000_000_000))
        XCTAssertEqual(rates(60_000), [0, 0, 0, 0, 0, 0, 0, 1])
    }
}
